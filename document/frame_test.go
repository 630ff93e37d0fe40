package document

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/panics"

	"pgregory.net/rapid"
)

// measured is a frame with each kind of cell.
func measured() Frame {
	f := Frame{Title: "heads", Columns: []Column{
		{Name: "heads", Heading: "heads"},
		{Heading: "model"},
		{Name: "kind", Heading: "kind", Codes: []string{"none", "rotary"}},
		{Name: "kl", Heading: "KL", Format: "%.2f", Deviation: "%.0e"},
		{Name: "missed", Heading: "missed", Format: "%.1f %%"},
		{Name: "seed"},
	}}
	f.Row(1, "first", 0, Spread{0.384, 0.0201}, 0.0431, uint64(7))
	f.Row(2, "second", 1, Formatted{"%.1e", 0.25}, math.NaN(), uint64(8))
	f.Row(2, "–", true, math.Inf(1), "not measured", uint64(9))
	return f
}

// A table shows the columns with a heading, each number in its format; its values are the
// unrounded numbers.
func TestFrameTable(t *testing.T) {
	got, err := json.Marshal(measured().Table())
	want := `{"title":"heads","columns":["heads","model","kind","KL","missed"],` +
		`"rows":[["1","first","none","0.38 ± 2e-02","4.3 %"],["2","second","rotary","2.5e-01","NaN %"],` +
		`["2","–","rotary","+Inf","not measured"]],` +
		`"values":[[1,null,null,0.384,0.0431],[2,null,null,0.25,null],[2,null,null,null,null]],` +
		`"errors":[[null,null,null,0.0201,null],[null,null,null,null,null],[null,null,null,null,null]]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// A single number has no deviation, in the text or in the values.
func TestSpreadOfOne(t *testing.T) {
	f := Frame{Columns: Headed("%.1f", "KL")}
	f.Row(Spread{0.5, math.NaN()})
	if table := f.Table(); table.Rows[0][0] != "0.5" || table.Errors != nil {
		t.Errorf("%+v", table)
	}
}

// A column of a table may have no heading, as the first one often does.
func TestFrameWithoutHeading(t *testing.T) {
	f := Frame{Columns: slices.Concat(Headed("%.1f", "", "KL"), Named("seed"))}
	f.Row("corrected", 0.5, 1)
	table := f.Table()
	if !slices.Equal(table.Columns, []string{"", "KL"}) || !slices.Equal(table.Rows[0], []string{"corrected", "0.5"}) {
		t.Errorf("%+v", table)
	}
	if text, err := f.CSV(-1); err != nil || string(text) != "seed\n1\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A CSV file has the columns with a name, and numbers in place of codes.
func TestFrameCSV(t *testing.T) {
	got, err := measured().CSV(-1)
	want := "heads,kind,kl,missed,seed\n1,0,0.384,0.0431,7\n2,1,0.25,NaN,8\n2,1,+Inf,not measured,9\n"
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// Every number reads back from CSV as it was given.
func TestFrameCSVIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		f := Frame{Columns: Named("x")}
		f.Row(x)
		text, err := f.CSV(-1)
		if err != nil {
			t.Fatal(err)
		}
		_, cell, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		if got, err := strconv.ParseFloat(cell, 64); err != nil || got != x && !math.IsNaN(x) {
			t.Errorf("%g reads back as %g (%v)", x, got, err)
		}
	})
}

// A row that does not fit the columns panics, and so does a cell of another type.
func TestRowPanics(t *testing.T) {
	for _, cells := range [][]any{{1.0}, {1.0, 2.0, 3.0}, {1.0, []float64{2}}, {1.0, nil}} {
		if !panics.Does(func() {
			f := Frame{Columns: Named("a", "b")}
			f.Row(cells...)
		}) {
			t.Errorf("%v is a row", cells)
		}
	}
}

// A table of texts has no values.
func TestTexts(t *testing.T) {
	table := Texts("misprints", []string{"where", "printed"}, []string{"Eq. 8", "1"}, []string{"Eq. 9", "2"})
	for i, row := range table.Rows {
		for j := range row {
			if table.Values[i][j] != nil {
				t.Errorf("cell %d, %d has a value", i, j)
			}
		}
	}
}

// A number with a given text has the text in tables and the number elsewhere.
func TestShown(t *testing.T) {
	f := Frame{Columns: []Column{{Name: "size", Heading: "size"}}}
	f.Row(Shown{"~1.5B", 1.5e9})
	csv, err := f.CSV(-1)
	table := f.Table()
	if err != nil || table.Rows[0][0] != "~1.5B" || *table.Values[0][0] != 1.5e9 || string(csv) != "size\n1.5e+09\n" {
		t.Errorf("%v, %v, %q, %v", table.Rows, *table.Values[0][0], csv, err)
	}
}
