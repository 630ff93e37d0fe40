package theory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"foretell/internal/kept"
	"foretell/internal/linalg"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// predictable is the fraction of a variance below which the variance of its residual is
// treated as zero. Rounding alone leaves about 1e-15.
const predictable = 1e-12

// LinearFilter is the linear least-squares filter of a process (Wiener 1949, Kalman
// 1960). Among all sums of functions of (position, token),
//
//	ŝ_d = c_d + Σ_{s=1…d} v_d(s, z_s)
//
// it is the one that is closest to the belief in mean square over sequences, at each
// position d. One layer of attention whose patterns do not depend on the tokens can build
// such sums, with any number of heads. The constrained belief of Piotrowski et al. 2025,
// Eq. 26, is another of these sums. It adds up the information that each token carries by
// itself. Information that several correlated tokens share is therefore counted once for
// each of them. The constrained belief equals the filter if tokens are independent;
// otherwise it is not "the best possible parallel approximation" (their Sec. 4.3).
//
// With the hidden state S_d as a one-hot vector, the belief is E[S_d | z_1 … z_d], so the
// filter is also the projection of the state itself on the token indicators Y_1 … Y_d,
// and depends on second moments alone:
//
//	Cov(Y_s = y, Y_t = z) = πT^y T^{t−s−1} T^z r − p_y p_z,   Cov(Y_s = z, S_d) = πT^z T^{d−s} − p_z π
//
// with p_z = πT^z r. With the innovations ε_d = Y_d − ŝ_{d−1}E, E[i, z] = Pr(z | i),
//
//	ŝ_d = ŝ_{d−1}T + ε_d K_d,   K_d = Cov(ε_d)⁺ Cov(ε_d, S_d)
//	Cov(ε_d) = Cov(Y) − EᵀΣ_{d−1}E,   Cov(ε_d, S_d) = Cov(Y_d, S_d) − EᵀΣ_{d−1}T
//	Σ_d = TᵀΣ_{d−1}T + K_dᵀ Cov(ε_d) K_d
//
// where Σ_d is the covariance of ŝ_d over sequences, and Σ_0 = 0: like the process, the
// filter starts from π. This form of the Riccati equation is in the covariance of the
// estimate rather than of its error. It does not need the variance of the state, so it
// also holds for a generalised HMM, whose beliefs are not probabilities. The inverse is
// a pseudo-inverse, because one-hot tokens sum to one, some tokens can be predicted
// exactly, and some never occur. A direction counts as predicted exactly if less than
// 1e-12 of a token's variance is new.
//
// [Layer.LinearFilter] returns it. It is safe for concurrent use.
type LinearFilter struct {
	layer *Layer

	once   sync.Once  // guards the moments, whose memory grows as A²
	tokens []float64  // (A, A): Cov(Y_d)
	joint  *mat.Dense // (A, n): Cov(Y_d, S_d)

	mu    sync.Mutex
	steps []linearStep // [position−1], as far as computed, at most until they repeat
	cycle int          // the number of last steps that repeat forever, or 0 if not known yet

	steady kept.Result[*SteadyFilter]
}

// linearStep is the filter at one position d; see [LinearFilter] for the symbols.
type linearStep struct {
	gain       []float64  // (A, n): K_d
	transfer   []float64  // (n, n): F_d = T − E K_d
	covariance *mat.Dense // (n, n): Σ_d
}

// LinearFilter returns the linear least-squares filter of the process. The filter
// computes its steps on demand, and all calls return the same filter.
func (l *Layer) LinearFilter() *LinearFilter { return l.filter }

// moments returns Cov(Y_d), (A, A), and Cov(Y_d, S_d), (A, n). The first call computes
// them.
func (f *LinearFilter) moments() (tokens []float64, joint *mat.Dense) {
	f.once.Do(f.computeMoments)
	return f.tokens, f.joint
}

