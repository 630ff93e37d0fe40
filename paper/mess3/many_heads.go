package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/plural"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// manyHeadsNumber is the number of heads that count as “many” in M17b: the largest number
// in the laboratory's version of Fig. A7.
const manyHeadsNumber = 4

// manySource is the process of M17b, the same as in Fig. 2.
var manySource = trained.Mess3(0.15, 0.6)

// manyHeads is M17b: Piotrowski et al. 2025, footnote 2.
func (l *lab) manyHeads() claim.Row {
	return claim.Row{
		ID: "M17b", Source: cite + "footnote 2", Kind: claim.Explanation,
		Quote: "“The details of this correspondence break down if there are many attention heads in the first layer” " +
			"(footnote 2; no figure, no number)",
		Statement: "With many heads, the attention of single heads no longer decays as ζⁿ.",
		Expected: fmt.Sprintf("x = 0.15, α = 0.6, %d heads against one, over the seeds for which both models have "+
			"converged. The attention of each head is fitted by a_s·ζ^(d−s), at lags up to 4 without the first "+
			"source. The relative residual of the head with the worst fit is larger than the residual with one head: "+
			"by the 95 %% interval of the difference, and by the interval of this difference minus the same "+
			"difference at random initialisation. It fails if the residual is smaller; otherwise it is "+
			"open", manyHeadsNumber),
		Trainings: trained.Trainings(l.manyHeadsModels()), RuleCommit: "dd0be49", ChangedAfterResult: true,
		Test: claim.Steps[headCrowds]{
			Measure: l.measureManyHeads, Judge: headCrowds.judge, Tabulate: headCrowds.tabulate, Draw: headCrowds.draw,
		}.Test,
	}
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

// headCrowds is the measurement of M17b: the models with one head and with many, by seed.
// It is empty if the profile trains no such models.
type headCrowds struct {
	setting   string
	one, many []headCrowd
}

// headCrowd is the measurement on one model.
type headCrowd struct {
	left, random []float64 // by head: residual of Eq. 13, for the model and for its random initialisation
	decays       []float64 // by head: decay of attention per step
	mid          float64   // held-out R² of the constrained beliefs after attention
	unconverged  string    // why the model has not converged; empty if it has
}

// worst returns the residual of the head that Eq. 13 fits worst.
func (h headCrowd) worst() float64 { return slices.Max(h.left) }

// worstRandom returns the largest residual of a head at random initialisation.
func (h headCrowd) worstRandom() float64 { return slices.Max(h.random) }

func (l *lab) measureManyHeads(ctx context.Context, s *claim.Study) (headCrowds, error) {
	found := headCrowds{setting: l.describe(l.rivalSettings(manySource))}
	subjects, err := l.of(ctx, s, l.manyHeadsModels())
	for _, m := range subjects {
		h := headCrowd{mid: m.mid().constrained.trained.heldOut.R2, unconverged: m.convergence.Reason}
		for _, p := range m.patterns {
			h.left = append(h.left, leftOfEq13(p, m.Zeta()))
			h.decays = append(h.decays, probe.FitExponential(p.Mean, p.T, probe.NearLags).Lambda)
		}
		for _, p := range m.random.patterns {
			h.random = append(h.random, leftOfEq13(p, m.Zeta()))
		}
		if m.Heads == 1 {
			found.one = append(found.one, h)
		} else {
			found.many = append(found.many, h)
		}
	}
	return found, err
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

func (m headCrowds) judge() claim.Finding {
	c := m.condition()
	return claim.Finding{
		Verdict: c.Verdict, Reason: c.Reason, Obtained: c.Obtained, Effect: c.Effect, Conditions: []claim.Condition{c},
	}
}

func (m headCrowds) condition() claim.Condition {
	c := claim.Condition{
		Name: fmt.Sprintf("%s, %s", manySource, plural.Count(manyHeadsNumber, "head")), Verdict: claim.Open,
		Reason: claim.Power, Obtained: "not decided: no model",
	}
	if len(m.many) == 0 {
		return c.Judged(claim.NotTrained)
	}
	var more, untrained []float64
	var one, many []headCrowd // pairs of models that have both converged
	why := ""
	for i, h := range m.many {
		reason := firstReason([]string{h.unconverged, m.one[i].unconverged})
		if why = firstReason([]string{why, reason}); reason == "" {
			one = append(one, m.one[i])
			many = append(many, h)
			more = append(more, h.worst()-m.one[i].worst())
			untrained = append(untrained, h.worstRandom()-m.one[i].worstRandom())
		}
	}
	if len(more) < min(fewestConverged, len(m.many)) {
		c.Obtained = fmt.Sprintf("%d of %d pairs of models have converged", len(more), len(m.many))
		return c.Judged(why)
	}
	c.Effect = claim.Over("residual of Eq. 13 in the head that it fits worst, minus the residual with one "+
		"head", "", more).
		Against("random initialisation", seeds.Mean(untrained))
	reached := claim.NewShare(len(more), len(m.many))
	c.Effect.Reached = &reached
	c.Obtained = fmt.Sprintf("Eq. 13 leaves %.0f %% of attention unexplained in the head that it fits worst, and "+
		"%.0f %% with one head",
		100*mean(many, headCrowd.worst), 100*mean(one, headCrowd.worst))
	beyond := make([]float64, len(more))
	for i := range more {
		beyond[i] = more[i] - untrained[i]
	}
	switch {
	case len(more) < 2:
	case sign(more, 0) > 0 && sign(beyond, 0) <= 0:
	case sign(more, 0) > 0:
		c.Verdict, c.Reason = claim.Holds, ""
	case sign(more, 0) < 0:
		c.Verdict, c.Reason = claim.Fails, ""
	}
	return c.Judged("")
}

func (m headCrowds) tabulate(c *claim.Claim) {
	c.Setting = m.setting
	c.Notes = append(c.Notes,
		"The joint effect of many heads need not break down: the column of R² shows how much of the constrained "+
			"beliefs they produce together. The residual at random initialisation is the control.",
		"The footnote does not say how many heads are many, nor which details break down; the decay of single "+
			"heads is the detail shown in Fig. 2C.")
	if len(m.many) == 0 {
		return
	}
	table := document.Table{
		Title: "residual of a_s·ζ^(d−s) in the attention of each head",
		Columns: []string{
			"heads", "seed", "residual, by head", "decay, by head", "residual, random init", "R², resid_mid",
		},
	}
	for _, group := range [][]headCrowd{m.one, m.many} {
		for i, h := range group {
			table.Rows = append(table.Rows, []string{
				fmt.Sprint(len(h.left)), fmt.Sprint(i + 1), percents(h.left), decimals(h.decays), percents(h.random),
				fmt.Sprintf("%.4f", h.mid),
			})
		}
	}
	c.Tables = append(c.Tables, table)
}

// percents formats shares, separated by commas.
func percents(list []float64) string {
	text := make([]string, len(list))
	for i, x := range list {
		text[i] = fmt.Sprintf("%.0f %%", 100*x)
	}
	return strings.Join(text, ", ")
}

// decimals formats numbers, separated by commas.
func decimals(list []float64) string {
	text := make([]string, len(list))
	for i, x := range list {
		text[i] = fmt.Sprintf("%.2f", x)
	}
	return strings.Join(text, ", ")
}

func (m headCrowds) draw(out *claim.Output) {
	if len(m.many) == 0 {
		return
	}
	bars := figure.Bars{Y: figure.Axis{Label: "residual of Eq. 13"}, Label: "heads"}
	bars.Series = []figure.BarSeries{{Name: "trained, worst head"}, {Name: "random initialisation", Open: true}}
	var rows [][]float64
	for _, group := range [][]headCrowd{m.one, m.many} {
		bars.Groups = append(bars.Groups, fmt.Sprint(len(group[0].left)))
		bars.Series[0] = seeds.Bar(bars.Series[0], numbers(group, headCrowd.worst))
		bars.Series[1] = seeds.Bar(bars.Series[1], numbers(group, headCrowd.worstRandom))
		for seed, h := range group {
			for head := range h.left {
				rows = append(rows, []float64{
					float64(len(h.left)), float64(seed + 1), float64(head),
					h.left[head], h.random[head], h.decays[head], h.mid,
				})
			}
		}
	}
	out.Captioned("heads", "The share of attention that does not have the form a_s·ζ^(d−s), for the head that it fits "+
		"worst, with one head and with many. Error bars: the range over seeds.",
		figure.Row("Eq. 13 with many heads", "Bars: the share of attention that an exponential with the rate of "+
			"the process leaves unexplained, by number of heads.", bars))
	out.CSV("heads", document.Numbers([]string{"heads", "seed", "head", "left", "left_random", "decay", "r2_constrained"}, rows))
}
