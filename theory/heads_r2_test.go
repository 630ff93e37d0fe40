package theory

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// layerR2 is the share of the constrained beliefs that heads of given patterns reach, by
// least squares over every word of up to so many tokens: a column for each position, each
// token at each position, and what each source's token hands on by each head.
func layerR2(t *testing.T, h *process.HMM, positions int, patterns [][]float64) float64 {
	a, n := h.Alphabet(), h.NumStates()
	width := positions + positions*a + len(patterns)*positions*a
	var design, target []float64
	for d := range positions {
		e := everyWord(t, h, d+1)
		constrained := e.centred(t, h, h.Constrained)
		target = append(target, constrained.RawMatrix().Data...)
		for i, word := range e.words {
			row, root := make([]float64, width), math.Sqrt(e.prob[i])
			row[d] = root
			row[positions+d*a+int(word[d])] = root
			for k, pattern := range patterns {
				for s, z := range word[:d] {
					row[positions+positions*a+(k*positions+s)*a+int(z)] = root * pattern[d*positions+s]
				}
			}
			design = append(design, row...)
		}
	}
	rows := len(design) / width
	wanted := mat.NewDense(rows, n, target)
	total := mat.Norm(wanted, 2)
	if total < 1e-12 {
		return 1
	}
	return math.Pow(mat.Norm(leastSquares(mat.NewDense(rows, width, design), wanted), 2)/total, 2)
}

// A search ends after the given number of rounds if each lowers the error enough, and
// otherwise after as many rounds as patience allows.
func TestUntilFlat(t *testing.T) {
	for _, test := range []struct {
		most, want int
		step       float64
	}{{3 * headPatience, 3 * headPatience, 0.01}, {1, 1, 0.01}, {3 * headPatience, headPatience, 0}} {
		rounds, missed := 0, 1.0
		untilFlat(t.Context(), test.most, 1e-6, missed, func() float64 {
			rounds++
			missed -= test.step
			return missed
		})
		if rounds != test.want {
			t.Errorf("at most %d rounds, each lower by %g: %d, want %d", test.most, test.step, rounds, test.want)
		}
	}
}

// For every HMM of the zoo: more heads come nearer, what they reach is what least squares
// over words reaches with their attention, the bound is above it, and as many heads as
// theory counts for the constrained beliefs build them exactly.
func TestHeadsR2Laws(t *testing.T) {
	eachHMM(t, func(t *testing.T, h *process.HMM) {
		s, err := Of(h).Spectrum(t.Context())
		if err != nil {
			return // it has no spectrum
		}
		positions := min(4, wordsWithin(h.Alphabet(), 100)+1)
		asked := s.Heads().Belief
		most := min(asked+1, 3)
		list, err := Of(h).HeadsR2(t.Context(), positions, most)
		if err != nil {
			t.Fatal(err)
		}
		problem := newHeadProblem(Of(h), positions)
		tied := problem.tied()
		free, profiles := problem.fit(nil), tied.fit(nil)
		for heads, got := range list {
			if heads > 0 {
				profiles = tied.search(t.Context(), heads, profiles)
				free = problem.search(t.Context(), heads, free, tied.patterns(profiles))
				if got.R2 < list[heads-1].R2-1e-12 || got.ProfileR2 < list[heads-1].ProfileR2-1e-9 {
					t.Errorf("%d heads reach %+v, one less %+v", heads, got, list[heads-1])
				}
			}
			if got.Heads != heads || len(got.Profiles) != heads || got.R2 > got.Bound || got.ProfileR2 > got.R2+1e-9 {
				t.Errorf("%+v", got)
			}
			if bound := problem.bound(t.Context(), heads); got.R2 > bound+1e-9 {
				t.Errorf("%d heads reach %.9f, which is said to be at most %.9f", heads, got.R2, bound)
			}
			if heads >= asked && got.R2 < 1-1e-9 {
				t.Errorf("%d heads reach %.12f, and %d are enough", heads, got.R2, asked)
			}
			if want := layerR2(t, h, positions, free.patterns); math.Abs(got.R2-want) > 1e-7 {
				t.Errorf("%d heads reach %.9f, by least squares over words %.9f", heads, got.R2, want)
			}
			if want := layerR2(t, h, positions, tied.patterns(profiles)); got.ProfileR2 > want+1e-7 {
				t.Errorf("%d profiles reach %.9f, by least squares over words %.9f", heads, got.ProfileR2, want)
			}
			for _, pattern := range free.patterns {
				if floats.Min(pattern) < 0 {
					t.Errorf("a head has the weight %g", floats.Min(pattern))
				}
			}
		}
	})
}

