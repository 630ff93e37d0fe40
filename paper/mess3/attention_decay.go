package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/theory"

	"gonum.org/v1/gonum/stat"
)

// decaySpread is the threshold of a further question about M6: the largest standard
// deviation of attention over sequences, relative to its mean. The rule of M6 uses
// another threshold, decayMargin of M6b. That margin is a tenth of ζ at x = 0.15, and at
// α = 0.6 also six tenths of the difference between ζ and the decay of the linear filter.
const decaySpread = 0.2

// figure2 is the process of Fig. 2.
var figure2 = trained.Mess3(0.15, 0.6)

// attentionDecay is M6: Piotrowski et al. 2025, Fig. 2C and Eq. 13.
func (l *lab) attentionDecay() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M6", Kind: claim.Number, Setting: l.setting,
		RuleCommit: "f3d654d", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(figure2)),
		First:     claim.FirstBy("c304182", decays.first),
		Test: claim.Steps[decays]{
			Measure: l.measureDecays, Judge: decays.judge, Tabulate: decays.tabulate, Draw: decays.draw,
		}.Test,
	}, map[string]any{"lag": probe.NearLags.To, "margin": decayMargin, "level": significant})
}

// decays is the measurement of M6: for each condition, the decay of attention in its
// models.
type decays struct {
	conditions []replicates[decay]
	filter     float64 // ρ, the decay of the linear filter
}

// decay describes how attention decays in one model.
type decay struct {
	pattern    probe.Pattern
	lambda     float64 // by least squares in attention
	slope      float64 // of log A, see [probe.FitDecay]
	positional float64 // share of the variance of attention that positions alone explain
	spread     float64 // ΣSD/Σmean over the pairs d > s
	eq13       float64 // mean |A(d, s) − ζ^(d−s−1)·A(s+1, s)|
}

func (l *lab) measureDecays(ctx context.Context, s *claim.Study) (found decays, err error) {
	found.conditions, err = measureReplicates(ctx, l, s, []trained.Source{figure2}, measureDecay)
	if err != nil {
		return found, err
	}
	found.filter, err = filterDecay(ctx, figure2)
	return found, err
}

// measureDecay measures the first head.
func measureDecay(m *subject) (decay, error) {
	p := m.patterns[0]
	return decay{
		pattern: p, lambda: probe.FitExponential(p.Mean, p.T, probe.NearLags),
		slope:      probe.FitDecay(p.Mean, p.T),
		positional: positionalShare(p), spread: relativeSpread(p), eq13: errorOfEq13(p, m.Zeta()),
	}, nil
}

// filterDecay returns ρ, the factor by which the contribution of a token decays per step
// in the linear filter.
func filterDecay(ctx context.Context, on trained.Source) (float64, error) {
	h, err := on.HMM()
	if err != nil {
		return 0, err
	}
	steady, err := theory.Of(h).LinearFilter().Steady(ctx)
	if err != nil {
		return 0, err
	}
	return real(steady.Decays[0]), nil // Mess3 has only one decay, which is real
}

// positionalShare returns the share of the variance of attention that positions alone
// explain. The variance is over sequences and pairs d > s; the explained part is the
// variance, over pairs, of the mean over sequences.
func positionalShare(p probe.Pattern) float64 {
	var means []float64
	tokens := 0.0
	eachPair(p.T, func(d, src int) {
		means = append(means, p.Mean[d*p.T+src])
		tokens += p.SD[d*p.T+src] * p.SD[d*p.T+src]
	})
	positions := stat.PopVariance(means, nil) * float64(len(means))
	return positions / (positions + tokens)
}

// relativeSpread returns ΣSD/Σmean over the pairs d > s.
func relativeSpread(p probe.Pattern) float64 {
	sd, mean := 0.0, 0.0
	eachPair(p.T, func(d, src int) {
		sd += p.SD[d*p.T+src]
		mean += p.Mean[d*p.T+src]
	})
	return sd / mean
}

// errorOfEq13 returns the mean absolute difference of A[d][s] from ζ^(d−s−1)·A[s+1][s]
// over the pairs d > s+1.
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

// eq13 returns the attention from destination d to source src, both from 0, that Eq. 13
// predicts from the attention of the next position to src.
func eq13(p probe.Pattern, zeta float64, d, src int) float64 {
	return math.Pow(zeta, float64(d-src-1)) * toNext(p, src+1)
}

// toNext returns A(m+1, m), the mean attention that position m receives from the next
// position. Positions are counted from 1.
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
	finding := claim.NewFinding(claim.ConditionsOf(m.conditions, func(g replicates[decay]) claim.Condition {
		return g.judged(decay.falls, func(found, random []decay) claim.Condition {
			return judgeDecay(found, random, g.Zeta())
		})
	}))
	for _, g := range m.conditions {
		finding.Asked = append(finding.Asked, askSpread(g))
	}
	return finding
}

// falls returns λ, the factor by which attention decays per step.
func (d decay) falls() float64 { return d.lambda }

// judgeDecay judges the models of a condition.
func judgeDecay(found, random []decay, zeta float64) claim.Condition {
	lambdas, control := numbers(found, decay.falls), mean(random, decay.falls)
	positional := mean(found, func(d decay) float64 { return d.positional })
	equal := claim.Equivalent(lambdas, zeta, decayMargin)
	c := claim.Condition{
		Effect: claim.Over("decay of attention per step", "", lambdas).Beside("ζ = 1−3x", zeta).
			Against("random initialisation", control),
		Obtained: fmt.Sprintf("λ = %s where ζ = %.3g (equal within %g: p = %.2g); the mean of attention over "+
			"sequences accounts for %.0f %% of its variance",
			withInterval("%.3f", lambdas), zeta, decayMargin, equal, 100*positional),
	}
	if stat.Mean(lambdas, nil) >= 1 || positional <= 0.5 {
		c.Verdict = claim.Fails
	} else {
		c.Verdict, c.Reason = besideZeta(lambdas, control, zeta)
	}
	return c
}

