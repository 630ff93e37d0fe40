package runtable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"foretell/curves"
	"foretell/document"
	"foretell/internal/text"
	"foretell/run"
	"foretell/settings"
)

// Comparison is where runs differ. Lists by run have the order of Runs.
type Comparison struct {
	Runs     []string              `json:"runs"`     // their folders
	Differ   []settings.Difference `json:"settings"` // settings that differ
	Results  []Result              `json:"results"`
	Metrics  []Parting             `json:"metrics"` // of each run and the first, apart from the first itself
	Weights  []Weights             `json:"weights"`
	SameBits bool                  `json:"weights_equal"` // whether all weights are equal
}

// Result is a number of the runs' models, or of their last evaluations so far.
type Result struct {
	Name   string     `json:"result"`
	Values []*float64 `json:"values"` // nil for a run without it
	// Differences are the values minus the first run's value; nil if one of the two is.
	Differences []*float64 `json:"differences"`
}

// Parting says from which step on the metrics of a run differ from the first
// run's metrics. Only steps at which both were evaluated are compared.
type Parting struct {
	Run     string   `json:"run"`
	Common  int      `json:"common"`         // number of steps at which both were evaluated
	Last    int      `json:"last_step"`      // last of these steps, −1 without any
	Step    *int     `json:"step,omitempty"` // first step at which a number differs; nil if none does
	Numbers []string `json:"numbers"`        // the numbers that differ at that step
}

// Weights are the weights of a run's model, or of its latest checkpoint.
type Weights struct {
	Run    string `json:"run"`
	Step   int    `json:"step"`
	SHA256 string `json:"sha256,omitempty"` // of the names, shapes and bits of the parameters
	Error  string `json:"error,omitempty"`  // why they cannot be read
}

// Compare compares two runs or more. A run may be training.
func Compare(ctx context.Context, dirs ...string) (*Comparison, error) {
	c := &Comparison{Runs: dirs, Results: []Result{}, Metrics: []Parting{}}
	var rows []Row
	var metrics [][]run.Row
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, evaluations, err := openRow(dir)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
		metrics = append(metrics, evaluations)
		c.Weights = append(c.Weights, weightsOf(dir))
	}
	c.addSettings(rows)
	c.addResults(rows)
	for i := 1; i < len(rows); i++ {
		c.Metrics = append(c.Metrics, part(dirs[i], metrics[0], metrics[i]))
	}
	c.SameBits = c.Weights[0].SHA256 != "" && !slices.ContainsFunc(c.Weights, func(w Weights) bool {
		return w.SHA256 != c.Weights[0].SHA256
	})
	return c, nil
}

