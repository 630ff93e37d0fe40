package series

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// AR is the autoregression of the values minus their mean, by Burg's method. The order is
// the one with the least AICc, at most 10 log₁₀ n, as in R's ar, at most n/4,
// and such that half of the values have a window without missing values.
// The forecasts are normal, with the variance of the innovations times the sum of the
// squared weights ψ.
//
// Missing values divide the past into segments, whose sums Burg's method adds (de Waele &
// Broersen 2000, The Burg algorithm for segments). While a value among the last ones is
// missing, the model is a Kalman filter: the value's distribution given the others takes
// its place.
//
// Time is O(n·order) and memory 16 bytes a value in addition to the past.
type AR struct {
	// Order fixes the order if it is above 0.
	Order int
}

// Name returns "AR", with the order if it is fixed.
func (a AR) Name() string {
	if a.Order > 0 {
		return fmt.Sprintf("AR(%d)", a.Order)
	}
	return "AR"
}

// Fit returns an error if fewer than eight values are present, if they are all equal, or
// if the order is above a quarter of them.
func (a AR) Fit(ctx context.Context, past Past) (Model, error) {
	mean, deviation := momentsOf(past.Values)
	f := make([]float64, len(past.Values))
	n := 0
	for t, v := range past.Values {
		f[t] = v - mean
		if !math.IsNaN(v) {
			n++
		}
	}
	most := min(int(10*math.Log10(float64(n))), n/4)
	if a.Order > 0 {
		most = min(a.Order, n/4)
	}
	if n < 8 || most < a.Order || !(deviation > 0) {
		return nil, fmt.Errorf("AR: %d values with a deviation of %g do not suffice for order %d",
			n, deviation, max(a.Order, 1))
	}
	phi, variance, err := burg(ctx, f, n, most, a.Order > 0)
	if err != nil {
		return nil, err
	}
	m := &autoregression{phi: phi, mean: mean, variance: variance, last: make([]float64, len(phi))}
	if !m.start(past.Values) {
		return nil, fmt.Errorf("AR: no %d neighbours are present", len(phi))
	}
	return m, nil
}

// burg returns the coefficients and the variance of the innovations for the order with
// the least AICc up to `most`, or for the order `most`. f is overwritten; n is the number
// of its values that are not NaN.
func burg(ctx context.Context, f []float64, n, most int, fixed bool) (best []float64, variance float64, err error) {
	b := append([]float64(nil), f...)
	power := 0.0
	for _, v := range f {
		if !math.IsNaN(v) {
			power += v * v / float64(n)
		}
	}
	variance, least := power, akaike(n, power, 0)
	var phi []float64
	for order := 1; order <= most; order++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		k, windows := reflection(f, b, order)
		if windows < max(n/2, 3*order) && !fixed {
			break
		}
		phi = levinson(phi, k)
		power *= 1 - k*k
		if score := akaike(n, power, order); score < least || (fixed && order == most) {
			best, variance, least = append([]float64(nil), phi...), power, score
		}
		if !(power > 0) {
			break
		}
	}
	return best, variance, nil
}

// akaike returns AICc of an autoregression with a mean and a variance (Hurvich & Tsai
// 1989): n ln σ² + 2kn/(n − k − 1) for k parameters.
func akaike(n int, variance float64, order int) float64 {
	k := float64(order + 2)
	return float64(n)*math.Log(variance) + 2*k*float64(n)/(float64(n)-k-1)
}

// reflection returns the coefficient of the next order and the number of windows without
// missing values. It replaces the forward errors f and the backward errors b of the order
// before by the errors of this one, NaN where the window has a missing value.
func reflection(f, b []float64, order int) (k float64, windows int) {
	product, squares := 0.0, 0.0
	for t := order; t < len(f); t++ {
		if p := f[t] * b[t-1]; p == p {
			product += p
			squares += f[t]*f[t] + b[t-1]*b[t-1]
			windows++
		}
	}
	if squares == 0 {
		return 0, windows
	}
	k = 2 * product / squares
	before := b[order-1]
	for t := order; t < len(f); t++ {
		forward, backward := f[t], before
		before = b[t]
		f[t] = forward - k*backward
		b[t] = backward - k*forward
	}
	return k, windows
}

