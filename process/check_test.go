package process

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// checks has each problem that Check finds, alone where it can be, with its text.
var checks = []struct {
	name           string
	tokens, states []string
	matrices       [][][]float64
	want           []Problem
}{
	{"nothing wrong", []string{"0", "1"}, []string{"A", "B"}, [][][]float64{{{0.5, 0}, {0, 0}}, {{0, 0.5}, {1, 0}}}, nil},
	{"a row short of one", []string{"z"}, []string{"A", "B"}, [][][]float64{{{0.5, 0.4}, {0.5, 0.5}}}, []Problem{
		{Kind: BadRow, Invalid: true, Text: "state A: its probabilities sum to 0.9, want 1"},
	}},
	{"a negative entry", []string{"heads", "tails"}, []string{"A", "B"}, [][][]float64{{{0.5, 0}, {-0.5, 1}}, {{0, 0.5}, {0, 0.5}}}, []Problem{
		{Kind: BadEntry, Invalid: true, Text: "state B: its probability to emit heads and go to A is -0.5, want at least 0", Token: "heads"},
	}},
	{"not a number", []string{"z"}, []string{"A"}, [][][]float64{{{math.NaN()}}}, []Problem{
		{Kind: BadEntry, Invalid: true, Text: "state A: its probability to emit z and go to A is NaN, want at least 0", Token: "z"},
	}},
	{"two halves", []string{"z"}, []string{"A", "B", "C"}, [][][]float64{{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}}, []Problem{
		{Kind: ManyStationary, Invalid: true, Text: "the sets of states {A} and {B, C} are never left, so each has its own stationary distribution: want exactly one such set"},
	}},
	{"a way back that no float64 can weigh", []string{"0", "1"}, []string{"A", "B"}, [][][]float64{{{0.5, 0.5}, {0, 1}}, {{0, 0}, {1e-320, 0}}}, []Problem{
		{Kind: NoStationary, Invalid: true, Text: "the stationary distribution cannot be computed: some probabilities are too small for their products or ratios to be float64 numbers; make them larger, or 0"},
	}},
	{"no states", []string{"z"}, nil, [][][]float64{{}}, []Problem{
		{Kind: BadShape, Invalid: true, Text: "there are no states: want at least one"},
	}},
	{"no tokens", nil, []string{"A"}, nil, []Problem{
		{Kind: BadShape, Invalid: true, Text: "there are no tokens: want at least one"},
	}},
	{"a matrix missing", []string{"0", "1"}, []string{"A"}, [][][]float64{{{1}}}, []Problem{
		{Kind: BadShape, Invalid: true, Text: "there are 1 matrices for 2 tokens, want one for each"},
	}},
	{"a row missing", []string{"z"}, []string{"A", "B"}, [][][]float64{{{0, 1}}}, []Problem{
		{Kind: BadShape, Invalid: true, Text: "token z: its matrix has 1 rows, want one for each of 2 states", Token: "z"},
	}},
	{"an entry missing", []string{"z"}, []string{"A", "B"}, [][][]float64{{{0, 1}, {1}}}, []Problem{
		{Kind: BadShape, Invalid: true, Text: "token z: row B of its matrix has 1 entries, want one for each of 2 states", Token: "z"},
	}},
	{"names", []string{"z", "z"}, []string{" "}, [][][]float64{{{0.5}}, {{0.5}}}, []Problem{
		{Kind: BadName, Invalid: true, Text: `tokens 0 and 1 are both named "z"`},
		{Kind: BadName, Invalid: true, Text: "state 0 has no name"},
	}},
	{"a transient state", []string{"0", "1"}, []string{"A", "B", "C"}, [][][]float64{
		{{0.5, 0, 0}, {0, 0, 0}, {1, 0, 0}},
		{{0, 0.5, 0}, {1, 0, 0}, {0, 0, 0}},
	}, []Problem{
		{Kind: UnreachableState, Invalid: false, Text: "state C is never reached: its probability is 0 in the stationary distribution"},
	}},
	// What a transient state does is no part of the stationary process.
	{"a transient state alone emits a token", []string{"0", "1", "2"}, []string{"A", "B", "C"}, [][][]float64{
		{{0.5, 0, 0}, {0, 0, 0}, {0, 0, 0}},
		{{0, 0.5, 0}, {1, 0, 0}, {0, 0, 0}},
		{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}},
	}, []Problem{
		{Kind: UnreachableState, Invalid: false, Text: "state C is never reached: its probability is 0 in the stationary distribution"},
		{Kind: UnusedToken, Invalid: false, Text: "token 2 never occurs", Token: "2"},
	}},
	{"visible but for a transient state", []string{"0", "1"}, []string{"A", "B", "C"}, [][][]float64{
		{{0.5, 0, 0}, {1, 0, 0}, {0, 0.25, 0.75}},
		{{0, 0.5, 0}, {0, 0, 0}, {0, 0, 0}},
	}, []Problem{
		{Kind: UnreachableState, Invalid: false, Text: "state C is never reached: its probability is 0 in the stationary distribution"},
		{Kind: VisibleStates, Invalid: false, Text: "the last token reveals the state, so there is no belief geometry to find"},
	}},
	{"first order but for a transient state", []string{"0", "1"}, []string{"A", "B", "C"}, [][][]float64{
		{{0.25, 0.5, 0}, {0.1, 0.2, 0}, {0.5, 0, 0.5}},
		{{0.125, 0.125, 0}, {0.35, 0.35, 0}, {0, 0, 0}},
	}, []Problem{
		{Kind: UnreachableState, Invalid: false, Text: "state C is never reached: its probability is 0 in the stationary distribution"},
		{Kind: FirstOrder, Invalid: false, Text: "the belief depends on the last token alone, so the belief geometry is 2 points"},
	}},
	{"a token unused", []string{"0", "1", "2"}, []string{"A", "B"}, [][][]float64{{{0.5, 0}, {0, 0}}, {{0, 0.5}, {1, 0}}, {{0, 0}, {0, 0}}}, []Problem{
		{Kind: UnusedToken, Invalid: false, Text: "token 2 never occurs", Token: "2"},
	}},
	// The even process with A in two copies that lead to each other.
	{"duplicates", []string{"0", "1"}, []string{"A", "B", "A'"}, [][][]float64{
		{{0, 0, 0.5}, {0, 0, 0}, {0.5, 0, 0}},
		{{0, 0.5, 0}, {0.25, 0, 0.75}, {0, 0.5, 0}},
	}, []Problem{
		{Kind: DuplicateStates, Invalid: false, Text: "states A and A' are indistinguishable: no sequence separates them, so they can be merged"},
	}},
	// From S the two futures are told apart at once, from S' a token later; what follows
	// the 0 of both is a 1 or a 2, as likely. X leads to both.
	{"duplicates whose next states are not", []string{"0", "1", "2"}, []string{"X", "S", "S'", "U", "V", "W"}, [][][]float64{
		{{0, 0.5, 0.5, 0, 0, 0}, {0, 0, 0, 0.5, 0.5, 0}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}},
		{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0.5, 0, 0, 0, 0, 0}},
		{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0}, {0.5, 0, 0, 0, 0, 0}},
	}, []Problem{
		{Kind: DuplicateStates, Invalid: false, Text: "states S and S' are indistinguishable: no sequence separates them, so they can be merged"},
	}},
	{"visible", []string{"0", "1"}, []string{"A", "B"}, [][][]float64{{{0.5, 0}, {1, 0}}, {{0, 0.5}, {0, 0}}}, []Problem{
		{Kind: VisibleStates, Invalid: false, Text: "the last token reveals the state, so there is no belief geometry to find"},
	}},
	// After 1 comes 0 0: the last two tokens tell how far it is.
	{"visible by two tokens", []string{"0", "1"}, []string{"A", "B", "C"}, [][][]float64{
		{{0.5, 0, 0}, {0, 0, 1}, {1, 0, 0}},
		{{0, 0.5, 0}, {0, 0, 0}, {0, 0, 0}},
	}, []Problem{
		{Kind: VisibleStates, Invalid: false, Text: "the last 2 tokens reveal the state, so only shorter sequences have belief geometry"},
	}},
	{"first order", []string{"0", "1"}, []string{"A", "B"}, [][][]float64{{{0.25, 0.5}, {0.1, 0.2}}, {{0.125, 0.125}, {0.35, 0.35}}}, []Problem{
		{Kind: FirstOrder, Invalid: false, Text: "the belief depends on the last token alone, so the belief geometry is 2 points"},
	}},
}

