package mess3

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"

	"gonum.org/v1/gonum/floats"
)

// manyHeadsNumber is the number of heads that count as “many” in M17b: the largest number
// in the laboratory's version of Fig. A7.
const manyHeadsNumber = 4

// manySource is the process of M17b, the same as in Fig. 2.
var manySource = trained.Mess3(0.15, 0.6)

// manyHeads is M17b: Piotrowski et al. 2025, footnote 2.
func (l *lab) manyHeads() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M17b", Kind: claim.Explanation, Trainings: trained.Trainings(l.manyHeadsModels()),
		Setting:    l.describe(l.rivalSettings(manySource)),
		RuleCommit: "dd0be49", ChangedAfterResult: true,
		First: claim.FirstBy("9d8aa97", headCrowds.first),
		Test: claim.Steps[headCrowds]{
			Measure: l.measureManyHeads, Judge: headCrowds.judge, Tabulate: headCrowds.tabulate, Draw: headCrowds.draw,
		}.Test,
	}, map[string]any{"heads": manyHeadsNumber, "lags": probe.NearLags.To})
}

// manyHeadsModels returns the one-head models of M6b for manySource, and the same models
// with many heads. The quick profile does not train them.
func (p profile) manyHeadsModels() []trained.Condition {
	if p.name == claim.Quick {
		return nil
	}
	one := p.rivalCell(manySource)
	many := slices.Clone(one)
	for i := range many {
		many[i].Heads = manyHeadsNumber
	}
	return slices.Concat(one, many)
}

// headCrowds is the measurement of M17b. It has no models if the profile trains none.
type headCrowds struct{ claim.BySeed[crowdPair] }

// crowdPair holds the models of a seed with one head and with many. The pair has
// converged if both models have.
type crowdPair struct{ one, many headCrowd }

// more returns how much worse Eq. 13 fits the worst of many heads than a single head.
func (p crowdPair) more() float64 { return p.many.worst() - p.one.worst() }

// headCrowd is the measurement on a model or on a random initialisation.
type headCrowd struct {
	left   []float64 // by head: residual of Eq. 13
	decays []float64 // by head: decay of attention per step
	mid    float64   // held-out R² of the constrained beliefs after attention
}

// worst returns the residual of the head that Eq. 13 fits worst.
func (h headCrowd) worst() float64 { return slices.Max(h.left) }

func (l *lab) measureManyHeads(ctx context.Context, s *claim.Study) (headCrowds, error) {
	var found headCrowds
	found.Name = fmt.Sprintf("%s, %s", manySource, text.Count(manyHeadsNumber, "head"))
	found.Fewest = fewestConverged
	subjects, err := l.of(ctx, s, l.manyHeadsModels())
	for i, one := range subjects[:len(subjects)/2] {
		many := subjects[len(subjects)/2+i]
		found.Models = append(found.Models, claim.Seeded[crowdPair]{
			Seed: int(one.Seed), Unconverged: cmp.Or(many.convergence.Reason, one.convergence.Reason),
			Found: crowdPair{crowdOf(one), crowdOf(many)}, Random: crowdPair{crowdOf(one.random), crowdOf(many.random)},
		})
	}
	return found, err
}

// crowdOf measures the heads of a model or of a random initialisation.
func crowdOf(m *subject) (h headCrowd) {
	for _, p := range m.patterns {
		h.left = append(h.left, leftOfEq13(p, m.Zeta()))
		h.decays = append(h.decays, probe.FitExponential(p.Mean, p.T, probe.NearLags))
	}
	h.mid = m.mid().constrained.trained.heldOut.R2
	return h
}

// leftOfEq13 returns how much of the mean attention does not have the form a_s·ζ^(d−s):
// the residual of the best fit, with one factor a_s for each source. It is relative: the
// root of the sum of squared residuals divided by the root of the sum of squared
// attention. Both sums are over the lags at which decays are judged.
func leftOfEq13(p probe.Pattern, zeta float64) float64 {
	left, all := 0.0, 0.0
	lags := probe.NearLags
	for src := lags.Without; src < p.T; src++ {
		joint, square, total := 0.0, 0.0, 0.0
		for d := src + lags.From; d < p.T && d-src <= lags.To; d++ {
			a, power := p.Mean[d*p.T+src], math.Pow(zeta, float64(d-src))
			joint, square, total = joint+a*power, square+power*power, total+a*a
		}
		if square > 0 {
			left, all = left+max(0, total-joint*joint/square), all+total
		}
	}
	return math.Sqrt(left / all)
}

