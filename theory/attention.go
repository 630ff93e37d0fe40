package theory

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/floats"
)

// Attention is the layer of attention that theory predicts from the process alone; it
// builds the constrained beliefs exactly. Its vectors are images under f, the linear map
// from a trained model's residual stream to the plane of the belief simplex (Piotrowski
// et al. 2025, Eq. 8–20). The image of a trained layer under f should therefore look like
// this layer. Positions count from 1 in equations and from 0 here.
type Attention struct {
	Positions, Alphabet, States int
	Heads                       []AttentionHead
	// Embeddings are f(x_pre), (positions, tokens, states): the residual stream before
	// attention, by position and token; Eq. 15.
	Embeddings []float64

	layer *Layer
}

// AttentionHead is one head of an [Attention].
type AttentionHead struct {
	// Pattern is A, (positions, positions): a row for each destination and a column for
	// each source; lower triangular, non-negative, rows summing to one; Eq. 13 and 20.
	Pattern []float64
	// OV are f(v), (positions, tokens, states): the vector that a token at a position
	// contributes, before attention multiplies it by a weight; Eq. 14, 18 and 19.
	OV []float64
}

// Attention returns a layer with [Heads].Belief heads and the given number of positions.
// It panics unless positions ≥ 1.
//
// Theory leaves some freedom. This layer makes these choices:
//
//   - The OV vectors v and the embeddings x have no part that depends on the position
//     alone. (The rows of attention sum to one, so v could contain such a part and the
//     embeddings could cancel its effect.) Eq. 11, 14 and 15 of the paper hold for the
//     parts of v and x that depend on the token, not for all of v and x.
//   - There is one head for each non-negative profile, a function of the lag n (see
//     [Spectrum.Heads]). Profiles e_i that change sign share heads |λ|ⁿ + Σ_i w_i·e_i(n),
//     where the w are the corners of a simplex. A negative eigenvalue thus has one head
//     for even and one for odd lags (Eq. 18 and 19), and a complex pair has heads for
//     three phases.
//   - Attention is scaled so that the weights of earlier positions sum to at most one in
//     every row. The remainder of a row goes to its diagonal, and the embedding adds what
//     is then missing at lag 0: f(x_m) = b(z) − π − Σ_h A_h(m, m)·f(v_m^h), where b(z) is
//     the belief after the single token z. This is Eq. 15 for any number of heads.
//   - For a profile λⁿ, 0 < λ < 1, the first position takes the remainder of each row
//     instead (an attention sink). A softmax over scores d·log λ reaches (1−λ)λⁿ, and the
//     first position's weight λ^{d−1} equals the total weight of all the sources that
//     could precede it. Rows then sum to one without a correction, embeddings are zero,
//     and A(2, 1) is 1/(1−λ) times A(m+1, m) elsewhere, with the first position's v
//     shorter by the same factor.
func (s *Spectrum) Attention(positions int) *Attention {
	if positions < 1 {
		panic(fmt.Sprintf("theory: attention over %d positions, want at least 1", positions))
	}
	l := s.layer
	a := &Attention{
		Positions: positions, Alphabet: l.a, States: l.n, layer: l,
		Embeddings: make([]float64, positions*l.a*l.n),
	}
	for _, head := range s.lagHeads(positions) {
		a.Heads = append(a.Heads, a.head(head))
	}
	for p := range positions {
		for z, source := range l.sources {
			if source == nil {
				continue
			}
			x := a.vector(a.Embeddings, p, z)
			floats.SubTo(x, source, l.pi)
			for _, head := range a.Heads {
				floats.AddScaled(x, -head.Pattern[p*positions+p], a.vector(head.OV, p, z))
			}
		}
	}
	return a
}

// Residual returns f(x_mid) + π after the last token of a sequence, by the formula of one
// layer of attention: the embedding of the token plus each head's contribution from each
// position up to and including the token's own (Eq. 9 and 16),
//
//	π + f(x_d) + Σ_h Σ_{s≤d} A_h(d, s)·f(v_s^h)
//
// which is the constrained belief. Residual returns an error if a token is outside the
// alphabet or never occurs. Residual panics when the sequence is longer than Positions.
func (a *Attention) Residual(sequence []int32) ([]float64, error) {
	if len(sequence) > a.Positions {
		panic(fmt.Sprintf("theory: Residual: the sequence has %d tokens, want at most %d, the layer's positions",
			len(sequence), a.Positions))
	}
	r := slices.Clone(a.layer.pi)
	for s, token := range sequence {
		z := int(token)
		if _, err := a.layer.source(sequence, s); err != nil {
			return nil, err
		}
		d := len(sequence) - 1
		if s == d {
			floats.Add(r, a.vector(a.Embeddings, s, z))
		}
		for _, head := range a.Heads {
			floats.AddScaled(r, head.Pattern[d*a.Positions+s], a.vector(head.OV, s, z))
		}
	}
	return r, nil
}

