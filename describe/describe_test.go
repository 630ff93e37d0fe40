package describe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/process"
)

func mustNamed(t *testing.T, name string, params process.Params) Subject {
	t.Helper()
	s, err := Named(name, params)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mustOptimum returns the process of a subject whose best possible prediction is known.
func mustOptimum(t *testing.T, s Subject) process.Process {
	t.Helper()
	p, err := s.Optimum()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A description of every process of the catalogue says as much as the process knows, and
// agrees with the list.
func TestDescribeTheCatalogue(t *testing.T) {
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(process.Catalogue()) {
		t.Fatalf("%d processes are listed, of %d", len(list), len(process.Catalogue()))
	}
	for _, item := range list {
		s := mustNamed(t, item.Name, nil)
		d, err := Process(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.States) != item.States || len(d.Tokens) != item.Alphabet || len(d.Parameters) != len(item.Params) || d.Summary != item.Summary {
			t.Errorf("%s: %d states, %d tokens, listed as %+v", item.Name, len(d.States), len(d.Tokens), item)
		}
		if s.Process.Name() == "recording" {
			if d.Rates != nil || d.Ceiling != nil || d.Recording == nil || d.Recording.Samples != 48 || d.Recording.HeldOut != 10 {
				t.Errorf("%+v", d)
			}
			continue
		}
		hmm := item.States > 0
		if hmm != (d.Matrices != nil) || hmm != (d.Spectrum != nil || d.SpectrumError != "") {
			t.Errorf("%s: matrices of %d tokens, spectrum %v", item.Name, len(d.Matrices), d.Spectrum)
		}
		if (d.Beliefs == nil) != (d.BeliefsError != "") || (d.ExcessEntropy == nil) != (d.NoExcessEntropy != "") {
			t.Errorf("%s: beliefs %v, %q; excess entropy %v, %q", item.Name, d.Beliefs, d.BeliefsError, d.ExcessEntropy, d.NoExcessEntropy)
		}
		if (d.Ceiling != nil) != (item.Kind == "signal") || d.CeilingError != "" {
			t.Errorf("%s, a %s: ceiling %v, %q", item.Name, item.Kind, d.Ceiling, d.CeilingError)
		}
	}
}

// The heads of a description attend to the past alone, with weights that sum to one.
func TestPredictedAttention(t *testing.T) {
	for name, params := range map[string]process.Params{"mess3": {"x": 0.5}, "even": nil, "moon": nil, "z1r": nil} {
		d, err := Process(t.Context(), mustNamed(t, name, params))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Spectrum.Predicted) != d.Spectrum.Heads.Belief {
			t.Errorf("%s: %d heads, want %d", name, len(d.Spectrum.Predicted), d.Spectrum.Heads.Belief)
		}
		for _, head := range d.Spectrum.Predicted {
			for row, weights := range head.Pattern {
				sum := 0.0
				for s, a := range weights {
					sum += a
					if a < 0 || s > row && a != 0 {
						t.Errorf("%s: attention from %d to %d is %g", name, row, s, a)
					}
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("%s: attention from %d sums to %g", name, row, sum)
				}
			}
			if len(head.OV) != attendedPositions || len(head.OV[0]) != len(d.Tokens) || len(head.OV[0][0]) != len(d.States) {
				t.Errorf("%s: OV vectors of %d positions, %d tokens, %d states", name, len(head.OV), len(head.OV[0]), len(head.OV[0][0]))
			}
		}
	}
}

// A trace agrees with Bayes' rule by hand: after token 0, Mess3(0.15, 0.6) believes in
// state 0 with probability a, in the others with (1−a)/2.
func TestBeliefsByHand(t *testing.T) {
	p := mustOptimum(t, mustNamed(t, "mess3", nil))
	trace, err := Beliefs(t.Context(), Subject{Process: p}, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range [][][]float64{trace.Beliefs, trace.Constrained} {
		for j, want := range []float64{0.6, 0.2, 0.2} {
			if len(rows) != 2 || math.Abs(rows[1][j]-want) > 1e-15 || math.Abs(rows[0][j]-1./3) > 1e-15 {
				t.Errorf("%v", rows)
			}
		}
	}
	if math.Abs(trace.LogProb-math.Log(1./3)) > 1e-15 || !slices.Equal(trace.Word, []string{"0"}) || len(trace.States) != 3 {
		t.Errorf("%+v", trace)
	}
	optimum, err := process.NextAfter(p, []int32{0})
	if err != nil || !slices.Equal(optimum, trace.Next[1]) {
		t.Errorf("next %v, the predictor has %v, %v", trace.Next[1], optimum, err)
	}
	if _, err := Beliefs(t.Context(), Subject{Process: p}, []int32{0, 3}); err == nil {
		t.Error("a token outside the alphabet")
	}
}

// A longer sample begins like a shorter one, and a reader may stop.
func TestSampleBeginsLikeASmallerOne(t *testing.T) {
	s := Sample{Subject: mustNamed(t, "mess3", nil), Number: 3, Length: 6, Seed: 5}
	var all [][]int32
	for tokens := range s.Sequences(t.Context()) {
		all = append(all, slices.Clone(tokens))
	}
	s.Number = 2
	n := 0
	for tokens := range s.Sequences(t.Context()) {
		if !slices.Equal(tokens, all[n]) {
			t.Errorf("sequence %d: %v and %v", n, tokens, all[n])
		}
		n++
		break
	}
	if len(all) != 3 || n != 1 {
		t.Errorf("%d sequences, then %d", len(all), n)
	}
}

// The graph of the golden-mean process, as Graphviz reads it.
func TestDOT(t *testing.T) {
	g, err := StateGraph(t.Context(), mustOptimum(t, mustNamed(t, "golden_mean", nil)))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := g.DOT(&text); err != nil {
		t.Fatal(err)
	}
	const want = `digraph "golden_mean" {
  rankdir=LR;
  node [shape=circle];
  "A" [label="A"];
  "B" [label="B"];
  "A" -> "A" [label="0:0.5"];
  "B" -> "A" [label="0:1"];
  "A" -> "B" [label="1:0.5"];
}
`
	if text.String() != want {
		t.Errorf("got\n%s", text.String())
	}
	beliefs, err := BeliefGraph(t.Context(), mustOptimum(t, mustNamed(t, "golden_mean", nil)))
	if err != nil || len(beliefs.Nodes) != 3 || !beliefs.Nodes[0].Transient || beliefs.Nodes[1].Transient {
		t.Errorf("%+v, %v", beliefs, err)
	}
}

// A number of three digits is never 0 unless it is.
func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0.5: "0.5", 1. / 3: "0.333", 1e-5: "1e-05", 0: "0", -1e-9: "-1e-09", 12: "12"} {
		if got := short(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

// What cannot be found or drawn is one line without a flag of any command.
func TestErrors(t *testing.T) {
	sine := mustOptimum(t, mustNamed(t, "sine", process.Params{"period": 250}))
	many, err := StateGraph(t.Context(), sine)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{failure(Named("mes3", nil)), `unknown process "mes3": did you mean "mess3"?`},
		{failure(Named("mess3", process.Params{"x": 0.7})), "mess3: x = 0.7 is outside (0, 0.5]"},
		{failure(many.Figure()), fmt.Sprintf("sine: %d states are too many for a picture", len(many.Nodes))},
		{failure(Attention(t.Context(), mustOptimum(t, mustNamed(t, "sine", process.Params{"period": 20})))), "sine: 20 heads are too many for a picture, want at most 16"},
		{failure(BeliefGraph(t.Context(), mustOptimum(t, mustNamed(t, "coin", nil)))), "coin is not a hidden Markov model: the observer keeps unbounded counts of heads and tails"},
		{failure(BeliefGraph(t.Context(), mustOptimum(t, mustNamed(t, "mess3", nil)))), "mess3: more than 1000 distinct beliefs, possibly infinitely many"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
}
