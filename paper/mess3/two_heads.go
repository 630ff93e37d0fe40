package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"

	"gonum.org/v1/gonum/floats"
)

// The rule of M8.
const (
	// headsOpposed is the threshold at which two vectors count as opposite: their cosine
	// is at most −headsOpposed, so they are within 26 degrees of opposite directions.
	headsOpposed = 0.9
	// Thresholds of a further question: the smallest share of the positive head's attention
	// at even lags, the largest share of the negative head's, and the largest difference of
	// the combined pattern from ζⁿ.
	evenPositive = 0.75
	evenNegative = 0.25
	combinedOff  = 0.2
)

// figure3 are the processes of Fig. 3, which states only x > 1/3: those in the paper's
// other figures that satisfy it.
var figure3 = []trained.Source{trained.Mess3(0.5, 0.2), trained.Mess3(0.5, 0.6)}

// twoHeads is M8: Piotrowski et al. 2025, Fig. 3 and Eq. 16–20.
func (l *lab) twoHeads() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M8", Kind: claim.Explanation, StandsOn: others(onOneFit, "M8"), Setting: l.setting,
		RuleCommit: "b7cec60", ChangedAfterResult: true, Trainings: trained.Trainings(l.onProcesses(figure3...)),
		First: claim.FirstBy("fe6577b", headPairs.first),
		Test: claim.Steps[headPairs]{
			Measure: l.measureTwoHeads, Judge: headPairs.judge, Tabulate: headPairs.tabulate, Draw: headPairs.draw,
		}.Test,
	}, map[string]any{
		"opposed": headsOpposed, "lags": probe.NearLags.To, "margin": decayMargin, "level": significant,
	})
}

// headPairs is the measurement of M8, by condition.
type headPairs struct {
	conditions []replicates[headPair]
	filter     map[trained.Source]float64 // the decay of the linear filter, which is negative
}

// headPair measures what the two heads of a layer do together.
type headPair struct {
	zeta      float64
	heads     [2]ovHead
	cosines   []float64 // between their OV vectors at each (position, token), ascending
	combined  []float64 // (T,T): Σ_h A_h(d, s)·scale_h(s) for d > s
	predicted []float64 // (T,T): ζ^(d−s) for d > s
	relative  float64   // root of Σ(combined − predicted)²/Σ predicted², without the first source
	byLag     []float64 // combined at lags 1, 2, …, mean over sources except the first
	falls     float64   // factor by which (−1)ⁿ·combined decays per step, by least squares
}

// ovHead is one of the two heads. The first is the positive head, whose OV vectors point
// along Pr(S|z) − π.
type ovHead struct {
	pattern probe.Pattern
	scale   []float64 // by source position: its OV vectors as multiples of Pr(S|z) − π
	even    float64   // share of even lags in its attention to earlier positions
}

func (l *lab) measureTwoHeads(ctx context.Context, s *claim.Study) (headPairs, error) {
	conditions, err := measureReplicates(ctx, l, s, figure3, (*subject).headPair)
	found := headPairs{conditions, map[trained.Source]float64{}}
	for _, on := range figure3 {
		if err == nil {
			found.filter[on], err = filterDecay(ctx, on)
		}
	}
	return found, err
}

// headPair measures the two heads of the first layer.
func (s *subject) headPair() (headPair, error) {
	pair := headPair{zeta: s.Zeta()}
	first, err := s.readFirstLayer()
	if err != nil {
		return pair, err
	}
	var vectors [2][]point
	for i := range pair.heads {
		vectors[i], _ = s.split(first.OV(s.Model, i), first.Tokens)
		scale, err := s.scales(vectors[i])
		if err != nil {
			return pair, err
		}
		pair.heads[i] = ovHead{s.patterns[i], scale, evenShare(s.patterns[i])}
	}
	for i, v := range vectors[0] {
		pair.cosines = append(pair.cosines, cosine(v, vectors[1][i]))
	}
	slices.Sort(pair.cosines)
	pair.combine()
	if seeds.Mean(pair.heads[1].scale) > seeds.Mean(pair.heads[0].scale) {
		slices.Reverse(pair.heads[:])
	}
	return pair, nil
}

// scales returns the vectors of each position, (positions, tokens), as a multiple of
// Pr(S|z) − π, by least squares over tokens.
func (s *subject) scales(vectors []point) ([]float64, error) {
	tokens := s.HMM.Alphabet()
	scales := make([]float64, len(vectors)/tokens)
	square := 0.0
	for z := range tokens {
		source, err := s.HMM.Constrained([]int32{int32(z)})
		if err != nil {
			return nil, err
		}
		to := project(source) // relative to the centre, which is π
		square += to[0]*to[0] + to[1]*to[1]
		for p := range scales {
			v := vectors[p*tokens+z]
			scales[p] += v[0]*to[0] + v[1]*to[1]
		}
	}
	for p := range scales {
		scales[p] /= square
	}
	return scales, nil
}

