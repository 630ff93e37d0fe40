package series

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/datafile"
	"foretell/internal/decimal"
	"foretell/internal/limit"
	"foretell/internal/text"
)

// Bounds on what is read.
const (
	MostValues = 10_000_000 // of a series
	MostBytes  = 1 << 29    // of its file: 536.9 MB
)

// ReadOptions choose what is read of a file. The zero value reads the only column of
// numbers of a table, or the only channel of a sound.
type ReadOptions struct {
	// Column is the name or the number (from 1) of the column.
	Column string
	// Time is the name or the number of the column of times. If it is empty, the first
	// column is taken if it has times.
	Time string
	// Channel is the number (from 1) of a sound's channel; 0 is the only one.
	Channel int
	// Symbols says that the values are symbols: the characters of a text, or the
	// categories in a column of a table.
	Symbols bool
	// Least is the least number of values, missing ones included; 0 asks for one that is
	// not missing.
	Least int
}

const (
	what          = "a series" // in errors about its file
	standardInput = "standard input"
)

// Read reads a series from a file, or from standard input if the path is "-".
//
// A table has columns separated by semicolons, tabs, commas or blanks. FILE:column
// chooses a column like [ReadOptions.Column]. The first line is a heading if a column is
// chosen by name, or if a cell of it does not begin like a number and the cell below
// does. Times are years (1871), decimal years as R writes them (1749.083), months
// (1749-01), quarters (1949Q1), days (1973-05-01) or days with the time of day, all of a
// column in the same form; they must increase. A first column that counts lines is left
// out, and one named time, date, datetime or timestamp must be one of the two. Missing
// values (an empty cell, NA, nan, null) are NaN. Times that a regular grid has and the
// file lacks become missing values, too, see [Series.Absent].
//
// A file can also be a JSON list of numbers, and a sound: WAV (PCM of 8 to 32 bits, float
// of 32 or 64) or FLAC. Samples are fractions of the full scale.
//
// With [ReadOptions.Symbols], a table has commas, semicolons or tabs in its first line, a
// chosen column, or a name in .csv or .tsv. Of any other text each character is a symbol;
// blanks and line ends are left out. Symbols are numbered in increasing order of their
// names, which is the order of numbers if all are numbers.
//
// Errors are one line with the place and what would be right. A file of more than
// [MostBytes] or [MostValues] is refused before it is parsed.
func Read(path string, o ReadOptions) (*Series, error) {
	if path == "-" {
		return ReadFrom(os.Stdin, standardInput, o)
	}
	file, column, data, err := datafile.Load(path, what, MostBytes)
	if err != nil {
		return nil, err
	}
	if column != "" && o.Column != "" && o.Column != column {
		return nil, fmt.Errorf("%s names column %q, and the option %q; want one of them", file, column, o.Column)
	}
	if column != "" {
		o.Column = column
	}
	return parse(file, data, o)
}

// ReadFrom is [Read] for an open file, which is read to its end; source is its name.
func ReadFrom(in io.Reader, source string, o ReadOptions) (*Series, error) {
	data, err := limit.Read(in, source, what, MostBytes)
	if err != nil {
		return nil, err
	}
	return parse(source, data, o)
}

// parse reads the contents of a file.
func parse(source string, data []byte, o ReadOptions) (s *Series, err error) {
	switch {
	case isSound(data):
		s, err = readSound(source, data, o)
	case o.Channel != 0:
		err = fmt.Errorf("%s is not a sound, WAV or FLAC, so it has no channel %d", source, o.Channel)
	default:
		s, err = readText(source, data, o)
	}
	if err != nil {
		return nil, err
	}
	if err := s.check(o.Least); err != nil {
		return nil, err
	}
	return s, nil
}