// levinson returns the coefficients of the next order.
func levinson(phi []float64, k float64) []float64 {
	next := make([]float64, len(phi)+1)
	for i, v := range phi {
		next[i] = v - k*phi[len(phi)-1-i]
	}
	next[len(phi)] = k
	return next
}

// autoregression is a fitted AR and its state.
type autoregression struct {
	phi            []float64
	mean, variance float64
	last           []float64 // the latest values minus the mean, or their expectation; the latest first
	// unsure is the covariance of last, row by row; nil if all are known.
	unsure []float64
	psi    []float64 // sums of the squared weights ψ up to each step
}

func (m *autoregression) Name() string { return fmt.Sprintf("AR(%d)", len(m.phi)) }

// start sets the state after the past, from the latest run of known values of the length
// of the order. It returns false if there is no such run.
func (m *autoregression) start(values []float64) bool {
	known, first := 0, len(values)
	for first > 0 && known < len(m.phi) {
		first--
		known++
		if math.IsNaN(values[first]) {
			known = 0
		}
	}
	for _, x := range values[first:] {
		m.Observe(x)
	}
	return known == len(m.phi)
}

func (m *autoregression) Observe(x float64) {
	if len(m.phi) == 0 {
		return
	}
	if m.unsure == nil && !math.IsNaN(x) {
		copy(m.last[1:], m.last)
		m.last[0] = x - m.mean
		return
	}
	m.last, m.unsure = m.advance(m.last, m.unsure)
	if !math.IsNaN(x) {
		m.update(x - m.mean - m.last[0])
	}
}

// advance returns the expectations and the covariance of the latest values one step
// later.
func (m *autoregression) advance(last, unsure []float64) (next, covariance []float64) {
	p := len(m.phi)
	next, covariance = make([]float64, p), make([]float64, p*p)
	copy(next[1:], last)
	next[0] = floats.Dot(m.phi, last)
	covariance[0] = m.variance
	if unsure == nil {
		return next, covariance
	}
	for i := range p {
		row := floats.Dot(m.phi, unsure[i*p:(i+1)*p])
		covariance[0] += m.phi[i] * row
		if i+1 < p {
			covariance[i+1], covariance[(i+1)*p] = row, row
			copy(covariance[(i+1)*p+1:(i+2)*p], unsure[i*p:])
		}
	}
	return next, covariance
}

// update corrects the state by the error of the latest value's forecast.
func (m *autoregression) update(e float64) {
	p, sure := len(m.phi), true
	gain := make([]float64, p)
	for i := range gain {
		gain[i] = m.unsure[i*p] / m.unsure[0]
		m.last[i] += gain[i] * e
	}
	row := append([]float64(nil), m.unsure[:p]...)
	for i := range p {
		for j := range p {
			m.unsure[i*p+j] -= gain[i] * row[j]
		}
		sure = sure && m.unsure[i*p+i] <= 1e-9*m.variance
	}
	if sure {
		m.unsure = nil
	}
}

func (m *autoregression) Forecast(h int) []Distribution {
	all := make([]Distribution, h)
	if m.unsure != nil {
		last, unsure := m.last, m.unsure
		for k := range all {
			last, unsure = m.advance(last, unsure)
			all[k] = Normal{m.mean + last[0], math.Sqrt(unsure[0])}
		}
		return all
	}
	m.weights(h)
	p := len(m.phi)
	path := make([]float64, p+h) // in the order of time
	for i, v := range m.last {
		path[p-1-i] = v
	}
	for k := range all {
		for i, weight := range m.phi {
			path[p+k] += weight * path[p+k-1-i]
		}
		all[k] = Normal{m.mean + path[p+k], math.Sqrt(m.variance * m.psi[k])}
	}
	return all
}

// weights sets the sums of squared ψ for h steps: ψ₀ = 1, ψ_k = Σ φ_i ψ_{k−i}.
func (m *autoregression) weights(h int) {
	if len(m.psi) >= h {
		return
	}
	psi, sum := make([]float64, h), 0.0
	m.psi = make([]float64, h)
	for k := range psi {
		psi[k] = indicator(k == 0)
		for i := 0; i < len(m.phi) && i < k; i++ {
			psi[k] += m.phi[i] * psi[k-1-i]
		}
		sum += psi[k] * psi[k]
		m.psi[k] = sum
	}
}
