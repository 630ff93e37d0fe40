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

// A spec that is a file's name is the spec in the file, which may itself read numbers.
func TestSpecInAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"lazy.yaml":  "name: lazy\nstates: [A]\ntokens: [a, b]\nmatrices: {a: [[0.25]], b: [[0.75]]}\n",
		"moon.yaml":  "name: mess3\nparams: {x: 0.2}\n",
		"tide.yaml":  "name: recording\nparams: {signal: \"@tide.csv\", levels: 4}\n",
		"tide.csv":   "1\n2\n3\n2\n",
		"again.yaml": "name: ./lazy.yaml\n",
		"bad.yaml":   "name: lazy\nstate: [A]\n",
	} {
		writeFile(t, name, text)
	}
	for file, want := range map[string]string{"./lazy.yaml": "lazy", "moon.yaml": "mess3", "tide.yaml": "recording"} {
		s, err := Spec{Name: file}.WithFiles()
		if err != nil || s.Name != want {
			t.Fatalf("%s: %+v, %v", file, s, err)
		}
		if _, err := s.BuildSampler(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for name, want := range map[string]string{
		"again.yaml": "name is not possible: again.yaml only names another file, ./lazy.yaml; name that file",
		"bad.yaml":   `name is not possible: bad.yaml:2:1: unknown key "state"; did you mean "states"?`,
		"tide.csv":   "name is not possible: tide.csv: this is not YAML",
		"none.yaml":  "name is not possible: open none.yaml: no such file or directory",
	} {
		if _, err := (Spec{Name: name}).WithFiles(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	_, err := (Spec{Name: "lazy.yaml", Params: Params{"x": 1.}}).WithFiles()
	if want := "params belong to a process of the zoo; write them into lazy.yaml"; err == nil || err.Error() != want {
		t.Errorf("params of a file: %v", err)
	}
}
