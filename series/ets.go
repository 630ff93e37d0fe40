package series

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

const (
	// smoothedValues is the number of latest values that exponential smoothing is fitted
	// on, which bounds its time.
	smoothedValues = 4000
	// longestSmoothed is the longest season that exponential smoothing fits, as in R's ets.
	longestSmoothed = 24
)

// ETS is exponential smoothing in the state-space form of Hyndman, Koehler, Ord & Snyder
// 2008, Forecasting with Exponential Smoothing: an additive or multiplicative error, a
// trend that is absent, additive or damped, and a season that is absent, additive or
// multiplicative. The parameters and the initial state have the greatest likelihood; the
// form has the least AICc. As in R's ets, an additive error is not combined with a
// multiplicative season, multiplicative parts need positive values, and a season is
// fitted if it has at most 24 values.
//
// It is fitted on the latest 4,000 values. A missing value adds nothing to the likelihood
// and moves the state by its expectation. Forecasts are normal: the mean is the path
// without errors, and the variance is σ² times the sum of squared derivatives of the path
// by its errors. Both are exact for additive forms and a first-order approximation for
// multiplicative ones.
type ETS struct{}

// Name returns "ETS".
func (ETS) Name() string { return "ETS" }

// Fit returns an error if too few values are present for the simplest form.
func (f ETS) Fit(ctx context.Context, past Past) (Model, error) {
	values := past.Values[max(0, len(past.Values)-smoothedValues):]
	var best *smoothing
	least := math.Inf(1)
	for _, form := range smoothingForms(values, past.Season) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m, score := fitSmoothing(values, form); m != nil && score < least {
			best, least = m, score
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%s: %d values do not suffice", f.Name(), len(values))
	}
	return best, nil
}

// smoothingForm is a form of exponential smoothing. Letters are N (none), A (additive),
// M (multiplicative) and D (damped).
type smoothingForm struct {
	err, trend, season byte
	length             int // number of values in a season, 1 without a season
}

// smoothingForms returns the forms that R's ets tries.
func smoothingForms(values []float64, length int) (forms []smoothingForm) {
	known := withoutMissing(values)
	errs, seasons := "AM", "NAM"
	for _, v := range known {
		if v <= 0 {
			errs, seasons = "A", "NA"
		}
	}
	if length < 2 || length > longestSmoothed || len(known) < 3*length {
		seasons = "N"
	}
	for _, err := range []byte(errs) {
		for _, trend := range []byte("NAD") {
			for _, season := range []byte(seasons) {
				switch {
				case err == 'A' && season == 'M':
				case season == 'N':
					forms = append(forms, smoothingForm{err, trend, season, 1})
				default:
					forms = append(forms, smoothingForm{err, trend, season, length})
				}
			}
		}
	}
	return forms
}

// smoothing is a fitted form and its state.
type smoothing struct {
	smoothingForm
	alpha, beta, gamma, phi float64
	sigma                   float64 // of the errors, relative ones if they are multiplicative
	state                   smoothingState
	gap                     int       // missing values since the state was updated
	variances               []float64 // of an additive form by step, which no state changes
}

// smoothingState is the state after a value.
type smoothingState struct {
	level, slope float64
	season       []float64 // by place
	place        int       // place of the next value
}

// expected returns the next value without its season, and with it.
func (m *smoothing) expected(s *smoothingState) (plain, value float64) {
	plain = s.level
	if m.trend != 'N' {
		plain += m.phi * s.slope
	}
	switch m.season {
	case 'A':
		return plain, plain + s.season[s.place]
	case 'M':
		return plain, plain * s.season[s.place]
	}
	return plain, plain
}

// update moves the state by the value x, as the error-correction equations do.
func (m *smoothing) update(s *smoothingState, x, plain float64) {
	seasonal, adjusted := 0.0, x
	switch m.season {
	case 'A':
		seasonal, adjusted = x-plain, x-s.season[s.place]
	case 'M':
		seasonal, adjusted = x/plain, x/s.season[s.place]
	}
	e := adjusted - plain
	s.level = plain + m.alpha*e
	s.slope = m.phi*s.slope + m.beta*e
	if m.season != 'N' {
		s.season[s.place] += m.gamma * (seasonal - s.season[s.place])
		s.place = (s.place + 1) % len(s.season)
	}
}

