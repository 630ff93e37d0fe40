// Package datafile reads the numbers of a data file: a JSON list, or one column of a
// table.
package datafile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/decimal"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/internal/text"
)

// MostBytes bounds the size of a file in bytes.
const MostBytes = 16 << 20

// Numbers reads the numbers of a file: a JSON list, or one column of a table. tide.csv
// is a table with one column, tide.csv:2 is the second column, and tide.csv:level is
// the column named level in the first line. Columns are separated by semicolons, tabs,
// commas or blanks; cells may be quoted as in CSV. The first line is a heading if the
// column is chosen by name, or if its cell does not begin like a number and is not a
// missing value.
//
// Every line must have a number in the column. A missing number (an empty line or cell,
// NA, nan, null) is an error with its line and column, and so are lines of different
// lengths and a file of more than 16 MiB. An error is one line.
func Numbers(path string) ([]float64, error) {
	column := ""
	data, err := limit.ReadFile(path, "a list of numbers", MostBytes)
	if at := strings.LastIndexByte(path, ':'); at > 0 && errors.Is(err, fs.ErrNotExist) {
		path, column = path[:at], path[at+1:]
		data, err = limit.ReadFile(path, "a list of numbers", MostBytes)
	}
	if err != nil {
		return nil, err
	}
	return parse(path, column, data)
}

// NamesTable reports whether a text is the name of a .csv file, or of a column of such
// a file.
func NamesTable(text string) bool {
	file := text[:max(0, strings.LastIndexByte(text, ':'))]
	return filepath.Ext(text) == ".csv" || filepath.Ext(file) == ".csv"
}

// parse does the same as [Numbers] for the contents of a file; column is empty if no
// column is chosen.
func parse(path, column string, data []byte) ([]float64, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // a byte order mark
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if column != "" {
			return nil, fmt.Errorf("%s is a JSON list, which has no column %q", path, column)
		}
		return parseJSON(path, data)
	}
	t := newTableColumn(path, column, data)
	var list []float64
	for {
		cell, err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		x, err := decimal.Parse(cell, 64)
		switch {
		case t.line == 1 && (t.named || err != nil && isHeading(cell)):
		case err != nil:
			return nil, t.notNumber(cell, err)
		default:
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no numbers; want one per line", path)
	}
	return list, nil
}

// parseJSON reads a JSON list.
func parseJSON(path string, data []byte) ([]float64, error) {
	var list []float64 // package decimal accepts every JSON number, too
	if err := exactjson.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s is not a JSON list of numbers, such as [1, 2]: %w", path, err)
	}
	return list, nil
}

// A tableColumn reads the cells of a table's column, line by line.
type tableColumn struct {
	path   string
	choice string // a column's number or name; empty for the only column
	named  bool   // choice is a name, so the first line is the heading
	rows   *csv.Reader
	at     int // the column's index
	line   int // line of the last cell, counted from 1
	below  int // the line where the next record must begin
	lines  int // number of lines of the file
	first  []string
}

// noSeparator is used as the separator for a table with only one column. It does not
// occur in such a table.
const noSeparator = '\x1f'

func newTableColumn(path, choice string, data []byte) *tableColumn {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	text = strings.TrimSuffix(text, "\n")
	t := &tableColumn{path: path, choice: choice, below: 1, rows: csv.NewReader(strings.NewReader(text))}
	if text != "" {
		t.lines = 1 + strings.Count(text, "\n")
	}
	_, err := strconv.Atoi(choice)
	t.named = choice != "" && err != nil
	t.rows.Comma = separatorOf(text)
	t.rows.TrimLeadingSpace = t.rows.Comma != '\t' // a leading tab is an empty cell, not a blank to trim
	t.rows.FieldsPerRecord = -1
	t.rows.ReuseRecord = true
	return t
}

// separatorOf returns the separator of a table's columns: the one in the second line,
// since the first may be a heading in prose.
func separatorOf(text string) rune {
	first, below, _ := strings.Cut(text, "\n")
	second, _, several := strings.Cut(below, "\n")
	if !several && below == "" {
		second = first
	}
	second = strings.Trim(second, " \"") // a tab at either end separates an empty cell
	for _, by := range ";\t, " {         // comma after ; and tab, because it may be a decimal comma
		if strings.ContainsRune(second, by) {
			return by
		}
	}
	return noSeparator
}

