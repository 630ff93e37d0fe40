package inspect

import (
	"fmt"
	"slices"
	"strings"

	"foretell/figure"
	"foretell/run"
)

// Along is what curves are drawn along; the zero value is [AutoSteps].
type Along string

const (
	// AutoSteps are steps, on a logarithmic axis where the longest run has ten times the
	// steps of the shortest, or more.
	AutoSteps Along = "auto"
	// LinearSteps are steps, from 0.
	LinearSteps Along = "step"
	// LogSteps are steps on a logarithmic axis, without step 0.
	LogSteps Along = "log"
	// ShareSteps are steps as shares of all of each run's, in per cent.
	ShareSteps Along = "share"
	// Tokens are what the steps have learned from, from 0: sampled tokens, or of a run on
	// all words each of their prefixes.
	Tokens Along = "tokens"
	// LogTokens are tokens on a logarithmic axis, without step 0.
	LogTokens Along = "log-tokens"
)

// Alongs lists what curves can be drawn along.
func Alongs() []string {
	return []string{
		string(AutoSteps), string(LinearSteps), string(LogSteps), string(ShareSteps), string(Tokens), string(LogTokens),
	}
}

// logarithmic says whether the axis is, on which step 0 has no place.
func (c *Curves) logarithmic() bool { return c.along() == LogSteps || c.along() == LogTokens }

// fewestTimes is how many times as long as the shortest the longest run is that makes an
// axis logarithmic: on another the shortest would have a tenth of it.
const fewestTimes = 10

// along is what the curves are drawn along, settled.
func (c *Curves) along() Along {
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

// atTheStart is a run that has been evaluated at step 0 alone, nil if there is none.
func (c *Curves) atTheStart() *RunCurve {
	for i, r := range c.Runs {
		if r.Last().Step == 0 {
			return &c.Runs[i]
		}
	}
	return nil
}

// steps is the axis that the curves are drawn along.
func (c *Curves) steps() figure.Axis {
	switch c.along() {
	case LogSteps:
		return figure.Axis{Label: "step", Log: true, Include: c.firstSteps()}
	case ShareSteps:
		return figure.Axis{Label: "share of the run's steps, %", Include: []float64{0, 100}}
	case Tokens:
		return figure.Axis{Label: "tokens", Include: []float64{0}, Whole: true}
	case LogTokens:
		return figure.Axis{Label: "tokens", Log: true, Include: c.firstSteps()}
	}
	return figure.Axis{Label: "step", Include: []float64{0}, Whole: true}
}

// firstSteps are the places of the first steps after 0 at which runs were evaluated, so
// that panels that leave some out have one axis.
func (c *Curves) firstSteps() (steps []float64) {
	for _, r := range c.Runs {
		at := slices.IndexFunc(r.Evaluations, func(row run.Row) bool { return row.Step > 0 })
		if at >= 0 {
			steps = append(steps, c.place(r, r.Evaluations[at]))
		}
	}
	return steps
}

// place is where a row of a run stands on the axis.
func (c *Curves) place(r RunCurve, row run.Row) float64 {
	switch c.along() {
	case ShareSteps:
		return 100 * float64(row.Step) / float64(r.Steps)
	case Tokens, LogTokens:
		return float64(row.Tokens)
	}
	return float64(row.Step)
}

// stepsNote says what an axis leaves out, and how many tokens a step is where that
// differs between runs; "" where there is nothing to say.
func (c *Curves) stepsNote() string {
	switch c.along() {
	case LogTokens:
		return "Tokens are on a logarithmic axis, on which step 0 has no place."
	case Tokens:
		return ""
	}
	var notes []string
	if c.along() == LogSteps {
		notes = append(notes, "Steps are on a logarithmic axis, on which step 0 has no place.")
	}
	if few, many := c.tokensOfAStep(); few < many {
		notes = append(notes, fmt.Sprintf("A step is of %d to %d tokens, by the run.", few, many))
	}
	return strings.Join(notes, " ")
}

// tokensOfAStep is how many tokens a step has learned from, of the run where that is
// least and of the one where it is most; 0 where no run has taken a step.
func (c *Curves) tokensOfAStep() (few, many int64) {
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
