package series

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/random"
	"foretell/internal/text"
)

// Comparison is what [Compare] found.
type Comparison struct {
	// N is the number of values, with those that are missing.
	N int `json:"n"`
	// Missing is the number of values that are missing.
	Missing int `json:"missing"`
	// Levels is the number of cells of the test part, which nats refer to.
	Levels int `json:"levels"`
	// Season is the number of values in a season, 0 without one.
	Season int `json:"season"`
	// Parts are the numbers of values of the three parts.
	Parts Parts `json:"parts"`
	// Outside is the share of the test part's values that are outside the range of all
	// values before it. They are in the outermost cells, where nats are coarse.
	Outside float64 `json:"outside"`
	// Forecasters has one row for each forecaster and horizon.
	Forecasters []Row `json:"forecasters"`
	// LeftOut are forecasters that could not be fitted.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Best is the name of the model that was chosen on the validation part, by its nats at
	// the first horizon.
	Best string `json:"best"`
	// Skill is the skill of the best model at the first horizon.
	Skill Skill `json:"skill"`
	// Skills are the skills of the best model at the horizons at which it forecasts.
	Skills []Skill `json:"skills"`
	// Verdict is a sentence.
	Verdict string `json:"verdict"`
}

// Parts are the numbers of values of the parts of a series, in the order of time.
type Parts struct {
	Train      int `json:"train"`
	Validation int `json:"validation"`
	Test       int `json:"test"`
}

// LeftOut is a forecaster that could not be fitted, and why.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Row has the scores of a forecaster at one horizon on the test part. All rows of a
// horizon are about the same values. Intervals are 95 % intervals by the stationary
// bootstrap.
type Row struct {
	// Name is the name of the fitted model, Horizon the number of steps ahead, Scored the
	// number of forecasts that were scored.
	Name    string `json:"name"`
	Horizon int    `json:"horizon"`
	Scored  int    `json:"scored"`
	// Nats is the mean of −ln of the probability of the cell that occurred; see
	// [Cells.Nats].
	Nats         float64  `json:"nats"`
	NatsInterval Interval `json:"nats_interval"`
	// Errors are nil if the values are symbols.
	*Errors
}

// Errors are scores in the unit of the data.
type Errors struct {
	// MAE and RMSE are the mean absolute error and the root of the mean squared error of
	// the mean, in the unit of the data.
	MAE          float64  `json:"mae"`
	MAEInterval  Interval `json:"mae_interval"`
	RMSE         float64  `json:"rmse"`
	RMSEInterval Interval `json:"rmse_interval"`
	// MASE is MAE divided by the mean absolute change over one season (or one step) before
	// the test part (Hyndman & Koehler 2006). It is 0 if nothing changed.
	MASE         float64  `json:"mase"`
	MASEInterval Interval `json:"mase_interval"`
	// CRPS is the mean continuous ranked probability score, in the unit of the data.
	CRPS         float64  `json:"crps"`
	CRPSInterval Interval `json:"crps_interval"`
	// Coverage is the share of values inside conformal intervals of 50, 80 and 95 % around
	// the mean. They start from the errors on the validation part and adapt on the test
	// part, each before its value is seen. So the share is near the level for any forecaster
	// in the long run, and a good forecaster has narrow intervals.
	Coverage         map[string]float64  `json:"coverage"`
	CoverageInterval map[string]Interval `json:"coverage_interval"`
	// Radius is half the width of these intervals after the test part, in the unit of the
	// data. It has no element for a level that needs more errors.
	Radius map[string]float64 `json:"radius"`
}

