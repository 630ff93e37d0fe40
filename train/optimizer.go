package train

import (
	"math"

	"foretell/internal/kernel"
	"foretell/internal/portable"
	"foretell/model"
)

// rate returns the learning rate of a step (1 … num_steps): a linear rise during warm-up,
// then the schedule down to lr_final at the last step. With lr_final 0 the last step
// changes nothing. (PyTorch's schedulers stop one step short of their final rate.)
func (o Options) rate(step int) float64 {
	if step <= o.WarmupSteps {
		return o.LR * float64(step) / float64(o.WarmupSteps)
	}
	span := max(1, o.NumSteps-o.WarmupSteps-1)
	done := min(1, float64(step-o.WarmupSteps-1)/float64(span))
	switch o.LRSchedule {
	case "linear":
		return o.LR + float64((o.LRFinal-o.LR)*done)
	case "cosine":
		_, cos := portable.Sincos(math.Pi * done)
		return o.LRFinal + float64((o.LR-o.LRFinal)*(1+cos)/2)
	}
	return o.LR
}

// optimizer holds the state of the optimiser: Adam's two moments, SGD's momentum, or the
// memory of L-BFGS.
type optimizer struct {
	options       Options
	first, second *model.Weights[float32] // second is nil for SGD; both are nil for SGD without momentum and L-BFGS
	lbfgs         *lbfgs                  // nil for other optimisers than L-BFGS
}

func newOptimizer(o Options, c model.Config) *optimizer {
	opt := &optimizer{options: o}
	if o.Optimizer == "lbfgs" {
		opt.lbfgs = newLBFGS(c, c.Parameters())
		return opt
	}
	if o.Optimizer != "sgd" || o.Momentum != 0 {
		opt.first = model.NewWeights[float32](c)
	}
	if o.Optimizer != "sgd" {
		opt.second = model.NewWeights[float32](c)
	}
	return opt
}

// update changes the weights with indices in [from, to) by one step of the optimiser,
// given their gradients; steps count from 1.
func (opt *optimizer) update(weights, grads *model.Weights[float32], from, to, step int) {
	o := opt.options
	w, g := weights.Data[from:to], grads.Data[from:to]
	switch {
	case opt.second != nil:
		kernel.Adam(w, g, opt.first.Data[from:to], opt.second.Data[from:to], kernel.AdamParams{
			LR: o.rate(step), Beta1: o.Betas[0], Beta2: o.Betas[1], Eps: o.Eps,
			WeightDecay: o.WeightDecay, Decoupled: o.Optimizer == "adamw", Step: step,
		})
	case opt.first != nil:
		kernel.SGD(w, g, opt.first.Data[from:to],
			kernel.SGDParams{LR: o.rate(step), Momentum: o.Momentum, WeightDecay: o.WeightDecay})
	default:
		kernel.SGD(w, g, nil, kernel.SGDParams{LR: o.rate(step), WeightDecay: o.WeightDecay})
	}
}
