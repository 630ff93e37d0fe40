package wasm

import "math"

// softmax writes the passes over rows of logits or scores.
func softmax(m *module) {
	m.kernel("softmaxRow", "pppfp", func(f *function, p []local) {
		y, x, n, weight, result := p[0], p[1], p[2], f.vec(splat(p[3].get())), p[4]
		max, s := f.exponentials(y, x, n.get(), func(v expr) expr { return v })
		f.do(storeLane(0, result.get(), 0, max.get()), storeLane(0, result.get(), 4, s.get()))
		inverse := f.vec(fdiv(all(1), s.get()))
		f.elements(n.get(), func(at part, q []local) {
			at.store(q[0], fmul(fmul(at.load(q[0]), inverse.get()), weight.get()))
		}, y)
	})
	m.kernel("causalSoftmax", "ppppppf", func(f *function, p []local) {
		y, ldy, x, ldx, n, rows := p[0], p[1], p[2], p[3], p[4], p[5]
		scale := f.vec(splat(p[6].get()))
		f.rows(rows, func() {
			f.advance(n, number(1))
			_, s := f.exponentials(y, x, n.get(), func(v expr) expr { return fmul(v, scale.get()) })
			inverse := f.vec(fdiv(all(1), s.get()))
			f.elements(n.get(), func(at part, q []local) {
				at.store(q[0], fmul(at.load(q[0]), inverse.get()))
			}, y)
			f.advance(y, inBytes(ldy.get()))
			f.advance(x, inBytes(ldx.get()))
		})
	})
	m.kernel("causalSoftmaxBackward", "ppppppf", func(f *function, p []local) {
		ds, ldds, y, ldy, n, rows := p[0], p[1], p[2], p[3], p[4], p[5]
		scale := f.vec(splat(p[6].get()))
		f.rows(rows, func() {
			f.advance(n, number(1))
			f.softmaxRowBackward(ds, y, n.get(), scale.get())
			f.advance(ds, inBytes(ldds.get()))
			f.advance(y, inBytes(ldy.get()))
		})
	})
}

// exponentials writes exp(v − max v) to each element of y, where v is the logit that the
// function logit makes from the element of x. It returns max v and the sum of the
// exponentials.
func (f *function) exponentials(y, x local, n expr, logit func(v expr) expr) (max, s local) {
	lowest := float32(math.Inf(-1))
	acc := f.lanes(lowest)
	f.eachLane(n, func(h int, at part, q []local) {
		f.set(acc[h], fmax(at.keep(logit(at.load(q[0])), all(lowest)), acc[h].get()))
	}, x)
	max = f.reduce(acc, fmax)
	acc = f.lanes(0)
	f.eachLane(n, func(h int, at part, q []local) {
		e := f.exp(fsub(logit(at.load(q[1])), max.get()))
		at.store(q[0], e.get())
		f.set(acc[h], fadd(acc[h].get(), at.keep(e.get(), all(0))))
	}, y, x)
	return max, f.reduce(acc, fadd)
}

func (f *function) softmaxRowBackward(ds, p local, n, scale expr) {
	acc := f.lanes(0)
	f.eachLane(n, func(h int, at part, q []local) { f.fma(acc[h], at.load(q[1]), at.load(q[0])) }, ds, p)
	mean := f.reduce(acc, fadd)
	f.elements(n, func(at part, q []local) {
		at.store(q[0], fmul(fmul(at.load(q[1]), fsub(at.load(q[0]), mean.get())), scale))
	}, ds, p)
}
