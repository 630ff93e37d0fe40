package paper

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"foretell/internal/random"
	"foretell/probe"
	"foretell/process"
)

// wantNear fails unless got is want to within 1e-9.
func wantNear(t rapid.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// simplexTable returns n random points of the simplex, and where they lie in the
// plane.
func simplexTable(seed uint64, n int) (beliefs, plane probe.Table) {
	s := random.New(seed, "test/simplex")
	beliefs, plane = probe.Table{Width: 3}, probe.Table{Width: 2}
	for range n {
		a, b := s.Float64(), s.Float64()
		if a > b {
			a, b = b, a
		}
		beliefs.Data = append(beliefs.Data, a, b-a, 1-b)
		x, y := project([]float64{a, b - a, 1 - b})
		plane.Data = append(plane.Data, x, y)
	}
	return beliefs, plane
}

// orthonormal returns a random 3×3 orthogonal matrix by Gram–Schmidt.
func orthonormal(seed uint64) [3][3]float64 {
	s := random.New(seed, "test/orthonormal")
	var q [3][3]float64
	for i := range q {
		for j := range q[i] {
			q[i][j] = s.Normal()
		}
		for k := range i {
			dot := 0.0
			for j := range 3 {
				dot += q[i][j] * q[k][j]
			}
			for j := range 3 {
				q[i][j] -= dot * q[k][j]
			}
		}
		norm := math.Sqrt(q[i][0]*q[i][0] + q[i][1]*q[i][1] + q[i][2]*q[i][2])
		for j := range 3 {
			q[i][j] /= norm
		}
	}
	return q
}

// Points of the simplex in three dimensions, turned, scaled, and with a third
// coordinate that means nothing: align finds the turn that was planted, and the
// points come back as the simplex has them, but for the scale, which it keeps.
func TestAlignRecoversAPlantedTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, scale := rapid.Uint64().Draw(t, "seed"), rapid.Float64Range(0.1, 10).Draw(t, "scale")
		const n = 60
		beliefs, plane := simplexTable(seed, n)
		q, s := orthonormal(seed), random.New(seed, "test/noise")
		components := probe.Table{Width: 3}
		for i := range n {
			p := [3]float64{scale * plane.Data[2*i], scale * plane.Data[2*i+1], s.Normal()}
			for j := range 3 {
				components.Data = append(components.Data, p[0]*q[0][j]+p[1]*q[1][j]+p[2]*q[2][j])
			}
		}
		got, r2, err := align(components, beliefs, nil, probe.Folds{})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range plane.Data {
			wantNear(t, "coordinate", got.Data[i], scale*x)
		}
		wantNear(t, "R²", r2, 1)
	})
}

// The turn stretches nothing: no distance grows, and of two components, which
// leave nothing to choose but a rotation or reflection, none changes. The
// components here have nothing to do with the targets.
func TestAlignKeepsDistances(t *testing.T) {
	for _, width := range []int{2, 3, 5} {
		const n = 40
		beliefs, _ := simplexTable(1, n)
		s := random.New(2, "test/components")
		components := probe.Table{Width: width}
		for range n * width {
			components.Data = append(components.Data, s.Normal())
		}
		got, _, err := align(components, beliefs, nil, probe.Folds{})
		if err != nil {
			t.Fatal(err)
		}
		distance := func(table probe.Table, i, j int) float64 {
			sum := 0.0
			for k, x := range table.Row(i) {
				sum += (x - table.Row(j)[k]) * (x - table.Row(j)[k])
			}
			return math.Sqrt(sum)
		}
		for i := range n {
			for j := range i {
				before, after := distance(components, i, j), distance(got, i, j)
				if after > before+1e-12 || width == 2 && after < before-1e-12 {
					t.Errorf("%d components: points %d and %d were %v apart and are %v", width, i, j, before, after)
				}
			}
		}
	}
}

// A prefix counts as often as full sequences begin with it: each position has
// the same weight, shared alike by its words.
func TestEqualSequences(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	p := h.Prefixes(5)
	weights := equalSequences(p.Alphabet, p.Length, p.Rows())
	if len(weights) != p.Rows() {
		t.Fatalf("%d weights of %d rows", len(weights), p.Rows())
	}
	last := p.Rows() - 1
	for position := 1; position <= p.Length; position++ {
		from, to := p.Range(position)
		sum := 0.0
		for row := from; row < to; row++ {
			sum += weights[row]
			wantNear(t, "sequences that begin with the word", weights[row]/weights[last], math.Pow(3, float64(p.Length-position)))
		}
		wantNear(t, "the weight of a position", sum, 1)
	}
}

// The project of a distribution is its place relative to the centre: vertices
// are equally far from it and from each other.
func TestProject(t *testing.T) {
	x, y := project([]float64{1. / 3, 1. / 3, 1. / 3})
	wantNear(t, "the centre", math.Hypot(x, y), 0)
	var corners [3][2]float64
	for i := range corners {
		vertex := make([]float64, 3)
		vertex[i] = 1
		corners[i][0], corners[i][1] = project(vertex)
	}
	for i, c := range corners {
		next := corners[(i+1)%3]
		wantNear(t, "vertex to centre", math.Hypot(c[0], c[1]), math.Hypot(corners[0][0], corners[0][1]))
		wantNear(t, "edge", math.Hypot(c[0]-next[0], c[1]-next[1]), math.Sqrt(3)*math.Hypot(c[0], c[1]))
	}
}

