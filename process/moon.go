package process

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"foretell/internal/linalg"
	"foretell/internal/portable"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var moonEntry = Entry{
	Name: "moon",
	Kind: "ghmm",
	Params: []Param{
		{"alpha", math.E, "(0, 1e6]", "factor by which each token b stretches the first coordinate of the belief"},
		{"beta", 0.5, "(0, 1e6]", "factor by which each token c stretches the first coordinate of the belief"},
	},
	Summary: "beliefs in the shape of a moon; no finite quantum model generates it; token a never follows itself",
	New:     func(p Params) (Sampler, error) { return asSampler(Moon(p.Number("alpha"), p.Number("beta"))) },
}

// Moon returns the moon process (Riechers, Elliott and Shai, 2025, after Fanizza,
// Lumbreras and Winter, 2024): a generalised HMM of dimension 3 that neither a finite
// HMM nor a finite quantum model can generate.
//
//	T^a = ν[1,1,0]ᵀ[1,−1,−1],  T^{b,c} = ν[[v,0,0],[0,1,0],[0,ln v,1]] with v = α, β,
//
// where ν makes the leading eigenvalue of T one. Its r is not all ones; it is scaled to
// length one. T^aT^a = 0: the sequence "aa" cannot occur. alpha and beta are in (0, 1e6].
// Moon returns an error if a sequence would have a negative probability.
func Moon(alpha, beta float64) (*HMM, error) {
	for _, p := range []struct {
		name  string
		value float64
	}{{"alpha", alpha}, {"beta", beta}} {
		if !(p.value > 0 && p.value <= 1e6) {
			return nil, fmt.Errorf("moon: %s = %g is outside (0, 1e6]", p.name, p.value)
		}
	}
	matrices := [][][]float64{{{1, -1, -1}, {1, -1, -1}, {0, 0, 0}}}
	for _, v := range []float64{alpha, beta} {
		matrices = append(matrices, [][]float64{{v, 0, 0}, {0, 1, 0}, {0, portable.Log(v), 1}})
	}
	net := slices.Concat(matrices[0]...)
	for _, m := range matrices[1:] {
		floats.Add(net, slices.Concat(m...))
	}
	if err := checkLeading(net, 3); err != nil {
		return nil, fmt.Errorf("moon: alpha = %g, beta = %g: %w", alpha, beta, err)
	}
	scale, right := moonLeading(net)
	for _, m := range matrices {
		for _, row := range m {
			floats.Scale(1/scale, row)
		}
	}
	h, err := NewGeneralised("moon", []string{"a", "b", "c"}, []string{"0", "1", "2"}, matrices, right)
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"alpha": alpha, "beta": beta}), nil
}

// checkLeading returns an error unless the eigenvalue of largest modulus of an n×n matrix
// is real and positive.
func checkLeading(net []float64, n int) error {
	var eigen mat.Eigen
	if !eigen.Factorize(mat.NewDense(n, n, net), mat.EigenNone) {
		return errors.New("the eigenvalues of T did not converge")
	}
	values, best := eigen.Values(nil), 0
	for k, v := range values {
		if cmplx.Abs(v) > cmplx.Abs(values[best]) {
			best = k
		}
	}
	if imag(values[best]) != 0 || real(values[best]) <= 0 {
		return fmt.Errorf("the leading eigenvalue of T is %.4g, want one that is real and positive", values[best])
	}
	return nil
}

// moonLeading returns the largest real eigenvalue μ of the moon's
//
//	T/ν = [[s,−1,−1],[1,1,−1],[0,l,2]],  s = 1+α+β,  l = ln αβ,
//
// and its right eigenvector, of length one. μ is a root of
//
//	(μ−s)((μ−1)(μ−2)+l) + μ−2+l,
//
// which Newton's method approaches from above, starting beyond all eigenvalues: if μ
// leads, no other eigenvalue has a larger real part, so the polynomial is increasing
// and convex above μ. (gonum's eigenvalues are not used, because their last digits
// differ between architectures.)
func moonLeading(net []float64) (value float64, right []float64) {
	s, l := net[0], net[7]
	value = s + math.Abs(l) + 3 // at least the largest sum of absolute values in a row
	for {
		inner := float64((value-1)*(value-2)) + l
		f := float64((value-s)*inner) + (value - 2 + l)
		slope := inner + float64((value-s)*(2*value-3)) + 1
		next := value - f/slope
		if !(next < value) {
			break
		}
		value = next
	}
	shifted := slices.Clone(net)
	for i := range 3 {
		shifted[4*i] -= value
	}
	right = linalg.NullVector(shifted, 3)
	total, square := 0.0, 0.0
	for _, x := range right {
		total += x
		square += float64(x * x)
	}
	divide(right, math.Copysign(math.Sqrt(square), total))
	return value, right
}
