package curves

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"

	"gonum.org/v1/gonum/stat"
)

// Grid is a result of the runs by two of their settings.
type Grid struct {
	Result string   `json:"result"` // name of the result
	X      string   `json:"x"`      // path of the setting of the columns
	Y      string   `json:"y"`      // path of the setting of the rows; "" if there is one row
	Xs     []string `json:"x_values"`
	Ys     []string `json:"y_values"`
	Over   []string `json:"over"`  // paths of the other settings that differ, such as the seed
	Cells  [][]Cell `json:"cells"` // by row and column
}

// Cell is the runs with one value of each of the two settings.
type Cell struct {
	Runs     int       `json:"runs"`
	Complete int       `json:"complete"` // how many of them are complete; only these count
	Values   []float64 `json:"values"`   // the results of the complete runs that have it
	Mean     *float64  `json:"mean"`     // nil without values
	SD       *float64  `json:"sd"`       // standard deviation of at least two values; else nil

	runs []string // folders of the runs of Values
}

// Stray is a run whose result is far from the results of its cell, such as a seed that
// training did not get away from.
type Stray struct {
	Dir    string  `json:"run"`
	Value  float64 `json:"value"`
	Median float64 `json:"median"` // of the other runs of its cell
}

// farOff is the ratio to the median of the other runs above which a run is a [Stray].
const farOff = 5

// NewGrid returns a result of the runs by two of their settings; y may be empty. Runs
// that differ in other settings, such as the seed, share a cell. It returns an error if
// no run has the result or one of the settings.
func (c *Set) NewGrid(x, y, result string) (*Grid, error) {
	x, err := c.settingPath(x)
	if err == nil && y != "" {
		y, err = c.settingPath(y)
	}
	if err == nil {
		err = c.checkResult(result)
	}
	if err != nil {
		return nil, err
	}
	g := &Grid{Result: result, X: x, Y: y, Xs: c.kinds(x), Ys: []string{""}, Over: []string{}}
	if y != "" {
		g.Ys = c.kinds(y)
	}
	for _, path := range c.Differing() {
		if path != x && path != y {
			g.Over = append(g.Over, path)
		}
	}
	g.Cells = make([][]Cell, len(g.Ys))
	for i := range g.Cells {
		g.Cells[i] = make([]Cell, len(g.Xs))
	}
	for _, r := range c.Runs {
		row := 0
		if y != "" {
			row = slices.Index(g.Ys, r.Setting(y))
		}
		g.Cells[row][slices.Index(g.Xs, r.Setting(x))].add(r, result)
	}
	for _, row := range g.Cells {
		for i := range row {
			row[i].summarise()
		}
	}
	return g, nil
}

func (cell *Cell) add(r Run, result string) {
	cell.Runs++
	if !r.Complete {
		return
	}
	cell.Complete++
	if value, ok := r.ResultOf(result); ok {
		cell.Values = append(cell.Values, value)
		cell.runs = append(cell.runs, r.Dir)
	}
}

// Strays lists the runs whose result is more than five times the median of the others of
// the same cell, if there are at least two others. Results that are not all positive are
// not compared.
func (g *Grid) Strays() []Stray {
	list := []Stray{}
	for _, row := range g.Cells {
		for _, cell := range row {
			if len(cell.Values) < 3 || slices.Min(cell.Values) <= 0 {
				continue
			}
			for i, value := range cell.Values {
				others := slices.Delete(slices.Clone(cell.Values), i, i+1)
				slices.Sort(others)
				median := (others[(len(others)-1)/2] + others[len(others)/2]) / 2
				if value > farOff*median {
					list = append(list, Stray{cell.runs[i], value, median})
				}
			}
		}
	}
	return list
}

func (cell *Cell) summarise() {
	if len(cell.Values) == 0 {
		cell.Values = []float64{}
		return
	}
	mean := stat.Mean(cell.Values, nil)
	cell.Mean = &mean
	if len(cell.Values) > 1 {
		sd := stat.StdDev(cell.Values, nil)
		cell.SD = &sd
	}
}

// text returns the mean with its standard deviation, and how many runs are missing.
func (cell Cell) text(between string) string {
	if cell.Runs == 0 {
		return "–"
	}
	line := ""
	if cell.Mean != nil {
		line = short(*cell.Mean)
		if cell.SD != nil {
			line += between + "± " + short(*cell.SD)
		}
	}
	if missing := cell.Runs - len(cell.Values); missing > 0 {
		line = strings.TrimSpace(line + fmt.Sprintf("%s(%d of %d)", between, len(cell.Values), cell.Runs))
	}
	return line
}

