package token

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The optimal quantisers of a normal density and others. Tables since Max (1960) print
// 0.3634, 0.1175 and 0.03454 at one, two and three bits (the last cut and not rounded),
// and at 16, 32 and 36 levels 0.009497, 0.002499 and 0.001985, which are below the least
// there is; the digits here are those of Lloyd's method with the error function, to
// where nothing moves.
func TestLloydMaxOfDensities(t *testing.T) {
	uniform, err := NewDensity(func(float64) float64 { return 7 }, -3, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		d      *Density
		levels int
		want   float64
		within float64
	}{
		{"normal", Normal(0, 1), 2, 1 - 2/math.Pi, 1e-12}, // 0.3634
		{"normal", Normal(0, 1), 3, 0.1902, 5e-5},
		{"normal", Normal(0, 1), 4, 0.117481848, 5e-10},
		{"normal", Normal(0, 1), 8, 0.034547761, 5e-10},
		{"normal", Normal(0, 1), 16, 0.009501008, 5e-10},
		{"normal", Normal(0, 1), 32, 0.002504668, 5e-10},
		{"normal", Normal(0, 1), 36, 0.001991289, 5e-10},
		{"shifted", Normal(-70, 3), 8, 9 * 0.034547761, 5e-9},
		{"laplace", Laplace(0, 1), 2, 0.5, 1e-12},
		{"laplace", Laplace(0, 1), 4, 0.1762, 5e-5},
		{"laplace", Laplace(0, 1), 8, 0.0545, 5e-5},
		{"uniform", uniform, 2, 64. / 48, 1e-12},
		{"uniform", uniform, 7, 64. / 12 / 49, 1e-12},
		{"uniform", uniform, 256, 64. / 12 / 65536, 1e-12},
	} {
		q, err := LloydMax(c.d, c.levels, 1e-11)
		if err != nil {
			t.Errorf("%s, %d levels: %v", c.name, c.levels, err)
			continue
		}
		if got := c.d.Distortion(q); math.Abs(got-c.want) > c.within {
			t.Errorf("%s, %d levels: distortion %.7g, want %g", c.name, c.levels, got, c.want)
		}
	}
}

// The points of the normal's quantisers, as printed: symmetric, 0.7979; 0.4528 and 1.510.
func TestLloydMaxPoints(t *testing.T) {
	for levels, want := range map[int][]float64{2: {0.7979}, 3: {0, 1.224}, 4: {0.4528, 1.510}, 8: {0.2451, 0.7560, 1.344, 2.152}} {
		q, err := LloydMax(Normal(0, 1), levels, 1e-11)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want {
			if got := q.Points()[levels/2+i]; math.Abs(got-v) > 5e-4 {
				t.Errorf("%d levels: point %v, want %v", levels, got, v)
			}
			if a, b := q.Points()[i], q.Points()[levels-1-i]; math.Abs(a+b) > 1e-10 {
				t.Errorf("%d levels: points %v and %v are not symmetric", levels, a, b)
			}
		}
	}
}

// The conditions of Lloyd and Max hold to the tolerance that was asked for, more levels
// are better, and the high-rate law, no worse at any rate, becomes exact.
func TestLloydMaxConverges(t *testing.T) {
	for _, d := range []*Density{Normal(3, 2), Laplace(0, 1)} {
		before := math.Inf(1)
		for _, levels := range []int{2, 5, 16, 64, 256, 1024} {
			q, err := LloydMax(d, levels, 1e-10)
			if err != nil {
				t.Fatal(err)
			}
			if gap := d.cells(q.Points()).gap; gap > 1e-10*d.Deviation() {
				t.Errorf("%d levels: a point is %g from its mean", levels, gap)
			}
			least := d.Distortion(q)
			companded, err := HighRate(d, levels)
			if err != nil {
				t.Fatal(err)
			}
			if least >= before || least > square(d.Deviation()) || d.Distortion(companded) < least {
				t.Errorf("%d levels: distortion %v, of fewer %v, of the high-rate law %v", levels, least, before, d.Distortion(companded))
			}
			before = least
		}
		law, err := HighRateDistortion(d, 1024)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(law/before-1) > 0.01 {
			t.Errorf("1024 levels: distortion %v, by the high-rate law %v", before, law)
		}
	}
}

// Closed forms of Panter and Dite's integral: √3π/2 for a normal, 9/2 for a Laplace
// density, range²/12 for a uniform one.
func TestHighRateDistortion(t *testing.T) {
	uniform, _ := NewDensity(func(float64) float64 { return 1 }, 0, 6)
	for _, c := range []struct {
		d    *Density
		want float64
	}{{Normal(1, 2), 4 * math.Sqrt(3) * math.Pi / 2}, {Laplace(0, 1), 4.5}, {uniform, 3}} {
		got, err := HighRateDistortion(c.d, 10)
		if err != nil || math.Abs(got*100/c.want-1) > 1e-4 {
			t.Errorf("D·B² = %v (%v), want %v", got*100, err, c.want)
		}
	}
}

