package wasm

// partialLoad writes the function that loads the first min(n, 4) elements at an address.
// The others are +0, and their memory is not accessed.
func partialLoad(m *module) {
	m.function("load", []valueType{i32, i32}, []valueType{v128}, func(f *function, p []local) {
		address, n, v := p[0].get(), p[1].get(), f.vec(allBits(0))
		f.either(less(n, number(4)), func() {
			f.when(equal(n, number(1)), func() { f.set(v, loadFirst(address, 0)) })
			f.when(less(number(1), n), func() {
				f.set(v, loadFirst2(address, 0))
				f.when(equal(n, number(3)), func() { f.set(v, loadLane(2, address, 8, v.get())) })
			})
		}, func() { f.set(v, load(address, 0)) })
		f.do(v.get())
	})
}

// partialStore writes the function that stores the first min(n, 4) elements of a vector.
func partialStore(m *module) {
	m.function("store", []valueType{i32, i32, v128}, nil, func(f *function, p []local) {
		address, n, v := p[0].get(), p[1].get(), p[2].get()
		f.either(less(n, number(4)), func() {
			for lane := range 3 {
				f.when(less(number(lane), n), func() { f.do(storeLane(lane, address, 4*lane, v)) })
			}
		}, func() { f.do(store(address, 0, v)) })
	})
}

// part is four elements in a pass over a row, at an offset in bytes from the pass's
// pointers. At the end of a row there may be fewer.
type part struct {
	f      *function
	offset int
	rest   *local // number of elements, if there may be fewer than four
}

// load reads the part's elements; missing elements are +0.
func (p part) load(pointer local) expr {
	if p.rest == nil {
		return load(pointer.get(), p.offset)
	}
	return p.f.call("load", add(pointer.get(), number(p.offset)), p.rest.get())
}

// store writes the part's elements.
func (p part) store(pointer local, v expr) {
	if p.rest == nil {
		p.f.do(store(pointer.get(), p.offset, v))
		return
	}
	p.f.do(p.f.call("store", add(pointer.get(), number(p.offset)), p.rest.get(), v))
}

// keep replaces missing elements of v by the corresponding elements of other.
func (p part) keep(v, other expr) expr {
	if p.rest == nil {
		return v
	}
	return choose(v, other, iless(indices(), splatInt(p.rest.get())))
}

// copies returns new variables with the values of pointers.
func (f *function) copies(pointers []local) []local {
	var list []local
	for _, p := range pointers {
		list = append(list, f.integer(p.get()))
	}
	return list
}

// elements passes over n elements, four at a time.
func (f *function) elements(n expr, body func(at part, p []local), pointers ...local) {
	f.pass(1, n, func(_ int, at part, p []local) { body(at, p) }, pointers)
}

// eachLane passes over n elements, 16 at a time. The body is for each of the four vectors
// of virtual lanes, whose index it is given.
func (f *function) eachLane(n expr, body func(h int, at part, p []local), pointers ...local) {
	f.pass(4, n, body, pointers)
}

// pass passes over n elements, a number of vectors at a time. It gives the body copies of
// the pointers, which it advances.
func (f *function) pass(vectors int, n expr, body func(h int, at part, p []local), pointers []local) {
	f.scope(func() {
		left, p := f.integer(n), f.copies(pointers)
		f.while(atLeast(left.get(), number(4*vectors)), func() {
			for h := range vectors {
				f.scope(func() { body(h, part{f: f, offset: 16 * h}, p) })
			}
			for _, l := range p {
				f.advance(l, number(16*vectors))
			}
			f.advance(left, number(-4*vectors))
		})
		for h := range vectors {
			f.when(less(number(4*h), left.get()), func() {
				f.scope(func() {
					rest := f.integer(sub(left.get(), number(4*h)))
					body(h, part{f, 16 * h, &rest}, p)
				})
			})
		}
	})
}

// rows repeats the body for a number of rows, which the variable counts down.
func (f *function) rows(count local, body func()) {
	f.while(count.get(), func() {
		f.scope(body)
		f.advance(count, number(-1))
	})
}

// lanes returns 16 virtual lanes with the same value.
func (f *function) lanes(v float32) []local {
	var acc []local
	for range 4 {
		acc = append(acc, f.vec(all(v)))
	}
	return acc
}

// reduce joins 16 virtual lanes pairwise at distance 8, 4, 2, 1. All elements of the
// result are equal.
func (f *function) reduce(acc []local, join func(a, b expr) expr) local {
	for d := 2; d > 0; d /= 2 {
		for i := range d {
			f.set(acc[i], join(acc[i].get(), acc[i+d].get()))
		}
	}
	v := acc[0].get()
	f.set(acc[0], join(v, upper(v)))
	f.set(acc[0], join(v, shuffle(v, v, [4]int{1, 1, 1, 1})))
	return f.vec(spread(v))
}