// readText reads a table, a JSON list or characters.
func readText(source string, data []byte, o ReadOptions) (*Series, error) {
	data, err := datafile.Text(source, data)
	if err != nil {
		return nil, err
	}
	switch {
	case datafile.IsJSON(data):
		if o.Column != "" || o.Time != "" || o.Symbols {
			return nil, fmt.Errorf("%s is a JSON list of numbers, which has neither columns nor symbols", source)
		}
		values, err := datafile.JSON(source, data)
		if err == nil && len(values) > MostValues {
			err = fmt.Errorf("%s has %d values; a series has at most %d, so give a part of it", source,
				len(values), MostValues)
		}
		return &Series{Source: source, Values: values}, err
	case o.Symbols && !isTable(source, data, o):
		return readCharacters(source, data)
	}
	return readTable(source, data, o)
}

// check returns an error for a series without values, or with fewer than wanted.
func (s *Series) check(least int) error {
	column := s.Source
	if s.Name != "" {
		column += ": column " + text.Start(s.Name, 40)
	}
	present := slices.IndexFunc(s.Values, func(x float64) bool { return !math.IsNaN(x) })
	switch {
	case len(s.Values) == 0 && len(s.Name) > 40:
		return fmt.Errorf("%s is one line of text, %s; want numbers, one per line, or the option for symbols",
			s.Source, text.Start(s.Name, 40))
	case len(s.Values) == 0:
		return fmt.Errorf("%s has no values", column)
	case present < 0:
		return fmt.Errorf("%s has %s, all missing", column, text.Count(len(s.Values), "value"))
	case len(s.Values) < least:
		return fmt.Errorf("%s has %s; want at least %d", column, text.Count(len(s.Values), "value"), least)
	}
	if large := slices.IndexFunc(s.Values, isLarge); large >= 0 {
		return fmt.Errorf("%s: value %d is %g; want numbers within ±%g",
			column, large+1, s.Values[large], mostMagnitude)
	}
	return nil
}

// isLarge reports whether the square of a number may be infinite.
func isLarge(x float64) bool { return math.Abs(x) > mostMagnitude }

// number reads the number in a cell of column at.
func number(table *datafile.Table, cell string, at int) (float64, error) {
	x, err := table.Number(cell, at)
	if err == nil && isLarge(x) {
		err = fmt.Errorf("%s: %s is too large; want numbers within ±%g",
			table.Place(at), text.Start(cell, 40), mostMagnitude)
	}
	return x, err
}

// A page is a table with its first lines, by which its columns are recognised.
type page struct {
	source  string
	lines   int        // number of lines of the file
	heading bool       // the first line that is not empty is the heading
	names   []string   // of the columns; "" without a heading
	rows    [][]string // the first lines without the heading and empty ones
}

// mostPeeked bounds the lines by which columns are recognised.
const mostPeeked = 1000

// readTable reads a column of a table.
func readTable(source string, data []byte, o ReadOptions) (*Series, error) {
	p, err := peek(source, data, o)
	if err != nil {
		return nil, err
	}
	timeAt, index, err := p.findTime(o)
	if err != nil {
		return nil, err
	}
	at, err := p.findValues(o, timeAt, index)
	if err != nil {
		return nil, err
	}
	if at == timeAt && o.Time == "" {
		timeAt = -1 // the column of times was chosen as the values
	}
	r := reader{table: datafile.NewTable(source, data), at: at, timeAt: timeAt}
	r.series = &Series{Source: source, Name: p.names[at], Values: make([]float64, 0, p.lines)}
	var found *dictionary
	r.value = func(cell string) (float64, error) { return number(r.table, cell, at) }
	if o.Symbols {
		found = newDictionary(source)
		r.value = found.index
	}
	if err := r.read(p); err != nil {
		return nil, err
	}
	if found != nil {
		found.sort(r.series)
	}
	if timeAt >= 0 {
		r.series.fillGaps()
		r.series.Step = gridOf(r.series.Times).step
	}
	return r.series, nil
}