// By integration a uniform quantiser has the distortion that it has on samples, and its
// best range is that of the comment of FitClipped.
func TestDensityOfUniform(t *testing.T) {
	d, x := Normal(0, 1), gaussian(1<<18, 0, 1, 5)
	for levels, best := range map[int]float64{2: 0.798, 8: 2.051, 32: 2.916} {
		of := func(clip float64) float64 {
			u, err := NewUniform(-clip, clip, levels)
			if err != nil {
				t.Fatal(err)
			}
			return d.Distortion(u)
		}
		if of(best) > of(best-0.02) || of(best) > of(best+0.02) {
			t.Errorf("%d levels: distortion %v at %v, %v and %v beside", levels, of(best), best, of(best-0.02), of(best+0.02))
		}
		u, err := FitClipped(x, levels, best)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Distortion(u, x); err != nil || math.Abs(got/of(best)-1) > 0.02 {
			t.Errorf("%d levels: distortion %v of samples (%v), %v by integration", levels, got, err, of(best))
		}
	}
}

func TestDensity(t *testing.T) {
	for _, d := range []*Density{Normal(3, 2), Laplace(3, 2)} {
		if math.Abs(d.Mean()-3) > 1e-12 || math.Abs(d.Deviation()-2) > 1e-12 {
			t.Errorf("mean %v, deviation %v", d.Mean(), d.Deviation())
		}
		if all := d.between(-100, 100); math.Abs(all[0]-1) > 1e-12 {
			t.Errorf("mass %v", all[0])
		}
	}
	if got, want := Normal(0, 1).between(-1, 0.3), 0.5*(math.Erf(0.3/math.Sqrt2)+math.Erf(1/math.Sqrt2)); math.Abs(got[0]-want) > 1e-14 {
		t.Errorf("mass %v, want %v", got[0], want)
	}
	for _, f := range []func(float64) float64{
		func(float64) float64 { return 0 }, func(x float64) float64 { return -x }, func(x float64) float64 { return 1 / (x - x) }, func(float64) float64 { return math.Inf(1) },
	} {
		_, err := NewDensity(f, 0, 1)
		isOneLine(t, err)
	}
	_, err := NewDensity(math.Exp, 1, 1)
	isOneLine(t, err)
}

// The optimal quantiser is the best of all ways to cut the samples, found by trying each,
// and Lloyd's method never does better.
func TestOptimalIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, 0.5, 100, 1e6})), 3, 12).Draw(t, "x")
		levels := rapid.IntRange(2, 5).Draw(t, "levels")
		q, err := FitOptimal(x, levels)
		if err != nil {
			isOneLine(t, err) // too few distinct values
			return
		}
		least, err := Distortion(q, x)
		if err != nil {
			t.Fatal(err)
		}
		r := newRanked(x)
		want := r.leastByTrying(0, levels) / float64(len(x))
		if math.Abs(least-want) > 1e-9*max(want, r.meanSquare()) {
			t.Fatalf("distortion %v, by trying %v", least, want)
		}
		local, err := FitLloydMax(x, levels, 0)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := Distortion(local, x); err != nil || found < least*(1-1e-9)-1e-9*r.meanSquare() {
			t.Fatalf("Lloyd's %v is below the least, %v (%v)", found, least, err)
		}
	})
}

// leastByTrying returns the least sum of squared errors of values from i on in a number
// of cells.
func (r *ranked) leastByTrying(i, cells int) float64 {
	if cells == 1 {
		return r.scatter(i, len(r.values))
	}
	least := math.Inf(1)
	for j := i + 1; j <= len(r.values)-cells+1; j++ {
		least = min(least, r.scatter(i, j)+r.leastByTrying(j, cells-1))
	}
	return least
}

