package process

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"foretell/internal/portable"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var moonEntry = Entry{
	Name: "moon",
	Kind: "ghmm",
	Params: []Param{
		{"alpha", math.E, "(0, 1e6]", "what a b stretches the first coordinate by"},
		{"beta", 0.5, "(0, 1e6]", "what a c stretches it by"},
	},
	Summary: "beliefs in the shape of a moon: generalised beyond any quantum model, and a never follows a",
	New:     func(p Params) (Process, error) { return asProcess(Moon(p.Number("alpha"), p.Number("beta"))) },
}

// Moon returns the moon process (Riechers, Elliott and Shai, 2025, after Fanizza,
// Lumbreras and Winter, 2024): a generalised HMM of dimension 3 that neither a finite HMM
// nor a finite quantum model makes.
//
//	T^a = ν[1,1,0]ᵀ[1,−1,−1],  T^{b,c} = ν[[v,0,0],[0,1,0],[0,ln v,1]] with v = α, β,
//
// where ν makes the leading eigenvalue of T one. Its r is not all ones; it is scaled to
// have the length one. T^aT^a = 0: the word "aa" cannot occur. alpha and beta are in
// (0, 1e6]; where a word would have a negative probability it is an error.
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
	scale, right, err := leading(matrices)
	if err != nil {
		return nil, fmt.Errorf("moon: alpha = %g, beta = %g: %w", alpha, beta, err)
	}
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

// leading returns the eigenvalue of Σ_z T^z that is largest in size, which has to be
// real, positive and alone, and its right eigenvector, of length one.
func leading(matrices [][][]float64) (value float64, right []float64, err error) {
	n := len(matrices[0])
	net := mat.NewDense(n, n, nil)
	for _, m := range matrices {
		for i, row := range m {
			floats.Add(net.RawRowView(i), row)
		}
	}
	var eigen mat.Eigen
	if !eigen.Factorize(net, mat.EigenRight) {
		return 0, nil, errors.New("the eigenvalues of T did not converge")
	}
	values, best := eigen.Values(nil), 0
	for k, v := range values {
		if cmplx.Abs(v) > cmplx.Abs(values[best]) {
			best = k
		}
	}
	if imag(values[best]) != 0 || real(values[best]) <= 0 {
		return 0, nil, fmt.Errorf("the leading eigenvalue of T is %.4g, want one that is real and positive", values[best])
	}
	var vectors mat.CDense
	eigen.VectorsTo(&vectors)
	right = make([]float64, n)
	for i := range right {
		right[i] = real(vectors.At(i, best))
	}
	if floats.Sum(right) < 0 {
		floats.Scale(-1, right)
	}
	floats.Scale(1/floats.Norm(right, 2), right)
	return real(values[best]), right, nil
}