// evenShare returns the share of even lags in the attention to earlier positions.
func evenShare(p probe.Pattern) float64 {
	even, all := 0.0, 0.0
	eachPair(p.T, func(d, src int) {
		weight := p.Mean[d*p.T+src]
		all += weight
		if (d-src)%2 == 0 {
			even += weight
		}
	})
	return even / all
}

// combine computes the combined pattern of the heads and the predicted pattern ζⁿ.
func (h *headPair) combine() {
	T := h.heads[0].pattern.T
	h.combined, h.predicted = make([]float64, T*T), make([]float64, T*T)
	unsigned := make([]float64, T*T)
	h.byLag = make([]float64, T-2)
	difference, size := 0.0, 0.0
	eachPair(T, func(d, src int) {
		at, lag := d*T+src, d-src
		for _, head := range h.heads {
			h.combined[at] += head.pattern.Mean[at] * head.scale[src]
		}
		h.predicted[at] = math.Pow(h.zeta, float64(lag))
		unsigned[at] = math.Pow(-1, float64(lag)) * h.combined[at]
		if src == 0 {
			return // attention to it represents everything that might have come before it
		}
		h.byLag[lag-1] += h.combined[at] / float64(T-1-lag)
		difference += math.Pow(h.combined[at]-h.predicted[at], 2)
		size += math.Pow(h.predicted[at], 2)
	})
	h.relative = math.Sqrt(difference / size)
	if h.falls = probe.FitExponential(unsigned, T, probe.NearLags); h.falls < noDecay {
		h.falls = 0 // the fit has stopped at the lower end of its search range
	}
}

// noDecay is the largest fitted decay that counts as 0.
const noDecay = 1e-9

// alternates reports whether the combined pattern has the sign of (−1)ⁿ at each near lag.
func (h headPair) alternates() bool {
	for i, x := range h.byLag[:min(len(h.byLag), probe.NearLags.To)] {
		if (i%2 == 0) != (x < 0) {
			return false
		}
	}
	return true
}

// decay returns the factor by which the combined pattern decays per step. medianCosine
// returns the median cosine between the OV vectors of the two heads.
func (h headPair) decay() float64        { return h.falls }
func (h headPair) medianCosine() float64 { return seeds.Median(h.cosines) }

func (m headPairs) judge() claim.Finding {
	finding := judgeEach(m.conditions, headPair.decay, judgeHeads)
	for _, g := range m.conditions {
		finding.Asked = append(finding.Asked, askSplit(g))
	}
	return finding
}

// judgeHeads judges the models of a condition.
func judgeHeads(found, random []headPair) claim.Condition {
	zeta := math.Abs(found[0].zeta)
	falls, opposed := numbers(found, headPair.decay), mean(found, headPair.medianCosine)
	alternating, control := alternatingIn(found), alternatingIn(random)
	equal := claim.Equivalent(falls, zeta, decayMargin)
	c := claim.Condition{
		Effect: claim.Over("decay of the combined pattern per step", "", falls).Beside("|ζ|", zeta).
			Against("random initialisation", mean(random, headPair.decay)),
		Obtained: fmt.Sprintf("median cosine of the OV vectors %.3f (random initialisation %.3f); combined "+
			"patterns alternate in %d of %d models (random %d) and decay by %s per step where |ζ| = %.3g (equal "+
			"within %g: p = %.2g)",
			opposed, mean(random, headPair.medianCosine), alternating, len(found), control,
			withInterval("%.3f", falls), zeta, decayMargin, equal),
	}
	asWell := mean(random, headPair.medianCosine) <= -headsOpposed && control == len(random)
	switch {
	case opposed > -headsOpposed || alternating == 0:
		c.Verdict = claim.Fails
	case asWell:
		c.Verdict, c.Reason = claim.Open, claim.Power
	case alternating < len(found):
		c.Verdict, c.Reason = claim.Differs, claim.Size
	case equal <= significant:
		c.Verdict = claim.Holds
	case sign(falls, zeta) != 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

// alternatingIn counts the models whose combined pattern alternates.
func alternatingIn(models []headPair) (count int) {
	for _, h := range models {
		if h.alternates() {
			count++
		}
	}
	return count
}

// askSplit asks whether the heads divide the lags strictly as in Eq. 18 and 19, and
// whether the combined pattern has the size of ζⁿ.
func askSplit(g replicates[headPair]) claim.Question {
	question := fmt.Sprintf("%s: do the heads divide even and odd lags as in Eq. 18 and 19 (at least %s of the "+
		"positive head's attention to earlier positions at even lags, at most %s of the negative head's), and is "+
		"the combined pattern within %s of ζⁿ (root of summed squares)? (The laboratory's own thresholds: the "+
		"paper calls that split natural.)",
		g, percent(evenPositive), percent(evenNegative), percent(combinedOff))
	return g.asked(question, func(q *claim.Question, found, random []headPair) {
		relative := func(h headPair) float64 { return h.relative }
		positive := mean(found, func(h headPair) float64 { return h.heads[0].even })
		negative := mean(found, func(h headPair) float64 { return h.heads[1].even })
		off := mean(found, relative)
		q.Answer = claim.AnswerIf(positive >= evenPositive && negative <= evenNegative && off <= combinedOff)
		q.Obtained = fmt.Sprintf("even lags have %.0f %% of the attention of the positive head and %.0f %% of the "+
			"attention of the negative head; the combined pattern is within %.1f %% of ζⁿ (averages over seeds)",
			100*positive, 100*negative, 100*off)
		q.Effect = claim.Over("relative difference of the combined pattern from ζⁿ", "", numbers(found, relative)).
			Against("random initialisation", mean(random, relative))
	})
}

func (m headPairs) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame().Table()) }

