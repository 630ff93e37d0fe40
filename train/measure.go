package train

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/limit"
	"foretell/model"
	"foretell/process"
)

// Test is the data on which a model is evaluated: sequences of a process, or windows of a
// recording.
type Test struct {
	Process   process.Sampler
	Sequences int    // number of sequences, at least 1
	Length    int    // tokens in each sequence, at least 1 and at most the model's n_ctx
	Seed      uint64 // random seed of the sequences
	Accuracy  bool   // whether to report the accuracy if the greatest possible one is known
}

// Measured is the result of [Measure].
type Measured struct {
	Evaluation
	// KLError is the standard error of KL over the sequences; NaN for fewer than two, and
	// if the best possible prediction is not known.
	KLError float64
}

// Measure evaluates a model without training it. All positions count equally. Fields of
// the result that describe a step of training are zero. It returns an error if the model
// has fewer tokens than the process, if a sequence is longer than the model's context or
// than the recording, if the machine has not enough memory, and if ctx ends.
func Measure[F model.Float](ctx context.Context, m *model.Transformer[F], t Test) (Measured, error) {
	if err := t.check(m.Config); err != nil {
		return Measured{}, err
	}
	weights := make([]float64, t.Length)
	for i := range weights {
		weights[i] = 1 / float64(t.Length)
	}
	found := Measured{KLError: math.NaN()}
	source, known := t.Process.(process.Process)
	if !known {
		o := newObserver(t, weights)
		for _, w := range o.parts() {
			record := func(row int, logits []F) { record(w, row, logits) }
			if err := forwardAll(ctx, m, w.inputs, t, record); err != nil {
				return Measured{}, err
			}
		}
		o.summarize(&found.Evaluation, weights)
		return found, nil
	}
	e, err := newEvaluator(ctx, t, source)
	if err != nil {
		return Measured{}, err
	}
	if err := forwardAll(ctx, m, e.inputs, t, func(row int, logits []F) { judge(e, row, logits) }); err != nil {
		return Measured{}, err
	}
	e.summarize(&found.Evaluation, weights, nil)
	found.KLError = e.standardError(found.KL)
	return found, nil
}

// check returns an error if the model cannot read the sequences.
func (t Test) check(c model.Config) error {
	if a := t.Process.Alphabet(); a > c.DVocab {
		return fmt.Errorf("%s has %d tokens, and the model reads %d: want a process of at most %d tokens",
			t.Process.Name(), a, c.DVocab, c.DVocab)
	}
	if t.Length < 1 || t.Length > c.NCtx {
		return fmt.Errorf("sequences of %d tokens, want 1 to n_ctx = %d", t.Length, c.NCtx)
	}
	if need, has := t.size(), limit.Memory(); has > 0 && need > has {
		return fmt.Errorf("%d sequences of %d tokens need about %s of memory, and the machine has %s; want fewer or "+
			"shorter sequences", t.Sequences, t.Length, limit.Size(need), limit.Size(has))
	}
	if part, longest := tooShort(t.Process, t.Length+1); part != "" {
		return fmt.Errorf("sequences of %d tokens need windows of %d, and the %s part of %s is %d long; "+
			"want shorter sequences, a longer recording, or a smaller held-out part",
			t.Length, t.Length+1, part, t.Process.Name(), longest)
	}
	return nil
}

// size is the number of bytes that the sequences take, with the optimal predictions on
// them if these are known.
func (t Test) size() float64 {
	tokens := float64(t.Sequences) * float64(t.Length)
	if _, known := t.Process.(process.Process); !known {
		kinds := 1
		for _, part := range []process.Sampler{heldOut(t.Process), validation(t.Process)} {
			if part != nil {
				kinds++
			}
		}
		return float64(kinds) * tokens * float64(2*int32Size+float64Size+1)
	}
	row := int32Size + float64Size*(t.Process.Alphabet()+1)
	if _, ok := t.Process.(process.Ceiler); ok && t.Accuracy {
		row += 2*float64Size + t.Process.Alphabet()
	}
	return tokens * float64(row)
}

// draw fills inputs and targets, (Sequences, Length) each, from a source.
func (t Test) draw(source process.Sampler, inputs, targets []int32) {
	newDrawer(source, t.Seed, "train/evaluate", t.Length).draw(inputs, targets, 0, 0, t.Sequences)
}

// passTokens is about the number of tokens in a forward pass of [Measure].
const passTokens = 1 << 12

// forwardAll runs a model over the inputs of a test, (Sequences, Length), and calls the
// function `see` with the logits of each row. It returns an error if ctx ends, or if
// logits are not finite.
func forwardAll[F model.Float](
	ctx context.Context, m *model.Transformer[F], inputs []int32, t Test, see func(row int, logits []F),
) error {
	most := max(1, passTokens/m.Config.NCtx)
	w := model.NewWorkspace[F](m.Config, most)
	for first := 0; first < t.Sequences; first += most {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch := min(most, t.Sequences-first)
		from, to := first*t.Length, (first+batch)*t.Length
		logits := m.Forward(w, inputs[from:to], batch)
		if err := model.CheckLogits(logits, m.Config.DVocab); err != nil {
			return err
		}
		for row := from; row < to; row++ {
			see(row, logits[(row-from)*m.Config.DVocab:(row-from+1)*m.Config.DVocab])
		}
	}
	return nil
}

// standardError returns the standard error of the mean divergence over the sequences;
// NaN for fewer than two.
func (e *evaluator) standardError(mean float64) float64 {
	if e.sequences < 2 {
		return math.NaN()
	}
	var squares float64
	for i := range e.sequences {
		var sum float64
		for _, kl := range e.kl[i*e.length : (i+1)*e.length] {
			sum += kl
		}
		off := sum/float64(e.length) - mean
		squares += float64(off * off)
	}
	return math.Sqrt(squares / float64(e.sequences) / float64(e.sequences-1))
}
