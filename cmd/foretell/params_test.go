package main

import (
	"fmt"
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
	if want := "--param lag:1:1: sequence end token ']' not found"; fmt.Sprint(err) != want {
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
