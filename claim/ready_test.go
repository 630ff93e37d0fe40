package claim_test

import (
	"reflect"
	"testing"

	"foretell/claim"
)

// A row is ready if all runs that it lists are complete. The runs of the rows are each
// listed once, in the order of the rows.
func TestReady(t *testing.T) {
	run := func(name string) claim.Training { return claim.Training{Name: name} }
	rows := []claim.Row{
		{ID: "T1"},
		{ID: "T2", Trainings: []claim.Training{run("a"), run("b")}},
		{ID: "T3", Trainings: []claim.Training{run("c"), run("a"), run("d"), run("c")}},
	}
	list, err := claim.Trainings(rows)
	if want := []claim.Training{run("a"), run("b"), run("c"), run("d")}; err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("runs %v, %v", list, err)
	}
	for _, c := range []struct {
		complete string
		ready    []string
		waiting  []claim.Waiting
	}{
		{"", []string{"T1"}, []claim.Waiting{{"T2", []string{"a", "b"}}, {"T3", []string{"c", "a", "d"}}}},
		{"ab", []string{"T1", "T2"}, []claim.Waiting{{"T3", []string{"c", "d"}}}},
		{"acd", []string{"T1", "T3"}, []claim.Waiting{{"T2", []string{"b"}}}},
		{"abcd", []string{"T1", "T2", "T3"}, nil},
	} {
		ready, waiting := claim.Ready(rows, func(name string) bool {
			for _, r := range c.complete {
				if string(r) == name {
					return true
				}
			}
			return false
		})
		var ids []string
		for _, row := range ready {
			ids = append(ids, row.ID)
		}
		if !reflect.DeepEqual(ids, c.ready) || !reflect.DeepEqual(waiting, c.waiting) {
			t.Errorf("with %q complete: ready %q, waiting %v", c.complete, ids, waiting)
		}
	}
	rows[2].Trainings[1].Snapshots = []int{1}
	if _, err := claim.Trainings(rows); err == nil {
		t.Error("two different runs have one name")
	}
}