// vector returns the entries of a table for a position and a token, as a view.
func (a *Attention) vector(table []float64, position, token int) []float64 {
	at := (position*a.Alphabet + token) * a.States
	return table[at : at+a.States]
}

// lagHead is a head before its rows are normalised: attention as a function of the lag,
// and the vector that each token contributes.
type lagHead struct {
	lags    []float64   // [n]: the weight at lag n = 0 … positions−1
	vectors [][]float64 // [token]: one entry for each state
	decay   float64     // λ if the weights are λⁿ with 0 < λ < 1, else 0
}

// head makes a head's pattern over positions, whose rows sum to one, from its weights by
// lag. It scales the head's vectors accordingly.
func (a *Attention) head(l lagHead) AttentionHead {
	t := a.Positions
	head := AttentionHead{Pattern: make([]float64, t*t), OV: make([]float64, t*a.Alphabet*a.States)}
	for s := range t {
		scale := 1.0
		switch total := floats.Sum(l.lags); {
		case l.decay > 0 && s > 0:
			scale = 1 - l.decay
		case l.decay == 0 && total > 0: // total is 0 if the profile begins beyond the last position
			scale = 1 / total
		}
		for d := s + 1; d < t; d++ {
			head.Pattern[d*t+s] = scale * l.lags[d-s]
		}
		for z, v := range l.vectors {
			floats.AddScaled(a.vector(head.OV, s, z), 1/scale, v)
		}
	}
	for d := range t {
		head.Pattern[d*t+d] = max(0, 1-floats.Sum(head.Pattern[d*t:d*t+d]))
	}
	return head
}

// lagHeads lists the heads: one for each profile that keeps its sign, and q+1 for the q
// profiles that change sign. If one of the modes has a positive profile that dominates
// those q profiles, these q+1 heads represent that profile too.
func (s *Spectrum) lagHeads(positions int) []lagHead {
	var heads []lagHead
	var changing []profile
	base, shared := dominant(s.Modes, excited)
	basis := profiles(s.Modes, excited)
	for _, p := range basis {
		if p.changesSign() {
			changing = append(changing, p)
		}
	}
	for _, p := range basis {
		isBase := shared && p.k == 0 && p.mode.Eigenvalue == base.Eigenvalue
		if p.changesSign() || isBase && len(changing) > 0 {
			continue
		}
		head := lagHead{vectors: s.vectors(p)}
		for n := range positions {
			head.lags = append(head.lags, p.at(n))
		}
		if lambda := real(p.mode.Eigenvalue); p.k == 0 && lambda < 1 {
			head.decay = lambda
		}
		heads = append(heads, head)
	}
	if len(changing) == 0 {
		return heads
	}
	if !shared {
		return append(heads, s.sharedHeads(changing, envelope(changing, positions), s.zeroVectors())...)
	}
	return append(heads, s.sharedHeads(changing, belowBase(base, changing, positions), s.vectors(profile{mode: base}))...)
}

// dominated represents q profiles e_i as fractions of a profile that dominates them:
// e_i(n) = scale_i·relative_i(n)·whole(n) at each lag, where the vector of the q
// numbers relative_i(n) has a length of at most 1.
type dominated struct {
	whole    []float64   // (positions): whole(n)
	relative [][]float64 // (q, positions): relative_i(n)
	scale    []float64   // (q): scale_i
}

// envelope represents profiles as fractions of the root of the sum of their squares,
// after scaling each to at most 1. For a single λ < 0 and for a single complex pair, of
// index 1, this root is |λ|ⁿ.
func envelope(profiles []profile, positions int) dominated {
	d := newDominated(len(profiles), positions)
	for i, p := range profiles {
		for n := range positions {
			d.relative[i][n] = p.at(n)
		}
		d.scale[i] = p.largest(positions)
		floats.Scale(1/d.scale[i], d.relative[i])
	}
	for n := range positions {
		d.whole[n] = d.length(n)
		for i := range profiles {
			if d.whole[n] > 0 {
				d.relative[i][n] /= d.whole[n]
			}
		}
	}
	return d
}