// pass runs the model over values. It returns the number that are present, the sum of
// squared errors, and the sum of ln|expectation| over them, 0 for additive errors. ok is
// false if a multiplicative model leaves the positive numbers.
func (m *smoothing) pass(values []float64) (n int, squares, logs float64, ok bool) {
	for _, x := range values {
		plain, value := m.expected(&m.state)
		if m.err == 'M' && !(plain > 0 && value > 0) || m.season == 'M' && !(plain > 0) {
			return 0, 0, 0, false
		}
		if math.IsNaN(x) {
			m.update(&m.state, value, plain)
			continue
		}
		e := x - value
		if m.err == 'M' {
			e /= value
			logs += math.Log(value)
		}
		n++
		squares += e * e
		m.update(&m.state, x, plain)
	}
	return n, squares, logs, !math.IsNaN(squares)
}

// set sets the parameters and the state from a vector: alpha, beta, gamma, phi where the
// form has them, the level, the slope, and all places of the season except the last. It
// returns whether they are in R's usual region.
func (m *smoothing) set(v []float64) bool {
	next := func() float64 {
		x := v[0]
		v = v[1:]
		return x
	}
	in := func(x, low, high float64) bool { return x >= low && x <= high }
	m.alpha, m.beta, m.gamma, m.phi = next(), 0, 0, 1
	ok := in(m.alpha, 1e-4, 0.9999)
	if m.trend != 'N' {
		m.beta = next()
		ok = ok && in(m.beta, 1e-4, m.alpha)
	}
	if m.season != 'N' {
		m.gamma = next()
		ok = ok && in(m.gamma, 1e-4, 1-m.alpha)
	}
	if m.trend == 'D' {
		m.phi = next()
		ok = ok && in(m.phi, 0.8, 0.98)
	}
	m.state = smoothingState{level: next(), season: m.state.season}
	if m.trend != 'N' {
		m.state.slope = next()
	}
	if m.season == 'N' {
		return ok
	}
	last := 0.0
	if m.season == 'M' {
		last = float64(m.length)
	}
	for i := range m.length - 1 {
		m.state.season[i] = next()
		last -= m.state.season[i]
		ok = ok && (m.season == 'A' || m.state.season[i] > 0)
	}
	m.state.season[m.length-1] = last
	return ok && (m.season == 'A' || last > 0)
}

// begin returns a vector to start the search from, and the scale of each element: the
// parameters of R's ets, and a state from the first seasons.
func (m *smoothing) begin(values []float64) (start, scale []float64) {
	add := func(v, s float64) {
		start = append(start, v)
		scale = append(scale, s)
	}
	alpha := 1e-4 + 0.2/float64(m.length)
	if m.length == 1 {
		alpha = 0.5
	}
	add(alpha, 0.2)
	if m.trend != 'N' {
		add(1e-4+0.1*alpha, 0.1)
	}
	if m.season != 'N' {
		add(1e-4+0.05*(1-alpha), 0.1)
	}
	if m.trend == 'D' {
		add(0.97, 0.05)
	}
	seasonal := make([]float64, m.length)
	adjusted := values
	if m.season != 'N' {
		seasonal = seasonalFigure(values, m.length, m.season == 'M')
		adjusted = deseasonal(values, seasonal, m.season == 'M')
	}
	known := withoutMissing(adjusted)
	first := known[:min(len(known), max(10, 2*m.length))]
	level, slope := line(first)
	mean, _ := momentsOf(first)
	_, spread := momentsOf(known)
	spread = max(spread, 1e-3*math.Abs(mean), 1e-300)
	if m.trend == 'N' {
		add(mean, 0.5*spread)
	} else {
		add(level-slope, 0.5*spread)
		add(slope, 0.1*spread)
	}
	for _, s := range seasonal[:m.length-1] {
		if m.season == 'M' {
			add(s, 0.1)
		} else {
			add(s, 0.3*spread)
		}
	}
	return start, scale
}

