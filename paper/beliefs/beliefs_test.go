package beliefs

import (
	"fmt"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// tiny trains next to nothing, on short words: what comes out is no claim about the
// beliefs but goes through the same rows.
func tiny() profile {
	p := quick()
	p.name, p.mess3Text = "tiny", "tiny profile"
	p.rrxor = trained.Settings{
		DModel: 16, NCtx: 7, Steps: 20, StepsWeak: 20, LR: 1e-3, Schedule: "cosine",
		Init: trained.NarrowInit, EvaluateAt: 10,
	}
	p.oneLayer = p.rrxor
	p.seeds = []uint64{1, 2}
	return p
}

// Both rows go through on models that are hardly trained, with their tables, figures
// and data; a second study in the same folder takes the models as they are and finds
// the same.
func TestReproduce(t *testing.T) {
	dir, rows := t.TempDir(), tiny().rows()
	claimtest.Published(t, rows)
	study := &claim.Study{Out: dir, Workers: 2}
	claims, err := study.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		if c.Verdict != claim.Open || c.Reason != claim.Untrained { // twenty steps teach nothing
			t.Errorf("%s: %s, %s: %s", c.ID, c.Verdict, c.Reason, c.Obtained)
		}
		claimtest.Claim(t, dir, rows[i], c)
	}
	again, err := (&claim.Study{Out: dir, Workers: 1}).Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := claimtest.Timeless(t, again), claimtest.Timeless(t, claims); got != want {
		t.Errorf("the second study found\n%s\nwhere the first found\n%s", got, want)
	}
}

// The runs have the names and the snapshots that they have in studies of other
// documents, which share them.
func TestTrainings(t *testing.T) {
	p := quick()
	for _, test := range []struct {
		list      []trained.Condition
		name      string // but for the seed
		snapshots [5]int // by seed
	}{
		{p.rrxorModels(), "RRXOR-l4-h1-d32-n10-LN-seed%d", [5]int{}},
		{p.mess3Models(), "mess3-x0.15-a0.6-l1-h1-d64-n10-LN-seed%d", [5]int{8}},
	} {
		for i, training := range trained.Trainings(test.list) {
			if want := fmt.Sprintf(test.name, i+1); training.Name != want {
				t.Errorf("the run %s, want %s", training.Name, want)
			}
			if got, want := len(training.Snapshots), test.snapshots[i]; got != want {
				t.Errorf("%s has %d snapshots, want %d", training.Name, got, want)
			}
		}
	}
}
