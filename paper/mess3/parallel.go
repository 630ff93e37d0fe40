package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/theory"
)

// parallelRounding is the threshold of M16: the largest difference between two shares of
// variance that rounding can cause. The identities of the linear filter hold to this
// precision.
const parallelRounding = 1e-9

// parallel is M16: Piotrowski et al. 2025, Sec. 4.3.
func (l *lab) parallel() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M16", Kind: claim.Explanation, Severity: claim.Local, Trainings: trained.Trainings(l.parallelModels(sources...)),
		RuleCommit: "f2bfa9d", Setting: l.setting,
		Test: claim.Steps[parallelShares]{
			Measure: l.measureParallel, Judge: parallelShares.judge, Tabulate: parallelShares.tabulate,
			Draw: parallelShares.draw,
		}.Test,
	}, map[string]any{"rounding": parallelRounding})
}

// parallelShares is the measurement of M16, by process.
type parallelShares []parallelShare

// parallelShare holds explained shares of the variance of the belief, over sequences of
// up to n_ctx tokens with equal weight for each length.
type parallelShare struct {
	trained.Source
	eq26, filter float64 // by the best affine image of Eq. 26, and by the linear filter, both exact

	models          claim.BySeed[beliefR2]
	steady          theory.LinearR2
	steadyUndecided string // why there is no steady state; empty if there is one
}

// beliefR2 holds R² of the beliefs after the first attention: of a trained model, of its
// random initialisation, and of the trained model with each pattern replaced by its mean.
type beliefR2 struct{ trained, random, meanPatterns float64 }

// trained, random and meanPatterns return a number of each model; see [beliefR2].
func (p parallelShare) trained() []float64 {
	return p.models.All(func(r beliefR2) float64 { return r.trained })
}

func (p parallelShare) random() []float64 {
	return p.models.All(func(r beliefR2) float64 { return r.random })
}

func (p parallelShare) meanPatterns() []float64 {
	return p.models.All(func(r beliefR2) float64 { return r.meanPatterns })
}

func (m parallelShares) judge() claim.Finding {
	found := claim.Finding{Conditions: claim.ConditionsOf(m, parallelShare.condition)}
	found.Verdict, found.Reason = claim.Conclude(found.Conditions)
	most := m[0]
	for _, p := range m {
		if p.filter-p.eq26 > most.filter-most.eq26 {
			most = p
		}
	}
	found.Obtained = fmt.Sprintf("in mean square, the linear filter explains more of the belief's variance than Eq. "+
		"26 by up to %.4f (%s: %.4f against %.4f)", most.filter-most.eq26, most, most.filter, most.eq26)
	found.Effect = claim.Exactly("R² of the belief, linear filter minus Eq. 26, largest over processes", "",
		most.filter-most.eq26)
	found.Asked = []claim.Question{m.trainedBeatEq26(), m.trainedWithin()}
	return found
}

// condition returns the verdict on one process, which does not depend on models.
func (p parallelShare) condition() claim.Condition {
	c := claim.Condition{
		Name: p.String(), Converged: true, Verdict: claim.Holds,
		Obtained: fmt.Sprintf("R² of the belief %.4f by Eq. 26, %.4f by the filter", p.eq26, p.filter),
		Effect: claim.Exactly("R² of the belief, linear filter", "", p.filter).
			Beside("the best affine image of Eq. 26", p.eq26),
	}
	if len(p.models.Models) > 0 {
		c.Obtained += fmt.Sprintf(", %.4f after the attention of trained models%s", seeds.Mean(p.trained()), p.some())
		c.Effect.Against("random initialisation", seeds.Mean(p.random()))
	}
	switch over := p.filter - p.eq26; {
	case over > parallelRounding:
		c.Verdict = claim.Corrected
	case over < -parallelRounding:
		c.Verdict = claim.Fails
	}
	return c
}

// some returns the number of models that have not converged as text in parentheses, or ""
// if all have converged.
func (p parallelShare) some() string {
	all := len(p.models.Models)
	n := all - len(p.models.Converged())
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d not converged)", n, all)
}

// converged returns the processes for which all models have converged.
func (m parallelShares) converged() (list []parallelShare) {
	for _, p := range m {
		if p.models.Why() == "" {
			list = append(list, p)
		}
	}
	return list
}