// Table 1 as printed: eight columns, a stage and a condition each, of shares that
// rise to at most 1.
func TestTable1(t *testing.T) {
	if len(table1) != 8 {
		t.Fatalf("%d columns", len(table1))
	}
	type column struct {
		stage string
		x, a  float64
	}
	seen := map[column]bool{}
	for _, c := range table1 {
		seen[column{c.stage, c.x, c.a}] = true
		for k, v := range c.printed {
			if v <= 0 || v > 1 || k > 0 && v <= c.printed[k-1] {
				t.Errorf("%s, x = %g, α = %g: component %d has %v", c.stage, c.x, c.a, k, v)
			}
		}
	}
	for _, stage := range []string{"intermediate", "final"} {
		for _, condition := range mess3Conditions(tiny()) {
			if !seen[column{stage, condition.x, condition.a}] {
				t.Errorf("%s, %v is not in the table", stage, condition)
			}
		}
	}
}

// M2 says with which normalisation both fits are better.
func TestAgreement(t *testing.T) {
	fitted := func(x float64, norm string, mid, final float64) *subject {
		r2 := func(v float64) fits {
			return fits{Controlled: &probe.Controlled{Trained: &probe.Regression{HeldOut: probe.Score{R2: v}}}}
		}
		return &subject{condition: condition{source: mess3(x, 0.6), norm: norm}, stages: []stage{{constrained: r2(mid)}, {full: r2(final)}}}
	}
	models := []*subject{fitted(0.15, "LN", 0.9, 0.8), fitted(0.15, "none", 0.7, 0.6), fitted(0.5, "LN", 0.9, 0.8), fitted(0.5, "none", 0.7, 0.95)}
	const want = "The paper does not state its normalisation. Both fits are best with LN in 1, with none in 0 of 2 conditions. The rule is about LN."
	if got := agreement(models, []string{"LN", "none"}); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := agreement(models[:1], []string{"LN"}); got != nil {
		t.Errorf("%q of one normalisation", got)
	}
}

// A cell of M13 shows the difference that its rule is about.
func TestBesidePrinted(t *testing.T) {
	for _, test := range []struct {
		ours, printed float64
		want          string
	}{{0.5, 0.5408, "0.5000 (0.5408; −0.0408)"}, {0.9, 0.8768, "0.9000 (0.8768; +0.0232)"}} {
		if got := besidePrinted(test.ours, test.printed); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// exponential is a pattern that Eq. 13 describes exactly: A[d+1][s] = ζ·A[d][s]
// for d > s. What a row lacks to 1 is on the diagonal.
func exponential(T int, zeta, first float64) probe.Pattern {
	p := probe.Pattern{T: T, Mean: make([]float64, T*T), SD: make([]float64, T*T)}
	for d := range T {
		rest := 1.0
		for s := range d {
			p.Mean[d*T+s] = first / float64(s+2) * math.Pow(zeta, float64(d-s-1))
			rest -= p.Mean[d*T+s]
		}
		p.Mean[d*T+d] = rest
	}
	return p
}

func TestErrorOfEq13(t *testing.T) {
	for _, zeta := range []float64{0.55, -0.5, 0.1} {
		p := exponential(6, zeta, 0.4)
		if got := errorOfEq13(p, zeta); got > 1e-16 {
			t.Errorf("ζ = %v: error %v of an exact pattern", zeta, got)
		}
		// One of the ten pairs d > s+1 of six positions.
		p.Mean[4*6+1] += 0.03
		wantNear(t, "the error of one pair, of ten", errorOfEq13(p, zeta), 0.003)
	}
	wantNear(t, "slope", probe.FitDecay(exponential(6, 0.55, 0.4).Mean, 6).Slope, math.Log(0.55))
}

func TestRelativeSpread(t *testing.T) {
	p := exponential(5, 0.55, 0.4)
	if got := relativeSpread(p); got != 0 {
		t.Errorf("spread %v without any", got)
	}
	for d := range p.T {
		for s := range p.T {
			p.SD[d*p.T+s] = 0.1 * p.Mean[d*p.T+s]
		}
		p.SD[d*p.T+d] = 5 // the diagonal does not count
	}
	wantNear(t, "a tenth of each", relativeSpread(p), 0.1)
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 9}, 2}, {[]float64{1, 2, 4, 9}, 3}} {
		if got := median(test.sorted); got != test.want {
			t.Errorf("median of %v is %v", test.sorted, got)
		}
	}
}

// What prefixes tell is the floor of the first token less that of later ones.
func TestInformation(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	const length = 5
	floor, err := h.Floor(length + 1)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, entropy := range floor.ByPosition[1:] {
		want += (floor.ByPosition[0] - entropy) / length
	}
	wantNear(t, "information", information(h, h.Prefixes(length)), want)
}
