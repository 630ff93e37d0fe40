package wasm

// norm writes layer norm.
func norm(m *module) {
	m.kernel("layerNorm", "ppppppppff", layerNorm)
	m.kernel("layerNormBackward", "ppppppppppf", layerNormBackward)
}

func layerNorm(f *function, p []local) {
	y, mean, rstd, x, w, b, rows, n := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]
	count, eps := f.vec(splat(p[8].get())), f.vec(splat(p[9].get()))
	f.rows(rows, func() {
		acc := f.lanes(0)
		f.eachLane(n.get(), func(h int, at part, q []local) {
			f.set(acc[h], fadd(acc[h].get(), at.load(q[0])))
		}, x)
		center := f.vec(fdiv(f.reduce(acc, fadd).get(), count.get()))
		acc = f.lanes(0)
		f.eachLane(n.get(), func(h int, at part, q []local) {
			v := f.vec(at.keep(fsub(at.load(q[1]), center.get()), all(0)))
			at.store(q[0], v.get())
			f.fma(acc[h], v.get(), v.get())
		}, y, x)
		variance := fdiv(f.reduce(acc, fadd).get(), count.get())
		scale := f.vec(fdiv(all(1), fsqrt(fadd(variance, eps.get()))))
		f.either(w.get(), func() {
			f.elements(n.get(), func(at part, q []local) {
				at.store(q[0], f.multiplyAdd(fmul(at.load(q[0]), scale.get()), at.load(q[1]), at.load(q[2])))
			}, y, w, b)
		}, func() {
			f.elements(n.get(), func(at part, q []local) { at.store(q[0], fmul(at.load(q[0]), scale.get())) }, y)
		})
		f.do(storeLane(0, mean.get(), 0, center.get()), storeLane(0, rstd.get(), 0, scale.get()))
		for _, l := range []local{mean, rstd} {
			f.advance(l, number(4))
		}
		for _, l := range []local{x, y} {
			f.advance(l, inBytes(n.get()))
		}
	})
}

func layerNormBackward(f *function, p []local) {
	dx, dw, db, dy, x, mean, rstd, w, rows, n := p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]
	count := f.vec(splat(p[10].get()))
	f.rows(rows, func() {
		center, scale := f.vec(loadSplat(mean.get(), 0)), f.vec(loadSplat(rstd.get(), 0))
		// gradient is g and x̂ of ../../norm.go. Missing elements are 0.
		gradient := func(at part, dy, x, w local) (g, xhat local) {
			g = f.vec(at.load(dy))
			f.when(w.get(), func() { f.set(g, fmul(g.get(), at.load(w))) })
			return g, f.vec(at.keep(fmul(fsub(at.load(x), center.get()), scale.get()), all(0)))
		}
		sums, products := f.lanes(0), f.lanes(0)
		f.eachLane(n.get(), func(h int, at part, q []local) {
			g, xhat := gradient(at, q[0], q[1], f.orNil(w, q[2]))
			f.set(sums[h], fadd(sums[h].get(), g.get()))
			f.fma(products[h], g.get(), xhat.get())
		}, dy, x, w)
		m1 := f.vec(fdiv(f.reduce(sums, fadd).get(), count.get()))
		m2 := f.vec(fdiv(f.reduce(products, fadd).get(), count.get()))
		f.elements(n.get(), func(at part, q []local) {
			g, xhat := gradient(at, q[0], q[1], f.orNil(w, q[2]))
			inner := f.vec(f.multiplyAdd(fneg(xhat.get()), m2.get(), fsub(g.get(), m1.get())))
			at.store(q[3], f.multiplyAdd(scale.get(), inner.get(), at.load(q[3])))
			f.when(dw.get(), func() {
				d := f.vec(at.load(q[0]))
				at.store(q[4], f.multiplyAdd(d.get(), xhat.get(), at.load(q[4])))
				at.store(q[5], fadd(at.load(q[5]), d.get()))
			})
		}, dy, x, w, dx, dw, db)
		for _, l := range []local{mean, rstd} {
			f.advance(l, number(4))
		}
		for _, l := range []local{dx, dy, x} {
			f.advance(l, inBytes(n.get()))
		}
	})
}

// orNil is a variable with the value of moved, or with 0 if pointer is nil.
func (f *function) orNil(pointer, moved local) local {
	return f.integer(apply([]byte{opSelect}, moved.get(), number(0), pointer.get()))
}