// short formats a number with two digits.
func short(x float64) string {
	if size := math.Abs(x); size >= 0.01 && size < 1000 {
		digits := 1 - int(math.Floor(math.Log10(size)))
		return fmt.Sprintf("%.*f", max(digits, 0), x)
	}
	return fmt.Sprintf("%.1e", x)
}

// Forms returns the forms of the grid: a table for a terminal, .svg, the figure of
// [Grid.By], .html, a page with this figure and the heat map, .csv with a row for each
// cell, and .json.
func (g *Grid) Forms(command string) document.Forms {
	return document.Answer{
		Text:    func() []document.Section { return []document.Section{g.Text()} },
		Figure:  document.Sure(g.By),
		Page:    document.Sure(g.page),
		Numbers: document.Sure(g.numbers), Value: g,
	}.Forms(command)
}

func (g *Grid) page() document.Document {
	lines := document.Section{Figure: g.By(), Caption: linesCaption}
	return document.Document{Title: g.title(), Sections: []document.Section{lines, g.Section()}}
}

// Text returns the numbers of the grid for a terminal.
func (g *Grid) Text() document.Section {
	return document.Section{Tables: []document.Table{g.table()}, Notes: []string{g.caption()}}
}

// Section returns the part of a page that shows the heat map and its numbers.
func (g *Grid) Section() document.Section {
	return document.Section{Figure: g.Figure(), Caption: g.caption(), Tables: []document.Table{g.table()}}
}

func (g *Grid) title() string {
	by := g.X
	if g.Y != "" {
		by += " and " + g.Y
	}
	return fmt.Sprintf("%s by %s", resultName(g.Result), by)
}

// resultName returns the name of a result for readers.
func resultName(result string) string {
	switch result {
	case KL:
		return "KL (nats)"
	case Loss, Floor, Chance:
		return result + " (nats)"
	case Gap:
		return "share of the gap closed"
	}
	return result
}

// caption explains what a cell is.
func (g *Grid) caption() string {
	over := "one run for each cell"
	if len(g.Over) > 0 {
		over = "mean ± standard deviation over runs that differ in " + text.And(g.Over)
	}
	caption := fmt.Sprintf("%s of complete runs: %s.", resultName(g.Result), over)
	if missing := g.missing(); missing > 0 {
		caption += fmt.Sprintf(" %s without this result; (2 of 3) means that two of three have it.",
			text.Count(missing, "run"))
	}
	return caption
}

// missing returns the number of runs without the result.
func (g *Grid) missing() (n int) {
	for _, row := range g.Cells {
		for _, cell := range row {
			n += cell.Runs - len(cell.Values)
		}
	}
	return n
}

// Figure returns the heat map. Its colours are logarithmic if all means are positive.
func (g *Grid) Figure() *figure.Figure {
	m := figure.HeatMap{
		X: g.X, Y: g.Y, Label: resultName(g.Result), Cols: g.Xs, Rows: g.Ys, BlankZeros: true, Log: true,
	}
	for _, row := range g.Cells {
		var z []float64
		var texts []string
		for _, cell := range row {
			mean := 0.0
			if cell.Mean != nil {
				mean = *cell.Mean
			}
			m.Log = m.Log && mean >= 0
			z = append(z, mean)
			texts = append(texts, cell.text("\n"))
		}
		m.Z = append(m.Z, z)
		m.Texts = append(m.Texts, texts)
	}
	return figure.Single(g.title(), g.caption(), m)
}

// table returns the grid for readers: a row for each value of y.
func (g *Grid) table() document.Table {
	corner := g.X
	if g.Y != "" {
		corner = g.Y + " \\ " + g.X
	}
	f := document.Frame{Title: g.title(), Columns: document.Headed("", append([]string{corner}, g.Xs...)...)}
	for i, row := range g.Cells {
		cells := []any{cmp.Or(g.Ys[i], "all runs")}
		for _, cell := range row {
			cells = append(cells, cell.text(" "))
		}
		f.Row(cells...)
	}
	return f.Table()
}

// numbers returns a row for each cell.
func (g *Grid) numbers() document.Frame {
	names := []string{g.X, "runs", "complete", "mean", "sd"}
	if g.Y != "" {
		names = append([]string{g.Y}, names...)
	}
	f := document.Frame{Columns: document.Named(names...)}
	for i, row := range g.Cells {
		for k, cell := range row {
			cells := []any{g.Xs[k], cell.Runs, cell.Complete, cell.Mean, cell.SD}
			if g.Y != "" {
				cells = append([]any{g.Ys[i]}, cells...)
			}
			f.Row(cells...)
		}
	}
	return f
}
