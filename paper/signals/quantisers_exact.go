package signals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/token"
)

const (
	// lloydMaxTolerance is how far a point of the best quantiser may be from the mean of its
	// cell, in standard deviations.
	lloydMaxTolerance = 1e-9
	// codedSlack is the largest difference, in dB, at which the entropy-coded quantiser is
	// at its limit of πe/6, at highestRate bits.
	codedSlack = 0.05
	// entropySlack is the rounding of an entropy-coded quantiser's entropy, in dB.
	entropySlack = 1e-6
)

// codedLimit is πe/6, the ratio of the distortion of an entropy-coded scalar quantiser to
// Shannon's bound at high rates: 1.53 dB.
const codedLimit = math.Pi * math.E / 6

// exactPoint holds the distortions of quantisers of a normal density with variance 1,
// integrated over the density. With fractions of a bit only the entropy-coded quantiser
// exists, and the others are 0.
type exactPoint struct {
	bits     float64
	lloydMax float64 // the best with 2^bits levels
	highRate float64 // the quantiser of the high-rate law with 2^bits levels
	limit    float64 // the high-rate law's own value, √3π/2·2^(−2·bits)
	coded    float64 // uniform thresholds, with an entropy equal to bits
}

// bound returns Shannon's bound.
func (e exactPoint) bound() float64 { return shannonBound(e.bits) }

// above returns how far a distortion is above Shannon's bound, in dB.
func (e exactPoint) above(distortion float64) float64 { return decibel(distortion / e.bound()) }

// decibel returns 10·log₁₀ of a ratio of powers.
func decibel(ratio float64) float64 { return 10 * math.Log10(ratio) }

// exactRates are the rates of the exact quantisers, in bits a sample.
var exactRates = []float64{0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8}

