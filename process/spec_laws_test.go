package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"foretell/internal/strict"
)

// A hidden Markov model's own specification makes it again, to the bit of its matrices;
// of any other process it is a name that only Go code can make.
func TestSpecOfMakesItAgain(t *testing.T) {
	for _, name := range []string{"mess3", "even", "rrxor", "moon"} {
		p := must(Build(name, nil))
		h := p.(*HMM)
		spec := SpecOf(p)
		if spec.ByCode() || spec.Name != h.name {
			t.Fatalf("%s: %+v", name, spec)
		}
		again := must(spec.HMM())
		for z := range h.matrices {
			if !slices.Equal(again.matrices[z], h.matrices[z]) {
				t.Errorf("%s: other matrices for token %d", name, z)
			}
		}
		text := must(spec.YAML())
		if read := must(Parse("spec.yaml", text)).(*HMM); !reflect.DeepEqual(read.matrices, again.matrices) || read.name != h.name {
			t.Errorf("%s: its file reads back to another process:\n%s", name, text)
		}
		if !slices.Equal(again.Tokens(), h.Tokens()) || !slices.Equal(again.States(), h.States()) || again.generalised != h.generalised {
			t.Errorf("%s: tokens %v, states %v", name, again.Tokens(), again.States())
		}
		spec.Matrices[spec.Tokens[0]][0][0] = 7 // a copy, which is not the process's
		if h.matrices[0][0] == 7 {
			t.Errorf("%s: its specification changes it", name)
		}
	}
	for _, name := range []string{"coin", "mess3_mixture"} { // the parts of a mixture do not reach each other
		p := must(Build(name, nil))
		spec := SpecOf(p)
		if !spec.ByCode() || spec.Name != "go:"+p.Name() || spec.Params["sha256"] != Fingerprint(p) {
			t.Errorf("%+v", spec)
		}
		if _, err := spec.Build(); err == nil {
			t.Errorf("%s, which Go code makes, is built of its name", name)
		}
	}
	if _, err := (Spec{Name: "coin"}).HMM(); err == nil {
		t.Error("a coin is a hidden Markov model")
	}
	if _, err := (Spec{Name: "nothing"}).HMM(); err == nil {
		t.Error("nothing is a hidden Markov model")
	}
}

// The same process has the same fingerprint, and another one, another parameter, other
// names of tokens, and another recording or another part of it held out another.
func TestFingerprintsDiffer(t *testing.T) {
	record := []int32{0, 1, 1, 0, 2, 0, 1, 2, 2, 0, 1, 1}
	recording := func(tokens []string, change func([]int32)) *Recording {
		own := slices.Clone(record)
		change(own)
		return must(NewRecording("r", tokens, own))
	}
	abc, same := []string{"a", "b", "c"}, func([]int32) {}
	list := []func() Sampler{
		func() Sampler { return must(Build("mess3", nil)) },
		func() Sampler { return must(Build("mess3", Params{"x": 0.2})) },
		func() Sampler { return must(Build("golden_mean", nil)) },
		func() Sampler { return must(Build("even", nil)) },
		func() Sampler { return recording(abc, same) },
		func() Sampler { return recording([]string{"a", "b", "d"}, same) },
		func() Sampler { return recording([]string{"ab", "c", "d"}, same) },
		func() Sampler { return recording([]string{"a", "bc", "d"}, same) },
		func() Sampler { return recording(abc, func(r []int32) { r[len(r)-1] = 2 }) },
		func() Sampler { return must(recording(abc, same).HoldOut(0.3)) },
		func() Sampler { return must(recording(abc, same).HoldOut(0.4)) },
		func() Sampler { return must(recording(abc, same).WithLevels([]float64{1, 2, 3})) },
		func() Sampler { return must(recording(abc, same).WithLevels([]float64{1, 2, 4})) },
	}
	seen := map[string]int{}
	for i, p := range list {
		print := Fingerprint(p())
		if other := Fingerprint(p()); other != print || len(print) != 64 {
			t.Errorf("process %d has the fingerprints %s and %s", i, print, other)
		}
		if j, twice := seen[print]; twice {
			t.Errorf("processes %d and %d have one fingerprint", i, j)
		}
		seen[print] = i
	}
}

