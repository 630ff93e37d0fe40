package mess3

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// The rule of M6: how far slopes may be off log ζ, and the standard deviation of
// attention over words, relative to its mean.
const (
	decayOff    = 0.1
	decayFarOff = 0.3 // differs up to here
	decaySpread = 0.2
)

// attentionDecay is M6: Piotrowski et al. 2025, Fig. 2C and Eq. 13.
func (l *lab) attentionDecay() claim.Row {
	return claim.Row{
		ID: "M6", Source: cite + "Fig. 2C, Eq. 13",
		Statement: "Attention falls as (1−3x)ⁿ with distance n, whatever the tokens.",
		Expected: fmt.Sprintf("x = 0.15: the slope of log A against distance, one intercept a source (Eq. 13), "+
			"within %s of log ζ = log(1−3x), and the standard deviation of A over words at most %s of its mean; "+
			"differs if within %s",
			percent(decayOff), percent(decaySpread), percent(decayFarOff)),
		Trainings: trained.Trainings(l.withHeads(1)),
		Test: claim.Steps[decays]{
			Measure: l.measureDecays, Judge: decays.judge, Tabulate: decays.tabulate, Draw: decays.draw,
		}.Test,
	}
}

// decays are the decay of attention in several models.
type decays struct {
	setting string
	models  []decay
}

// decay is how attention falls in one.
type decay struct {
	trained.Condition
	main    bool // with the normalisation that the rule is about
	pattern probe.Pattern
	fit     probe.Decay
	off     float64 // of the slope from log ζ, relative
	spread  float64 // ΣSD/Σmean over the pairs d > s
	eq13    float64 // mean difference of A(d, s) from ζ^(d−s−1)·A(s+1, s)
}

func (l *lab) measureDecays(ctx context.Context, s *claim.Study) (decays, error) {
	subjects, err := l.of(ctx, s, l.withHeads(1))
	found := decays{setting: l.setting}
	for _, m := range subjects {
		p := m.patterns[0]
		fit := probe.FitDecay(p.Mean, p.T)
		found.models = append(found.models, decay{
			Condition: m.Condition, main: l.isMain(m.Condition), pattern: p, fit: fit,
			off: math.Abs(fit.Slope/math.Log(m.Zeta()) - 1), spread: relativeSpread(p), eq13: errorOfEq13(p, m.Zeta()),
		})
	}
	return found, err
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
			sum += math.Abs(p.Mean[d*p.T+src] - eq13(p, zeta, d, src))
			n++
		}
	})
	return sum / float64(n)
}

// eq13 is what Eq. 13 makes of A(s+1, s) for a later destination.
func eq13(p probe.Pattern, zeta float64, d, src int) float64 {
	return math.Pow(zeta, float64(d-src-1)) * toNext(p, src+1)
}

// toNext is A(m+1, m): the mean attention to position m, from 1, of the next one.
func toNext(p probe.Pattern, m int) float64 { return p.Mean[m*p.T+m-1] }

// eachPair calls f for each destination d and source s with s < d < T.
func eachPair(T int, f func(d, s int)) {
	for d := range T {
		for s := range d {
			f(d, s)
		}
	}
}

func (m decays) judge() claim.Finding {
	off, spread := 0.0, 0.0
	for _, d := range m.models {
		if d.main {
			off, spread = max(off, d.off), max(spread, d.spread)
		}
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("slopes within %.1f %% of log ζ; standard deviation over words %.1f %% of the mean",
			100*off, 100*spread),
	}
	switch {
	case off <= decayOff && spread <= decaySpread:
		found.Verdict = claim.Holds
	case off <= decayFarOff:
		found.Verdict = claim.Differs
	}
	return found
}

