package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/model"
)

const (
	// lbfgsMemory is how many of the last steps L-BFGS remembers. Part of a run's
	// definition, as are the constants of its line search.
	lbfgsMemory = 20
	// sufficientDecrease and curvature are the constants of Wolfe's conditions (Nocedal and
	// Wright 2006, Eq. 3.6).
	sufficientDecrease, curvature = 1e-4, 0.9
	// lossNoise times the root of a divergence is to how much it is known from logits in
	// float32 (see [model.Transformer.SoftDivergence]): where two differ by less, their
	// slopes say which is the lower (the approximate conditions of Hager and Zhang 2005,
	// Eq. 4.1).
	lossNoise = 1e-8
	// mostTrials is after how many points a search along a direction gives up.
	mostTrials = 25
)

// lbfgs is the method of Liu and Nocedal (1989) for a loss that is a function, as that of
// the exact objective is. A step follows the direction −H·g, where H is the inverse
// Hessian that the last steps tell of, to a point that satisfies Wolfe's conditions.
//
// What it remembers is all in float32, the weights' differences s and the gradients'
// differences y of the last steps, the latest first; a pair of zeros is none. So a state
// that was written and read goes on with the same bits. That, and sums that have one
// order on every architecture, is why this is not a library's.
type lbfgs struct {
	s, y []*model.Weights[float32] // the latest first

	known     bool      // loss and grad are those of the weights as they are
	resting   bool      // and no search along the gradient finds a lower point
	loss      float64   // of the weights, less the least there is
	grad      []float32 // of the loss in the weights
	start     []float32 // the weights from which a search began
	direction []float64
}

func newLBFGS(c model.Config, parameters int) *lbfgs {
	l := &lbfgs{
		grad: make([]float32, parameters), start: make([]float32, parameters), direction: make([]float64, parameters),
	}
	for range lbfgsMemory {
		l.s, l.y = append(l.s, model.NewWeights[float32](c)), append(l.y, model.NewWeights[float32](c))
	}
	return l
}

// moments names what is remembered.
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

// pairs returns how many steps are remembered.
func (l *lbfgs) pairs() int {
	for i, s := range l.s {
		if inner(s.Data, l.y[i].Data) <= 0 {
			return i
		}
	}
	return len(l.s)
}

// remember adds the step from start to the weights w, where the gradient has become g,
// unless the loss curves down along it by more than rounding: then the memory would not
// be of a minimum. The oldest step goes in either case, since the new one is weighed in
// its room: after a search that has found a point the loss curves up but for rounding
// (the second of Wolfe's conditions), so that more room would never pay.
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

// aim makes the direction −H·g (Nocedal and Wright 2006, Algorithm 7.4) of the latest
// pairs and returns the slope of the loss along it. Without any it is −g, no longer than
// most.
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

// inner is Σ x·y in float64, as four chains that do not wait for each other.
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

// stepLBFGS is Step with L-BFGS. Where no point along the direction is lower, it forgets
// what it remembers and follows the gradient, and where that leads nowhere either the
// weights are a minimum to rounding: they stay as they are, in this step and all others.
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

// descend goes to a lower point along the direction that the latest pairs tell of, and
// without any forgets all that there are. Where it finds none or is interrupted, all is
// as it was.
func (t *Trainer) descend(ctx context.Context, pairs int) (found bool, err error) {
	l := t.optimizer.lbfgs
	copy(l.start, t.Model.Weights.Data)
	loss, found, err := t.search(ctx, l.aim(pairs, t.Config.Train.LR))
	if !found {
		t.pool.idle(nil) // some may still read the weights
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

// search looks along the direction for a point that satisfies the weak conditions of
// Wolfe, by doubling and halving (Lewis and Overton 2013, Algorithm 2.6), and leaves the
// weights and their gradient there.
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

// moveAlong puts the weights at a point of the direction.
func (t *Trainer) moveAlong(alpha float64) {
	l, w := t.optimizer.lbfgs, t.Model.Weights.Data
	for i, x := range l.start {
		w[i] = float32(float64(x) + float64(alpha*l.direction[i]))
	}
	t.Model.Pack()
}

// lossAndGradient computes the loss of the weights as they are, less the least there is,
// and their gradient in the first of grads.
func (t *Trainer) lossAndGradient(ctx context.Context) (float64, error) {
	if err := t.differentiate(ctx); err != nil {
		return 0, err
	}
	t.pool.finish(len(t.parts), t.reduceTask)
	return sum(t.losses), nil
}

// checkLBFGS checks what goes with optimizer: lbfgs.
func (o Options) checkLBFGS() error {
	if o.Objective != objectiveExact {
		return &model.FieldError{Path: "optimizer", Reason: "= \"lbfgs\" wants a loss that is the same at each step: " +
			"objective: exact; batches that are drawn want adam"}
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
		// Those of before this was an error have adam's defaults, which say nothing.
		{"betas", o.Betas != nil && !slices.Equal(o.Betas, defaultBetas)},
		{"eps", o.Eps != 0 && o.Eps != defaultEps},
	} {
		if given.is {
			return &model.FieldError{Path: given.path, Reason: "belongs to adam, adamw and sgd; lbfgs searches for " +
				"the length of each step, leave it out"}
		}
	}
	return nil
}
