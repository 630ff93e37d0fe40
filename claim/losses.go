package claim

import (
	"reflect"
	"regexp"
	"slices"

	"foretell/run"
	"foretell/train"
)

// Losses holds the training curves of a study's models. Models that differ only in their
// random seed share a curve.
type Losses struct{ curves []lossCurve }

// lossCurve is the loss of one model, or of several models with different seeds, in nats.
type lossCurve struct {
	name              string    // the run's folder; without the seed for several models
	models, exact     int       // number of models, and how many of them have objective: exact
	steps             []float64 // from the first evaluation that is near chance; see [Losses.Caption]
	median, low, high []float64 // of the models' losses, at each step

	// floor and chance are the losses of the optimal predictor and of the best constant
	// guess: medians over the models, at the last evaluation.
	floor, chance float64
}

// ReadLosses reads the evaluations of training runs from a study's folder. It skips runs
// that are missing, incomplete or unreadable, and returns nil if no run remains.
func ReadLosses(dir string, list []Training) *Losses {
	s, l := &Study{Out: dir}, &Losses{}
	for _, group := range bySeed(list) {
		var runs [][]run.Row
		var read []Training
		for _, t := range group {
			if rows, err := run.Metrics(s.Dir(t)); err == nil && s.ended(rows, t) {
				runs = append(runs, rows)
				read = append(read, t)
			}
		}
		if len(runs) > 0 {
			l.curves = append(l.curves, newLossCurve(read, runs))
		}
	}
	if l.curves == nil {
		return nil
	}
	return l
}

// ended reports whether a run's evaluations reach its last step.
func (s *Study) ended(rows []run.Row, t Training) bool {
	last := t.Config.Train.NumSteps
	if info, _ := run.Describe(s.Dir(t)); info.Stop != nil {
		last = info.Stop.Last
	}
	return len(rows) > 0 && rows[len(rows)-1].Step == last
}

// seeded matches the part of a run's name that gives its seed.
var seeded = regexp.MustCompile(`-?seed[0-9]+`)

// bySeed groups training runs that differ only in their seed. Groups are in the order of
// their first run, and each run occurs once.
func bySeed(list []Training) (groups [][]Training) {
	alike := func(a, b Training) bool {
		a.Config.Train.Seed = b.Config.Train.Seed
		return seeded.ReplaceAllString(a.Name, "") == seeded.ReplaceAllString(b.Name, "") &&
			reflect.DeepEqual(a.Config, b.Config)
	}
	seen := map[string]bool{}
	for _, t := range list {
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		at := slices.IndexFunc(groups, func(g []Training) bool { return alike(g[0], t) })
		if at < 0 {
			groups = append(groups, []Training{t})
		} else {
			groups[at] = append(groups[at], t)
		}
	}
	return groups
}

// newLossCurve returns the curve of a group of runs that are evaluated at the same steps.
func newLossCurve(group []Training, runs [][]run.Row) lossCurve {
	c := lossCurve{name: group[0].Name, models: len(group)}
	if group[0].Config.Train.Objective == "exact" {
		c.exact = c.models
	}
	if len(group) > 1 {
		c.name = seeded.ReplaceAllString(c.name, "")
	}
	first, end := 0, len(runs[0])
	for _, rows := range runs {
		near := slices.IndexFunc(rows, func(r run.Row) bool { return r.NearChance() })
		first, end = max(first, near), min(end, len(rows))
	}
	at := func(i int, value func(train.Evaluation) float64) []float64 {
		values := make([]float64, len(runs))
		for k, rows := range runs {
			values[k] = value(rows[i].Evaluation)
		}
		slices.Sort(values)
		return values
	}
	for i := first; i < end; i++ {
		losses := at(i, func(e train.Evaluation) float64 { return e.LossEval })
		c.steps = append(c.steps, float64(runs[0][i].Step))
		c.median = append(c.median, middle(losses))
		c.low = append(c.low, losses[0])
		c.high = append(c.high, losses[len(losses)-1])
	}
	c.floor = middle(at(end-1, func(e train.Evaluation) float64 { return e.Floor }))
	c.chance = middle(at(end-1, func(e train.Evaluation) float64 { return e.Chance }))
	return c
}

// middle returns the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Models returns the number of models in all curves.
func (l *Losses) Models() (n int) {
	for _, c := range l.curves {
		n += c.models
	}
	return n
}