// exactPoints computes the quantisers of a normal density by their conditions: the best
// ones (Lloyd 1957, Max 1960), the high-rate law's and the entropy-coded ones.
func exactPoints() (list []exactPoint, err error) {
	normal := token.Normal(0, 1)
	for _, bits := range exactRates {
		e := exactPoint{bits: bits}
		coded, err := token.EntropyCoded(normal, bits)
		if err != nil {
			return nil, err
		}
		e.coded = normal.Distortion(coded)
		if bits == math.Trunc(bits) {
			if err := e.fixedRate(normal); err != nil {
				return nil, err
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// fixedRate sets the distortions of the quantisers with 2^bits levels.
func (e *exactPoint) fixedRate(normal *token.Density) error {
	levels := 1 << int(e.bits)
	best, err := token.LloydMax(normal, levels, lloydMaxTolerance)
	if err != nil {
		return err
	}
	law, err := token.HighRate(normal, levels)
	if err != nil {
		return err
	}
	e.lloydMax, e.highRate = normal.Distortion(best), normal.Distortion(law)
	e.limit, err = token.HighRateDistortion(normal, levels)
	return err
}

// exactAt returns the exact quantisers of a rate, or a zero value if the rate has no
// entry.
func (m quantised) exactAt(bits float64) exactPoint {
	at := slices.IndexFunc(m.exact, func(e exactPoint) bool { return e.bits == bits })
	if at < 0 {
		return exactPoint{}
	}
	return m.exact[at]
}

// known answers the question of whether the distortions of Lloyd–Max agree with Max
// (1960).
func (m quantised) known() claim.Question {
	yes, found := true, []string{}
	for i, want := range knownLloydMax {
		d := m.exactAt(float64(i + 1)).lloydMax
		yes = yes && math.Abs(d-want.value) <= want.unit
		found = append(found, fmt.Sprintf("%.5f", d))
	}
	return claim.Question{
		Question: "Does Lloyd–Max have the distortions of Max (1960) for a normal density, 0.3634, 0.1175 and " +
			"0.03454 with 1, 2 and 3 bits?",
		Answer: claim.AnswerIf(yes), Obtained: strings.Join(found, ", "),
	}
}

// highRate answers the question of whether the high-rate law approaches the best
// quantiser, and is above it at every rate.
func (m quantised) highRate() claim.Question {
	before, least, nearer := math.Inf(1), math.Inf(1), true
	var found []string
	for _, e := range m.exact {
		if e.lloydMax == 0 {
			continue
		}
		ratio := e.highRate / e.lloydMax
		least, nearer = min(least, ratio), nearer && ratio < before
		before = ratio
		found = append(found, fmt.Sprintf("%.3f", ratio))
	}
	return claim.Question{
		Question: "On a normal density, is the distortion of the high-rate law nearer to the best quantiser's with " +
			"each bit, and at no rate less? (The laboratory's own question: less would be a defect)",
		Answer: claim.AnswerIf(nearer && least >= 1 && len(found) > 0),
		Obtained: fmt.Sprintf("with 1 to %d bits it has %s times the distortion", len(found),
			strings.Join(found, ", ")),
	}
}

// coded answers the question of whether the entropy-coded quantiser is within its limit
// of πe/6, and at it at a high rate.
func (m quantised) coded() claim.Question {
	limit, most, where := decibel(codedLimit), math.Inf(-1), 0.0
	for _, e := range m.exact {
		if over := e.above(e.coded); over > most {
			most, where = over, e.bits
		}
	}
	high := m.exactAt(highestRate)
	return claim.Question{
		Question: fmt.Sprintf("Is a uniform quantiser with an ideal code at most 10 log₁₀(πe/6) = %.2f dB above "+
			"Shannon's bound at every rate, and within %g dB of this limit at %d bits? (The laboratory's own question)",
			limit, codedSlack, highestRate),
		Answer: claim.AnswerIf(most <= limit+entropySlack && math.Abs(high.above(high.coded)-limit) <= codedSlack),
		Obtained: fmt.Sprintf("it is at most %.3f dB above (%g bits), and %.3f dB at %d bits, where the best "+
			"quantiser without a code is %.3f dB above", most, where, high.above(high.coded), highestRate,
			high.above(high.lloydMax)),
	}
}

// exactTable returns the distortions on a normal density, with one row for each rate. The
// column of Lloyd–Max on samples is for comparison.
func (m quantised) exactTable() document.Frame {
	f := document.Frame{
		Title: "distortion/σ² on a normal density, integrated; and on samples of it",
		Columns: []document.Column{
			{Heading: "bits", Format: "%g"},
			{Heading: "Lloyd–Max", Format: "%.4g"},
			{Heading: "Lloyd–Max on samples", Format: "%.4g"},
			{Heading: "high-rate law", Format: "%.4g"},
			{Heading: "√3π/2·2^(−2R)", Format: "%.4g"},
			{Heading: "entropy-coded", Format: "%.4g"},
			{Heading: "πe/6·2^(−2R)", Format: "%.4g"},
			{Heading: "Shannon's bound", Format: "%.4g"},
			{Heading: "entropy-coded, dB above", Format: "%.3f"},
			{Heading: "Lloyd–Max, dB above", Format: "%.3f"},
		},
	}
	for _, e := range m.exact {
		var best, samples, law, limit, above any = "", "", "", "", ""
		if e.lloydMax > 0 {
			best, law, limit, above = e.lloydMax, e.highRate, e.limit, e.above(e.lloydMax)
		}
		if p, ok := m.at(gaussianSource, lloydMaxCoder, e.bits); ok {
			samples = p.distortion
		}
		f.Row(e.bits, best, samples, law, limit, e.coded, codedLimit*e.bound(), e.bound(), e.above(e.coded), above)
	}
	return f
}

// exactSeries returns the distortion of each exact quantiser by rate.
func (m quantised) exactSeries() []figure.Series {
	series := []figure.Series{
		{Name: "high-rate law", Color: 3}, {Name: "Lloyd–Max", Color: 1}, {Name: "entropy-coded uniform", Color: 2},
	}
	for _, e := range m.exact {
		for i, d := range []float64{e.highRate, e.lloydMax, e.coded} {
			if d > 0 {
				series[i].Add(e.bits, d)
			}
		}
	}
	return series
}

// exactData returns the distortions as data.
func (m quantised) exactData() document.Frame {
	f := document.Frame{Columns: []document.Column{
		{Name: "quantiser", Meaning: "the quantiser of a normal density"},
		{Name: "bits", Meaning: "bits a sample; of the entropy-coded quantiser, the entropy"},
		{Name: "distortion"},
	}}
	for i, s := range m.exactSeries() {
		f.Columns[0].Codes = append(f.Columns[0].Codes, s.Name)
		for k, bits := range s.X {
			f.Row(i, bits, s.Y[k])
		}
	}
	return f
}

// exactFigure returns a figure of how far the exact quantisers are above Shannon's bound.
func (m quantised) exactFigure() *figure.Figure {
	series := m.exactSeries()
	for i := range series {
		for k, bits := range series[i].X {
			series[i].Y[k] = decibel(series[i].Y[k] / shannonBound(bits))
		}
	}
	return figure.Single("Scalar quantisers of a normal density",
		"Lloyd–Max rises to 4.35 dB, the entropy-coded quantiser to 1.53 dB. The high-rate law falls to Lloyd–Max.",
		figure.Chart{
			X:      figure.Axis{Label: "bits a sample", Include: []float64{0}},
			Y:      figure.Axis{Label: "dB above Shannon's bound", Include: []float64{0}},
			Series: series,
			Refs: []figure.Ref{
				{Label: "πe/6", Value: decibel(codedLimit)},
				{Label: "√3π/2", Value: decibel(math.Sqrt(3) * math.Pi / 2)},
			},
		})
}
