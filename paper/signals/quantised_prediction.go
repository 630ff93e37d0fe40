package signals

import (
	"math"

	"foretell/token"
)

// predictionError is the mean squared error of a forecast from quantised samples, split
// into three terms. With y the next sample, ŷ its forecast and q(y) the value that y's
// token stands for,
//
//	(y − ŷ)² = (y − q(y))² + (q(y) − ŷ)² + 2(y − q(y))(q(y) − ŷ).
//
// All terms are means, as shares of the signal's variance.
type predictionError struct {
	levels                                 int
	total, quantisation, prediction, cross float64
	known                                  float64 // the total according to theory, see [nextSample]
	slack                                  float64 // standard error of total − known
	accuracy                               float64 // how often the forecast has the next sample's token
}

// gap returns the difference between the total and the sum of its terms, as a share of
// the total.
func (e predictionError) gap() float64 {
	return math.Abs(e.total-(e.quantisation+e.prediction+e.cross)) / e.total
}

// nextSample predicts the next sample of a signal from quantised samples, by the rule
// that is optimal for samples that are not quantised.
type nextSample struct {
	source string
	memory int // how many samples before the last sample the rule needs
	// forecast returns the forecast of x[n+1] from x up to x[n].
	forecast func(x []float64, n int) float64
	// known returns the squared error that the forecast of x[n+1] would have if
	// quantisation errors were small and independent of each other: the noise, which
	// cannot be predicted, plus the error that the distortion causes.
	known func(x []float64, n int, distortion float64) float64
}

// nextSamples holds the predictors for the AR(1) source and for Mackey–Glass.
var nextSamples = []nextSample{
	{
		source:   arSource,
		forecast: func(x []float64, n int) float64 { return arCoefficient * x[n] },
		known: func(_ []float64, _ int, distortion float64) float64 {
			return 1 - arCoefficient*arCoefficient + float64(arCoefficient*arCoefficient*distortion)
		},
	},
	{
		source: glassSource, memory: lectureDelay,
		forecast: func(x []float64, n int) float64 {
			m := mapAt(x, n, lectureDelay)
			m.step()
			return m.now()
		},
		known: func(x []float64, n int, distortion float64) float64 {
			now, lagged := mapAt(x, n, lectureDelay).slopes()
			return distortion * (now*now + lagged*lagged)
		},
	},
}

// measure forecasts each of the samples x from the earlier samples, quantised by q, and
// splits the squared error.
func (f nextSample) measure(q token.Quantizer, x []float64, variance float64) (predictionError, error) {
	tokens, err := q.Encode(nil, x)
	if err != nil {
		return predictionError{}, err
	}
	decoded, err := q.Decode(nil, tokens)
	if err != nil {
		return predictionError{}, err
	}
	forecasts := make([]float64, 0, len(x))
	for n := f.memory; n+1 < len(x); n++ {
		forecasts = append(forecasts, f.forecast(decoded, n))
	}
	predicted, err := q.Encode(nil, forecasts)
	if err != nil {
		return predictionError{}, err
	}
	right := 0
	for i, t := range predicted {
		if t == tokens[f.memory+i+1] {
			right++
		}
	}
	e := f.takeApart(x, decoded, forecasts, variance)
	e.levels, e.accuracy = q.Levels()[0], float64(right)/float64(len(forecasts))
	return e, nil
}

// takeApart splits the squared error of forecasts of the samples x. The forecasts were
// computed from the decoded samples.
func (f nextSample) takeApart(x, decoded, forecasts []float64, variance float64) (e predictionError) {
	distortion := source{variance: 1}.distortion(x, decoded)
	var parts [4][]float64 // the total and its parts
	var known, off []float64
	for i, forecast := range forecasts {
		n := f.memory + i
		y, target := x[n+1], decoded[n+1]
		squares := [4]float64{
			(y - forecast) * (y - forecast), (y - target) * (y - target), (target - forecast) * (target - forecast),
			2 * (y - target) * (target - forecast),
		}
		for k, square := range squares {
			parts[k] = append(parts[k], square/variance)
		}
		known = append(known, f.known(x, n, distortion)/variance)
		off = append(off, parts[0][i]-known[i])
	}
	of := float64(len(forecasts))
	e.total, e.quantisation = sum(parts[0])/of, sum(parts[1])/of
	e.prediction, e.cross = sum(parts[2])/of, sum(parts[3])/of
	e.known, e.slack = sum(known)/of, math.Sqrt(meanSquare(off)/of)
	return e
}

// sum adds numbers pairwise: its rounding error grows with the logarithm of their number.
func sum(x []float64) float64 {
	if len(x) == 1 {
		return x[0]
	}
	return sum(x[:len(x)/2]) + sum(x[len(x)/2:])
}
