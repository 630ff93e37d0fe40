package audit

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"foretell/internal/random"
)

func normals(seed uint64, n int) []float64 {
	s := random.New(seed, "audit/test")
	z := make([]float64, n)
	for i := range z {
		z[i] = s.Normal()
	}
	return z
}

func scaled(z []float64, shift, spread float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		x[i] = shift + spread*z[i]
	}
	return x
}

// repeated is z as errors with correlation r after lag steps, of the same variance.
func repeated(z []float64, lag int, r float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		x[i] = z[i]
		if i >= lag {
			x[i] = r*x[i-lag] + math.Sqrt(1-r*r)*z[i]
		}
	}
	return x
}

// ranksOf are the ranks of x among forecasts of a standard normal distribution.
func ranksOf(x []float64) []float64 {
	u := make([]float64, len(x))
	for i := range x {
		u[i] = math.Erfc(-x[i]/math.Sqrt2) / 2
	}
	return u
}

func audited(t *testing.T, u []float64, o Options) *Result {
	t.Helper()
	r, err := FromDistributions(u)
	return done(t, r, err, o)
}

// byQuantiles audits the deciles of a standard normal distribution.
func byQuantiles(t *testing.T, x []float64, o Options) *Result {
	t.Helper()
	deciles := []float64{-1.28155, -0.84162, -0.5244, -0.25335, 0, 0.25335, 0.5244, 0.84162, 1.28155}
	rows := make([][]float64, len(x))
	for i := range rows {
		rows[i] = deciles
	}
	r, err := FromQuantiles([]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}, rows, x)
	return done(t, r, err, o)
}

func byPoints(t *testing.T, x []float64, o Options) *Result {
	t.Helper()
	r, err := FromPoints(make([]float64, len(x)), x, 1)
	return done(t, r, err, o)
}

func done(t *testing.T, r *Ranks, err error, o Options) *Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Audit(o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// has reports whether a fault was found.
func (r *Result) has(fault Fault, lag int) bool {
	for _, f := range r.Found {
		if f.Fault == fault && f.Lag == lag {
			return true
		}
	}
	return false
}

// seeds is the number of seeds of each rate: 100, and 10 in the short test.
func seeds() uint64 {
	if testing.Short() {
		return 10
	}
	return 100
}

// Against right forecasts the e-value is above 20 in at most 5 of 100 seeds; faults that
// are in the data are found in at least 90 of 100, within 300 values.
func TestRates(t *testing.T) {
	by := func(t *testing.T, x []float64, o Options) *Result { t.Helper(); return audited(t, ranksOf(x), o) }
	narrow := func(z []float64) []float64 { return scaled(z, 0, 1/0.7) }
	weekly := func(z []float64) []float64 { return repeated(z, 7, 0.5) }
	right := func(z []float64) []float64 { return z }
	for _, test := range []struct {
		name  string
		n     int
		audit func(t *testing.T, x []float64, o Options) *Result
		from  func(z []float64) []float64
		fault Fault
		lag   int
	}{
		{"right, distributions", 300, by, right, "", 0},
		{"right, distributions", 1000, by, right, "", 0},
		{"right, deciles", 300, byQuantiles, right, "", 0},
		{"exchangeable, points", 300, byPoints, right, "", 0},
		{"narrow, distributions", 300, by, narrow, TooNarrow, 0},
		{"narrow, deciles", 300, byQuantiles, narrow, TooNarrow, 0},
		{"weekly, distributions", 300, by, weekly, Repeats, 7},
		{"weekly, deciles", 300, byQuantiles, weekly, Repeats, 7},
		{"weekly, points", 300, byPoints, weekly, Repeats, 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.n > 300 && testing.Short() {
				return
			}
			above, found := 0, 0
			for seed := range seeds() {
				r := test.audit(t, test.from(normals(seed, test.n)), Options{})
				if r.EValue > 20 {
					above++
				}
				if r.has(test.fault, test.lag) {
					found++
				}
			}
			t.Logf("%d values: e-value above 20 in %d of %d seeds, fault found in %d", test.n, above, seeds(), found)
			if test.fault == "" && above > int(seeds())/20 || test.fault != "" && found < int(seeds())*9/10 {
				t.Errorf("%d values: e-value above 20 in %d of %d seeds, fault found in %d", test.n, above, seeds(), found)
			}
		})
	}
}