// No layer whose patterns do not look at tokens is above the best, whatever they are.
func TestHeadsR2IsBounded(t *testing.T) {
	below := false
	for _, h := range []*process.HMM{mustMess3(t, 0.5, 0.6), mustMess3(t, 0.5, 0.9)} {
		list, err := Of(h).HeadsR2(t.Context(), 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			pattern := make([]float64, 25)
			for d := range 5 {
				for s := range d {
					if r.Float64() < 0.6 {
						pattern[d*5+s] = r.Float64()
					}
				}
			}
			if got := layerR2(t, h, 5, [][]float64{pattern}); got > list[1].R2+1e-6 {
				t.Errorf("a random pattern reaches %.6f, the best %+v", got, list[1])
			}
		}
		below = below || list[1].Bound < 0.99
	}
	if !below {
		t.Error("the bound says nothing")
	}
}

// One head on corrections of a given Gram matrix: the largest aᵀGa over a ≥ 0 is that of
// a search from many random starts.
func TestOneHeadIsTheLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		lags := 2 + r.IntN(5)
		var square mat.Dense
		factor := mat.NewDense(lags, 3, nil)
		for i := range lags {
			for j := range 3 {
				factor.Set(i, j, r.NormFloat64())
			}
		}
		square.Mul(factor, factor.T())
		gram := mat.NewSymDense(lags, nil)
		for i := range lags {
			for j := range lags {
				gram.SetSym(i, j, square.At(i, j))
			}
		}
		best := oneHead(t.Context(), gram)[lags-1]
		found := 0.0
		for range 100 {
			a := make([]float64, lags)
			for i := range a {
				a[i] = r.Float64()
			}
			for range 300 { // a step along the gradient, back to a ≥ 0 and to length 1
				var up mat.VecDense
				up.MulVec(gram, mat.NewVecDense(lags, a))
				for i := range a {
					a[i] = max(0, a[i]+up.AtVec(i))
				}
				floats.Scale(1/floats.Norm(a, 2), a)
			}
			found = max(found, mat.Inner(mat.NewVecDense(lags, a), gram, mat.NewVecDense(lags, a)))
		}
		if found > best+1e-9 || found < best*(1-1e-6) {
			t.Errorf("found %.9f by climbing, %.9f over all sets of %d lags", found, best, lags)
		}
	}
}

// The figures that experiments are compared with: one head on Mess3 with ζ < 0.
func TestOneHeadOnMess3(t *testing.T) {
	list, err := Of(mustMess3(t, 0.5, 0.6)).HeadsR2(t.Context(), 10, 2)
	if err != nil {
		t.Fatal(err)
	}
	if one := list[1]; math.Abs(one.R2-0.96277) > 1e-4 || math.Abs(one.Bound-0.96666) > 1e-4 {
		t.Errorf("one head: %+v", one)
	}
	profile := list[1].Profiles[0]
	for lag := 2; lag < 10; lag += 2 {
		if profile[lag] > 0.01 {
			t.Errorf("one head attends to the even lag %d: %v", lag, profile)
		}
	}
	if list[2].R2 < 1-1e-9 || list[2].ProfileR2 < 1-1e-6 {
		t.Errorf("two heads: %+v", list[2])
	}
}

func TestHeadsR2Errors(t *testing.T) {
	h := mustMess3(t, 0.5, 0.6)
	for want, c := range map[string][2]int{
		"mess3: a layer of attention of 0 positions, want at least 1":                                        {0, 1},
		"mess3: a layer of -1 heads, want at least 0":                                                        {3, -1},
		"mess3: 9 heads over 100 positions and 3 tokens are too many to fit, want a product of at most 1500": {100, 9},
	} {
		if _, err := Of(h).HeadsR2(t.Context(), c[0], c[1]); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	list, err := Of(h).HeadsR2(t.Context(), 1, 1)
	if err != nil || list[0].R2 < 1-1e-12 || list[1].R2 < 1-1e-12 {
		t.Errorf("one position: %+v, %v", list, err)
	}
}

// The work of a round is the cube of the unknowns, a third of it, and half of the pairs
// of contributions, each q² n products, counted here one by one.
func TestRoundWork(t *testing.T) {
	for _, c := range [][4]int{{1, 1, 2, 3}, {2, 1, 1, 2}, {4, 2, 3, 5}, {7, 3, 2, 2}} {
		positions, heads, q, n := c[0], c[1], c[2], c[3]
		unknowns, ordered := 0, 0
		for destination := range positions {
			for range destination * heads {
				ordered += destination * heads
			}
			if destination > 0 {
				unknowns += heads * q
			}
		}
		want := math.Pow(float64(unknowns), 3)/3 + float64(ordered*q*q*n)/2
		p := headProblem{positions: positions, q: q, n: n}
		if got := p.roundWork(heads); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%v: %v products, want %v", c, got, want)
		}
	}
}

