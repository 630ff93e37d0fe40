package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/model"
)

const (
	// lbfgsMemory is the number of recent steps that L-BFGS remembers. It is part of the
	// definition of a run, like the constants of the line search.
	lbfgsMemory = 20
	// sufficientDecrease and curvature are the constants of Wolfe's conditions (Nocedal and
	// Wright 2006, Eq. 3.6).
	sufficientDecrease, curvature = 1e-4, 0.9
	// lossNoise times the square root of a divergence is the precision to which float32
	// logits determine that divergence (see [model.Transformer.SoftDivergence]). If two
	// losses differ by less, their slopes decide which is lower (the approximate conditions
	// of Hager and Zhang 2005, Eq. 4.1).
	lossNoise = 1e-8
	// mostTrials is the largest number of points that a search along a direction tries.
	mostTrials = 25
)

// lbfgs is the method of Liu and Nocedal (1989) for a deterministic loss, such as the
// exact objective's. A step follows the direction −H·g to a point that satisfies Wolfe's
// conditions; H is the inverse Hessian estimated from recent steps.
//
// Its memory is the differences of the weights, s, and of the gradients, y, over recent
// steps, all in float32, the precision of a checkpoint, so a state that was written and
// read continues with the same bits. A pair of zeros is an unused entry. Because of this
// form, and because sums need the same order on every architecture, the method is not
// taken from a library.
type lbfgs struct {
	s, y []*model.Weights[float32] // the most recent first

	known     bool      // loss and grad belong to the current weights
	resting   bool      // known, and no search along the gradient finds a lower point
	loss      float64   // loss of the current weights, minus the least possible loss
	grad      []float32 // gradient of the loss with respect to the weights
	start     []float32 // the weights where the current search began
	direction []float64
}

func newLBFGS(c model.Config, parameters int) *lbfgs {
	l := &lbfgs{
		grad: make([]float32, parameters), start: make([]float32, parameters), direction: make([]float64, parameters),
	}
	for range lbfgsMemory {
		l.s = append(l.s, model.NewWeights[float32](c))
		l.y = append(l.y, model.NewWeights[float32](c))
	}
	return l
}

// moments returns the memory under the names of [State.Moments].
func (l *lbfgs) moments() map[string]*model.Weights[float32] {
	all := map[string]*model.Weights[float32]{}
	for i := range l.s {
		all[fmt.Sprintf("lbfgs_s_%02d", i)], all[fmt.Sprintf("lbfgs_y_%02d", i)] = l.s[i], l.y[i]
	}
	return all
}

// forget empties the memory.
func (l *lbfgs) forget() {
	for i := range l.s {
		clear(l.s[i].Data)
		clear(l.y[i].Data)
	}
}

// pairs returns the number of remembered steps.
func (l *lbfgs) pairs() int {
	for i, s := range l.s {
		if inner(s.Data, l.y[i].Data) <= 0 {
			return i
		}
	}
	return len(l.s)
}

// remember adds the step from the weights l.start to the weights w, at which the gradient
// is g. It adds the step only if the loss curves upwards along it by more than rounding;
// otherwise the memory would not describe a minimum. The oldest step is dropped in either
// case, since the test uses its memory. Keeping it would gain nothing, because the test
// hardly ever fails: after a successful search the curvature is positive up to rounding
// (Wolfe's second condition).
func (l *lbfgs) remember(w, g []float32) {
	last := len(l.s) - 1
	s, y := l.s[last], l.y[last]
	for i := range w {
		s.Data[i], y.Data[i] = w[i]-l.start[i], g[i]-l.grad[i]
	}
	if !(inner(s.Data, y.Data) > 1e-10*inner(y.Data, y.Data)) {
		clear(s.Data)
		clear(y.Data)
		return
	}
	l.s, l.y = slices.Insert(l.s[:last], 0, s), slices.Insert(l.y[:last], 0, y)
}

// aim sets the direction to −H·g (Nocedal and Wright 2006, Algorithm 7.4), computed from
// the given number of latest pairs, and returns the slope of the loss along it. With 0
// pairs the direction is −g, scaled down to the length `most` if it is longer.
func (l *lbfgs) aim(pairs int, most float64) (slope float64) {
	d := l.direction
	for i, g := range l.grad {
		d[i] = -float64(g)
	}
	var alpha, rho [lbfgsMemory]float64
	for i := range pairs {
		rho[i] = 1 / inner(l.y[i].Data, l.s[i].Data)
		alpha[i] = float64(rho[i] * inner(l.s[i].Data, d))
		addScaled(d, -alpha[i], l.y[i].Data)
	}
	scale := min(1, most/max(most, math.Sqrt(inner(l.grad, l.grad))))
	if pairs > 0 {
		scale = 1 / (rho[0] * inner(l.y[0].Data, l.y[0].Data))
	}
	for i := range d {
		d[i] = float64(d[i] * scale)
	}
	for i := pairs - 1; i >= 0; i-- {
		beta := float64(rho[i] * inner(l.y[i].Data, d))
		addScaled(d, alpha[i]-beta, l.s[i].Data)
	}
	return inner(l.grad, d)
}

