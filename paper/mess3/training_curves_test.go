package mess3

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

func TestTrainingRule(t *testing.T) {
	of := func(ratios ...float64) (m learnings) {
		left := func(ratio float64) fitErrors {
			return fitErrors{scores{heldOut: probe.Score{MSE: ratio}}, scores{heldOut: probe.Score{MSE: 1}}}
		}
		for i := 0; i < len(ratios); i += 2 {
			m.models = append(m.models, learning{mid: left(ratios[i]), final: left(ratios[i+1])})
		}
		return m
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, learnings.judge, verdicts, []claimtest.Case[learnings]{
		{Name: "as stated", M: of(0.001, 0.002, 0.003, 0.001), Want: claim.Holds},
		{Name: "at the threshold", M: of(0.01, 0.01), Want: claim.Holds},
		{Name: "one fit at the intermediate stage", M: of(0.001, 0.001, 0.011, 0.001), Want: claim.Differs},
		{Name: "one fit at the final stage", M: of(0.001, 0.99), Want: claim.Differs},
		{Name: "no better than untrained", M: of(0.001, 1), Want: claim.Fails},
		{Name: "worse", M: of(2, 0.001), Want: claim.Fails},
	})
}

// A snapshot that is gone or damaged is an error that says what to do.
func TestSnapshotsAreMissed(t *testing.T) {
	dir := t.TempDir()
	l := newLab(tiny())
	c := l.paperModel(0.5, 0.2, "LN")
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
