package curves

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"foretell/figure"
	"foretell/run"
	"foretell/train"
)

// mostCurves is the largest number of runs in a figure. The first seven runs have
// distinct colours and markers, which repeat for later runs.
const mostCurves = 56

// Width is the natural width of the figure in points.
const Width = 640

// figure draws curves by step: the loss, next to the floor (the optimal loss) and chance
// (the loss of the best constant guess); the share of the gap between chance and floor
// that is closed; the KL to the optimal prediction; and, if runs have recorded them,
// accuracy and watched numbers. Another panel shows the KL at each position, from the
// last evaluation. If floors differ, each run's loss is drawn relative to its own floor.
// Figure returns an error for more than 56 runs, and, if the axis is [LogSteps] or
// [LogTokens], for a run that has been evaluated at step 0 only.
func (c *Set) figure() (*figure.Figure, error) {
	if len(c.Runs) > mostCurves {
		return nil, fmt.Errorf("%d runs are too many for a figure, want at most %d", len(c.Runs), mostCurves)
	}
	if r := c.atTheStart(); r != nil && c.logarithmic() {
		return nil, fmt.Errorf("%s has no evaluation after step 0, and a logarithmic axis cannot show step 0", r.Dir)
	}
	panels := c.panels()
	f := &figure.Figure{Title: c.title(), Heading: c.title(), Desc: c.describe(), Width: Width}
	f.Notes = []string{"The floor is the loss of the best possible predictor, chance the loss of the best constant " +
		"guess. At 100 % of the gap closed, nothing more can be learned."}
	if c.optima() == 0 {
		f.Notes = nil
	}
	if c.optima() < len(c.Runs) {
		f.Notes = append(f.Notes, observedLosses)
	}
	if c.exact() > 0 {
		f.Notes = append(f.Notes, "Losses are "+c.expectation()+".")
	}
	f.Notes = append(f.Notes, c.notes()...)
	for row := range slices.Chunk(panels, 2) {
		f.Panels = append(f.Panels, row)
	}
	if len(panels) == 1 {
		f.Width = 0
	}
	return f, nil
}

// panels returns the panels of the figure, in order.
func (c *Set) panels() []figure.Panel {
	panels := []figure.Panel{c.loss()}
	add := func(more ...figure.Panel) { panels = append(panels, more...) }
	add(c.chart("share of the learnable gap closed", percent, approached, func(r run.Row) *float64 {
		return percentOf(r.GapClosed)
	})...)
	if c.optima() > 0 && c.SameFloor {
		add(c.divergence())
	}
	if c.optima() > 0 {
		add(c.positions())
	}
	add(c.chart("loss on training windows", nats, nearChance, func(r run.Row) *float64 {
		if r.Observed == nil {
			return nil
		}
		return r.LossWindows
	})...)
	for _, p := range c.chart("accuracy", percent, every, func(r run.Row) *float64 {
		if r.Accuracy == nil {
			return nil
		}
		return percentOf(&r.Accuracy.Overall)
	}) {
		p := p.(figure.Chart)
		p.Refs = c.ceilings()
		add(p)
	}
	add(c.chart("accuracy on retrieval steps", percent, every, func(r run.Row) *float64 {
		if r.Accuracy == nil {
			return nil
		}
		return percentOf(r.Accuracy.Retrieval)
	})...)
	for _, name := range c.watchedNames() {
		add(c.chart(name, figure.Axis{}, every, func(r run.Row) *float64 { return watched(r, name) })...)
	}
	return panels
}

// watched returns a number that a run has recorded, or nil if the row does not have it.
func watched(row run.Row, name string) *float64 {
	if x, ok := row.Watch[name]; ok {
		return &x
	}
	return nil
}

// title returns the title of the figure: the run, or the number of runs, and the process.
func (c *Set) title() string {
	if len(c.Runs) == 1 {
		return fmt.Sprintf("%s on %s", c.Runs[0].Dir, c.Runs[0].Process)
	}
	if of := c.process(); of != "" {
		return fmt.Sprintf("%d runs on %s", len(c.Runs), of)
	}
	return fmt.Sprintf("%d runs on different processes", len(c.Runs))
}

