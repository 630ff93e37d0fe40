package report

import (
	"strings"
	"testing"

	"foretell/document"

	"pgregory.net/rapid"
)

func TestColumnKinds(t *testing.T) {
	for _, c := range []struct {
		cells string // separated by semicolons
		want  columnKind
	}{
		{"0.5;0.125;–;12", columnKind{true, true, 3}},
		{"1;2;3", columnKind{true, true, 0}},
		{"−0.5;+0.25", columnKind{true, true, 2}},
		{"1.2e-4;3e-5", columnKind{numerical: true}},
		{"0.98 ± 0.01;1.2 × 10⁻⁴;12 %;≤ 3", columnKind{numerical: true}},
		{"0.5;good", columnKind{}},
		{"–;;—", columnKind{}},
		{"0.5;LN", columnKind{}},
	} {
		table := document.Table{Columns: []string{"name", "value"}}
		for _, cell := range strings.Split(c.cells, ";") {
			table.Rows = append(table.Rows, []string{"a", cell})
		}
		got := columnKinds(table)
		if !c.want.decimal {
			got[1].places = 0 // means nothing then
		}
		if got[0].numerical || got[1] != c.want {
			t.Errorf("%s: %+v, want %+v", c.cells, got, c.want)
		}
	}
}

// TestLabelsStayLeft checks that the first column is aligned by its numbers only if they
// are plain ones.
func TestLabelsStayLeft(t *testing.T) {
	kinds := columnKinds(document.Table{Columns: []string{"x, α"}, Rows: [][]string{{"0.15, 0.6"}, {"0.5, 0.6"}}})
	if kinds[0] != (columnKind{}) {
		t.Errorf("labels are %+v", kinds[0])
	}
	kinds = columnKinds(document.Table{Columns: []string{"position"}, Rows: [][]string{{"9"}, {"10"}}})
	if !kinds[0].numerical {
		t.Error("numbered rows are not aligned")
	}
}

// TestPad checks that the decimal points of a column stand in one place.
func TestPad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[+−-]?[0-9]{1,4}(\.[0-9]{0,5})?`), 1, 8).Draw(t, "values")
		kind := kindOf(values)
		if !kind.decimal {
			t.Fatalf("%q is not a column of decimals", values)
		}
		for _, v := range values {
			full := v + kind.pad(v)
			after := 0
			if at := strings.IndexByte(full, '.'); at >= 0 {
				after = len(full) - at - 1
			}
			if after != kind.places {
				t.Fatalf("%q is padded to %q, want %d places", v, full, kind.places)
			}
		}
	})
}
