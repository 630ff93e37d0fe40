package sweep

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"foretell/curves"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/durable"
	"foretell/internal/text"
)

// Results are the runs of a study with their results.
type Results struct {
	Dir    string     `json:"study"`    // its folder
	Hash   string     `json:"manifest"` // [Manifest.Hash]
	Varied []string   `json:"varied"`   // paths of the settings that differ between runs
	Counts Counts     `json:"counts"`
	Runs   []Progress `json:"runs"`
	// Result is the result by which runs are compared, and Goal is minimize or maximize.
	Result string `json:"result"`
	Goal   string `json:"goal"`
	// Grid is the result by the two settings with the most values, apart from the seed; nil
	// if no run has it, or if no setting varies.
	Grid *curves.Grid `json:"grid,omitempty"`
	Best []Best       `json:"best"`
	// Strays are runs whose result is far from the results of the same settings.
	Strays []curves.Stray `json:"strays"`

	set *curves.Set // nil if no run has been evaluated
}

// Best is the value of the grid's first setting with the best mean, for a value of its
// second setting.
type Best struct {
	Y    string  `json:"y,omitempty"` // value of the second setting
	X    string  `json:"x"`
	Mean float64 `json:"mean"`
	// Even lists other values of the first setting whose mean is within one standard
	// deviation of the best. It is empty for single runs, which have no deviation.
	Even []string `json:"even"`
}

// Results reads the results of the runs with the given states, see [Study.States].
func (s *Study) Results(ctx context.Context, states []Progress) (*Results, error) {
	r := &Results{
		Dir: s.Dir, Hash: s.Hash(), Varied: s.Varied, Counts: Count(states), Runs: states,
		Result: s.Metric.Name, Goal: cmp.Or(s.Metric.Goal, minimize), Best: []Best{}, Strays: []curves.Stray{},
	}
	var dirs []string
	for _, p := range states {
		if p.Dir != "" {
			dirs = append(dirs, p.Dir)
		}
	}
	if len(dirs) == 0 {
		return r, nil
	}
	var err error
	if r.set, err = curves.Read(ctx, dirs...); err != nil {
		return nil, err
	}
	r.fill()
	if r.Result == "" {
		r.Result = r.set.MainResult()
	}
	x, y := s.axes()
	if x == "" {
		return r, nil
	}
	if r.Grid, err = r.set.NewGrid(x, y, r.Result); err != nil {
		return nil, fmt.Errorf("%s: metric: %w", filepath.Join(s.Dir, studyFile), err)
	}
	r.Strays = r.Grid.Strays()
	r.Best = best(r.Grid, r.Goal == maximize)
	return r, nil
}

// fill adds the numbers of the runs to their states.
func (r *Results) fill() {
	byDir := map[string]*Progress{}
	for i := range r.Runs {
		byDir[r.Runs[i].Dir] = &r.Runs[i]
	}
	names := r.set.Results()
	for _, found := range r.set.Runs {
		p := byDir[found.Dir]
		if p == nil {
			continue
		}
		p.Step, p.Steps, p.Results = found.Last().Step, found.Steps, map[string]float64{}
		for _, name := range names {
			if value, ok := found.ResultOf(name); ok {
				p.Results[name] = value
			}
		}
	}
}

// axes returns the two settings with the most values, apart from the seed.
func (s *Study) axes() (x, y string) {
	counts := map[string]int{}
	var paths []string
	for i, path := range s.Varied {
		if path == seedPath && len(s.Varied) > 1 {
			continue
		}
		paths = append(paths, path)
		counts[path] = len(s.values(i))
	}
	slices.SortStableFunc(paths, func(a, b string) int { return counts[b] - counts[a] })
	paths = append(paths, "", "")[:2]
	if len(s.Varied) > 1 && slices.Index(s.Varied, paths[0]) < slices.Index(s.Varied, paths[1]) {
		paths[0], paths[1] = paths[1], paths[0]
	}
	return paths[0], paths[1]
}

// best returns the best value of the first setting for each value of the second.
func best(g *curves.Grid, largest bool) []Best {
	list := []Best{}
	for i, row := range g.Cells {
		at := -1
		for k, cell := range row {
			if cell.Mean != nil && (at < 0 || (*cell.Mean < *row[at].Mean) != largest && *cell.Mean != *row[at].Mean) {
				at = k
			}
		}
		if at < 0 || len(row) < 2 {
			continue
		}
		b := Best{Y: g.Ys[i], X: g.Xs[at], Mean: *row[at].Mean, Even: []string{}}
		for k, cell := range row {
			if k != at && even(cell, row[at]) {
				b.Even = append(b.Even, g.Xs[k])
			}
		}
		list = append(list, b)
	}
	return list
}

// even reports whether the means of two cells differ by less than the larger of their
// standard deviations.
func even(a, b curves.Cell) bool {
	if a.Mean == nil || a.SD == nil || b.SD == nil {
		return false
	}
	return max(*a.Mean-*b.Mean, *b.Mean-*a.Mean) < max(*a.SD, *b.SD)
}

