package series

import (
	"context"
	"fmt"
	"math"
)

// rolled are the scores of one forecaster at one horizon: element i of each slice is
// about the forecast made at origin i. An element is NaN if the value was missing, or if
// there was no forecast.
type rolled struct {
	errors []float64 // value minus mean
	crps   []float64
	nats   []float64
}

// part is a stretch of a series that is forecast value by value: the past, on which
// forecasters are fitted once, and the values that follow.
type part struct {
	past     Past
	future   []float64
	horizons []int
	stride   int // values from an origin to the next
}

// newPart returns the part of values[begin:end], with cells for the values before.
func newPart(values []float64, begin, end int, o *Options) (*part, error) {
	cells, err := o.cells(values[:begin])
	if err != nil {
		return nil, fmt.Errorf("the first %d of %d values, from which forecasters learn: %w", begin, len(values), err)
	}
	return &part{
		past:     Past{Values: values[:begin], Season: o.Season, Cells: cells},
		future:   values[begin:end],
		horizons: o.Horizons,
		stride:   originStride(end-begin, o.Origins, o.Season),
	}, nil
}

// originStride returns the distance between origins, for at most `most` of n. It has no
// factor in common with the season, so that all places of the season are origins.
func originStride(n, most, season int) int {
	stride := (n + most - 1) / most
	for stride > 1 && season > 1 && greatestDivisor(stride, season) > 1 {
		stride++
	}
	return max(stride, 1)
}

func greatestDivisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// roll fits a forecaster on the past of a part, forecasts from each origin, and gives the
// model each value after it was forecast. It returns the model's name and the scores by
// horizon.
func (p *part) roll(ctx context.Context, f Forecaster) (string, []rolled, error) {
	model, err := f.Fit(ctx, p.past)
	if err != nil {
		return "", nil, err
	}
	scores := make([]rolled, len(p.horizons))
	longest := 0
	for _, horizon := range p.horizons {
		longest = max(longest, horizon)
	}
	for origin, x := range p.future {
		if origin%p.stride == 0 {
			if ctx.Err() != nil {
				return "", nil, ctx.Err()
			}
			forecasts := model.Forecast(longest)
			for k, horizon := range p.horizons {
				if target := origin + horizon - 1; target < len(p.future) {
					scores[k].add(p.past.Cells, forecasts[horizon-1], p.future[target])
				}
			}
		}
		model.Observe(x)
	}
	return model.Name(), scores, nil
}

// add appends the scores of a forecast of x.
func (r *rolled) add(cells *Cells, d Distribution, x float64) {
	e, crps, nats := math.NaN(), math.NaN(), math.NaN()
	if d != nil && !math.IsNaN(x) {
		e, crps, nats = x-d.Mean(), d.CRPS(x), cells.Nats(d, x)
	}
	r.errors = append(r.errors, e)
	r.crps = append(r.crps, crps)
	r.nats = append(r.nats, nats)
}

// contender is a forecaster with its scores on a part.
type contender struct {
	forecaster Forecaster
	name       string // of the fitted model
	scores     []rolled
}

// contend rolls all forecasters over a part. A forecaster that cannot be fitted is left
// out, with the reason.
func (p *part) contend(ctx context.Context, o *Options) (all []contender, out []LeftOut, err error) {
	for _, f := range o.Forecasters {
		o.Trying(f.Name())
		name, scores, err := p.roll(ctx, f)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			out = append(out, LeftOut{f.Name(), err.Error()})
			continue
		}
		all = append(all, contender{f, name, scores})
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("compare: no forecaster could be fitted: %s", out[0].Reason)
	}
	return all, out, nil
}

// common returns the origins at which all contenders that forecast at horizon number k
// have a score, and these contenders.
func common(all []contender, k int) (origins []int, able []contender) {
	for _, c := range all {
		for _, e := range c.scores[k].errors {
			if !math.IsNaN(e) {
				able = append(able, c)
				break
			}
		}
	}
	if len(able) == 0 {
		return nil, nil
	}
next:
	for i := range able[0].scores[k].errors {
		for _, c := range able {
			if math.IsNaN(c.scores[k].errors[i]) {
				continue next
			}
		}
		origins = append(origins, i)
	}
	return origins, able
}

// at returns the elements of values at the given places.
func at(values []float64, places []int) []float64 {
	chosen := make([]float64, len(places))
	for i, place := range places {
		chosen[i] = values[place]
	}
	return chosen
}
