package audit

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
)

// coarse returns the ranks of cells between levels.
func coarse(levels []float64, cells []int) *Ranks {
	r := &Ranks{levels: levels, histograms: coarser(levels), histogram: newHistogram(levels)}
	for _, cell := range cells {
		if cell < 0 {
			r.add(math.NaN())
		} else {
			r.add((levels[cell] + levels[cell+1]) / 2)
		}
	}
	return r
}

// expected returns the expected e-value under the hypothesis, and that of each fault, by
// enumeration of all sequences of n cells. Of the rows in missing nothing is seen.
func expected(t *testing.T, levels []float64, n int, missing []int, o Options) (whole float64, faults []float64) {
	t.Helper()
	cells := make([]int, n)
	for _, row := range missing {
		cells[row] = -1
	}
	o, _ = o.check()
	laws := normalLaws(levels)
	var walk func(row int, p float64)
	walk = func(row int, p float64) {
		if row == n {
			wealth, logs := played(t, coarse(levels, cells), laws, o)
			whole += p * math.Exp(wealth)
			faults = append(faults, make([]float64, len(logs)-len(faults))...)
			for i, log := range logs {
				faults[i] += p * math.Exp(log)
			}
			return
		}
		if cells[row] < 0 {
			walk(row+1, p)
			return
		}
		for cell := range len(levels) - 1 {
			cells[row] = cell
			walk(row+1, p*(levels[cell+1]-levels[cell]))
		}
		cells[row] = 0
	}
	walk(0, 1)
	return whole, faults
}

// played returns the logarithm of the e-value of ranks, and of each fault's.
func played(t *testing.T, r *Ranks, laws []normalLaw, o Options) (whole float64, faults []float64) {
	t.Helper()
	wealth, each := make([]float64, o.Horizon), make([][]float64, o.Horizon)
	for i := range wealth {
		trial := r.trial(laws, o)
		for j := i; j < len(r.cells); j += o.Horizon {
			if err := trial.learn(r.cells[j]); err != nil {
				t.Fatal(err)
			}
		}
		wealth[i], each[i] = trial.full.wealth(), trial.logs()
	}
	for fault := range each[0] {
		logs := make([]float64, o.Horizon)
		for i := range logs {
			logs[i] = each[i][fault]
		}
		faults = append(faults, logMean(logs))
	}
	return logMean(wealth), faults
}

// An audit's e-values are those whose expectation is taken below.
func TestAuditPlaysAllTrials(t *testing.T) {
	r, err := FromDistributions(ranksOf(scaled(normals(1, 300), 1, 1.5)))
	if err != nil {
		t.Fatal(err)
	}
	o, _ := Options{Horizon: 2}.check()
	a := done(t, r, nil, o)
	whole, faults := played(t, r, normalLaws(r.levels), o)
	if a.LogEValue != whole || a.Looked != len(faults) || len(a.Found) == 0 {
		t.Errorf("log e-value %g, want %g; %d faults, want %d; found %v", a.LogEValue, whole, a.Looked, len(faults), a.Found)
	}
	for _, f := range a.Found {
		if f.Lag == 0 && !slices.Contains(faults, f.LogEValue) {
			t.Errorf("%v is not among %v", f, faults)
		}
	}
}

// The expected wealth under the hypothesis is exactly 1, and that of a fault at most 1:
// over all sequences of cells, each with its probability.
func TestExpectedWealthIsOne(t *testing.T) {
	pattern := func() Bettor { return newCounter(2, 1) }
	for _, test := range []struct {
		name    string
		levels  []float64
		n       int
		missing []int
		options Options
	}{
		{"unequal cells", []float64{0, 0.1, 0.7, 1}, 5, nil, Options{Lags: 2}},
		{"four cells", []float64{0, 0.05, 0.5, 0.9, 1}, 4, nil, Options{Lags: 1, Season: 3}},
		{"pattern", []float64{0, 0.2, 0.6, 1}, 5, nil, Options{Lags: 1, Pattern: pattern}},
		{"missing", []float64{0, 0.2, 0.6, 1}, 6, []int{2}, Options{Lags: 3, Pattern: pattern}},
		{"two steps ahead", []float64{0, 0.2, 0.6, 1}, 6, nil, Options{Lags: 2, Horizon: 2}},
	} {
		whole, faults := expected(t, test.levels, test.n, test.missing, test.options)
		if math.Abs(whole-1) > 1e-10 {
			t.Errorf("%s: the expected e-value is %.15g, want 1", test.name, whole)
		}
		for i, fault := range faults {
			if !(fault > 0.01 && fault < 1+1e-10) {
				t.Errorf("%s: the expected e-value of fault %d is %.15g, want at most 1", test.name, i, fault)
			}
		}
	}
}