func (f *LinearFilter) computeMoments() {
	l := f.layer
	n, a := l.n, l.a
	f.tokens, f.joint = make([]float64, a*a), mat.NewDense(a, n, nil)
	p := linalg.VecMul(make([]float64, a), l.pi, l.emission)
	for z := range a {
		for y := range a {
			f.tokens[z*a+y] = -p[z] * p[y]
		}
		f.tokens[z*a+z] = p[z] * (1 - p[z])
		row := linalg.VecMul(f.joint.RawRowView(z), l.pi, l.h.Transition(z))
		for j, q := range l.pi {
			if row[j] -= p[z] * q; math.Abs(row[j]) <= predictable*math.Abs(p[z]*q) {
				row[j] = 0 // a token without information must not contribute rounding errors
			}
		}
	}
}

// Linear returns the linear belief of length n after a sequence: the estimate by the
// [LinearFilter], to compare with the constrained belief of [process.HMM.Constrained].
// Entries sum to one but may be negative. It is defined if all tokens of the sequence
// occur at all, and is π for the empty sequence. It returns an error if a token is
// outside the alphabet or never occurs, or if ctx ends.
func (l *Layer) Linear(ctx context.Context, sequence []int32) ([]float64, error) {
	belief := slices.Clone(l.pi)
	err := l.followLinear(ctx, sequence, func(row []float64) { copy(belief, row) })
	if err != nil {
		return nil, err
	}
	return belief, nil
}

