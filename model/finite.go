package model

import (
	"errors"
	"fmt"
)

// ErrNotFinite is the kind of error of a model that holds or computes what is no finite
// number.
var ErrNotFinite = errors.New("not finite")

// NotFiniteError is an [ErrNotFinite] of one number.
type NotFiniteError struct {
	What  string // such as "parameter embed.W_E at [0 3]"
	Value float64
	Why   string // what that means, such as "weights are finite numbers"
}

func (e *NotFiniteError) Error() string { return fmt.Sprintf("%s is %v; %s", e.What, e.Value, e.Why) }

// Is says that the error is an ErrNotFinite.
func (e *NotFiniteError) Is(target error) bool { return target == ErrNotFinite }

// checkFinite returns a [*NotFiniteError] of the first number of a tensor that is none;
// kind is what the tensor is, such as a parameter.
func checkFinite[F Float](kind string, t Tensor[F]) error {
	for i, x := range t.Data {
		if isFinite(x) {
			continue
		}
		at := make([]int, len(t.Shape))
		for d := len(at) - 1; d >= 0; d-- {
			at[d], i = i%t.Shape[d], i/t.Shape[d]
		}
		return &NotFiniteError{fmt.Sprintf("%s %s at %v", kind, t.Name, at), float64(x), "weights are finite numbers"}
	}
	return nil
}

// CheckFinite returns a [*NotFiniteError] of the first parameter that is no finite
// number: [Read] does not take weights that have one.
func (w *Weights[F]) CheckFinite() error {
	for _, t := range w.Tensors {
		if err := checkFinite("parameter", t); err != nil {
			return err
		}
	}
	return nil
}

// CheckLogits returns a [*NotFiniteError] of the first logit, of a vocabulary of so many
// tokens, that is no finite number.
func CheckLogits[F Float](logits []F, vocab int) error { return checkLogits(logits, vocab, 0) }

// checkLogits is CheckLogits of logits whose first position is given.
func checkLogits[F Float](logits []F, vocab, position int) error {
	for i, x := range logits {
		if !isFinite(x) {
			what := fmt.Sprintf("the model's logit of token %d at position %d", i%vocab, position+i/vocab)
			return &NotFiniteError{what, float64(x), "its weights have overflowed"}
		}
	}
	return nil
}

// isFinite says of x that it is neither NaN nor an infinity.
func isFinite[F Float](x F) bool { return x-x == 0 }