// besideZeta returns the verdict on decays, one for each seed, that should be ζ. The
// control is the decay at random initialisation.
func besideZeta(lambdas []float64, control, zeta float64) (claim.Verdict, claim.Reason) {
	switch {
	case math.Abs(control-zeta) <= decayMargin:
		return claim.Open, claim.Power
	case claim.Equivalent(lambdas, zeta, decayMargin) <= significant:
		return claim.Holds, ""
	case sign(lambdas, zeta) != 0:
		return claim.Differs, claim.Size
	}
	return claim.Open, claim.Power
}

// askSpread asks whether the standard deviation of attention over sequences is at most
// decaySpread times its mean.
func askSpread(g replicates[decay]) claim.Question {
	question := fmt.Sprintf("%s: is the standard deviation of attention over sequences at most %s of its mean? "+
		"(The laboratory's own threshold: the paper gives no number for “largely independent”.)",
		g, percent(decaySpread))
	return g.asked(question, func(q *claim.Question, found, _ []decay) {
		spreads := numbers(found, func(d decay) float64 { return d.spread })
		q.Answer = claim.AnswerIf(slices.Max(spreads) <= decaySpread)
		q.Obtained = fmt.Sprintf("%.1f %% on average over seeds, at most %.1f %%",
			100*stat.Mean(spreads, nil), 100*slices.Max(spreads))
		q.Effect = claim.Over("standard deviation over sequences, relative to the mean", "", spreads)
	})
}

func (m decays) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.bySeed().Table()) }

// bySeed returns a frame with a row for each model.
func (m decays) bySeed() document.Frame {
	title := "the mean attention pattern over all sequences, weighted by probability"
	return seedFrame(title, m.conditions, []document.Column{
		{Name: "lambda", Heading: "λ, least squares in A", Format: "%.4f"},
		{Name: "lambda_random_init", Heading: "random init", Format: "%.4f"},
		{Heading: "ζ", Format: "%.4f"},
		{Heading: "linear filter: ρ", Format: "%.4f"},
		{Heading: "exp(slope of log A)", Format: "%.4f"},
		{Name: "spread", Heading: "spread over sequences", Format: "%.1f %%"},
		{Name: "spread_random_init"},
		{Heading: "Eq. 13 from A(m+1, m): mean |error|", Format: "%.4f"},
	}, func(on trained.Source, d, random decay) []any {
		return []any{
			d.lambda, random.lambda, on.Zeta(), m.filter, math.Exp(d.slope), d.spread, random.spread, d.eq13,
		}
	})
}

func (m decays) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Attention by distance",
		Desc: "For each process, the mean attention pattern as a heat map, and attention against distance on a " +
			"logarithmic scale together with the predicted exponential.",
		Cols: []string{"mean pattern", "decay with distance"},
	}
	pairs := document.Frame{Columns: document.Named("x", "alpha", "destination", "source", "mean", "sd", "eq13")}
	var bySeed []figure.Panel
	for _, g := range trainedOnly(m.conditions) {
		p := g.Models[0].Found.pattern
		f.Rows = append(f.Rows, g.String())
		f.Panels = append(f.Panels, []figure.Panel{heatMap(p), decayChart(p, g.Zeta())})
		addPairs(&pairs, g.Source, p)
		bySeed = append(bySeed, seedChart(g, "λ", decay.falls,
			figure.Ref{Label: "ζ", Value: g.Zeta()}, figure.Ref{Label: "ρ", Value: m.filter}))
	}
	out.Figure("lambda", figure.Row("Decay of attention by seed",
		"Points by seed, with the mean and its interval, and two lines.", bySeed...))
	out.CSV("lambda", m.bySeed())
	out.Figure("attention", f)
	out.CSV("attention", pairs)
}

// addPairs adds a row for each pair d > s of a pattern.
func addPairs(f *document.Frame, on trained.Source, p probe.Pattern) {
	eachPair(p.T, func(to, src int) {
		i := to*p.T + src
		f.Row(on.X, on.A, to+1, src+1, p.Mean[i], p.SD[i], eq13(p, on.Zeta(), to, src))
	})
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

// decayChart draws attention against distance for a few sources, enough to show the
// exponential decay, and that the first source does not follow it.
func decayChart(p probe.Pattern, zeta float64) figure.Panel {
	chart := figure.Chart{
		X: figure.Axis{Label: "distance d − s"}, Y: figure.Axis{Label: "attention A(d, s)", Log: true},
	}
	for i, src := range []int{0, 1, 3, 5} {
		measured := figure.Series{Name: fmt.Sprintf("source %d", src+1), Color: i + 1, Style: figure.Scatter}
		predicted := figure.Series{
			Name: "Eq. 13 in the colour of its source", Shared: true, Color: i + 1, Open: true,
		}
		for d := src + 1; d < p.T; d++ {
			at, lag := d*p.T+src, float64(d-src)
			measured.AddInterval(lag, p.Mean[at], p.Mean[at]-p.SD[at], p.Mean[at]+p.SD[at])
			predicted.Add(lag, eq13(p, zeta, d, src))
		}
		chart.Series = append(chart.Series, measured, predicted)
	}
	return chart
}
