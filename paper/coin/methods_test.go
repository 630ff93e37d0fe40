package coin

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
)

// threeVerdicts are those of a row about what the document prints.
var threeVerdicts = []claim.Verdict{claim.Holds, claim.Corrected, claim.Fails}

func TestTablesAreJudged(t *testing.T) {
	bounds, wrong := lookup{indicator: equal, probability: tableError}, lookup{indicator: 1, probability: 0.5}
	step, off := lookup{indicator: 1.01 * equal}, lookup{probability: 1.01 * tableError}
	claimtest.Rule(t, tables.judge, threeVerdicts, []claimtest.Case[tables]{
		{Name: "as printed", M: tables{corrected: wrong}, Want: claim.Holds},
		{Name: "at the bounds", M: tables{printed: bounds}, Want: claim.Holds},
		{Name: "no indicator", M: tables{printed: step}, Want: claim.Corrected},
		{Name: "no predictions", M: tables{printed: off}, Want: claim.Corrected},
		{Name: "neither indicator", M: tables{printed: wrong, corrected: step}, Want: claim.Fails},
		{Name: "neither predicts", M: tables{printed: wrong, corrected: off}, Want: claim.Fails},
	})
}

// Whether the ramps are few is asked, and decides nothing.
func TestFewRamps(t *testing.T) {
	for neurons, want := range map[int]claim.Answer{250: claim.Yes, 251: claim.No} {
		table := logCurve{neurons: 1000, beyond: 8}
		m := ramps{table: table, printed: table, chosen: logCurve{neurons: neurons}}
		found := m.judge()
		if found.Asked[0].Answer != want || found.Verdict != claim.Corrected {
			t.Errorf("%d ramps: %s, %s, want %s", neurons, found.Verdict, found.Asked[0].Answer, want)
		}
	}
}

func TestRampsAreJudged(t *testing.T) {
	table := logCurve{neurons: 1000, beyond: 8}
	good := logCurve{neurons: 250, inside: rampError + equal, beyond: 7.9}
	many, rough, far := good, good, good
	many.neurons, rough.inside, far.beyond = table.neurons, 1.01*rampError, 8
	claimtest.Rule(t, ramps.judge, threeVerdicts, []claimtest.Case[ramps]{
		{Name: "as printed", M: ramps{table: table, printed: good, chosen: many}, Want: claim.Holds},
		{Name: "corrected", M: ramps{table: table, printed: many, chosen: good}, Want: claim.Corrected},
		{Name: "too many neurons", M: ramps{table: table, printed: many, chosen: many}, Want: claim.Fails},
		{Name: "too far off inside", M: ramps{table: table, printed: rough, chosen: rough}, Want: claim.Fails},
		{Name: "no better beyond", M: ramps{table: table, printed: far, chosen: far}, Want: claim.Fails},
	})
}

// Down the list of corrected ramps the error asked for falls, so they are more, and each
// has the error of its name at most. The chosen one has rampError.
func TestRampsAreMeasured(t *testing.T) {
	m, err := measureRamps(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, curve := range m.corrected {
		var target float64
		if _, err := fmt.Sscanf(curve.name, "2, corrected: error ≤ %g", &target); err != nil {
			t.Fatalf("%q: %v", curve.name, err)
		}
		if curve.inside > target*(1+1e-9) || curve.neurons <= before {
			t.Errorf("%q: %d neurons after %d, error %g", curve.name, curve.neurons, before, curve.inside)
		}
		before = curve.neurons
	}
	if m.chosen.inside > rampError*(1+1e-9) || m.chosen.neurons >= m.table.neurons {
		t.Errorf("chosen: %+v of %d neurons", m.chosen, m.table.neurons)
	}
}

// An indicator is compared at every count and for every count, up to the last.
func TestIndicatorError(t *testing.T) {
	for _, wrong := range [][2]int{{0, 0}, {0, tableCounts}, {tableCounts, 0}, {tableCounts, tableCounts}} {
		e := indicatorError(func(count int) craft.Curve {
			curve := bump(count)
			if count == wrong[0] {
				curve.Ramps = slices.Concat(curve.Ramps, craft.Bump(float64(wrong[1]), 0.5).Ramps)
			}
			return curve
		})
		if math.Abs(e-1) > 1e-12 {
			t.Errorf("an error of 1 of indicator %d at %d is measured as %v", wrong[0], wrong[1], e)
		}
	}
}

// A condition holds, or is corrected, at its bound and not beyond.
func TestTableConditionAtItsBound(t *testing.T) {
	const bound = 0.25
	for _, c := range []struct {
		printed, corrected float64
		want               claim.Verdict
	}{
		{bound, 1, claim.Holds},
		{1.01 * bound, bound, claim.Corrected},
		{1.01 * bound, 1.01 * bound, claim.Fails},
	} {
		if got := tableCondition("table", c.printed, c.corrected, bound).Verdict; got != c.want {
			t.Errorf("%v as printed, %v corrected: %s, want %s", c.printed, c.corrected, got, c.want)
		}
	}
}
