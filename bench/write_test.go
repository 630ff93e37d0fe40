package bench

import (
	"encoding/csv"
	"strings"
	"testing"

	"foretell/document"
	"foretell/document/documenttest"
)

// Curves are a figure, rows of numbers and a value, and nothing else.
func TestCurvesAreWritten(t *testing.T) {
	curves := CurveResults{
		{"n_ctx", []Point{{16, 1000, 2, 10, 40}, {32, 900, 3, 20, 40}}, "avx2"},
		{"d_model", []Point{{16, 1e6, 2.5, 30, 40}}, "avx2"},
	}
	for ending, want := range map[string]string{
		".csv": "size,value,tokens_per_second,step_ms,gflops,peak_gflops\nn_ctx,16,1000,2,10,40\n" +
			"n_ctx,32,900,3,20,40\nd_model,16,1e+06,2.5,30,40\n",
		".json": `[{"size":"n_ctx","points":[{"value":16,"tokens_per_second":1000,"step_ms":2,"gflops":10,"peak_gflops":40},` +
			`{"value":32,"tokens_per_second":900,"step_ms":3,"gflops":20,"peak_gflops":40}],"isa":"avx2"},` +
			`{"size":"d_model","points":[{"value":16,"tokens_per_second":1000000,"step_ms":2.5,"gflops":30,"peak_gflops":40}],"isa":"avx2"}]` + "\n",
	} {
		if got, err := documenttest.Written(curves.Forms(), ending); err != nil || string(got) != want {
			t.Errorf("%s: %v, %s", ending, err, got)
		}
	}
	if got, err := documenttest.Written(curves.Forms(), ".svg"); err != nil || !strings.HasPrefix(string(got), "<svg") {
		t.Errorf("%v, %.100s", err, got)
	}
	if _, err := documenttest.Written(curves.Forms(), ".html"); err == nil {
		t.Error("a page is written")
	}
	if _, err := documenttest.Written((SampleResult{}).Forms(), ".svg"); err == nil {
		t.Error("a sample is drawn")
	}
}

// Where other work took processor time the text says so, and where none is known a dash.
func TestBusyMachineIsTold(t *testing.T) {
	const warning = "got 61 % of the processor time that it requested"
	for share, want := range map[float64]string{0.61: "61 %", 0.95: "95 %", 0: "–"} {
		var text strings.Builder
		TrainResults{{Model: "mess3", CPUShare: share, PeakGFLOPS: 1}}.Forms().Print(&text)
		if got := text.String(); !strings.Contains(got, "\t"+want+"\t") || strings.Contains(got, warning) != (share == 0.61) {
			t.Errorf("%v: %s", share, got)
		}
	}
	for _, c := range []struct {
		before, after processorTimes
		want          float64
	}{
		{processorTimes{1e9, 5e8}, processorTimes{4e9, 15e8}, 0.75},
		{processorTimes{}, processorTimes{}, 0},
		{processorTimes{2e9, 5e8}, processorTimes{4e9, 4e8}, 0}, // a thread that waited long has ended
	} {
		if got := c.after.since(c.before).share(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Each text says by which instruction set, and beside a share stands the peak it is of.
func TestTextsNameTheISA(t *testing.T) {
	for _, c := range []struct {
		found interface{ Forms() document.Forms }
		want  string
	}{
		{TrainResults{{ISA: "avx2", PeakGFLOPS: 115.5}}, "115.5"},
		{KernelResults{{ISA: "avx2", GFLOPS: 1, Peak: 115.4}}, "of the peak, 115"},
		{CurveResults{{"n_ctx", []Point{{16, 1000, 2, 10, 115.5}}, "avx2"}}, "The peak is 115.5 GFLOP/s"},
		{PrefixesResult{ISA: "avx2", Model: "mess3", Width: 64, Prefixes: 1000, Seconds: 0.5, Passes: 3}, "2000 prefixes/s"},
		{PrefixesResult{ISA: "avx2", Model: "mess3", Width: 64, Passes: 3}, "mess3, width 64: "},
		{PrefixesResult{ISA: "avx2", Model: "mess3", Width: 64, Passes: 3}, "the median of 3 rounds"},
		{SampleResult{ISA: "avx2"}, "avx2"},
	} {
		var text strings.Builder
		c.found.Forms().Print(&text)
		if got := text.String(); !strings.Contains(got, "avx2") || !strings.Contains(got, c.want) {
			t.Errorf("%s, want %q", got, c.want)
		}
	}
	for _, draw := range []func() ([]byte, error){
		func() ([]byte, error) {
			return documenttest.Written(TrainResults{{ISA: "avx2", PeakGFLOPS: 1}}.Forms(), ".svg")
		},
		func() ([]byte, error) {
			return documenttest.Written(KernelResults{{ISA: "avx2", GFLOPS: 1, Peak: 2}}.Forms(), ".svg")
		},
		func() ([]byte, error) {
			return documenttest.Written(CurveResults{{"n_ctx", []Point{{16, 1000, 2, 10, 40}, {32, 900, 3, 20, 40}}, "avx2"}}.Forms(), ".svg")
		},
	} {
		if svg, err := draw(); err != nil || !strings.Contains(string(svg), "ISA: avx2.</text>") {
			t.Errorf("%v, %.500s", err, svg)
		}
	}
}

// A row has a cell for each field that JSON may have, empty ones included.
func TestTable(t *testing.T) {
	got, err := documenttest.Written(KernelResults{{Kernel: "add", Shape: "(3), \"x\"", NsPerEntry: 0.5}}.Forms(), ".csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(got))).ReadAll()
	if err != nil || len(rows) != 2 || rows[0][6] != "isa" || rows[1][1] != `(3), "x"` || rows[1][5] != "0.5" {
		t.Errorf("%v, %q", err, rows)
	}
}