// LinearAlong returns the linear belief after each prefix of a sequence: row t, of length
// n, is Linear(sequence[:t]), for t = 0 … len(sequence).
func (l *Layer) LinearAlong(ctx context.Context, sequence []int32) ([][]float64, error) {
	rows := [][]float64{slices.Clone(l.pi)}
	err := l.followLinear(ctx, sequence, func(row []float64) { rows = append(rows, slices.Clone(row)) })
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// followLinear calls report with the linear belief after each token of a sequence.
func (l *Layer) followLinear(ctx context.Context, sequence []int32, report func(row []float64)) error {
	f, s := l.LinearFilter(), slices.Clone(l.pi)
	next := make([]float64, len(s))
	for at, z := range sequence {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := l.source(sequence, at); err != nil {
			return err
		}
		f.advance(next, s, at+1, int(z))
		s, next = next, s
		report(s)
	}
	return nil
}

// advance sets dst to the linear belief after token z at a position; s is the linear
// belief before the token.
func (f *LinearFilter) advance(dst, s []float64, position, z int) {
	n := len(s)
	step := f.step(position)
	linalg.VecMul(dst, s, step.transfer)
	floats.Add(dst, step.gain[z*n:(z+1)*n])
}

// Gain returns a copy of K_d at a position d ≥ 1, (A, n) and row-major: the
// contribution of a token to the linear belief beyond what the earlier tokens predict.
// Since innovations sum to zero over tokens, adding the same vector to all rows changes
// nothing. It panics when position is less than 1.
func (f *LinearFilter) Gain(position int) []float64 { return slices.Clone(f.step(position).gain) }

// Transfer returns a copy of F_d = T − EK_d at a position d ≥ 1, (n, n) and row-major:
// ŝ_d = ŝ_{d−1}F_d + K_d[z_d]. It panics when position is less than 1.
func (f *LinearFilter) Transfer(position int) []float64 {
	return slices.Clone(f.step(position).transfer)
}

// Covariance returns a copy of Σ_d at a position d ≥ 1, (n, n) and row-major: the
// covariance of the linear belief over sequences. The covariance between the linear
// belief and the belief is the same, and so is the covariance between the linear belief
// and the state. The trace of Σ_d is the variance that the filter explains. It panics
// when position is less than 1.
func (f *LinearFilter) Covariance(position int) []float64 {
	return slices.Clone(f.step(position).covariance.RawMatrix().Data)
}

// Weights returns the contribution of each token at position source to the linear belief
// at position destination, (A, n) and row-major: v_d(s, z) = K_s[z] F_{s+1} … F_d. It is
// determined only up to a vector that is the same for all tokens. It panics unless 1 ≤
// source ≤ destination.
func (f *LinearFilter) Weights(destination, source int) []float64 {
	if source > destination {
		panic(fmt.Sprintf("theory: Weights: source %d is after destination %d, want source ≤ destination",
			source, destination))
	}
	n, a := f.layer.n, f.layer.a
	weights, next := f.Gain(source), make([]float64, a*n)
	for position := source + 1; position <= destination; position++ {
		transfer := f.step(position).transfer
		for z := range a {
			linalg.VecMul(next[z*n:(z+1)*n], weights[z*n:(z+1)*n], transfer)
		}
		weights, next = next, weights
	}
	return weights
}

// step returns the filter at a position, counted from 1.
func (f *LinearFilter) step(position int) linearStep {
	if position < 1 {
		panic(fmt.Sprintf("theory: the linear filter has no position %d, want at least 1", position))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.steps) < position && f.cycle == 0 {
		before := mat.NewDense(f.layer.n, f.layer.n, nil)
		if len(f.steps) > 0 {
			before = f.steps[len(f.steps)-1].covariance
		}
		step := f.next(before)
		f.cycle = f.cameBack(step)
		f.steps = append(f.steps, step)
	}
	if over := position - len(f.steps); over > 0 {
		return f.steps[len(f.steps)-f.cycle+(over-1)%f.cycle]
	}
	return f.steps[position-1]
}

// longestCycle bounds the number of earlier steps with which a step is compared: a filter
// that has settled up to rounding alternates between a few values of its last bits.
const longestCycle = 16

// cameBack returns how many steps ago the covariance was exactly the same, or 0 if no
// recent step had it. The covariance determines all later steps.
func (f *LinearFilter) cameBack(step linearStep) int {
	for back := 1; back <= min(longestCycle, len(f.steps)); back++ {
		if mat.Equal(f.steps[len(f.steps)-back].covariance, step.covariance) {
			return back
		}
	}
	return 0
}

// next returns the filter one position after the filter with covariance sigma.
func (f *LinearFilter) next(sigma *mat.Dense) linearStep {
	n, a := f.layer.n, f.layer.a
	net, emission := mat.NewDense(n, n, f.layer.net), mat.NewDense(n, a, f.layer.emission)
	tokens, ofState := f.moments()
	var known, foreseen, innovation, joint mat.Dense
	known.Mul(emission.T(), sigma)
	foreseen.Mul(&known, emission)
	innovation.Sub(mat.NewDense(a, a, tokens), &foreseen)
	joint.Mul(&known, net)
	joint.Sub(ofState, &joint)

	step := linearStep{
		gain:       make([]float64, a*n),
		transfer:   make([]float64, n*n),
		covariance: mat.NewDense(n, n, nil),
	}
	transfer := mat.NewDense(n, n, step.transfer)
	var carried mat.Dense
	carried.Mul(net.T(), sigma)
	step.covariance.Mul(&carried, net)
	transfer.Copy(net)
	white := whitening(&innovation, tokens)
	if white == nil {
		return step
	}
	var told, added, taken mat.Dense
	told.Mul(white.T(), &joint)
	gain := mat.NewDense(a, n, step.gain)
	gain.Mul(white, &told)
	added.Mul(told.T(), &told)
	step.covariance.Add(step.covariance, &added)
	taken.Mul(emission, gain)
	transfer.Sub(transfer, &taken)
	return step
}

// whitening returns W, (k, rank), with WᵀMW = 1 and WWᵀ = M⁺, or nil if the rank is 0. M
// is a residual covariance. Its rank is determined relative to the original variances,
// which are the diagonal of scale, (k, k).
func whitening(m *mat.Dense, scale []float64) *mat.Dense {
	k, _ := m.Dims()
	unit, scaled := make([]float64, k), mat.NewSymDense(k, nil)
	for i := range k {
		if v := scale[i*k+i]; v > 0 {
			unit[i] = 1 / math.Sqrt(v)
		}
	}
	for i := range k {
		for j := i; j < k; j++ {
			scaled.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2*unit[i]*unit[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		panic("theory: the eigenvalues of a symmetric matrix did not converge")
	}
	values := eigen.Values(nil) // ascending
	first, _ := slices.BinarySearch(values, predictable)
	if first == k {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	white := mat.NewDense(k, k-first, nil)
	for i := range k {
		for j := first; j < k; j++ {
			white.Set(i, j-first, unit[i]*vectors.At(i, j)/math.Sqrt(values[j]))
		}
	}
	return white
}
