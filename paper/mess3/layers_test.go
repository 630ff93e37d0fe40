package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
	"foretell/process"
)

func TestLayersRule(t *testing.T) {
	first, later := errorsOf(1, 9, 2, 9), errorsOf(3, 9, 2, 9)
	of := func(stages ...stageFits) deepModels {
		good := deepModel{scale: 1, stages: []stageFits{first, later}}
		return deepModels{models: []deepModel{good, {scale: 1, stages: stages}}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, deepModels.judge, verdicts, []claimtest.Case[deepModels]{
		{Name: "as stated", M: of(first, later, later, later), Want: claim.Holds},
		{Name: "a stage between", M: of(first, first, later, later), Want: claim.Differs},
		{Name: "the first stage", M: of(later, later, later, later), Want: claim.Fails},
		{Name: "the last stage", M: of(first, later, later, first), Want: claim.Fails},
		{Name: "no better than untrained", M: of(first, later, later, errorsOf(3, 9, 2, 2)), Want: claim.Fails},
	})
}

// errorsOf are the held-out MSE of both geometries, each trained and untrained.
func errorsOf(constrained, constrainedRandom, full, fullRandom float64) stageFits {
	mse := func(x float64) scores { return scores{heldOut: probe.Score{MSE: x}} }
	return stageFits{fitErrors{mse(constrained), mse(constrainedRandom)}, fitErrors{mse(full), mse(fullRandom)}}
}

// The scale of Eq. 5 is the factor that M3 finds over all words.
func TestScaleOfEq5(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	forms, err := compareForms(h)
	if err != nil {
		t.Fatal(err)
	}
	scale, err := scaleOfEq5(h)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "the scale", scale, forms.factor)
}

func TestInOrder(t *testing.T) {
	for _, test := range []struct {
		what         string
		stage        stageFits
		first, later bool
		scale        float64
	}{
		{"constrained better", errorsOf(1, 9, 2, 9), true, false, 1},
		{"full better", errorsOf(3, 9, 2, 9), false, true, 1},
		{"full better, but for the scale", errorsOf(3, 9, 2, 9), true, false, 0.5},
		{"no better than untrained", errorsOf(1, 1, 1, 0.5), false, false, 1},
	} {
		first, later := test.stage.inOrder(true, test.scale), test.stage.inOrder(false, test.scale)
		if first != test.first || later != test.later {
			t.Errorf("%s: %t as first stage, %t as a later one", test.what, first, later)
		}
	}
}

// The deep models have the runs' folders that they always had.
func TestDeepModels(t *testing.T) {
	for name, want := range map[claim.Profile]string{
		claim.Quick: "mess3-x0.5-a0.6-l4-h2-d32-n8-LN-seed1",
		claim.Full:  "mess3-x0.5-a0.6-l4-h2-d64-n10-LN-seed1",
	} {
		list := profiles[name].deepModels()
		last := list[len(list)-1].Training()
		if len(list) != len(profiles[name].processes) || last.Name != want || last.Snapshots != nil {
			t.Errorf("%s: %d models, the last %s with snapshots %v, want %s", name, len(list), last.Name, last.Snapshots, want)
		}
	}
}
