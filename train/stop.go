package train

import (
	"context"
	"fmt"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// Stop is a rule that ends training early. An evaluation is better than the best one
// before it if its loss ([Evaluation.StopLoss]) is lower by more than Gain; the first
// evaluation, before any step, is better than none. Training ends with the Patience-th
// evaluation in a row that is not better, or with the last step. The trained model has
// the weights of the best evaluation, whose loss is at most Gain above the least.
type Stop struct {
	Patience int     `yaml:"patience" json:"patience"`   // evaluations, at least 1
	Gain     float64 `yaml:"gain,omitempty" json:"gain"` // nats, at least 0
}

// String describes when training ends.
func (s Stop) String() string {
	than := "than the best one"
	if s.Gain > 0 {
		than = fmt.Sprintf("by more than %.10g nats %s", s.Gain, than)
	}
	if s.Patience == 1 {
		return fmt.Sprintf("early, when an evaluation is not better %s", than)
	}
	return fmt.Sprintf("early, when %d evaluations in a row are not better %s", s.Patience, than)
}

// Best is what a [Stop] needs to know of the evaluations so far.
type Best struct {
	Step  int     // step of the best evaluation
	Loss  float64 // its loss, in nats
	Since int     // number of evaluations after it
	Last  int     // step of the last evaluation
	// Weights are the model's weights at the best evaluation.
	Weights *model.Weights[float32]
}

// after adds an evaluation to those that b has seen, and reports whether it is the best
// one. An evaluation of the last step that b has seen, or of an earlier one, changes
// nothing: a resumed run may have to evaluate a step again.
func (b *Best) after(rule Stop, step int, loss float64) (better bool) {
	switch {
	case step <= b.Last:
		return false
	case b.Last < 0 || loss < b.Loss-rule.Gain:
		b.Step, b.Loss, b.Since, better = step, loss, 0, true
	default:
		b.Since++
	}
	b.Last = step
	return better
}

// ends reports whether training ends.
func (b *Best) ends(rule Stop) bool { return b.Since >= rule.Patience }

// StopLoss returns the loss by which [Stop] chooses the step of the model, in nats:
// LossEval or, for data whose best possible prediction is not known, LossValidation.
func (e Evaluation) StopLoss() float64 {
	if e.Observed != nil && e.LossValidation != nil {
		return *e.LossValidation
	}
	return e.LossEval
}

// Evaluates reports whether the model is evaluated after a step: after each multiple of
// EvaluateEvery, including 0, and after the last step. The options must be resolved.
func (o Options) Evaluates(step int) bool {
	return step == o.NumSteps || step <= o.NumSteps && step%o.EvaluateEvery == 0
}

// checkStop checks the field Stop.
func (o Options) checkStop(p process.Sampler) error {
	if o.Stop == nil {
		return nil
	}
	if err := checkRange("stop.patience", float64(o.Stop.Patience), 1, 1e12); err != nil {
		return err
	}
	if err := checkRange("stop.gain", o.Stop.Gain, 0, 1e6); err != nil {
		return err
	}
	if _, known := p.(process.Process); !known && validation(p) == nil {
		return strict.Fieldf("stop", "needs a part of %s for validation, because the part that chooses the step "+
			"cannot judge the model; set process.params.validation, such as 0.1", p.Name())
	}
	return nil
}

// Consider gives the rule train.stop an evaluation of the current weights, and reports
// whether it is the best one. [Trainer.Train] does this itself. Without train.stop it
// does nothing.
func (t *Trainer) Consider(e Evaluation) (better bool) {
	rule := t.Config.Train.Stop
	if rule == nil {
		return false
	}
	if better = t.best.after(*rule, e.Step, e.StopLoss()); better {
		copy(t.best.Weights.Data, t.Model.Weights.Data)
	}
	return better
}

// Stopped reports whether the rule train.stop has ended the training. No further step
// may then be taken.
func (t *Trainer) Stopped() bool {
	rule := t.Config.Train.Stop
	return rule != nil && t.best.ends(*rule)
}

// Result returns the trained model and its step: at the best evaluation so far with
// train.stop, else now. The caller must not change the model.
func (t *Trainer) Result() (m *model.Transformer[float32], step int, err error) {
	if t.Config.Train.Stop == nil || t.best.Last < 0 {
		return t.Model, t.step, nil
	}
	if m, err = model.Zero[float32](t.Config.Model); err != nil {
		return nil, 0, err
	}
	copy(m.Weights.Data, t.best.Weights.Data)
	return m, t.best.Step, nil
}

// evaluateToStop evaluates the model if the rule train.stop asks for it at this step.
func (t *Trainer) evaluateToStop(ctx context.Context) error {
	o := t.Config.Train
	if o.Stop == nil || t.step <= t.best.Last || !o.Evaluates(t.step) {
		return nil
	}
	e, err := t.Evaluate(ctx)
	if err != nil {
		return err
	}
	if err := t.CheckFinite(e.LossEval); err != nil {
		return err
	}
	t.Consider(e)
	return nil
}
