package run

import "fmt"

// tellRest tells the user, once, that a search of lbfgs has found no lower point, so that
// the weights stay as they are to the last step.
func (r *Run) tellRest() {
	if r.rests || !r.Rests() {
		return
	}
	r.rests = true
	r.note([]string{fmt.Sprintf("no step lowers the loss since step %d: the weights are a minimum to the rounding of "+
		"float32, and stay as they are to step %d", r.At()-1, r.Config.Train.NumSteps)})
}
