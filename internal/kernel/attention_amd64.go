package kernel

// headsKernels are kernels of attention for heads side by side: element e of head l, of
// 16, of a matrix is x[e*16+l]. They compute as many heads as a register has elements.
type headsKernels struct {
	width        int
	pattern      func(pattern, q, k, row *float32, T, dh int, scale float32)
	slopes       func(ds, pattern, dz, v, row *float32, T, dh int, scale float32)
	lower, upper func(c, a, b *float32, T, dh int)
}

var (
	heads512 = headsKernels{16, headsPatternAVX512, headsSlopesAVX512, headsLowerAVX512, headsUpperAVX512}
	heads256 = headsKernels{8, headsPatternAVX2, headsSlopesAVX2, headsLowerAVX2, headsUpperAVX2}
)

// currentHeads returns the kernels of the instruction set in use.
func currentHeads() *headsKernels {
	if isa.has512() {
		return &heads512
	}
	return &heads256
}

// headsFast runs AttentionHeads for n ≤ 16 heads side by side, if there is assembly, and
// reports whether it did. The first head has the given number.
func headsFast(z []float32, ldz int, pattern, q, k, v []float32, ld int, scratch []float32,
	s Heads, first, n int, scale float32,
) bool {
	if isa == generic {
		return false
	}
	kernels, T, d := currentHeads(), s.T, s.Width
	var at places
	at.find(s, first, n, ld, ldz)
	for lane := 0; lane < n; lane += kernels.width {
		m, p, row := s.matrices(scratch[lane:])
		gatherInputs(&m, q, k, v, &at.in[lane], ld, s)
		kernels.pattern(p[0], m[0], m[1], row, T, d, scale)
		kernels.lower(m[3], p[0], m[2], T, d)
		headsScatter(p[0], &pattern[0], &at.square[lane], 0, 1, T*T)
		headsScatter(m[3], &z[0], &at.out[lane], ldz, T, d)
	}
	return true
}

// headsBackwardFast runs AttentionHeadsBackward as headsFast runs AttentionHeads.
func headsBackwardFast(dq, dk, dv, dz []float32, ldz int, pattern, q, k, v []float32, ld int, scratch []float32,
	s Heads, first, n int, scale float32,
) bool {
	if isa == generic {
		return false
	}
	kernels, T, d := currentHeads(), s.T, s.Width
	var at places
	at.find(s, first, n, ld, ldz)
	for lane := 0; lane < n; lane += kernels.width {
		m, p, row := s.matrices(scratch[lane:])
		gatherInputs(&m, q, k, v, &at.in[lane], ld, s)
		headsGather(m[3], &dz[0], &at.out[lane], ldz, T, d)
		headsGather(p[0], &pattern[0], &at.square[lane], 0, 1, T*T)
		kernels.slopes(p[1], p[0], m[3], m[2], row, T, d, scale)
		kernels.lower(m[2], p[1], m[1], T, d) // each result replaces a matrix that is not read again
		kernels.upper(m[1], p[1], m[0], T, d)
		kernels.upper(m[0], p[0], m[3], T, d)
		headsScatter(m[2], &dq[0], &at.in[lane], ld, T, d)
		headsScatter(m[1], &dk[0], &at.in[lane], ld, T, d)
		headsScatter(m[0], &dv[0], &at.in[lane], ld, T, d)
	}
	return true
}

// places are where each of 16 heads begins: in q, k, v and their gradients, in z and dz,
// and in the pattern.
type places struct{ in, out, square [lanes]int }

// find finds the places of n heads, from the first on. ld and ldz are the leading
// dimensions of q and z. The last head is repeated up to 16: kernels compute it again,
// with the same result.
func (p *places) find(s Heads, first, n, ld, ldz int) {
	for l := range lanes {
		head := first + min(l, n-1)
		p.in[l], p.out[l], p.square[l] = s.at(head, ld), s.at(head, ldz), head*s.T*s.T
	}
}

// gatherInputs copies q, k and v of heads that begin at the given offsets to m[0], m[1]
// and m[2].
func gatherInputs(m *[4]*float32, q, k, v []float32, at *int, ld int, s Heads) {
	headsGather(m[0], &q[0], at, ld, s.T, s.Width)
	headsGather(m[1], &k[0], at, ld, s.T, s.Width)
	headsGather(m[2], &v[0], at, ld, s.T, s.Width)
}

// matrices cuts the scratch into four matrices (T,Width) of 16 heads, two (T,T), and a
// row of 16 elements.
func (s Heads) matrices(scratch []float32) (m [4]*float32, squares [2]*float32, row *float32) {
	at := 0
	for i := range m {
		m[i], at = &scratch[at], at+s.T*s.Width*lanes
	}
	for i := range squares {
		squares[i], at = &scratch[at], at+s.T*s.T*lanes
	}
	return m, squares, &scratch[at]
}

// headsGather copies rows of n ≥ 4 columns of matrices of single heads, whose first
// elements are at heads[at[l]] and which have leading dimension ld, to a matrix x of
// heads side by side. headsScatter copies them back. Neither is called through a
// variable, which would make the list of offsets escape.
func headsGather(x, heads *float32, at *int, ld, rows, n int) {
	if isa.has512() {
		headsGatherAVX512(x, heads, at, ld, rows, n)
	} else {
		headsGatherAVX2(x, heads, at, ld, rows, n)
	}
}

func headsScatter(x, heads *float32, at *int, ld, rows, n int) {
	if isa.has512() {
		headsScatterAVX512(x, heads, at, ld, rows, n)
	} else {
		headsScatterAVX2(x, heads, at, ld, rows, n)
	}
}

// The kernels, for each head: headsPattern is AttentionPattern, and headsSlopes computes
// dS of AttentionBackward, where row is scratch for 16 elements of each head. headsLower
// and headsUpper are lower and upper. dh is a multiple of four.

//go:noescape
func headsGatherAVX512(x, heads *float32, at *int, ld, rows, n int)

//go:noescape
func headsGatherAVX2(x, heads *float32, at *int, ld, rows, n int)

//go:noescape
func headsScatterAVX512(x, heads *float32, at *int, ld, rows, n int)

//go:noescape
func headsScatterAVX2(x, heads *float32, at *int, ld, rows, n int)

//go:noescape
func headsPatternAVX512(pattern, q, k, row *float32, T, dh int, scale float32)

//go:noescape
func headsPatternAVX2(pattern, q, k, row *float32, T, dh int, scale float32)

//go:noescape
func headsSlopesAVX512(ds, pattern, dz, v, row *float32, T, dh int, scale float32)

//go:noescape
func headsSlopesAVX2(ds, pattern, dz, v, row *float32, T, dh int, scale float32)

//go:noescape
func headsLowerAVX512(c, a, b *float32, T, dh int)

//go:noescape
func headsLowerAVX2(c, a, b *float32, T, dh int)

//go:noescape
func headsUpperAVX512(c, a, b *float32, T, dh int)

//go:noescape
func headsUpperAVX2(c, a, b *float32, T, dh int)
