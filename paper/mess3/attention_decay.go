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
	return claim.Row{
		ID: "M6", Kind: claim.Number, Source: cite + "Fig. 2C, Eq. 13",
		Quote: "“Attention patterns are primarily determined by the positional distance between the destination " +
			"and source tokens, following an exponential decay described by (1−3x)^{⌊n−1⌋}. They are largely " +
			"independent of specific token sequences.” (Fig. 2C, x = 0.15, α = 0.6; no error bars, the number of " +
			"models is not stated.)",
		Statement: "Attention falls as (1−3x)ⁿ with distance n, whatever the tokens.",
		Expected: fmt.Sprintf("x = 0.15, α = 0.6: the attention A(d, s) from position d to position s is fitted by "+
			"a_s·λ^(d−s), by least squares in A over lags 1 to %d without the first source, and λ must equal ζ = "+
			"1−3x within %g (two one-sided tests over seeds, p ≤ %g). Attention must depend more on positions than "+
			"on tokens: its mean over sequences must account for more than half of its variance over sequences and "+
			"pairs (d, s). It differs if λ has another value; fails if attention does not decay, or depends on "+
			"tokens more than on positions; is open if the interval of λ decides nothing or the random "+
			"initialisation is also within this margin of ζ",
			probe.NearLags.To, decayMargin, significant),
		RuleCommit: "f3d654d", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(figure2)),
		Test: claim.Steps[decays]{
			Measure: l.measureDecays, Judge: decays.judge, Tabulate: decays.tabulate, Draw: decays.draw,
		}.Test,
	}
}

// decays is the measurement of M6: for each condition, the decay of attention in its
// models.
type decays struct {
	setting    string
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
	found.setting = l.setting
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
		pattern: p, lambda: probe.FitExponential(p.Mean, p.T, probe.NearLags).Lambda,
		slope:      probe.FitDecay(p.Mean, p.T).Slope,
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
	return real(steady.Decays[0]), nil
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
	var conditions []claim.Condition
	for _, g := range m.conditions {
		conditions = append(conditions, g.judged(decay.falls, func(found, random []decay) claim.Condition {
			return judgeDecay(found, random, g.Zeta())
		}))
	}
	finding := claim.NewFinding(conditions)
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
	switch {
	case stat.Mean(lambdas, nil) >= 1 || positional <= 0.5:
		c.Verdict = claim.Fails
	case math.Abs(control-zeta) <= decayMargin:
		c.Verdict, c.Reason = claim.Open, claim.Power
	case equal <= significant:
		c.Verdict = claim.Holds
	case sign(lambdas, zeta) != 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
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

func (m decays) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "the mean attention pattern over all sequences, weighted by probability",
		Columns: []string{
			"model", "seed", "converged", "λ, least squares in A", "random init", "ζ", "linear filter: ρ",
			"exp(slope of log A)", "spread over sequences", "Eq. 13 from A(m+1, m): mean |error|",
		},
	}
	for _, g := range m.conditions {
		for _, d := range g.models {
			table.Rows = append(table.Rows, []string{
				d.Label(), fmt.Sprint(d.Seed), yesOr(d.unconverged), fmt.Sprintf("%.4f", d.found.lambda),
				fmt.Sprintf("%.4f", d.random.lambda), fmt.Sprintf("%.4f", g.Zeta()), fmt.Sprintf("%.4f", m.filter),
				fmt.Sprintf("%.4f", math.Exp(d.found.slope)), fmt.Sprintf("%.1f %%", 100*d.found.spread),
				fmt.Sprintf("%.4f", d.found.eq13),
			})
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"The fit is in A and not in log A: softmax attention does not fall to 0 at large lags, and these dominate a "+
			"fit of log A over all lags (see the column of slopes). The first source is excluded, because attention "+
			"to it represents everything that might have come before it.",
		"ρ is the factor by which a token's contribution decays in the linear least-squares filter: the sum of "+
			"functions of (position, token) that predicts the belief best. This filter is not Eq. 26. Claim M6b "+
			"compares further predictions of the decay.",
		"The caption of Fig. 2C has the exponent n−1, the text has n. Eq. 13 fixes only the ratio between lags, so "+
			"this rule cannot distinguish the two exponents.",
		"The margin, the lags and the fit were chosen when λ was known to be near 0.48 in a model of this "+
			"condition.")
}

func (m decays) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Attention by distance",
		Desc: "For each process, the mean attention pattern as a heat map, and attention against distance on a " +
			"logarithmic scale together with the predicted exponential.",
		Cols: []string{"mean pattern", "decay with distance"},
	}
	var rows [][]float64
	var bySeed []figure.Panel
	for _, g := range trainedOnly(m.conditions) {
		p := g.models[0].found.pattern
		f.Rows = append(f.Rows, g.String())
		f.Panels = append(f.Panels, []figure.Panel{heatMap(p), decayChart(p, g.Zeta())})
		rows = append(rows, patternRows(g.Source, p)...)
		bySeed = append(bySeed, seedChart(g, "λ", decay.falls,
			figure.Ref{Label: "ζ", Value: g.Zeta()}, figure.Ref{Label: "ρ", Value: m.filter}))
	}
	out.Captioned("lambda", "Points: λ of each model. Lines: ζ, the claimed value, and ρ, the decay of the linear "+
		"filter. Grey: the random initialisation, whose attention is spread evenly over all positions.",
		&figure.Figure{
			Title: "Decay of attention by seed", Desc: "Points by seed, with the mean and its interval, and two lines.",
			Panels: [][]figure.Panel{bySeed},
		})
	out.CSV("lambda", document.Numbers(seedColumns("lambda", "spread"),
		seedRows(m.conditions, decay.falls, func(d decay) float64 { return d.spread })))
	out.Captioned("attention", "The model of the first seed. Left: the mean over all sequences. Right: each line is "+
		"one source position, seen from successively later destinations, with the standard deviation over "+
		"sequences. The dashed lines decay by exactly ζ = 1−3x per step, starting where the source's line starts: "+
		"this is what Eq. 13 predicts from A(s+1, s) alone.", f)
	out.CSV("attention", document.Numbers([]string{"x", "alpha", "destination", "source", "mean", "sd", "eq13"}, rows))
}

