package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/processtest"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// zooRow is a process with the facts that are known of it.
type zooRow struct {
	name      string
	params    Params
	beliefs   int             // distinct beliefs with the one before any token; 0 where there is no end of them
	recurrent int             // of these; 0 where not known
	floors    []float64       // nats at positions 1, 2, …, to six digits
	floorAt   map[int]float64 // nats by position, to six digits
	rate      float64         // nats, to six digits; 0 where none is known
	within    float64         // half-width of the entropy rate; 1e-6 where 0
	drifts    bool            // not stationary: the law of words, and so the floors, change along the sequence
}

// zoo has at least one row for every process of the catalogue: a new process is
// tested by adding its row.
var zoo = []zooRow{
	{name: "mess3", rate: 1.088888},
	{
		name: "mess3", params: Params{"x": 0.05, "a": 0.85},
		floors: []float64{1.098612, 0.857719, 0.813356, 0.798118, 0.794740, 0.793783, 0.793543, 0.793480, 0.793463, 0.793459}, within: 1e-5,
	},
	{
		name: "mess3", params: Params{"x": 0.5, "a": 0.6},
		floors: []float64{1.098612, 1.092019, 1.090659, 1.090366, 1.090303, 1.090290},
	},
	{name: "mess3", params: Params{"x": 0.15, "a": 0.2}, rate: 1.097925},
	// Every token rules a state out.
	{name: "mess3", params: Params{"x": 0.2, "a": 0}},
	// The token is the state: a Markov chain.
	{name: "mess3", params: Params{"x": 0.25, "a": 1}, beliefs: 4, rate: (math.Ln2 + math.Log(4)) / 2},
	// ζ = 0: independent tokens, which still tell of the state.
	{name: "mess3", params: Params{"x": 1. / 3, "a": 0.6}, beliefs: 4, rate: math.Log(3)},
	// Tokens that tell nothing.
	{name: "mess3", params: Params{"x": 0.1, "a": 1. / 3}, beliefs: 1, rate: math.Log(3)},
	{name: "z1r", beliefs: 7, rate: math.Ln2 / 3},
	{name: "z1r", params: Params{"p": 0.9}, beliefs: 7, rate: entropy(0.9) / 3},
	{name: "z1r", params: Params{"p": 0}, beliefs: 5},
	{name: "even", beliefs: 4, recurrent: 2, floors: []float64{0.636514, 0.605939, 0.549306, 0.534019, 0.505702}, rate: math.Ln2 * 2 / 3},
	{name: "even", params: Params{"p": 0.3}, beliefs: 4, recurrent: 2, rate: entropy(0.3) / 1.3},
	{name: "golden_mean", beliefs: 3, rate: math.Ln2 * 2 / 3},
	{name: "golden_mean", params: Params{"p": 0.2}, beliefs: 3, rate: entropy(0.2) / 1.2},
	{name: "golden_mean", params: Params{"p": 0}, beliefs: 1},
	{name: "iid", beliefs: 1, floors: []float64{0.693147, 0.693147}, rate: math.Ln2},
	{name: "iid", params: Params{"n": 5}, beliefs: 1, rate: math.Log(5)},
	{name: "mess3_mixture", within: 0.02},
	{name: "mess3_mixture", params: Params{"weights": []float64{3, 1}}, within: 0.02},
	{name: "mess3_mixture", params: Params{"epsilon": 0.1}, within: 1e-3},
	{name: "mess3_mixture", params: Params{"x": []float64{0.1, 0.2, 0.3}, "a": []float64{0.9, 0.8, 0}, "weights": []float64{1, 1, 1}, "epsilon": 0.3}, within: 1e-3},
	{name: "rrxor", beliefs: 36, recurrent: 5, rate: math.Ln2 * 2 / 3},
	{name: "rrxor", params: Params{"p1": 0.3, "p2": 0.8}, rate: (entropy(0.3) + entropy(0.8)) / 3},
	{name: "golden_mean_5_3", recurrent: 8, rate: math.Ln2 / 4.5},
	{name: "golden_mean_5_3", params: Params{"p": 0.25}, recurrent: 8, rate: entropy(0.25) / 2.75},
	{name: "sns"},
	{name: "sns", params: Params{"p": 0.7, "q": 0.2}},
	{name: "sns", params: Params{"q": 1.0}, beliefs: 3, rate: math.Ln2 / 1.5},
	{name: "fractal2", within: 1e-5},
	{name: "fractal2", params: Params{"b": 0.2, "p": 0.9, "q": 0.4}},
	{name: "teddy_bear", beliefs: 14, recurrent: 7, rate: -(0.4*math.Log(0.4) + 0.6*math.Log(0.3)) / (1 + 0.3*2 + 0.3*4)},
	{name: "teddy_bear", params: Params{"p": 0.25, "q": 0.75}, beliefs: 14, recurrent: 7},
	{name: "parentheses", rate: math.Ln2 * 2 / 3},
	{name: "parentheses", params: Params{"o": []float64{1, 0.3, 0.6, 0.2, 0}}, within: 1e-4},
	{name: "bloch_walk", floorAt: map[int]float64{8: 1.378772}, within: 0.01},
	{name: "bloch_walk", params: Params{"beta": 3}, floorAt: map[int]float64{8: 1.299611}, within: 0.01},
	// A qubit of which a measurement says nothing: independent tokens.
	{name: "bloch_walk", params: Params{"alpha": 0}, beliefs: 1, rate: math.Log(4)},
	{name: "moon", floorAt: map[int]float64{8: 0.699278}, rate: 0.699046},
	{name: "moon", params: Params{"alpha": 2, "beta": 0.7}},
	{name: "frdn", floorAt: map[int]float64{14: 0.644771}, rate: 0.644751},
	{name: "frdn", params: Params{"alpha": 1, "lambda": 0.3}},
	// The uniform coin has h = ∫ H₂(p) dp = ½.
	{name: "coin", floors: []float64{math.Ln2, 0.636514}, rate: 0.5},
	{name: "coin", params: Params{"a": 0.5, "b": 3}},
	{name: "interleaved", drifts: true, rate: -(0.7*math.Log(0.7) + 0.2*math.Log(0.2) + 0.1*math.Log(0.1))},
	{name: "interleaved", params: Params{"lags": []float64{2}}, floors: []float64{math.Log(3), math.Log(3), 0.801819}},
	// The floor rises at position 4: (H(ε) + ln 2)/2, then (εH(ε) + (1−ε)ln 2)/2 +
	// (H(ε) + H(2ε(1−ε)))/4, ε = 0.1.
	{name: "interleaved", params: Params{"P": [][]float64{{0.1, 0.9}, {0.9, 0.1}}, "lags": []float64{2, 1}}, drifts: true, floors: []float64{math.Ln2, math.Ln2, (entropy(0.1) + math.Ln2) / 2, 0.05*entropy(0.1) + 0.45*math.Ln2 + (entropy(0.1)+entropy(0.18))/4}, rate: entropy(0.1)},
	// Zeros rule lags out, and token 2 never occurs.
	{name: "interleaved", params: Params{"P": [][]float64{{0.5, 0.5, 0}, {1, 0, 0}, {0, 0.5, 0.5}}, "lags": []float64{1, 4, 3}}, drifts: true, rate: math.Ln2 * 2 / 3},
	{name: "random_chains", params: Params{"tokens": 3.0}, drifts: true},
	{name: "random_chains", params: Params{"tokens": 2.0, "concentration": 0.2, "seed": 7.0, "lags": []float64{2, 3}}, drifts: true},
	{name: "markov", beliefs: 3, rate: 5./6*entropy(0.1) + math.Ln2/6},
	{name: "markov", params: Params{"order": 2, "P": [][]float64{{0.9, 0.1}, {0.5, 0.5}, {0.3, 0.7}, {0.2, 0.8}}}, beliefs: 7, recurrent: 4},
	{name: "periodic", beliefs: 4, recurrent: 3, floors: []float64{math.Log(3), 0, 0}},
	{name: "periodic", params: Params{"pattern": "AABAC"}, recurrent: 5},
	{name: "sine", beliefs: 24, recurrent: 16, floors: []float64{2.166085, 0.606504, 0}},
	{name: "sine", params: Params{"period": 6, "levels": 3}, beliefs: 10, recurrent: 6},
	{name: "mackey_glass"},
	{name: "mackey_glass", params: Params{"tau": 17, "levels": 3, "points": 70}},
	{name: "switching_delay", params: Params{"delays": []float64{2, 1}, "key": 0.3, "values": 2}, drifts: true},
	{name: "switching_delay", params: Params{"delays": []float64{3}, "key": 0.4, "values": 4}, drifts: true},
	{name: "brackets", params: Params{"open": 0.4, "close": 0.3, "depth": 2, "tags": 2}, drifts: true},
	{name: "brackets", params: Params{"open": 0.3, "close": 0.7, "depth": 1, "tags": 3}, drifts: true},
	{name: "routing", params: Params{"numbers": 4, "set": 0.3, "apply": 0.4}, drifts: true},
	{name: "routing", params: Params{"numbers": 5, "set": 0, "apply": 0.7}, drifts: true},
	{name: "factored", within: 0.01},
	{name: "factored", params: Params{"first": "z1r", "second": Spec{Name: "even", Params: Params{"p": 0.3}}}, beliefs: 20, recurrent: 6, rate: math.Ln2/3 + entropy(0.3)/1.3},
	{name: "factored", params: Params{"first": "golden_mean", "second": "moon"}, within: 1e-3},
	{name: "mixture", beliefs: 10, recurrent: 4},
	{name: "mixture", params: Params{"components": []Spec{{Name: "z1r"}, {Name: "frdn"}, {Name: "iid"}}, "weights": []float64{1, 2, 3}}, within: 0.1},
	{name: "mixture", params: Params{"components": []Spec{{Name: "even"}, {Name: "iid"}, {Name: "golden_mean"}, {Name: "iid"}, {Name: "even"}}, "weights": []float64{1, 2, 3, 5, 7}}, within: 0.1},
	{name: "noisy", within: 1e-3},
	{name: "noisy", params: Params{"process": "moon", "epsilon": 0.3}, within: 1e-3},
	{name: "noisy", params: Params{"epsilon": 1}, beliefs: 1, rate: math.Ln2},
	{name: "mapped", within: 1e-3},
	{name: "mapped", params: Params{"process": "z1r", "to": []float64{1, 0}}, beliefs: 7, rate: math.Ln2 / 3},
}

