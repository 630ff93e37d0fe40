package train

import (
	"context"
	"fmt"
	"slices"

	"foretell/model"
)

// State is all that a training goes on from: a trainer of the same configuration
// that is restored to it takes the same steps, to the bit.
type State struct {
	Step     int     // steps taken
	Loss     float64 // of the last step's batch
	GradNorm float64 // of the last step, before clipping

	Weights *model.Weights[float32]
	// Moments are the optimiser's running arrays, an entry for each parameter, by
	// the names that PyTorch has for them: exp_avg and exp_avg_sq of Adam,
	// momentum_buffer of SGD with momentum; and lbfgs_s_00 … and lbfgs_y_00 …, the latest
	// steps of L-BFGS and what they changed the gradient by.
	Moments map[string]*model.Weights[float32]
}

// State returns where the trainer stands. Weights and moments are its own, not
// copies: they change with its next step.
func (t *Trainer) State() State {
	return State{
		Step: t.step, Loss: t.loss, GradNorm: t.gradNorm,
		Weights: t.Model.Weights, Moments: t.optimizer.moments(),
	}
}

// Restore brings the trainer to a state of a trainer of the same configuration, by
// copying it. A state whose arrays are not those of this configuration is an error,
// which leaves the trainer as it was; so is [ErrClosed].
func (t *Trainer) Restore(s State) error {
	own := t.State()
	if err := fits("weights", s.Weights, own.Weights); err != nil {
		return err
	}
	for kind, moment := range own.Moments {
		if err := fits(kind, s.Moments[kind], moment); err != nil {
			return err
		}
	}
	if err := t.pool.ready(context.Background()); err != nil {
		return err
	}
	copy(own.Weights.Data, s.Weights.Data)
	for kind, moment := range own.Moments {
		copy(moment.Data, s.Moments[kind].Data)
	}
	t.Model.Pack()
	if l := t.optimizer.lbfgs; l != nil {
		l.known, l.resting = false, false
	}
	t.step, t.loss, t.gradNorm = s.Step, s.Loss, s.GradNorm
	return nil
}

// fits returns an error unless arrays have the names and shapes that are wanted.
func fits(what string, got, want *model.Weights[float32]) error {
	if got == nil {
		return fmt.Errorf("train: the state has no %s", what)
	}
	if !slices.EqualFunc(got.Tensors, want.Tensors, sameTensor) {
		return fmt.Errorf("train: the state's %s are those of another model", what)
	}
	return nil
}

// Moments returns how many arrays, an entry for each parameter, the optimiser of resolved
// options has in a [State].
func (o Options) Moments() int {
	switch {
	case o.Optimizer == "lbfgs":
		return 2 * lbfgsMemory
	case o.Optimizer != "sgd":
		return 2
	case o.Momentum != 0:
		return 1
	}
	return 0
}

// moments names the optimiser's arrays as PyTorch does.
func (opt *optimizer) moments() map[string]*model.Weights[float32] {
	switch {
	case opt.lbfgs != nil:
		return opt.lbfgs.moments()
	case opt.second != nil:
		return map[string]*model.Weights[float32]{"exp_avg": opt.first, "exp_avg_sq": opt.second}
	case opt.first != nil:
		return map[string]*model.Weights[float32]{"momentum_buffer": opt.first}
	}
	return nil
}
