package model

import "foretell/internal/portable"

// rotary rotates queries and keys by their positions (Su et al., RoFormer, 2021). Element
// j of the first half of a head and element j of its second half are the coordinates of a
// plane, which is rotated by the angle p·ω_j at position p,
//
//	a' = a·cos(pω_j) − b·sin(pω_j),  b' = b·cos(pω_j) + a·sin(pω_j),  ω_j = 10000^(−2j/h),
//
// so q·k depends on the positions only through their distance. Pairing the two halves is
// the default of GPT-NeoX and TransformerLens.
type rotary[F Float] struct {
	half     int // half the width of a head, h/2
	cos, sin []F // shape (n_ctx, h/2)
}

func newRotary[F Float](nCtx, width int) *rotary[F] {
	r := &rotary[F]{half: width / 2, cos: make([]F, nCtx*width/2), sin: make([]F, nCtx*width/2)}
	for p := range nCtx {
		for j := range r.half {
			frequency := portable.Exp(-ln10000 * float64(2*j) / float64(width))
			sin, cos := portable.Sincos(float64(p) * frequency)
			r.cos[p*r.half+j], r.sin[p*r.half+j] = F(cos), F(sin)
		}
	}
	return r
}

// turn rotates the consecutive heads in x by the angles of a position. If back is set, it
// rotates in the other direction, for the backward pass.
func (r *rotary[F]) turn(x []F, position int32, back bool) {
	cos, sin := r.cos[int(position)*r.half:][:r.half], r.sin[int(position)*r.half:][:r.half]
	for ; len(x) > 0; x = x[2*r.half:] {
		first, second := x[:r.half], x[r.half:2*r.half]
		for j, c := range cos {
			s := sin[j]
			if back {
				s = -s
			}
			a, b := first[j], second[j]
			first[j], second[j] = F(a*c)-F(b*s), F(b*c)+F(a*s)
		}
	}
}

// rotate rotates the queries and keys in qkv. If back is set, qkv holds their gradients,
// and it rotates in the other direction.
func rotate[F Float](at *attention, w *Workspace[F], r *rotary[F], qkv []F, back bool) {
	n := at.heads * at.width
	step := w.step()
	for row := range w.sources {
		position := w.positionIDs[row]
		if (row+1)%step == 0 { // a narrowed pass computes only these queries
			r.turn(qkv[row*3*n:row*3*n+n], position, back)
		}
		r.turn(qkv[row*3*n+n:row*3*n+2*n], position, back)
	}
}