// inner returns Σ x·y in float64, summed in four independent chains for speed.
func inner[X, Y model.Float](x []X, y []Y) float64 {
	var s [4]float64
	n := len(x) &^ 3
	for i := 0; i < n; i += 4 {
		for k := range s {
			s[k] += float64(float64(x[i+k]) * float64(y[i+k]))
		}
	}
	for i := n; i < len(x); i++ {
		s[0] += float64(float64(x[i]) * float64(y[i]))
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// addScaled adds a·y to x.
func addScaled(x []float64, a float64, y []float32) {
	for i, v := range y {
		x[i] += float64(a * float64(v))
	}
}

// stepLBFGS is [Trainer.Step] with L-BFGS. If no point along the direction has a lower
// loss, it forgets its memory and follows the gradient. If that fails as well, the
// weights are a minimum up to rounding and stay as they are, in this step and all later
// ones.
func (t *Trainer) stepLBFGS(ctx context.Context) (float64, error) {
	l := t.optimizer.lbfgs
	if !l.known {
		loss, err := t.lossAndGradient(ctx)
		if err != nil {
			return 0, err
		}
		l.loss, l.known = loss, true
		copy(l.grad, t.grads[0].Data)
	}
	for pairs := l.pairs(); !l.resting; pairs = 0 {
		found, err := t.descend(ctx, pairs)
		if err != nil {
			return 0, err
		}
		if found {
			break
		}
		if pairs == 0 {
			l.forget()
			l.resting = true
		}
	}
	t.step++
	t.loss, t.gradNorm = t.least()+l.loss, math.Sqrt(inner(l.grad, l.grad))
	return t.loss, nil
}

// descend moves to a lower point along the direction computed from the given number of
// latest pairs; with 0 pairs it clears the memory. If it finds no lower point or is
// interrupted, it leaves everything unchanged.
func (t *Trainer) descend(ctx context.Context, pairs int) (found bool, err error) {
	l := t.optimizer.lbfgs
	copy(l.start, t.Model.Weights.Data)
	loss, found, err := t.search(ctx, l.aim(pairs, t.Config.Train.LR))
	if !found {
		t.pool.idle(nil) // some workers may still be reading the weights
		copy(t.Model.Weights.Data, l.start)
		t.Model.Pack()
		return false, err
	}
	if pairs == 0 {
		l.forget()
	}
	l.remember(t.Model.Weights.Data, t.grads[0].Data)
	l.loss = loss
	copy(l.grad, t.grads[0].Data)
	return true, nil
}

// search looks along the direction, in which the loss has the given slope, for a point
// that satisfies the weak Wolfe conditions, by doubling and halving (Lewis and Overton
// 2013, Algorithm 2.6), and leaves the weights and their gradient at that point.
func (t *Trainer) search(ctx context.Context, slope float64) (loss float64, found bool, err error) {
	l, low, high, alpha := t.optimizer.lbfgs, 0.0, math.Inf(1), 1.0
	if !(slope < 0) {
		return 0, false, nil
	}
	for range mostTrials {
		t.moveAlong(alpha)
		if loss, err = t.lossAndGradient(ctx); err != nil {
			return 0, false, err
		}
		at := inner(t.grads[0].Data, l.direction)
		noise := float64(lossNoise * math.Sqrt(max(0, l.loss)))
		decreases := loss <= l.loss+float64(sufficientDecrease*alpha*slope) ||
			loss <= l.loss+noise && at <= (2*sufficientDecrease-1)*slope
		switch {
		case !decreases:
			high = alpha
		case at < curvature*slope:
			low = alpha
		default:
			return loss, true, nil
		}
		if alpha = 2 * alpha; !math.IsInf(high, 1) {
			alpha = (low + high) / 2
		}
	}
	return 0, false, nil
}

// moveAlong sets the weights to start + alpha·direction.
func (t *Trainer) moveAlong(alpha float64) {
	l, w := t.optimizer.lbfgs, t.Model.Weights.Data
	for i, x := range l.start {
		w[i] = float32(float64(x) + float64(alpha*l.direction[i]))
	}
	t.Model.Pack()
}

// lossAndGradient returns the loss of the current weights, minus the least possible loss,
// and computes their gradient in t.grads[0].
func (t *Trainer) lossAndGradient(ctx context.Context) (float64, error) {
	if err := t.differentiate(ctx); err != nil {
		return 0, err
	}
	t.pool.finish(len(t.parts), t.reduceTask)
	return sum(t.losses), nil
}

// checkLBFGS checks that the options fit optimizer: lbfgs.
func (o Options) checkLBFGS() error {
	if o.Objective != objectiveExact {
		return strict.Fieldf("optimizer", "= \"lbfgs\" needs a loss without sampling noise: "+
			"set objective: exact, or use adam for sampled batches")
	}
	for _, given := range []struct {
		path string
		is   bool
	}{
		{"lr_schedule", o.LRSchedule != "constant"},
		{"warmup_steps", o.WarmupSteps != 0},
		{"weight_decay", o.WeightDecay != 0},
		{"max_grad_norm", o.MaxGradNorm != 0},
		{"lr_final", o.LRFinal != 0},
		{"betas", o.Betas != nil},
		{"eps", o.Eps != 0},
	} {
		if given.is {
			return strict.Fieldf(given.path, "is for adam, adamw and sgd; lbfgs finds "+
				"the length of each step by a search; leave it out")
		}
	}
	return nil
}
