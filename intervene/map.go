package intervene

import (
	"fmt"
	"math"

	"foretell/probe"

	"gonum.org/v1/gonum/stat"
)

// LeastGap is the smallest difference between the KL over corrupt sequences and the KL
// over clean sequences, in nats, at which there is something to recover.
const LeastGap = 1e-6

// leastShare is the least value of (KL corrupt − KL clean)/KL corrupt at which a
// recovered fraction is meaningful. If the difference is smaller, a small change of KL is
// a large fraction of it.
const leastShare = 0.25

// leastSites is the least number of sites for a correlation; over two sites it is always
// ±1.
const leastSites = 3

// The references that predictions are scored against.
const (
	ToOptimal = "optimal" // the optimal prediction of the process
	ToModel   = "model"   // the model's own unchanged prediction, if no process is known
)

// Map is the result of patching, by row (a layer or a head) and position. KL is in nats,
// from the reference to the model.
type Map struct {
	Hook      string  `json:"hook"`
	Reference string  `json:"reference"`         // [ToOptimal] or [ToModel]
	Clean     []int32 `json:"clean,omitempty"`   // the clean sequence of a single pair
	Corrupt   []int32 `json:"corrupt,omitempty"` // the corrupt sequence of a single pair
	Length    int     `json:"length"`            // length of the sequences, in tokens
	Pairs     int     `json:"pairs"`
	Sampled   bool    `json:"sampled"` // the pairs are a random sample; other pairs have no error bars
	Scored    []int   `json:"scored"`  // positions, from 0, whose predictions were scored

	KLClean        float64 `json:"kl_clean"` // KL over clean sequences
	KLCleanError   float64 `json:"kl_clean_error"`
	KLCorrupt      float64 `json:"kl_corrupt"` // KL over corrupt sequences, from the reference after the clean sequences
	KLCorruptError float64 `json:"kl_corrupt_error"`
	// Degenerate explains why there is nothing to recover. It is "" if there is something to
	// recover.
	Degenerate string `json:"degenerate,omitempty"`
	// Warning explains why the recovered fractions mean little: over corrupt sequences the
	// model's predictions are nearer to the reference than over clean sequences, or hardly
	// farther. It is "" if the fractions are meaningful.
	Warning string `json:"warning,omitempty"`

	Positions []int    `json:"positions"` // columns of the map, from 0
	Rows      []MapRow `json:"rows"`
	// Correlation is the correlation of the first-order estimate with the exact values. It
	// leaves out the sites (a site is a row and a position) at which both are 0 up to
	// rounding. Compared is the number of sites that remain. Correlation is nil if there is
	// no estimate, if the estimate or the exact values are constant, or if fewer than three
	// sites remain.
	Correlation *float64 `json:"attribution_correlation,omitempty"`
	Compared    int      `json:"attribution_sites,omitempty"`
}

// MapRow is a row of a [Map]. Recovered is (KL corrupt − KL patched)/(KL corrupt − KL
// clean); this field and the fields derived from it are nil if the map is degenerate.
type MapRow struct {
	Name  string `json:"name"` // such as "layer 0" or "head 0.1"
	Layer int    `json:"layer"`
	Head  int    `json:"head"` // [All] if the hook has no heads

	KL             []float64 `json:"kl"` // KL with each position patched
	Recovered      []float64 `json:"recovered,omitempty"`
	RecoveredError []float64 `json:"recovered_error,omitempty"` // standard errors; nil unless the pairs are a sample
	Attribution    []float64 `json:"attribution,omitempty"`     // the estimate of Recovered, if requested

	Whole Whole `json:"all_positions"` // with all positions patched together
}

// Whole is the result with all positions patched together.
type Whole struct {
	KL             float64  `json:"kl"`
	Recovered      *float64 `json:"recovered,omitempty"`
	RecoveredError *float64 `json:"recovered_error,omitempty"`
	Attribution    *float64 `json:"attribution,omitempty"`
}

// sums holds the weighted sums over a group of pairs.
type sums struct {
	weight float64
	outcome
}

func newSums(sites int) sums {
	return sums{outcome: outcome{patched: make([]float64, sites), slope: make([]float64, sites)}}
}

func (s *sums) add(o outcome, weight float64) {
	if weight == 0 {
		weight = 1
	}
	s.weight += weight
	s.clean += weight * o.clean
	s.corrupt += weight * o.corrupt
	for i, kl := range o.patched {
		s.patched[i] += weight * kl
	}
	for i, slope := range o.slope {
		s.slope[i] += weight * slope
	}
}

// estimate returns Σa/Σb, where both sums are over the groups, with a standard error if
// there are several groups.
func estimate(groups []sums, a, b func(*sums) float64) probe.Estimate {
	var above, below []float64
	for i := range groups {
		above = append(above, a(&groups[i]))
		below = append(below, b(&groups[i]))
	}
	e := probe.Ratio(above, below)
	if e.Mean == 0 {
		e.Mean = 0 // not −0, which a negative denominator gives
	}
	if len(groups) == 1 {
		e.Error = 0
	}
	return e
}

