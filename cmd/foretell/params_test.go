package main

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"foretell/craft"
	"foretell/process"
)

// TestParams reads parameters of every type, of a construction here, from flags and from
// files.
func TestParams(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "P.json", "[\n\t[0.9, 1e-1],\n\t[0.5, 0.5]\n]\n")
	write(t, "source.json", `{"name":"mess3","params":{"x":0.05}}`)
	write(t, "mode.json", `"average"`)
	var made process.Params
	c := craft.Construction{
		Name: "chains",
		Params: []process.Param{
			{Name: "lags", Default: []float64{1}},
			{Name: "P", Default: [][]float64{{1}}},
			{Name: "mode", Default: ""},
			{Name: "source", Default: process.Spec{Name: "even"}},
			{Name: "heads", Default: 1.0},
		},
		New: func(p process.Params) (*craft.Crafted, error) { made = p; return &craft.Crafted{}, nil },
	}
	flags := []string{"lags=[2,5]", "P=@P.json", "mode=@mode.json", "source=@source.json", "heads=3"}
	params, err := parseParams(c.Params, flags, "a=2")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Make(params); err != nil {
		t.Fatal(err)
	}
	want := process.Params{
		"lags": []float64{2, 5}, "P": [][]float64{{0.9, 0.1}, {0.5, 0.5}}, "mode": "@mode.json",
		"source": process.Spec{Name: "mess3", Params: process.Params{"x": 0.05}}, "heads": 3.0,
	}
	if !reflect.DeepEqual(made, want) {
		t.Errorf("made of %v, want %v", made, want)
	}
	params, err = parseParams(c.Params, []string{"lag=[2"}, "a=2")
	if want := "--param lag:1:1: did not find expected ',' or ']' while parsing a flow sequence"; fmt.Sprint(err) != want {
		t.Errorf("%v, %v, want %s", params, err, want)
	}
	params, err = parseParams(c.Params, []string{"lag=2"}, "a=2")
	if err == nil {
		_, err = c.Make(params)
	}
	if want := `chains: unknown parameter "lag": did you mean "lags"?`; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestParamOfAFile gives a process its matrix by a file.
func TestParamOfAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "P.json", "[[0.9, 0.1], [0.5, 0.5]]\n")
	inFile := mustCall(t, "process", "show", "markov", "--param", "P=@P.json", "--json")
	typed := mustCall(t, "process", "show", "markov", "--param", "P=[[0.9,0.1],[0.5,0.5]]", "--json")
	if inFile != typed {
		t.Errorf("got %s\nwant %s", inFile, typed)
	}
}

// A recording of one's own is had from a file of numbers, a run of it holds them, and is
// itself a name for its process, without a slash, too.
func TestRecordingOfAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "tide.csv", "height\n0\n1\n3\n2\n1\n2\n0\n")
	shown := mustCall(t, "process", "show", "recording", "--param", "signal=@tide.csv", "--param", "levels=4", "--param", "holdout=0", "--json")
	write(t, "c.yaml", `
process: {name: recording, params: {signal: "@tide.csv", levels: 4, holdout: 0}}
model: {d_model: 4, n_layers: 1, n_heads: 1, n_ctx: 4}
train: {batch_size: 2, num_steps: 1, lr: 0.001}
`)
	mustCall(t, "train", "c.yaml", "--out", "rs")
	mustCall(t, "train", "c.yaml", "--set", "process.params.signal=@tide.csv", "--out", "again")
	if err := os.Remove("tide.csv"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rs", "rs/config.yaml", "./again"} {
		if got := mustCall(t, "process", "show", name, "--json"); got != shown {
			t.Errorf("%s: got  %s\nwant %s", name, got, shown)
		}
	}
}