func entropy(p float64) float64 { return stat.Entropy([]float64{p, 1 - p}) }

// sixDigits is half a unit of the sixth digit.
const sixDigits = 5.0001e-7

func TestZooHasEveryProcess(t *testing.T) {
	for _, entry := range Catalogue() {
		if _, err := Build(entry.Name, nil); errors.As(err, new(*NoOptimumError)) {
			continue // no law is about it
		}
		if !slices.ContainsFunc(zoo, func(row zooRow) bool { return row.name == entry.Name }) {
			t.Errorf("%s is in the catalogue and has no row in the zoo", entry.Name)
		}
	}
}

// TestLaws puts every row of the zoo through what every Process must obey.
func TestLaws(t *testing.T) {
	for _, row := range zoo {
		t.Run(fmt.Sprint(row.name, row.params), func(t *testing.T) {
			p, err := Build(row.name, row.params)
			if err != nil {
				t.Fatal(err)
			}
			if p.Name() != row.name {
				t.Errorf("Name is %q", p.Name())
			}
			if h, ok := p.(*HMM); ok {
				// The limits' own budget would take minutes for the whole zoo.
				must(h.limits.Get(t.Context(), func(ctx context.Context) (Limits, error) {
					return must(h.converge(ctx, rateBudget/10)).limits(), nil
				}))
			}
			positions := 10
			for at := range row.floorAt {
				positions = max(positions, at)
			}
			floor := mustFloor(t, p, positions)
			if _, program := p.(*Symbolic); program {
				floorsSettle(t, p)
			} else {
				floorsFall(t, p, floor, cmp.Or(row.within, 1e-6), row.drifts)
			}
			floorsAreEntropies(t, p, floor, 6)
			chanceIsOfTheTokens(t, p, 4)
			ceilingsAreExpectations(t, p, 6)
			floorsAreKnown(t, row, p, floor)
			predictorIsCoherent(t, p)
			samplesFollowThePredictor(t, p, row.drifts)
			samplesRepeat(t, p)
			if h, ok := p.(*HMM); ok {
				hmmLaws(t, h, row)
			}
		})
	}
}

