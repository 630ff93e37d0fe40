package wasm

// The constants of ../../activation.go.
const (
	sqrtHalf      = 0.70710678118654752440
	invSqrtTwoPi  = 0.39894228040143267794
	geluNewLinear = 1.59576912160573071176
	geluNewCubic  = 0.044715 * geluNewLinear
)

// The activations, by their numbers in package kernel.
const (
	relu = iota
	gelu
	geluNew
	silu
)

// activation writes the activations.
func activation(m *module) {
	forward := []func(f *function, x local) expr{
		relu: func(f *function, x local) expr { return choose(all(0), x.get(), fless(x.get(), all(0))) },
		gelu: func(f *function, x local) expr {
			half := f.vec(fmul(x.get(), all(0.5)))
			phi := f.erf(f.vec(fmul(x.get(), all(sqrtHalf))))
			return f.multiplyAdd(half.get(), phi.get(), half.get())
		},
		geluNew: func(f *function, x local) expr { return fmul(x.get(), f.geluNewGate(x).get()) },
		silu:    func(f *function, x local) expr { return fmul(x.get(), f.logistic(fneg(x.get())).get()) },
	}
	slope := []func(f *function, x local) expr{
		gelu: (*function).geluSlope, geluNew: (*function).geluNewSlope, silu: (*function).siluSlope,
	}
	m.kernel("activate", "pppp", func(f *function, p []local) {
		f.eachActivation(p[0], relu, func(act int) {
			f.elements(p[3].get(), func(at part, q []local) {
				at.store(q[0], forward[act](f, f.vec(at.load(q[1]))))
			}, p[1], p[2])
		})
	})
	m.kernel("activateSlope", "ppppp", func(f *function, p []local) {
		f.eachActivation(p[0], gelu, func(act int) {
			f.elements(p[4].get(), func(at part, q []local) {
				x := f.vec(at.load(q[2]))
				at.store(q[0], forward[act](f, x))
				at.store(q[1], slope[act](f, x))
			}, p[1], p[2], p[3])
		})
	})
	m.kernel("activateBackward", "ppppp", func(f *function, p []local) {
		f.eachActivation(p[0], relu, func(act int) {
			f.elements(p[4].get(), func(at part, q []local) {
				x := f.vec(at.load(q[2]))
				dy := f.vec(at.load(q[1]))
				if act == relu {
					at.store(q[0], vand(dy.get(), fless(all(0), x.get())))
				} else {
					at.store(q[0], fmul(dy.get(), slope[act](f, x)))
				}
			}, p[1], p[2], p[3])
		})
	})
}

// eachActivation writes the body for each activation from a first one on; which of these
// runs is a parameter of the kernel.
func (f *function) eachActivation(act local, from int, body func(act int)) {
	for a := from; a <= silu; a++ {
		f.when(equal(act.get(), number(a)), func() { f.scope(func() { body(a) }) })
	}
}

// geluSlope is geluBackward of package kernel for dy = 1.
func (f *function) geluSlope(x local) expr {
	phi := f.erf(f.vec(fmul(x.get(), all(sqrtHalf))))
	cdf := f.vec(f.multiplyAdd(phi.get(), all(0.5), all(0.5)))
	pdf := f.exp(fmul(fmul(x.get(), all(-0.5)), x.get()))
	return f.multiplyAdd(x.get(), fmul(pdf.get(), all(invSqrtTwoPi)), cdf.get())
}

func (f *function) geluNewGate(x local) local {
	minus := f.multiplyAdd(fmul(x.get(), x.get()), all(-geluNewCubic), all(-geluNewLinear))
	return f.logistic(fmul(x.get(), minus))
}

// geluNewSlope is geluNewBackward for dy = 1.
func (f *function) geluNewSlope(x local) expr {
	gate := f.geluNewGate(x).get()
	slope := f.vec(f.multiplyAdd(fmul(x.get(), x.get()), all(3*geluNewCubic), all(geluNewLinear)))
	return f.multiplyAdd(fmul(fmul(x.get(), gate), fsub(all(1), gate)), slope.get(), gate)
}

// siluSlope is siluBackward for dy = 1.
func (f *function) siluSlope(x local) expr {
	gate := f.logistic(fneg(x.get())).get()
	return f.multiplyAdd(fmul(x.get(), gate), fsub(all(1), gate), gate)
}
