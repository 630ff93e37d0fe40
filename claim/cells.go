package claim

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// MarshalJSON writes the table with two additional fields. "values" holds each cell of
// rows as a number, or null if the cell is not a number. "errors" holds the numbers after
// ±, and is left out if no cell has one. The cell 0.38 ± 0.02 has the value 0.38 and the
// error 0.02; 4.3 % has the value 0.043.
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
	e.SetEscapeHTML(false) // the encoder of the whole report decides whether to escape
	err := e.Encode(written)
	return []byte(b.String()), err
}

// decimals matches a number as tables print it, with or without thousands separators.
var decimals = regexp.MustCompile(`^[-+]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]+)?(e[-+]?[0-9]+)?$`)

// numberIn returns the number in a cell, or nil if the cell is not a number. A percentage
// is returned as a fraction: 4.3 % as 0.043.
func numberIn(cell string) *float64 {
	cell = strings.TrimSpace(strings.ReplaceAll(cell, "−", "-"))
	cell, percent := strings.CutSuffix(cell, "%")
	cell = strings.TrimSpace(cell)
	if !decimals.MatchString(cell) {
		return nil
	}
	cell = strings.ReplaceAll(cell, ",", "")
	if percent && !strings.Contains(cell, "e") {
		cell += "e-2" // an exponent is parsed exactly, but a division by 100 may round
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return nil
	}
	return &x
}
