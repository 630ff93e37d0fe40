package signals

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// falling is a loss at 21 evaluations: from one number to another by a share of the
// steps, and on to a third.
func falling(from, to, by, last float64) along {
	var a along
	for i := range 21 {
		t := float64(i) / 20
		loss := to + (last-to)*(t-by)/max(1-by, 1e-9)
		if t < by {
			loss = from + (to-from)*t/by
		}
		a.steps, a.loss, a.seen = append(a.steps, 100*float64(i)), append(a.loss, loss), append(a.seen, loss)
	}
	return a
}

// closesAt closes the gap at an evaluation.
func closesAt(at int) along {
	a := falling(3, 0, 0.5, 0)
	for i := range a.steps {
		a.closed = append(a.closed, 0.5)
		if i >= at {
			a.closed[i] = 1
		}
	}
	return a
}

// seenAs is a curve whose end on the recording is another.
func seenAs(a along, end float64) along {
	a.seen = slices.Clone(a.seen)
	a.seen[len(a.seen)-1] = end
	return a
}

func TestCurvesAreJudged(t *testing.T) {
	const floor = 0.5
	early, late := falling(3, 1.5, 0.2, 1.45), falling(3.2, 2, 0.4, 0.8)
	resting, rising := falling(3, 2.9, 0.2, 2.9), falling(3, 1.5, 0.3, 1.8)
	is := func(on signal, of ...along) curves {
		return curves{signals: []signalCurves{{on, floor, [3]along(of)}}}
	}
	set := func(finite along) curves { return curves{finite: []finiteCurve{{routing, finite, early}}} }
	for _, c := range []struct {
		name string
		m    curves
		want []claim.Verdict
	}{
		{"speeds as printed", is(sine, closesAt(5), closesAt(2), closesAt(9)), []claim.Verdict{claim.Holds}},
		{"the GPT is fastest", is(sine, closesAt(5), closesAt(3), closesAt(2)), []claim.Verdict{claim.Fails}},
		{"two at once", is(sine, closesAt(5), closesAt(2), closesAt(5)), []claim.Verdict{claim.Open}},
		{"one has not converged", is(sine, closesAt(5), closesAt(2), closesAt(99)), []claim.Verdict{claim.Open}},
		{
			"overfitted recording", is(mackeyGlass, seenAs(early, 1.4), seenAs(early, 0.1), seenAs(late, 0.2)),
			[]claim.Verdict{claim.Holds, claim.Holds, claim.Holds},
		},
		{
			"learned recording", is(mackeyGlass, seenAs(early, 0.2), seenAs(early, 1.45), seenAs(resting, 0.3)),
			[]claim.Verdict{claim.Fails, claim.Fails, claim.Open},
		},
		{"far below", is(switching, early, early, late), []claim.Verdict{claim.Holds}},
		{"below", is(switching, early, early, falling(3, 1.1, 0.2, 1.1)), []claim.Verdict{claim.Differs}},
		{"still on the way", is(switching, early, early, falling(3, 2, 0.2, 1.1)), []claim.Verdict{claim.Open}},
		{"not below", is(switching, early, early, resting), []claim.Verdict{claim.Open}},
		{"slow, then lowest", is(brackets, early, early, late), []claim.Verdict{claim.Holds, claim.Holds, claim.Holds}},
		{
			"never slow, and at rest", is(brackets, late, late, falling(3, 0.6, 0.1, 0.6)),
			[]claim.Verdict{claim.Differs, claim.Open, claim.Fails},
		},
		{"at the floor", is(routing, early, early, falling(3, floor, 0.1, floor)), []claim.Verdict{claim.Open}},
		{"overfitted windows", set(rising), []claim.Verdict{claim.Holds}},
		{"windows that last", set(early), []claim.Verdict{claim.Fails}},
		{"too few epochs", set(along{steps: []float64{0, 320}, loss: []float64{3, 2}}), []claim.Verdict{claim.Open}},
	} {
		found := c.m.judge()
		var got []claim.Verdict
		for _, condition := range found.Conditions {
			got = append(got, condition.Verdict)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v: %+v", c.name, got, c.want, found.Conditions)
		}
	}
	claimtest.Rule(t, curves.judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open},
		[]claimtest.Case[curves]{
			{Name: "as printed", M: is(brackets, early, early, late), Want: claim.Holds},
			{Name: "of another size", M: is(switching, early, early, falling(3, 1.1, 0.2, 1.1)), Want: claim.Differs},
			{Name: "the other way about", M: is(sine, closesAt(5), closesAt(3), closesAt(2)), Want: claim.Fails},
			{Name: "nothing learned", M: is(switching, early, early, resting), Want: claim.Open},
		})
}
