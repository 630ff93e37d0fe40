package train

import (
	"context"
	"fmt"
	"slices"

	"foretell/model"
)

// State is the complete state of training. A trainer of the same configuration that is
// restored to it takes the same steps, to the bit.
type State struct {
	Step     int     // steps taken
	Loss     float64 // loss on the last step's batch
	GradNorm float64 // gradient norm of the last step, before clipping

	Weights *model.Weights[float32]
	// Moments are the optimiser's running arrays, one entry per parameter, under PyTorch's
	// names: exp_avg and exp_avg_sq for Adam, momentum_buffer for SGD with momentum. For
	// L-BFGS they are lbfgs_s_00 … and lbfgs_y_00 …, the latest steps and the changes of the
	// gradient along them.
	Moments map[string]*model.Weights[float32]
	// Best is the best evaluation so far; nil without train.stop and before the first
	// evaluation.
	Best *Best
}

// State returns the current state. Weights, moments and the best evaluation are the
// trainer's own, not copies: they change with its next step and its next evaluation.
func (t *Trainer) State() State {
	s := State{
		Step: t.step, Loss: t.loss, GradNorm: t.gradNorm,
		Weights: t.Model.Weights, Moments: t.optimizer.moments(),
	}
	if t.best != nil && t.best.Last >= 0 {
		s.Best = t.best
	}
	return s
}

// Restore copies s, a state of a trainer of the same configuration, into the trainer. It
// returns an error, and leaves the trainer unchanged, if the arrays of s do not fit this
// configuration. After Close it returns [ErrClosed].
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
	if s.Best != nil && t.best != nil {
		if err := fits("best evaluation's weights", s.Best.Weights, t.best.Weights); err != nil {
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
	t.restoreBest(s.Best)
	return nil
}

// restoreBest copies the best evaluation of a state into the trainer.
func (t *Trainer) restoreBest(b *Best) {
	if t.best == nil { // without train.stop
		return
	}
	own := t.best.Weights
	if *t.best = (Best{Last: -1}); b != nil {
		*t.best = *b
		copy(own.Data, b.Weights.Data)
	}
	t.best.Weights = own
}

// fits returns an error unless the tensors of `got` have the same names and shapes as the
// tensors of `want`. `what` names them in the error.
func fits(what string, got, want *model.Weights[float32]) error {
	if got == nil {
		return fmt.Errorf("train: the state has no %s", what)
	}
	if !slices.EqualFunc(got.Tensors, want.Tensors, sameTensor) {
		return fmt.Errorf("train: the state's %s belong to another model", what)
	}
	return nil
}

// Moments returns the number of arrays, each with one entry per parameter, that the
// optimiser has in a [State]. The options must be resolved.
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

// moments returns the optimiser's arrays under the names of [State.Moments].
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
