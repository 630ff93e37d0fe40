package kernel

// Heads is the shape of attention with several heads over several sequences of T
// positions. q, k, v and z are matrices of Sequences·T rows, in which each head has Width
// columns; the columns of the first head come first.
type Heads struct{ Sequences, Heads, T, Width int }

// count returns the number of heads of all sequences.
func (s Heads) count() int { return s.Sequences * s.Heads }

// at returns where head i of all sequences begins in a matrix with leading dimension ld.
func (s Heads) at(i, ld int) int { return i/s.Heads*s.T*ld + i%s.Heads*s.Width }

// check panics unless slices of the given lengths hold the pattern, the scratch and a
// matrix with leading dimension ld.
func (s Heads) check(pattern, scratch, matrix, ld int) {
	checkHead("AttentionHeads", s.Width)
	checkMatrix("AttentionHeads: pattern", pattern, s.count(), s.T*s.T, s.T*s.T)
	checkLen("AttentionHeads: scratch", scratch, headScratch(s.T, s.Width))
	checkMatrix("AttentionHeads: a matrix", matrix, s.Sequences*s.T, s.Heads*s.Width, ld)
}

// AttentionHeads is [Attention] for each head of each sequence. The pattern is
// (Sequences,Heads,T,T), and its masked halves are unspecified afterwards.
func AttentionHeads[F Float](z []F, ldz int, pattern, q, k, v []F, ld int, scratch []F, s Heads, scale F) {
	s.check(len(pattern), len(scratch), len(z), ldz)
	s.check(len(pattern), len(scratch), min(len(q), len(k), len(v)), ld)
	s.each(func(first, n int) {
		if single[F]() && s.narrow(n, len(scratch)) && headsFast(f32(z), ldz, f32(pattern), f32(q), f32(k), f32(v), ld,
			f32(scratch), s, first, n, float32(scale)) {
			return
		}
		for i := first; i < first+n; i++ {
			at := s.at(i, ld)
			Attention(z[s.at(i, ldz):], ldz, pattern[i*s.T*s.T:], nil, q[at:], k[at:], v[at:], ld,
				scratch, s.T, s.Width, scale)
		}
	})
}

// AttentionHeadsBackward is [AttentionBackward] for each head of each sequence.
func AttentionHeadsBackward[F Float](dq, dk, dv []F, dz []F, ldz int, pattern, q, k, v []F, ld int,
	scratch []F, s Heads, scale F,
) {
	s.check(len(pattern), len(scratch), len(dz), ldz)
	s.check(len(pattern), len(scratch), min(len(dq), len(dk), len(dv), len(q), len(k), len(v)), ld)
	s.each(func(first, n int) {
		if single[F]() && s.narrow(n, len(scratch)) && headsBackwardFast(f32(dq), f32(dk), f32(dv), f32(dz), ldz,
			f32(pattern), f32(q), f32(k), f32(v), ld, f32(scratch), s, first, n, float32(scale)) {
			return
		}
		for i := first; i < first+n; i++ {
			at := s.at(i, ld)
			AttentionBackward(dq[at:], dk[at:], dv[at:], dz[s.at(i, ldz):], ldz, pattern[i*s.T*s.T:],
				q[at:], k[at:], v[at:], ld, scratch, s.T, s.Width, scale)
		}
	})
}

// each calls f for the heads of all sequences, up to 16 at a time: n of them from the
// first on.
func (s Heads) each(f func(first, n int)) {
	for first := 0; s.T > 0 && first < s.count(); first += lanes {
		f(first, min(lanes, s.count()-first))
	}
}

// narrow reports whether assembly computes n ≤ 16 heads side by side: each element of a
// register belongs to another head. That takes as long for one head as for 16. On Zen 4,
// 16 heads take 0.1 to 0.7 times as long as one after the other; at twice the bound on
// T²·Width they take 0.9 times as long. If sequences are shorter than those for which
// the scratch was made, it may be too small.
func (s Heads) narrow(n, scratch int) bool {
	return 2 <= s.T && s.T <= lanes && s.Width%4 == 0 && s.T*s.T*s.Width <= 8*n*n && scratch >= s.sideSize()
}

// sideScratch is the number of scratch elements for 16 heads side by side, or 0 if they
// are too wide.
func (s Heads) sideScratch() int {
	if size := s.sideSize(); s.narrow(lanes, size) {
		return size
	}
	return 0
}

// sideSize is the number of elements in four matrices (T,Width) and two (T,T) of 16
// heads, and in a row of 16 elements of each.
func (s Heads) sideSize() int { return lanes * (4*s.T*s.Width + 2*s.T*s.T + lanes) }
