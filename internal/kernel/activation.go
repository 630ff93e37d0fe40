package kernel

import "fmt"

// Activation names an elementwise nonlinearity.
type Activation uint8

const (
	ReLU    Activation = iota // max(x, 0)
	GELU                      // x·Φ(x), with the exact normal distribution function Φ
	GELUNew                   // x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), as in GPT-2
	SiLU                      // x/(1 + exp(−x))
)

// Activate sets y[i] = act(x[i]). y and x have equal lengths and may be the same slice.
// In float32 the error is below 6·10⁻⁷·(1 + |act(x)|).
func Activate[F Float](act Activation, y, x []F) {
	checkSame("Activate: y", len(y), len(x))
	if act > SiLU {
		panic(fmt.Sprintf("kernel: Activate: unknown activation %d", act))
	}
	if single[F]() && activateFast(act, f32(y), f32(x)) {
		return
	}
	f := [...]func(F) F{relu[F], gelu[F], geluNew[F], silu[F]}[act]
	for i, v := range x {
		y[i] = f(v)
	}
}

// HasSlope reports whether [ActivateSlope] supports an activation. It does not support
// ReLU, whose backward pass replaces dy by 0 where x ≤ 0, even if dy is NaN. The product
// of such a dy and a slope of 0 would be NaN.
func (act Activation) HasSlope() bool { return act != ReLU }

// ActivateSlope is [Activate] that also stores slope[i] = act'(x[i]); the two share most
// of their work. Afterwards [Product] of dy and slope is bit-identical to
// [ActivateBackward]. All three slices have equal lengths; slope may be x.
func ActivateSlope[F Float](act Activation, y, slope, x []F) {
	checkSame("ActivateSlope: y", len(y), len(x))
	checkSame("ActivateSlope: slope", len(slope), len(x))
	if act > SiLU || !act.HasSlope() {
		panic(fmt.Sprintf("kernel: ActivateSlope: activation %d is unknown or has no slope", act))
	}
	if single[F]() && activateSlopeFast(act, f32(y), f32(slope), f32(x)) {
		return
	}
	f := [...]func(F) F{nil, gelu[F], geluNew[F], silu[F]}[act]
	back := [...]func(dy, x F) F{nil, geluBackward[F], geluNewBackward[F], siluBackward[F]}[act]
	for i, v := range x {
		y[i], slope[i] = f(v), back(1, v)
	}
}

// ActivateBackward sets dx[i] = dy[i]·act'(x[i]), where x is the input of the forward
// pass. All three slices have equal lengths; dx may be dy. In float32 the error of
// act'(x) is below 5·10⁻⁶.
func ActivateBackward[F Float](act Activation, dx, dy, x []F) {
	checkSame("ActivateBackward: dx", len(dx), len(x))
	checkSame("ActivateBackward: dy", len(dy), len(x))
	if act > SiLU {
		panic(fmt.Sprintf("kernel: ActivateBackward: unknown activation %d", act))
	}
	if single[F]() && activateBackwardFast(act, f32(dx), f32(dy), f32(x)) {
		return
	}
	f := [...]func(dy, x F) F{reluBackward[F], geluBackward[F], geluNewBackward[F], siluBackward[F]}[act]
	for i, v := range x {
		dx[i] = f(dy[i], v)
	}
}

// relu passes NaN through.
func relu[F Float](x F) F {
	if 0 > x {
		return 0
	}
	return x
}

func reluBackward[F Float](dy, x F) F {
	if x > 0 {
		return dy
	}
	return 0
}

const (
	sqrtHalf      = 0.70710678118654752440 // √½
	invSqrtTwoPi  = 0.39894228040143267794 // 1/√(2π)
	geluNewLinear = 1.59576912160573071176 // 2·√(2/π), the linear coefficient of 2u in the gate 1/(1 + exp(−2u))
	geluNewCubic  = 0.044715 * geluNewLinear
)

// gelu is x/2 + x/2·erf(x/√2).
func gelu[F Float](x F) F {
	half := F(x * 0.5)
	return fma(half, erf(F(x*sqrtHalf)), half)
}

// geluBackward is dy·(Φ(x) + x·φ(x)), where Φ is the normal distribution function and φ
// its density.
func geluBackward[F Float](dy, x F) F {
	cdf := fma(erf(F(x*sqrtHalf)), 0.5, 0.5)
	pdf := F(exp(F(F(x*-0.5)*x)) * invSqrtTwoPi)
	return dy * fma(x, pdf, cdf)
}

// geluNew is x·(1 + tanh u)/2 with u = √(2/π)·(x + 0.044715·x³). It computes the factor
// (1 + tanh u)/2 as 1/(1 + exp(−2u)), which is accurate for negative x, too.
func geluNew[F Float](x F) F {
	return x * geluNewGate(x)
}

func geluNewGate[F Float](x F) F {
	minus := fma(F(x*x), -geluNewCubic, -geluNewLinear)
	return logistic(F(x * minus))
}

// geluNewBackward is dy·(g + x·g·(1−g)·(2u)'), where g = 1/(1 + exp(−2u)) is the gate.
func geluNewBackward[F Float](dy, x F) F {
	gate := geluNewGate(x)
	slope := fma(F(x*x), 3*geluNewCubic, geluNewLinear)
	return dy * fma(F(F(x*gate)*(1-gate)), slope, gate)
}

func silu[F Float](x F) F { return x * logistic(-x) }

// siluBackward is dy·(g + x·g·(1−g)), where g = 1/(1 + exp(−x)) is the gate.
func siluBackward[F Float](dy, x F) F {
	gate := logistic(-x)
	return dy * fma(F(x*gate), 1-gate, gate)
}
