package induction

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// constructs are measurements that produce each verdict of the rows that work printed
// formulas through.
func constructs() []claimtest.Case[construct] {
	of := func(worst float64, formulas ...formula) construct { return construct{worst: worst, formulas: formulas} }
	stands, misprint := formula{}, formula{off: 0.5, counter: "lags {1, 2}"}
	return []claimtest.Case[construct]{
		{Name: "all stand", M: of(0, stands, stands), Want: claim.Holds},
		{Name: "at the bounds", M: of(equal, formula{off: wrong, left: equal}), Want: claim.Holds},
		{Name: "one misprint", M: of(0, stands, misprint), Want: claim.Corrected},
		{Name: "a correction that is none", M: of(0, formula{off: 0.5, left: 2 * equal}), Want: claim.Fails},
		{Name: "weights are not the closed form", M: of(2*equal, stands), Want: claim.Fails},
		{Name: "no number", M: of(worse(0, math.NaN()), stands), Want: claim.Fails},
	}
}

var formulaVerdicts = []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}

func TestConstructionsAreJudged(t *testing.T) {
	claimtest.Rule(t, construct.judge, formulaVerdicts, constructs())
	var cases []claimtest.Case[contiguousForms]
	for _, c := range constructs() {
		cases = append(cases, claimtest.Case[contiguousForms]{Name: c.Name, M: contiguousForms{construct: c.M}, Want: c.Want})
	}
	claimtest.Rule(t, contiguousForms.judge, formulaVerdicts, cases)
}

func TestAnySetsAreJudged(t *testing.T) {
	of := func(two, four int, proven bool, other headCount) anySets {
		return anySets{
			construct: construct{formulas: []formula{{off: 0.5}}},
			sets: []headCount{
				{lags: []int{1, 3}, fewest: two, hull: 3, proven: proven},
				{lags: []int{1, 3, 4}, fewest: four, hull: 4, proven: true},
				other,
			},
		}
	}
	usual := headCount{lags: []int{1, 2, 6}, fewest: 3, hull: 6, proven: true}
	clean := of(2, 4, true, usual)
	clean.formulas = nil
	claimtest.Rule(t, anySets.judge, formulaVerdicts, []claimtest.Case[anySets]{
		{Name: "the paper's numbers and no misprint", M: clean, Want: claim.Holds},
		{Name: "the paper's numbers", M: of(2, 4, true, usual), Want: claim.Corrected},
		{Name: "three for two lags", M: of(3, 4, true, usual), Want: claim.Fails},
		{Name: "three for {1, 3, 4}", M: of(2, 3, true, usual), Want: claim.Fails},
		{Name: "no proof", M: of(2, 4, false, usual), Want: claim.Fails},
		{Name: "out of range", M: of(2, 4, true, headCount{lags: []int{1, 2}, fewest: 3, hull: 2}), Want: claim.Fails},
	})
}

// addingOf is a standard transformer whose attention differs from the closed form by
// worst at most, and whose divergence is behind the disentangled one's.
func addingOf(worst, behind float64) adding {
	flat := curve{paperLength, make([]float64, 2*paperLength)}
	more := curve{paperLength, make([]float64, 2*paperLength)}
	for i := range more.kl {
		more.kl[i] = behind
	}
	return adding{worst: worst, along: lines{task: example, list: []line{{curve: flat}, {curve: flat}, {curve: flat}, {curve: more}}}}
}

func TestStandardIsJudged(t *testing.T) {
	claimtest.Rule(t, adding.judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}, []claimtest.Case[adding]{
		{Name: "the same", M: addingOf(0, 0), Want: claim.Holds},
		{Name: "at the bounds", M: addingOf(equal, matches), Want: claim.Holds},
		{Name: "worse", M: addingOf(0, 2*matches), Want: claim.Differs},
		{Name: "better", M: addingOf(0, -2*matches), Want: claim.Differs},
		{Name: "other attention", M: addingOf(2*equal, 0), Want: claim.Fails},
	})
}

// estimated is a sweep over β in which Eq. 3 is so far above ML at the smallest β and at
// all others, up to a standard error of 0.001.
func estimated(first, others float64) sweep {
	flat := func(x, spread float64) curve {
		kl := make([]float64, 2*paperLength)
		for i := range kl {
			kl[i] = 0.1 + x + spread*float64(2*(i/paperLength)-1)
		}
		return curve{paperLength, kl}
	}
	b := betaCurves{task: spread, bma: flat(0, 0), ml: flat(0, 0)}
	for i := range betas {
		if b.eq3 = append(b.eq3, flat(first, 0)); i > 0 {
			b.eq3[i] = flat(others, 0.001)
		}
	}
	return sweep{b}
}

func TestEstimatorIsJudged(t *testing.T) {
	claimtest.Rule(t, sweep.judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}, []claimtest.Case[sweep]{
		{Name: "near", M: estimated(0.2, 0.0029), Want: claim.Holds},
		{Name: "near from below", M: estimated(0.2, -0.0029), Want: claim.Holds},
		{Name: "better", M: estimated(0.2, -0.0031), Want: claim.Differs},
		{Name: "nearer", M: estimated(0.2, 0.1), Want: claim.Differs},
		{Name: "farther", M: estimated(0.005, 0.1), Want: claim.Fails},
	})
}