// A state split in two is found, and what is found gives words the same probabilities.
func TestDuplicates(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		n := h.NumStates()
		split := rapid.IntRange(0, n-1).Draw(t, "split")
		weights := make([][][]float64, n+1) // the last state does as the split one
		for i := range weights {
			for z := range h.Alphabet() {
				from := i
				if i == n {
					from = split
				}
				row := append(h.Transition(z)[from*n:(from+1)*n], 0)
				share := float64(rapid.IntRange(1, 3).Draw(t, "share")) / 4
				row[n] = row[split] * (1 - share)
				row[split] *= share
				weights[i] = append(weights[i], row)
			}
		}
		copied := fromWeights(t, weights)
		classes := must(copied.table().duplicates(t.Context()))
		for i := range n + 1 {
			for j := range i {
				same := slices.ContainsFunc(classes, func(class []int) bool { return slices.Contains(class, i) && slices.Contains(class, j) })
				apart := 0.0
				for w := range int(math.Pow(float64(h.Alphabet()), 4)) {
					apart = max(apart, math.Abs(copied.wordFrom(i, digits(w, h.Alphabet(), 4))-copied.wordFrom(j, digits(w, h.Alphabet(), 4))))
				}
				if same {
					found++
				}
				if same && apart > 1e-12 || !same && i == n && j == split {
					t.Fatalf("states %d and %d: words differ by %g, the classes are %v", i, j, apart, classes)
				}
			}
		}
	})
	if found == 0 {
		t.Error("no duplicates")
	}
}

