package process

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// zooRow is a process with the facts that are known of it.
type zooRow struct {
	name    string
	params  map[string]float64
	beliefs int       // distinct beliefs with the one before any token; 0 where there is no end of them
	floors  []float64 // nats at positions 1, 2, …, to six digits
	rate    float64   // nats, to six digits; 0 where none is known
}

// zoo has at least one row for every process of the catalogue: a new process is
// tested by adding its row.
var zoo = []zooRow{
	{name: "mess3", rate: 1.088888},
	{
		name: "mess3", params: map[string]float64{"x": 0.05, "a": 0.85},
		floors: []float64{1.098612, 0.857719, 0.813356, 0.798118, 0.794740, 0.793783, 0.793543, 0.793480, 0.793463, 0.793459},
	},
	{
		name: "mess3", params: map[string]float64{"x": 0.5, "a": 0.6},
		floors: []float64{1.098612, 1.092019, 1.090659, 1.090366, 1.090303, 1.090290},
	},
	{name: "mess3", params: map[string]float64{"x": 0.15, "a": 0.2}, rate: 1.097925},
	// Every token rules a state out.
	{name: "mess3", params: map[string]float64{"x": 0.2, "a": 0}},
	// The token is the state: a Markov chain.
	{name: "mess3", params: map[string]float64{"x": 0.25, "a": 1}, beliefs: 4, rate: (math.Ln2 + math.Log(4)) / 2},
	// ζ = 0: independent tokens, which still tell of the state.
	{name: "mess3", params: map[string]float64{"x": 1. / 3, "a": 0.6}, beliefs: 4, rate: math.Log(3)},
	// Tokens that tell nothing.
	{name: "mess3", params: map[string]float64{"x": 0.1, "a": 1. / 3}, beliefs: 1, rate: math.Log(3)},
	{name: "z1r", beliefs: 7, rate: math.Ln2 / 3},
	{name: "z1r", params: map[string]float64{"p": 0.9}, beliefs: 7, rate: entropy(0.9) / 3},
	{name: "z1r", params: map[string]float64{"p": 0}, beliefs: 5},
	{name: "even", beliefs: 4, floors: []float64{0.636514, 0.605939, 0.549306, 0.534019, 0.505702}, rate: math.Ln2 * 2 / 3},
	{name: "even", params: map[string]float64{"p": 0.3}, rate: entropy(0.3) / 1.3},
	{name: "golden_mean", beliefs: 3, rate: math.Ln2 * 2 / 3},
	{name: "golden_mean", params: map[string]float64{"p": 0.2}, beliefs: 3, rate: entropy(0.2) / 1.2},
	{name: "golden_mean", params: map[string]float64{"p": 0}, beliefs: 1},
	{name: "iid", beliefs: 1, floors: []float64{0.693147, 0.693147}, rate: math.Ln2},
	{name: "iid", params: map[string]float64{"n": 5}, beliefs: 1, rate: math.Log(5)},
}

func entropy(p float64) float64 { return stat.Entropy([]float64{p, 1 - p}) }

// sixDigits is half a unit of the sixth digit.
const sixDigits = 5.0001e-7

func TestZooHasEveryProcess(t *testing.T) {
	for _, entry := range Catalogue() {
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
			floor, err := p.Floor(10)
			if err != nil {
				t.Fatal(err)
			}
			floorsFall(t, floor)
			floorsAreEntropies(t, p, floor, 6)
			floorsAreKnown(t, row, floor)
			predictorIsCoherent(t, p)
			samplesFollowThePredictor(t, p)
			samplesRepeat(t, p)
			if h, ok := p.(*HMM); ok {
				hmmLaws(t, h, row)
			}
		})
	}
}

// More context never hurts, chance is what position 1 can reach, and the rate is
// below every position.
func floorsFall(t *testing.T, floor Floor) {
	t.Helper()
	if math.Abs(floor.Chance-floor.ByPosition[0]) > 1e-12 {
		t.Errorf("chance is %g and the floor at position 1 is %g", floor.Chance, floor.ByPosition[0])
	}
	for i := 1; i < len(floor.ByPosition); i++ {
		if floor.ByPosition[i] > floor.ByPosition[i-1]+1e-12 {
			t.Errorf("the floor rises at position %d: %v", i+1, floor.ByPosition)
		}
	}
	last := floor.ByPosition[len(floor.ByPosition)-1]
	if floor.EntropyRate-floor.EntropyRateError > last || !(floor.EntropyRateError > 0 && floor.EntropyRateError < 1e-6) {
		t.Errorf("the entropy rate is %g ± %g, the floor at position 10 is %g", floor.EntropyRate, floor.EntropyRateError, last)
	}
}

// The floors agree with Σ_w Pr(w)·H(next | w) over words, by the predictor alone.
func floorsAreEntropies(t *testing.T, p Process, floor Floor, positions int) {
	t.Helper()
	for position := 1; position <= positions; position++ {
		want := 0.0
		eachWord(p, position-1, func(_ []int, prob float64, next []float64) { want += prob * stat.Entropy(next) })
		if got := floor.ByPosition[position-1]; math.Abs(got-want) > 1e-12 {
			t.Errorf("the floor at position %d is %.15g, over words it is %.15g", position, got, want)
		}
	}
}