func (m decays) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "the mean pattern over all words, weighted by probability",
		Columns: []string{
			"model", "slope, one intercept a source", "± standard error of the fit", "log ζ", "slope off by",
			"slope, one intercept", "spread over words", "Eq. 13 from A(m+1, m): mean |error|",
		},
	}
	for _, d := range m.models {
		table.Rows = append(table.Rows, []string{
			d.Label(), fmt.Sprintf("%.4f", d.fit.Slope), fmt.Sprintf("%.4f", d.fit.SlopeError),
			fmt.Sprintf("%.4f", math.Log(d.Zeta())), fmt.Sprintf("%.1f %%", 100*d.off),
			fmt.Sprintf("%.4f", d.fit.Pooled), fmt.Sprintf("%.1f %%", 100*d.spread), fmt.Sprintf("%.4f", d.eq13),
		})
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"Unweighted least squares over all 45 pairs d > s of 10 positions. “Spread over words” is the standard "+
			"deviation of A over all words, summed over the pairs, relative to the sum of the means. The standard "+
			"error says how straight the 45 points of this one model lie; how much slopes differ between trainings "+
			"it does not say.",
		"The caption of Fig. 2C has the exponent n−1, the text n. Eq. 13 fixes the ratio of lags only, so that this "+
			"rule cannot tell them apart.",
		"The rule is about x = 0.15; for x = 0.5 ζ is negative and one head cannot follow it (claim M8).")
}

func (m decays) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Attention by distance",
		Desc: "For each process the mean attention pattern as a heat map, and attention against distance on a " +
			"logarithmic scale beside the predicted exponential.",
		Cols: []string{"mean pattern", "decay with distance"},
	}
	var rows [][]float64
	for _, d := range m.models {
		if !d.main {
			continue
		}
		f.Rows = append(f.Rows, d.Source.String())
		f.Panels = append(f.Panels, []figure.Panel{heatMap(d.pattern), decayChart(d.pattern, d.Zeta())})
		rows = append(rows, d.rows()...)
	}
	out.Figure("attention", "Left: the mean over all words. Right: each line is one source position, seen from "+
		"later and later destinations, with the standard deviation over words. The dashed lines fall by exactly ζ = "+
		"1−3x a step, starting where the source's line starts: what Eq. 13 predicts from A(s+1, s) alone.", f)
	out.CSV("attention", []string{"x", "alpha", "destination", "source", "mean", "sd", "eq13"}, rows)
}

// rows are the pairs d > s of the pattern, for the file of data.
func (d decay) rows() (rows [][]float64) {
	p := d.pattern
	eachPair(p.T, func(to, src int) {
		i := to*p.T + src
		rows = append(rows, []float64{
			d.X, d.A, float64(to + 1), float64(src + 1), p.Mean[i], p.SD[i], eq13(p, d.Zeta(), to, src),
		})
	})
	return rows
}

// heatMap draws a head's mean pattern.
func heatMap(p probe.Pattern) figure.Panel {
	h := lowerTriangle(p.Mean, p.T)
	h.Label, h.Range = "attention", [2]float64{0, 1}
	return h
}

// lowerTriangle draws a (T,T) pattern of destinations by sources.
func lowerTriangle(pattern []float64, T int) figure.HeatMap {
	h := figure.HeatMap{X: "source", Y: "destination", Lower: true}
	for d := range T {
		h.Z = append(h.Z, pattern[d*T:(d+1)*T])
		h.Rows = append(h.Rows, strconv.Itoa(d+1))
	}
	h.Cols = h.Rows
	return h
}

// decayChart shows a few sources, enough to see both the rule and the first one.
func decayChart(p probe.Pattern, zeta float64) figure.Panel {
	chart := figure.Chart{
		X: figure.Axis{Label: "distance d − s"}, Y: figure.Axis{Label: "attention A(d, s)", Log: true},
	}
	for i, src := range []int{0, 1, 3, 5} {
		measured := figure.Series{Name: fmt.Sprintf("source %d", src+1), Color: i + 1, Dots: true}
		predicted := figure.Series{Color: i + 1, Open: true}
		for d := src + 1; d < p.T; d++ {
			at, lag := d*p.T+src, float64(d-src)
			measured.X, measured.Y = append(measured.X, lag), append(measured.Y, p.Mean[at])
			measured.Lo = append(measured.Lo, p.Mean[at]-p.SD[at])
			measured.Hi = append(measured.Hi, p.Mean[at]+p.SD[at])
			predicted.X, predicted.Y = append(predicted.X, lag), append(predicted.Y, eq13(p, zeta, d, src))
		}
		chart.Series = append(chart.Series, measured, predicted)
	}
	return chart
}
