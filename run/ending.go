package run

import "fmt"

const (
	// endOf is the share of the steps, at the end of a run, over which [Fall] measures the
	// decrease of the KL. If evaluations are rare, the share may be larger, up to mostOf.
	endOf, mostOf = 0.1, 0.5
	// The KL counts as settled if its relative change over the last steps (see Fall) is
	// below this number.
	settled = 0.01
)

// Fall returns the relative decrease of the KL, the model's divergence from the optimal
// predictor, over the last tenth of a run's steps: 0.12 for a decrease of 12 %, negative
// for an increase. The second result is the step of the evaluation with which the last
// one is compared: the last evaluation at or before nine tenths of the steps. ok is false
// if there is no such evaluation, if it is in the first half of the steps, if its KL is
// not positive, or if the optimal predictor is not known.
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

// Beginning describes what the run trains, such as "runs/first: 699 parameters, 40 steps
// of 8 sequences of 4 tokens", how it may stop early, and the step from which it
// continues.
func (r *Run) Beginning() string {
	most, early := "", ""
	if rule := r.Plan.Stop; rule != nil {
		most, early = "at most ", ", ends "+rule.String()
	}
	text := fmt.Sprintf("%s: %d parameters, %s%d steps of %s%s",
		r.Dir, r.Plan.Parameters, most, r.Plan.Steps, r.Plan.Batch, early)
	switch at := r.At(); {
	case at >= r.last():
		return text + ", already trained"
	case at > 0:
		return fmt.Sprintf("%s, from step %d", text, at)
	}
	return text
}

// Ending describes the last KL (divergence from the optimal predictor) of a run with
// objective: exact. That KL is only an upper bound of the least KL that such a model can
// represent: it was reached from a single set of initial weights, and may still be
// falling. Ending returns "" for other runs and if there are too few evaluations.
func (r *Run) Ending() string {
	share, from, ok := Fall(r.rows)
	if r.Config.Train.Objective != "exact" || !ok {
		return ""
	}
	const bound = "the last KL is an upper bound of the least that this model can reach"
	last, _ := r.Last()
	switch since := r.unmovedSince(); {
	case since < last.Step:
		return fmt.Sprintf("at rest: no step has lowered the loss since step %d; %s, and another seed may lower it",
			since, bound)
	case share >= settled:
		return fmt.Sprintf("still falling: from step %d to %d the KL fell by %.2g %%; %s, and more steps or another "+
			"seed may lower it", from, last.Step, 100*share, bound)
	case share < -settled:
		return fmt.Sprintf("from step %d to %d the KL rose by %.2g %%: the steps are too large; lower train.lr, "+
			"or let it decrease (train.lr_schedule)", from, last.Step, -100*share)
	}
	return fmt.Sprintf("from step %d to %d the KL changed by less than 1 %%; %s, and another seed may lower it",
		from, last.Step, bound)
}

// unmovedSince returns, for an lbfgs run, the step of the first row from which on all
// rows have the same KL, training loss and gradient norm. For other runs it returns the
// step of the last row.
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
