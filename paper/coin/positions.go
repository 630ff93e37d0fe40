package coin

import (
	"iter"

	"foretell/craft"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// Coordinates of the residual stream of the printed model, and their number; see
// [craft.PrintedCoin].
const (
	onTails, onHeads, onBOS, onPosition = 0, 1, 2, 3
	printedWidth                        = 4
)

// everySequence yields BOS followed by n flips, for each of the 2ⁿ sequences of flips:
// flip i of sequence s is bit i of s. The yielded slice is overwritten at each step.
func everySequence(n int) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		tokens := make([]int32, n+1)
		tokens[0] = process.BOS
		for s := range 1 << n {
			for i := range n {
				tokens[i+1] = int32(s >> i & 1)
			}
			if !yield(tokens) {
				return
			}
		}
	}
}

// sampledSequences yields the given number of sequences: BOS followed by n flips of a
// fair coin. The yielded slice is overwritten at each step.
func sampledSequences(n, count int) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		stream, tokens := random.New(1, "paper/flips"), make([]int32, n+1)
		tokens[0] = process.BOS
		for range count {
			for i := range n {
				tokens[i+1] = int32(stream.IntN(2))
			}
			if !yield(tokens) {
				return
			}
		}
	}
}

// position is a position in a sequence of flips.
type position struct {
	heads, tails int   // numbers of each among the flips up to this position
	last         int32 // the token at this position
}

// flips returns N, the number of flips up to the position.
func (p position) flips() float64 { return float64(p.heads + p.tails) }

// eachPosition runs the printed model on the sequences. For each position it calls f with
// the row of the activation named by hook at that position, which is valid only during
// the call.
func eachPosition(nCtx int, hook string, sequences iter.Seq[[]int32], f func(at position, row []float64)) error {
	m, err := craft.PrintedCoin(nCtx)
	if err != nil {
		return err
	}
	w := model.NewWorkspace[float64](m.Config, 1)
	var data []float64
	w.HookNames = []string{hook}
	w.Hook = func(t model.Tensor[float64]) { data = append(data[:0], t.Data...) }
	for tokens := range sequences {
		m.Forward(w, tokens, 1)
		heads := 0
		for i, token := range tokens {
			if i > 0 {
				heads += int(token)
			}
			f(position{heads, i - heads, token}, data[i*printedWidth:(i+1)*printedWidth])
		}
	}
	return nil
}
