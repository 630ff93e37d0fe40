package curves

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
	"foretell/run"
)

// The names of results. Watched numbers have the names that the runs give them.
const (
	Loss     = "loss"
	KL       = "kl" // divergence from the optimal predictor, in nats
	Floor    = "floor"
	Chance   = "chance"
	Gap      = "gap" // share of the learnable gap that is closed
	Accuracy = "accuracy"
)

// ResultOf returns a number of the evaluation of the run's model by its name: Loss or
// another name of a result, or the name of a watched number. ok is false if the run does
// not have it.
func (r Run) ResultOf(name string) (value float64, ok bool) { return resultOf(r.Result(), name) }

// resultOf returns a number of an evaluation by its name.
func resultOf(row run.Row, name string) (value float64, ok bool) {
	switch name {
	case Loss:
		return row.LossEval, true
	case Chance:
		return row.Chance, true
	case KL, Floor:
		if row.Optimum == nil {
			return 0, false
		}
		if name == KL {
			return row.KL, true
		}
		return row.Optimum.Floor, true
	case Gap:
		if row.GapClosed == nil {
			return 0, false
		}
		return *row.GapClosed, true
	case Accuracy:
		if row.Accuracy == nil {
			return 0, false
		}
		return row.Accuracy.Overall, true
	}
	value, ok = row.Watch[name]
	return value, ok
}

// Results lists the names of the results that at least one run has.
func (c *Set) Results() []string {
	var names []string
	for _, name := range slices.Concat([]string{Loss, Floor, Chance, KL, Gap, Accuracy}, c.watchedNames()) {
		has := func(r Run) bool {
			_, ok := r.ResultOf(name)
			return ok
		}
		if slices.ContainsFunc(c.Runs, has) {
			names = append(names, name)
		}
	}
	return names
}

// MainResult returns the name of the result by which runs are compared if nobody names
// one: KL, or Loss if no run has a known optimum.
func (c *Set) MainResult() string {
	if c.optima() > 0 {
		return KL
	}
	return Loss
}

// Differing lists the paths of the settings in which the runs differ, settings of the
// process and the model first, the seed last. Settings that only decide when a run is
// evaluated or saved are left out.
func (c *Set) Differing() []string {
	all := make([]*Run, len(c.Runs))
	for i := range c.Runs {
		all[i] = &c.Runs[i]
	}
	return differing(all)
}

// differences returns the settings in which the runs differ, with their values.
func (c *Set) differences() []Difference {
	list := []Difference{}
	for _, path := range c.Differing() {
		d := Difference{Setting: path}
		for _, r := range c.Runs {
			d.Values = append(d.Values, r.Setting(path))
		}
		list = append(list, d)
	}
	return list
}

// Setting returns the text of a setting of the run by its path, such as train.lr, or
// "default" if the configuration leaves it out.
func (r Run) Setting(path string) string { return r.shown(path) }

// settingPath returns the path of a setting that a user names by its path or, if no other
// setting ends alike, by its last part: lr for train.lr.
func (c *Set) settingPath(name string) (string, error) {
	var known, ending []string
	for _, r := range c.Runs {
		for _, s := range r.settings {
			if !slices.Contains(known, s.Path) {
				known = append(known, s.Path)
				if strings.HasSuffix(s.Path, "."+name) {
					ending = append(ending, s.Path)
				}
			}
		}
	}
	switch {
	case slices.Contains(known, name):
		return name, nil
	case len(ending) == 1:
		return ending[0], nil
	case len(ending) > 1:
		return "", fmt.Errorf("%s could be %s; give the whole path", name, strings.Join(ending, " or "))
	}
	return "", fmt.Errorf("no run has the setting %s; %s", name, strict.Name(name, known, 8))
}

// checkResult returns an error unless a run has the result.
func (c *Set) checkResult(name string) error {
	if known := c.Results(); !slices.Contains(known, name) {
		return fmt.Errorf("no run has the result %s; %s", name, strict.Name(name, known, 8))
	}
	return nil
}

// values lists the different values of a setting, numbers in ascending order.
func (c *Set) values(path string) []string {
	var list []string
	for _, r := range c.Runs {
		if value := r.Setting(path); !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	slices.SortStableFunc(list, compareTexts)
	return list
}

// compareTexts compares two values of a setting: as numbers if both are numbers, else as
// texts. Numbers come first.
func compareTexts(a, b string) int {
	x, notX := strconv.ParseFloat(a, 64)
	y, notY := strconv.ParseFloat(b, 64)
	switch {
	case notX == nil && notY == nil && x < y:
		return -1
	case notX == nil && notY == nil && x > y:
		return 1
	case notX == nil && notY != nil:
		return -1
	case notX != nil && notY == nil:
		return 1
	}
	return strings.Compare(a, b)
}