func (m headCrowds) judge() claim.Finding { return onlyCondition(m.Judge(m.condition)) }

// condition judges the pairs that have converged.
func (m headCrowds) condition(pairs []claim.Seeded[crowdPair]) claim.Condition {
	c := claim.Condition{
		Verdict: claim.Open, Reason: claim.Power,
		Effect: m.AgainstRandom("residual of Eq. 13 in the head that it fits worst, minus the residual with one "+
			"head", "", crowdPair.more),
		Obtained: fmt.Sprintf("Eq. 13 leaves %.0f %% of attention unexplained in the head that it fits worst, and "+
			"%.0f %% with one head",
			100*seeds.Mean(m.Values(func(p crowdPair) float64 { return p.many.worst() })),
			100*seeds.Mean(m.Values(func(p crowdPair) float64 { return p.one.worst() }))),
	}
	more, beyond := m.Values(crowdPair.more), make([]float64, len(pairs))
	floats.SubTo(beyond, more, m.Random(crowdPair.more))
	switch {
	case len(more) < 2:
	case sign(more, 0) > 0 && sign(beyond, 0) <= 0:
	case sign(more, 0) > 0:
		c.Verdict, c.Reason = claim.Holds, ""
	case sign(more, 0) < 0:
		c.Verdict, c.Reason = claim.Fails, ""
	}
	return c
}

func (m headCrowds) tabulate(c *claim.Claim) {
	if len(m.Models) == 0 {
		return
	}
	f := document.Frame{
		Title: "residual of a_s·ζ^(d−s) in the attention of each head",
		Columns: append(document.Headed("", "heads", "seed", "residual, by head", "decay, by head", "residual, random init"),
			document.Headed("%.4f", "R², resid_mid")...),
	}
	m.each(func(seed int, h, random headCrowd) {
		f.Row(len(h.left), seed, percents(h.left), listed("%.2f", h.decays), percents(random.left), h.mid)
	})
	c.Tables = append(c.Tables, f.Table())
}

// each visits each model with its random initialisation, those with one head first.
func (m headCrowds) each(visit func(seed int, found, random headCrowd)) {
	for _, p := range m.Models {
		visit(p.Seed, p.Found.one, p.Random.one)
	}
	for _, p := range m.Models {
		visit(p.Seed, p.Found.many, p.Random.many)
	}
}

// percents formats shares, separated by commas.
func percents(list []float64) string {
	return listed("%.0f %%", numbers(list, func(share float64) float64 { return 100 * share }))
}

// listed formats numbers, separated by commas.
func listed(format string, list []float64) string {
	text := make([]string, len(list))
	for i, x := range list {
		text[i] = fmt.Sprintf(format, x)
	}
	return strings.Join(text, ", ")
}

func (m headCrowds) draw(out *claim.Output) {
	if len(m.Models) == 0 {
		return
	}
	f := document.Frame{Columns: document.Named("heads", "seed", "head", "left", "left_random", "decay", "r2_constrained")}
	worst, worstRandom := map[int][]float64{}, map[int][]float64{} // by number of heads
	m.each(func(seed int, h, random headCrowd) {
		heads := len(h.left)
		worst[heads] = append(worst[heads], h.worst())
		worstRandom[heads] = append(worstRandom[heads], random.worst())
		for head := range h.left {
			f.Row(heads, seed, head, h.left[head], random.left[head], h.decays[head], h.mid)
		}
	})
	bars := figure.Bars{Y: figure.Axis{Label: "residual of Eq. 13"}, Label: "heads"}
	bars.Series = []figure.BarSeries{{Name: "trained, worst head"}, {Name: "random initialisation", Open: true}}
	for _, heads := range []int{1, manyHeadsNumber} {
		bars.Groups = append(bars.Groups, fmt.Sprint(heads))
		bars.Series[0] = seeds.Bar(bars.Series[0], worst[heads])
		bars.Series[1] = seeds.Bar(bars.Series[1], worstRandom[heads])
	}
	out.Figure("heads", figure.Row("Eq. 13 with many heads", "Bars: the share of attention that an exponential with "+
		"the rate of the process leaves unexplained, by number of heads.", bars))
	out.CSV("heads", f)
}
