package wasm

// optimizer writes the steps of the optimisers.
func optimizer(m *module) {
	m.kernel("adam", "pppppp", func(f *function, p []local) {
		const shrink, decay, beta1, rest1, beta2, rest2, invRoot2, step, eps = 0, 1, 2, 3, 4, 5, 6, 7, 8
		scalar := func(i int) expr { return loadSplat(p[5].get(), 4*i) }
		f.elements(p[4].get(), func(at part, q []local) {
			wi := f.vec(fmul(at.load(q[0]), scalar(shrink)))
			gi := f.vec(f.multiplyAdd(scalar(decay), wi.get(), at.load(q[1]))).get()
			m := f.vec(f.multiplyAdd(scalar(rest1), gi, fmul(at.load(q[2]), scalar(beta1))))
			v := f.vec(f.multiplyAdd(fmul(scalar(rest2), gi), gi, fmul(at.load(q[3]), scalar(beta2))))
			at.store(q[2], m.get())
			at.store(q[3], v.get())
			root := f.vec(f.multiplyAdd(fsqrt(v.get()), scalar(invRoot2), scalar(eps)))
			at.store(q[0], f.multiplyAdd(fneg(scalar(step)), fdiv(m.get(), root.get()), wi.get()))
		}, p[0], p[1], p[2], p[3])
	})
	m.kernel("sgd", "ppppfff", func(f *function, p []local) {
		w, g, v, n := p[0], p[1], p[2], p[3]
		minusLR := f.vec(fneg(splat(p[4].get())))
		momentum, decay := f.vec(splat(p[5].get())), f.vec(splat(p[6].get()))
		f.elements(n.get(), func(at part, q []local) {
			wi := f.vec(at.load(q[0]))
			d := f.vec(f.multiplyAdd(decay.get(), wi.get(), at.load(q[1])))
			f.when(v.get(), func() {
				f.set(d, f.multiplyAdd(momentum.get(), at.load(q[2]), d.get()))
				at.store(q[2], d.get())
			})
			at.store(q[0], f.multiplyAdd(minusLR.get(), d.get(), wi.get()))
		}, w, g, v)
	})
}
