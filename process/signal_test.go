package process

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func mustSymbolic(t *testing.T, name string, params Params) *Symbolic {
	t.Helper()
	p, err := Build(name, params)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*Symbolic)
}

// The windows that EE269 2026 prints for its sine, with their targets.
func TestSineIsOfEE269(t *testing.T) {
	h, err := Sine(16, 32)
	if err != nil {
		t.Fatal(err)
	}
	period := []int32{16, 21, 26, 30, 31, 30, 26, 21, 16, 10, 5, 1, 0, 1, 5, 10}
	for _, window := range [][]int32{
		{21, 26, 30, 31, 30, 26, 21, 16, 10, 5, 1, 0, 1, 5, 10, 16, 21, 26, 30, 31, 30, 26, 21, 16, 10},
		{26, 30, 31, 30, 26, 21, 16, 10, 5, 1, 0, 1, 5, 10, 16, 21, 26, 30, 31, 30, 26, 21, 16, 10, 5},
		slices.Repeat(period, 3),
	} {
		last := len(window) - 1
		belief, err := h.Belief(window[:last])
		if err != nil {
			t.Fatal(err)
		}
		if next := h.Next(belief); next[window[last]] != 1 {
			t.Errorf("after %v: %v, want %d", window[:last], next, window[last])
		}
	}
	var occur []int
	for z, p := range h.Next(h.Stationary()) {
		if p > 0 {
			occur = append(occur, z)
		}
	}
	if !slices.Equal(occur, []int{0, 1, 5, 10, 16, 21, 26, 30, 31}) {
		t.Errorf("tokens that occur: %v", occur)
	}
}

// The recording follows EE269's recursion, here with math.Pow and in another order of
// terms, step by step; and its bits are these on every architecture.
func TestMackeyGlassRecording(t *testing.T) {
	p := MackeyGlassParams{Tau: 25, Levels: 32, Points: 10_000, Beta: 0.3, Gamma: 0.1, Start: 1.2}
	x := p.trajectory()
	at := func(n int) float64 {
		if n <= 0 {
			return 1.2
		}
		return x[n]
	}
	for n := range 500 {
		lag := at(n - 25)
		if want := 0.9*at(n) + 0.3/(1/lag+math.Pow(lag, 9)); math.Abs(x[n+1]-want) > 1e-14 {
			t.Fatalf("x[%d] = %.17g, want %.17g", n+1, x[n+1], want)
		}
	}
	if x[0] != 1.2 || len(x) != p.Points {
		t.Errorf("x[0] = %g of %d points", x[0], len(x))
	}
	r, err := Build("mackey_glass", nil)
	if err != nil {
		t.Fatal(err)
	}
	record := r.(*Ring).Record()
	p.Transient = 1000
	later := p.trajectory()
	low, high := slices.Min(later), slices.Max(later)
	for n, z := range record {
		if width := (high - low) / 31; math.Abs(later[n]-low-float64(z)*width) > 0.5000001*width {
			t.Fatalf("x[%d] = %g is token %d of 32 from %g to %g", n, later[n], z, low, high)
		}
	}
	const want = "389481098adcd49e0559d72d8c7f43dab008305e893ace41507db0e73ff7efd4"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(fmt.Sprint(record)))); got != want {
		t.Errorf("the recording has the SHA-256 %s, want %s", got, want)
	}
}