// wordFrom returns the probability of a word from a state.
func (h *HMM) wordFrom(state int, word []int32) float64 {
	n := h.NumStates()
	v := make([]float64, n)
	v[state] = 1
	for _, z := range word {
		v = linalg.VecMul(make([]float64, n), v, h.matrices[z])
	}
	return floats.Sum(v)
}

func withoutPlaces(problems []Problem) []Problem {
	var plain []Problem
	for _, p := range problems {
		p.at = place{}
		plain = append(plain, p)
	}
	return plain
}

func TestCheck(t *testing.T) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			got := withoutPlaces(must(Check(t.Context(), c.tokens, c.states, c.matrices)))
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
			h, err := New("mine", c.tokens, c.states, c.matrices)
			faults := 0
			for _, p := range c.want {
				if p.Invalid {
					faults++
				}
			}
			switch {
			case faults == 0 && err != nil:
				t.Errorf("New refuses it: %v", err)
			case faults == 0 && !slices.Equal(must(h.Check(t.Context())), c.want):
				t.Errorf("the HMM's own notes are %+v", must(h.Check(t.Context())))
			case faults > 0 && (err == nil || !strings.HasPrefix(err.Error(), "mine: "+c.want[0].Text)):
				t.Errorf("New says %v", err)
			case faults > 1 && !strings.HasSuffix(err.Error(), " (and 1 more fault)"):
				t.Errorf("New does not count the other faults: %v", err)
			}
		})
	}
}

// Every kind of problem has a row in the table.
func TestEveryKindIsChecked(t *testing.T) {
	for _, kind := range []Fault{
		BadShape, BadName, BadEntry, BadRow, NoStationary, ManyStationary,
		UnreachableState, UnusedToken, DuplicateStates, VisibleStates, FirstOrder,
	} {
		found := false
		for _, c := range checks {
			for _, p := range c.want {
				found = found || p.Kind == kind
			}
		}
		if !found {
			t.Errorf("no row shows %s", kind)
		}
	}
}

// Rows a little off one are accepted and made exact; rows further off are not.
func TestRowsAreNormalised(t *testing.T) {
	third := 0.3333333333
	off := 3*third - 1
	if math.Abs(off) > rowSumTolerance {
		t.Fatalf("the row is off by %g", off)
	}
	m := [][][]float64{{{third, third, third}, {0, 0, 1}, {1, 0, 0}}}
	h, err := New("thirds", []string{"z"}, []string{"A", "B", "C"}, m)
	if err != nil {
		t.Fatal(err)
	}
	if row := h.Transition(0)[:3]; math.Abs(row[0]+row[1]+row[2]-1) > 1e-15 {
		t.Errorf("the first row is %v", row)
	}
	m[0][0][0] = 0.333333
	if _, err := New("thirds", []string{"z"}, []string{"A", "B", "C"}, m); err == nil {
		t.Error("a row that is off by 3e-7 was accepted")
	}
}

// What an HMM hands out can be changed without changing the HMM.
func TestAccessorsCopy(t *testing.T) {
	h := mustMess3(t, 0.15, 0.6)
	before := must(h.Prefixes(t.Context(), 3))
	conditional, err := h.ConditionalTransition(0)
	if err != nil {
		t.Fatal(err)
	}
	belief, err := h.Belief(nil)
	if err != nil {
		t.Fatal(err)
	}
	constrained, err := h.Constrained(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]float64{h.Stationary(), h.Transition(0), h.NetTransition(), conditional, belief, constrained} {
		for i := range v {
			v[i] = -1
		}
	}
	h.Tokens()[0], h.States()[0], h.Params()["x"] = "changed", "changed", 7
	after := must(h.Prefixes(t.Context(), 3))
	if !slices.Equal(before.Beliefs, after.Beliefs) || !slices.Equal(before.Constrained, after.Constrained) {
		t.Error("writing to a result changed the HMM")
	}
	if h.Tokens()[0] != "0" || h.States()[0] != "0" || h.Params()["x"] != 0.15 {
		t.Error("writing to names or parameters changed the HMM")
	}
}

// A search ends where sequences have led to more beliefs than its budget: a process with
// so many beliefs is examined whole, and with one belief more only up to a length.
func TestSearchExaminesItsBudget(t *testing.T) {
	for _, name := range []string{"even", "golden_mean", "rrxor", "periodic"} {
		h := must(Build(name, nil)).(*HMM)
		beliefs := len(must(h.Presentation(t.Context())).Beliefs)
		if got := h.searchSequences(beliefs); !got.all {
			t.Errorf("%s: not all of %d beliefs were examined", name, beliefs)
		}
		if got := h.searchSequences(beliefs - 1); got.all || got.length >= beliefs {
			t.Errorf("%s: within %d of %d beliefs, %+v", name, beliefs-1, beliefs, got)
		}
	}
}
