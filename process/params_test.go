package process

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"
)

// ofEachType are parameters of every type that there is.
var ofEachType = []Param{
	{"n", 3.0, "[1, 9]", "a number"},
	{"word", "ABC", "any", "a text"},
	{"lags", []float64{1}, "whole numbers", "a list"},
	{"P", [][]float64{{1}}, "rows", "a matrix"},
	{"source", Spec{Name: "mess3"}, "a process", "a process"},
	{"parts", []Spec{{Name: "even"}}, "processes", "a list of processes"},
}

// What a command line gives becomes a value of the parameter's type, whoever owns the
// parameter.
func TestResolveParams(t *testing.T) {
	given := Params{}
	for _, c := range []struct{ name, text string }{
		{"n", "7"},
		{"word", "[0, 1]"},
		{"lags", "[2, 5]"},
		{"P", "[[0.9, 0.1], [0, 1]]"},
		{"source", "even"},
		{"parts", "[z1r, {name: mess3, params: {x: 0.05}}]"},
	} {
		at := slices.IndexFunc(ofEachType, func(p Param) bool { return p.Name == c.name })
		var err error
		if given[c.name], err = ofEachType[at].Parse(c.name, c.text); err != nil {
			t.Fatal(err)
		}
	}
	p, err := ResolveParams("it", ofEachType, given)
	if err != nil {
		t.Fatal(err)
	}
	n, err := p.Whole("it", "n", 1, 9)
	if err != nil || n != 7 {
		t.Errorf("n is %d, %v", n, err)
	}
	lags, err := p.Wholes("it", "lags", 1, math.MaxInt)
	if err != nil || !slices.Equal(lags, []int{2, 5}) {
		t.Errorf("lags are %v, %v", lags, err)
	}
	if p.Text("word") != "[0, 1]" || !reflect.DeepEqual(p.Matrix("P"), [][]float64{{0.9, 0.1}, {0, 1}}) ||
		p.Spec("source").Name != "even" ||
		!reflect.DeepEqual(p.Specs("parts"), []Spec{{Name: "z1r"}, {Name: "mess3", Params: Params{"x": 0.05}}}) {
		t.Errorf("the parameters are %v", p)
	}
	p, err = ResolveParams("it", ofEachType, Params{"n": 2})
	if err != nil || p.Number("n") != 2 || !slices.Equal(p.List("lags"), []float64{1}) {
		t.Errorf("the parameters are %v, %v", p, err)
	}
}

// An error about a parameter begins with whose it is, and has its name in a FieldError.
func TestParamErrors(t *testing.T) {
	resolve := func(name string, v any) error {
		_, err := ResolveParams("it", ofEachType, Params{name: v})
		return err
	}
	whole := func(v float64, low, high int) error {
		_, err := Params{"n": v}.Whole("it", "n", low, high)
		return err
	}
	_, list := Params{"lags": []float64{1, 2.5}}.Wholes("it", "lags", 1, 8)
	for _, c := range []struct {
		err        error
		path, want string
	}{
		{resolve("n", "many"), "n", `it: n = "many" is not a number`},
		{resolve("word", 7.0), "word", "it: word = 7 is not a text; put a number in quotes"},
		{resolve("lags", 7.0), "lags", "it: lags = 7 is not a list of numbers, such as [0.5, 0.5]"},
		{resolve("P", []float64{1, 2}), "P", "it: P = [1, 2] is not a matrix by rows, such as [[0.9, 0.1], [0.5, 0.5]]"},
		{resolve("source", 1.0), "source", "it: source = 1 is not a process, such as mess3 or {name: mess3, params: {x: 0.05}}"},
		{resolve("parts", "even"), "parts", `it: parts = "even" is not a list of processes, such as [mess3, {name: mess3, params: {x: 0.05}}]`},
		{resolve("lag", 1.0), "", `it: unknown parameter "lag": did you mean "lags"?`},
		{whole(2.5, 1, 9), "n", "it: n = 2.5 is not a whole number in [1, 9]"},
		{whole(10, 1, 9), "n", "it: n = 10 is not a whole number in [1, 9]"},
		{whole(math.NaN(), math.MinInt, math.MaxInt), "n", "it: n = NaN is not a whole number"},
		{whole(1<<60, math.MinInt, math.MaxInt), "n", "it: n = 1.152921504606847e+18 is not a whole number"},
		{whole(-3, math.MinInt, math.MaxInt), "", "<nil>"},
		{list, "lags[1]", "it: lags[1] = 2.5 is not a whole number in [1, 8]"},
		{checkProbability("it", "p", 1.5), "p", "it: p = 1.5 is outside [0, 1]"},
	} {
		var field *FieldError
		if found := errors.As(c.err, &field); fmt.Sprint(c.err) != c.want || found != (c.path != "") || found && field.Path != c.path {
			t.Errorf("got  %v, about %+v\nwant %s, about %s", c.err, field, c.want, c.path)
		}
	}
}

// Values are read as a command line gives them, from files, too, and each once.
func TestParseParams(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.json", []byte("0.25\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	known := []Param{{Name: "x", Default: 1.0}, {Name: "mode", Default: ""}}
	got, err := ParseParams("given", known, []string{"x=@x.json", "mode=@x.json", "other=[1, 2]"}, "x=1")
	want := Params{"x": 0.25, "mode": "@x.json", "other": []float64{1, 2}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for list, want := range map[[2]string]string{
		{"x", ""}:          `given: "x" is not of the form name=value, such as x=1`,
		{"x=", ""}:         `given: "x=" is not of the form name=value, such as x=1`,
		{"x=1", "x=2"}:     "given: x is given twice",
		{"x=@nowhere", ""}: "given x: open nowhere: no such file or directory",
	} {
		given := slices.DeleteFunc(list[:], func(text string) bool { return text == "" })
		if _, err := ParseParams("given", known, given, "x=1"); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", list, err, want)
		}
	}
}
