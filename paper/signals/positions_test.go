package signals

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestPositionsAreJudged(t *testing.T) {
	of := func(formulas ...formula) workedThrough { return workedThrough{formulas: formulas} }
	misprint := formula{slide: "a slide", printed: "a formula", off: 0.5}
	claimtest.Rule(t, workedThrough.judge, []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}, []claimtest.Case[workedThrough]{
		{Name: "all stand", M: of(formula{}, formula{left: exact}), Want: claim.Holds},
		{Name: "at the bounds", M: of(formula{off: misprinted, left: exact}), Want: claim.Holds},
		{Name: "a misprint", M: of(formula{}, misprint), Want: claim.Corrected},
		{Name: "a condition left out", M: of(formula{condition: "if so"}), Want: claim.Holds},
		{Name: "a correction that is none", M: of(formula{off: 0.5, left: 2 * exact}), Want: claim.Fails},
		{Name: "no number", M: of(formula{}, formula{left: math.NaN()}, formula{}), Want: claim.Fails},
	})
}

// What stands, and what does not, one by one.
func TestPrintedPositions(t *testing.T) {
	m, err := measurePositions(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	off := 0
	for _, f := range m.formulas {
		if !(f.left <= exact) {
			t.Errorf("%s: %s: off by %v", f.slide, f.printed, f.left)
		}
		if !f.correct() {
			off++
			if f.right == "" || f.counter == "" {
				t.Errorf("%s: %s is off by %v, at %q", f.slide, f.printed, f.off, f.counter)
			}
		}
	}
	if off != 3 {
		t.Errorf("%d formulas are wrong, want two of “Peaked Attention”, and the set of tokens", off)
	}
	if f := m.formulas[6]; f.condition == "" || !f.correct() {
		t.Errorf("%s lacks no condition", f.printed)
	}
	e := m.judge().Effect
	if math.Abs(e.Estimate+1) > exact || e.Document == nil || e.Document.Value != 1 {
		t.Errorf("%s is %v: the first misprint turns the peak round", e.What, e.Estimate)
	}
	if m.peaked.best > 0.5 || math.Abs(m.peaked.gain-4.04) > 0.01 || math.Abs(m.peaked.gainOmega-1.5455) > 0.001 {
		t.Errorf("the peak has %v without a gain, and needs %v nats at %v", m.peaked.best, m.peaked.gain, m.peaked.gainOmega)
	}
}
