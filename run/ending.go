package run

import "fmt"

const (
	// endOf is the part of its steps, from the last backwards, by which a run's ending is
	// judged, and mostOf the greatest that the evaluations there are may make of it.
	endOf, mostOf = 0.1, 0.5
	// settled is the share of itself by which a KL may move in that part and rest.
	settled = 0.01
)

// Fall returns by which share of itself the KL fell over the last tenth of the steps of a
// run's evaluations, 0.12 for a fall by 12 % and below 0 for a rise, and the step from
// which that is counted: the last evaluation at or before nine tenths. ok is false where
// there is none in the second half of the steps, or no KL to fall.
func Fall(rows []Row) (share float64, from int, ok bool) {
	if len(rows) == 0 {
		return 0, 0, false
	}
	last := rows[len(rows)-1]
	for i := len(rows) - 1; i >= 0; i-- {
		if step := float64(rows[i].Step); step > (1-endOf)*float64(last.Step) {
			continue
		}
		before := rows[i]
		if before.Optimum == nil || last.Optimum == nil {
			break // the best possible prediction is not known
		}
		if float64(before.Step) >= (1-mostOf)*float64(last.Step) && before.KL > 0 {
			return 1 - last.KL/before.KL, before.Step, true
		}
		break
	}
	return 0, 0, false
}

// Ending says of a run with objective: exact what its last KL is: an upper bound of what
// such a model can represent, from one start, and whether it was falling still. It is
// empty of other runs, and where the evaluations do not tell.
func (r *Run) Ending() string {
	share, from, ok := Fall(r.rows)
	if r.Config.Train.Objective != "exact" || !ok {
		return ""
	}
	const bound = "what such a model can represent is at most this far from the optimum"
	last, _ := r.Last()
	switch since := r.unmovedSince(); {
	case since < last.Step:
		return fmt.Sprintf("at rest: no step has lowered the loss since step %d; %s, and another seed may come nearer",
			since, bound)
	case share >= settled:
		return fmt.Sprintf("still falling: from step %d to %d the KL fell by %.2g %%; %s, and more steps, or another "+
			"seed, may come nearer", from, last.Step, 100*share, bound)
	case share < -settled:
		return fmt.Sprintf("from step %d to %d the KL rose by %.2g %%: the steps are too long; a lower train.lr, or one "+
			"that falls (train.lr_schedule), would help", from, last.Step, -100*share)
	}
	return fmt.Sprintf("from step %d to %d the KL moved by less than 1 %%; %s, and another seed may come nearer",
		from, last.Step, bound)
}

// unmovedSince is the step of the first row from which on nothing of lbfgs has moved, to
// the last; the last's own where it has.
func (r *Run) unmovedSince() int {
	last, _ := r.Last()
	since := last.Step
	for i := len(r.rows) - 1; i >= 0 && r.Config.Train.Optimizer == "lbfgs"; i-- {
		if x := r.rows[i]; x.KL != last.KL || x.GradNorm != last.GradNorm || x.LossTrain != last.LossTrain {
			break
		}
		since = r.rows[i].Step
	}
	return since
}
