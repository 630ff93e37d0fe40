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
		good := deepModel{Source: sources[0], scale: 1, stages: []stageFits{first, later}}
		return deepModels{models: []deepModel{good, {Source: sources[1], scale: 1, stages: stages}}}
	}
	alone := func(scale float64, why string, stages ...stageFits) deepModels {
		return deepModels{models: []deepModel{{scale: scale, stages: stages, unconverged: why}}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, deepModels.judge, verdicts, []claimtest.Case[deepModels]{
		{Name: "as stated", M: of(first, later, later, later), Want: claim.Holds},
		{Name: "a stage between", M: of(first, first, later, later), Want: claim.Differs},
		{Name: "one model as stated, one not", M: of(later, later, later, later), Want: claim.Differs},
		{Name: "the first stage", M: alone(1, "", later, later), Want: claim.Fails},
		{Name: "the first stage but for the scale", M: alone(0.5, "", later, errorsOf(9, 9, 2, 9)), Want: claim.Differs},
		{Name: "the last stage", M: alone(1, "", first, first), Want: claim.Fails},
		{Name: "no better than untrained", M: alone(1, "", first, errorsOf(3, 9, 2, 2)), Want: claim.Fails},
		{Name: "unconverged", M: alone(1, "early", first, later), Want: claim.Open},
		{Name: "no model", M: deepModels{open: sources[:1]}, Want: claim.Open},
		{Name: "no model of some", M: deepModels{
			models: alone(1, "", first, later).models, open: sources[:1],
		}, Want: claim.Holds},
	})
}

// Which convention a difference is of.
func TestLayersReasons(t *testing.T) {
	later := errorsOf(3, 9, 2, 9)
	for reason, m := range map[claim.Reason]deepModel{
		claim.Convention: {scale: 0.5, stages: []stageFits{later, errorsOf(9, 9, 2, 9)}},
		claim.Size:       {scale: 1, stages: []stageFits{errorsOf(1, 9, 2, 9), errorsOf(1, 9, 2, 9), later}},
	} {
		if c := m.condition(); c.Reason != reason {
			t.Errorf("%s by %q, want %q (%s)", c.Verdict, c.Reason, reason, c.Obtained)
		}
	}
}

// errorsOf are the held-out errors of both geometries, each trained and untrained, in
// percent of the spread.
func errorsOf(constrained, constrainedRandom, full, fullRandom float64) stageFits {
	of := func(x float64) scores { return scores{heldOut: probe.Score{MSE: x, R2: 1 - x/100}} }
	return stageFits{fitErrors{of(constrained), of(constrainedRandom)}, fitErrors{of(full), of(fullRandom)}}
}

// The scale of Eq. 5 is the factor that M3 finds over all words.
func TestScaleOfEq5(t *testing.T) {
	h, err := process.Mess3(0.15, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	forms, err := compareForms(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	scale, err := scaleOfEq5(h)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "the scale", scale, forms.factor)
}

func TestInOrderOfMSE(t *testing.T) {
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
		first, later := test.stage.inOrderOfMSE(true, test.scale), test.stage.inOrderOfMSE(false, test.scale)
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
