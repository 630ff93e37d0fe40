package probe

import (
	"testing"

	"foretell/internal/panics"
)

// A table has rows, all of one width, and as many as are asked for: else a panic says
// what it has.
func TestTableIsChecked(t *testing.T) {
	for _, c := range []struct {
		table Table
		rows  int
		want  string // of the panic
	}{
		{Table{Data: []float64{1, 2}, Width: 1}, 2, ""},
		{Table{Data: []float64{1, 2}, Width: 1}, -1, ""},
		{Table{Data: []float64{1, 2}, Width: 2}, 1, ""},
		{Table{Data: []float64{1, 2}, Width: 2}, 2, "probe: x has 1 rows, not 2"},
		{Table{Data: []float64{1, 2}, Width: 2}, 0, "probe: x has 1 rows, not 0"},
		{Table{Data: []float64{1, 2}, Width: 3}, -1, "probe: x is a table of 2 numbers in rows of 3, want at least one full row"},
		{Table{Data: []float64{1, 2}}, -1, "probe: x is a table of 2 numbers in rows of 0, want at least one full row"},
		{Table{Data: []float64{1, 2}, Width: -1}, -1, "probe: x is a table of 2 numbers in rows of -1, want at least one full row"},
		{Table{Width: 1}, -1, "probe: x is a table of 0 numbers in rows of 1, want at least one full row"},
	} {
		if got := panics.Text(func() { c.table.check("x", c.rows) }); got != c.want {
			t.Errorf("%+v, %d rows: %q, want %q", c.table, c.rows, got, c.want)
		}
	}
}
