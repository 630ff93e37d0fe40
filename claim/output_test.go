package claim_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
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
		f := document.Frame{Columns: document.Named("a", "b")}
		f.Row(1, 0.5)
		f.Row(1e-9, -2)
		out.CSV("numbers", f)
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

// A column of a file has the meaning and the codes of its frame, or else the meaning in
// the document's glossary. The figure has its caption from the row's texts.
func TestOutputDescribesItsFiles(t *testing.T) {
	row := claim.Row{
		ID: "A", Captions: map[string]string{"one": "what to look for"},
		Glossary: claim.Glossary{"r2": "share of variance", "x": "an array"},
		Test: claim.Steps[int]{
			Measure: func(context.Context, *claim.Study) (int, error) { return 0, nil },
			Judge:   func(int) claim.Finding { return claim.Finding{Verdict: claim.Holds, Obtained: "it"} },
			Draw: func(_ int, out *claim.Output) {
				out.CSV("numbers", numbers([]float64{0, 0.5}, document.Column{Name: "stage", Meaning: "the stage", Codes: []string{"embed"}},
					document.Column{Name: "r2"}))
				out.Arrays("arrays", []claim.Array{{Name: "x", Shape: []int{1}, Data: []float64{1}}})
				out.Figure("one", line(1))
			},
		}.Test,
	}
	claims, err := (&claim.Study{Out: t.TempDir()}).Reproduce(t.Context(), []claim.Row{row})
	if err != nil {
		t.Fatal(err)
	}
	c := claims[0]
	const want = "[{data/A-numbers.csv 1 [{stage the stage [embed]} {r2 share of variance []}] []} " +
		"{data/A-arrays.npz 0 [] [{x [1] float64 an array}]}] [what to look for]"
	if got := fmt.Sprint(c.Contents, c.Captions); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// numbers is a frame of one row.
func numbers(row []float64, columns ...document.Column) document.Frame {
	f := document.Frame{Columns: columns}
	cells := make([]any, len(row))
	for i, x := range row {
		cells[i] = x
	}
	f.Row(cells...)
	return f
}

// The first error is the row's, and nothing is written after it.
func TestOutputKeepsItsFirstError(t *testing.T) {
	for what, wrong := range map[string]func(*claim.Output){
		"a text in a data file": func(out *claim.Output) {
			out.CSV("x", document.Frame{Columns: document.Named("a"), Rows: [][]any{{"text"}}})
		},
		"a figure without a caption": func(out *claim.Output) { out.Figure("x", line(1)) },
		"a figure of nothing":        func(out *claim.Output) { out.Captioned("x", "x", &figure.Figure{}) },
		"a folder that is not":       func(out *claim.Output) { out.File("x/y/z.txt", nil) },
	} {
		dir := t.TempDir()
		var first error
		for _, more := range []func(*claim.Output){
			func(*claim.Output) {},
			func(out *claim.Output) {
				out.CSV("later", document.Frame{Columns: document.Named("a"), Rows: [][]any{{"text"}}})
				out.Captioned("later", "later", line(1))
				out.CSV("later", numbers([]float64{1}, document.Named("a")...))
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
		for path := range claimtest.Contents(t, dir) {
			t.Errorf("%s: %s was written", what, path)
		}
	}
}
