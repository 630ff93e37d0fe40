package claim

import (
	"reflect"
	"testing"

	"foretell/train"
)

// Runs are in one group only if both their names and their configurations differ in
// nothing but the seed.
func TestGroupsBySeed(t *testing.T) {
	training := func(name string, seed uint64, steps int) Training {
		var c train.Config
		c.Train.Seed, c.Train.NumSteps = seed, steps
		return Training{Name: name, Config: c}
	}
	groups := bySeed([]Training{
		training("a-seed1", 1, 10), training("b-seed1", 1, 10), training("a-seed2", 2, 10),
		training("a-seed3", 3, 20), training("a-seed1", 1, 10),
	})
	var names [][]string
	for _, g := range groups {
		var list []string
		for _, t := range g {
			list = append(list, t.Name)
		}
		names = append(names, list)
	}
	if want := [][]string{{"a-seed1", "a-seed2"}, {"b-seed1"}, {"a-seed3"}}; !reflect.DeepEqual(names, want) {
		t.Errorf("groups %v, want %v", names, want)
	}
}
