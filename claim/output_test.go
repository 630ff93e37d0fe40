package claim_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

// drawing tests a row that only draws.
func drawing(t *testing.T, dir string, draw func(*claim.Output)) (claim.Claim, error) {
	t.Helper()
	steps := claim.Steps[int]{
		Measure: func(context.Context, *claim.Study) (int, error) { return 0, nil },
		Judge:   func(int) claim.Finding { return claim.Finding{Verdict: claim.Holds, Obtained: "it"} },
		Draw:    func(_ int, out *claim.Output) { draw(out) },
	}
	s := &claim.Study{Out: dir, Workers: 1}
	claims, err := s.Reproduce(t.Context(), []claim.Row{{ID: "A", Test: steps.Test}})
	if err != nil {
		return claim.Claim{}, err
	}
	return claims[0], nil
}

func line(y float64) *figure.Figure {
	series := figure.Series{X: []float64{0, 1}, Y: []float64{0, y}}
	return figure.Single("A line", "A line.", figure.Chart{Series: []figure.Series{series}})
}

// What a row draws lies where its claim says, in the order in which it was drawn.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	c, err := drawing(t, dir, func(out *claim.Output) {
		out.Captioned("one", "first", line(1))
		out.CSV("numbers", document.Numbers([]string{"a", "b"}, [][]float64{{1, 0.5}, {1e-9, -2}}))
		out.Captioned("two", "second", line(2))
		out.Arrays("arrays", []claim.Array{{Name: "x", Shape: []int{2}, Data: []float32{1, 2}}})
		out.File("notes.txt", []byte("a note"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(c.Figures), "[figures/A-one.svg figures/A-two.svg]"; got != want {
		t.Errorf("figures %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(c.Captions), "[first second]"; got != want {
		t.Errorf("captions %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(c.Data), "[data/A-numbers.csv data/A-arrays.npz data/A-notes.txt]"; got != want {
		t.Errorf("data %s, want %s", got, want)
	}
	for _, path := range slices.Concat(c.Figures, c.Data) {
		if info, err := os.Stat(filepath.Join(dir, path)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "data/A-numbers.csv"))
	if want := "a,b\n1,0.5\n1e-09,-2\n"; string(text) != want || err != nil {
		t.Errorf("%q, want %q; %v", text, want, err)
	}
}

// The codes of a column are those of the CSV file written last, and of no other column.
func TestCodes(t *testing.T) {
	c, err := drawing(t, t.TempDir(), func(out *claim.Output) {
		out.CSV("before", document.Numbers([]string{"stage", "r2"}, [][]float64{{0, 0.5}}))
		out.CSV("numbers", document.Numbers([]string{"r2", "stage"}, [][]float64{{0.5, 1}}))
		out.Codes("stage", "embed", "mid")
	})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, file := range c.Contents {
		for _, column := range file.Columns {
			codes = append(codes, fmt.Sprint(column.Name, column.Codes))
		}
	}
	if got, want := fmt.Sprint(codes), "[stage[] r2[] r2[] stage[embed mid]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The first error is the row's, and nothing is written after it.
func TestOutputKeepsItsFirstError(t *testing.T) {
	for what, wrong := range map[string]func(*claim.Output){
		"a row of another length": func(out *claim.Output) { out.CSV("x", document.Numbers([]string{"a"}, [][]float64{{1, 2}})) },
		"a figure of nothing":     func(out *claim.Output) { out.Captioned("x", "x", &figure.Figure{}) },
		"a folder that is not":    func(out *claim.Output) { out.File("x/y/z.txt", nil) },
	} {
		dir := t.TempDir()
		var first error
		for _, more := range []func(*claim.Output){
			func(*claim.Output) {},
			func(out *claim.Output) {
				out.CSV("later", document.Numbers([]string{"a", "b", "c"}, [][]float64{{1}}))
				out.Captioned("later", "later", line(1))
				out.CSV("later", document.Numbers([]string{"a"}, [][]float64{{1}}))
				out.Arrays("later", []claim.Array{{Name: "x", Shape: []int{1}, Data: []float64{1}}})
			},
		} {
			_, err := drawing(t, dir, func(out *claim.Output) {
				wrong(out)
				more(out)
			})
			if err == nil || first != nil && err.Error() != first.Error() {
				t.Errorf("%s: %v, and then %v", what, first, err)
			}
			first = err
		}
		for path := range contents(t, dir) {
			t.Errorf("%s: %s was written", what, path)
		}
	}
}