// Each fault is named as what it is, and what it is not is not named.
func TestFaultsAreNamed(t *testing.T) {
	z := normals(5, 400)
	for _, test := range []struct {
		name    string
		x       []float64
		options Options
		found   []Fault
	}{
		{"low", scaled(z, 0.5, 1), Options{}, []Fault{TooLow}},
		{"very low", scaled(z, 2, 1), Options{}, []Fault{TooLow}},
		{"high", scaled(z, -0.5, 1), Options{}, []Fault{TooHigh}},
		{"wide", scaled(z, 0, 0.7), Options{}, []Fault{TooWide}},
		{"low and narrow", scaled(z, 0.7, 1.5), Options{}, []Fault{TooLow, TooNarrow}},
		{"repeated and narrow", scaled(repeated(z, 3, 0.6), 0, 1.5), Options{}, []Fault{Repeats, TooNarrow}},
		{"nearly constant", repeated(normals(1, 500), 1, 0.95), Options{}, []Fault{Repeats}},
		{"reversed", repeated(z, 1, -0.6), Options{}, []Fault{Reverses}},
		{"season", repeated(z, 30, 0.6), Options{Season: 30}, []Fault{Repeats}},
		{"season not looked at", repeated(z, 30, 0.6), Options{}, nil},
		{"drift", drifting(z), Options{}, []Fault{Drifts}},
		{"sizes", sized(z), Options{}, []Fault{Sizes}},
		{"skewed", skewed(normals(1, 400)), Options{}, []Fault{Shape}},
		{"pattern", repeated(normals(2, 400), 5, 0.6), Options{Lags: 3, Pattern: func() Bettor { return newCounter(4, 5) }}, []Fault{Pattern}},
	} {
		r := audited(t, ranksOf(test.x), test.options)
		same := len(r.Found) == len(test.found)
		for _, fault := range test.found {
			named := false
			for _, f := range r.Found {
				named = named || f.Fault == fault
			}
			same = same && named
		}
		if !same {
			t.Errorf("%s: found %v, want %v", test.name, r.Found, test.found)
		}
	}
}

func drifting(z []float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		x[i] = 0.8*z[i] + 0.8*math.Sin(float64(i)/50)
	}
	return x
}

// sized errors have the variance of an ARCH process of order 1.
func sized(z []float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		if x[i] = z[i]; i > 0 {
			x[i] *= math.Sqrt(0.4 + 0.6*x[i-1]*x[i-1])
		}
	}
	return x
}

// skewed errors have an exponential distribution of mean 0 and variance 1.
func skewed(z []float64) []float64 {
	x := make([]float64, len(z))
	for i := range z {
		x[i] = -math.Log(math.Erfc(z[i]/math.Sqrt2)/2) - 1
	}
	return x
}

// Right forecasts seven steps ahead have errors that resemble each other over six steps.
// The horizon says so; without it they are found.
func TestHorizon(t *testing.T) {
	above, points, repeats := 0, 0, 0
	for seed := range seeds() {
		z := normals(seed, 606)
		x := make([]float64, 600)
		for i := range x {
			for j := range 7 {
				x[i] += z[i+j] / math.Sqrt(7)
			}
		}
		if audited(t, ranksOf(x), Options{Horizon: 7}).EValue > 20 {
			above++
		}
		if byPoints(t, x, Options{Horizon: 7}).EValue > 20 {
			points++
		}
		if audited(t, ranksOf(x), Options{}).has(Repeats, 1) {
			repeats++
		}
	}
	t.Logf("of %d seeds, e-value above 20 in %d and by points in %d, found in %d without the horizon",
		seeds(), above, points, repeats)
	if max(above, points) > int(seeds())/20 || repeats < int(seeds())*9/10 {
		t.Error("want at most 5 of 100 and at least 90 of 100")
	}
	weekly := audited(t, ranksOf(repeated(normals(1, 600), 14, 0.9)), Options{Horizon: 7, Season: 14})
	if !weekly.has(Repeats, 14) || len(weekly.LogWealth) != 600 {
		t.Errorf("found %v", weekly.Found)
	}
}

// Missing outcomes are counted, and lags are still those of the rows.
func TestMissing(t *testing.T) {
	u := ranksOf(repeated(normals(2, 500), 7, 0.7))
	for i := 3; i < len(u); i += 10 {
		u[i] = math.NaN()
	}
	r := audited(t, u, Options{})
	if r.N != 450 || r.Missing != 50 || !r.has(Repeats, 7) || len(r.LogWealth) != 500 {
		t.Errorf("%d values, %d missing, found %v", r.N, r.Missing, r.Found)
	}
}

// The worst forecasts have a finite result, which JSON can hold, for any length.
func TestWorstForecasts(t *testing.T) {
	n := 2000
	if !testing.Short() {
		n = 20000
	}
	for name, rank := range map[string]func(i int) float64{
		"always 0":  func(int) float64 { return 0 },
		"always 1":  func(int) float64 { return 1 },
		"0, then 1": func(i int) float64 { return math.Floor(float64(2*i) / float64(n)) },
		"0 and 1":   func(i int) float64 { return float64(i % 2) },
		"median":    func(int) float64 { return 0.5 },
	} {
		u := make([]float64, n)
		for i := range u {
			u[i] = rank(i)
		}
		r := audited(t, u, Options{})
		text, err := json.Marshal(r)
		if err != nil || len(text) == 0 || r.EValue != 1e300 || !(r.LogEValue > 1000) || math.IsInf(r.LogEValue, 0) {
			t.Errorf("%s: e-value %g, log %g, %v", name, r.EValue, r.LogEValue, err)
		}
		if len(r.Found) == 0 {
			t.Errorf("%s: nothing found", name)
		}
	}
}

// failing is a Bettor that cannot learn.
type failing struct{ *counter }

var errFull = errors.New("the tree is full")

func (failing) Observe(int) error { return errFull }

func TestBettorFails(t *testing.T) {
	r, err := FromDistributions([]float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Audit(Options{Pattern: func() Bettor { return failing{newCounter(2, 0)} }})
	if !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}
