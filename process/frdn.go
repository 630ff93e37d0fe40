package process

import (
	"fmt"

	"foretell/internal/portable"
)

var frdnEntry = Entry{
	Name: "frdn",
	Kind: "ghmm",
	Params: []Param{
		{"alpha", 2000.0, "[-1e6, 1e6]", "angle in radians by which each token b rotates the belief"},
		{"lambda", 0.49, "(0, 0.5)", "factor by which each token b shortens the belief"},
	},
	Summary: "each token b rotates the belief, a vector of four numbers; no finite HMM generates it",
	New:     func(p Params) (Sampler, error) { return asSampler(FRDN(p.Number("alpha"), p.Number("lambda"))) },
}

// FRDN returns the process of Fox, Rubin, Dharmadhikari and Nadkarni in the form of
// Fanizza, Lumbreras and Winter (2024): a generalised HMM of dimension 4. If alpha/π is
// irrational, no HMM with finitely many states generates it. Token a resets the belief
// to π₀, and each b rotates and shortens it. With c, s = cos α, sin α and c± =
// (1−λc±λs)/(1−2λc+λ²),
//
//	T^a = wπ₀,  w = [1, 1−λ, 1+λ(s−c), 1−λ(s+c)]ᵀ,
//	π₀ = [1 − 1/(2(1−λ)) + (c₊+c₋)/4, 1/(2(1−λ)), −c₊/4, −c₋/4],
//	T^b = λ·diag(0, 1, [[c,−s],[s,c]]),
//
// and r is all ones. alpha is an angle in radians and lambda in (0, 0.5).
func FRDN(alpha, lambda float64) (*HMM, error) {
	if !(alpha >= -1e6 && alpha <= 1e6) {
		return nil, fmt.Errorf("frdn: alpha = %g is outside [-1e6, 1e6]", alpha)
	}
	if !(lambda > 0 && lambda < 0.5) {
		return nil, fmt.Errorf("frdn: lambda = %g is outside (0, 0.5)", lambda)
	}
	s, c := portable.Sincos(alpha)
	w := []float64{1, 1 - lambda, 1 + float64(lambda*(s-c)), 1 - float64(lambda*(s+c))}
	lc, ls := float64(lambda*c), float64(lambda*s)
	scale := 1 - (lc + lc) + float64(lambda*lambda)
	plus, minus := (1-lc+ls)/scale, (1-lc-ls)/scale
	half := 1 / (2 * (1 - lambda))
	start := []float64{1 - half + float64((plus+minus)/4), half, -plus / 4, -minus / 4}

	a := zeros(4)
	for i := range a {
		for j := range a[i] {
			a[i][j] = w[i] * start[j]
		}
	}
	b := [][]float64{
		{0, 0, 0, 0},
		{0, lambda, 0, 0},
		{0, 0, lc, -ls},
		{0, 0, ls, lc},
	}
	h, err := NewGeneralised("frdn", []string{"a", "b"}, []string{"0", "1", "2", "3"}, [][][]float64{a, b}, ones(4))
	if err != nil {
		return nil, err
	}
	return h.withParams(map[string]float64{"alpha": alpha, "lambda": lambda}), nil
}