// belowBase represents profiles as fractions of ρⁿ, the profile of base, a positive mode.
// No other mode decays more slowly.
func belowBase(base Mode, profiles []profile, positions int) dominated {
	d, radius := newDominated(len(profiles), positions), base.Modulus()
	for i, p := range profiles {
		// Take powers of λ/ρ, because both λⁿ and ρⁿ underflow to 0 at a long lag.
		p.mode.Eigenvalue /= complex(radius, 0)
		for n := range positions {
			d.relative[i][n] = p.at(n)
		}
		d.scale[i] = p.largest(positions)
		floats.Scale(1/d.scale[i], d.relative[i])
		d.scale[i] /= math.Pow(radius, float64(p.k))
	}
	longest := 0.0
	for n := range positions {
		d.whole[n] = math.Pow(radius, float64(n))
		longest = max(longest, d.length(n))
	}
	for i := range profiles {
		floats.Scale(1/longest, d.relative[i])
		d.scale[i] *= longest
	}
	return d
}

func newDominated(q, positions int) dominated {
	d := dominated{whole: make([]float64, positions), relative: make([][]float64, q), scale: make([]float64, q)}
	for i := range d.relative {
		d.relative[i] = make([]float64, positions)
	}
	return d
}

// length returns the length of the vector of the relative profiles at lag n.
func (d dominated) length(n int) float64 {
	square := 0.0
	for _, r := range d.relative {
		square += r[n] * r[n]
	}
	return math.Sqrt(square)
}

// sharedHeads returns the q+1 heads of q profiles e_i that change sign and of a profile g
// that dominates them; u_i and u are the vectors of e_i and g. With the corners w_h of a
// regular simplex, for which Σ_h w_h = 0 and Σ_h w_h w_hᵀ = (q+1)/q,
//
//	a_h(n) = g(n) + Σ_i w_hi·e_i(n)/scale_i ≥ 0,   v_h = u/(q+1) + q/(q+1)·Σ_i w_hi·scale_i·u_i
//
// add up to Σ_h a_h(n)·v_h = g(n)·u + Σ_i e_i(n)·u_i.
func (s *Spectrum) sharedHeads(changing []profile, d dominated, vectors [][]float64) []lagHead {
	q := len(changing)
	var heads []lagHead
	for _, corner := range simplexCorners(q) {
		head := lagHead{lags: make([]float64, len(d.whole)), vectors: s.zeroVectors()}
		for n := range head.lags {
			sum := 1.0
			for i, w := range corner {
				sum += w * d.relative[i][n]
			}
			head.lags[n] = max(0, sum) * d.whole[n]
		}
		for z := range head.vectors {
			floats.AddScaled(head.vectors[z], 1/float64(q+1), vectors[z])
		}
		for i, p := range changing {
			for z, v := range s.vectors(p) {
				floats.AddScaled(head.vectors[z], corner[i]*d.scale[i]*float64(q)/float64(q+1), v)
			}
		}
		heads = append(heads, head)
	}
	return heads
}

// vectors returns, for each token z, the coefficient (b(z) − π)N^k P of a profile. For a
// complex pair it is the sum over both eigenvalues. It is zero for a token that never
// occurs.
func (s *Spectrum) vectors(p profile) [][]float64 {
	list, l := s.zeroVectors(), s.layer
	part := make([]complex128, l.n)
	for z, source := range l.sources {
		if source == nil {
			continue
		}
		correction := floats.SubTo(make([]float64, len(part)), source, l.pi)
		for j, x := range linalg.VecMulComplex(part, correction, p.mode.Powers[p.k]) {
			list[z][j] = p.mode.sides() * real(x)
			if p.imaginary {
				list[z][j] = -p.mode.sides() * imag(x)
			}
		}
	}
	return list
}

func (s *Spectrum) zeroVectors() [][]float64 {
	list := make([][]float64, s.layer.a)
	for z := range list {
		list[z] = make([]float64, s.layer.n)
	}
	return list
}

// simplexCorners returns the q+1 corners of a regular simplex centred at the origin of
// q-dimensional space, each at distance 1 from it.
func simplexCorners(q int) [][]float64 {
	if q == 0 {
		return [][]float64{{}}
	}
	first := make([]float64, q)
	first[0] = 1
	corners := [][]float64{first}
	down := -1 / float64(q)
	for _, lower := range simplexCorners(q - 1) {
		corner := []float64{down}
		for _, x := range lower {
			corner = append(corner, math.Sqrt(1-down*down)*x)
		}
		corners = append(corners, corner)
	}
	return corners
}