// Every part takes something, more of more states and of more tokens, at most as the
// fourth power, and a part that is not known takes nothing; what is quick is so by both
// bounds.
func TestEffortGrows(t *testing.T) {
	sized := func(n, a int) *HMM {
		return &HMM{states: make([]string, n), tokens: make([]string, a), matrices: make([][]float64, a)}
	}
	for _, part := range []Part{PartLinear, PartSpectrum, PartNotes, PartWords} {
		for _, size := range [][2]int{{2, 2}, {3, 7}, {20, 3}} {
			small := sized(size[0], size[1]).Effort(part)
			if !(small.Products > 0 && small.Bytes > 0) {
				t.Errorf("%s of %v takes %+v", part, size, small)
			}
			for _, larger := range [][2]int{{2 * size[0], size[1]}, {size[0], 2 * size[1]}} {
				e := sized(larger[0], larger[1]).Effort(part)
				if e.Products <= small.Products || e.Bytes < small.Bytes || e.Products > 16*small.Products || e.Bytes > 16*small.Bytes {
					t.Errorf("%s of %v takes %+v, of %v %+v", part, size, small, larger, e)
				}
			}
			both := sized(2*size[0], 2*size[1]).Effort(part)
			if both.Products < 7.99*small.Products || both.Products > 16.01*small.Products || both.Bytes < 3.99*small.Bytes {
				t.Errorf("%s of twice %v takes %+v, not about %+v many times", part, size, both, small)
			}
		}
	}
	if e := sized(3, 3).Effort("nothing"); e != (Effort{}) {
		t.Errorf("nothing takes %+v", e)
	}
	if e := sized(MostSpectral+1, 2).Effort(PartSpectrum); e != (Effort{}) {
		t.Errorf("a spectrum that is refused takes %+v", e)
	}
	if e := sized(MostSpectral, 2).Effort(PartSpectrum); e == (Effort{}) {
		t.Error("a spectrum that is not refused takes nothing")
	}
	// A step of the filter of one state and one token: eight products, two, and two times
	// two.
	if e := sized(1, 1).Effort(PartWords); e.Products != 8+2+4 || e.Bytes != 8*(6+4+4) {
		t.Errorf("the smallest step takes %+v", e)
	}
	for e, quick := range map[Effort]bool{
		{}: true, {QuickProducts, quickBytes}: true, {QuickProducts + 1, 0}: false, {0, quickBytes + 1}: false,
	} {
		if e.Quick() != quick {
			t.Errorf("%+v is quick: %v", e, !quick)
		}
	}
}

// A specification in plain words is the same process, of numbers that are float64 all the
// way down, and what it was made of is as it was.
func TestPlainSpecs(t *testing.T) {
	inner := Spec{Name: "mess3", Params: Params{"x": 1}}
	s := Spec{Name: "factored", Params: Params{
		"first": inner, "list": []Spec{inner, {Name: "coin", Params: Params{}}}, "n": 3, "text": "a", "y": 0.5,
	}}
	plain := s.Plain()
	want := Params{
		"first": Spec{Name: "mess3", Params: Params{"x": 1.0}},
		"list":  []Spec{{Name: "mess3", Params: Params{"x": 1.0}}, {Name: "coin"}}, "n": 3.0, "text": "a", "y": 0.5,
	}
	if !reflect.DeepEqual(plain.Params, want) {
		t.Errorf("%#v, want %#v", plain.Params, want)
	}
	if inner.Params["x"] != 1 || s.Params["n"] != 3 || s.Params["list"].([]Spec)[0].Params["x"] != 1 {
		t.Errorf("plain words have changed %#v", s)
	}
	if p := (Spec{Name: "coin", Params: Params{}}).Plain(); p.Params != nil {
		t.Errorf("no parameters are %#v", p.Params)
	}
}

// What names a file is no entry of the catalogue, what defines a process is not either.
func TestEntriesOfSpecs(t *testing.T) {
	for name, file := range map[string]bool{
		"mess3": false, "a/b": true, `a\b`: true, "a.yaml": true, "a.yml": true, "a.csv": true, "a.json": false, "yaml": false,
	} {
		if IsFile(name) != file {
			t.Errorf("%q names a file: %v", name, !file)
		}
		if entry, ok := (Spec{Name: name}).Entry(); ok != (name == "mess3") || ok && entry.Name != name {
			t.Errorf("%q is the entry %q: %v", name, entry.Name, ok)
		}
	}
	for what, d := range map[string]Definition{
		"states": {States: []string{"A"}}, "tokens": {Tokens: []string{"z"}}, "transitions": {Transitions: []Transition{}},
		"matrices": {Matrices: map[string][][]float64{}}, "right": {Right: []float64{1}},
	} {
		s := Spec{Name: "mess3", Definition: d}
		if _, ok := s.Entry(); ok {
			t.Errorf("with %s of its own it is an entry", what)
		}
		s.Name = "go:mine"
		if s.ByCode() {
			t.Errorf("with %s of its own it is made by Go code", what)
		}
		if _, err := (Spec{Definition: d}).Build(); err == nil {
			t.Errorf("%s without a name make a process", what)
		}
		s.Params = Params{"x": 1.0}
		if _, err := s.Build(); err == nil {
			t.Errorf("%s beside parameters make a process", what)
		}
	}
	for _, name := range []string{"", "nothing", "a/b.yaml", "go:mine"} {
		if _, err := (Spec{Name: name}).Build(); err == nil {
			t.Errorf("%q makes a process", name)
		}
	}
}

