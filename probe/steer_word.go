package probe

import (
	"context"
	"errors"
	"fmt"

	"foretell/model"

	"gonum.org/v1/gonum/floats"
)

// SteeredWord is what a model predicts after a sequence when its last activation is
// moved to where a regression reads given values.
type SteeredWord struct {
	Unchanged, Shortest, Likeliest MovedWord // see [Steered]
}

// MovedWord is a move of an activation and what follows from it.
type MovedWord struct {
	Distance float64   // length of the move, in the units of the activations; 0 for none
	Read     []float64 // what the regression reads after the move
	Logits   []float32 // of the next token, after the move
}

// SteerWord moves the activation of a sequence's last token, at a single stage of the
// plan, so that the regression of the target on the stage reads the values to. These are
// one for each column of the target. It returns the predictions without a move, and after
// the shortest and the likeliest move, see [Analysis.SteerEach]. The sequence need not be
// one of those that the regression was fitted to. A value in a direction that the
// regression does not read cannot be reached; Read shows what was.
//
// SteerWord returns an error if ctx is done, if attention patterns are fixed, if the
// sequence does not fit the model, or if the model computes numbers that are not finite.
func (a *Analysis) SteerWord(ctx context.Context, target Target, on Features, word []int32, to []float64) (
	*SteeredWord, error,
) {
	if err := a.model.Config.CheckTokens(word); err != nil {
		return nil, err
	}
	if n := a.model.Config.NCtx; len(word) < 1 || len(word) > n {
		return nil, fmt.Errorf("probe: a sequence of %d tokens; the model takes 1 to %d", len(word), n)
	}
	shortest, likeliest, err := a.levers(ctx, target, on)
	if err != nil {
		return nil, err
	}
	if k := shortest[0].back.Rows(); len(to) != k {
		return nil, fmt.Errorf("probe: %d values to read, want %d", len(to), k)
	}
	at, hook := min(len(word), len(shortest))-1, a.entry(on).Stages[0]
	s := &SteeredWord{}
	for _, m := range []struct {
		found *MovedWord
		lever
		to []float64
	}{{&s.Unchanged, shortest[at], nil}, {&s.Shortest, shortest[at], to}, {&s.Likeliest, likeliest[at], to}} {
		*m.found = a.moved(hook, word, m.lever, m.to)
		if err := model.CheckLogits(m.found.Logits, a.model.Config.DVocab); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// levers returns the levers of the target's fits on a single stage: one, or one for each
// length. It panics if the features are not a single stage.
func (a *Analysis) levers(ctx context.Context, target Target, on Features) (shortest, likeliest []lever, err error) {
	x := a.entry(on)
	if len(x.Stages) != 1 {
		panic(fmt.Sprintf("probe: cannot steer by %s; steering needs a single stage", x.Name))
	}
	if len(a.fixed) > 0 {
		return nil, nil, errors.New(
			"probe: steering needs the model's own attention, but patterns are fixed by Plan.Fixed")
	}
	slots, err := a.fitted(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	for t, fit := range a.Regress(target, on).Fits {
		short, likely := newLevers(fit, slots[t].leaving(-1, -1))
		shortest = append(shortest, short)
		likeliest = append(likeliest, likely)
	}
	return shortest, likeliest, nil
}

// moved runs the model over a word after a move of its last activation at a hook, to
// where the lever's fit reads the values to; nil means no move.
func (a *Analysis) moved(hook string, word []int32, l lever, to []float64) (m MovedWord) {
	w := model.NewWorkspace[float32](a.model.Config, 1)
	w.HookNames = []string{hook}
	w.Hook = func(t model.Tensor[float32]) {
		row := t.Row(0, len(word)-1)
		x := wide(row)
		if to != nil {
			delta := l.change(x, to)
			m.Distance = floats.Norm(delta, 2)
			for i, v := range delta {
				row[i] = float32(x[i] + v)
			}
		}
		m.Read = make([]float64, l.back.Rows())
		l.read(m.Read, wide(row))
	}
	logits := a.model.Forward(w, word, 1)
	m.Logits = append(m.Logits, logits[(len(word)-1)*a.model.Config.DVocab:]...)
	return m
}

func wide(row []float32) []float64 {
	x := make([]float64, len(row))
	for i, v := range row {
		x[i] = float64(v)
	}
	return x
}