// frame returns a row for each model.
func (m headPairs) frame() document.Frame {
	title := "two heads through f; OV vectors without the part that all tokens share"
	columns := slices.Concat(
		document.Named("decay", "decay_random_init"),
		[]document.Column{
			{Name: "median_cosine", Heading: "median cosine of the two OV vectors", Format: "%.4f"},
			{Name: "median_cosine_random_init", Heading: "random init", Format: "%.4f"},
		},
		document.Headed("", "alternates"), document.Headed("%.4f", "decay per step", "|ζ|", "linear filter: |ρ|"),
		[]document.Column{
			{Name: "relative_error", Heading: "combined against ζⁿ: relative error", Format: "%.1f %%"},
			{Name: "relative_error_random_init", Heading: "random init", Format: "%.1f %%"},
		},
		document.Headed("%.1f %%", "attention to even lags, positive head", "attention to even lags, negative head"),
	)
	return seedFrame(title, m.conditions, columns, func(on trained.Source, found, random headPair) []any {
		return []any{
			found.falls, random.falls, found.medianCosine(), random.medianCosine(), fmt.Sprint(found.alternates()),
			found.falls, math.Abs(on.Zeta()), math.Abs(m.filter[on]), found.relative, random.relative,
			found.heads[0].even, found.heads[1].even,
		}
	})
}

func (m headPairs) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Two heads divide a pattern that one cannot produce",
		Desc: "For each process four heat maps: attention of the two heads, their sum signed and scaled by their " +
			"OV vectors, and the predicted powers of ζ.",
		Cols: []string{"positive head", "negative head", "signed and combined", "ζⁿ (Eq. 17)"},
	}
	var bySeed []figure.Panel
	for _, g := range trainedOnly(m.conditions) {
		f.Rows = append(f.Rows, g.String())
		f.Panels = append(f.Panels, g.Models[g.shown()].Found.panels())
		bySeed = append(bySeed, seedChart(g, "decay per step", headPair.decay,
			figure.Ref{Label: "|ζ|", Value: math.Abs(g.Zeta())},
			figure.Ref{Label: "|ρ|", Value: math.Abs(m.filter[g.Source])}))
	}
	out.Figure("decay", figure.Row("Decay of the combined pattern by seed",
		"Points by seed with the mean and its interval.", bySeed...))
	out.CSV("seeds", m.frame())
	out.Figure("heads", f)
	out.CSV("heads", m.patterns())
}

// patterns returns the pairs d > s of the models that are drawn.
func (m headPairs) patterns() document.Frame {
	f := document.Frame{Columns: document.Named("x", "alpha", "destination", "source", "attention_positive",
		"attention_negative", "scale_positive", "scale_negative", "combined", "zeta_power")}
	for _, g := range trainedOnly(m.conditions) {
		h := g.Models[g.shown()].Found
		positive, negative := h.heads[0], h.heads[1]
		eachPair(positive.pattern.T, func(d, src int) {
			at := d*positive.pattern.T + src
			f.Row(g.X, g.A, d+1, src+1, positive.pattern.Mean[at], negative.pattern.Mean[at],
				positive.scale[src], negative.scale[src], h.combined[at], h.predicted[at])
		})
	}
	return f
}

// panels returns four maps on one colour scale: the attention of each head with the sign
// of its OV vectors, the combined pattern of both, and the predicted pattern.
func (h headPair) panels() []figure.Panel {
	limit := 1.0 // the largest possible attention
	for at, x := range h.combined {
		limit = max(limit, math.Abs(x), math.Abs(h.predicted[at]))
	}
	positive, T := h.heads[0].pattern.Mean, h.heads[0].pattern.T
	negative := make([]float64, len(h.heads[1].pattern.Mean))
	floats.SubTo(negative, negative, h.heads[1].pattern.Mean)
	return []figure.Panel{
		signedMap(positive, T, limit), signedMap(negative, T, limit),
		signedMap(h.combined, T, limit), signedMap(h.predicted, T, limit),
	}
}

// signedMap draws a (T,T) pattern with entries from −limit to limit.
func signedMap(pattern []float64, T int, limit float64) figure.Panel {
	h := lowerTriangle(pattern, T)
	h.Label, h.Diverging, h.Range = "signed weight", true, [2]float64{-limit, limit}
	return h
}