// name returns a run's name in the legend. If there is only one run, the name includes
// the process.
func (c *Set) name(r Run) string {
	if len(c.Runs) == 1 {
		return r.Title() + ": " + r.Process
	}
	return r.Title()
}

// process returns the process of all runs, or "" if they differ.
func (c *Set) process() string {
	for _, r := range c.Runs {
		if r.Process != c.Runs[0].Process {
			return ""
		}
	}
	return c.Runs[0].Process
}

// describe returns a sentence for each run with its last evaluation.
func (c *Set) describe() string {
	var parts []string
	for _, r := range c.Runs {
		last := r.Last()
		floor := ""
		if last.Optimum != nil {
			floor = fmt.Sprintf(" floor %.5f,", last.Floor)
		}
		parts = append(parts, fmt.Sprintf("%s: after step %d loss %.5f,%s chance %.5f nats, %s", r.Label, last.Step,
			last.LossEval, floor, last.Chance, last.GapText("%.1f %% of the gap closed")))
	}
	return strings.Join(parts, ". ") + "."
}

// series returns, for each run, the curve of one number by step. The function rowsOf
// selects the rows of a run to draw; value returns the number of a row, or nil if the row
// does not have it. Runs without any such number have no curve.
func (c *Set) series(rowsOf func(Run) []run.Row, value func(run.Row) *float64) []figure.Series {
	var list []figure.Series
	for i, r := range c.Runs {
		s := figure.Series{Name: c.name(r), Color: i + 1, Dash: i + 1}
		for _, row := range rowsOf(r) {
			if y := value(row); y != nil && (row.Step > 0 || !c.logarithmic()) {
				s.Add(c.place(r, row), *y)
			}
		}
		if len(s.X) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// chart returns a panel with the curves of one number, or no panel if no run has it; see
// [Set.series].
func (c *Set) chart(
	title string, y figure.Axis, rowsOf func(Run) []run.Row, value func(run.Row) *float64,
) []figure.Panel {
	s := c.series(rowsOf, value)
	if len(s) == 0 {
		return nil
	}
	return []figure.Panel{figure.Chart{Title: title, X: c.steps(), Y: y, Series: s}}
}

// nats and percent are axes of losses and of shares.
var (
	nats    = figure.Axis{Label: "nats per token"}
	percent = figure.Axis{Label: "%", Include: []float64{0, 100}}
)

// percentOf returns 100 times a share, or nil if it is nil.
func percentOf(share *float64) *float64 {
	if share == nil {
		return nil
	}
	return new(100 * *share)
}

// every returns all rows of a run.
func every(r Run) []run.Row { return r.Evaluations }

// loss draws the loss with lines at floor and chance, without the first evaluations if
// their loss is very high; see [nearChance]. If floors differ, it draws the loss minus
// the run's own floor, or minus chance if no run has a floor.
func (c *Set) loss() figure.Panel {
	if !c.SameFloor && c.optima() > 0 {
		p := c.divergence().(figure.Chart)
		p.Title = "loss above the run's own floor"
		return p
	}
	last := c.Runs[0].Last()
	chart := figure.Chart{
		Title: "loss", X: c.steps(), Y: nats,
		Series: c.series(nearChance, func(r run.Row) *float64 { return &r.LossEval }),
	}
	switch {
	case !c.SameFloor:
		chart.Title = "loss minus chance"
		chart.Series = c.series(nearChance, func(r run.Row) *float64 { return new(r.LossEval - r.Chance) })
		chart.Refs = []figure.Ref{{Label: "chance"}}
	case last.Optimum != nil:
		chart.Refs = []figure.Ref{{Label: "floor", Value: last.Floor}, {Label: "chance", Value: last.Chance}}
	default:
		chart.Title = "held-out loss"
		if !last.HeldOut {
			chart.Title = "loss on training windows"
		}
		chart.Refs = []figure.Ref{{Label: "chance", Value: last.Chance}}
	}
	return chart
}

// nearChance returns a run's evaluations starting at the first one that satisfies loss −
// chance ≤ chance − floor, where floor is the optimal loss and chance the loss of the
// best constant guess. If no evaluation does, it returns all of them.
func nearChance(r Run) []run.Row {
	return learning(r.Evaluations, train.Evaluation.NearChance)
}

// notes returns what the numbers assume, and what the axes do not show.
func (c *Set) notes() []string {
	all := []string{c.memorisedNote(), c.stopNote(), c.leftOut(), c.stepsNote()}
	return slices.DeleteFunc(all, func(note string) bool { return note == "" })
}

// leftOut returns a note if some losses are not drawn, or "".
func (c *Set) leftOut() string {
	for _, r := range c.Runs {
		if c.SameFloor && len(nearChance(r)) < len(r.Evaluations) {
			return "The first, very high losses are off the chart."
		}
	}
	return ""
}

// approached returns a run's evaluations starting at the first one whose loss is at most
// chance, or all of them if there is no such evaluation.
func approached(r Run) []run.Row {
	return learning(r.Evaluations, func(e train.Evaluation) bool { return e.GapClosed != nil && *e.GapClosed >= 0 })
}

// divergence draws the KL to the optimum.
func (c *Set) divergence() figure.Panel {
	s := c.series(every, func(r run.Row) *float64 {
		if r.Optimum == nil {
			return nil
		}
		return &r.KL
	})
	return figure.Chart{Title: "KL to the optimum", X: c.steps(), Y: KLAxis(s), Series: s}
}

// positions draws the KL at each position.
func (c *Set) positions() figure.Panel {
	var list []figure.Series
	for i, r := range c.Runs {
		if len(r.KLByPosition) == 0 {
			continue // the optimum is not known
		}
		list = append(list, figure.Series{
			Name: c.name(r), Color: i + 1, Dash: i + 1, X: figure.Numbers(1, len(r.KLByPosition)), Y: r.KLByPosition,
		})
	}
	return figure.Chart{
		Title: "KL by position, last evaluation", X: c.tokensSeen(), Y: KLAxis(list), Series: list,
	}
}

// TokensSeen is the axis of the number of tokens before a prediction.
var TokensSeen = figure.Axis{Label: "tokens seen", Whole: true}

// tokensSeen returns the axis of the number of tokens before a prediction. It is
// logarithmic if the longest context is at least ten times the shortest.
func (c *Set) tokensSeen() figure.Axis {
	shortest, longest := math.MaxInt, 0
	for _, r := range c.Runs {
		if len(r.KLByPosition) == 0 {
			continue
		}
		shortest, longest = min(shortest, len(r.KLByPosition)), max(longest, len(r.KLByPosition))
	}
	if longest >= fewestTimes*shortest {
		return figure.Axis{Label: "tokens seen, logarithmic", Log: true}
	}
	return TokensSeen
}

// KLAxis returns the axis of KL, logarithmic if the values are positive and span a factor
// of ten or more.
func KLAxis(list []figure.Series) figure.Axis {
	lo, hi := math.Inf(1), 0.0
	for _, s := range list {
		lo, hi = min(lo, slices.Min(s.Y)), max(hi, slices.Max(s.Y))
	}
	if lo > 1e-15 && hi >= 10*lo {
		return figure.Axis{Label: "nats, logarithmic", Log: true}
	}
	return figure.Axis{Label: "nats", Include: []float64{0}}
}

// ceilings returns a reference line at the best possible accuracy. It returns nil if no
// run has one, or if runs differ in it.
func (c *Set) ceilings() []figure.Ref {
	var list []float64
	for _, r := range c.Runs {
		if last := r.Last(); last.Accuracy != nil && last.Optimum != nil {
			list = append(list, last.Ceiling)
		}
	}
	if len(list) == 0 || slices.Max(list)-slices.Min(list) > 1e-9 {
		return nil
	}
	return []figure.Ref{{Label: "ceiling", Value: 100 * list[0]}}
}

// watchedNames returns the names of the numbers in [run.Row].Watch, sorted.
func (c *Set) watchedNames() []string {
	names := map[string]bool{}
	for _, r := range c.Runs {
		for _, row := range r.Evaluations {
			for name := range row.Watch {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
