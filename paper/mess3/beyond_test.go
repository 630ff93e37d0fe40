package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestBeyondRule(t *testing.T) {
	cell := func(kl, constrained, random, profiles float64) beyondCell {
		twice := func(x float64) []float64 { return []float64{x, x} }
		return beyondCell{
			kl: twice(kl), constrained: twice(constrained), random: twice(random), profiles: twice(profiles),
		}
	}
	good := beyondProcess{fewer: cell(9, 0.8, 0.5, 0.5), asked: cell(1, 0.99, 0.5, 0.01)}
	with := func(fewer, asked beyondCell) beyondProcesses {
		return beyondProcesses{processes: []beyondProcess{good, {fewer: fewer, asked: asked}, good}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, beyondProcesses.judge, verdicts, []claimtest.Case[beyondProcesses]{
		{Name: "as stated", M: with(good.fewer, good.asked), Want: claim.Holds},
		{Name: "at the thresholds", M: with(cell(2, 0.94, 0.5, 0.21), cell(1, 0.95, 0.94, 0.2)), Want: claim.Holds},
		{Name: "hardly lower KL", M: with(cell(1.9, 0.8, 0.5, 0.5), good.asked), Want: claim.Differs},
		{Name: "low R²", M: with(good.fewer, cell(1, 0.94, 0.5, 0.01)), Want: claim.Differs},
		{Name: "R² as with fewer", M: with(cell(9, 0.99, 0.5, 0.5), good.asked), Want: claim.Differs},
		{Name: "R² as untrained", M: with(good.fewer, cell(1, 0.99, 0.99, 0.01)), Want: claim.Differs},
		{Name: "profiles off", M: with(good.fewer, cell(1, 0.99, 0.5, 0.21)), Want: claim.Differs},
		{Name: "profiles as with fewer", M: with(cell(9, 0.8, 0.5, 0.01), good.asked), Want: claim.Differs},
		{Name: "KL as with fewer", M: with(cell(1, 0.8, 0.5, 0.5), good.asked), Want: claim.Fails},
		{Name: "higher KL", M: with(cell(0.5, 0.8, 0.5, 0.5), good.asked), Want: claim.Fails},
	})
}

// A ratio of means that one seed makes is seen by seed.
func TestBySeed(t *testing.T) {
	if got, want := bySeed([]float64{1.3, 40}, []float64{1, 1}), "by seed 1.3 to 40.0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