// peek reads the first lines of a table, and decides whether the first is a heading.
func peek(source string, data []byte, o ReadOptions) (*page, error) {
	p := &page{source: source, lines: 1 + bytes.Count(data, []byte("\n"))}
	if p.lines > MostValues+2 { // a heading, and the line end of the last
		return nil, fmt.Errorf("%s has %d lines; a series has at most %d values, so give a part of it",
			source, p.lines, MostValues)
	}
	for t := datafile.NewTable(source, data); len(p.rows) < mostPeeked; {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(row) > 0 {
			p.rows = append(p.rows, slices.Clone(row))
		}
	}
	if len(p.rows) == 0 {
		return nil, fmt.Errorf("%s has no values", source)
	}
	p.names = make([]string, len(p.rows[0]))
	p.heading = datafile.IsName(o.Column) || datafile.IsName(o.Time) || isHeaded(p.rows, o.Symbols)
	if p.heading {
		p.names, p.rows = p.rows[0], p.rows[1:]
	}
	return p, nil
}

// isHeaded reports whether the first of these lines is a heading: a cell of it does not
// begin like a number, and the cell below does, or there is no other line. In a table of
// symbols it is enough that the last cell of the first line does not occur below.
func isHeaded(rows [][]string, symbols bool) bool {
	if len(rows) == 1 {
		return slices.ContainsFunc(rows[0], datafile.IsHeading)
	}
	for i, cell := range rows[0] {
		if datafile.IsHeading(cell) && !datafile.IsHeading(rows[1][i]) {
			return true
		}
	}
	last := len(rows[0]) - 1
	return symbols && datafile.IsHeading(rows[0][last]) &&
		!slices.ContainsFunc(rows[1:], func(row []string) bool { return row[last] == rows[0][last] })
}

// find returns the index of the column of a name or a number.
func (p *page) find(choice string) (int, error) {
	if n, err := strconv.Atoi(choice); err == nil && n >= 1 && n <= len(p.names) {
		return n - 1, nil
	}
	at := slices.Index(p.names, choice)
	switch {
	case at < 0:
		return 0, fmt.Errorf("%s has no column %q; it has %s", p.source, choice, p.columns())
	case slices.Contains(p.names[at+1:], choice):
		return 0, fmt.Errorf("%s has two columns %q; choose one by its number, such as %d", p.source, choice, at+1)
	}
	return at, nil
}

// columns names the columns in errors.
func (p *page) columns() string {
	count := text.Count(len(p.names), "column")
	if !p.heading {
		return count + " without names"
	}
	return count + ": " + text.And(shortened(p.names))
}

// shortened returns a few of the names of columns, each short.
func shortened(names []string) []string {
	const most = 12
	short := make([]string, 0, most+1)
	for _, name := range names[:min(most, len(names))] {
		short = append(short, text.Start(name, 40))
	}
	if more := len(names) - most; more > 0 {
		short = append(short, text.Count(more, "other"))
	}
	return short
}

// timeNames are headings of a column of times or counts.
var timeNames = []string{"", "time", "date", "datetime", "timestamp", "year", "month", "day", "ds", "t", "index"}

// findTime returns the index of the column of times, and of a column that counts lines;
// -1 if there is no such column.
func (p *page) findTime(o ReadOptions) (timeAt, index int, err error) {
	if o.Time != "" {
		timeAt, err = p.find(o.Time)
		return timeAt, -1, err
	}
	if len(p.names) < 2 || len(p.rows) == 0 {
		return -1, -1, nil
	}
	cells := make([]string, len(p.rows))
	for i, row := range p.rows {
		cells[i] = row[0]
	}
	named := p.heading && slices.Contains(timeNames, strings.ToLower(p.names[0]))
	switch {
	case areTimes(cells, named):
		return 0, -1, nil
	case named && increase(cells):
		return -1, 0, nil
	case named && !p.isNumeric(0) && slices.Contains(timeNames[1:5], strings.ToLower(p.names[0])):
		return 0, -1, nil // its first cell is the error: times are not dropped silently
	}
	return -1, -1, nil
}

