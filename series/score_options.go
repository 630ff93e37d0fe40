package series

import (
	"errors"
	"fmt"

	"foretell/token"
)

// Options are the choices of [Compare]. The zero value is the default of each.
type Options struct {
	// Forecasters are compared; nil for [Forecasters]. [Unconditional] is put in front, and
	// [UnconditionalNormal] unless the values are symbols.
	Forecasters []Forecaster
	// Season is the number of values in a season, 0 without one.
	Season int
	// Horizons are the steps ahead at which forecasts are scored; nil for 1 and one season.
	// The verdict is about the first.
	Horizons []int
	// Test is the number of values of the test part, the last ones; 0 for a fifth.
	Test int
	// Levels is the number of cells for nats; 0 for 16. Of symbols it is their number.
	Levels int
	// Origins is the largest number of origins in a part, up to 20,000; 0 for 2,000. If a
	// part has more values, origins are equally spaced, at a distance without a factor in
	// common with the season. Models still observe every value.
	Origins int
	// Draws is the number of bootstrap draws; 0 for 1,000.
	Draws int
	// Seed is the seed of the bootstrap.
	Seed uint64
	// Step is the name of the time from a value to the next, such as "month"; empty for
	// "value".
	Step string
	// Trying is called with the name of each forecaster before it is fitted; nil for
	// nothing.
	Trying func(name string)

	symbols int // number of symbols of the series, 0 for numbers
}

// Forecasters returns the forecasters that [Compare] uses by default.
func Forecasters() []Forecaster {
	return []Forecaster{
		Unconditional{}, UnconditionalNormal{}, LastValue{}, SeasonalNaive{}, AR{}, Theta{}, ETS{},
	}
}

// fewestScored is the smallest number of forecasts that scores are computed from.
const fewestScored = 10

// complete sets the defaults, and returns the sizes of the parts.
func (o *Options) complete(s *Series) (Parts, error) {
	n := len(s.Values)
	for i, v := range s.Values {
		if isLarge(v) {
			return Parts{}, fmt.Errorf("value %d is %g: want numbers within ±%g", i+1, v, mostMagnitude)
		}
	}
	setDefault(&o.Test, n/5)
	setDefault(&o.Levels, 16)
	setDefault(&o.Origins, 2000)
	setDefault(&o.Draws, 1000)
	o.symbols = len(s.Symbols)
	if o.Step == "" {
		o.Step = "value"
	}
	if o.Trying == nil {
		o.Trying = func(string) {}
	}
	o.Forecasters = o.withReferences()
	parts := Parts{Test: o.Test, Validation: (n - o.Test) / 4}
	parts.Train = n - parts.Test - parts.Validation
	shortest := min(parts.Validation, parts.Test)
	if o.Horizons == nil {
		o.Horizons = []int{1}
		if o.Season > 1 && o.Season+fewestScored <= shortest {
			o.Horizons = append(o.Horizons, o.Season)
		}
	}
	return parts, o.check(parts, shortest)
}

func setDefault(option *int, value int) {
	if *option == 0 {
		*option = value
	}
}

// check returns an error for an option that is out of range.
func (o *Options) check(parts Parts, shortest int) error {
	if o.Season < 0 || o.Test < 0 || o.Origins < fewestScored || o.Origins > 20_000 || o.Draws < 100 {
		return fmt.Errorf("compare: season %d, test %d, origins %d, draws %d: want season ≥ 0, test ≥ 0, "+
			"origins from %d to 20,000, draws ≥ 100", o.Season, o.Test, o.Origins, o.Draws, fewestScored)
	}
	names := map[string]bool{}
	for _, f := range o.Forecasters {
		if names[f.Name()] {
			return fmt.Errorf("compare: two forecasters have the name %q", f.Name())
		}
		names[f.Name()] = true
	}
	for _, horizon := range o.Horizons {
		if horizon < 1 {
			return fmt.Errorf("compare: horizon %d: want at least 1", horizon)
		}
		most := shortest - fewestScored + 1
		n := parts.Train + parts.Validation + parts.Test
		switch {
		case most < 1 && o.Test == n/5:
			return fmt.Errorf("too few values, %d; want at least %d", n, 5*fewestScored)
		case most < 1:
			return fmt.Errorf("%d values to train, %d to validate and %d to test; "+
				"want at least %d for each of the last two",
				parts.Train, parts.Validation, parts.Test, fewestScored)
		case horizon > most:
			return fmt.Errorf("a horizon of %d steps; want 1 to %d for %d values to validate and %d to test",
				horizon, most, parts.Validation, parts.Test)
		}
	}
	return nil
}

// withReferences returns the forecasters, the unconditional ones first.
func (o *Options) withReferences() []Forecaster {
	given := o.Forecasters
	if given == nil {
		given = Forecasters()
	}
	all := []Forecaster{Unconditional{}}
	if o.symbols == 0 {
		all = append(all, UnconditionalNormal{})
	}
	for _, f := range given {
		if !isReference(f) {
			all = append(all, f)
		}
	}
	return all
}

func isReference(f Forecaster) bool { return f == Unconditional{} || f == UnconditionalNormal{} }

// cells returns the cells for forecasts after the given values.
func (o *Options) cells(past []float64) (*Cells, error) {
	if o.symbols == 0 {
		return FitCells(past, o.Levels)
	}
	if o.symbols == 1 {
		return nil, errors.New("all symbols are the same; want at least two different ones")
	}
	c := &Cells{low: -0.5, high: float64(o.symbols) - 0.5}
	var thresholds []float64
	for k := range o.symbols {
		c.means = append(c.means, float64(k))
		if k > 0 {
			thresholds = append(thresholds, float64(k)-0.5)
		}
	}
	var err error
	c.Scalar, err = token.NewScalar(thresholds, c.means)
	return c, err
}
