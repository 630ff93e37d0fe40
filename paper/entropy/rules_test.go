package entropy

import (
	"fmt"
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// made are measurements on sources with the rate 0.5 and the entropy 1 of a symbol: how
// far each estimate is from the rate. Odd sources are no trees, and the intervals of all
// contain the rate.
func made(sources, seeds int, off func(source, length, estimator, seed int) float64) measured {
	m := measured{lengths: profiles[claim.Quick].lengths}
	for i := range sources {
		j := judged{source: source{name: fmt.Sprint("source ", i), rate: 0.5, chance: 1, alphabet: 4, excess: float64(i%2) / 10}}
		for seed := range seeds {
			var e estimated
			for length := range m.lengths {
				var values [estimators]float64
				for estimator := range values {
					values[estimator] = 0.5 + off(i, length, estimator, seed)
				}
				e.estimates = append(e.estimates, values)
				e.optimal = append(e.optimal, 0.5)
				e.posterior = append(e.posterior, &claim.Interval{Low: 0.4, High: 0.6})
			}
			j.runs = append(j.runs, e)
		}
		m.sources = append(m.sources, j)
	}
	return m
}

// spread is a small number that depends on the seed, with the mean 0 over three seeds.
func spread(seed int) float64 { return 0.001 * float64(seed-1) }

var threeVerdicts = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}

func TestCodeLengthIsJudged(t *testing.T) {
	off := func(least float64, below int) measured {
		return made(4, 3, func(source, length, estimator, seed int) float64 {
			if estimator == byTree && length == 1 && source < below {
				return least + spread(seed)
			}
			return 0.01
		})
	}
	claimtest.Rule(t, measured.judgeCodeLength, threeVerdicts, []claimtest.Case[measured]{
		{Name: "above", M: off(0.01, 4), Want: claim.Holds},
		{Name: "below by less than two standard errors", M: off(-0.0011, 4), Want: claim.Holds},
		{Name: "below by more", M: off(-0.0012, 4), Want: claim.Fails},
		{Name: "on one source", M: off(-0.1, 1), Want: claim.Differs},
	})
	for i, q := range off(-0.1, 1).askWhoStaysAbove() {
		if want := claim.AnswerIf(i != byTree); q.Answer != want {
			t.Errorf("%s: %s, want %s", q.Question, q.Answer, want)
		}
	}
}

func TestBelowIsJudged(t *testing.T) {
	off := func(matches, plugIn float64, above int) measured {
		return made(4, 3, func(source, length, estimator, seed int) float64 {
			switch {
			case source < above:
				return 0.1
			case estimator == byMatches:
				return matches + spread(seed)
			case estimator == byPlugIn10:
				return plugIn + spread(seed)
			}
			return 0
		})
	}
	zero := off(0, 0, 4)
	for i := range zero.sources {
		zero.sources[i].rate = 0
	}
	claimtest.Rule(t, measured.judgeBelow, threeVerdicts, []claimtest.Case[measured]{
		{Name: "below", M: off(-0.0012, -0.1, 0), Want: claim.Holds},
		{Name: "below by less than two standard errors", M: off(-0.0011, 0.1, 0), Want: claim.Fails},
		{Name: "one of two", M: off(-0.1, 0.1, 0), Want: claim.Differs},
		{Name: "on some sources", M: off(-0.1, -0.1, 1), Want: claim.Differs},
	})
	if n := len(zero.uncertain(0)); n != 0 {
		t.Errorf("%d sources with the rate 0 are judged", n)
	}
}

// rivals are measurements in which the first rivals of the tree are better on the first
// sources of four.
func rivals(better, sources int) measured {
	return made(4, 3, func(source, _, estimator, _ int) float64 {
		if estimator > byTree && estimator <= better && source < sources {
			return 0.01
		}
		return 0.02 + 0.01*float64(estimator)
	})
}

func TestAccuracyIsJudged(t *testing.T) {
	// The tree is the best on the first sources, then plug-in 3, and plug-in 6 on the rest.
	best := func(tree, three int) measured {
		return made(7, 3, func(source, length, estimator, seed int) float64 {
			first := byPlugIn6
			if source < tree {
				first = byTree
			} else if source < tree+three {
				first = byPlugIn3
			}
			if estimator == first {
				return 0.01 + spread(seed)
			}
			return -0.1
		})
	}
	claimtest.Rule(t, measured.judgeAccuracy, threeVerdicts, []claimtest.Case[measured]{
		{Name: "on most", M: best(4, 3), Want: claim.Holds},
		{Name: "on fewer than one of them", M: rivals(1, 7), Want: claim.Differs},
		{Name: "on fewer than each", M: rivals(5, 7), Want: claim.Fails},
		{Name: "on half", M: rivals(5, 2), Want: claim.Holds},
	})
	claimtest.Rule(t, measured.judgeFirstAccuracy, threeVerdicts, []claimtest.Case[measured]{
		{Name: "on all", M: best(7, 0), Want: claim.Holds},
		{Name: "on half", M: best(4, 3), Want: claim.Holds},
		{Name: "on most", M: best(3, 2), Want: claim.Differs},
		{Name: "as often as another", M: best(3, 3), Want: claim.Fails},
		{Name: "on none", M: best(0, 3), Want: claim.Fails},
	})
	m := best(7, 0)
	if tree, other := m.askBias(byTree), m.askBias(byPlugIn1); tree.Answer != claim.Yes || other.Answer != claim.Yes {
		t.Errorf("bias: %v and %v", tree, other)
	}
	wide := made(2, 3, func(_, _, _, seed int) float64 { return spread(seed) })
	if q := wide.askBias(byTree); q.Answer != claim.No {
		t.Errorf("no bias: %v", q)
	}
}

