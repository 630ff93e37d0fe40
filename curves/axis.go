package curves

import (
	"fmt"
	"slices"
	"strings"

	"foretell/figure"
	"foretell/run"
)

// Along selects the horizontal axis of curves; the zero value means [AutoSteps].
type Along string

const (
	// AutoSteps means steps, on a logarithmic axis if the longest run has at least ten times
	// the steps of the shortest.
	AutoSteps Along = "auto"
	// LinearSteps means steps, from 0.
	LinearSteps Along = "step"
	// LogSteps means steps on a logarithmic axis, without step 0.
	LogSteps Along = "log"
	// ShareSteps means steps as a percentage of the number that the run is planned to take.
	ShareSteps Along = "share"
	// Tokens means the number of tokens trained on, from 0. With the exact objective, each
	// step counts every prefix of every sequence once.
	Tokens Along = "tokens"
	// LogTokens means tokens on a logarithmic axis, without step 0.
	LogTokens Along = "log-tokens"
)

// Alongs lists the horizontal axes.
func Alongs() []string {
	return []string{
		string(AutoSteps), string(LinearSteps), string(LogSteps), string(ShareSteps), string(Tokens), string(LogTokens),
	}
}

// logarithmic reports whether the axis is logarithmic, so that it cannot show step 0.
func (c *Set) logarithmic() bool { return c.along() == LogSteps || c.along() == LogTokens }

// fewestTimes is the smallest ratio between the longest and the shortest run for which
// the axis is logarithmic. On a linear axis, the shortest run would then have at most a
// tenth of the width.
const fewestTimes = 10

// along returns the kind of horizontal axis, with [AutoSteps] resolved.
func (c *Set) along() Along {
	if c.Along != "" && c.Along != AutoSteps {
		return c.Along
	}
	shortest, longest := c.Runs[0].Last().Step, 0
	for _, r := range c.Runs {
		shortest, longest = min(shortest, r.Last().Step), max(longest, r.Last().Step)
	}
	if shortest > 0 && longest >= fewestTimes*shortest {
		return LogSteps
	}
	return LinearSteps
}

// atTheStart returns a run that has been evaluated at step 0 only, or nil.
func (c *Set) atTheStart() *Run {
	for i, r := range c.Runs {
		if r.Last().Step == 0 {
			return &c.Runs[i]
		}
	}
	return nil
}

// steps returns the horizontal axis of the curves.
func (c *Set) steps() figure.Axis {
	along := c.along()
	if along == ShareSteps {
		return figure.Axis{Label: "share of the run's steps, %", Include: []float64{0, 100}}
	}
	axis := figure.Axis{Label: "step", Include: []float64{0}, Whole: true}
	if c.logarithmic() {
		axis = figure.Axis{Label: "step", Log: true, Include: c.firstSteps()}
	}
	if along == Tokens || along == LogTokens {
		axis.Label = "tokens"
	}
	return axis
}

// firstSteps returns the horizontal coordinate of each run's first evaluation after step
// 0. All panels include these coordinates in their axes; therefore the axes agree even if
// a panel leaves out evaluations.
func (c *Set) firstSteps() (steps []float64) {
	for _, r := range c.Runs {
		at := slices.IndexFunc(r.Evaluations, func(row run.Row) bool { return row.Step > 0 })
		if at >= 0 {
			steps = append(steps, c.place(r, r.Evaluations[at]))
		}
	}
	return steps
}

// place returns the horizontal coordinate of one of a run's evaluations.
func (c *Set) place(r Run, row run.Row) float64 {
	switch c.along() {
	case ShareSteps:
		return 100 * float64(row.Step) / float64(r.Steps)
	case Tokens, LogTokens:
		return float64(row.Tokens)
	}
	return float64(row.Step)
}

// stepsNote returns a note if the axis leaves out step 0 or, on an axis of steps, if runs
// differ in their number of tokens per step; else "".
func (c *Set) stepsNote() string {
	switch c.along() {
	case LogTokens:
		return "The axis of tokens is logarithmic and cannot show step 0."
	case Tokens:
		return ""
	}
	var notes []string
	if c.along() == LogSteps {
		notes = append(notes, "The axis of steps is logarithmic and cannot show step 0.")
	}
	if few, many := c.tokensOfAStep(); few < many {
		notes = append(notes, fmt.Sprintf("A step has %d to %d tokens, depending on the run.", few, many))
	}
	return strings.Join(notes, " ")
}

// tokensOfAStep returns the smallest and the largest number of tokens per step among the
// runs. Both are 0 if no run has taken a step.
func (c *Set) tokensOfAStep() (few, many int64) {
	for _, r := range c.Runs {
		last := r.Last()
		if last.Step == 0 {
			continue
		}
		n := last.Tokens / int64(last.Step)
		if few == 0 || n < few {
			few = n
		}
		many = max(many, n)
	}
	return few, many
}
