package wasm

// fma sets acc = a·b + acc, rounded once.
func (f *function) fma(acc local, a, b expr) { f.set(acc, f.multiplyAdd(a, b, acc.get())) }

// horner sets acc = acc·x + c, rounded once: a step of a polynomial.
func (f *function) horner(acc local, x, c expr) { f.set(acc, f.multiplyAdd(acc.get(), x, c)) }

// multiplyAdd is a·b + c, rounded once.
func (f *function) multiplyAdd(a, b, c expr) expr {
	if f.relaxed {
		return relaxedMadd(a, b, c)
	}
	return f.call("fma", a, b, c)
}

// helpers writes the functions that kernels call.
func helpers(m *module) {
	if !m.relaxed {
		roundOdd(m)
		exactFMA(m)
	}
	partialLoad(m)
	partialStore(m)
	table(m)
}

// roundOdd writes the function oddSum.
func roundOdd(m *module) {
	types := []valueType{v128, v128, v128}
	m.function("oddSum", types, []valueType{v128}, func(f *function, p []local) {
		f.do(f.oddSum(p[0].get(), p[1].get(), p[2].get()))
	})
}

// oddSum is oddSum of float.go, for two float64: x + y rounded to odd, given the sum s
// rounded to nearest. If they differ, it is s rounded towards 0, with 1 as the last bit.
func (f *function) oddSum(x, y, s expr) expr {
	rest := f.vec(f.lost(x, y, s)).get()
	inexact := f.vec(lshr(dless(allBits(0), dabs(rest)), 63)).get() // 1, or 0; not 1 for NaN
	tooFar := vand(lshr(vxor(rest, s), 63), inexact)
	return vor(lsub(s, tooFar), inexact)
}

// lost is x + y − s, for two float64, given the sum s rounded to nearest (Knuth).
func (f *function) lost(x, y, s expr) expr {
	yy := f.vec(dsub(s, x)).get()
	return dadd(dsub(x, dsub(s, yy)), dsub(y, yy))
}

// exactFMA writes fma32 of float.go for four elements.
func exactFMA(m *module) {
	m.function("fma", []valueType{v128, v128, v128}, []valueType{v128}, func(f *function, p []local) {
		a, b, c := p[0].get(), p[1].get(), p[2].get()
		low := f.wideSum(widen(a), widen(b), widen(c))
		high := f.wideSum(widen(upper(a)), widen(upper(b)), widen(upper(c)))
		f.roundSums(low, high)
		f.do(narrow(low.sum.get(), high.sum.get()))
	})
}

// wideSum is a sum of a product and an addend in float64, for two elements.
type wideSum struct{ product, addend, sum local }

func (f *function) wideSum(a, b, c expr) wideSum {
	product, addend := f.vec(dmul(a, b)), f.vec(c)
	return wideSum{product, addend, f.vec(dadd(product.get(), addend.get()))}
}

// roundSums rounds sums to odd if any of the four is awkward in the sense of float.go.
// Rounding the others to odd, too, does not change how they round to float32.
func (f *function) roundSums(low, high wideSum) {
	const minNormal = (1023 - 126) << 20 // the upper half of the bits of 2⁻¹²⁶
	small := shuffle(low.sum.get(), high.sum.get(), [4]int{0, 2, 4, 6})
	large := shuffle(low.sum.get(), high.sum.get(), [4]int{1, 3, 5, 7})
	tie := iequal(vand(small, allBits(1<<29-1)), allBits(1<<28))
	subnormal := iless(vand(large, allBits(1<<31-1)), allBits(minNormal))
	f.when(anyTrue(vor(tie, subnormal)), func() {
		for _, s := range []wideSum{low, high} {
			f.set(s.sum, f.call("oddSum", s.product.get(), s.addend.get(), s.sum.get()))
		}
	})
}

// table writes the kernel that decides whether the module may be used: it computes
// y[i] = fma(a[i], b[i], c[i]) for n elements, where n is a multiple of 4.
func table(m *module) {
	m.kernel("multiplyAdd", "ppppp", func(f *function, p []local) {
		y, a, b, c, n := p[0], p[1], p[2], p[3], p[4]
		f.repeat(func() {
			f.do(store(y.get(), 0, f.multiplyAdd(load(a.get(), 0), load(b.get(), 0), load(c.get(), 0))))
			for _, l := range []local{y, a, b, c} {
				f.advance(l, number(16))
			}
			f.advance(n, number(-4))
		}, n.get())
	})
}

// The constants of ../../math.go. A test there compares the results with the Go functions
// bit for bit.
var (
	expTerms = []float32{0x1.6a23cep-10, 0x1.123a20p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2, 1, 1}
	erfP     = []float32{0x1.9ce4c8p-20, 0x1.c115d8p-13, 0x1.73be7ap-9, 0x1.44fc2ap-5, 0x1.2572fcp-3, 0x1.b25342p-1}
	erfQ     = []float32{0x1.dfe2ecp-16, 0x1.cabd84p-11, 0x1.711ab2p-7, 0x1.5f9a84p-4, 0x1.82a352p-2, 0x1.80e926p-1}
)

const (
	expHigh    = 89
	expLow     = -104
	log2E      = 0x1.715476p+0
	roundMagic = 0x1.8p23
	roundBits  = 0x4b400000 // the bits of roundMagic
	ln2High    = 0x1.62e4p-1
	ln2Low     = 0x1.7f7d1cp-20
	erfHigh    = 3.925 * 3.925
)

// polynomial returns the value at x of a polynomial with the given coefficients, highest
// degree first.
func (f *function) polynomial(x local, terms []float32) local {
	y := f.vec(all(terms[0]))
	for _, t := range terms[1:] {
		f.horner(y, x.get(), all(t))
	}
	return y
}

// exp is exp32 of package kernel. If x is NaN, so is the result, because fmin and fmax
// are their second operand when it is NaN.
func (f *function) exp(x expr) local {
	r := f.vec(fmax(all(expLow), fmin(all(expHigh), x)))
	shifted := f.vec(f.multiplyAdd(r.get(), all(log2E), all(roundMagic)))
	minus := f.vec(fsub(all(roundMagic), shifted.get()))
	f.fma(r, minus.get(), all(ln2High))
	f.fma(r, minus.get(), all(ln2Low))
	y := f.polynomial(r, expTerms)
	// 2ⁿ = 2^⌊n/2⌋ · 2^(n−⌊n/2⌋), both in the normal range; only the second product can
	// round.
	n := f.vec(isub(shifted.get(), allBits(roundBits)))
	half := f.vec(ishr(n.get(), 1))
	for _, e := range []expr{half.get(), isub(n.get(), half.get())} {
		f.set(y, fmul(y.get(), ishl(iadd(e, allBits(127)), 23)))
	}
	return y
}

// erf is erf32 of package kernel.
func (f *function) erf(x local) local {
	t := f.vec(fmin(all(erfHigh), fmul(x.get(), x.get())))
	p, q := f.polynomial(t, erfP), f.polynomial(t, erfQ)
	y := fdiv(fmul(x.get(), p.get()), q.get())
	return f.vec(fmax(all(-1), fmin(all(1), y)))
}

// logistic is 1/(1 + exp(minusX)).
func (f *function) logistic(minusX expr) local {
	return f.vec(fdiv(all(1), fadd(all(1), f.exp(minusX).get())))
}
