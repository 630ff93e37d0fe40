package signals

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// changedTo are models of which the lecture's and those with a loss on every position
// foretell so many of a hundred, by signal.
func changedTo(right ...[2]int) changes {
	m := changes{list: []change{unchanged, everyPosition}}
	for i, s := range []signal{switching, brackets, routing} {
		found := changedSignal{signal: s}
		if i < len(right) {
			found.found = []share{{right[i][0], 100}, {right[i][1], 100}}
		}
		m.signals = append(m.signals, found)
	}
	return m
}

func TestChangesAreJudged(t *testing.T) {
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, changes.judge, verdicts, []claimtest.Case[changes]{
		{Name: "all that is missed", M: changedTo([2]int{80, 100}, [2]int{10, 90}, [2]int{30, 99}), Want: claim.Holds},
		{Name: "half of it", M: changedTo([2]int{80, 90}, [2]int{10, 55}), Want: claim.Holds},
		{Name: "of one signal in three", M: changedTo([2]int{80, 90}), Want: claim.Open},
		{Name: "of one signal alone", M: changedTo([2]int{80, 82}, [2]int{10, 90}), Want: claim.Differs},
		{Name: "less", M: changedTo([2]int{80, 89}, [2]int{90, 80}), Want: claim.Fails},
		{Name: "no model", M: changedTo(), Want: claim.Open},
	})
}

// Each change is one, and the trainings have names of their own.
func TestChangesAreOfOneSetting(t *testing.T) {
	names := map[string]bool{}
	for _, training := range profiles[claim.Full].changedTrainings() {
		if names[training.Name] {
			t.Errorf("two trainings %s", training.Name)
		}
		names[training.Name] = true
		if _, err := training.Config.Resolve(); err != nil {
			t.Errorf("%s: %v", training.Name, err)
		}
	}
	if c := routing.changed(everyPosition).Config; c.Train.LossPositions != nil || c.Train.EventWeight != 10 {
		t.Errorf("%+v", c.Train)
	}
}