// trainedBeatEq26 asks whether the beliefs are read better from trained models, after
// attention, than from any affine image of Eq. 26.
func (m parallelShares) trainedBeatEq26() claim.Question {
	q := claim.Question{
		Question: "After the attention of trained models, is R² of the belief larger than for any " +
			"affine image of Eq. 26, on average over seeds, in every process whose models have all converged?",
		Answer: claim.Undecided,
	}
	list, more := m.converged(), 0
	for _, p := range list {
		if seeds.Mean(p.trained()) > p.eq26 {
			more++
		}
	}
	q.Obtained = fmt.Sprintf("in %d of %d processes", more, len(list))
	if len(list) > 0 {
		q.Answer = claim.AnswerIf(more == len(list))
	}
	return q
}

// trainedWithin asks whether any model with mean patterns explains more of the belief's
// variance than the filter. In theory, the filter is an upper bound.
func (m parallelShares) trainedWithin() claim.Question {
	q := claim.Question{Question: fmt.Sprintf("With each pattern replaced by its mean over sequences, does any model "+
		"explain more of the belief's variance than the linear filter (by more than %.0e, the rounding of its "+
		"activations)? In theory, no model can.", activationRounding)}
	above, n := 0, 0
	for _, p := range m {
		for _, r2 := range p.meanPatterns() {
			if n++; r2 > p.filter+activationRounding {
				above++
			}
		}
	}
	q.Answer, q.Obtained = claim.AnswerIf(above > 0), fmt.Sprintf("%d of %d models", above, n)
	if n == 0 {
		q.Answer = claim.Undecided
	}
	return q
}

// activationRounding is the largest error that the rounding of float32 activations causes
// in an R².
const activationRounding = 1e-4

func (l *lab) measureParallel(ctx context.Context, s *claim.Study) (parallelShares, error) {
	var found parallelShares
	for _, on := range sources {
		share, err := exactShares(ctx, on, l.oneLayer.NCtx)
		if err != nil {
			return found, err
		}
		for _, c := range l.parallelModels(on) {
			s.Tell("reading the beliefs of " + c.Label())
			if err := share.add(ctx, s, c); err != nil {
				return found, fmt.Errorf("%s: %w", c.Label(), err)
			}
		}
		found = append(found, share)
	}
	return found, nil
}

// parallelModels returns the models that are compared with the exact shares: the paper's
// own models of the listed processes that the profile trains.
func (p profile) parallelModels(of ...trained.Source) (list []trained.Condition) {
	for _, on := range of {
		if slices.Contains(p.processes, on) {
			list = append(list, p.seededModels(on)...)
		}
	}
	return list
}

// exactShares computes the shares of a process that do not depend on models.
func exactShares(ctx context.Context, on trained.Source, positions int) (parallelShare, error) {
	p := parallelShare{Source: on}
	h, err := on.HMM()
	if err != nil {
		return p, err
	}
	filter := theory.Of(h).LinearFilter()
	byPosition, err := filter.R2(ctx, positions)
	if err != nil {
		return p, err
	}
	p.eq26, p.filter = pooledShares(byPosition)
	if p.steady, err = filter.SteadyR2(ctx); err != nil {
		p.steadyUndecided = err.Error()
	}
	return p, nil
}

// pooledShares returns the explained shares over all positions together, with equal
// weight for each position.
func pooledShares(list []theory.LinearR2) (eq26, filter float64) {
	variance := 0.0
	for _, r := range list {
		variance += r.Variance
		eq26 += r.Variance * r.Constrained
		filter += r.Variance * r.Linear
	}
	return eq26 / variance, filter / variance
}

// add adds a model's measurements.
func (p *parallelShare) add(ctx context.Context, s *claim.Study, c trained.Condition) error {
	of, err := trained.NewSubject(ctx, s, c)
	if err != nil {
		return err
	}
	untrained, err := model.New[float32](of.Model.Config, c.Seed)
	if err != nil {
		return err
	}
	a, mean, err := afterAttention(ctx, of, of.Model, probe.Beliefs, s.Workers)
	if err != nil {
		return err
	}
	stage := probe.Stage(of.Stages()[1])
	random, err := probe.Analyze(ctx, untrained, of.Prefixes, probe.Plan{
		Features: []probe.Features{stage}, Targets: []probe.Target{probe.Beliefs}, Workers: s.Workers,
	})
	if err != nil {
		return err
	}
	convergence, err := a.Convergence(ctx)
	if err != nil {
		return err
	}
	r2 := func(a *probe.Analysis) float64 { return a.Regress(probe.Beliefs, stage).InSample.R2 }
	p.models.Models = append(p.models.Models, claim.Seeded[beliefR2]{
		Seed: int(c.Seed), Unconverged: convergence.Reason,
		Found: beliefR2{r2(a), r2(random), r2(mean)},
	})
	return nil
}

