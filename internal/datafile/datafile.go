// Package datafile reads data files: a JSON list of numbers, or a table of text, line by
// line.
package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/internal/text"
)

// MostBytes bounds the size in bytes of a file that [Numbers] reads.
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
// lengths, a file that is not UTF-8, and one of more than 16 MiB. An error is one line.
func Numbers(path string) ([]float64, error) {
	path, column, data, err := Load(path, "a list of numbers", MostBytes)
	if err != nil {
		return nil, err
	}
	return parse(path, column, data)
}

// Load returns the contents of a file, which may have at most the number of bytes most;
// what describes them in errors, as for [limit.ReadFile]. If there is no file path, but
// one whose name ends before the last colon, column is what follows the colon.
func Load(path, what string, most int64) (file, column string, data []byte, err error) {
	data, err = limit.ReadFile(path, what, most)
	if at := strings.LastIndexByte(path, ':'); at > 0 && errors.Is(err, fs.ErrNotExist) {
		path, column = path[:at], path[at+1:]
		data, err = limit.ReadFile(path, what, most)
	}
	return path, column, data, err
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
	data, err := Text(path, data)
	if err != nil {
		return nil, err
	}
	if IsJSON(data) {
		if column != "" {
			return nil, fmt.Errorf("%s is a JSON list, which has no column %q", path, column)
		}
		return JSON(path, data)
	}
	list, err := readColumn(NewTable(path, data), column)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s holds no numbers; want one per line", path)
	}
	return list, err
}

// readColumn reads a column that has a number in each line.
func readColumn(t *Table, column string) (list []float64, err error) {
	at := -1
	for {
		row, err := t.Next()
		switch {
		case atEnd(err):
			return list, nil
		case err != nil:
			return nil, err
		case len(row) == 0:
			return nil, fmt.Errorf("%s:%d: the line is empty; want a number in every line", t.Source, t.Line)
		}
		first := at < 0
		if first {
			if at, err = t.find(column, row); err != nil {
				return nil, err
			}
		}
		x, err := t.Number(row[at], at)
		switch {
		case first && (IsName(column) || err != nil && IsHeading(row[at])):
		case err != nil:
			return nil, err
		case math.IsNaN(x):
			return nil, fmt.Errorf("%s: %q is a missing value; want a number in every line", t.Place(at),
				text.Start(row[at], longestCell))
		default:
			list = append(list, x)
		}
	}
}

// IsJSON reports whether a text is a JSON list rather than a table.
func IsJSON(data []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) }

// JSON returns the numbers of a JSON list.
func JSON(path string, data []byte) ([]float64, error) {
	var list []float64 // package decimal accepts every JSON number, too
	if err := exactjson.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s is not a JSON list of numbers, such as [1, 2]: %w", path, err)
	}
	return list, nil
}