// A file is loaded as its text is parsed, and its errors are those of the text; one that
// is not there, or that is a table of numbers, is an error.
func TestLoadIsParse(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{
		lazy, "name: mess3\n", "name: mess3\nparams: {x: 2}\n", "name: [", "nome: mess3\n", "", "mess3", "a: 1\na: 2\n", "name: nothing\n",
	} {
		path := filepath.Join(dir, fmt.Sprintf("%d.yaml", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, gotErr := Load(path)
		want, wantErr := Parse(path, []byte(text))
		if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || (got == nil) != (want == nil) || (gotErr == nil) == (got == nil) {
			t.Errorf("%q: loaded %v (%v), parsed %v (%v)", text, got, gotErr, want, wantErr)
		}
	}
	for _, path := range []string{filepath.Join(dir, "none.yaml"), dir} {
		if _, err := Load(path); err == nil {
			t.Errorf("%s is loaded", path)
		}
	}
	for _, name := range []string{"table.csv", "TABLE.CSV"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("name: mess3\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil {
			t.Errorf("%s is YAML", name)
		}
	}
}

// A value may be in a file, as JSON or, for a list, as a table of numbers. It means the
// same as the value itself.
func TestValuesInFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	number := Param{Name: "x", Default: 0.5}
	list := Param{Name: "list", Default: []float64{1}}
	matrix := Param{Name: "P", Default: [][]float64{{1}}}
	for _, test := range []struct {
		param      Param
		name, text string
		same       string // what says it without a file, "" for an error
	}{
		{number, "number.json", " 0.25\n", "0.25"},
		{matrix, "matrix.json", "[[0.5,\t0.5],\n [1, 0]]", "[[0.5,0.5],[1,0]]"},
		{list, "list.csv", "1\n2.5\n-3\n", "[1,2.5,-3]"},
		{number, "bad.json", "0.25 0.5", ""},
		{matrix, "open.json", "[[0.5", ""},
		{list, "words.csv", "1\ntwo\n", ""},
	} {
		got, err := test.param.parse("here", "@"+file(test.name, test.text))
		if test.same == "" {
			if err == nil {
				t.Errorf("%s is %v", test.name, got)
			}
			continue
		}
		want := must(test.param.parse("here", test.same))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %v (%v), want %v", test.name, got, err, want)
		}
	}
	for _, param := range []Param{number, list, matrix} {
		if got, err := param.parse("here", "@"+filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("no file is %v (%v)", got, err)
		}
	}
}

// A configuration has room for numbers of as many bytes as a document may have, less what
// else stands there.
func TestRoomOfConfigurations(t *testing.T) {
	const x, size = -1.2345678901234567e-100, 26 // bytes, with a comma and a blank
	n := (strict.MaxBytes - 1<<16) / size
	list := slices.Repeat([]float64{x}, n)
	if text, err := json.Marshal(list[:100]); err != nil || len(text) != 100*(size-1)+1 {
		t.Fatalf("100 numbers take %d bytes (%v)", len(text), err)
	}
	if err := fitsConfiguration("f", list); err != nil {
		t.Errorf("%d numbers: %v", n, err)
	}
	if err := fitsConfiguration("f", append(list, x)); err == nil {
		t.Errorf("%d numbers have room", n+1)
	}
}

// Leaky mixtures have equal weights and two components or more, each with an x and an a
// in range, and a leak below 1.
func TestMixturesRefuse(t *testing.T) {
	x, a := []float64{0.1, 0.2}, []float64{0.6, 0.8}
	for what, params := range map[string]Params{
		"an a too few":       {"x": x, "a": a[:1]},
		"an x too few":       {"x": x[:1], "a": a},
		"an x out of range":  {"x": []float64{0.1, 0.7}, "a": a},
		"a leak of 1":        {"x": x, "a": a, "epsilon": 1.0},
		"a leak below 0":     {"x": x, "a": a, "epsilon": -0.1},
		"weights that leak":  {"x": x, "a": a, "epsilon": 0.1, "weights": []float64{0.4, 0.6}},
		"a weight too few":   {"x": x, "a": a, "epsilon": 0.1, "weights": []float64{1}},
		"one that leaks":     {"x": x[:1], "a": a[:1], "epsilon": 0.1, "weights": []float64{1}},
		"weights below zero": {"x": x, "a": a, "weights": []float64{-1, 2}},
	} {
		if _, err := Build("mess3_mixture", params); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for what, params := range map[string]Params{
		"two":            {"x": x, "a": a, "weights": []float64{0.25, 0.75}},
		"two that leak":  {"x": x, "a": a, "epsilon": 0.1, "weights": []float64{0.5, 0.5}},
		"one on its own": {"x": x[:1], "a": a[:1], "weights": []float64{1}},
	} {
		if _, err := Build("mess3_mixture", params); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := checkLeading([]float64{0, 1, -1, 0}, 2); err == nil {
		t.Error("a rotation has a leading eigenvalue that is real")
	}
	if err := checkLeading([]float64{-2, 0, 0, 1}, 2); err == nil {
		t.Error("−2 leads 1 and is taken")
	}
	if err := checkLeading([]float64{2, math.Pi, 0, -1}, 2); err != nil {
		t.Errorf("2 leads −1: %v", err)
	}
}