// eachWord calls f with every word of one length that can occur, its probability
// and the distribution of the token after it.
func eachWord(p Process, length int, f func(word []int32, prob float64, next []float64)) {
	processtest.EachWord(p.Predictor, p.Alphabet(), length, f)
}

// Predictions are distributions, an impossible or unknown token is refused and
// changes nothing, and Reset goes back to the start.
func predictorIsCoherent(t *testing.T, p Process) {
	t.Helper()
	total := 0.0
	eachWord(p, 5, func(word []int32, prob float64, next []float64) {
		total += prob
		sum := 0.0
		for _, q := range next {
			sum += q
			if q < 0 {
				t.Errorf("after %v a token has probability %g", word, q)
			}
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("after %v the predictions sum to %.17g", word, sum)
		}
		predictor := p.Predictor()
		start := make([]float64, p.Alphabet())
		predictor.Next(start)
		for _, z := range word {
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
		after := make([]float64, p.Alphabet())
		for z := -1; z <= p.Alphabet(); z++ {
			if z >= 0 && z < p.Alphabet() && next[z] > 0 {
				continue
			}
			if predictor.Observe(z) == nil {
				t.Errorf("token %d was accepted after %v", z, word)
			}
			if predictor.Next(after); !slices.Equal(after, next) {
				t.Errorf("refusing token %d after %v changed the prediction", z, word)
			}
		}
		predictor.Reset()
		if predictor.Next(after); !slices.Equal(after, start) {
			t.Errorf("after Reset the prediction is %v, at the start %v", after, start)
		}
	})
	if math.Abs(total-1) > 1e-13 {
		t.Errorf("words of length 5 have the probability %.17g in all", total)
	}
}

// The words at the start and at the end of sampled sequences have their exact
// frequencies, by a chi-square test at the level 0.001 with fixed seeds. Where the
// process is stationary, both have one law.
func samplesFollowThePredictor(t *testing.T, p Process, drifts bool) {
	t.Helper()
	const samples, length, word = 50_000, 8, 3
	a := p.Alphabet()
	cells := int(math.Pow(float64(a), word))
	atStart := make([]float64, cells)
	eachWord(p, word, func(w []int32, prob float64, _ []float64) { atStart[index(w, a)] = prob * samples })
	atEnd := atStart
	if drifts {
		atEnd = make([]float64, cells)
		eachWord(p, length, func(w []int32, prob float64, _ []float64) { atEnd[index(w[length-word:], a)] += prob * samples })
	}

	first, last := make([]float64, cells), make([]float64, cells)
	src := rand.NewPCG(1, 2)
	sequence := make([]int32, length)
	for range samples {
		p.Sample(sequence, src)
		first[index(sequence[:word], a)]++
		last[index(sequence[length-word:], a)]++
	}
	frequenciesAgree(t, "the first tokens", first, atStart, a, word)
	frequenciesAgree(t, "the last tokens", last, atEnd, a, word)
}

// frequenciesAgree is a chi-square test at the level 0.001 of how often words came: word
// number k of a given length, over a tokens, was observed[k] times.
func frequenciesAgree(t *testing.T, what string, observed, expected []float64, a, length int) {
	t.Helper()
	statistic, degrees := 0.0, -1.0
	for k := range expected {
		if expected[k] == 0 {
			if observed[k] > 0 {
				t.Errorf("%s: %v came and cannot occur", what, digits(k, a, length))
			}
			continue
		}
		d := observed[k] - expected[k]
		statistic += d * d / expected[k]
		degrees++
	}
	if degrees == 0 {
		return // one word has all the probability
	}
	if level := (distuv.ChiSquared{K: degrees}).Survival(statistic); level < 0.001 {
		t.Errorf("%s: χ² = %.1f with %g degrees of freedom, a level of %.1e", what, statistic, degrees, level)
	}
}

// index reads a word as a number of base a.
func index[T int | int32](word []T, a int) int {
	k := 0
	for _, z := range word {
		k = k*a + int(z)
	}
	return k
}

// counter counts the values taken from a source.
type counter struct {
	rand.Source
	calls int
}

func (c *counter) Uint64() uint64 { c.calls++; return c.Source.Uint64() }

// One seed gives one sequence, and the number of values taken from the source
// depends on the length alone.
func samplesRepeat(t *testing.T, p Process) {
	t.Helper()
	draw := func(seed uint64) ([]int32, int) {
		src := &counter{Source: rand.NewPCG(seed, seed)}
		sequence := make([]int32, 40)
		p.Sample(sequence, src)
		return sequence, src.calls
	}
	first, calls := draw(1)
	if again, _ := draw(1); !slices.Equal(first, again) {
		t.Error("one seed gave two sequences")
	}
	for seed := range uint64(20) {
		if _, n := draw(seed); n != calls {
			t.Errorf("seed %d took %d values, seed 1 took %d", seed, n, calls)
		}
	}
}

// hmmLaws are those that name states: πT = π, Tr = r, πr = 1, and the number of
// beliefs. For an HMM in the narrow sense r is all ones.
func hmmLaws(t *testing.T, h *HMM, row zooRow) {
	t.Helper()
	n, pi, net, r := h.NumStates(), h.Stationary(), h.NetTransition(), h.Right()
	tolerance, values := 1e-15, 11
	if h.Generalised() {
		tolerance, values = 1e-14, 10
	} else if !slices.Equal(r, ones(n)) {
		t.Errorf("r is %v", r)
	}
	total := 0.0
	for j := range n {
		flow, sum := 0.0, 0.0
		for i := range n {
			flow += pi[i] * net[i*n+j]
			sum += net[j*n+i] * r[i]
		}
		if math.Abs(flow-pi[j]) > tolerance {
			t.Errorf("πT differs from π at state %d: %g and %g", j, flow, pi[j])
		}
		if math.Abs(sum-r[j]) > tolerance {
			t.Errorf("row %d of Tr is %.17g, r has %.17g", j, sum, r[j])
		}
		total += pi[j] * r[j]
	}
	if math.Abs(total-1) > tolerance {
		t.Errorf("πr is %.17g", total)
	}
	presentationIsKnown(t, h, row)
	src := &counter{Source: rand.NewPCG(1, 1)}
	if h.Sample(make([]int32, 10), src); src.calls != values {
		t.Errorf("a sequence of 10 tokens took %d values, want %d", src.calls, values)
	}
}

// The beliefs are as many as known, and what the presentation says of the long run
// agrees with what the floors say.
func presentationIsKnown(t *testing.T, h *HMM, row zooRow) {
	t.Helper()
	p, err := h.Presentation(t.Context())
	if err != nil {
		if row.beliefs > 0 || row.recurrent > 0 {
			t.Error(err)
		}
		return
	}
	if row.beliefs == 0 && row.recurrent == 0 {
		t.Errorf("%d beliefs, of which %d are recurrent, are not in the table", len(p.Beliefs), p.Recurrent())
	}
	if got := len(p.Beliefs); row.beliefs > 0 && got != row.beliefs {
		t.Errorf("%d distinct beliefs, want %d", got, row.beliefs)
	}
	if got := p.Recurrent(); row.recurrent > 0 && got != row.recurrent {
		t.Errorf("%d recurrent beliefs, want %d", got, row.recurrent)
	}
	out, flow := make([]float64, len(p.Beliefs)), make([]float64, len(p.Beliefs))
	for _, e := range p.Edges {
		out[e.From] += e.P
		flow[e.To] += p.Stationary[e.From] * e.P
	}
	for k := range p.Beliefs {
		if math.Abs(out[k]-1) > 1e-12 || math.Abs(flow[k]-p.Stationary[k]) > 1e-12 {
			t.Errorf("belief %d: the edges out of it sum to %g, and %g flows in where there is %g", k, out[k], flow[k], p.Stationary[k])
		}
	}
	inLongRun := 0.0
	for k, q := range p.Stationary {
		inLongRun += q * stat.Entropy(h.Next(p.Beliefs[k]))
	}
	limits := must(h.Limits(t.Context()))
	if math.Abs(inLongRun-limits.EntropyRate) > limits.EntropyRateError+1e-12 {
		t.Errorf("the entropy rate is %g ± %g, over recurrent beliefs it is %.15g", limits.EntropyRate, limits.EntropyRateError, inLongRun)
	}
	complexity := p.StatisticalComplexity()
	if complexity > p.BeliefEntropy()+1e-12 || complexity < limits.ExcessEntropy-limits.ExcessEntropyError-1e-12 {
		t.Errorf("C_μ = %g is not between E = %g ± %g and the entropy of beliefs, %g", complexity,
			limits.ExcessEntropy, limits.ExcessEntropyError, p.BeliefEntropy())
	}
}
