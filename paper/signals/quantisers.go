package signals

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"foretell/claim"
	"foretell/token"
)

const (
	// highestRate is the largest rate at which coders are measured on samples, in bits.
	highestRate = 5
	// belowBound is how far below Shannon's bound, as a share of it, a distortion measured
	// on a finite number of samples may be.
	belowBound = 0.01
)

// quantisers returns row S10: methods that turn samples into tokens.
func (p profile) quantisers() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S10", Kind: claim.Order,
		RuleCommit: "a2c7e7b", ChangedAfterResult: true,
		Setting: fmt.Sprintf("quantisers are fitted on %d samples, and measured on the same number of other samples",
			p.quantising.samples),
		Test: claim.Steps[quantised]{
			Measure: p.measureQuantisers, Judge: quantised.judge, Tabulate: quantised.tabulate, Draw: quantised.draw,
		}.Test,
	}, map[string]any{
		"period": sinePeriod, "panels": shared.Captions["panels"], "tolerance": lloydMaxTolerance,
	})
}

// rates are the rates at which coders are measured, in bits a sample.
var rates = []float64{0.5, 1, 2, 3, 4, 5}

// quantised holds the measurements of S10.
type quantised struct {
	coders  []coder
	sources []source
	curves  []rateCurve
	uniform []definition // one for each source and number of levels
	splits  []splitCurve
	events  []rateCurve   // of the event codes, one for each source
	exact   []exactPoint  // on a normal density, by rate
	levels  []levelCurves // by density
}

// rateCurve holds the distortion of a coder on a source, by rate.
type rateCurve struct {
	source, coder string // names of the source and the coder
	points        []ratePoint
}

// ratePoint holds the measurements of a fitted quantiser: its bits a sample, by the size
// of its alphabets (rate) and by the frequencies of its tokens (entropy); its distortion
// on samples that it was not fitted on, as a share of their variance; the share of tokens
// that decoding and encoding returns unchanged; and the number of samples in a block.
type ratePoint struct {
	rate, entropy, distortion, returned float64
	block                               int
}

// definition holds the measurements of uniform quantisation as the lecture defines it.
type definition struct {
	outside  int     // number of tokens that are not in 0 … B−1
	ends     bool    // whether both ends of the alphabet occur
	furthest float64 // largest distance of a sample in the range from its decoded value, in units of Δ/2
}

// splitCurve holds the errors of forecasts from tokens, by number of levels.
type splitCurve struct {
	source, coder string
	errors        []predictionError
}

func (p profile) measureQuantisers(context.Context, *claim.Study) (m quantised, err error) {
	m.coders, m.sources = p.coders(), sources(p.quantising.samples)
	found, errs := make([]onSource, len(m.sources)), make([]error, len(m.sources))
	var side sync.WaitGroup
	for i, s := range m.sources {
		side.Go(func() { found[i], errs[i] = p.measureOn(s) })
	}
	side.Wait()
	if err := errors.Join(errs...); err != nil {
		return m, err
	}
	for _, f := range found {
		m.curves = append(m.curves, f.curves...)
		m.events = append(m.events, f.events)
		m.uniform = append(m.uniform, f.uniform...)
	}
	if m.splits, err = measureSplits(m.sources); err != nil {
		return m, err
	}
	if m.exact, err = exactPoints(); err != nil {
		return m, err
	}
	m.levels, err = measureLevels()
	return m, err
}

// onSource holds the measurements on one source.
type onSource struct {
	curves  []rateCurve // in the order of the coders
	events  rateCurve
	uniform []definition
}

func (p profile) measureOn(s source) (f onSource, err error) {
	for _, c := range p.coders() {
		curve, err := c.measure(s)
		if err != nil {
			return f, fmt.Errorf("%s on %s: %w", c.name, s.name, err)
		}
		f.curves = append(f.curves, curve)
	}
	if f.events, err = measureEvents(s); err != nil {
		return f, fmt.Errorf("events of %s: %w", s.name, err)
	}
	for _, levels := range []int{2, lectureLevels} {
		d, err := defined(s, levels)
		if err != nil {
			return f, err
		}
		f.uniform = append(f.uniform, d)
	}
	return f, nil
}

// measure fits a coder at each rate to one half of a source's samples, and measures it on
// the other half.
func (c coder) measure(s source) (rateCurve, error) {
	curve := rateCurve{source: s.name, coder: c.name}
	ofRate, err := c.fit(s.train)
	if err != nil {
		return curve, err
	}
	for _, rate := range rates {
		q, err := ofRate(rate)
		if err != nil {
			return curve, err
		}
		if q == nil {
			continue
		}
		point, err := measurePoint(q, s)
		if err != nil {
			return curve, err
		}
		curve.points = append(curve.points, point)
	}
	return curve, nil
}

func measurePoint(q token.Quantizer, s source) (ratePoint, error) {
	p := ratePoint{rate: token.Rate(q), block: q.Block()}
	x := s.held[:len(s.held)/q.Block()*q.Block()]
	tokens, err := q.Encode(nil, x)
	if err != nil {
		return p, err
	}
	if p.entropy, err = token.EntropyRate(q, tokens); err != nil {
		return p, err
	}
	decoded, err := q.Decode(nil, tokens)
	if err != nil {
		return p, err
	}
	again, err := q.Encode(nil, decoded)
	if err != nil {
		return p, err
	}
	p.distortion = s.distortion(x, decoded)
	returned := 0
	for i, t := range tokens {
		if again[i] == t {
			returned++
		}
	}
	p.returned = float64(returned) / float64(len(tokens))
	return p, nil
}

// defined checks on a source that the uniform quantiser does what the lecture's
// definition says.
func defined(s source, levels int) (definition, error) {
	var d definition
	q, err := token.FitUniform(s.train, levels)
	if err != nil {
		return d, err
	}
	tokens, err := q.Encode(nil, slices.Concat(s.train, s.held))
	if err != nil {
		return d, err
	}
	decoded, err := q.Decode(nil, tokens[:len(s.train)])
	if err != nil {
		return d, err
	}
	for _, t := range tokens {
		if t < 0 || int(t) >= levels {
			d.outside++
		}
	}
	d.ends = slices.Min(tokens) == 0 && int(slices.Max(tokens)) == levels-1
	half := (slices.Max(s.train) - slices.Min(s.train)) / float64(levels-1) / 2
	for i, x := range s.train {
		d.furthest = max(d.furthest, math.Abs(x-decoded[i])/half)
	}
	return d, nil
}

// measureSplits splits the errors of forecasts from tokens, for each number of levels.
func measureSplits(all []source) ([]splitCurve, error) {
	var curves []splitCurve
	for _, f := range nextSamples {
		s := all[slices.IndexFunc(all, func(s source) bool { return s.name == f.source })]
		for _, name := range scalars[:2] {
			curve := splitCurve{source: s.name, coder: name.label}
			for levels := 2; levels <= 256; levels *= 2 {
				q, err := token.Fit(name.table, token.Params{"levels": float64(levels)}, s.train)
				if err != nil {
					return nil, err
				}
				e, err := f.measure(q, s.held, s.variance)
				if err != nil {
					return nil, err
				}
				curve.errors = append(curve.errors, e)
			}
			curves = append(curves, curve)
		}
	}
	return curves, nil
}