// next returns the column's cell of the next line; the error is io.EOF after the last.
func (t *tableColumn) next() (string, error) {
	row, err := t.rows.Read()
	var malformed *csv.ParseError
	if errors.As(err, &malformed) {
		return "", fmt.Errorf("%s:%d: %w", t.path, malformed.Line, malformed.Err)
	}
	begin := t.lines + 1
	if err == nil {
		begin, _ = t.rows.FieldPos(0)
	}
	if begin > t.below { // package csv skips empty lines
		return "", fmt.Errorf("%s:%d: the line is empty; want a number in every line", t.path, t.below)
	}
	if err != nil {
		return "", err
	}
	t.line = begin
	t.below = begin + 1
	for i, cell := range row {
		t.below += strings.Count(cell, "\n")
		row[i] = strings.TrimSpace(cell)
	}
	if t.first == nil {
		t.first = slices.Clone(row)
		if t.at, err = t.find(row); err != nil {
			return "", err
		}
	}
	if len(row) != len(t.first) {
		return "", fmt.Errorf("%s:%d: %d columns, but %d in line 1; want the same number in every line",
			t.path, t.line, len(row), len(t.first))
	}
	return row[t.at], nil
}

// find returns the index of the chosen column; row is the first line.
func (t *tableColumn) find(row []string) (int, error) {
	if t.choice == "" && len(row) == 1 {
		return 0, nil
	}
	if n, err := strconv.Atoi(t.choice); err == nil && n >= 1 && n <= len(row) {
		return n - 1, nil
	}
	at := slices.Index(row, t.choice)
	switch {
	case t.choice == "" || !t.named || at < 0:
		return 0, t.noColumn(row)
	case slices.Contains(row[at+1:], t.choice):
		return 0, fmt.Errorf("%s:%d: two columns are named %q; choose one by its number, such as @%s:%d",
			t.path, t.line, t.choice, t.path, at+1)
	}
	return at, nil
}

// longestCell bounds the characters of a line or cell in an error.
const longestCell = 40

// noColumn returns the error for a table whose first line lacks the chosen column.
func (t *tableColumn) noColumn(row []string) error {
	example := "1"
	if len(row) > 1 {
		example = "2" // the first column is often the time
		switch name := row[1]; {
		case decimal.IsNumber(row[0]) && !decimal.IsNumber(name):
			example = "1"
		case isHeading(name) && strings.IndexFunc(name, isNotPlain) < 0:
			example = name
		}
	}
	which := ""
	if t.choice != "" {
		which = fmt.Sprintf(", and none is %q", t.choice)
	}
	columns := fmt.Sprintf("%d columns", len(row))
	if len(row) == 1 {
		columns = "1 column"
	}
	return fmt.Errorf("%s:%d: the line has %s%s: %s; choose one, such as @%s:%s", t.path, t.line, columns, which,
		text.Start(strings.Join(row, ", "), longestCell), t.path, example)
}

// isNotPlain reports whether a character may have a special meaning in a shell.
func isNotPlain(r rune) bool {
	plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
	return !plain
}

// missingTexts are the texts that tables use for a missing number.
var missingTexts = []string{"", "nan", "na", "n/a", "inf", "infinity", "null", "none", "nil", "missing"}

func isMissing(cell string) bool {
	return slices.Contains(missingTexts, strings.ToLower(strings.TrimLeft(cell, "+-")))
}

// isHeading reports whether a cell of the first line that is not a number is a column's
// name: it is not a missing value, and does not begin like a number.
func isHeading(cell string) bool {
	text := strings.TrimLeft(cell, "+-−.,")
	first, _ := utf8.DecodeRuneInString(text)
	return text != "" && !isMissing(cell) && !unicode.IsNumber(first)
}

// notNumber returns the error for a cell; err is the reason why [decimal.Parse] refuses
// it.
func (t *tableColumn) notNumber(cell string, err error) error {
	at := fmt.Sprintf("%s:%d", t.path, t.line)
	if len(t.first) > 1 {
		at += fmt.Sprintf(": column %d", t.at+1)
	}
	quoted := text.Start(cell, longestCell)
	switch pointed := strings.Replace(cell, ",", ".", 1); {
	case isMissing(cell):
		return fmt.Errorf("%s: %q is a missing value; want a number in every line", at, quoted)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s: %q is too large for a number", at, quoted)
	case decimal.IsNumber(pointed):
		return fmt.Errorf("%s: %q has a decimal comma; write %s", at, quoted, pointed)
	}
	return fmt.Errorf("%s: %q is not a number; want one per line", at, quoted)
}
