package mess3

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// leftOf is a fit of whose error at random initialisation a share remains.
func leftOf(ratio float64) fitErrors {
	return fitErrors{scores{heldOut: probe.Score{MSE: ratio}}, scores{heldOut: probe.Score{MSE: 1}}}
}

func TestTrainingRule(t *testing.T) {
	left := leftOf
	of := func(ratios ...float64) replicates[learning] { // of both fits, model by model
		var models []learning
		for i := 0; i < len(ratios); i += 2 {
			models = append(models, learning{left(ratios[i]), left(ratios[i+1])})
		}
		return seedsOf(learning{left(1), left(1)}, models...)
	}
	rule := func(g replicates[learning]) claim.Finding {
		return learnings{conditions: []replicates[learning]{g}}.judge()
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, rule, verdicts, []claimtest.Case[replicates[learning]]{
		{Name: "as stated", M: of(0.001, 0.002, 0.002, 0.001, 0.001, 0.002), Want: claim.Holds},
		{Name: "one fit by less", M: of(0.001, 0.02, 0.001, 0.021, 0.001, 0.019), Want: claim.Differs},
		{Name: "about a hundredth", M: of(0.01, 0.01, 0.011, 0.01, 0.009, 0.009), Want: claim.Differs},
		{Name: "worse than untrained", M: of(0.001, 2, 0.001, 2.1, 0.001, 1.9), Want: claim.Fails},
		{Name: "as untrained", M: of(1, 1, 1.01, 0.9, 0.99, 0.9), Want: claim.Open},
		{Name: "in some models", M: of(0.1, 0.1, 3, 3, 1, 1), Want: claim.Open},
		{Name: "on a plateau", M: of(0.001, 0.002, 0.002, 0.001).unconverged(1), Want: claim.Open},
	})
}

// A factor between errors is the inverse of what is left, and so are the ends of its
// interval.
func TestErrorFactor(t *testing.T) {
	e := errorFactor([]float64{math.Log(0.1), math.Log(0.1)})
	wantNear(t, "the factor", e.Estimate, 10)
	if e = errorFactor([]float64{-1, -2, -3}); !(e.Interval.Low < e.Estimate && e.Estimate < e.Interval.High) {
		t.Errorf("%v in %v", e.Estimate, e.Interval)
	}
}

// A snapshot that is gone or damaged is an error that says what to do.
func TestSnapshotsAreMissed(t *testing.T) {
	dir := t.TempDir()
	l := newLab(tiny())
	c := l.paperModel(trained.Mess3(0.5, 0.2))
	rows := []claim.Row{{
		ID: "M9", Trainings: trained.Trainings([]trained.Condition{c}),
		Test: func(ctx context.Context, s *claim.Study, _ *claim.Claim) error {
			subjects, err := l.of(ctx, s, []trained.Condition{c})
			if err != nil {
				return err
			}
			_, err = subjects[0].trainingCurve(ctx, s)
			return err
		},
	}}
	s := &claim.Study{Out: dir, Workers: 2}
	if _, err := s.Reproduce(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	folder := s.Dir(c.Training())
	path := filepath.Join(folder, "snapshots", "step-5.safetensors")
	advice := fmt.Sprintf("remove %s to train this model again", folder)
	for _, harm := range []func() error{
		func() error { return os.Truncate(path, 1000) },
		func() error { return os.Remove(path) },
	} {
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		_, err := (&claim.Study{Out: dir, Workers: 2}).Reproduce(t.Context(), rows)
		if err == nil || !strings.Contains(err.Error(), advice) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want %q", err, advice)
		}
	}
}
