package process

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"foretell/internal/linalg"

	"gonum.org/v1/gonum/cmplxs"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// settledChange is the change of the filter's covariance in a step, relative to its
	// largest entry, at which it has settled.
	settledChange = 1e-14
	// settlingSteps bounds the positions in which a filter has to settle, and
	// settlingWork the products: less than a second.
	settlingSteps = 10_000
	settlingWork  = 300_000_000
)

// SteadyFilter is what the linear filter tends to, long after the start: a token n steps
// back adds K[z]·Fⁿ to the linear belief.
type SteadyFilter struct {
	// Position is the first from which on the filter is this one, to rounding.
	Position int
	// Gain is K, (A, n), and Transfer is F = T − EK, (n, n), both row-major; see
	// [LinearFilter].
	Gain, Transfer []float64
	// Covariance is Σ, (n, n): that of the linear belief over words.
	Covariance []float64
	// Decays are the eigenvalues of F that some token excites, largest modulus first,
	// those with Im ≥ 0 of each pair: how the trace of a token fades with the lag, as the
	// eigenvalues of T say it for the constrained belief. Equal ones are listed once. For
	// Mess3, where everything acts as a number on the plane of the simplex, there is one:
	// with ζ = 1 − 3x and g = (3a − 1)/2, ŝ_d = ρŝ_{d−1} + Ky_d and ρ = ζ(1 − Kg).
	Decays []complex128
}

// Steady returns the filter's steady state. Because words are stationary, Σ_d can only
// grow with d, and so has a limit; where a constant of the sequence has to be averaged
// out of noise, as in a mixture, it comes near as 1/d, and K tends to 0. It is an error
// when the filter has not settled to rounding after 10,000 positions (fewer where there
// are many states), when the eigenvalues of F do not converge, and when ctx ends.
func (f *LinearFilter) Steady(ctx context.Context) (*SteadyFilter, error) {
	return f.steady.get(ctx, f.settle)
}

// settle runs the filter until it changes no more.
func (f *LinearFilter) settle(ctx context.Context) (*SteadyFilter, error) {
	n := f.h.NumStates()
	most := max(2, min(settlingSteps, settlingWork/(n*n*(n+f.h.Alphabet()))))
	before := f.next(mat.NewDense(n, n, nil))
	for position := 2; position <= most; position++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		step := f.next(before.covariance)
		if sameCovariance(before.covariance, step.covariance) {
			decays, err := f.decays(ctx, step)
			return &SteadyFilter{
				Position: position, Gain: step.gain, Transfer: step.transfer,
				Covariance: step.covariance.RawMatrix().Data, Decays: decays,
			}, err
		}
		before = step
	}
	return nil, fmt.Errorf("%s: the linear filter has not settled after %d positions", f.h.name, most)
}

// sameCovariance says whether a step of the filter changed nothing but rounding.
func sameCovariance(a, b *mat.Dense) bool {
	x, y := a.RawMatrix().Data, b.RawMatrix().Data
	return floats.Distance(x, y, math.Inf(1)) <= settledChange*floats.Norm(y, math.Inf(1))
}

// decays returns the eigenvalues of F that a token excites.
func (f *LinearFilter) decays(ctx context.Context, step linearStep) ([]complex128, error) {
	n, a := f.h.NumStates(), f.h.Alphabet()
	schur, ok := linalg.NewSchur(step.transfer, n)
	if !ok {
		return nil, fmt.Errorf("%s: the eigenvalues of the linear filter did not converge", f.h.name)
	}
	size := floats.Norm(step.gain, math.Inf(1))
	var decays []complex128
	part := make([]complex128, n)
	groups, err := clusters(ctx, schur)
	if err != nil {
		return nil, err
	}
	for _, c := range groups {
		excited := false
		for z := range a {
			linalg.VecMulComplex(part, step.gain[z*n:(z+1)*n], c.projector)
			excited = excited || cmplxs.Norm(part, math.Inf(1)) > unseen*size
		}
		if excited {
			decays = append(decays, centre(c.values))
		}
	}
	slices.SortFunc(decays, func(a, b complex128) int {
		return cmp.Or(cmp.Compare(cmplx.Abs(b), cmplx.Abs(a)), cmp.Compare(cmplx.Phase(a), cmplx.Phase(b)))
	})
	return decays, nil
}
