package describe

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"testing"

	"foretell/process"
)

// Names that a spreadsheet would take for formulas are written as they are, in every
// table that has names, and each cell of a number reads back.
func TestCSVWritesNamesAsTheyAre(t *testing.T) {
	tokens, states := []string{"=1+1", "+a", "-b"}, []string{"@s", "=t"}
	third := [][]float64{{1. / 6, 1. / 6}, {1. / 6, 1. / 6}}
	p, err := process.New("=mine", tokens, states, [][][]float64{third, third, third})
	if err != nil {
		t.Fatal(err)
	}
	s := Subject{Process: p}
	trace, err := Beliefs(t.Context(), Subject{Process: p}, []int32{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	sample := Sample{Subject: Subject{Process: p}, Number: 4, Length: 16, Seed: 1}
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  []string
	}{
		"process show":    {func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".csv") }, append(slices.Clone(tokens), states...)},
		"process sample":  {func(w io.Writer) error { return sample.writeCSV(t.Context(), w) }, tokens},
		"process beliefs": {func(w io.Writer) error { return trace.Forms().Write(w, ".csv") }, append([]string{"belief_@s"}, tokens...)},
	} {
		var out bytes.Buffer
		if err := c.write(&out); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cells := slices.Concat(rows...)
		for _, want := range c.want {
			if !slices.Contains(cells, want) {
				t.Errorf("%s writes no cell %q", name, want)
			}
		}
	}
}
