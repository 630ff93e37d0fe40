package process

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A process's file may name the file of its signal, which has to be there.
func TestSpecWithFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "tide.csv", "height\n0\n1\n3\n2\n")
	for _, signal := range []string{`"@tide.csv"`, "tide.csv", "tide.csv:height", `"@tide.csv:1"`, "[0, 1, 3, 2]"} {
		writeFile(t, "mine.yaml", "name: recording\nparams: {signal: "+signal+", levels: 4}\n")
		p, err := LoadSampler("mine.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.(*Recording).Record(); !reflect.DeepEqual(got, []int32{0, 1, 3, 2}) {
			t.Errorf("%s: %v", signal, got)
		}
	}
	spec := Spec{Name: "recording", Params: Params{"signal": "tide.csv"}}
	if whole, err := spec.WithFiles(); err != nil || len(whole.Params.List("signal")) != 4 || spec.Params["signal"] != "tide.csv" {
		t.Errorf("%v, %v, of %v", whole, err, spec)
	}
	const text = "name: recording\nparams: {signal: missing.csv}\n"
	writeFile(t, "mine.yaml", text)
	_, err := LoadSampler("mine.yaml")
	folder, gone := os.Getwd()
	if gone != nil {
		t.Fatal(gone)
	}
	if want := "mine.yaml:2:10: params.signal is not possible: open missing.csv: no such file or directory " +
		"(looked for in the current folder, " + folder + ")"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = Parse("mine.yaml", []byte(text)) // reads no file
	if want := `recording: signal = "missing.csv" is not a list of numbers, such as [0.5, 0.5]`; !strings.HasSuffix(fmt.Sprint(err), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is no recording of one's own is refused, with the way to a longer one.
func TestRecordingErrors(t *testing.T) {
	refusesToBuild(t, []refusedBuild{
		{"recording", Params{"signal": []float64{1}}, "recording: signal has 1 numbers, want 2 to 100000; Go code can use process.NewSignal for a longer one"},
		{"recording", Params{"signal": make([]float64, 100_001)}, "recording: signal has 100001 numbers, want 2 to 100000; Go code can use process.NewSignal for a longer one"},
		{"recording", Params{"signal": []float64{1, 1}}, "recording: all samples are 1, so there is nothing to quantise"},
		{"recording", Params{"levels": 1}, "recording: levels = 1 is not a whole number in [2, 1024]"},
		{"recording", Params{"range": []float64{1}}, "recording: range has 1 numbers, want [low, high], such as [0, 5]"},
		{"recording", Params{"range": []float64{5, 0}}, "recording: the range [5, 0] is invalid: want low < high, both up to 1e300"},
	})
}