func floorsAreKnown(t *testing.T, row zooRow, floor Floor) {
	t.Helper()
	for i, want := range row.floors {
		if got := floor.ByPosition[i]; math.Abs(got-want) > sixDigits {
			t.Errorf("the floor at position %d is %.7f, want %.6f", i+1, got, want)
		}
	}
	if row.rate != 0 && math.Abs(floor.EntropyRate-row.rate) > sixDigits+floor.EntropyRateError {
		t.Errorf("the entropy rate is %.7f ± %.1e, want %.6f", floor.EntropyRate, floor.EntropyRateError, row.rate)
	}
}

// eachWord calls f with every word of one length that can occur, its probability
// and the distribution of the token after it.
func eachWord(p Process, length int, f func(word []int, prob float64, next []float64)) {
	var grow func(word []int, prob float64)
	grow = func(word []int, prob float64) {
		predictor := p.Predictor()
		for _, z := range word {
			if err := predictor.Observe(z); err != nil {
				panic(err) // every token had positive probability
			}
		}
		next := make([]float64, p.Alphabet())
		predictor.Next(next)
		if len(word) == length {
			f(word, prob, next)
			return
		}
		for z, q := range next {
			if q > 0 {
				grow(append(slices.Clone(word), z), prob*q)
			}
		}
	}
	grow(nil, 1)
}

// Predictions are distributions, an impossible or unknown token is refused and
// changes nothing, and Reset goes back to the start.
func predictorIsCoherent(t *testing.T, p Process) {
	t.Helper()
	total := 0.0
	eachWord(p, 5, func(word []int, prob float64, next []float64) {
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
			if err := predictor.Observe(z); err != nil {
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
// frequencies, by a chi-square test at the level 0.001 with fixed seeds. All
// processes of the zoo are stationary, so both have one law.
func samplesFollowThePredictor(t *testing.T, p Process) {
	t.Helper()
	const samples, length, word = 50_000, 8, 3
	a := p.Alphabet()
	cells := int(math.Pow(float64(a), word))
	expected := make([]float64, cells)
	eachWord(p, word, func(w []int, prob float64, _ []float64) { expected[index(w, a)] = prob * samples })

	first, last := make([]float64, cells), make([]float64, cells)
	src := rand.NewPCG(1, 2)
	sequence := make([]int32, length)
	for range samples {
		p.Sample(sequence, src)
		first[index(sequence[:word], a)]++
		last[index(sequence[length-word:], a)]++
	}
	for name, observed := range map[string][]float64{"first": first, "last": last} {
		statistic, degrees := 0.0, -1.0
		for k := range expected {
			if expected[k] == 0 {
				if observed[k] > 0 {
					t.Errorf("%v was sampled as the %s tokens and cannot occur", digits(k, a, word), name)
				}
				continue
			}
			d := observed[k] - expected[k]
			statistic += d * d / expected[k]
			degrees++
		}
		if degrees == 0 {
			continue // one word has all the probability
		}
		if level := (distuv.ChiSquared{K: degrees}).Survival(statistic); level < 0.001 {
			t.Errorf("the %s %d tokens: χ² = %.1f with %g degrees of freedom, a level of %.1e", name, word, statistic, degrees, level)
		}
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

// hmmLaws are those that name states.
func hmmLaws(t *testing.T, h *HMM, row zooRow) {
	t.Helper()
	n, pi, net := h.NumStates(), h.Stationary(), h.NetTransition()
	total := 0.0
	for j := range n {
		flow, sum := 0.0, 0.0
		for i := range n {
			flow += pi[i] * net[i*n+j]
			sum += net[j*n+i]
		}
		if math.Abs(flow-pi[j]) > 1e-15 {
			t.Errorf("πT differs from π at state %d: %g and %g", j, flow, pi[j])
		}
		if math.Abs(sum-1) > 1e-15 {
			t.Errorf("row %d of T sums to %.17g", j, sum)
		}
		total += pi[j]
	}
	if math.Abs(total-1) > 1e-15 {
		t.Errorf("π sums to %.17g", total)
	}
	if row.beliefs > 0 {
		if got := countBeliefs(t, h); got != row.beliefs {
			t.Errorf("%d distinct beliefs, want %d", got, row.beliefs)
		}
	}
	src := &counter{Source: rand.NewPCG(1, 1)}
	if h.Sample(make([]int32, 10), src); src.calls != 11 {
		t.Errorf("a sequence of 10 tokens took %d values, want 11", src.calls)
	}
}

// countBeliefs returns the number of beliefs that words of any length lead to.
func countBeliefs(t *testing.T, h *HMM) int {
	t.Helper()
	seen := newMixedStates(h.NumStates())
	seen.add(h.pi, 1)
	b := make([]float64, h.NumStates())
	for k := 0; k < seen.size(); k++ {
		for z := range h.Alphabet() {
			if h.update(b, slices.Clone(seen.belief(k)), z) > 0 {
				seen.add(b, 1)
			}
		}
		if seen.size() > 1000 {
			t.Fatal("more than 1000 beliefs")
		}
	}
	return seen.size()
}
