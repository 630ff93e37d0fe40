package intervene

import (
	"fmt"
	"math"

	"foretell/probe"

	"gonum.org/v1/gonum/stat"
)

// LeastGap is how much farther, in nats, a corrupt word has to be from the optimal
// prediction than the clean one, or nearer, for there to be anything to recover.
const LeastGap = 1e-6

// leastShare is how much of the greater of two KL their difference has to be for shares
// of it to say much: below, what a site changes in KL is seen many times as large.
const leastShare = 0.25

// leastSites is over how many sites there is a correlation: over two it is ±1.
const leastSites = 3

// References are what predictions are scored against.
const (
	ToOptimal = "optimal" // the optimal prediction of the process
	ToModel   = "model"   // the model's own prediction, unchanged, where no process is known
)

// Map is what patching recovers, by row, a layer or a head, and position. KL is in nats,
// from the reference to the model.
type Map struct {
	Hook      string  `json:"hook"`
	Reference string  `json:"reference"`         // [ToOptimal] or [ToModel]
	Clean     []int32 `json:"clean,omitempty"`   // of one pair
	Corrupt   []int32 `json:"corrupt,omitempty"` // of one pair
	Length    int     `json:"length"`            // of the words
	Pairs     int     `json:"pairs"`
	Sampled   bool    `json:"sampled"` // whether the pairs were drawn; else they have no error bars
	Scored    []int   `json:"scored"`  // positions, from 0, whose predictions were scored

	KLClean        float64 `json:"kl_clean"` // of the model over clean words
	KLCleanError   float64 `json:"kl_clean_error"`
	KLCorrupt      float64 `json:"kl_corrupt"` // over corrupt words, to the reference after the clean ones
	KLCorruptError float64 `json:"kl_corrupt_error"`
	// Degenerate says why nothing is recovered; "" where something may be.
	Degenerate string `json:"degenerate,omitempty"`
	// Warning says why shares say little although they have numbers: the corrupt word is
	// hardly farther from the reference than the clean one, or nearer. "" where they do.
	Warning string `json:"warning,omitempty"`

	Positions []int    `json:"positions"` // the columns, from 0
	Rows      []MapRow `json:"rows"`
	// Correlation is of the first-order estimate with what is recovered, over the rows and
	// positions where either is not 0, to rounding, so many as Compared; nil without an
	// estimate, where either does not vary, and over fewer than three.
	Correlation *float64 `json:"attribution_correlation,omitempty"`
	Compared    int      `json:"attribution_sites,omitempty"`
}

// MapRow is a row of a [Map]. Recovered is (KL corrupt − KL patched)/(KL corrupt − KL
// clean); it is nil, as what hangs on it, where that is degenerate.
type MapRow struct {
	Name  string `json:"name"` // layer 0, head 0.1
	Layer int    `json:"layer"`
	Head  int    `json:"head"` // [All] where the hook has none

	KL             []float64 `json:"kl"` // by position
	Recovered      []float64 `json:"recovered,omitempty"`
	RecoveredError []float64 `json:"recovered_error,omitempty"` // of a sample
	Attribution    []float64 `json:"attribution,omitempty"`     // the estimate of Recovered, if asked for

	Whole Whole `json:"all_positions"` // with all positions patched at once
}

// Whole is what is recovered where all positions are patched at once.
type Whole struct {
	KL             float64  `json:"kl"`
	Recovered      *float64 `json:"recovered,omitempty"`
	RecoveredError *float64 `json:"recovered_error,omitempty"`
	Attribution    *float64 `json:"attribution,omitempty"`
}

// sums add up a group of pairs, each with its weight.
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

// estimate is Σa/Σb over groups, with an error where there are several.
func estimate(groups []sums, a, b func(*sums) float64) probe.Estimate {
	var above, below []float64
	for i := range groups {
		above, below = append(above, a(&groups[i])), append(below, b(&groups[i]))
	}
	e := probe.Ratio(above, below)
	if e.Mean == 0 {
		e.Mean = 0 // not −0, where below is negative
	}
	if len(groups) == 1 {
		e.Error = 0
	}
	return e
}

// finish makes the map of what the groups have added up.
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
		m.Degenerate = fmt.Sprintf("clean and corrupt words are equally far from the reference, to less than %g nats: "+
			"there is nothing to recover", LeastGap)
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

// warning says why shares of the gap between two KL say little; "" if they do.
func warning(clean, corrupt float64, gap probe.Estimate) string {
	said, then := "", "shares say nothing here"
	switch {
	case gap.Mean < 0:
		said = "the model is farther off over clean words than over corrupt ones"
	case gap.Mean < leastShare*corrupt:
		said = "the model is hardly nearer over clean words than over corrupt ones"
	case gap.Mean < 2*gap.Error:
		said = "the model may be no nearer over clean words than over corrupt ones, within two standard errors"
		then = "take more pairs"
	default:
		return ""
	}
	return fmt.Sprintf("%s (%.3g and %.3g nats, %.2g apart): %s", said, clean, corrupt, math.Abs(gap.Mean), then)
}

// finishRow makes the row of the sites from a number on, the last of which is all
// positions.
func (p *patcher[F]) finishRow(r Row, groups []sums, recovers bool, from int) MapRow {
	m := MapRow{Name: fmt.Sprintf("layer %d", r.Layer), Layer: r.Layer, Head: r.Head}
	if r.Head != All {
		m.Name = fmt.Sprintf("head %d.%d", r.Layer, r.Head)
	}
	gap := func(s *sums) float64 { return s.corrupt - s.clean }
	for i := range len(p.positions) + 1 {
		site, whole := from+i, i == len(p.positions)
		kl := estimate(groups, func(s *sums) float64 { return s.patched[site] }, func(s *sums) float64 { return s.weight })
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

// correlate sets the correlation of the estimate with what is recovered. Where nothing
// changes, as where words are the same, both are 0: such sites would make it near 1.
func (m *Map) correlate() {
	const rounding = 1e-9
	var x, y []float64
	for _, row := range m.Rows {
		for i, back := range row.Recovered {
			if estimate := row.Attribution[i]; max(math.Abs(estimate), math.Abs(back)) > rounding {
				x, y = append(x, estimate), append(y, back)
			}
		}
	}
	m.Compared = len(x)
	if len(x) < leastSites {
		return
	}
	// Not a number where one of both is constant.
	if r := stat.Correlation(x, y, nil); !math.IsNaN(r) {
		r = max(-1, min(r, 1))
		m.Correlation = &r
	}
}
