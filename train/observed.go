package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
	"foretell/model"
	"foretell/process"
)

// Observed is what an evaluation has where the best possible prediction is not known
// ([process.Sampler]): the loss is that of the tokens that came, in windows of the data.
type Observed struct {
	// HeldOut says that LossEval, Chance and the accuracy are of windows that training
	// never draws from ([process.Splitter]). Otherwise training draws from the same data,
	// and a model that has memorised it does well on it.
	HeldOut bool `json:"held_out"`
	// LossWindows is the loss on as many windows that training draws from; nil unless
	// HeldOut. How far it is below LossEval is what memorising has gained.
	LossWindows *float64 `json:"loss/training_windows,omitempty"`
}

// observer judges a model by the tokens that came.
type observer struct {
	judged  *windows // of the part that is held out, if there is one
	trained *windows // that training draws from; nil where those are judged
}

// windows are sequences with the tokens that came after each of their tokens.
type windows struct {
	sequences, length int
	inputs, targets   []int32   // (sequences, length)
	loss              []float64 // (sequences, length), filled by an evaluation
	right             []bool    // the same: the likeliest token is the one that came
	frequency         []float64 // of each token among the targets, by the weights of positions
}

// newObserver draws the windows. Those of a part that is held out come from a stream of
// their own.
func newObserver(c Config, s process.Sampler) *observer {
	o := &observer{judged: newWindows(c, s)}
	if held := heldOut(s); held != nil {
		o.trained, o.judged = o.judged, newWindows(c, held)
	}
	return o
}

// heldOut returns what a sampler holds out, nil where that is nothing.
func heldOut(s process.Sampler) process.Sampler {
	splitter, ok := s.(process.Splitter)
	if !ok {
		return nil
	}
	return splitter.HeldOut()
}

func newWindows(c Config, s process.Sampler) *windows {
	w := &windows{
		sequences: c.Train.EvaluateSequences, length: c.Model.NCtx, frequency: make([]float64, s.Alphabet()),
	}
	n := w.sequences * w.length
	w.inputs, w.targets = make([]int32, n), make([]int32, n)
	w.loss, w.right = make([]float64, n), make([]bool, n)
	newDrawer(s, c.Train.Seed, "train/evaluate", w.length).draw(w.inputs, w.targets, 0, 0, w.sequences)
	weights := c.Objective().Weights
	for i, z := range w.targets {
		w.frequency[z] += weights[i%w.length] / float64(w.sequences)
	}
	return w
}

// observe measures the model on the tokens that came. When ctx ends before that it
// returns ctx's error.
func (t *Trainer) observe(ctx context.Context) (Evaluation, error) {
	o := t.observer
	for _, w := range []*windows{o.judged, o.trained} {
		if w == nil {
			continue
		}
		if err := t.forward(ctx, w.sequences, w.length, w.inputs, w.judge); err != nil {
			return Evaluation{}, err
		}
	}
	weights := t.objective.Weights
	e := t.begun()
	e.Observed, e.Chance = &Observed{HeldOut: o.trained != nil}, portable.Entropy(o.judged.frequency)
	var right float64
	e.LossEval, right = o.judged.means(weights)
	e.Accuracy = &Accuracy{Overall: right, Constant: slices.Max(o.judged.frequency)}
	if o.trained != nil {
		loss, _ := o.trained.means(weights)
		e.LossWindows = &loss
	}
	if t.step == 0 {
		e.LossTrain = e.LossEval
	}
	return e, nil
}

// judge takes in the model's logits at a row.
func (w *windows) judge(row int, logits []float32) {
	target := w.targets[row]
	w.loss[row] = model.Surprisal(logits, int(target))
	w.right[row] = likeliest(logits) == int(target)
}

// means returns the mean loss, and the share of the tokens that were guessed, by the
// weights of positions.
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

// observerSize is how many bytes the windows take.
func (c Config) observerSize(s process.Sampler) float64 {
	kinds := 1
	if heldOut(s) != nil {
		kinds = 2
	}
	return float64(kinds) * float64(c.Train.EvaluateSequences) * float64(c.Model.NCtx) * float64(2*int32Size+float64Size+1)
}

// checkWindows returns an error where the data is shorter than a sequence and the token
// after it.
func (c Config) checkWindows(s process.Sampler) error {
	need := c.Model.NCtx + 1
	for _, part := range []struct {
		what string
		data process.Sampler
	}{{"training", s}, {"held-out", heldOut(s)}} {
		w, ok := part.data.(process.Windowed)
		if !ok || w.Windows(need) > 0 {
			continue
		}
		return &model.FieldError{Path: "model.n_ctx", Reason: fmt.Sprintf("= %d needs windows of %d tokens, and the %s part "+
			"of %s has %d; lower n_ctx, give a longer recording, or hold out another share (0 holds nothing out)",
			c.Model.NCtx, need, part.what, s.Name(), longestWindow(w, need))}
	}
	return nil
}

// longestWindow returns the length, below need, of the longest window that there is.
func longestWindow(w process.Windowed, need int) int {
	for length := need - 1; length > 0; length-- {
		if w.Windows(length) > 0 {
			return length
		}
	}
	return 0
}

// observedText says how an evaluation of this kind compares with guessing.
func (e Evaluation) observedText(separator string) string {
	text := fmt.Sprintf("loss on training windows %.5f", e.LossEval)
	if e.HeldOut {
		text = fmt.Sprintf("held-out loss %.5f%son training windows %.5f", e.LossEval, separator, *e.LossWindows)
	}
	return fmt.Sprintf("%s%schance %.5f%s%s", text, separator, e.Chance, separator, e.GapText(""))
}

// thanGuessing says how much better or worse than the best constant guess a loss is.
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