// Compare scores forecasters on the last part of a series.
//
// The series has three parts in the order of time: train, validation, and test (the last
// fifth, or Options.Test values); the validation part is a quarter of the values before
// the test part. First, forecasters are fitted on the train part and forecast the
// validation part. Their errors there calibrate intervals, and the one with the least
// nats at the first horizon is the best, if its gain over the unconditional ones is above
// one standard error. Then they are fitted on all values before the test part and
// forecast the test part. Nothing is chosen on the test part, except the reference: skill
// is measured against the better of the two unconditional forecasters there. That can
// only make skill smaller.
//
// In each part parameters are fixed by the fit, and states are updated with each value
// after it was forecast. A missing value is not scored and never filled; each forecaster
// says how it treats it. A value is scored if every forecaster that forecasts at its
// horizon has a forecast of it.
//
// The cells for nats are fitted on what the forecasters are fitted on. For a series of
// symbols, each symbol is a cell, and only nats have a meaning.
//
// Compare returns an error if a value is infinite, if all values before the test part are
// equal, if the parts are too short for ten scored forecasts at a horizon, or if the
// context ends.
func Compare(ctx context.Context, s *Series, o Options) (*Comparison, error) {
	parts, err := o.complete(s)
	if err != nil {
		return nil, err
	}
	values, begin := s.Values, parts.Train+parts.Validation
	validation, err := newPart(values, parts.Train, begin, &o)
	if err != nil {
		return nil, err
	}
	test, err := newPart(values, begin, len(values), &o)
	if err != nil {
		return nil, err
	}
	earlier, _, err := validation.contend(ctx, &o)
	if err != nil {
		return nil, err
	}
	later, out, err := test.contend(ctx, &o)
	if err != nil {
		return nil, err
	}
	best, err := o.choose(validation, earlier, later)
	if err != nil {
		return nil, err
	}
	c := &Comparison{
		N: len(values), Missing: len(values) - len(withoutMissing(values)),
		Levels: test.past.Cells.Levels()[0], Season: o.Season, Parts: parts,
		Outside: test.outside(), LeftOut: out, Best: best.name,
	}
	for k, horizon := range o.Horizons {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.score(k, test, earlier, later, best, &o); err != nil {
			return nil, fmt.Errorf("%s ahead: %w", text.Count(horizon, "step"), err)
		}
	}
	c.Skill = c.Skills[0]
	c.Verdict = c.sentence(o.Step)
	return c, nil
}

// outside returns the share of the values present that are outside the range of the past.
func (p *part) outside() float64 {
	values, n := withoutMissing(p.future), 0.0
	for _, v := range values {
		n += indicator(v < p.past.Cells.low || v > p.past.Cells.high)
	}
	return n / float64(max(len(values), 1))
}

// choose returns the contender on the test part that had the least nats at the first
// horizon on the validation part. Of equal ones it is the first. If its gain over an
// unconditional forecaster is not above one standard error there, the better one of these
// is chosen (the rule of one standard error: Breiman, Friedman, Olshen & Stone 1984).
func (o *Options) choose(p *part, earlier, later []contender) (contender, error) {
	origins, able := common(earlier, 0)
	if len(origins) < fewestScored {
		return contender{}, fmt.Errorf("%d of the %d values to validate are present and "+
			"have a forecast by every forecaster; want at least %d",
			len(origins), len(p.future), fewestScored)
	}
	best, simple := -1, -1
	means := make([]float64, len(able))
	for i, c := range able {
		means[i], _ = momentsOf(at(c.scores[0].nats, origins))
		switch {
		case named(later, c.forecaster.Name()) < 0:
		case best < 0 || means[i] < means[best]-1e-9:
			best = i
		}
		if isReference(c.forecaster) && (simple < 0 || means[i] < means[simple]) {
			simple = i
		}
	}
	if !isReference(able[best].forecaster) {
		_, skill := o.skill(0, p, able, able[best], origins)
		if skill.Estimate <= (skill.High-skill.Low)/(2*1.96) {
			best = simple
		}
	}
	return later[named(later, able[best].forecaster.Name())], nil
}

// skill returns the draws of the bootstrap for horizon number k of a part, and the skill
// of the best contender against the references among those that are able. A reference has
// the skill 0.
func (o *Options) skill(k int, p *part, able []contender, best contender, origins []int) ([][]uint16, Skill) {
	nats := at(best.scores[k].nats, origins)
	block := blockLength(nats)
	var references [][]float64
	for _, a := range able {
		if isReference(a.forecaster) {
			reference := at(a.scores[k].nats, origins)
			references = append(references, reference)
			block = max(block, blockLength(differences(reference, nats)))
		}
	}
	horizon := o.Horizons[k]
	block = min(max(block, float64(horizon)/float64(p.stride)), float64(len(origins))/3)
	draws := resamples(len(origins), o.Draws, block, random.New(o.Seed, "series/bootstrap", uint64(horizon)))
	if isReference(best.forecaster) {
		return draws, Skill{Horizon: horizon}
	}
	return draws, newSkill(horizon, nats, references, draws)
}

