package datafile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/decimal"
	"foretell/internal/text"
)

// A Table reads the lines of a table one by one. Its columns are separated by semicolons,
// tabs, commas or blanks; cells may be quoted as in CSV.
type Table struct {
	Source string // the file's name in errors
	Line   int    // line of the last row, counted from 1
	rows   *csv.Reader
	row    []string // the row that follows the empty lines before it
	below  int      // the line where the next row must begin
	lines  int      // number of lines of the file
	width  int      // columns of the first row
	err    error    // of the row that follows the empty lines
}

// noSeparator is used as the separator for a table with only one column. It does not
// occur in such a table.
const noSeparator = '\x1f'

// NewTable returns the table in the contents of a file, which [Text] has prepared.
func NewTable(source string, data []byte) *Table {
	data = bytes.TrimSuffix(data, []byte("\n"))
	t := &Table{Source: source, below: 1, rows: csv.NewReader(bytes.NewReader(data))}
	if len(data) > 0 {
		t.lines = 1 + bytes.Count(data, []byte("\n"))
	}
	t.rows.Comma = separatorOf(data)
	t.rows.TrimLeadingSpace = t.rows.Comma != '\t' // a leading tab is an empty cell, not a blank to trim
	t.rows.FieldsPerRecord = -1
	t.rows.ReuseRecord = true
	return t
}

// Text returns the text in the contents of a file, without a byte order mark and with
// lines that end in \n. It changes data. The error says that the file is not UTF-8, and
// where.
func Text(source string, data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // a byte order mark
	if isUTF16(data) {
		return nil, fmt.Errorf("%s is UTF-16; save it as UTF-8", source)
	}
	if bytes.IndexByte(data[:min(len(data), 4096)], 0) >= 0 {
		return nil, fmt.Errorf("%s is not text; want numbers in columns, or a JSON list", source)
	}
	if !utf8.Valid(data) {
		at := 0
		for r, size := utf8.DecodeRune(data); r != utf8.RuneError || size > 1; r, size = utf8.DecodeRune(data[at:]) {
			at += size
		}
		return nil, fmt.Errorf("%s:%d: byte 0x%02x is not UTF-8; save the file as UTF-8 (it may be Latin-1)",
			source, 1+bytes.Count(data[:at], []byte("\n")), data[at])
	}
	return unixLines(data), nil
}

// isUTF16 reports whether data begin with a byte order mark of UTF-16, or with two
// characters of ASCII in it.
func isUTF16(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	return data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff ||
		data[0] == 0 && data[2] == 0 && data[1] != 0 && data[3] != 0 ||
		data[1] == 0 && data[3] == 0 && data[0] != 0 && data[2] != 0
}

// unixLines replaces \r\n and \r by \n, in place.
func unixLines(data []byte) []byte {
	at := bytes.IndexByte(data, '\r')
	if at < 0 {
		return data
	}
	kept := data[:at]
	for i := at; i < len(data); i++ {
		switch {
		case data[i] != '\r':
			kept = append(kept, data[i])
		case i+1 == len(data) || data[i+1] != '\n':
			kept = append(kept, '\n')
		}
	}
	return kept
}

// separatorOf returns the separator of a table's columns: the one in the second line,
// since the first may be a heading in prose.
func separatorOf(data []byte) rune {
	first, below, _ := bytes.Cut(data, []byte("\n"))
	second, _, several := bytes.Cut(below, []byte("\n"))
	if !several && len(below) == 0 {
		second = first
	}
	second = bytes.Trim(second, " \"") // a tab at either end separates an empty cell
	for _, by := range ";\t, " {       // comma after ; and tab, because it may be a decimal comma
		if bytes.ContainsRune(second, by) {
			return by
		}
	}
	return noSeparator
}

// Next returns the cells of the next line, without blanks around them, and sets Line; an
// empty line yields no cells. The cells are valid until the next call. The error is
// io.EOF after the last line, and says otherwise which line is malformed, or has another
// number of cells than the first row.
func (t *Table) Next() ([]string, error) {
	if t.row == nil && t.err == nil {
		t.read()
	}
	begin := t.lines + 1
	if t.err == nil {
		begin, _ = t.rows.FieldPos(0)
	}
	if t.err != nil && !atEnd(t.err) {
		return nil, t.err
	}
	if begin > t.below { // package csv skips empty lines
		t.Line = t.below
		t.below++
		return nil, nil
	}
	if t.err != nil {
		return nil, t.err
	}
	row := t.row
	t.row, t.Line, t.below = nil, begin, begin+1
	for i, cell := range row {
		if strings.Contains(cell, "\n") {
			t.below += strings.Count(cell, "\n")
		}
		row[i] = strings.TrimSpace(cell)
	}
	if t.width == 0 {
		t.width = len(row)
	}
	if len(row) != t.width {
		return nil, fmt.Errorf("%s:%d: %d columns, but %d in line 1; want the same number in every line",
			t.Source, t.Line, len(row), t.width)
	}
	return row, nil
}

