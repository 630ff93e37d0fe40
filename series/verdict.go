package series

import (
	"fmt"
	"math"
	"strconv"
)

// Skill is the share of the uncertainty about a value that a model foresees: 1 − nats of
// the model / nats of the better unconditional forecaster, both on the test part and on
// the same cells. 0 is nothing, 1 everything; it is below 0 if the model is worse than
// not looking. Low and High are a 95 % interval by the stationary bootstrap.
//
// It is a lower bound in one sense: a better forecaster can exist. It refers to the
// number of cells: with more cells the share is smaller.
type Skill struct {
	Horizon  int     `json:"horizon"`
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// differences returns a − b, where differences of rounding errors are 0.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range d {
		if d[i] = a[i] - b[i]; math.Abs(d[i]) < 1e-12 {
			d[i] = 0
		}
	}
	return d
}

// newSkill returns the skill of a model with the given nats against the reference with
// the least mean nats. In each draw of the bootstrap it is the least of that draw.
func newSkill(horizon int, nats []float64, references [][]float64, draws [][]uint16) Skill {
	s := Skill{Horizon: horizon, Estimate: math.Inf(1)}
	replicates := make([]float64, len(draws))
	for i, reference := range references {
		gain := differences(reference, nats)
		gains, totals := resampled(gain, draws), resampled(reference, draws)
		for r := range replicates {
			if share := gains[r] / totals[r]; i == 0 || share < replicates[r] {
				replicates[r] = share
			}
		}
		mean, _ := momentsOf(gain)
		total, _ := momentsOf(reference)
		s.Estimate = min(s.Estimate, mean/total)
	}
	interval := percentiles(replicates)
	s.Low, s.High = interval[0], interval[1]
	return s
}

// none reports whether an unconditional forecaster was chosen.
func (s Skill) none() bool { return s == Skill{Horizon: s.Horizon} }

// share writes the skill as a percentage with its interval.
func (s Skill) share() string {
	return fmt.Sprintf("%s %% (95 %%: %s to %s)", percent(s.Estimate), percent(s.Low), percent(s.High))
}

// Foreseen reports whether the interval is above 0: a one-sided test at 2.5 %.
func (s Skill) Foreseen() bool { return s.Low > 0 }

// sentence returns the verdict. "At least" is said of the lower end of the interval: for
// a forecaster that cannot be better, the estimate is too high half of the time.
func (c *Comparison) sentence(step string) string {
	what := "the next " + step
	if c.Skill.Horizon > 1 {
		what = fmt.Sprintf("the %s %d steps ahead", step, c.Skill.Horizon)
	}
	if better, reference := c.closer(); !c.Skill.Foreseen() && better != nil {
		return fmt.Sprintf("Nothing here shows that %s can be foreseen in nats, but its mean can: the mean absolute "+
			"error of %s is %.4g (95 %%: %.4g to %.4g), and %.4g (%.4g to %.4g) without looking.", what,
			better.Name, better.MAE, better.MAEInterval[0], better.MAEInterval[1],
			reference.MAE, reference.MAEInterval[0], reference.MAEInterval[1])
	}
	if !c.Skill.Foreseen() {
		return fmt.Sprintf("Nothing here shows that %s can be foreseen.", what)
	}
	text := fmt.Sprintf("At least %s %% of the uncertainty about %s can be foreseen: %s foresees %s.",
		percent(c.Skill.Low), what, c.Best, c.Skill.share())
	if c.Outside > 0.2 {
		text += fmt.Sprintf(" %s %% of the values judged are outside the range of all earlier values.",
			percent(c.Outside))
	}
	return text
}

// closer returns the forecaster of the first horizon with the least mean absolute error,
// and the one that does not look, if their 95 % intervals are apart; nil otherwise. That
// is a stricter test than one at 2.5 %, because any of several forecasters may pass it.
func (c *Comparison) closer() (better, reference *Row) {
	for i, row := range c.Forecasters {
		switch {
		case row.Errors == nil || row.Horizon != c.Skill.Horizon:
		case row.Name == (Unconditional{}).Name():
			reference = &c.Forecasters[i]
		case better == nil || row.MAE < better.MAE:
			better = &c.Forecasters[i]
		}
	}
	if reference == nil || better == nil || !(better.MAEInterval[1] < reference.MAEInterval[0]) {
		return nil, nil
	}
	return better, reference
}

// percent writes a share in per cent: whole from 10 on, otherwise with two digits.
func percent(share float64) string {
	if p := 100 * share; math.Abs(p) < 9.95 {
		return strconv.FormatFloat(p, 'g', 2, 64)
	}
	return strconv.FormatFloat(100*share, 'f', 0, 64)
}
