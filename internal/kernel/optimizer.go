package kernel

import (
	"fmt"
	"math"

	"foretell/internal/portable"
)

// AdamParams are the parameters of one Adam step, named and defined as in PyTorch.
type AdamParams struct {
	LR           float64
	Beta1, Beta2 float64
	Eps          float64
	WeightDecay  float64
	Decoupled    bool // AdamW: the decay shrinks the weights and does not affect the gradient
	Step         int  // 1 for the first step
}

// Adam updates the weights w with their gradient g, and the running moments m and v, like
// torch.optim.Adam, or torch.optim.AdamW if p.Decoupled is set:
//
//	g += wd·w                        (AdamW instead: w *= 1 − lr·wd)
//	m = β1·m + (1−β1)·g
//	v = β2·v + (1−β2)·g²
//	w −= lr/(1−β1^step) · m/(√v/√(1−β2^step) + eps)
//
// The four slices have equal lengths. g is not modified.
func Adam[F Float](w, g, m, v []F, p AdamParams) {
	checkSame("Adam: g", len(g), len(w))
	checkSame("Adam: m", len(m), len(w))
	checkSame("Adam: v", len(v), len(w))
	if p.Step < 1 {
		panic(fmt.Sprintf("kernel: Adam: step %d, want at least 1", p.Step))
	}
	if single[F]() {
		s := newAdamScalars[float32](p)
		if adamFast(f32(w), f32(g), f32(m), f32(v), &s) {
			return
		}
	}
	adamLoop(w, g, m, v, newAdamScalars[F](p))
}

// adamScalars are the coefficients of one Adam step, rounded to the element type.
type adamScalars[F Float] struct {
	shrink, decay  F // factor of w before the step; fraction of w added to g
	beta1, rest1   F // β1 and 1−β1
	beta2, rest2   F
	invRoot2, step F // 1/√(1−β2^step) and lr/(1−β1^step)
	eps            F
}

func newAdamScalars[F Float](p AdamParams) adamScalars[F] {
	s := adamScalars[F]{
		shrink: 1,
		beta1:  F(p.Beta1), rest1: F(1 - p.Beta1),
		beta2: F(p.Beta2), rest2: F(1 - p.Beta2),
		invRoot2: F(1 / math.Sqrt(1-portable.Power(p.Beta2, p.Step))),
		step:     F(p.LR / (1 - portable.Power(p.Beta1, p.Step))),
		eps:      F(p.Eps),
	}
	if p.Decoupled {
		s.shrink = F(1 - float64(p.LR*p.WeightDecay))
	} else {
		s.decay = F(p.WeightDecay)
	}
	return s
}

func adamLoop[F Float](w, g, m, v []F, s adamScalars[F]) {
	for i := range w {
		wi := F(w[i] * s.shrink)
		gi := fma(s.decay, wi, g[i])
		m[i] = fma(s.rest1, gi, F(m[i]*s.beta1))
		v[i] = fma(s.rest2*gi, gi, F(v[i]*s.beta2))
		root := F(math.Sqrt(float64(v[i])))
		w[i] = fma(-s.step, m[i]/fma(root, s.invRoot2, s.eps), wi)
	}
}

// SGDParams are the parameters of one step of stochastic gradient descent.
type SGDParams struct {
	LR          float64
	Momentum    float64
	WeightDecay float64
}

// SGD updates the weights w with their gradient g and the momentum buffer v, which is
// zero before the first step, like torch.optim.SGD (no dampening, no Nesterov):
//
//	v = momentum·v + (g + wd·w);  w −= lr·v
//
// The slices have equal lengths; v may be nil if the momentum is 0.
func SGD[F Float](w, g, v []F, p SGDParams) {
	checkSame("SGD: g", len(g), len(w))
	if p.Momentum != 0 || v != nil {
		checkSame("SGD: v", len(v), len(w))
	}
	if single[F]() && sgdFast(f32(w), f32(g), f32(v), float32(p.LR), float32(p.Momentum), float32(p.WeightDecay)) {
		return
	}
	sgdLoop(w, g, v, F(p.LR), F(p.Momentum), F(p.WeightDecay))
}

func sgdLoop[F Float](w, g, v []F, lr, momentum, decay F) {
	for i := range w {
		d := fma(decay, w[i], g[i])
		if v != nil {
			d = fma(momentum, v[i], d)
			v[i] = d
		}
		w[i] = fma(-lr, d, w[i])
	}
}