// After any past, also one of the worst ranks, the expected wealth after the next of the
// 42 cells of full distributions is the wealth before.
func TestNextWealthIsFair(t *testing.T) {
	top := len(fine("").levels) - 2
	pasts := [][]int{nil, {0, 0, 0, 0, 0, 0, 0}, {top, top, top, 0, top}, {20, -1, 21, 3, 40, 12, 0, 22}}
	long := make([]int, 200)
	for i := range long {
		long[i] = i % 2 * top
	}
	for i, past := range append(pasts, long) {
		wealth := func(next int) float64 {
			r := fine("")
			trial := r.trial(normalLaws(r.levels), Options{Lags: 2, Horizon: 1})
			for _, cell := range past {
				if err := trial.full.learn(cell); err != nil {
					t.Fatal(err)
				}
			}
			before := trial.full.wealth()
			if err := trial.full.learn(next); err != nil {
				t.Fatal(err)
			}
			return math.Exp(trial.full.wealth() - before)
		}
		sum, levels := 0.0, fine("").levels
		for cell := range top + 1 {
			gain := wealth(cell)
			if !(gain > 0) {
				t.Errorf("past %d, cell %d: wealth is multiplied by %g", i, cell, gain)
			}
			sum += (levels[cell+1] - levels[cell]) * gain
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("past %d: the expected gain is %.15g, want 1", i, sum)
		}
	}
}

// Ranks seen in a mirror have the same wealth, and faults of the other sign.
func TestMirror(t *testing.T) {
	u := ranksOf(scaled(normals(3, 200), 0.8, 1))
	mirrored := make([]float64, len(u))
	for i := range u {
		mirrored[i] = 1 - u[i]
	}
	a, b := audited(t, u, Options{}), audited(t, mirrored, Options{})
	if math.Abs(a.LogEValue-b.LogEValue) > 1e-6 {
		t.Errorf("log e-values %g and %g", a.LogEValue, b.LogEValue)
	}
	if !a.has(TooLow, 0) || !b.has(TooHigh, 0) || b.has(TooLow, 0) {
		t.Errorf("found %v and %v", a.Found, b.Found)
	}
}

func placed(errors []float64, seed uint64) []float64 {
	ranks := make([]float64, len(errors))
	conformal(ranks, errors, seed, 0, 1)
	return ranks
}

// Over all orders of errors, the place of each among those so far is uniform, and
// independent of the earlier places: each combination of places occurs once.
func TestConformalRanksAreUniform(t *testing.T) {
	const n = 5
	seen := map[[n]int]bool{}
	var permute func(errors []float64, k int)
	permute = func(errors []float64, k int) {
		if k == n {
			var places [n]int
			for i, u := range placed(errors, 1) {
				places[i] = int(math.Floor(u * float64(i+1)))
			}
			seen[places] = true
			return
		}
		for i := k; i < n; i++ {
			errors[k], errors[i] = errors[i], errors[k]
			permute(errors, k+1)
			errors[k], errors[i] = errors[i], errors[k]
		}
	}
	permute([]float64{-2, 0, 0.5, 3, 7}, 0)
	if len(seen) != 120 {
		t.Errorf("%d combinations of places, want 120", len(seen))
	}
}

// Equal errors have ranks within their common places, and missing ones none.
func TestConformalTies(t *testing.T) {
	errors := []float64{1, 1, math.NaN(), 0, 1}
	u := placed(errors, 4)
	if !math.IsNaN(u[2]) || !(u[3] < 1./3) || !(u[4] >= 0.25 && u[4] < 1) {
		t.Errorf("ranks %v of errors %v", u, errors)
	}
	if other := placed(errors, 5); other[4] == u[4] {
		t.Errorf("two seeds give the rank %g", u[4])
	}
	sum := 0.0
	for _, rank := range placed(make([]float64, 2000), 1) {
		sum += rank / 2000
	}
	if math.Abs(sum-0.5) > 5/math.Sqrt(12*2000) {
		t.Errorf("the mean rank of equal errors is %g, want 0.5", sum)
	}
}

// A counter's context is the symbol exactly lag steps earlier, whatever the lag.
func TestCounterLooksLagBack(t *testing.T) {
	for lag := 1; lag <= 6; lag++ {
		c, past := newCounter(3, lag), []int(nil)
		p, stream := make([]float64, 3), random.New(uint64(lag), "audit/counter")
		for range 60 {
			want := []float64{1. / 3, 1. / 3, 1. / 3}
			if len(past) >= lag {
				counts, total := []float64{0.5, 0.5, 0.5}, 1.5
				for i := lag; i < len(past); i++ {
					if past[i-lag] == past[len(past)-lag] {
						counts[past[i]]++
						total++
					}
				}
				for k := range want {
					want[k] = counts[k] / total
				}
			}
			if c.Next(p); !slices.Equal(p, want) {
				t.Fatalf("lag %d after %v: %v, want %v", lag, past, p, want)
			}
			symbol := int(3 * stream.Float64())
			past = append(past, symbol)
			if err := c.Observe(symbol); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The normal probabilities are accurate in both tails, where a difference of two
// cumulative probabilities would have no correct digit.
func TestNormalTails(t *testing.T) {
	const want = 6.219831985e-16 // of [8, 9], by erfc at 8 and 9 over √2
	if _, inside := normal(8, 9); math.Abs(inside/want-1) > 1e-6 {
		t.Errorf("above: %g, want %g", inside, want)
	}
	if _, inside := normal(-9, -8); math.Abs(inside/want-1) > 1e-6 {
		t.Errorf("below: %g, want %g", inside, want)
	}
}
