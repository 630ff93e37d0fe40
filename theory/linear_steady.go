package theory

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
	// settledChange is the largest change of the filter's covariance in a step, relative
	// to its largest entry, at which the filter counts as settled.
	settledChange = 1e-14
	// settlingSteps bounds the number of positions within which a filter has to settle,
	// and settlingWork the number of products: less than a second.
	settlingSteps = 10_000
	settlingWork  = 300_000_000
)

// SteadyFilter is the limit of the linear filter long after the start: a token n steps
// back adds K[z]·Fⁿ to the linear belief.
type SteadyFilter struct {
	// Position is the first position from which the filter equals its limit, up to
	// rounding.
	Position int
	// Gain is K, (A, n), and Transfer is F = T − EK, (n, n), both row-major; see
	// [LinearFilter].
	Gain, Transfer []float64
	// Covariance is Σ, (n, n), the covariance of the linear belief over sequences.
	Covariance []float64
	// Decays are the eigenvalues of F that some token excites, largest modulus first. Of
	// each conjugate pair only the one with Im ≥ 0 is listed. They describe how the
	// effect of a token decays with the lag, as the eigenvalues of T do for the
	// constrained belief. Equal ones are listed once. For Mess3, where all matrices act
	// as scalars on the plane of the simplex, there is one: with ζ = 1 − 3x, g = (3a −
	// 1)/2, the one-hot token y_d and a number K, in that plane ŝ_d = ρŝ_{d−1} + Ky_d and
	// ρ = ζ(1 − Kg).
	Decays []complex128
}

// Steady returns the filter's steady state. Because the process is stationary, Σ_d can
// only grow with d and therefore has a limit. If the filter must average noise to
// estimate a constant of the sequence, as in a mixture, Σ_d converges only as 1/d, and K
// tends to 0. Steady returns an error if the filter has not settled up to rounding after
// 10,000 positions (fewer if there are many states), if the eigenvalues of F do not
// converge, or if ctx ends.
func (f *LinearFilter) Steady(ctx context.Context) (*SteadyFilter, error) {
	return f.steady.Get(ctx, f.settle)
}

// settle runs the filter until it no longer changes.
func (f *LinearFilter) settle(ctx context.Context) (*SteadyFilter, error) {
	n := f.layer.n
	most := f.settlingLimit(1)
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
	return nil, fmt.Errorf("%s: the linear filter has not settled after %d positions", f.layer.name, most)
}

// settlingLimit is the largest number of steps, each of the given number of products of
// matrices, that a search for the limit takes.
func (f *LinearFilter) settlingLimit(products int) int {
	n := f.layer.n
	return max(2, min(settlingSteps, settlingWork/(products*n*n*(n+f.layer.a))))
}

// sameCovariance reports whether two covariances are equal up to rounding.
func sameCovariance(a, b *mat.Dense) bool {
	x, y := a.RawMatrix().Data, b.RawMatrix().Data
	return floats.Distance(x, y, math.Inf(1)) <= settledChange*floats.Norm(y, math.Inf(1))
}

// decays returns the eigenvalues of F that a token excites.
func (f *LinearFilter) decays(ctx context.Context, step linearStep) ([]complex128, error) {
	n, a := f.layer.n, f.layer.a
	schur, ok := linalg.NewSchur(step.transfer, n)
	if !ok {
		return nil, fmt.Errorf("%s: the eigenvalues of the linear filter did not converge", f.layer.name)
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
