package fit

import (
	"context"
	"math"

	"foretell/internal/portable"
)

const (
	// kept is the number of entries of forward vectors that a pass keeps: 32 MiB.
	kept = 1 << 22
	// A forward vector is multiplied by 2^octaves where its sum falls below 2^−octaves.
	// Factors that are powers of two change no digit.
	octaves = 64
	grow    = 1 << octaves
	small   = 1.0 / grow
)

// expected is what one model expects of a sequence.
type expected struct {
	logLikelihood float64
	// counts are in the place of a model's numbers: for each edge the expected number of
	// uses, for each state the probability that it was the start.
	counts *model
}

// pass is the workspace of passes over a sequence.
type pass struct {
	sequence []int32
	block    int       // tokens whose forward vectors are kept
	forward  []float64 // [t·n + i]: the forward vector before token t of the block
	grown    []int32   // the tokens of the block at which the forward vector was multiplied
	last     []float64 // the forward vector after the block
	back     []float64
}

func newPass(sequence []int32) *pass { return &pass{sequence: sequence} }

// fits prepares the workspace for models of n states.
func (w *pass) fits(n int) {
	if len(w.last) == n {
		return
	}
	w.block = min(len(w.sequence), max(1, kept/n))
	w.forward = make([]float64, w.block*n)
	w.last, w.back = make([]float64, n), make([]float64, 2*n)
}

// likelihood returns the log-likelihood of m, −Inf if m cannot make the sequence.
func (w *pass) likelihood(ctx context.Context, m *model) (float64, error) {
	logLikelihood, _, err := w.ahead(ctx, m)
	return logLikelihood, err
}

// ahead passes over the sequence, and returns the forward vector before each block. The
// last block's vectors are kept.
func (w *pass) ahead(ctx context.Context, m *model) (logLikelihood float64, checkpoints [][]float64, err error) {
	w.fits(m.n)
	copy(w.last, m.start)
	multiplied := 0
	for from := 0; from < len(w.sequence); from += w.block {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		checkpoints = append(checkpoints, append([]float64(nil), w.last...))
		if !w.forwardBlock(m, from) {
			return math.Inf(-1), nil, nil
		}
		multiplied += len(w.grown)
	}
	sum := 0.0
	for _, p := range w.last {
		sum += p
	}
	return portable.Log(sum) - float64(float64(multiplied)*(octaves*math.Ln2)), checkpoints, nil
}

// expect returns what m expects of the sequence; counts is nil if m cannot make it.
func (w *pass) expect(ctx context.Context, m *model) (*expected, error) {
	logLikelihood, checkpoints, err := w.ahead(ctx, m)
	if err != nil || math.IsInf(logLikelihood, -1) {
		return &expected{logLikelihood: logLikelihood}, err
	}
	e := &expected{logLikelihood, newModel(m.k, m.a)}
	sum := 0.0
	for _, p := range w.last {
		sum += p
	}
	for i := range m.n {
		w.back[i] = 1 / sum
	}
	for at := len(checkpoints) - 1; at >= 0; at-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if at < len(checkpoints)-1 {
			copy(w.last, checkpoints[at])
			w.forwardBlock(m, at*w.block)
		}
		w.backwardBlock(m, e.counts, at*w.block)
	}
	for i, p := range m.t {
		e.counts.t[i] *= p
	}
	for i, p := range m.start {
		e.counts.start[i] = p * w.back[i]
	}
	return e, nil
}

// tokens returns the block of the sequence that starts at from.
func (w *pass) tokens(from int) []int32 {
	return w.sequence[from:min(from+w.block, len(w.sequence))]
}

// forwardBlock fills forward with the vectors v ← vT^x of a block. It returns false if
// they become 0.
func (w *pass) forwardBlock(m *model, from int) bool {
	w.grown = w.grown[:0]
	if m.n == 4 {
		return w.forwardFour(m, from)
	}
	n, v := m.n, w.last
	for t, x := range w.tokens(from) {
		before := w.forward[t*n:][:n]
		copy(before, v)
		clear(v)
		for i, p := range before {
			row := m.t[(int(x)*n+i)*n:][:n]
			for j, q := range row {
				v[j] += float64(p * q)
			}
		}
		sum := 0.0
		for _, p := range v {
			sum += p
		}
		if sum == 0 {
			return false
		}
		for ; sum < small; sum *= grow {
			for j := range v {
				v[j] *= grow
			}
			w.grown = append(w.grown, int32(t))
		}
	}
	return true
}