// fitSmoothing returns the model of a form with the greatest likelihood and its AICc, or
// nil if too few values are present.
func fitSmoothing(values []float64, form smoothingForm) (*smoothing, float64) {
	m := &smoothing{smoothingForm: form}
	m.state.season = make([]float64, form.length)
	start, scale := m.begin(values)
	n, k := float64(len(withoutMissing(values))), float64(len(start)+1)
	if n < k+2 {
		return nil, 0
	}
	best := m.search(values, start, scale)
	cost := m.cost(values, best) // leaves the state after the last value
	if math.IsInf(cost, 1) {
		return nil, 0
	}
	return m, cost + 2*k*n/(n-k-1)
}

// cost sets the model from a vector, runs it over the values, and returns −2 ln of the
// likelihood plus a constant: n ln Σe² + 2 Σ ln of the expectations of multiplicative
// errors (Hyndman et al. 2008, Chapter 5). It is infinite outside the allowed region.
func (m *smoothing) cost(values, vector []float64) float64 {
	if !m.set(vector) {
		return math.Inf(1)
	}
	n, squares, logs, ok := m.pass(values)
	if !ok {
		return math.Inf(1)
	}
	m.sigma = math.Sqrt(squares / float64(n-len(vector)))
	return float64(n)*math.Log(max(squares, 1e-300)) + 2*logs
}

// search returns the vector of least cost that the method of Nelder & Mead finds, from at
// most five simplexes.
func (m *smoothing) search(values, start, scale []float64) []float64 {
	best, vector := slices.Clone(start), make([]float64, len(start))
	problem := optimize.Problem{Func: func(x []float64) float64 {
		for i := range vector {
			vector[i] = best[i] + scale[i]*x[i]
		}
		return m.cost(values, vector)
	}}
	settings := &optimize.Settings{
		FuncEvaluations: 400 * (len(start) + 1),
		Converger:       &optimize.FunctionConverge{Absolute: 1e-3, Iterations: 20 * len(start)},
	}
	least := m.cost(values, best)
	for range 5 {
		method := &optimize.NelderMead{SimplexSize: 0.5}
		result, err := optimize.Minimize(problem, make([]float64, len(start)), settings, method)
		if err != nil || !(result.F < least-1e-2) {
			break
		}
		least = result.F
		for i := range best {
			best[i] += scale[i] * result.X[i]
		}
	}
	return best
}

func (m *smoothing) Name() string {
	trend := map[byte]string{'N': "N", 'A': "A", 'D': "Ad"}[m.trend]
	return fmt.Sprintf("ETS(%c,%s,%c)", m.err, trend, m.season)
}

// Observe updates the state. A missing value moves it only when the next value comes.
func (m *smoothing) Observe(x float64) {
	if math.IsNaN(x) {
		m.gap++
		return
	}
	for ; m.gap > 0; m.gap-- {
		plain, value := m.expected(&m.state)
		m.update(&m.state, value, plain)
	}
	plain, _ := m.expected(&m.state)
	m.update(&m.state, x, plain)
}

func (m *smoothing) Forecast(h int) []Distribution {
	steps := m.gap + h
	means := m.path(steps, -1)
	if m.err == 'M' || len(m.variances) < steps {
		m.variances = m.spread(means)
	}
	all := make([]Distribution, h)
	for k := range all {
		all[k] = Normal{means[m.gap+k], math.Sqrt(m.variances[m.gap+k])}
	}
	return all
}

// spread returns the variances of the next values, whose means are given.
func (m *smoothing) spread(means []float64) []float64 {
	variances := make([]float64, len(means))
	for j := range means {
		for k, v := range m.path(len(means), j)[j:] {
			variances[j+k] += (v - means[j+k]) * (v - means[j+k])
		}
	}
	return variances
}

// path returns the next values with an error of one σ at the given step, and no others.
func (m *smoothing) path(steps, shocked int) []float64 {
	s := m.state
	s.season = append([]float64(nil), s.season...)
	path := make([]float64, steps)
	for k := range path {
		plain, value := m.expected(&s)
		switch {
		case k == shocked && m.err == 'M':
			value *= 1 + m.sigma
		case k == shocked:
			value += m.sigma
		}
		path[k] = value
		m.update(&s, value, plain)
	}
	return path
}
