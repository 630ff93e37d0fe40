package series

import (
	"context"
	"fmt"
	"math"
)

// Unconditional forecasts each value by the distribution of the past, whatever came last.
// Missing values are left out. Skill is measured against it and [UnconditionalNormal].
type Unconditional struct{}

// Name returns "unconditional".
func (Unconditional) Name() string { return "unconditional" }

// Fit returns the empirical distribution of the past.
func (f Unconditional) Fit(_ context.Context, past Past) (Model, error) {
	d, err := NewEmpirical(past.Values)
	return fixed{f.Name(), d}, err
}

// UnconditionalNormal forecasts each value by the normal distribution with the mean and
// the deviation of the past. On normal noise it is better than the empirical
// distribution, which has more to estimate: a reference without it would let every model
// with a normal distribution look as if it could foresee something.
type UnconditionalNormal struct{}

// Name returns "unconditional normal".
func (UnconditionalNormal) Name() string { return "unconditional normal" }

// Fit returns the normal distribution of the past.
func (f UnconditionalNormal) Fit(_ context.Context, past Past) (Model, error) {
	mean, deviation := momentsOf(past.Values)
	if math.IsNaN(deviation) {
		return nil, fmt.Errorf("%s: no values were given", f.Name())
	}
	return fixed{f.Name(), Normal{mean, deviation}}, nil
}

// fixed is a model without a state.
type fixed struct {
	name     string
	forecast Distribution
}

func (f fixed) Name() string    { return f.name }
func (f fixed) Observe(float64) {}
func (f fixed) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	for k := range all {
		all[k] = f.forecast
	}
	return all
}

// LastValue is the random walk: the forecast is the last value seen, with a variance of
// σ² for each step since then, missing values included. σ² is the mean square of the
// past's changes from a value to the next.
type LastValue struct{}

// Name returns "last value".
func (LastValue) Name() string { return "last value" }

// Fit returns an error if no two neighbours are present.
func (f LastValue) Fit(_ context.Context, past Past) (Model, error) {
	return fitRepeated(f.Name(), past.Values, 1)
}

// SeasonalNaive forecasts the value of one season earlier. If that is missing, it takes
// the last one seen at the same place of the season. The variance is σ² for each season
// between them; σ² is the mean square of the past's changes over a season.
type SeasonalNaive struct{}

// Name returns "seasonal naive".
func (SeasonalNaive) Name() string { return "seasonal naive" }

// Fit returns an error if there is no season, or no two values one season apart.
func (f SeasonalNaive) Fit(_ context.Context, past Past) (Model, error) {
	if past.Season < 2 {
		return nil, fmt.Errorf("%s: the series has no season", f.Name())
	}
	return fitRepeated(f.Name(), past.Values, past.Season)
}

// repeated is a random walk for each place of a season.
type repeated struct {
	name  string
	sigma float64
	last  []float64 // by place of the season; NaN if none was seen
	age   []float64 // seasons since last was seen, at the next time of this place
	place int       // place of the next value
}

func fitRepeated(name string, values []float64, season int) (Model, error) {
	squares, pairs := 0.0, 0.0
	for t := season; t < len(values); t++ {
		if change := values[t] - values[t-season]; !math.IsNaN(change) {
			squares += change * change
			pairs++
		}
	}
	if pairs == 0 {
		return nil, fmt.Errorf("%s: no two of %d values are %d apart", name, len(values), season)
	}
	r := &repeated{name: name, sigma: math.Sqrt(squares / pairs)}
	r.last, r.age = make([]float64, season), make([]float64, season)
	for i := range r.last {
		r.last[i] = math.NaN()
	}
	for _, x := range values {
		r.Observe(x)
	}
	return r, nil
}

func (r *repeated) Name() string { return r.name }

func (r *repeated) Observe(x float64) {
	r.age[r.place]++
	if !math.IsNaN(x) {
		r.last[r.place], r.age[r.place] = x, 1
	}
	r.place = (r.place + 1) % len(r.last)
}

func (r *repeated) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	for k := range all {
		place := (r.place + k) % len(r.last)
		if seasons := r.age[place] + float64(k/len(r.last)); !math.IsNaN(r.last[place]) {
			all[k] = Normal{r.last[place], r.sigma * math.Sqrt(seasons)}
		}
	}
	return all
}