// score adds the rows and the skill of horizon number k.
func (c *Comparison) score(k int, p *part, earlier, later []contender, best contender, o *Options) error {
	origins, able := common(later, k)
	if len(origins) < fewestScored {
		return fmt.Errorf("%d of the last %d values are present and have a forecast by every forecaster; "+
			"want at least %d",
			len(origins), len(p.future), fewestScored)
	}
	horizon := o.Horizons[k]
	forecasts := named(able, best.forecaster.Name()) >= 0
	if !forecasts && k == 0 {
		return fmt.Errorf("%s has no forecast", best.name)
	}
	if !forecasts {
		best = able[0] // a reference, for the draws
	}
	draws, skill := o.skill(k, p, able, best, origins)
	scale := seasonalScale(p.past.Values, max(o.Season, 1))
	for _, a := range able {
		row := Row{Name: a.name, Horizon: horizon, Scored: len(origins)}
		row.Nats, row.NatsInterval = meanAndInterval(at(a.scores[k].nats, origins), draws)
		if o.symbols == 0 {
			row.Errors = newErrors(a.scores[k], origins, draws, scale)
			if i := named(earlier, a.forecaster.Name()); i >= 0 {
				reach := (horizon + p.stride - 1) / p.stride
				row.cover(earlier[i].scores[k].errors, at(a.scores[k].errors, origins), reach, draws)
			}
		}
		c.Forecasters = append(c.Forecasters, row)
	}
	if forecasts {
		c.Skills = append(c.Skills, skill)
	}
	return nil
}

// named returns the index of the contender whose forecaster has a name, or −1.
func named(all []contender, name string) int {
	return slices.IndexFunc(all, func(c contender) bool { return c.forecaster.Name() == name })
}

// newErrors returns the scores of one forecaster at the given origins.
func newErrors(r rolled, origins []int, draws [][]uint16, scale float64) *Errors {
	absolute, squared := at(r.errors, origins), at(r.errors, origins)
	for i, e := range absolute {
		absolute[i], squared[i] = math.Abs(e), e*e
	}
	row := &Errors{}
	row.MAE, row.MAEInterval = meanAndInterval(absolute, draws)
	row.RMSE, row.RMSEInterval = meanAndInterval(squared, draws)
	row.RMSE = math.Sqrt(row.RMSE)
	for i := range row.RMSEInterval {
		row.RMSEInterval[i] = math.Sqrt(row.RMSEInterval[i])
	}
	if scale > 0 {
		row.MASE, row.MASEInterval = row.MAE/scale, row.MAEInterval
		for i := range row.MASEInterval {
			row.MASEInterval[i] /= scale
		}
	}
	row.CRPS, row.CRPSInterval = meanAndInterval(at(r.crps, origins), draws)
	return row
}

// cover sets the coverage from the errors of the validation and of the test part, unless
// the first are too few.
func (row *Errors) cover(calibration, errors []float64, reach int, draws [][]uint16) {
	row.Radius = map[string]float64{}
	row.Coverage, row.CoverageInterval = map[string]float64{}, map[string]Interval{}
	if len(withoutMissing(calibration)) < fewestScored {
		return
	}
	for _, l := range coverageLevels {
		c := newConformal(calibration, l.level)
		row.Coverage[l.name], row.CoverageInterval[l.name] = meanAndInterval(c.run(errors, reach), draws)
		if radius := c.radius(); !math.IsInf(radius, 1) {
			row.Radius[l.name] = radius
		}
	}
}

func meanAndInterval(values []float64, draws [][]uint16) (float64, Interval) {
	mean, _ := momentsOf(values)
	return mean, percentiles(resampled(values, draws))
}

// seasonalScale returns the mean absolute change over one season.
func seasonalScale(values []float64, season int) float64 {
	sum, n := 0.0, 0.0
	for t := season; t < len(values); t++ {
		if change := math.Abs(values[t] - values[t-season]); !math.IsNaN(change) {
			sum += change
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}