// openRow reads a run that a user has named, and its evaluations.
func openRow(dir string) (r Row, metrics []run.Row, err error) {
	r, ok := readRow(dir)
	switch {
	case !ok && run.IsStep(dir):
		return r, nil, fmt.Errorf("%s is one step of a run; give the run's folder", dir)
	case !ok:
		return r, nil, fmt.Errorf("%s: no such run%s", dir, run.Meant(dir))
	case r.Err != nil:
		return r, nil, r.Err
	case r.Steps == 0:
		return r, nil, fmt.Errorf("%s holds a model and not a run", dir)
	}
	metrics, err = run.Metrics(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, metrics, err
}

func weightsOf(dir string) Weights {
	w := Weights{Run: dir}
	trained, err := run.Open(dir)
	if err != nil {
		w.Error = err.Error()
		return w
	}
	w.Step, w.SHA256 = trained.Step, trained.Model.Checksum()
	return w
}

func (c *Comparison) addSettings(rows []Row) {
	list := make([]settings.Settings, len(rows))
	for i, r := range rows {
		list[i] = r.Settings
	}
	c.Differ = settings.Differences(list, settings.AllDiffering(list))
}

func (c *Comparison) addResults(rows []Row) {
	names := map[string]bool{}
	for _, r := range rows {
		for name := range r.Results {
			names[name] = true
		}
	}
	for _, name := range curves.InOrder(slices.Sorted(maps.Keys(names))) {
		result := Result{Name: name}
		for _, r := range rows {
			var value, difference *float64
			if x, ok := r.Results[name]; ok {
				value = &x
				if one, ok := rows[0].Results[name]; ok {
					by := x - one
					difference = &by
				}
			}
			result.Values = append(result.Values, value)
			result.Differences = append(result.Differences, difference)
		}
		c.Results = append(c.Results, result)
	}
}

// part compares the evaluations of two runs.
func part(dir string, one, other []run.Row) Parting {
	p := Parting{Run: dir, Last: -1, Numbers: []string{}}
	byStep := map[int]run.Row{}
	for _, row := range one {
		byStep[row.Step] = row
	}
	for _, row := range other {
		first, common := byStep[row.Step]
		if !common {
			continue
		}
		p.Common, p.Last = p.Common+1, row.Step
		if p.Step != nil {
			continue
		}
		if numbers := curves.Unequal(first, row); len(numbers) > 0 {
			step := row.Step
			p.Step, p.Numbers = &step, numbers
		}
	}
	return p
}

// String says it in a sentence.
func (p Parting) String() string {
	switch {
	case p.Common == 0:
		return "no step at which both were evaluated"
	case p.Step == nil:
		return fmt.Sprintf("equal at all %s, up to step %d", text.Count(p.Common, "evaluation"), p.Last)
	}
	numbers := p.Numbers
	if more := len(numbers) - 5; more > 0 {
		numbers = append(slices.Clone(numbers[:5]), fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("differ from step %d on: %s", *p.Step, text.And(numbers))
}

// Forms returns the forms of the comparison: text, .csv and .parquet with a row for each
// run, setting or result, and .json.
func (c *Comparison) Forms() document.Forms {
	numbers := document.Sure(c.numbers)
	return document.Forms{
		document.Terminal: document.Text(c.sections), ".csv": document.CSV(numbers),
		".parquet": document.Parquet(numbers), ".json": document.IndentedJSON(c),
	}
}

// numbers returns a row for each setting that differs and each result, of each run.
func (c *Comparison) numbers() document.Frame {
	f := document.Frame{Columns: document.Named("run", "setting", "result", "text", "value", "difference")}
	for i, dir := range c.Runs {
		for _, d := range c.Differ {
			f.Row(dir, d.Setting, "", d.Values[i], "", "")
		}
		for _, r := range c.Results {
			f.Row(dir, "", r.Name, "", r.Values[i], r.Differences[i])
		}
	}
	return f
}

func (c *Comparison) sections() []document.Section {
	configuration := document.Section{Text: []string{"The configurations are equal."}}
	if len(c.Differ) > 0 {
		f := document.Frame{Columns: document.Headed("", append([]string{"setting"}, c.Runs...)...)}
		for _, d := range c.Differ {
			cells := []any{d.Setting}
			for _, value := range d.Values {
				cells = append(cells, text.Excerpt(value, 40))
			}
			f.Row(cells...)
		}
		configuration = document.Section{Tables: []document.Table{f.Table()}}
	}
	return []document.Section{configuration, c.resultSection(), c.metricSection()}
}

func (c *Comparison) resultSection() document.Section {
	f := document.Frame{Columns: document.Headed("", append([]string{"result"}, c.Runs...)...)}
	for _, r := range c.Results {
		cells := []any{r.Name}
		for i, value := range r.Values {
			cells = append(cells, resultText(r.Name, value, r.Differences[i], i == 0))
		}
		f.Row(cells...)
	}
	if len(f.Rows) == 0 {
		return document.Section{Text: []string{"No run has been evaluated."}}
	}
	return document.Section{Tables: []document.Table{f.Table()}}
}

// resultText returns a result with its difference from the first run's.
func resultText(name string, value, difference *float64, first bool) string {
	if value == nil {
		return "–"
	}
	format := formatOf(name)
	shown := document.Number(format, *value)
	switch {
	case first || difference == nil:
		return shown
	case *difference == 0:
		return shown + " (equal)"
	}
	return fmt.Sprintf("%s (%+.2g)", shown, *difference)
}

func (c *Comparison) metricSection() document.Section {
	var s document.Section
	for _, p := range c.Metrics {
		s.Text = append(s.Text, fmt.Sprintf("metrics of %s and %s: %s", c.Runs[0], p.Run, p))
	}
	if c.SameBits {
		s.Text = append(s.Text, fmt.Sprintf("weights: equal (SHA-256 %.12s)", c.Weights[0].SHA256))
		return s
	}
	for _, w := range c.Weights {
		line := fmt.Sprintf("weights of %s, step %d: SHA-256 %.12s", w.Run, w.Step, w.SHA256)
		if w.Error != "" {
			line = "weights of " + w.Run + ": " + strings.TrimPrefix(w.Error, w.Run+": ")
		}
		s.Text = append(s.Text, line)
	}
	return s
}
