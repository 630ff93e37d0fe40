package fit

import (
	"context"
	"fmt"
)

// Choice is a number of states, chosen by the likelihood of tokens that no fit had seen.
type Choice struct {
	States  int
	HeldOut []float64 // [K−1]: log-likelihood of the last tokens given the ones before, in nats
	Fit     *Result   // with the chosen number, to all tokens
}

// Choose fits models of 1 … most states to all but the last heldOut tokens of a sequence,
// chooses the one under which these are likeliest, given the tokens before them, and fits
// a model with this number of states to the whole sequence. The smallest of equals wins.
// A state too many often wins by a fraction of a nat. A token or a word that a fit has
// not seen may be impossible under it; its entry of HeldOut is then −Inf. Errors are the
// errors of [HMM] for the first part.
func Choose(ctx context.Context, sequence []int32, names []string, most, heldOut int, o Options) (*Choice, error) {
	if most < 1 {
		return nil, fmt.Errorf("fit: at most %d states; give at least 1", most)
	}
	if heldOut < 1 || heldOut >= len(sequence) {
		return nil, fmt.Errorf("fit: %d of %d tokens are held out; hold out at least 1 and leave at least 1",
			heldOut, len(sequence))
	}
	seen, c := sequence[:len(sequence)-heldOut], &Choice{States: 1}
	all := newPass(sequence)
	for k := 1; k <= most; k++ {
		r, err := HMM(ctx, seen, names, k, o)
		if err != nil {
			return nil, err
		}
		l, err := all.likelihood(ctx, r.model)
		if err != nil {
			return nil, err
		}
		c.HeldOut = append(c.HeldOut, l-r.LogLikelihood)
		if c.HeldOut[k-1] > c.HeldOut[c.States-1] {
			c.States = k
		}
	}
	r, err := HMM(ctx, sequence, names, c.States, o)
	if err != nil {
		return nil, err
	}
	c.Fit = r
	return c, nil
}
