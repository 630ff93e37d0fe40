package train

import (
	"foretell/internal/random"
	"foretell/process"
)

// drawer draws sequences of n_ctx inputs and their n_ctx targets, each from a
// stream of its own, so that a batch is the same whoever draws which part.
type drawer struct {
	process process.Process
	seed    uint64
	purpose uint64
	nCtx    int

	stream   random.Stream
	sequence []int32 // n_ctx + 1 tokens
}

func newDrawer(p process.Process, seed uint64, purpose string, nCtx int) *drawer {
	return &drawer{
		process: p, seed: seed, purpose: random.Purpose(purpose), nCtx: nCtx,
		sequence: make([]int32, nCtx+1),
	}
}

// draw fills inputs and targets, (n,n_ctx) each, with the sequences
// first … first+n−1 of a step. The target of a position is the token after it.
func (d *drawer) draw(inputs, targets []int32, step, first, n int) {
	for i := range n {
		d.stream.Reset(d.seed, d.purpose, uint64(step), uint64(first+i))
		d.process.Sample(d.sequence, &d.stream)
		copy(inputs[i*d.nCtx:(i+1)*d.nCtx], d.sequence)
		copy(targets[i*d.nCtx:(i+1)*d.nCtx], d.sequence[1:])
	}
}
