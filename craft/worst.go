package craft

import (
	"context"
	"math"
	"runtime"

	"foretell/internal/parallel"
	"foretell/model"
	"foretell/process"
)

// Worst is the count of heads and tails after which the prediction P̂ of a coin's model
// is farthest from the posterior mean with the prior Beta(a, b).
type Worst struct {
	Heads, Tails int
	Error        float64 // |P̂ − (a+H)/(a+b+H+T)|, +∞ if P̂ is NaN
}

// WorstCount runs a coin's model, hand-written or trained, after every count of heads and
// tails that fits its context, and returns the count with the largest error. The prior is
// Beta(a, b). All heads come before all tails.
func WorstCount[F model.Float](m *model.Transformer[F], a, b float64) Worst {
	flips := m.Config.NCtx - 1
	byHeads := make([]Worst, flips+1)
	_ = parallel.With(context.Background(), runtime.GOMAXPROCS(0), len(byHeads), func() func(int) error {
		w := model.NewWorkspace[F](m.Config, 1)
		return func(heads int) error {
			byHeads[heads] = worstTails(m, w, heads, a, b)
			return nil
		}
	})
	worst := byHeads[0]
	for _, x := range byHeads {
		if x.Error > worst.Error {
			worst = x
		}
	}
	return worst
}

// worstTails is WorstCount for one number of heads and all numbers of tails, which are
// the positions of one forward pass.
func worstTails[F model.Float](m *model.Transformer[F], w *model.Workspace[F], heads int, a, b float64) Worst {
	tokens := make([]int32, m.Config.NCtx)
	tokens[0] = process.BOS
	for i := range heads {
		tokens[1+i] = 1
	}
	logits := m.Forward(w, tokens, 1)
	worst := Worst{Heads: heads}
	for tails := range len(tokens) - heads {
		row := logits[(heads+tails)*m.Config.DVocab:][:m.Config.DVocab]
		h, t := float64(heads), float64(tails)
		e := math.Abs(model.Probabilities(row)[1] - (a+h)/(a+b+h+t))
		if math.IsNaN(e) {
			e = math.Inf(1) // every comparison with NaN is false
		}
		if e > worst.Error {
			worst.Tails, worst.Error = tails, e
		}
	}
	return worst
}
