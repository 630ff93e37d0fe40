package mess3

import (
	"math"

	"foretell/internal/linalg"
	"foretell/probe"
)

// What a head moves, seen through f, the regression of constrained beliefs on the
// residual stream after attention (Piotrowski et al. 2025, Sec. 4.1): vectors in the
// plane of the simplex.

// readFirstLayer reads what the first attention sees and moves of each token at each
// position but the last, from which nothing is handed on.
func (s *subject) readFirstLayer() (*probe.FirstLayer, error) {
	return probe.ReadFirstLayer(s.Model, s.Prefixes.Length-1, s.HMM.Alphabet())
}

// split maps vectors of the residual stream, (positions, tokens, d_model), by
// the linear part of f into the plane of the simplex. It returns what depends on
// the token, and the mean over tokens at each position, less its own mean: a
// constant in every vector moves only f's intercept, as attention sums to one.
func (s *subject) split(vectors []float64, tokens int) (dependent, shared [][2]float64) {
	d := s.Model.Config.DModel
	dependent, shared = make([][2]float64, len(vectors)/d), make([][2]float64, len(vectors)/d/tokens)
	var constant [2]float64
	for i := range dependent {
		dependent[i] = s.displacement(vectors[i*d : (i+1)*d])
		for k, x := range dependent[i] {
			shared[i/tokens][k] += x / float64(tokens)
			constant[k] += x / float64(len(dependent))
		}
	}
	for i := range dependent {
		dependent[i] = minus(dependent[i], shared[i/tokens])
	}
	for i := range shared {
		shared[i] = minus(shared[i], constant)
	}
	return dependent, shared
}

// displacement maps a vector of the residual stream by the linear part of f into
// the plane of the simplex.
func (s *subject) displacement(vector []float64) (v [2]float64) {
	f := s.mid().constrained.fit
	belief := linalg.VecMul(make([]float64, f.Coef.Width), vector, f.Coef.Data)
	// Its entries sum to zero, and project expects one.
	for j := range belief {
		belief[j] += 1. / float64(len(belief))
	}
	v[0], v[1] = project(belief)
	return v
}

func minus(a, b [2]float64) [2]float64 { return [2]float64{a[0] - b[0], a[1] - b[1]} }

// cosine is that of the angle between two vectors.
func cosine(a, b [2]float64) float64 {
	return (a[0]*b[0] + a[1]*b[1]) / (math.Hypot(a[0], a[1]) * math.Hypot(b[0], b[1]))
}

// median of sorted numbers.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