func TestShareIsJudged(t *testing.T) {
	off := func(first, others float64) measured {
		return made(3, 3, func(source, _, _, seed int) float64 {
			if source == 0 {
				return first + spread(seed)
			}
			return others
		})
	}
	claimtest.Rule(t, measured.judgeShare, threeVerdicts, []claimtest.Case[measured]{
		{Name: "half", M: off(0.2499, 0.1), Want: claim.Holds},
		{Name: "less on one", M: off(0.2501, 0.1), Want: claim.Differs},
		{Name: "less on all", M: off(0.3, 0.6), Want: claim.Fails},
	})
	small := off(0.3, 0.1)
	small.sources[0].chance = 0.5 + leastGap/2
	if n := len(small.learnable(0)); n != 2 {
		t.Errorf("%d sources have something to learn", n)
	}
}

// missing are measurements whose intervals of the given numbers of trees and of others
// lie beside the rate, at the lengths up to the last one given.
func missing(trees, others, last int) measured {
	m := made(20, 1, func(_, _, _, _ int) float64 { return 0 })
	for i, j := range m.sources {
		for length := range last + 1 {
			if k := i / 2; i%2 == 0 && k < trees || i%2 == 1 && k < others {
				j.runs[0].posterior[length] = &claim.Interval{Low: 0.51, High: 0.6}
			}
		}
	}
	return m
}

func TestCoverageIsJudged(t *testing.T) {
	none := missing(0, 0, 2)
	for _, j := range none.sources {
		clear(j.runs[0].posterior)
	}
	claimtest.Rule(t, measured.judgeCoverage, threeVerdicts, []claimtest.Case[measured]{
		{Name: "all contain it", M: missing(0, 10, 2), Want: claim.Holds},
		{Name: "one of ten does not", M: missing(1, 0, 2), Want: claim.Holds},
		{Name: "half do not", M: missing(5, 0, 2), Want: claim.Fails},
		{Name: "at one length", M: missing(5, 0, 0), Want: claim.Differs},
		{Name: "no interval", M: none, Want: claim.Open},
	})
	fair := missing(0, 0, 2) // with the first source at the largest rate
	fair.sources[0].alphabet = 2
	fair.sources[0].rate = math.Ln2
	if all, first := len(fair.inside(0)), len(fair.uncertain(0)); all != 19 || first != 20 {
		t.Errorf("%d sources are judged, and by the first rule %d", all, first)
	}
	claimtest.Rule(t, measured.judgeFirstCoverage, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[measured]{
		{Name: "all contain it", M: missing(0, 10, 2), Want: claim.Holds},
		{Name: "half do not", M: missing(5, 0, 2), Want: claim.Fails},
	})
	for _, q := range missing(0, 10, 2).judgeCoverage().Asked {
		if q.Answer != claim.No {
			t.Errorf("no tree: %v", q)
		}
	}
}

// fitting are fits of three seeds to each source, with the given errors of their floors.
// Those of the last sources have not converged.
func fitting(stuck int, off ...float64) (m fitted) {
	for i, x := range off {
		g := claim.BySeed[fittedModel]{Name: fmt.Sprint("source ", i)}
		for seed := range 3 {
			model := claim.Seeded[fittedModel]{Seed: seed, Found: fittedModel{off: x + 0.001*float64(seed-1), share: 1}}
			if i >= len(off)-stuck {
				model.Unconverged = "3000 steps"
			}
			g.Models = append(g.Models, model)
		}
		m = append(m, g)
	}
	return m
}

func TestFitsAreJudged(t *testing.T) {
	claimtest.Rule(t, fitted.judge, append(threeVerdicts, claim.Open), []claimtest.Case[fitted]{
		{Name: "near", M: fitting(0, 0.01, 0.049), Want: claim.Holds},
		{Name: "one is not", M: fitting(0, 0.01, 0.051), Want: claim.Differs},
		{Name: "far", M: fitting(0, 0.1, 0.3), Want: claim.Fails},
		{Name: "far, and stuck", M: fitting(1, 0.01, 0.3), Want: claim.Holds},
		{Name: "stuck", M: fitting(2, 0.01, 0.01), Want: claim.Open},
	})
}
