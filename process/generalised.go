package process

import (
	"fmt"
	"math"
	"math/rand/v2"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// negligible is the largest probability of a token that a generalised HMM treats as
// impossible. Its probabilities are sums of terms of either sign, for which rounding
// leaves about 1e-16 where the exact sum is 0.
const negligible = 1e-12

// NewGeneralised makes a generalised HMM (a "quasi-realisation" of Vidyasagar, 2011; an
// observable operator model of Jaeger, 2000) from labelled matrices of any sign,
// matrices[z][i][j] = T^z[i,j], and a right vector r of one entry per state with Tr = r.
// A sequence w = z_1 … z_d has the probability πT^w r, where T^w = T^{z_1} … T^{z_d}, πT
// = π and πr = 1. The scale of r is arbitrary: multiplying r by c divides π and every
// belief by c and leaves the probability of every sequence unchanged. The size of the
// largest entry of r must be within [1e-100, 1e100].
//
// It refuses what CheckGeneralised calls invalid; the error is one line that starts
// with name and describes the first fault.
func NewGeneralised(name string, tokens, states []string, matrices [][][]float64, right []float64) (*HMM, error) {
	t, faults := generalisedTable(tokens, states, matrices, right)
	if err := firstInvalid(name, faults); err != nil {
		return nil, err
	}
	return assemble(name, t), nil
}

// nullTolerance is the largest singular value of T − 1 that counts as zero, in
// coordinates in which every scale (see table.scale) is about 1.
const nullTolerance = 1e-8

// stationary returns the π of a generalised HMM with πT = π and πr = 1, or the reason
// why there is not exactly one. The singular values only serve to count the solutions;
// the singular vectors are not used, because their last digits differ between
// architectures.
func (t table) stationary() ([]float64, *Problem) {
	scale, n := t.scale(), len(t.right)
	shifted := mat.DenseCopyOf(mat.NewDense(n, n, rescaled(sum(t.matrices), scale)).T())
	for i := range n {
		shifted.Set(i, i, shifted.At(i, i)-1)
	}
	var svd mat.SVD
	if !svd.Factorize(shifted, mat.SVDNone) {
		return nil, &Problem{Kind: NoStationary, Invalid: true, Text: "the singular values of T − 1 did not converge"}
	}
	null := 0
	for _, s := range svd.Values(nil) {
		if s < nullTolerance {
			null++
		}
	}
	if null > 1 {
		p := fault(ManyStationary, "πT = π has %d independent solutions: want exactly one", null)
		return nil, &p
	}
	pi := linalg.NullVector(shifted.RawMatrix().Data, n)
	right := quotients(t.right, scale)
	size := linalg.VecMul(make([]float64, 1), pi, right)[0]
	if null == 0 || math.Abs(size) < nullTolerance*floats.Norm(pi, 2)*floats.Norm(right, 2) {
		p := fault(NoStationary, "there is no stationary state: no π has πT = π and πr = 1")
		return nil, &p
	}
	pi = quotients(pi, scale)
	divide(pi, linalg.VecMul(make([]float64, 1), pi, t.right)[0])
	return pi, nil
}

// divide divides the entries of v. It skips zeros, because 0 divided by a negative
// number would be −0.
func divide(v []float64, by float64) {
	for i, x := range v {
		if x != 0 {
			v[i] = x / by
		}
	}
}

// clip sets probabilities of at most negligible to 0, because they may be rounding
// errors, and divides all probabilities by their sum.
func clip(p []float64) {
	total := 0.0
	for z, q := range p {
		if q <= negligible {
			p[z] = 0
		}
		total += p[z]
	}
	for z := range p {
		p[z] /= total
	}
}

// sampleByPrediction fills dst with tokens drawn one after another from the optimal
// predictor's distribution. It uses one value of src for each token.
func sampleByPrediction(p Process, dst []int32, src rand.Source) {
	predictor, next := p.Predictor(), make([]float64, p.Alphabet())
	for t := range dst {
		predictor.Next(next)
		z := invert(next, src.Uint64())
		if err := predictor.Observe(z); err != nil {
			panic(fmt.Sprintf("process: the predictor refuses a token to which it gave a positive probability: %v", err))
		}
		dst[t] = int32(z)
	}
}

// invert returns the outcome at which the cumulative sum of a distribution passes the
// uniform number u/2⁶⁴. It never returns an outcome of probability 0.
func invert(p []float64, u uint64) int {
	left, last := float64(u>>11)*0x1p-53, 0
	for z, q := range p {
		if q == 0 {
			continue
		}
		if left < q {
			return z
		}
		left -= q
		last = z
	}
	return last
}
