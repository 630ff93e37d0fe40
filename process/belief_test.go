package process

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/panics"

	"pgregory.net/rapid"
)

// Beliefs, next-token distributions and word probabilities agree with Bayes' rule
// summed over every path of states, for every word to length 8.
func TestBeliefsAgainstPaths(t *testing.T) {
	for _, p := range [][2]float64{{0.15, 0.6}, {0.5, 0.6}, {0.05, 0.85}} {
		h := mustMess3(t, p[0], p[1])
		agreesWithPaths(t, h, 8)
	}
	for _, row := range zoo {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := p.(*HMM); ok {
			paths, words, length := float64(h.NumStates()), float64(h.Alphabet()), 0
			for branching := edges(h) / float64(h.NumStates()); length < 5 && paths < 50_000 && words < 50_000; length++ {
				paths *= branching
				words *= float64(h.Alphabet())
			}
			agreesWithPaths(t, h, length)
		}
	}
}

// edges returns the number of edges of h's graph.
func edges(h *HMM) float64 {
	n := 0.0
	for _, m := range h.matrices {
		for _, p := range m {
			if p != 0 {
				n++
			}
		}
	}
	return n
}

func TestBeliefsOfRandomHMMs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { agreesWithPaths(t, anyHMM(t), 4) })
}

func agreesWithPaths(t interface{ Fatalf(string, ...any) }, h *HMM, length int) {
	a, n := h.Alphabet(), h.NumStates()
	sums := sumPaths(h, length)
	for depth := 0; depth <= length; depth++ {
		for word := range len(sums.joint[depth]) / n {
			tokens := digits(word, a, depth)
			prob, joint := sums.prob(depth, word)
			belief, err := h.Belief(tokens)
			logProb, errLog := h.LogProb(tokens)
			if prob == 0 || h.generalised && prob < 1e-14 {
				if err == nil || errLog == nil {
					t.Fatalf("%v cannot occur and is not an error", tokens)
				}
				continue
			}
			if err != nil || errLog != nil {
				t.Fatalf("%v has probability %g: %v, %v", tokens, prob, err, errLog)
			}
			if math.Abs(logProb-math.Log(prob)) > 1e-12 && math.Abs(math.Exp(logProb)-prob) > 1e-16 {
				t.Fatalf("the log probability of %v is %.15g, over paths it is %.15g", tokens, logProb, math.Log(prob))
			}
			for i := range belief {
				if math.Abs(belief[i]-joint[i]/prob) > 1e-12 && math.Abs(belief[i]*prob-joint[i]) > 1e-15 {
					t.Fatalf("the belief after %v is %v, over paths it is %v / %g", tokens, belief, joint, prob)
				}
			}
			if depth == length {
				continue
			}
			for z, q := range h.Next(belief) {
				longer, _ := sums.prob(depth+1, word*a+z)
				if math.Abs(q-longer/prob) > 1e-12 && math.Abs(q*prob-longer) > 1e-16 {
					t.Fatalf("Pr(%d | %v) is %.15g, over paths it is %.15g", z, tokens, q, longer/prob)
				}
			}
		}
	}
}

// Beliefs lists what Belief says of each prefix, π first.
func TestBeliefsAreThoseOfPrefixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		word := drawWord(t, h, 10)
		rows, err := h.Beliefs(word)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != len(word)+1 || !slices.Equal(rows[0], h.Stationary()) {
			t.Fatalf("%d rows for %d tokens, the first %v", len(rows), len(word), rows[0])
		}
		for i, row := range rows {
			want, err := h.Belief(word[:i])
			if err != nil || !slices.Equal(row, want) {
				t.Fatalf("row %d is %v, Belief gives %v, %v", i, row, want, err)
			}
		}
	})
}

// A belief keeps its digits over a word far too long for its probability to be a
// float64: the even process returns to a corner of the simplex after any 0.
func TestBeliefsOfLongWords(t *testing.T) {
	h := mustMess3(t, 0.05, 0.85)
	short := []int32{0, 1, 2, 2, 1, 0, 0, 0, 1, 2, 1, 1, 2, 0, 2, 1, 0, 2, 1, 1}
	var long []int32
	for range 500 {
		long = append(long, short...)
	}
	belief, err := h.Belief(long)
	if err != nil {
		t.Fatal(err)
	}
	// Mess3 forgets: what came before the last 200 tokens cannot be seen.
	recent, err := h.Belief(long[len(long)-200:])
	if err != nil {
		t.Fatal(err)
	}
	if d := distance(belief, recent); d > 1e-13 {
		t.Errorf("after 10,000 tokens the belief is %g from that of the last 200", d)
	}
	logProb, err := h.LogProb(long)
	if err != nil {
		t.Fatal(err)
	}
	if !(logProb < -5000) || math.IsInf(logProb, 0) {
		t.Errorf("the log probability of 10,000 tokens is %g", logProb)
	}
}

func TestWordErrors(t *testing.T) {
	even, err := Even(0.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		word []int32
		want string
	}{
		{[]int32{0, 1, 0}, "even: token 0 cannot occur at position 3: it has probability 0 given the earlier tokens"},
		{[]int32{0, 2}, "even: token 2 at position 2 is outside the alphabet 0 … 1"},
		{[]int32{-1}, "even: token -1 at position 1 is outside the alphabet 0 … 1"},
	} {
		_, errBelief := even.Belief(c.word)
		_, errBeliefs := even.Beliefs(c.word)
		_, errLog := even.LogProb(c.word)
		for _, err := range []error{errBelief, errBeliefs, errLog} {
			if err == nil || err.Error() != c.want {
				t.Errorf("%v: %v\nwant %s", c.word, err, c.want)
			}
		}
	}
}

// After Reset positions count from 1 again.
func TestResetCountsAnew(t *testing.T) {
	p := mustMess3(t, 0.15, 0.6).Predictor()
	if err := p.Observe(0); err != nil {
		t.Fatal(err)
	}
	p.Reset()
	want := "mess3: token 3 at position 1 is outside the alphabet 0 … 2"
	if err := p.Observe(3); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

func TestShapesPanic(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	for name, call := range map[string]func(){
		"belief":                func() { h.Next([]float64{1}) },
		"prediction":            func() { h.Predictor().Next(make([]float64, 2)) },
		"transition":            func() { h.Transition(3) },
		"conditionalTransition": func() { _, _ = h.ConditionalTransition(-1) },
		"prefixes":              func() { must(h.Prefixes(t.Context(), 0)) },
		"prefixes too long":     func() { must(h.Prefixes(t.Context(), 60)) },
		"row":                   func() { must(h.Prefixes(t.Context(), 2)).Tokens(12) },
		"word":                  func() { must(h.Prefixes(t.Context(), 2)).Row([]int32{0, 1, 2}) },
		"token":                 func() { must(h.Prefixes(t.Context(), 2)).Row([]int32{3}) },
	} {
		t.Run(name, func(t *testing.T) {
			if text := panics.Text(call); !strings.HasPrefix(text, "process: ") {
				t.Errorf("recovered %q", text)
			}
		})
	}
}