// read reads the next row of package csv.
func (t *Table) read() {
	t.row, t.err = t.rows.Read()
	var malformed *csv.ParseError
	if errors.As(t.err, &malformed) {
		t.err = fmt.Errorf("%s:%d: %w", t.Source, malformed.Line, malformed.Err)
	}
}

// IsName reports whether the choice of a column is a name, so that the first line is the
// heading; otherwise it is a number, or empty.
func IsName(choice string) bool {
	_, err := strconv.Atoi(choice)
	return choice != "" && err != nil
}

// find returns the index of the column of a choice, which is a number from 1 or a name in
// the first row; empty chooses the only column. The error names the columns, and a
// choice that would do.
func (t *Table) find(choice string, first []string) (int, error) {
	if choice == "" && len(first) == 1 {
		return 0, nil
	}
	if n, err := strconv.Atoi(choice); err == nil && n >= 1 && n <= len(first) {
		return n - 1, nil
	}
	at := slices.Index(first, choice)
	switch {
	case !IsName(choice) || at < 0:
		return 0, t.noColumn(choice, first)
	case slices.Contains(first[at+1:], choice):
		return 0, fmt.Errorf("%s:%d: two columns are named %q; choose one by its number, such as @%s:%d",
			t.Source, t.Line, choice, t.Source, at+1)
	}
	return at, nil
}

// longestCell bounds the characters of a line or cell in an error.
const longestCell = 40

// noColumn returns the error for a table whose first line lacks the chosen column.
func (t *Table) noColumn(choice string, row []string) error {
	example := "1"
	if len(row) > 1 {
		example = "2" // the first column is often the time
		switch name := row[1]; {
		case decimal.IsNumber(row[0]) && !decimal.IsNumber(name):
			example = "1"
		case IsHeading(name) && strings.IndexFunc(name, isNotPlain) < 0:
			example = name
		}
	}
	which := ""
	if choice != "" {
		which = fmt.Sprintf(", and none is %q", choice)
	}
	return fmt.Errorf("%s:%d: the line has %s%s: %s; choose one, such as @%s:%s", t.Source, t.Line,
		text.Count(len(row), "column"), which, text.Start(strings.Join(row, ", "), longestCell), t.Source, example)
}

// isNotPlain reports whether a character may have a special meaning in a shell.
func isNotPlain(r rune) bool {
	plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	return !plain
}

var (
	missingTexts  = []string{"", "nan", "na", "n/a", "null", "none", "nil", "missing"}
	infiniteTexts = []string{"inf", "infinity"}
)

// IsMissing reports whether a cell is a text that tables use for a missing value: empty,
// NA, nan, null and a few more, in capitals or not.
func IsMissing(cell string) bool { return isOneOf(cell, missingTexts) }

// isOneOf reports whether a cell is one of a few texts, up to signs and capitals.
func isOneOf(cell string, texts []string) bool {
	cell = strings.TrimLeft(cell, "+-")
	return slices.ContainsFunc(texts, func(text string) bool { return strings.EqualFold(cell, text) })
}

// IsHeading reports whether a cell of the first line that is not a number is a column's
// name: it is not a missing value, and does not begin like a number.
func IsHeading(cell string) bool {
	text := strings.TrimLeft(cell, "+-−.,")
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && !IsMissing(cell) && !isOneOf(cell, infiniteTexts) && !unicode.IsNumber(first)
}

// Number returns the number in a cell of the last row, in the column of index at, and NaN
// for a missing one. The error has the place and what is wrong with the cell.
func (t *Table) Number(cell string, at int) (float64, error) {
	x, err := decimal.Parse(cell, 64)
	if err == nil {
		return x, nil
	}
	if IsMissing(cell) {
		return math.NaN(), nil
	}
	quoted := text.Start(cell, longestCell)
	switch pointed := strings.Replace(cell, ",", ".", 1); {
	case errors.Is(err, strconv.ErrRange):
		err = fmt.Errorf("%s: %q is too large for a number", t.Place(at), quoted)
	case isOneOf(cell, infiniteTexts):
		err = fmt.Errorf("%s: %q is infinite; want a finite number", t.Place(at), quoted)
	case decimal.IsNumber(pointed):
		err = fmt.Errorf("%s: %q has a decimal comma; write %s", t.Place(at), quoted, pointed)
	default:
		err = fmt.Errorf("%s: %q is not a number; want one per line", t.Place(at), quoted)
	}
	return 0, err
}

// Place names a cell of the last row in errors, such as tide.csv:7: column 2.
func (t *Table) Place(at int) string {
	place := fmt.Sprintf("%s:%d", t.Source, t.Line)
	if t.width > 1 {
		place += fmt.Sprintf(": column %d", at+1)
	}
	return place
}

// atEnd reports whether an error is the end of a table.
func atEnd(err error) bool { return errors.Is(err, io.EOF) }
