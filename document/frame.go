package document

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/csvtable"
)

// Frame is a table of numbers with a description of each column. [Frame.Table] writes it
// for readers, [Frame.CSV] for programs.
type Frame struct {
	Title   string
	Columns []Column
	Rows    [][]any // for each row a cell for each column; see [Frame.Row]
}

// Column describes a column of a [Frame].
type Column struct {
	// Name is the column's name in CSV files, lower case with words joined by _. A column
	// without a name is not in CSV files.
	Name string
	// Heading is the column's name in tables. A column that has a name but no heading is not
	// in tables.
	Heading string
	// Format is how a table shows a number, such as "%.3f"; "%v" if empty. A format that
	// ends in %% shows 100 times the number.
	Format    string
	Deviation string // the format of the deviation in a [Spread]; Format if empty
	Meaning   string // with its unit; may be empty if the name is enough
	// Codes are the meanings of the column's integers, from 0 on, which a table shows in
	// place of the integers.
	Codes []string
	// Joined keeps the column next to the following one if a terminal is too narrow for the
	// table and shows it in parts.
	Joined bool
}

// Named returns columns that are in CSV files alone.
func Named(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

// Plain returns columns that have the same names in CSV files and in tables.
func Plain(names ...string) []Column {
	columns := Named(names...)
	for j := range columns {
		columns[j].Heading = names[j]
	}
	return columns
}

// Headed returns columns that are in tables alone and have the same format.
func Headed(format string, headings ...string) []Column {
	columns := make([]Column, len(headings))
	for i, heading := range headings {
		columns[i] = Column{Heading: heading, Format: format}
	}
	return columns
}

// Spread is a cell that a table shows as mean ± deviation, or as the mean alone if the
// deviation is NaN, which it is for a single number. In a CSV file it is the mean.
type Spread struct{ Mean, Deviation float64 }

// Formatted is a cell that a table shows in its own format in place of the column's.
type Formatted struct {
	Format string
	Value  float64
}

// Shown is a cell that a table shows as Text. In a CSV file it is Value, which is a
// number or a text.
type Shown struct {
	Text  string
	Value any
}

func (s Shown) String() string { return fmt.Sprint(s.Value) }

// Truth is a cell that is true or false, also in a CSV file.
type Truth bool

func (t Truth) String() string { return strconv.FormatBool(bool(t)) }

// Row adds a row, with one cell for each column. A cell is a number (an int, an int64, a
// uint64 or a float64), a bool, which is the number 0 or 1, a [Spread], a [Formatted]
// number, a [Shown] cell, a [Truth], or a text (a string or a [fmt.Stringer]), such as
// “–” for a missing number. A *float64 is the number to which it points, or an empty text
// if it is nil. Row panics if there are more or fewer cells than columns, or if a cell
// has another type.
func (f *Frame) Row(cells ...any) {
	if len(cells) != len(f.Columns) {
		panic(fmt.Sprintf("document: a row of %d cells in a frame of %d columns", len(cells), len(f.Columns)))
	}
	for j, c := range cells {
		cells[j] = known(c)
		number(cells[j]) // panics if it cannot be a cell
	}
	f.Rows = append(f.Rows, cells)
}

// known returns the number to which a *float64 points, or "" if it is nil. It returns any
// other cell as it is.
func known(cell any) any {
	switch c := cell.(type) {
	case *float64:
		if c == nil {
			return ""
		}
		return *c
	case Shown:
		return Shown{c.Text, known(c.Value)}
	}
	return cell
}

// number returns the number of a cell, and false if the cell is a text.
func number(cell any) (x float64, ok bool) {
	switch c := cell.(type) {
	case float64:
		return c, true
	case int:
		return float64(c), true
	case int64:
		return float64(c), true
	case uint64:
		return float64(c), true
	case bool:
		if c {
			return 1, true
		}
		return 0, true
	case Spread:
		return c.Mean, true
	case Formatted:
		return c.Value, true
	case Shown:
		return number(c.Value)
	case string, fmt.Stringer:
		return 0, false
	}
	panic(fmt.Sprintf("document: a cell of type %T", cell))
}

// text returns a cell as a table shows it.
func (c Column) text(cell any) string {
	if shown, ok := cell.(Shown); ok {
		return shown.Text
	}
	x, isNumber := number(cell)
	if !isNumber {
		return fmt.Sprint(cell)
	}
	switch of := cell.(type) {
	case Spread:
		if math.IsNaN(of.Deviation) {
			return format(c.Format, of.Mean)
		}
		return format(c.Format, of.Mean) + " ± " + format(cmp.Or(c.Deviation, c.Format), of.Deviation)
	case Formatted:
		return format(of.Format, of.Value)
	}
	switch {
	case c.Codes != nil:
		return c.Codes[int(x)]
	case c.Format == "":
		return exact(cell, x, -1)
	}
	return format(c.Format, x)
}

// exact returns a number with the given number of significant digits, or with all of them
// if it is a whole number or digits is −1.
func exact(cell any, x float64, digits int) string {
	switch cell.(type) {
	case int, int64, uint64:
		return fmt.Sprint(cell)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

// format formats a number. If the format ends in %%, it shows 100 times the number.
func format(verb string, x float64) string {
	if strings.HasSuffix(verb, "%%") {
		x *= 100
	}
	return fmt.Sprintf(verb, x)
}

// Number formats a number as a table does in a column with a format.
func Number(verb string, x float64) string { return format(verb, x) }

// Table returns the frame for readers.
func (f Frame) Table() Table {
	t := Table{Title: f.Title, Rows: make([][]string, len(f.Rows)), Values: make([][]*float64, len(f.Rows))}
	errors, any := make([][]*float64, len(f.Rows)), false
	for _, j := range f.shown() {
		c := f.Columns[j]
		t.Columns = append(t.Columns, c.Heading)
		if c.Joined {
			t.joined = append(t.joined, len(t.Columns))
		}
		for i, row := range f.Rows {
			value, deviation := c.values(row[j])
			t.Rows[i] = append(t.Rows[i], c.text(row[j]))
			t.Values[i] = append(t.Values[i], value)
			errors[i] = append(errors[i], deviation)
			any = any || deviation != nil
		}
	}
	if any {
		t.Errors = errors
	}
	return t
}

// shown returns the indices of the columns that are in tables.
func (f Frame) shown() (list []int) {
	for j, c := range f.Columns {
		if c.Heading != "" || c.Name == "" {
			list = append(list, j)
		}
	}
	return list
}

// values returns the number of a cell and, for a [Spread], its deviation. Either is nil
// for a text, or for a number that JSON cannot hold.
func (c Column) values(cell any) (value, deviation *float64) {
	x, ok := number(cell)
	if !ok || c.Codes != nil {
		return nil, nil
	}
	if spread, ok := cell.(Spread); ok {
		deviation = finite(spread.Deviation)
	}
	return finite(x), deviation
}

// finite returns a pointer to a number, or nil if it is NaN or infinite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Textual reports whether a cell of column j is a text.
func (f Frame) Textual(j int) bool {
	return slices.ContainsFunc(f.Rows, func(row []any) bool {
		_, ok := number(row[j])
		return !ok
	})
}

// CSV returns the columns that have a name as CSV. Numbers have the given number of
// significant digits; −1 stands for enough digits to read back the same number.
func (f Frame) CSV(digits int) ([]byte, error) {
	var text bytes.Buffer
	var named []int // indices of columns
	var line []string
	for j, c := range f.Columns {
		if c.Name != "" {
			named = append(named, j)
			line = append(line, c.Name)
		}
	}
	w := csvtable.NewWriter(&text)
	_ = w.Write(line) // see Error below
	for _, row := range f.Rows {
		line = line[:0]
		for _, j := range named {
			if x, ok := number(row[j]); ok {
				line = append(line, exact(row[j], x, digits))
			} else {
				line = append(line, fmt.Sprint(row[j]))
			}
		}
		_ = w.Write(line)
	}
	w.Flush()
	return text.Bytes(), w.Error()
}
