package theory

import (
	"cmp"
	"context"
	"math"
	"math/cmplx"
	"slices"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/cmplxs"
)

const (
	// sameEigenvalue is the distance up to which computed eigenvalues count as equal, or
	// as equal to 0 or 1.
	sameEigenvalue = 1e-10
	// worstProjector is the norm above which a projector has lost too many digits, and its
	// eigenvalues are grouped with their neighbours. The eigenvalues of a Jordan block of
	// size k are computed as a ring with a radius of about the k-th root of 1e-16; their
	// separate projectors have norms of 1e8 and more.
	worstProjector = 1e5
	// vanished is the norm up to which a power of a nilpotent counts as zero.
	vanished = 1e-10
)

// cluster is a group of eigenvalues that count as one.
type cluster struct {
	values []complex128 // closed under conjugation, or all with Im > 0
	// projector is the spectral projector of the group, n×n. A group with Im > 0 has a
	// mirror image: the conjugate eigenvalues, with the conjugate projector.
	projector []complex128
}

// clusters groups the eigenvalues. It first merges equal ones. Then it repeatedly merges
// the group with the worst projector and its nearest neighbour, until all projectors are
// well-conditioned (Bavely and Stewart 1979). clusters returns an error if ctx ends.
func clusters(ctx context.Context, schur *linalg.Schur) ([]cluster, error) {
	var groups [][]complex128
	for _, v := range schur.Eigenvalues {
		if imag(v) >= 0 {
			groups = append(groups, []complex128{v})
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b, d := nearest(groups)
		if d > sameEigenvalue {
			break
		}
		groups = merge(groups, a, b)
	}
	list := make([]cluster, len(groups))
	for k, group := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list[k] = cluster{group, projectorOf(schur, group)}
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		worst, norm := 0, 0.0
		for k, c := range list {
			if size := cmplxs.Norm(c.projector, 2); !(size <= norm) {
				worst, norm = k, size
			}
		}
		if norm <= worstProjector || len(groups) == 1 && !mirrored(groups[0]) {
			return list, nil
		}
		other := neighbour(groups, worst)
		groups = merge(groups, worst, other)
		if other != worst { // the merged group replaces worst, whose index drops if other precedes it
			list = slices.Delete(list, other, other+1)
		}
		if other < worst {
			worst--
		}
		list[worst] = cluster{groups[worst], projectorOf(schur, groups[worst])}
	}
}

// nearest returns the two groups with the least distance, and this distance; a group and
// its own mirror image count as two groups.
func nearest(groups [][]complex128) (a, b int, d float64) {
	d = math.Inf(1)
	for k := range groups {
		l := neighbour(groups, k)
		if e := groupDistance(groups, k, l); e < d {
			a, b, d = k, l, e
		}
	}
	return a, b, d
}

// neighbour returns the group nearest to group k, which is k itself if its mirror image
// is nearest.
func neighbour(groups [][]complex128, k int) int {
	best := k
	for l := range groups {
		if groupDistance(groups, k, l) < groupDistance(groups, k, best) {
			best = l
		}
	}
	return best
}

// groupDistance returns the least distance between an eigenvalue of group k and an
// eigenvalue of group l or its mirror image. For l = k it is the distance between group k
// and its mirror image, or infinity if the group is its own mirror image.
func groupDistance(groups [][]complex128, k, l int) float64 {
	if k == l && !mirrored(groups[k]) {
		return math.Inf(1)
	}
	d := math.Inf(1)
	for _, v := range groups[k] {
		for _, w := range groups[l] {
			d = min(d, cmplx.Abs(v-cmplx.Conj(w)))
			if k != l {
				d = min(d, cmplx.Abs(v-w))
			}
		}
	}
	return d
}

// merge joins two groups. Groups with Im > 0 stay separate from their mirror images,
// unless a group is joined to its own mirror image or to a group that is its own mirror
// image.
func merge(groups [][]complex128, a, b int) [][]complex128 {
	joined := slices.Clone(groups[a])
	if a == b {
		joined = withMirror(joined)
	} else {
		x, y := groups[a], groups[b]
		if mirrored(x) != mirrored(y) {
			x, y = withMirror(x), withMirror(y)
		}
		joined = slices.Concat(x, y)
	}
	groups = slices.Clone(groups)
	groups[a] = joined
	if a != b {
		groups = slices.Delete(groups, b, b+1)
	}
	return groups
}

// mirrored reports whether a group is above the real axis, so that its mirror image is
// a different group.
func mirrored(group []complex128) bool {
	return !slices.ContainsFunc(group, func(v complex128) bool { return imag(v) <= 0 })
}

// withMirror returns a group together with its mirror image.
func withMirror(group []complex128) []complex128 {
	if !mirrored(group) {
		return group
	}
	both := slices.Clone(group)
	for _, v := range group {
		both = append(both, cmplx.Conj(v))
	}
	return both
}

// projectorOf returns the spectral projector of a group.
func projectorOf(schur *linalg.Schur, group []complex128) []complex128 {
	selected := make([]bool, len(schur.Eigenvalues))
	for i, v := range schur.Eigenvalues {
		selected[i] = slices.Contains(group, v)
	}
	p := schur.Projector(selected)
	if !mirrored(group) {
		for i, x := range p {
			p[i] = complex(real(x), 0)
		}
	}
	return p
}

// mode makes a mode from a group of eigenvalues. ok is false if no power of its
// nilpotent part vanishes: the eigenvalues are then not equal.
func (l *Layer) mode(c cluster) (m Mode, ok bool) {
	n := l.n
	m.Multiplicity = len(c.values)
	m.Eigenvalue = centre(c.values)
	power := c.projector
	for range 2 * n {
		m.Powers = append(m.Powers, power)
		m.Index = len(m.Powers)
		if m.Multiplicity == 1 {
			return m, true // (T − λ)P would be zero up to rounding
		}
		next := make([]complex128, n*n) // (T − λ)·power
		row := make([]complex128, n)
		for i := range n {
			linalg.VecMulComplex(row, l.net[i*n:(i+1)*n], power)
			for j, x := range row {
				next[i*n+j] = x - m.Eigenvalue*power[i*n+j]
			}
		}
		if cmplxs.Norm(next, 2) <= vanished {
			return m, true
		}
		power = next
	}
	return m, false
}

// centre returns the mean of a group, or exactly 0 or 1 if the mean equals it up to
// sameEigenvalue.
func centre(group []complex128) complex128 {
	sum := complex128(0)
	for _, v := range group {
		sum += v
	}
	if !mirrored(group) {
		sum = complex(real(sum), 0)
	}
	mean := sum / complex(float64(len(group)), 0)
	for _, exact := range []complex128{0, 1} {
		if cmplx.Abs(mean-exact) <= sameEigenvalue {
			return exact
		}
	}
	return mean
}

// compareModes orders by modulus, greatest first, and then by phase if the moduli agree
// to nine digits.
func compareModes(a, b Mode) int {
	digits := func(m Mode) float64 { return math.Round(1e9 * m.Modulus()) }
	return cmp.Or(cmp.Compare(digits(b), digits(a)), cmp.Compare(a.Phase(), b.Phase()))
}
