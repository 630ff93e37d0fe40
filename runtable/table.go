package runtable

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"foretell/curves"
	"foretell/document"
	"foretell/internal/parallel"
	"foretell/internal/text"
	"foretell/run"
	"foretell/settings"
)

// Table is the runs below a folder, see [Read].
type Table struct {
	Root string
	Rows []Row

	shown []column // nil for the default
}

// Read reads the runs in a folder and below, sorted by path, on all processors. An empty
// name means the folder runs/, which may be missing. A run that cannot be read is a row
// with an error.
func Read(ctx context.Context, root string) (*Table, error) {
	folders, err := run.FoldersNamed(root)
	if err != nil {
		return nil, err
	}
	root = cmp.Or(root, "runs")
	index := openIndex(root, len(folders))
	rows := make([]*Row, len(folders))
	err = parallel.Each(ctx, runtime.GOMAXPROCS(0), len(folders), func(i int) error {
		rows[i] = index.row(folders[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := &Table{Root: root}
	for _, r := range rows {
		if r != nil { // else it was removed meanwhile
			t.Rows = append(t.Rows, *r)
		}
	}
	index.save()
	return t, nil
}

// Unreadable lists the runs that cannot be read.
func (t *Table) Unreadable() (list []Row) {
	for _, r := range t.Rows {
		if r.Err != nil {
			list = append(list, r)
		}
	}
	return list
}

// Where keeps the runs for which a condition is true, see [Condition]. It returns an
// error if the condition cannot be read, or names something that no run has.
func (t *Table) Where(text string) error {
	c, err := ParseCondition(text)
	if err != nil {
		return err
	}
	holds, err := c.eval(t)
	if err != nil {
		return err
	}
	var kept []Row
	for i, r := range t.Rows {
		if holds[i] {
			kept = append(kept, r)
		}
	}
	t.Rows = kept
	return nil
}

// Sort sorts the runs by the columns with these names, in ascending order, or in
// descending order if reverse is true. Runs without a value come last, and runs with
// equal values keep their order.
func (t *Table) Sort(reverse bool, names ...string) error {
	var keys [][]any
	for _, name := range names {
		c, err := t.find(name)
		if err != nil {
			return err
		}
		keys = append(keys, t.values(c))
	}
	order := make([]int, len(t.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		for _, key := range keys {
			if c := compareCells(key[i], key[k], reverse); c != 0 {
				return c
			}
		}
		return 0
	})
	rows := make([]Row, len(order))
	for i, k := range order {
		rows[i] = t.Rows[k]
	}
	t.Rows = rows
	return nil
}

// compareCells orders two values of a column. nil is last.
func compareCells(a, b any, reverse bool) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	c := compareValues(a, b)
	if reverse {
		return -c
	}
	return c
}

// All is the name for all columns in [Table.Show].
const All = "all"

// Show chooses the columns by name; [All] stands for all. Without names the columns are
// the default: the run, the settings in which the runs differ, and results.
func (t *Table) Show(names ...string) error {
	t.shown = nil
	for _, name := range names {
		if name == All {
			t.shown = append(t.shown, t.known()...)
			continue
		}
		c, err := t.find(name)
		if err != nil {
			return err
		}
		t.shown = append(t.shown, c)
	}
	return nil
}

// columns returns the columns that are shown. In files the default has all facts and
// results; on a terminal only those that readers ask for first.
func (t *Table) columns(file bool) []column {
	if t.shown != nil {
		return t.shown
	}
	var list []column
	differing := settings.Differing(t.settings())
	for _, c := range t.known() {
		switch {
		case c.setting:
			continue
		case c.name == "process" && !file && !t.several("process"), c.name == "problem" && t.Unreadable() == nil:
			continue
		case !file && !slices.Contains(first, c.name):
			continue
		}
		list = append(list, c)
	}
	at := min(2, len(list))
	if !slices.ContainsFunc(list, func(c column) bool { return c.name == "process" }) {
		at = min(1, len(list))
	}
	var varied []column
	for _, path := range differing {
		varied = append(varied, column{name: path, setting: true})
	}
	return slices.Insert(list, at, varied...)
}

// first are the facts and results that a terminal shows in addition to settings.
var first = []string{"run", "process", "state", "steps", "problem", curves.Loss, curves.KL, curves.Gap}

// several reports whether the runs differ in a fact.
func (t *Table) several(name string) bool {
	i := slices.IndexFunc(facts, func(c column) bool { return c.name == name })
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return facts[i].of(r) != facts[i].of(t.Rows[0]) })
}

// inJSON returns the settings and results that JSON has: the chosen ones, or all.
func (t *Table) inJSON() []column {
	if t.shown != nil {
		return t.shown
	}
	return t.known()
}

// frame returns the table with its columns.
func (t *Table) frame(file bool) document.Frame {
	columns := t.columns(file)
	f := document.Frame{Columns: make([]document.Column, len(columns))}
	names := headings(columns)
	cells := make([][]any, len(columns))
	for j, c := range columns {
		f.Columns[j] = document.Column{Name: c.name, Heading: names[j], Format: c.format}
		cells[j] = t.values(c)
	}
	for i := range t.Rows {
		line := make([]any, len(columns))
		for j := range columns {
			line[j] = cell(cells[j][i], file)
		}
		f.Row(line...)
	}
	return f
}

// headings returns short names of the columns.
func headings(columns []column) []string {
	names := make([]string, len(columns))
	for j, c := range columns {
		names[j] = c.name
	}
	short := settings.ShortPaths(names)
	for j, c := range columns {
		if c.setting {
			names[j] = short[j]
		}
	}
	return names
}

// cell returns a value as a cell of a frame.
func cell(value any, file bool) any {
	switch value := value.(type) {
	case nil:
		if file {
			return ""
		}
		return "–"
	case bool:
		return document.Truth(value)
	case string:
		if !file {
			return text.Excerpt(value, 60)
		}
	}
	return value
}

// Forms returns the forms of the table: columns for a terminal, .csv and .parquet with a
// row for each run, and .json.
func (t *Table) Forms() document.Forms {
	numbers := document.Sure(func() document.Frame { return t.frame(true) })
	return document.Forms{
		document.Terminal: document.Text(func() []document.Section {
			if len(t.Rows) == 0 {
				return nil
			}
			return []document.Section{{Tables: []document.Table{t.frame(false).Table()}}}
		}),
		".csv":     document.CSV(numbers),
		".parquet": document.Parquet(numbers),
		".json":    document.IndentedJSON(t),
	}
}