// areTimes reports whether most cells are times like the first: another one is an error
// later. Numbers are years only if all are, and if their column is named so or they are
// equally spaced.
func areTimes(cells []string, named bool) bool {
	parse, ok := parserOf(cells[0])
	if !ok {
		return false
	}
	times := 0
	for _, cell := range cells {
		if _, ok := parse(cell); ok {
			times++
		}
	}
	if !decimal.IsNumber(cells[0]) {
		return 2*times > len(cells)
	}
	if times < len(cells) || named {
		return times == len(cells)
	}
	numbers := make([]float64, len(cells))
	for i, cell := range cells {
		numbers[i], _ = decimal.Parse(cell, 64)
	}
	for i := 2; i < len(numbers); i++ {
		if math.Abs(numbers[i]-2*numbers[i-1]+numbers[i-2]) > 0.002 { // years are written with three digits
			return false
		}
	}
	return len(numbers) > 2 && numbers[1] > numbers[0]
}

// increase reports whether all cells are numbers, each larger than the one before.
func increase(cells []string) bool {
	before := math.Inf(-1)
	for _, cell := range cells {
		x, err := decimal.Parse(cell, 64)
		if err != nil || x <= before {
			return false
		}
		before = x
	}
	return true
}

// findValues returns the index of the column of values: the one that is chosen, or the
// only column of numbers (in a table of symbols, the only column) next to the times.
func (p *page) findValues(o ReadOptions, timeAt, index int) (int, error) {
	if o.Column != "" {
		return p.find(o.Column)
	}
	var others, numbers []int
	for at := range p.names {
		if at == timeAt || at == index {
			continue
		}
		others = append(others, at)
		if o.Symbols || p.isNumeric(at) {
			numbers = append(numbers, at)
		}
	}
	switch {
	case len(numbers) == 1:
		return numbers[0], nil
	case len(others) == 1: // its first cell that is not a number is the error
		return others[0], nil
	case len(numbers) == 0:
		return 0, fmt.Errorf("%s has no column of numbers; it has %s", p.source, p.columns())
	}
	names := make([]string, len(numbers))
	for i, at := range numbers {
		names[i] = p.names[at]
		if !p.heading {
			names[i] = strconv.Itoa(at + 1)
		}
	}
	kind := "numbers"
	if o.Symbols {
		kind = "symbols"
	}
	example := text.ShellWord(names[0])
	if p.source != standardInput {
		example = p.source + ":" + example
	}
	return 0, fmt.Errorf("%s has %d columns of %s: %s; choose one, such as %s", p.source, len(names), kind,
		text.And(shortened(names)), example)
}

// isNumeric reports whether most cells of a column that are not missing look like
// numbers.
func (p *page) isNumeric(at int) bool {
	numbers, others := 0, 0
	for _, row := range p.rows {
		switch cell := row[at]; {
		case datafile.IsMissing(cell):
		case decimal.IsNumber(strings.Replace(cell, ",", ".", 1)):
			numbers++
		default:
			others++
		}
	}
	return numbers > others
}

// A reader reads the values and the times of a table.
type reader struct {
	table      *datafile.Table
	at, timeAt int
	value      func(cell string) (float64, error)
	series     *Series
}

// read reads all lines. In a table of one column an empty line is a missing value; empty
// lines at the end are left out.
func (r *reader) read(p *page) error {
	var clock clock
	s, empty, heading := r.series, 0, p.heading
	for {
		row, err := r.table.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(row) == 0:
			empty++
			continue
		case heading:
			heading, empty = false, 0
			continue
		case empty > 0 && len(row) > 1:
			return fmt.Errorf("%s:%d: the line is empty; want a value in every line", p.source, r.table.Line-1)
		}
		for ; empty > 0; empty-- {
			s.Values = append(s.Values, math.NaN())
		}
		if r.timeAt >= 0 { // before the value: a wrong column of times is the first error
			t, err := clock.read(r.table, row[r.timeAt], r.timeAt)
			if err != nil {
				return err
			}
			if s.Times == nil {
				s.Times = slices.Grow(s.Times, p.lines)
			}
			s.Times = append(s.Times, t)
		}
		x, err := r.value(row[r.at])
		if err != nil {
			return err
		}
		if len(s.Values) == MostValues {
			return fmt.Errorf("%s:%d: a series has at most %d values, so give a part of it", p.source,
				r.table.Line, MostValues)
		}
		s.Values = append(s.Values, x)
	}
}