// On samples of a normal Lloyd's method comes to the optimum, and both to the density's.
func TestLloydMaxOfSamples(t *testing.T) {
	x := gaussian(20000, 5, 3, 3)
	for _, levels := range []int{2, 4, 8, 32} {
		of := func(q *Scalar, err error) float64 {
			if err != nil {
				t.Fatal(err)
			}
			d, err := Distortion(q, x)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		found, least := of(FitLloydMax(x, levels, 1e-6)), of(FitOptimal(x, levels))
		if found < least*(1-1e-9) || found > 1.005*least {
			t.Errorf("%d levels: Lloyd's %v, the least %v", levels, found, least)
		}
		best, err := LloydMax(Normal(5, 3), levels, 1e-9)
		if err != nil {
			t.Fatal(err)
		}
		if onSamples, err := Distortion(best, x); err != nil || onSamples < least {
			t.Errorf("%d levels: the density's has %v on samples (%v), the least is %v", levels, onSamples, err, least)
		}
		q, err := FitLloydMax(x, levels, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Normal(5, 3).Distortion(q), Normal(5, 3).Distortion(best); got < want || got > 1.02*want {
			t.Errorf("%d levels: that of samples has %v under the density, the least is %v", levels, got, want)
		}
	}
}

func TestScalarBadTraining(t *testing.T) {
	nine := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9}
	for name, want := range map[string]string{
		"lloyd_max": "lloyd_max: 32 levels, but the samples have 9 distinct values: want at most 9 levels",
		"optimal":   "optimal: 32 levels, but the samples have 9 distinct values: want at most 9 levels",
		"high_rate": "high_rate: 32 levels, but the samples have 9 distinct values: want at most 9 levels",
	} {
		if _, err := Fit(name, nil, nine); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, err := range []error{
		func() error { _, err := LloydMax(Normal(0, 1), 4, math.NaN()); return err }(),
		func() error { _, err := LloydMax(Normal(0, 1), 4, 2); return err }(),
		func() error { _, err := FitOptimal(gaussian(1<<17, 0, 1, 1), 1<<16); return err }(),
	} {
		isOneLine(t, err)
	}
}

// Ranked samples have the sums of the samples themselves: in all, and in each cell of
// points.
func TestRankedSums(t *testing.T) {
	moments := func(x []float64) (mean, scatter float64) {
		for _, v := range x {
			mean += v / float64(len(x))
		}
		for _, v := range x {
			scatter += square(v - mean)
		}
		return mean, scatter
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom([]float64{0, 0.5, 3})), 1, 20).Draw(t, "x")
		r := newRanked(x)
		if _, scatter := moments(x); math.Abs(r.meanSquare()-scatter/float64(len(x))) > 1e-12 {
			t.Fatalf("mean square %v, want %v", r.meanSquare(), scatter/float64(len(x)))
		}
		points := rapid.SliceOfNDistinct(rapid.Float64Range(-2, 4), 1, 6, rapid.ID).Draw(t, "points")
		slices.Sort(points)
		c := r.cells(points)
		edges := slices.Concat([]float64{math.Inf(-1)}, midways(points), []float64{math.Inf(1)})
		gap := 0.0
		for k, point := range points {
			var cell []float64
			for _, v := range x {
				if v >= edges[k] && v < edges[k+1] {
					cell = append(cell, v)
				}
			}
			mean, _ := moments(cell)
			if len(cell) == 0 {
				mean = point
			}
			gap = max(gap, math.Abs(mean-point))
			if math.Abs(c.means[k]-mean) > 1e-12 || c.masses[k] != float64(len(cell)) {
				t.Fatalf("cell %d of %v: mean %v and mass %v, want those of %v", k, points, c.means[k], c.masses[k], cell)
			}
		}
		if math.Abs(c.gap-gap) > 1e-12 {
			t.Fatalf("gap %v, want %v", c.gap, gap)
		}
	})
}

// Below the k-th of n quantiles is k/n of the mass, of smooth densities and of histograms
// with empty bins; a histogram has in each bin the samples' share.
func TestQuantilesAndBins(t *testing.T) {
	x := append(gaussian(400, 0, 1, 8), gaussian(100, 40, 2, 9)...)
	bars, err := histogram(x)
	if err != nil {
		t.Fatal(err)
	}
	if bins := len(bars.panels); bins != 16 { // 2∛500, rounded up
		t.Errorf("%d bins", bins)
	}
	for i, panel := range bars.panels {
		samples := 0.0
		for _, v := range x {
			if v >= bars.edge(i) && (v < bars.edge(i+1) || i == len(bars.panels)-1) {
				samples++
			}
		}
		if math.Abs(panel[0]-samples/500) > 1e-12 {
			t.Errorf("bin %d has %v, want %v of 500", i, panel[0], samples)
		}
	}
	for _, d := range []*Density{Normal(3, 2), Laplace(-1, 5), bars} {
		for _, n := range []int{2, 3, 10, 100} {
			all := d.quantiles(n)
			if len(all) != n-1 || !slices.IsSorted(all) {
				t.Fatalf("%d quantiles: %v", n, all)
			}
			for k, q := range all {
				if got, want := d.between(d.low, q)[0], float64(k+1)/float64(n); math.Abs(got-want) > 1e-9 {
					t.Errorf("%v of the mass is below %v, want %v", got, q, want)
				}
			}
		}
	}
}

// The histogram's quantiser scales with its samples by powers of two, up to the
// largest samples and down to those whose squares are smallest.
func TestHighRateScales(t *testing.T) {
	x := gaussian(300, 0, 1, 7)
	for _, v := range x { // symmetric, so that the extremes sum to 0
		x = append(x, -v)
	}
	of := func(scale float64) *Scalar {
		scaled := make([]float64, len(x))
		for i, v := range x {
			scaled[i] = v * scale
		}
		q, err := FitHighRate(scaled, 8)
		if err != nil {
			t.Fatalf("scale %g: %v", scale, err)
		}
		return q
	}
	want := of(1).Points()
	for _, exponent := range []int{-496, -100, -1, 1, 100, 496} {
		scale := math.Ldexp(1, exponent)
		for i, got := range of(scale).Points() {
			if math.Abs(got/scale-want[i]) > 1e-12 {
				t.Errorf("scale 2^%d: point %g, want %g", exponent, got/scale, want[i])
			}
		}
	}
}