// A search goes on for as long as it gains.
func TestClimbGoesOn(t *testing.T) {
	h := noisyChain(t, [][]float64{{0.1, 0.7, 0.1, 0.1}, {0.1, 0.1, 0.7, 0.1}, {0.1, 0.1, 0.1, 0.7}, {0.7, 0.1, 0.1, 0.1}})
	p := newHeadProblem(Of(h), 7)
	r := rand.New(rand.NewPCG(1, 2))
	start := [][]float64{p.randomPattern(r), p.randomPattern(r)}
	found := p.climb(t.Context(), start)
	fit := p.fit(start)
	for range 5 * headPatience {
		for d := 1; d < p.positions; d++ {
			p.attend(fit, d)
		}
		fit = p.fit(fit.patterns)
	}
	if found.missed > fit.missed {
		t.Errorf("%v is left, and %v after %d rounds", found.missed, fit.missed, 5*headPatience)
	}
}

// Patterns of another size have values of another size, and explain as much.
func TestFitIsFreeOfScale(t *testing.T) {
	for _, h := range []*process.HMM{mustMess3(t, 0.15, 0.6), must(process.SNS(0.4, 0.3))} {
		p := newHeadProblem(Of(h), 5)
		// Two heads that overlap: one attends to all sources, the other to near ones.
		patterns := func(scale float64) [][]float64 {
			all, near := make([]float64, 25), make([]float64, 25)
			for d := range 5 {
				for s := range d {
					all[d*5+s] = scale
					if d-s <= 2 {
						near[d*5+s] = scale
					}
				}
			}
			return [][]float64{all, near}
		}
		want := p.fit(patterns(2)).missed
		if got := p.fit(patterns(1)).missed; math.Abs(got-want) > 1e-10 {
			t.Errorf("%s: with attention 1, %v is left, and with attention 2 %v", h.Name(), got, want)
		}
	}
}

// The attention of a destination is the best for the values: no weight can be moved so
// that more of the beliefs is explained, and no weight is negative.
func TestAttendIsBest(t *testing.T) {
	for _, h := range []*process.HMM{mustMess3(t, 0.15, 0.6), must(process.RRXOR(0.5, 0.5)), must(process.SNS(0.4, 0.3))} {
		p := newHeadProblem(Of(h), 6)
		r := rand.New(rand.NewPCG(1, 2))
		fit := p.fit([][]float64{p.randomPattern(r), p.randomPattern(r)})
		// explained is the part of the variance at d that attention to its sources explains.
		explained := func(d int) float64 {
			var all mat.Dense
			sums := mat.NewDense(d*p.q, p.n, nil) // by lag
			for s := range d {
				for head, pattern := range fit.patterns {
					for i := range p.q {
						row := sums.RawRowView((d-s-1)*p.q + i)
						floats.AddScaled(row, pattern[d*p.positions+s], fit.values.RawRowView(p.row(s, head, 2)+i))
					}
				}
			}
			all.Mul(p.covariance.SliceSym(0, d*p.q), sums)
			return 2*floats.Dot(sums.RawMatrix().Data, p.pulled[d].RawMatrix().Data) -
				floats.Dot(sums.RawMatrix().Data, all.RawMatrix().Data)
		}
		for d := 1; d < 6; d++ {
			before := explained(d)
			p.attend(fit, d)
			best := explained(d)
			if best < before-1e-12 {
				t.Errorf("%s, destination %d: explains %v, and %v before", h.Name(), d, best, before)
			}
			for head := range fit.patterns {
				for s := range d {
					weight := &fit.patterns[head][d*p.positions+s]
					old := *weight
					if old < 0 {
						t.Errorf("%s: attention %v", h.Name(), old)
					}
					for _, moved := range []float64{old + 1e-3, max(0, old-1e-3)} {
						*weight = moved
						if now := explained(d); now > best+1e-9 {
							t.Errorf("%s, destination %d: %v instead of %v explains %v more", h.Name(), d, moved, old, now-best)
						}
					}
					*weight = old
				}
			}
		}
	}
}

// Fitting heads has a budget, too: what it takes in a round is known before it begins,
// and no process of the zoo as it is by default is beyond it.
func TestHeadsHaveABudget(t *testing.T) {
	p, err := process.Build("noisy", process.Params{"process": "sine"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(p.(*process.HMM)).HeadsR2(t.Context(), 10, 3); err == nil || !strings.HasSuffix(err.Error(), " products, want at most 3e+07") {
		t.Errorf("%v", err)
	}
	for _, e := range process.Catalogue() {
		s, err := process.BuildSampler(e.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, ok := s.(*process.HMM)
		if !ok || 10*3*h.Alphabet() > mostHeadNumbers {
			continue
		}
		if work := newHeadProblem(Of(h), 10).roundWork(3); work > mostHeadWork {
			t.Errorf("%s: %.2g products", e.Name, work)
		}
	}
}
