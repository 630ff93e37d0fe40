package mess3

import (
	"foretell/internal/linalg"
	"foretell/probe"
)

// In this package, f is the regression of constrained beliefs on the residual stream
// after attention (Piotrowski et al. 2025, Sec. 4.1). It maps what a head writes to a
// vector in the plane of the simplex.

// readFirstLayer reads the input and the OV output of the first attention for each token
// at each position except the last, from which no information is passed on.
func (s *subject) readFirstLayer() (*probe.FirstLayer, error) {
	return probe.ReadFirstLayer(s.Model, s.Prefixes.Length-1, s.HMM.Alphabet())
}

// split maps vectors of the residual stream, (positions, tokens, d_model), to the plane
// of the simplex by the linear part of f. It returns dependent, the part that depends on
// the token, and shared, the mean over tokens at each position. The mean of shared over
// positions is subtracted: a constant in every vector affects only the intercept of f,
// because attention sums to one.
func (s *subject) split(vectors []float64, tokens int) (dependent, shared []point) {
	d := s.Model.Config.DModel
	dependent, shared = make([]point, len(vectors)/d), make([]point, len(vectors)/d/tokens)
	var constant point
	for i := range dependent {
		dependent[i] = s.displacement(vectors[i*d : (i+1)*d])
		for k, x := range dependent[i] {
			shared[i/tokens][k] += x / float64(tokens)
			constant[k] += x / float64(len(dependent))
		}
	}
	for i := range dependent {
		dependent[i] = dependent[i].minus(shared[i/tokens])
	}
	for i := range shared {
		shared[i] = shared[i].minus(constant)
	}
	return dependent, shared
}

// displacement maps a vector of the residual stream to the plane of the simplex by the
// linear part of f.
func (s *subject) displacement(vector []float64) point {
	f := s.mid().constrained.fit
	belief := linalg.VecMul(make([]float64, f.Coef.Width), vector, f.Coef.Data)
	// The entries sum to zero, but project expects a sum of one.
	for j := range belief {
		belief[j] += 1. / float64(len(belief))
	}
	return project(belief)
}
