package process

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A list of numbers is read from a file with one a line, with a heading or without, or
// from a JSON list.
func TestReadList(t *testing.T) {
	for text, want := range map[string][]float64{
		"height\n1\n2.5\n-3e-1\n":            {1, 2.5, -0.3},
		"1\n2\n":                             {1, 2},
		"\ufeff\"height\"\r\n\"1\"\r\n2\r\n": {1, 2},
		"[1,\n 2]\n":                         {1, 2},
		"height, in metres\n1\n2\n":          {1, 2}, // one column below it
		"# 3 stations\n1\n":                  {1},
	} {
		if got, err := parseNumbers("tide.csv", []byte(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                   "tide.csv holds no numbers; want one a line",
		"height\n":           "tide.csv holds no numbers; want one a line",
		"height\n1\n\n2\n":   `tide.csv:3: "" is not a number; want one a line`,
		"1\nNaN\n2\n":        `tide.csv:2: "NaN" is not a number; want one a line`,
		"time,height\n0,1\n": "tide.csv:1: \"time,height\" has several columns; give a file with one, as `cut -d, -f2 tide.csv` writes",
		"1\n2 metres high, or so, at the mouth of the river\n": "tide.csv:2: \"2 metres high, or so, at the mouth of t…\" is not a number; want one a line",
		// What begins as a number does, or stands for none, is no heading.
		"NaN\n2\n3\n":   `tide.csv:1: "NaN" is not a number; want one a line`,
		"N/A\n2\n":      `tide.csv:1: "N/A" is not a number; want one a line`,
		"-Inf\n2\n":     `tide.csv:1: "-Inf" is not a number; want one a line`,
		"\"null\"\n2\n": `tide.csv:1: "null" is not a number; want one a line`,
		"1.2.3\n2\n":    `tide.csv:1: "1.2.3" is not a number; want one a line`,
		"−3\n2\n":       `tide.csv:1: "−3" is not a number; want one a line`,
		"1e400\n2\n":    `tide.csv:1: "1e400" is not a number; want one a line`,
		"12 m\n13 m\n":  "tide.csv:1: \"12 m\" has several columns; give a file with one, as `awk '{print $1}' tide.csv` writes",
		// Columns: that which holds numbers, and by what separates them.
		"12 3\n4 5\n":       "tide.csv:1: \"12 3\" has several columns; give a file with one, as `awk '{print $2}' tide.csv` writes",
		"1\n4 5\n":          `tide.csv:2: "4 5" is not a number; want one a line`,
		"11.7,\n":           "tide.csv:1: \"11.7,\" has several columns; give a file with one, as `cut -d, -f1 tide.csv` writes",
		"a,b,h\nx,y,3\n":    "tide.csv:1: \"a,b,h\" has several columns; give a file with one, as `cut -d, -f3 tide.csv` writes",
		"Zeit;h\nx;11,7\n":  "tide.csv:1: \"Zeit;h\" has several columns; give a file with one, as `cut -d';' -f2 tide.csv | tr , .` writes",
		"time\th\n0\t1\n":   "tide.csv:1: \"time\\th\" has several columns; give a file with one, as `cut -f2 tide.csv` writes",
		"1 2 3 4 5\n":       "tide.csv:1: \"1 2 3 4 5\" has its numbers side by side; want one a line, as `tr -s ' ' '\\n' <tide.csv` writes",
		"11,7\n12,1\n":      "tide.csv:1: \"11,7\" is two columns or has a decimal comma; want one number a line: `tr , . <tide.csv` writes points, `cut -d, -f2 tide.csv` the second column",
		"h\n11\n\"11,7\"\n": "tide.csv:3: \"11,7\" is two columns or has a decimal comma; want one number a line: `tr , . <tide.csv` writes points, `cut -d, -f2 tide.csv` the second column",
		`["one"]`:           "tide.csv is no JSON list of numbers, such as [1, 2]: json: cannot unmarshal string into Go value of type float64",
	} {
		if _, err := parseNumbers("tide.csv", []byte(text)); fmt.Sprint(err) != want {
			t.Errorf("%q\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// A process's file may name the file of its signal, which has to be there.
func TestSpecWithFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "tide.csv", "height\n0\n1\n3\n2\n")
	for _, signal := range []string{`"@tide.csv"`, "tide.csv", "[0, 1, 3, 2]"} {
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
		{"recording", Params{"signal": []float64{1}}, "recording: signal has 1 numbers, want 2 to 100000; process.NewSignal takes a longer one in Go"},
		{"recording", Params{"signal": make([]float64, 100_001)}, "recording: signal has 100001 numbers, want 2 to 100000; process.NewSignal takes a longer one in Go"},
		{"recording", Params{"signal": []float64{1, 1}}, "recording: all samples are 1, so there is nothing to quantise"},
		{"recording", Params{"levels": 1}, "recording: levels = 1 is not a whole number in [2, 1024]"},
		{"recording", Params{"range": []float64{1}}, "recording: range has 1 numbers, want [low, high], such as [0, 5]"},
		{"recording", Params{"range": []float64{5, 0}}, "recording: the range [5, 0] is none: want low < high, both up to 1e300"},
	})
}