// patternRows returns a row for each pair d > s of a pattern, for the data file.
func patternRows(on trained.Source, p probe.Pattern) (rows [][]float64) {
	eachPair(p.T, func(to, src int) {
		i := to*p.T + src
		rows = append(rows, []float64{
			on.X, on.A, float64(to + 1), float64(src + 1), p.Mean[i], p.SD[i], eq13(p, on.Zeta(), to, src),
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

// decayChart draws attention against distance for a few sources, enough to show the
// exponential decay, and that the first source does not follow it.
func decayChart(p probe.Pattern, zeta float64) figure.Panel {
	chart := figure.Chart{
		X: figure.Axis{Label: "distance d − s"}, Y: figure.Axis{Label: "attention A(d, s)", Log: true},
	}
	for i, src := range []int{0, 1, 3, 5} {
		measured := figure.Series{Name: fmt.Sprintf("source %d", src+1), Color: i + 1, Dots: true}
		predicted := figure.Series{Common: "Eq. 13 in the colour of its source", Color: i + 1, Open: true}
		for d := src + 1; d < p.T; d++ {
			at, lag := d*p.T+src, float64(d-src)
			measured.X = append(measured.X, lag)
			measured.Y = append(measured.Y, p.Mean[at])
			measured.Lo = append(measured.Lo, p.Mean[at]-p.SD[at])
			measured.Hi = append(measured.Hi, p.Mean[at]+p.SD[at])
			predicted.X = append(predicted.X, lag)
			predicted.Y = append(predicted.Y, eq13(p, zeta, d, src))
		}
		chart.Series = append(chart.Series, measured, predicted)
	}
	return chart
}
