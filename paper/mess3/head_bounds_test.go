package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// repeated is a number that each of n seeds gives, but for the first k, which give
// another.
func repeated(n int, x float64, k int, other float64) []float64 {
	list := slices.Repeat([]float64{x}, n)
	for i := range k {
		list[i] = other
	}
	return list
}

// A cell of ten seeds whose R² is that of mean patterns and as trained.
func boundedCellOf(heads int, mean, asTrained []float64, reasons ...string) boundedCell {
	c := boundedCell{heads: heads}
	reasons = append(slices.Clone(reasons), slices.Repeat([]string{""}, len(mean)-len(reasons))...)
	for i, r2 := range mean {
		c.Models = append(c.Models, claim.Seeded[boundedModel]{
			Seed: i + 1, Unconverged: reasons[i],
			Found: boundedModel{asTrained: asTrained[i], mean: r2}, Random: boundedModel{mean: 0.1},
		})
	}
	return c
}

func TestHeadBoundsRule(t *testing.T) {
	const n = fewestSeeds
	flat := func(x float64) []float64 { return repeated(n, x, 0, 0) }
	bounds := []float64{0.3, 0.8, 1}
	process := func(one, two boundedCell) boundedProcess {
		return boundedProcess{Source: trained.Mess3(0.5, 0.6), bounds: bounds, certain: bounds, cells: []boundedCell{one, two}}
	}
	one, two := boundedCellOf(1, flat(0.79), flat(0.79)), boundedCellOf(2, flat(0.98), flat(0.98))
	helped := boundedCellOf(1, flat(0.7), repeated(n, 0.79, 5, 0.95))
	of := func(mess3, alternation boundedProcess) boundedHeads {
		alternation.Source = trained.Source{Name: trained.Alternation}
		return boundedHeads{mess3, alternation}
	}
	good := process(helped, two)
	notAbove := repeated(n, 0.98, 6, 0.7)
	random := boundedCellOf(2, flat(0.98), flat(0.98))
	for i := range random.Models {
		random.Models[i].Random.mean = 0.81
	}
	narrow := process(one, boundedCellOf(2, notAbove, flat(0.98)))
	narrow.bounds = []float64{0.3, 0.995, 1}
	few := func(c boundedCell) boundedCell {
		c.Models = c.Models[:3]
		return c
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Fails, claim.Open}
	claimtest.Rule(t, boundedHeads.judge, verdicts, []claimtest.Case[boundedHeads]{
		{Name: "as stated", M: of(process(one, two), good), Want: claim.Holds},
		{Name: "within the slack", M: of(process(boundedCellOf(1, flat(0.8049), flat(0.8049)), two), good), Want: claim.Holds},
		{Name: "P1: one above", M: of(process(boundedCellOf(1, repeated(n, 0.79, 1, 0.81), flat(0.79)), two), good), Want: claim.Fails},
		{Name: "P2: nine of ten", M: of(process(one, boundedCellOf(2, repeated(n, 0.98, 1, 0.7), flat(0.98))), good), Want: claim.Holds},
		{Name: "P2: eight of ten", M: of(process(one, boundedCellOf(2, repeated(n, 0.98, 2, 0.7), flat(0.98))), good), Want: claim.Open},
		{Name: "P2: four of ten", M: of(process(one, boundedCellOf(2, notAbove, flat(0.98))), good), Want: claim.Fails},
		{Name: "P2: four of ten, others unconverged", M: of(process(one, boundedCellOf(2, notAbove, flat(0.98),
			"early", "early", "early")), good), Want: claim.Open},
		{Name: "P2: a random initialisation, too", M: of(process(one, random), good), Want: claim.Open},
		{Name: "P2: no room, and four of ten", M: of(narrow, good), Want: claim.Holds},
		{Name: "P3: above on Mess3", M: of(process(boundedCellOf(1, flat(0.79), repeated(n, 0.79, 1, 0.9)), two), good), Want: claim.Fails},
		{Name: "P3: four on the alternation", M: of(process(one, two), process(boundedCellOf(1, flat(0.7),
			repeated(n, 0.79, 4, 0.95)), two)), Want: claim.Open},
		{Name: "three seeds", M: of(process(few(one), few(two)), process(few(helped), few(two))), Want: claim.Open},
		{Name: "three seeds, one above", M: of(process(few(boundedCellOf(1, repeated(n, 0.79, 1, 0.81), flat(0.79))),
			few(two)), process(few(helped), few(two))), Want: claim.Fails},
	})
}

// Why a prediction is open is that of the prediction.
func TestHeadBoundsReasons(t *testing.T) {
	p := boundedProcess{bounds: []float64{0.3, 0.8, 1}}
	low := repeated(fewestSeeds, 0.7, 1, 0.98)
	waiting := boundedCellOf(2, low, low, slices.Repeat([]string{"early"}, fewestSeeds)...)
	if c := p.used(waiting); c.Verdict != claim.Open || c.Reason != claim.Untrained || c.Converged {
		t.Errorf("unconverged models: %s, %s", c.Verdict, c.Reason)
	}
	if c := p.used(boundedCellOf(2, low[:3], low[:3])); c.Verdict != claim.Open || c.Reason != claim.Power {
		t.Errorf("one of three above: %s, %s", c.Verdict, c.Reason)
	}
	if c := p.used(boundedCellOf(2, repeated(3, 0.98, 0, 0), low[:3])); c.Verdict != claim.Open || c.Reason != claim.Power {
		t.Errorf("three of three above: %s, %s", c.Verdict, c.Reason)
	}
}

// Mess3 beyond x = 1/3 and the alternation have one negative eigenvalue; a cycle of four
// has a pair and a negative one of one modulus, one of five two pairs.
func TestHeadsAsked(t *testing.T) {
	var heads []int
	for _, on := range full().boundSources() {
		heads = append(heads, headsAsked(on))
	}
	if want := []int{2, 2, 4, 5}; !slices.Equal(heads, want) {
		t.Errorf("%v heads, want %v", heads, want)
	}
}

// The first two are those that P3 is about.
func TestBoundSources(t *testing.T) {
	for _, p := range []profile{quick(), full(), tiny()} {
		list := p.boundSources()
		if list[0] != trained.Mess3(0.5, 0.6) || list[1].Name != trained.Alternation {
			t.Errorf("%s: %v", p.name, list)
		}
	}
	if n, m := len(full().boundModels()), len(quick().boundModels()); n != 10*(2+2+4+5) || m != 3*(2+2) {
		t.Errorf("%d models in full, %d in quick", n, m)
	}
}