func (m parallelShares) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "explained share of the belief's variance, sequences of up to n_ctx tokens; models: mean over seeds",
		Columns: append(document.Headed("", "process"),
			document.Headed("%.4f", "Eq. 26, affine", "linear filter", "resid_mid, trained",
				"with mean patterns", "random init", "Eq. 26, long sequences", "filter, long sequences")...),
	}
	for _, p := range m {
		f.Row(p, p.eq26, p.filter, meanCell(p.trained()), meanCell(p.meanPatterns()), meanCell(p.random()),
			p.inTheLongRun(p.steady.Constrained), p.inTheLongRun(p.steady.Linear))
		if why := p.models.Why(); why != "" && why != claim.NotTrained {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: a model has not converged: %s.", p, why))
		}
	}
	c.Tables = append(c.Tables, f.Table())
}

// meanCell returns the mean over seeds, or a dash if there are no seeds.
func meanCell(bySeed []float64) any {
	if len(bySeed) == 0 {
		return "–"
	}
	return seeds.Mean(bySeed)
}

// inTheLongRun returns a share for long sequences, or a dash if the filter has no steady
// state.
func (p parallelShare) inTheLongRun(share float64) any {
	if p.steadyUndecided != "" {
		return "–"
	}
	return share
}

func (m parallelShares) draw(out *claim.Output) {
	chart := figure.Chart{X: figure.Axis{Label: "process"}, Y: figure.Axis{Label: "1 − R² of the belief", Log: true}}
	chart.Series = []figure.Series{
		{Name: "Eq. 26, affine", Color: 1, Style: figure.Scatter},
		{Name: "linear filter", Color: 2, Style: figure.Scatter},
		{Name: "trained, resid_mid", Color: 3, Style: figure.Scatter},
		{Name: "the same, mean patterns", Color: 4, Style: figure.Scatter},
		{Name: "random initialisation", Open: true, Color: figure.Grey, Style: figure.Scatter},
	}
	for x, p := range m {
		chart.X.Names = append(chart.X.Names, p.String())
		for i, bySeed := range [][]float64{{p.eq26}, {p.filter}, p.trained(), p.meanPatterns(), p.random()} {
			if len(bySeed) > 0 {
				at := float64(x) + besideBy(i, len(chart.Series))
				addMean(&chart.Series[i], at, missing(bySeed))
			}
		}
	}
	out.Figure("shares", figure.Row("The best parallel approximation is not the constrained belief",
		"A chart on a logarithmic scale, with five series: the unexplained share of the belief's variance by process.",
		chart))
	out.CSV("shares", m.bySeed())
}

// bySeed returns the shares with a row for each model.
func (m parallelShares) bySeed() document.Frame {
	f := document.Frame{
		Columns: document.Named("x", "alpha", "seed", "eq26", "filter", "trained", "trained_mean_patterns", "random"),
	}
	f.Columns[3].Meaning = "R² of the beliefs by the best affine image of Eq. 26"
	for _, p := range m {
		for _, r := range p.models.Models {
			f.Row(p.X, p.A, r.Seed, p.eq26, p.filter, r.Found.trained, r.Found.meanPatterns, r.Found.random)
		}
	}
	return f
}

// besideBy returns the horizontal offset of the i-th of n marks with the same place on
// the axis.
func besideBy(i, n int) float64 { return 0.1 * (float64(i) - float64(n-1)/2) }

// missing returns the unexplained shares, each at least 1e-12 for a logarithmic axis.
func missing(shares []float64) []float64 {
	list := make([]float64, len(shares))
	for i, share := range shares {
		list[i] = math.Max(1-share, 1e-12)
	}
	return list
}