// The predictor of a recording counts the windows that begin with the tokens seen, also
// across the seam.
func TestRecordingCountsWindows(t *testing.T) {
	p, err := Build("mackey_glass", Params{"points": 300, "levels": 6})
	if err != nil {
		t.Fatal(err)
	}
	r := p.(*Ring)
	record, n := r.Record(), 300
	predictor, next, window := r.Predictor(), make([]float64, 6), make([]int32, 40)
	src := rand.NewPCG(3, 4)
	for range 200 {
		r.Sample(window, src)
		predictor.Reset()
		for t0, z := range window {
			count, total := make([]float64, 6), 0.0
			for offset := range n {
				agrees := true
				for k := range t0 {
					agrees = agrees && record[(offset+k)%n] == window[k]
				}
				if agrees {
					count[record[(offset+t0)%n]]++
					total++
				}
			}
			predictor.Next(next)
			for token, c := range count {
				if next[token] != c/total {
					t.Fatalf("token %d after %v: %g, want %g of %g", token, window[:t0], next[token], c, total)
				}
			}
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A recording that repeats itself is the periodic process.
func TestRecordingOfAPeriod(t *testing.T) {
	letters := []int32{0, 0, 1, 0, 2}
	r := newRing("recording", numbers(3), slices.Repeat(letters, 4))
	h, err := Periodic("AABAC")
	if err != nil {
		t.Fatal(err)
	}
	got := mustFloor(t, r, 30)
	want := mustFloor(t, h, 30)
	if d := distance(got.ByPosition, want.ByPosition); d > 1e-14 || got.Chance != got.ByPosition[0] {
		t.Errorf("floors %v, want %v", got, want.ByPosition)
	}
	if e := r.ExcessEntropy(); math.Abs(e-math.Log(5)) > 1e-15 {
		t.Errorf("excess entropy %g, want ln 5", e)
	}
	predictorIsCoherent(t, r)
}

// A program's worked examples in EE269 2026: the token that the rule computes, and no
// other, is certain.
func TestWorkedExamples(t *testing.T) {
	// The key 29 of D = 29, then values; at n = 31 x[n−29] is 9, and x[n] = 6 unless a
	// key comes.
	delayed := slices.Concat([]int32{29, 9}, slices.Repeat([]int32{11, 1, 21, 27}, 7))
	for _, c := range []struct {
		process string
		before  []int32
		token   int
		prob    float64
	}{
		{"brackets", []int32{30, 7, 30, 2, 31}, 2, 1},
		{"brackets", []int32{30, 7, 30, 2, 31, 2, 31}, 7, 1},
		{"routing", []int32{30, 2, 31, 18}, 6, 1},
		{"routing", []int32{30, 2, 29, 0, 1, 31, 18}, 6, 1},
		{"routing", []int32{30, 0, 31, 18}, 18, 1},
		{"routing", []int32{30, 1, 31, 18}, 19, 1},
		{"routing", []int32{30, 1, 31, 29}, 0, 1},
		{"routing", []int32{30, 2, 30, 3, 31, 18}, 11, 1},
		{"switching_delay", delayed, 6, 0.98},
	} {
		s := mustSymbolic(t, c.process, nil)
		predictor := s.Predictor()
		for _, z := range c.before {
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
		next := make([]float64, s.Alphabet())
		if predictor.Next(next); next[c.token] != c.prob {
			t.Errorf("%s after %v: token %d has probability %g, want %g", c.process, c.before, c.token, next[c.token], c.prob)
		}
		if !retrieves(t, s, append(slices.Clone(c.before), int32(c.token))) {
			t.Errorf("%s: %d after %v is no retrieval step", c.process, c.token, c.before)
		}
	}
}

// simulated programs are written out a second time, as one would who knows nothing of
// predictors: a function of chance and parameters that returns a sequence of at least n
// tokens, and which of them are retrieval steps.
type simulated func(r *rand.Rand, n int) (sequence []int32, retrieval []bool)

func simulateSwitchingDelay(delays []int, key float64, values int) simulated {
	return func(r *rand.Rand, n int) (sequence []int32, retrieval []bool) {
		delay := 0
		for len(sequence) < n {
			t, z, rule := len(sequence), 0, false
			if t == 0 || r.Float64() < key {
				k := r.IntN(len(delays))
				delay, z = delays[k], values+k
			} else if t >= delay && int(sequence[t-delay]) < values {
				z, rule = (3*int(sequence[t-delay])+7)%values, true
			} else {
				z = r.IntN(values)
			}
			sequence, retrieval = append(sequence, int32(z)), append(retrieval, rule)
		}
		return sequence, retrieval
	}
}

func simulateBrackets(open, closed float64, depth, tags int) simulated {
	return func(r *rand.Rand, n int) (sequence []int32, retrieval []bool) {
		var stack []int
		number := r.IntN(tags)
		write := func(rule bool, z int) { sequence, retrieval = append(sequence, int32(z)), append(retrieval, rule) }
		for len(sequence) < n {
			switch u := r.Float64(); {
			case u < open && len(stack) < depth:
				stack = append(stack, r.IntN(tags))
				write(false, tags)
				write(false, stack[len(stack)-1])
			case u >= open && u < open+closed && len(stack) > 0:
				write(false, tags+1)
				write(true, stack[len(stack)-1])
				stack = stack[:len(stack)-1]
			default:
				write(false, number)
				number = (number + 1) % tags
			}
		}
		return sequence, retrieval
	}
}

func simulateRouting(set, apply float64, numbers int) simulated {
	return func(r *rand.Rand, n int) (sequence []int32, retrieval []bool) {
		number, operation := r.IntN(numbers), 0
		write := func(rule bool, z int) { sequence, retrieval = append(sequence, int32(z)), append(retrieval, rule) }
		for len(sequence) < n {
			switch u := r.Float64(); {
			case sequence == nil || u < set:
				operation = r.IntN(4)
				write(false, numbers)
				write(false, operation)
			case u < set+apply:
				x := r.IntN(numbers)
				write(false, numbers+1)
				write(false, x)
				write(true, []int{x, x + 1, 2 * x, numbers - 1 - x}[operation]%numbers)
			default:
				write(false, number)
				number = (number + 1) % numbers
			}
		}
		return sequence, retrieval
	}
}

// Simulated words come as often as the predictor has it.
func TestProgramsAgreeWithSimulation(t *testing.T) {
	const samples, length = 50_000, 6
	for _, c := range []struct {
		process  string
		params   Params
		simulate simulated
	}{
		{"switching_delay", Params{"delays": []float64{2, 1}, "key": 0.3, "values": 2}, simulateSwitchingDelay([]int{2, 1}, 0.3, 2)},
		{"brackets", Params{"open": 0.4, "close": 0.3, "depth": 2, "tags": 2}, simulateBrackets(0.4, 0.3, 2, 2)},
		{"routing", Params{"numbers": 4, "set": 0.3, "apply": 0.4}, simulateRouting(0.3, 0.4, 4)},
	} {
		s := mustSymbolic(t, c.process, c.params)
		a := s.Alphabet()
		cells := int(math.Pow(float64(a), length))
		expected, observed := make([]float64, cells), make([]float64, cells)
		eachWord(s, length, func(w []int32, prob float64, _ []float64) { expected[index(w, a)] = prob * samples })
		r := rand.New(rand.NewPCG(5, 6))
		for range samples {
			sequence, _ := c.simulate(r, length)
			observed[index(sequence[:length], a)]++
		}
		pooled := func(counts []float64) (few float64) { // words too rare for the test, in cell 0
			for k, e := range expected {
				if e > 0 && e < 5 {
					few += counts[k]
					if counts[k] = 0; k == 0 {
						t.Fatal("word 0 is rare")
					}
				}
			}
			return few
		}
		observed[0] += pooled(observed)
		expected[0] += pooled(expected)
		frequenciesAgree(t, c.process, observed, expected, a, length)
	}
}

// At EE269's sizes, the optimal predictor's loss, its accuracy and the retrieval steps
// of simulated sequences are what the closed forms say, within four standard errors.
func TestExpectationsAgreeWithSimulation(t *testing.T) {
	const samples, length = 4000, 65
	for name, simulate := range map[string]simulated{
		"switching_delay": simulateSwitchingDelay([]int{17, 29, 41, 53}, 0.02, 28),
		"brackets":        simulateBrackets(0.1, 0.1, 8, 30),
		"routing":         simulateRouting(0.05, 0.2, 30),
	} {
		s := mustSymbolic(t, name, nil)
		floor := mustFloor(t, s, length)
		ceiling, err := s.Ceiling(t.Context(), length)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(7, 8))
		predictor, next := s.Predictor(), make([]float64, s.Alphabet())
		losses, hits, steps := make([]float64, samples), make([]float64, samples), make([]float64, samples)
		for i := range samples {
			sequence, retrieval := simulate(r, length)
			marked, err := s.Retrievals(sequence)
			if err != nil || !slices.Equal(marked, retrieval) {
				t.Fatalf("%s: retrieval steps of %v are %v, want %v (%v)", name, sequence, marked, retrieval, err)
			}
			predictor.Reset()
			for n, z := range sequence[:length] {
				predictor.Next(next)
				losses[i] -= math.Log(next[z]) / length
				guess := slices.Index(next, slices.Max(next))
				if guess == int(z) {
					hits[i] += 1. / length
				}
				if retrieval[n] {
					steps[i] += 1. / length
					if guess != int(z) {
						t.Fatalf("%s: the retrieval step %d of %v is not foretold", name, n, sequence)
					}
				}
				if err := predictor.Observe(int(z)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for what, c := range map[string]struct{ got, want []float64 }{
			"loss":            {losses, floor.ByPosition},
			"accuracy":        {hits, ceiling.ByPosition},
			"retrieval steps": {steps, ceiling.Retrieval},
		} {
			mean, deviation := stat.MeanStdDev(c.got, nil)
			if want := stat.Mean(c.want, nil); math.Abs(mean-want) > 4*deviation/math.Sqrt(samples) {
				t.Errorf("%s: %s %g ± %g, want %g", name, what, mean, deviation/math.Sqrt(samples), want)
			}
		}
	}
}

func TestSignalErrors(t *testing.T) {
	refusesToBuild(t, []refusedBuild{
		{"sine", Params{"period": 0}, "sine: period = 0 is not a whole number in [1, 512]"},
		{"sine", Params{"levels": 1}, "sine: levels = 1 is not a whole number in [2, 1024]"},
		{"sine", Params{"period": 512, "levels": 1024}, "sine: 512 states and 1024 tokens are too many: want at most 1024 states, and 16777216 entries in all matrices"},
		{"mackey_glass", Params{"tau": 2.5}, "mackey_glass: tau = 2.5 is not a whole number in [1, 1024]"},
		{"mackey_glass", Params{"tau": 1}, "mackey_glass: the signal is constant at 1.072 after the transient, so there is nothing to quantise; give a larger tau or beta"},
		{"mackey_glass", Params{"gamma": 1.5}, "mackey_glass: gamma = 1.5 is outside (0, 1]"},
		{"mackey_glass", Params{"start": math.NaN()}, "mackey_glass: start = NaN is outside (0, 2]"},
		{"switching_delay", Params{"delays": []float64{}}, "switching_delay: 0 delays, want 1 to 64"},
		{"switching_delay", Params{"delays": []float64{17, 1.5}}, "switching_delay: delays[1] = 1.5 is not a whole number"},
		{"switching_delay", Params{"delays": []float64{17, 0}}, "switching_delay: delays[1] = 0 is outside [1, 1024]"},
		{"switching_delay", Params{"key": 0.6}, "switching_delay: key = 0.6 is outside [0, 0.5)"},
		{"switching_delay", Params{"values": 27}, "switching_delay: values = 27 is a multiple of 3, so 3x + 7 would not reach all of them"},
		{"brackets", Params{"open": 0}, "brackets: open = 0 is outside (0, 1]"},
		{"brackets", Params{"open": 0.9, "close": 0.2}, "brackets: close = 0.2 is outside (0, 1 − open] = (0, 0.1]"},
		{"brackets", Params{"depth": 65}, "brackets: depth = 65 is not a whole number in [1, 64]"},
		{"routing", Params{"set": 1}, "routing: set = 1 is outside [0, 1)"},
		{"routing", Params{"apply": 0.99}, "routing: apply = 0.99 is outside (0, 1 − set] = (0, 0.95]"},
		{"routing", Params{"numbers": 3}, "routing: numbers = 3 is not a whole number in [4, 4096]"},
	})
	// In Go, parameters are whole by their type, and ranges are the constructors' to
	// check.
	_, sine := Sine(513, 32)
	_, glass := MackeyGlass(MackeyGlassParams{Tau: 25, Levels: 1, Points: 100, Beta: 0.3, Gamma: 0.1, Start: 1.2})
	_, brackets := Brackets(0.1, 0.1, 0, 30)
	_, routing := Routing(0.1, 0.1, 5000)
	_, floor := mustSymbolic(t, "brackets", nil).Floor(t.Context(), 0)
	_, retrievals := mustSymbolic(t, "brackets", nil).Retrievals([]int32{3, 5})
	for want, err := range map[string]error{
		"sine: period = 513 is outside [1, 512]":                                                      sine,
		"mackey_glass: levels = 1 is outside [2, 1024]":                                               glass,
		"brackets: depth = 0 is outside [1, 64]":                                                      brackets,
		"routing: numbers = 5000 is outside [4, 4096]":                                                routing,
		"brackets: a floor of 0 positions, want at least 1":                                           floor,
		"brackets: token 5 cannot occur at position 2: it has probability 0 given the earlier tokens": retrievals,
	} {
		if fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The rates at the edges of the parameters, where a chain's weights could overflow.
func TestBracketsRateAtTheEdges(t *testing.T) {
	for _, c := range []struct{ open, closed float64 }{{0.999999, 1e-6}, {1e-6, 0.999999}, {0.5, 0.5}, {0.9, 0.1}} {
		s, err := Brackets(c.open, c.closed, 64, 2)
		if err != nil {
			t.Fatal(err)
		}
		if rate, _ := rateOf(t, s); !(rate >= 0 && rate < math.Log(4)) {
			t.Errorf("open %g, close %g: %g", c.open, c.closed, rate)
		}
		floor := mustFloor(t, s, 50)
		if last := floor.ByPosition[49]; !(last >= 0 && last < math.Log(4)) {
			t.Errorf("open %g, close %g: floor %g", c.open, c.closed, last)
		}
	}
}

// The error of an impossible first token names the tokens that sequences begin with where
// there are at most four: all that have positive probability, and no others.
func TestImpossibleBeginning(t *testing.T) {
	const few = 4
	named := 0
	for _, row := range zoo {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := p.(*Symbolic)
		if !ok {
			continue
		}
		next := make([]float64, s.Alphabet())
		s.Predictor().Next(next)
		var begin []string
		for z, q := range next {
			if q > 0 {
				begin = append(begin, fmt.Sprintf("%d (%s)", z, s.Tokens()[z]))
			}
		}
		for z, q := range next {
			if q > 0 {
				continue
			}
			_, said, found := strings.Cut(s.Predictor().Observe(z).Error(), "; sequences begin with ")
			if found != (len(begin) <= few) || found && said != strings.Join(begin, " or ") {
				t.Errorf("%s, token %d: %q, want %q", row.name, z, said, begin)
			}
			if found {
				named++
			}
		}
	}
	if named == 0 {
		t.Error("no process begins with few tokens")
	}
}
