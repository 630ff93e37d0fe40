package run

import "fmt"

// tellRest notifies the user, once, that an lbfgs line search has found no point with a
// lower loss, so the weights will not change until the last step.
func (r *Run) tellRest() {
	if r.rests || !r.Rests() {
		return
	}
	r.rests = true
	r.note([]string{fmt.Sprintf("no step has lowered the loss since step %d: the weights are a minimum up to the "+
		"rounding of float32, and will not change until step %d", r.At()-1, r.Config.Train.NumSteps)})
}
