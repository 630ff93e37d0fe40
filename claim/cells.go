package claim

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// MarshalJSON writes a table with, beside its rows as they are shown, values: the same
// rows with a number for each cell that is one, and null for any other. Of 0.38 ± 0.02
// values has 0.38 and errors, which is there if some cell has one, 0.02; of 4.3 % they
// have the share, 0.043.
func (t Table) MarshalJSON() ([]byte, error) {
	written := struct {
		Title   string       `json:"title"`
		Columns []string     `json:"columns"`
		Rows    [][]string   `json:"rows"`
		Values  [][]*float64 `json:"values"`
		Errors  [][]*float64 `json:"errors,omitempty"`
	}{Title: t.Title, Columns: t.Columns, Rows: t.Rows, Values: make([][]*float64, len(t.Rows))}
	errors, any := make([][]*float64, len(t.Rows)), false
	for i, row := range t.Rows {
		written.Values[i], errors[i] = make([]*float64, len(row)), make([]*float64, len(row))
		for j, cell := range row {
			value, deviation, both := strings.Cut(cell, "±")
			written.Values[i][j] = numberIn(value)
			if both {
				errors[i][j] = numberIn(deviation)
				any = true
			}
		}
	}
	if any {
		written.Errors = errors
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the ledger's encoder escapes again, or not
	err := e.Encode(written)
	return []byte(b.String()), err
}

// decimals are numbers as tables show them, with thousands in groups or not.
var decimals = regexp.MustCompile(`^[-+]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]+)?(e[-+]?[0-9]+)?$`)

// numberIn is the number that a cell is, as a share where that is in percent; nil if it
// is none.
func numberIn(cell string) *float64 {
	cell = strings.TrimSpace(strings.ReplaceAll(cell, "−", "-"))
	cell, percent := strings.CutSuffix(cell, "%")
	cell = strings.TrimSpace(cell)
	if !decimals.MatchString(cell) {
		return nil
	}
	cell = strings.ReplaceAll(cell, ",", "")
	if percent && !strings.Contains(cell, "e") {
		cell += "e-2" // to the nearest number, which a division may miss
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return nil
	}
	return &x
}
