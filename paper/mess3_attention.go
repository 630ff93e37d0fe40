package paper

import (
	"fmt"
	"math"
	"strconv"

	"foretell/figure"
	"foretell/probe"
)

// testAttentionDecay is M6: Fig. 2C and Eq. 13.
func testAttentionDecay(s *Study, c *Claim) error {
	table := Table{
		Title: "the mean pattern over all words, weighted by probability",
		Columns: []string{
			"model", "slope, one intercept a source", "± standard error of the fit", "log ζ", "slope off by",
			"slope, one intercept", "spread over words", "Eq. 13 from A(m+1, m): mean |error|",
		},
	}
	worst, worstSpread := 0.0, 0.0
	for _, m := range s.of(singleHeadConditions(s.Profile)) {
		p := m.patterns[0]
		decay, want := probe.FitDecay(p.Mean, p.T), math.Log(m.zeta())
		off, spread := math.Abs(decay.Slope/want-1), relativeSpread(p)
		table.Rows = append(table.Rows, []string{
			m.label(), fmt.Sprintf("%.4f", decay.Slope), fmt.Sprintf("%.4f", decay.SlopeError), fmt.Sprintf("%.4f", want), fmt.Sprintf("%.1f %%", 100*off),
			fmt.Sprintf("%.4f", decay.Pooled), fmt.Sprintf("%.1f %%", 100*spread), fmt.Sprintf("%.4f", errorOfEq13(p, m.zeta())),
		})
		if m.norm == s.Profile.Norms[0] {
			worst, worstSpread = max(worst, off), max(worstSpread, spread)
		}
	}
	c.Tables = append(c.Tables, table)
	c.Setting = s.Profile.Setting
	c.Obtained = fmt.Sprintf("slopes within %.1f %% of log ζ; standard deviation over words %.1f %% of the mean", 100*worst, 100*worstSpread)
	switch {
	case worst <= 0.1 && worstSpread <= 0.2:
		c.Verdict = Holds
	case worst <= 0.3:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		"Unweighted least squares over all 45 pairs d > s of 10 positions. “Spread over words” is the standard deviation of A over all words, summed over the pairs, relative to the sum of the means. The standard error says how straight the 45 points of this one model lie; how much slopes differ between trainings it does not say.",
		"The caption of Fig. 2C has the exponent n−1, the text n. Eq. 13 fixes the ratio of lags only, so that this rule cannot tell them apart.",
		"The rule is about x = 0.15; for x = 0.5 ζ is negative and one head cannot follow it (claim M8).")
	return s.addPatterns(c)
}

// relativeSpread is ΣSD/Σmean over the pairs d > s.
func relativeSpread(p probe.Pattern) float64 {
	sd, mean := 0.0, 0.0
	eachPair(p.T, func(d, src int) {
		sd += p.SD[d*p.T+src]
		mean += p.Mean[d*p.T+src]
	})
	return sd / mean
}

// errorOfEq13 is the mean difference of A[d][s] from ζ^(d−s−1)·A[s+1][s] over
// the pairs d > s+1.
func errorOfEq13(p probe.Pattern, zeta float64) float64 {
	sum, n := 0.0, 0
	eachPair(p.T, func(d, src int) {
		if d > src+1 {
			sum += math.Abs(p.Mean[d*p.T+src] - math.Pow(zeta, float64(d-src-1))*p.Mean[(src+1)*p.T+src])
			n++
		}
	})
	return sum / float64(n)
}

// eachPair calls f for each destination d and source s with s < d < T.
func eachPair(T int, f func(d, s int)) {
	for d := range T {
		for s := range d {
			f(d, s)
		}
	}
}

// addPatterns draws the mean patterns and the decay of each source's attention.
func (s *Study) addPatterns(c *Claim) error {
	f := &figure.Figure{
		Title: "Attention by distance",
		Desc:  "For each process the mean attention pattern as a heat map, and attention against distance on a logarithmic scale beside the predicted exponential.",
		Cols:  []string{"mean pattern", "decay with distance"},
	}
	var rows [][]float64
	for _, m := range s.main(singleHeadConditions(s.Profile)) {
		p := m.patterns[0]
		f.Rows = append(f.Rows, m.String())
		f.Panels = append(f.Panels, []figure.Panel{heatMap(p), decayChart(p, m.zeta())})
		eachPair(p.T, func(d, src int) {
			i := d*p.T + src
			rows = append(rows, []float64{m.x, m.a, float64(d + 1), float64(src + 1), p.Mean[i], p.SD[i], math.Pow(m.zeta(), float64(d-src-1)) * p.Mean[(src+1)*p.T+src]})
		})
	}
	err := s.addFigure(c, "attention", "Left: the mean over all words. Right: each line is one source position, seen from later and later destinations, with the standard deviation over words. "+
		"The dashed lines fall by exactly ζ = 1−3x a step, starting where the source's line starts: what Eq. 13 predicts from A(s+1, s) alone.", f)
	if err != nil {
		return err
	}
	return s.addCSV(c, "attention", []string{"x", "alpha", "destination", "source", "mean", "sd", "eq13"}, rows)
}

func heatMap(p probe.Pattern) figure.Panel {
	h := figure.HeatMap{X: "source", Y: "destination", Label: "attention", Lower: true, Range: [2]float64{0, 1}}
	for d := range p.T {
		h.Z = append(h.Z, p.Mean[d*p.T:(d+1)*p.T])
		h.Rows = append(h.Rows, strconv.Itoa(d+1))
	}
	h.Cols = h.Rows
	return h
}

// decayChart shows a few sources, enough to see both the rule and the first one.
func decayChart(p probe.Pattern, zeta float64) figure.Panel {
	chart := figure.Chart{X: figure.Axis{Label: "distance d − s"}, Y: figure.Axis{Label: "attention A(d, s)", Log: true}}
	for i, src := range []int{0, 1, 3, 5} {
		var x, y, lo, hi, predicted []float64
		for d := src + 1; d < p.T; d++ {
			at := d*p.T + src
			x, y = append(x, float64(d-src)), append(y, p.Mean[at])
			lo, hi = append(lo, p.Mean[at]-p.SD[at]), append(hi, p.Mean[at]+p.SD[at])
			predicted = append(predicted, p.Mean[(src+1)*p.T+src]*math.Pow(zeta, float64(d-src-1)))
		}
		name := fmt.Sprintf("source %d", src+1)
		chart.Series = append(chart.Series,
			figure.Series{Name: name, X: x, Y: y, Lo: lo, Hi: hi, Color: i + 1, Dots: true},
			figure.Series{X: x, Y: predicted, Color: i + 1, Open: true})
	}
	return chart
}
