package process

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/processtest"

	"pgregory.net/rapid"
)

// sheared returns h in coordinates that are sheared at random.
func sheared(t *rapid.T, h *HMM) *HMM {
	matrices, right := processtest.Sheared(t, h)
	g, err := NewGeneralised("sheared", h.Tokens(), h.States(), matrices, right)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// In other coordinates (T^z to ST^zS⁻¹, r to Sr) an HMM is a generalised one with the
// same words: their probabilities, predictions and floors agree.
func TestGeneralisedIsTheSameInOtherCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := anyHMM(t)
		g := sheared(t, h)
		want, got := must(h.Prefixes(t.Context(), 3)), must(g.Prefixes(t.Context(), 3))
		if d := distance(want.Prob, got.Prob); d > 1e-12 {
			t.Fatalf("probabilities differ by %g", d)
		}
		for row := range want.Rows() {
			if want.Prob[row] > 1e-3 && distance(want.NextTokens(row), got.NextTokens(row)) > 1e-10 {
				t.Fatalf("after %v: %v and %v", want.Tokens(row), want.NextTokens(row), got.NextTokens(row))
			}
		}
		floors, errFloors := h.floors(t.Context(), 4, floorBudget)
		sheared, errSheared := g.floors(t.Context(), 4, floorBudget)
		if errFloors != nil || errSheared != nil || distance(floors, sheared) > 1e-10 {
			t.Fatalf("floors %v and %v; %v, %v", floors, sheared, errFloors, errSheared)
		}
	})
}

// A word that cannot occur is an error, and nothing becomes NaN.
func TestMoonNeverEmitsAA(t *testing.T) {
	h, err := Moon(math.E, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	want := "moon: token a cannot occur at position 3: it has probability 0 given the earlier tokens"
	if _, err := h.Beliefs([]int32{1, 0, 0}); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	p := must(h.Prefixes(t.Context(), 6))
	for _, values := range [][]float64{p.Prob, p.Beliefs, p.Constrained, p.Next} {
		if slices.ContainsFunc(values, math.IsNaN) {
			t.Error("a value is NaN")
		}
	}
	for row := range p.Rows() {
		word := stateName(p.Row(p.Tokens(row))-NumPrefixes(3, len(p.Tokens(row))-1), 3, len(p.Tokens(row)))
		if impossible := strings.Contains(word, "00"); impossible != (p.Prob[row] == 0) {
			t.Errorf("%s has the probability %g", word, p.Prob[row])
		}
	}
	if nu := h.Transition(0)[0]; math.Abs(nu-0.261196) > sixDigits {
		t.Errorf("ν = %g, want 0.261196", nu)
	}
}

// What is wrong with a generalised HMM, kind by kind.
func TestCheckGeneralised(t *testing.T) {
	one := []string{"z"}
	two := []string{"A", "B"}
	for _, c := range []struct {
		name     string
		tokens   []string
		matrices [][][]float64
		right    []float64
		want     []Problem
	}{
		{"right too short", one, [][][]float64{{{1, 0}, {0, 1}}}, []float64{1}, []Problem{
			{Kind: BadShape, Invalid: true, Text: "right has 1 entries, want one for each of 2 states"},
		}},
		{"right no number", one, [][][]float64{{{1, 0}, {0, 1}}}, []float64{1, math.NaN()}, []Problem{
			{Kind: BadEntry, Invalid: true, Text: "state B: its entry of right is NaN, want a number"},
		}},
		{"no number", one, [][][]float64{{{1, math.Inf(1)}, {0, 1}}}, []float64{1, 1}, []Problem{
			{Kind: BadEntry, Invalid: true, Text: "state A: its entry for token z and state B is +Inf, want a number", Token: "z"},
		}},
		{"rows", one, [][][]float64{{{0.5, 0}, {0, 1}}}, []float64{1, 1}, []Problem{
			{Kind: BadRow, Invalid: true, Text: "state A: its entry of T times right is 0.5, want 1, its entry of right"},
		}},
		{"none", one, [][][]float64{{{1, 1}, {0, 1}}}, []float64{1, 0}, []Problem{
			{Kind: NoStationary, Invalid: true, Text: "there is no stationary state: no π has πT = π and πr = 1"},
		}},
		{"several", one, [][][]float64{{{1, 0}, {0, 1}}}, []float64{1, 1}, []Problem{
			{Kind: ManyStationary, Invalid: true, Text: "πT = π has 2 independent solutions: want exactly one"},
		}},
		{"negative", []string{"h", "t"}, [][][]float64{{{1.5, 0}, {1, 0}}, {{0, -0.5}, {0, 0}}}, []float64{1, 1}, []Problem{
			{Kind: NegativeWord, Invalid: true, Text: "the sequence t has probability -1, want at least 0 (found among the sequences of up to 1 token)"},
		}},
		{"nothing, and finitely many beliefs", []string{"h", "t"}, [][][]float64{{{0.5, 0}, {0, 0}}, {{0, 0.25}, {2, 0}}}, []float64{1, 2}, []Problem{
			{Kind: WordsLookedAt, Text: "no sequence has a negative probability: all beliefs that sequences lead to were examined"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := withoutPlaces(must(CheckGeneralised(t.Context(), c.tokens, two, c.matrices, c.right)))
			if !slices.Equal(got, c.want) {
				t.Errorf("%+v\nwant %+v", got, c.want)
			}
			_, err := NewGeneralised("mine", c.tokens, two, c.matrices, c.right)
			if invalid := c.want[0].Invalid; invalid != (err != nil) || invalid && err.Error() != "mine: "+c.want[0].Text {
				t.Errorf("NewGeneralised says %v", err)
			}
		})
	}
}
