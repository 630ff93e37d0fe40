package curves

import (
	"fmt"
	"maps"
	"slices"

	"foretell/internal/strict"
	"foretell/run"
	"foretell/settings"
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

// ordered are the results other than watched numbers, in the order of tables.
var ordered = []string{Loss, Floor, Chance, KL, Gap, Accuracy}

// Results returns the numbers of an evaluation by name.
func Results(row run.Row) map[string]float64 {
	found := map[string]float64{}
	for _, name := range slices.AppendSeq(slices.Clone(ordered), maps.Keys(row.Watch)) {
		if value, ok := resultOf(row, name); ok {
			found[name] = value
		}
	}
	return found
}

// Unequal names the numbers of two evaluations of the same step that differ, as columns
// of the CSV file of evaluations do.
func Unequal(a, b run.Row) (names []string) {
	positions := max(len(a.KLByPosition), len(b.KLByPosition))
	watched := slices.Sorted(maps.Keys(a.Watch))
	for _, name := range slices.Sorted(maps.Keys(b.Watch)) {
		if _, known := a.Watch[name]; !known {
			watched = append(watched, name)
		}
	}
	columns := columnsOf(positions, watched)
	one, other := cells(a, positions, watched), cells(b, positions, watched)
	for i, column := range columns {
		if !equal(one[i], other[i]) {
			names = append(names, column)
		}
	}
	return names
}

// equal reports whether two cells hold the same number, or both none.
func equal(a, b any) bool {
	x, isPointer := a.(*float64)
	y, _ := b.(*float64)
	if isPointer && x != nil && y != nil {
		return *x == *y
	}
	return a == b
}

// InOrder returns names of results in the order of tables, watched numbers last.
func InOrder(names []string) []string {
	names = slices.Clone(names)
	rank := func(name string) int {
		if i := slices.Index(ordered, name); i >= 0 {
			return i
		}
		return len(ordered)
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// Results lists the names of the results that at least one run has.
func (c *Set) Results() []string {
	var names []string
	for _, name := range slices.Concat(ordered, c.watchedNames()) {
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

// Differing lists the paths of the settings in which the runs differ, as
// [settings.Differing] does.
func (c *Set) Differing() []string { return settings.Differing(c.settings()) }

// Setting returns the text of a setting of the run by its path, such as train.lr, or
// "default" if the configuration leaves it out.
func (r Run) Setting(path string) string { return r.settings.Shown(path) }

// settingPath returns the path of a setting by its path or its last part, see
// [settings.Find].
func (c *Set) settingPath(name string) (string, error) {
	return settings.Find(settings.Known(c.settings()), name)
}

// checkResult returns an error unless a run has the result.
func (c *Set) checkResult(name string) error {
	if known := c.Results(); !slices.Contains(known, name) {
		return fmt.Errorf("no run has the result %s; %s", name, strict.Name(name, known, 8))
	}
	return nil
}

// kinds lists the different values of a setting, numbers in ascending order.
func (c *Set) kinds(path string) []string {
	var list []string
	for _, r := range c.Runs {
		if value := r.Setting(path); !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	slices.SortStableFunc(list, settings.Compare)
	return list
}