// forwardFour is forwardBlock for four states.
func (w *pass) forwardFour(m *model, from int) bool {
	v := [4]float64(w.last)
	for t, x := range w.tokens(from) {
		*(*[4]float64)(w.forward[4*t:]) = v
		r := (*[16]float64)(m.t[16*int(x):])
		a := (float64(v[0]*r[0]) + float64(v[1]*r[4])) + (float64(v[2]*r[8]) + float64(v[3]*r[12]))
		b := (float64(v[0]*r[1]) + float64(v[1]*r[5])) + (float64(v[2]*r[9]) + float64(v[3]*r[13]))
		c := (float64(v[0]*r[2]) + float64(v[1]*r[6])) + (float64(v[2]*r[10]) + float64(v[3]*r[14]))
		d := (float64(v[0]*r[3]) + float64(v[1]*r[7])) + (float64(v[2]*r[11]) + float64(v[3]*r[15]))
		for sum := (a + b) + (c + d); sum < small; sum *= grow {
			if sum == 0 {
				return false
			}
			a, b, c, d = a*grow, b*grow, c*grow, d*grow
			w.grown = append(w.grown, int32(t))
		}
		v = [4]float64{a, b, c, d}
	}
	copy(w.last, v[:])
	return true
}

// backwardBlock adds to counts, for each token x of a block, the forward vector before it
// times the backward vector u after it, and continues with u ← T^x u.
func (w *pass) backwardBlock(m, counts *model, from int) {
	if m.n == 4 {
		w.backwardFour(m, counts, from)
		return
	}
	n, tokens := m.n, w.tokens(from)
	u, next := w.back[:n], w.back[n:]
	for t := len(tokens) - 1; t >= 0; t-- {
		for ; w.grewAt(t); w.grown = w.grown[:len(w.grown)-1] {
			for j := range u {
				u[j] *= grow
			}
		}
		at := int(tokens[t]) * n * n
		for i, p := range w.forward[t*n:][:n] {
			row, to := m.t[at+i*n:][:n], counts.t[at+i*n:][:n]
			sum := 0.0
			for j, q := range u {
				to[j] += float64(p * q)
				sum += float64(row[j] * q)
			}
			next[i] = sum
		}
		copy(u, next)
	}
}

// grewAt reports whether the last of the remaining multiplications was at token t of the
// block.
func (w *pass) grewAt(t int) bool {
	return len(w.grown) > 0 && int(w.grown[len(w.grown)-1]) == t
}

// backwardFour is backwardBlock for four states.
func (w *pass) backwardFour(m, counts *model, from int) {
	tokens := w.tokens(from)
	u := [4]float64(w.back)
	for t := len(tokens) - 1; t >= 0; t-- {
		for ; w.grewAt(t); w.grown = w.grown[:len(w.grown)-1] {
			u = [4]float64{u[0] * grow, u[1] * grow, u[2] * grow, u[3] * grow}
		}
		v := (*[4]float64)(w.forward[4*t:])
		r, to := (*[16]float64)(m.t[16*int(tokens[t]):]), (*[16]float64)(counts.t[16*int(tokens[t]):])
		var next [4]float64
		for i, p := range v {
			to[4*i] += float64(p * u[0])
			to[4*i+1] += float64(p * u[1])
			to[4*i+2] += float64(p * u[2])
			to[4*i+3] += float64(p * u[3])
			next[i] = (float64(r[4*i]*u[0]) + float64(r[4*i+1]*u[1])) +
				(float64(r[4*i+2]*u[2]) + float64(r[4*i+3]*u[3]))
		}
		u = next
	}
	copy(w.back, u[:])
}
