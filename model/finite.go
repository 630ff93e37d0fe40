package model

import (
	"errors"
	"fmt"
)

// ErrNotFinite is matched by the errors for a NaN or an infinity in a model's parameters
// or results.
var ErrNotFinite = errors.New("not finite")

// NotFiniteError is the [ErrNotFinite] error for one number.
type NotFiniteError struct {
	What  string // such as "parameter embed.W_E at [0 3]"
	Value float64
	Why   string // the explanation, such as "weights must be finite numbers"
}

func (e *NotFiniteError) Error() string { return fmt.Sprintf("%s is %v; %s", e.What, e.Value, e.Why) }

// Is reports whether target is ErrNotFinite.
func (e *NotFiniteError) Is(target error) bool { return target == ErrNotFinite }

// checkFinite returns a [*NotFiniteError] for the first number of a tensor that is NaN or
// infinite; kind describes the tensor, such as "parameter".
func checkFinite[F Float](kind string, t Tensor[F]) error {
	for i, x := range t.Data {
		if isFinite(x) {
			continue
		}
		at := make([]int, len(t.Shape))
		for d := len(at) - 1; d >= 0; d-- {
			at[d], i = i%t.Shape[d], i/t.Shape[d]
		}
		what := fmt.Sprintf("%s %s at %v", kind, t.Name, at)
		return &NotFiniteError{what, float64(x), "weights must be finite numbers"}
	}
	return nil
}

// CheckFinite returns a [*NotFiniteError] for the first parameter that is NaN or
// infinite. [Read] rejects such weights.
func (w *Weights[F]) CheckFinite() error {
	for _, t := range w.Tensors {
		if err := checkFinite("parameter", t); err != nil {
			return err
		}
	}
	return nil
}

// CheckLogits returns a [*NotFiniteError] for the first logit that is NaN or infinite.
// Each row of logits has vocab numbers.
func CheckLogits[F Float](logits []F, vocab int) error { return checkLogits(logits, vocab, 0) }

// checkLogits is CheckLogits for logits that begin at the given position.
func checkLogits[F Float](logits []F, vocab, position int) error {
	for i, x := range logits {
		if !isFinite(x) {
			what := fmt.Sprintf("the model's logit of token %d at position %d", i%vocab, position+i/vocab)
			return &NotFiniteError{what, float64(x), "the model's weights have overflowed"}
		}
	}
	return nil
}

// isFinite reports whether x is neither NaN nor infinite.
func isFinite[F Float](x F) bool { return x-x == 0 }
