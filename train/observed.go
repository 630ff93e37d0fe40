package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// Observed is the part of an evaluation on data whose best possible prediction is not
// known ([process.Sampler]). The loss is measured in windows of the data, on the tokens
// that actually came next.
type Observed struct {
	// HeldOut reports that LossEval, Chance and the accuracy are measured on windows that
	// training never draws from ([process.Splitter]). Otherwise training draws from the same
	// data, and a model that has memorised it scores well.
	HeldOut bool `json:"held_out"`
	// LossWindows is the loss on an equal number of windows that training draws from; nil
	// unless HeldOut. The amount by which it is below LossEval is the gain from memorising.
	LossWindows *float64 `json:"loss/training_windows,omitempty"`
	// LossValidation is the loss on as many windows of the part for validation
	// ([process.Validated]), on which [Options.Stop] chooses the step of the model; nil
	// without such a part.
	LossValidation *float64 `json:"loss/validation,omitempty"`
}

// observer evaluates a model on the tokens that actually came next in the data.
type observer struct {
	judged    *windows // windows of the held-out part or, without one, of the data that training draws from
	trained   *windows // windows of the data that training draws from; nil without a held-out part
	validated *windows // windows of the part for validation; nil without one
}

// windows are sequences with the next token for each of their tokens.
type windows struct {
	sequences, length int
	inputs, targets   []int32   // shape (sequences, length)
	loss              []float64 // (sequences, length), filled by an evaluation
	right             []bool    // (sequences, length), filled too: whether the likeliest token is the target
	frequency         []float64 // frequency of each token among the targets, weighted by position
}

// newObserver draws the windows; held-out windows have their own random stream.
func newObserver(t Test, weights []float64) *observer {
	o := &observer{judged: newWindows(t, t.Process, weights)}
	if held := heldOut(t.Process); held != nil {
		o.trained, o.judged = o.judged, newWindows(t, held, weights)
	}
	if part := validation(t.Process); part != nil {
		o.validated = newWindows(t, part, weights)
	}
	return o
}

// heldOut returns the part of its data that a sampler holds out, or nil if it holds out
// nothing.
func heldOut(s process.Sampler) process.Sampler {
	splitter, ok := s.(process.Splitter)
	if !ok {
		return nil
	}
	return splitter.HeldOut()
}

// validation returns the part of its data that a sampler keeps for choosing among models,
// or nil if it keeps nothing.
func validation(s process.Sampler) process.Sampler {
	validated, ok := s.(process.Validated)
	if !ok {
		return nil
	}
	return validated.Validation()
}

func newWindows(t Test, s process.Sampler, weights []float64) *windows {
	w := &windows{sequences: t.Sequences, length: t.Length, frequency: make([]float64, s.Alphabet())}
	n := w.sequences * w.length
	w.inputs, w.targets = make([]int32, n), make([]int32, n)
	w.loss, w.right = make([]float64, n), make([]bool, n)
	t.draw(s, w.inputs, w.targets)
	for i, z := range w.targets {
		w.frequency[z] += weights[i%w.length] / float64(w.sequences)
	}
	return w
}

// observe measures the model on windows of the data. If ctx ends first, it returns ctx's
// error.
func (t *Trainer) observe(ctx context.Context) (Evaluation, error) {
	for _, w := range t.observer.parts() {
		record := func(row int, logits []float32) { record(w, row, logits) }
		if err := t.forward(ctx, w.sequences, w.length, w.inputs, record); err != nil {
			return Evaluation{}, err
		}
	}
	e := t.begun()
	t.observer.summarize(&e, t.Plan.objective.Weights)
	if t.step == 0 {
		e.LossTrain = e.LossEval
	}
	return e, nil
}

// parts returns the windows to be judged.
func (o *observer) parts() []*windows {
	absent := func(w *windows) bool { return w == nil }
	return slices.DeleteFunc([]*windows{o.judged, o.trained, o.validated}, absent)
}

// summarize fills in the averages over the windows, weighted by position.
func (o *observer) summarize(e *Evaluation, weights []float64) {
	e.Observed, e.Chance = &Observed{HeldOut: o.trained != nil}, portable.Entropy(o.judged.frequency)
	var right float64
	e.LossEval, right = o.judged.means(weights)
	e.Accuracy = &Accuracy{Overall: right, Constant: slices.Max(o.judged.frequency)}
	if o.trained != nil {
		loss, _ := o.trained.means(weights)
		e.LossWindows = &loss
	}
	if o.validated != nil {
		loss, _ := o.validated.means(weights)
		e.LossValidation = &loss
	}
}

// record records the loss of the logits at a row, and whether the most likely token is
// the target.
func record[F model.Float](w *windows, row int, logits []F) {
	target := w.targets[row]
	w.loss[row] = model.Surprisal(logits, int(target))
	w.right[row] = likeliest(logits) == int(target)
}

// means returns the mean loss and the share of tokens that were guessed correctly, both
// weighted by position.
func (w *windows) means(weights []float64) (loss, right float64) {
	for row, x := range w.loss {
		weight := weights[row%w.length] / float64(w.sequences)
		loss += float64(weight * x)
		if w.right[row] {
			right += weight
		}
	}
	return loss, right
}

// checkWindows returns an error if the data is shorter than a sequence plus the next
// token.
func (c Config) checkWindows(s process.Sampler) error {
	need := c.Model.NCtx + 1
	if part, longest := tooShort(s, need); part != "" {
		return strict.Fieldf("model.n_ctx", "= %d needs windows of %d tokens, and the %s part of %s is %d long; "+
			"lower n_ctx, use a longer recording, or change the shares of its parts (holdout, validation)",
			c.Model.NCtx, need, part, s.Name(), longest)
	}
	return nil
}

// tooShort returns the name of a part of the data that has no window of `need` tokens,
// with the length of its longest window, or "".
func tooShort(s process.Sampler, need int) (part string, longest int) {
	for _, part := range []struct {
		what string
		data process.Sampler
	}{{"training", s}, {"held-out", heldOut(s)}, {"validation", validation(s)}} {
		if w, ok := part.data.(process.Windowed); ok && w.Windows(need) == 0 {
			return part.what, longestWindow(w, need)
		}
	}
	return "", 0
}

// longestWindow returns the length of the longest window that is shorter than `need`, or
// 0 if there is no window.
func longestWindow(w process.Windowed, need int) int {
	for length := need - 1; length > 0; length-- {
		if w.Windows(length) > 0 {
			return length
		}
	}
	return 0
}

// thanGuessing describes the loss relative to the best constant guess.
func (e Evaluation) thanGuessing() string {
	switch gain := e.Chance - e.LossEval; {
	case math.Abs(gain) < 5e-6:
		return "no better than guessing"
	case gain > 0:
		return fmt.Sprintf("%.5f nats better than guessing", gain)
	default:
		return fmt.Sprintf("%.5f nats worse than guessing", -gain)
	}
}