// Forms returns the forms of the results: text for a terminal, .svg, the heat map, .html,
// a page with all runs and their curves, .csv with a row for each run, and .json.
func (r *Results) Forms(command string) document.Forms {
	return document.Answer{
		Text: r.text,
		Figure: func() (*figure.Figure, error) {
			if r.Grid == nil {
				return nil, fmt.Errorf("%s has no two settings and no result to draw", r.Dir)
			}
			return r.Grid.Figure(), nil
		},
		Page: document.Sure(r.page), Numbers: document.Sure(r.numbers), Value: r,
	}.Forms(command)
}

// text returns the grid, the best values, and the runs that have no result or a strange
// one.
func (r *Results) text() []document.Section {
	var s document.Section
	if r.Grid != nil {
		s = r.Grid.Text()
	}
	s.Notes = append(s.Notes, r.findings()...)
	return []document.Section{s}
}

// findings are sentences about the results.
func (r *Results) findings() []string {
	var lines []string
	for _, b := range r.Best {
		line := fmt.Sprintf("the best %s is %s (mean %s %.3g)", r.Grid.X, b.X, r.Result, b.Mean)
		if r.Grid.Y != "" {
			line = fmt.Sprintf("%s = %s: %s", r.Grid.Y, b.Y, line)
		}
		if len(b.Even) > 0 {
			line += "; within one standard deviation: " + text.And(b.Even)
		}
		lines = append(lines, line+".")
	}
	for _, stray := range r.Strays {
		lines = append(lines, fmt.Sprintf(
			"%s (%s) is far from the runs with the same settings: %s %.3g, their median is %.3g.",
			stray.Dir, r.settingsOf(stray.Dir), r.Result, stray.Value, stray.Median))
	}
	for _, p := range r.Runs {
		if p.Error != "" {
			planned := Planned{ID: p.ID, Name: p.Name, Settings: p.Settings}
			lines = append(lines, fmt.Sprintf("%s: %s: %s", describe(r.Varied, planned), p.State, p.Error))
		}
	}
	return append(lines, r.Dir+": "+r.Counts.String())
}

func (r *Results) settingsOf(dir string) string {
	for _, p := range r.Runs {
		if p.Dir == dir {
			return setting(r.Varied, p.Settings)
		}
	}
	return ""
}

// page returns the page of the study.
func (r *Results) page() document.Document {
	d := document.Document{Title: "Study " + filepath.Base(r.Dir)}
	if r.Grid != nil {
		grid := r.Grid.Section()
		grid.Title, grid.Text = "Results", r.findings()
		d.Sections = append(d.Sections, grid)
		by := document.Section{Title: "By " + r.Grid.X, Figure: r.Grid.By()}
		by.Caption = "The same results: a dot for each run, the mean, and a band of one standard deviation."
		d.Sections = append(d.Sections, by)
		if f := r.set.Multiples(r.Grid); f != nil {
			lines := document.Section{Title: "Training", Figure: f, Caption: "Each line is one run."}
			d.Sections = append(d.Sections, lines)
		}
	}
	f := r.numbers()
	for i := range f.Columns {
		f.Columns[i].Format = "%.4g"
	}
	f.Title = "All runs"
	d.Sections = append(d.Sections, document.Section{Title: "Runs", Tables: []document.Table{f.Table()}})
	return d
}

// numbers returns a row for each run.
func (r *Results) numbers() document.Frame {
	var results []string
	if r.set != nil {
		results = r.set.Results()
	}
	ids := []string{"id"}
	if slices.ContainsFunc(r.Runs, func(p Progress) bool { return p.Name != "" }) {
		ids = append(ids, "name")
	}
	names := slices.Concat(ids, r.Varied, []string{"state", "step", "steps"}, results)
	f := document.Frame{Columns: document.Plain(names...)}
	for _, p := range r.Runs {
		cells := []any{p.ID, p.Name}[:len(ids)]
		for _, value := range p.Settings {
			cells = append(cells, value)
		}
		cells = append(cells, string(p.State), p.Step, p.Steps)
		for _, name := range results {
			var cell *float64
			if value, ok := p.Results[name]; ok {
				cell = &value
			}
			cells = append(cells, cell)
		}
		f.Row(cells...)
	}
	return f
}

// Write writes into the study's folder the page report.html, the table of runs runs.csv
// and, if there is a grid, the heat map grid.svg. They can be written again at any time.
func (r *Results) Write(command string) error {
	forms := r.Forms(command)
	for name, ending := range map[string]string{"report.html": ".html", "runs.csv": ".csv", "grid.svg": ".svg"} {
		if ending == ".svg" && r.Grid == nil {
			continue
		}
		err := durable.OutputFrom(context.Background(), filepath.Join(r.Dir, name), func(w io.Writer) error {
			return forms.Write(w, ending)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
