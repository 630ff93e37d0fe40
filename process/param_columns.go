package process

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/printable"
)

// number reads a cell of a table, which may stand in quotation marks; ok is false of what
// is no finite number.
func number(cell string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(strings.Trim(strings.TrimSpace(cell), `"`), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// noValues are what stands in tables for a number that is missing or none.
var noValues = []string{"nan", "na", "n/a", "inf", "infinity", "null", "none", "nil", "missing"}

// isHeading says whether the first line, which is no number, names the column below it:
// it begins as no number does, stands for none, and where it has several columns the line
// below has one.
func isHeading(lines []string) bool {
	text := strings.ToLower(strings.TrimLeft(lines[0], "\"+-−.,<>="))
	switch {
	case lines[0] == "": // the file is empty
		return true
	case text == "", text[0] >= '0' && text[0] <= '9', slices.Contains(noValues, strings.TrimRight(text, "\"")):
		return false
	case !strings.ContainsAny(text, ",;\t") || len(lines) == 1:
		return !strings.ContainsAny(text, ",;\t")
	}
	_, below := number(lines[1])
	return below
}

// A separator stands between the columns of a table; cut is the command that picks one.
type separator struct{ text, cut string }

// separators in the order in which a line is looked at for them: a comma may be a decimal
// one where a semicolon or a tab separates. Blanks are the last, of any length.
var separators = []separator{
	{";", "cut -d';' -f%d %s"},
	{"\t", "cut -f%d %s"},
	{",", "cut -d, -f%d %s"},
	{" ", "awk '{print $%d}' %s"},
}

// splitCells splits a line at the separator that it has.
func splitCells(line string) ([]string, separator) {
	for _, by := range separators {
		if by.text != " " && strings.Contains(line, by.text) {
			return strings.Split(line, by.text), by
		}
	}
	return strings.Fields(line), separators[len(separators)-1]
}

// numberColumn returns which of the cells, from 1, is a number: of several the second, as
// the first is often the time, and 0 where none is. decimal says that it is one once its
// comma is a point.
func numberColumn(list []string) (column int, decimal bool) {
	for i, cell := range list {
		_, ok := number(cell)
		_, pointed := number(strings.Replace(cell, ",", ".", 1))
		if pointed && (column == 0 || i == 1) {
			column, decimal = i+1, !ok
		}
	}
	return column, decimal
}

// hasDecimalComma says whether two cells that a comma separates may be one number, as
// 11,7 is.
func hasDecimalComma(list []string, by separator) bool {
	digits := func(text string) bool {
		return text != "" && strings.Trim(text, "0123456789") == ""
	}
	return by.text == "," && len(list) == 2 && digits(strings.TrimLeft(list[0], "\"+-")) &&
		digits(strings.TrimRight(list[1], "\""))
}

// longestLine is how much of a line an error quotes.
const longestLine = 40

// noNumber is the error of line i of a file of numbers, which is none, with the command
// that makes such a file of it where there is a simple one.
func noNumber(path string, lines []string, i int) error {
	quoted, file := printable.Start(strings.Trim(lines[i], `"`), longestLine), printable.ShellWord(path)
	at := fmt.Sprintf("%s:%d: %q", path, i+1, quoted)
	list, by := splitCells(lines[i])
	if hasDecimalComma(list, by) {
		return fmt.Errorf("%s is two columns or has a decimal comma; want one number a line: "+
			"`tr , . <%s` writes points, `cut -d, -f2 %s` the second column", at, file, file)
	}
	column, decimal := numberColumn(list)
	if i == 0 && column == 0 && len(lines) > 1 { // headings
		list, by = splitCells(lines[1])
		column, decimal = numberColumn(list)
	}
	_, oneBefore := number(lines[max(0, i-1)])
	switch {
	case column == 0 || len(list) == 1 || oneBefore:
		return fmt.Errorf("%s is not a number; want one a line", at)
	case len(lines) == 1 && len(list) > 2:
		return fmt.Errorf("%s has its numbers side by side; want one a line, as `tr -s '%s' '\\n' <%s` writes",
			at, by.text, file)
	}
	command := fmt.Sprintf(by.cut, column, file)
	if decimal {
		command += " | tr , ."
	}
	return fmt.Errorf("%s has several columns; give a file with one, as `%s` writes", at, command)
}