// finish makes the map from the sums of the groups.
func (p *patcher[F]) finish(pairs Pairs, groups []sums) *Map {
	weight := func(s *sums) float64 { return s.weight }
	clean := estimate(groups, func(s *sums) float64 { return s.clean }, weight)
	corrupt := estimate(groups, func(s *sums) float64 { return s.corrupt }, weight)
	m := &Map{
		Hook: p.plan.Hook, Reference: ToOptimal, Length: p.length, Pairs: len(pairs.Pairs), Sampled: pairs.Sampled,
		Scored: p.scored, Positions: p.positions,
		KLClean: clean.Mean, KLCleanError: clean.Error, KLCorrupt: corrupt.Mean, KLCorruptError: corrupt.Error,
	}
	if p.source == nil {
		m.Reference = ToModel
	}
	if m.Pairs == 1 {
		m.Clean, m.Corrupt = pairs.Pairs[0].Clean, pairs.Pairs[0].Corrupt
	}
	if math.Abs(corrupt.Mean-clean.Mean) < LeastGap {
		m.Degenerate = fmt.Sprintf("the clean and corrupt sequences are equally far from the reference, "+
			"to within %g nats: there is nothing to recover", LeastGap)
	} else {
		gap := estimate(groups, func(s *sums) float64 { return s.corrupt - s.clean }, weight)
		m.Warning = warning(clean.Mean, corrupt.Mean, gap)
	}
	columns := len(p.positions) + 1
	for i, r := range p.rows {
		m.Rows = append(m.Rows, p.finishRow(r, groups, m.Degenerate == "", i*columns))
	}
	if p.plan.Attribution && m.Degenerate == "" {
		m.correlate()
	}
	return m
}

// warning explains why fractions of the gap between two KL mean little. It returns "" if
// they are meaningful.
func warning(clean, corrupt float64, gap probe.Estimate) string {
	said, then := "", "the recovered shares are not meaningful"
	switch {
	case gap.Mean < 0:
		said = "the model is farther from the reference on clean sequences than on corrupt ones"
	case gap.Mean < leastShare*corrupt:
		said = "the model is hardly nearer to the reference on clean sequences than on corrupt ones"
	case gap.Mean < 2*gap.Error:
		said = "the model may be no nearer to the reference on clean sequences than on corrupt ones, " +
			"within two standard errors"
		then = "take more pairs"
	default:
		return ""
	}
	return fmt.Sprintf("%s (%.3g and %.3g nats, %.2g apart): %s", said, clean, corrupt, math.Abs(gap.Mean), then)
}

// finishRow makes the row of the map whose sites start at index `from`. The last site of
// a row is all positions together.
func (p *patcher[F]) finishRow(r Row, groups []sums, recovers bool, from int) MapRow {
	m := MapRow{Name: fmt.Sprintf("layer %d", r.Layer), Layer: r.Layer, Head: r.Head}
	if r.Head != All {
		m.Name = fmt.Sprintf("head %d.%d", r.Layer, r.Head)
	}
	gap := func(s *sums) float64 { return s.corrupt - s.clean }
	weight := func(s *sums) float64 { return s.weight }
	for i := range len(p.positions) + 1 {
		site, whole := from+i, i == len(p.positions)
		kl := estimate(groups, func(s *sums) float64 { return s.patched[site] }, weight)
		var back, slope probe.Estimate
		if recovers {
			back = estimate(groups, func(s *sums) float64 { return s.corrupt - s.patched[site] }, gap)
			slope = estimate(groups, func(s *sums) float64 { return -s.slope[site] }, gap)
		}
		switch {
		case whole:
			m.Whole = p.whole(kl.Mean, back, slope.Mean, recovers, len(groups) > 1)
			continue
		case !recovers:
		default:
			m.Recovered = append(m.Recovered, back.Mean)
			if len(groups) > 1 {
				m.RecoveredError = append(m.RecoveredError, back.Error)
			}
			if p.plan.Attribution {
				m.Attribution = append(m.Attribution, slope.Mean)
			}
		}
		m.KL = append(m.KL, kl.Mean)
	}
	return m
}

func (p *patcher[F]) whole(kl float64, back probe.Estimate, slope float64, recovers, sampled bool) Whole {
	w := Whole{KL: kl}
	if !recovers {
		return w
	}
	w.Recovered = &back.Mean
	if sampled {
		w.RecoveredError = &back.Error
	}
	if p.plan.Attribution {
		w.Attribution = &slope
	}
	return w
}

// correlate sets the correlation of the estimate with the exact values. Where nothing
// changes, for example before the first difference of two sequences, both are 0; such
// sites would push the correlation towards 1.
func (m *Map) correlate() {
	const rounding = 1e-9
	var x, y []float64
	for _, row := range m.Rows {
		for i, back := range row.Recovered {
			if estimate := row.Attribution[i]; max(math.Abs(estimate), math.Abs(back)) > rounding {
				x = append(x, estimate)
				y = append(y, back)
			}
		}
	}
	m.Compared = len(x)
	if len(x) < leastSites {
		return
	}
	// The correlation is NaN if one of the two lists is constant.
	if r := stat.Correlation(x, y, nil); !math.IsNaN(r) {
		r = max(-1, min(r, 1))
		m.Correlation = &r
	}
}
