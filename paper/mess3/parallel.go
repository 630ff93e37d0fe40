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
	return claim.Row{
		ID: "M16", Source: cite + "Sec. 4.3", Kind: claim.Explanation,
		Quote: "“It represents the best possible parallel approximation achievable by a single attention layer " +
			"given its architectural limitations” (Sec. 4.3, about Eq. 5; no figure, no number)",
		Statement: "Among all sums that add one contribution for each token, the constrained belief approximates the " +
			"belief best.",
		Expected: fmt.Sprintf("for each of the four processes, exactly over all sequences: no sum of functions of "+
			"(position, token) explains more of the belief's variance than Eq. 26 does. The best such sum is the "+
			"linear least-squares filter, and Eq. 26 is followed by the affine map that is best at each position. "+
			"The claim holds if both explain the same share, to within %.0e, and is corrected if the filter explains "+
			"a larger share", parallelRounding),
		Trainings: trained.Trainings(l.parallelModels(sources...)), RuleCommit: "f2bfa9d",
		Test: claim.Steps[parallelShares]{
			Measure: l.measureParallel, Judge: parallelShares.judge, Tabulate: parallelShares.tabulate,
			Draw: parallelShares.draw,
		}.Test,
	}
}

// parallelShares is the measurement of M16, by process.
type parallelShares struct {
	setting   string
	processes []parallelShare
}

// parallelShare holds explained shares of the variance of the belief, over sequences of
// up to n_ctx tokens with equal weight for each length.
type parallelShare struct {
	trained.Source
	eq26, filter float64 // by the best affine image of Eq. 26, and by the linear filter, both exact
	byPosition   []theory.LinearR2

	stage, random   []float64 // by seed: R² of the beliefs after the first attention, trained and untrained
	meanPatterns    []float64 // the same for trained models, with each pattern replaced by its mean
	unconverged     []string  // by seed: why the model has not converged; empty if it has
	steady          theory.LinearR2
	steadyUndecided string // why there is no steady state; empty if there is one
}

func (m parallelShares) judge() claim.Finding {
	var found claim.Finding
	for _, p := range m.processes {
		found.Conditions = append(found.Conditions, p.condition())
	}
	found.Verdict, found.Reason = claim.Conclude(found.Conditions)
	most := m.processes[0]
	for _, p := range m.processes {
		if p.filter-p.eq26 > most.filter-most.eq26 {
			most = p
		}
	}
	found.Obtained = fmt.Sprintf("the linear filter explains more of the belief's variance than Eq. 26 by up to %.4f "+
		"(%s: %.4f against %.4f)", most.filter-most.eq26, most, most.filter, most.eq26)
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
	if len(p.stage) > 0 {
		c.Obtained += fmt.Sprintf(", %.4f after the attention of trained models%s", seeds.Mean(p.stage), p.some())
		c.Effect.Against("random initialisation", seeds.Mean(p.random))
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
	n := 0
	for _, why := range p.unconverged {
		if why != "" {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d not converged)", n, len(p.unconverged))
}

// converged returns the processes for which all models have converged.
func (m parallelShares) converged() (list []parallelShare) {
	for _, p := range m.processes {
		if len(p.stage) > 0 && firstReason(p.unconverged) == "" {
			list = append(list, p)
		}
	}
	return list
}

// firstReason returns the first non-empty reason, or "".
func firstReason(reasons []string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
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
		if seeds.Mean(p.stage) > p.eq26 {
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
	for _, p := range m.processes {
		for _, r2 := range p.meanPatterns {
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
	found := parallelShares{setting: l.setting}
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
		found.processes = append(found.processes, share)
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
	if p.byPosition, err = filter.R2(ctx, positions); err != nil {
		return p, err
	}
	p.eq26, p.filter = pooledShares(p.byPosition)
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
	plan := probe.Plan{
		Features: probe.Stages(of.Stages()[1]), Targets: []probe.Target{probe.Beliefs},
		Patterns: true, Workers: s.Workers,
	}
	a, err := probe.Analyze(ctx, of.Model, of.Prefixes, plan)
	if err != nil {
		return err
	}
	mean, err := a.AtMeanPatterns(ctx)
	if err != nil {
		return err
	}
	plan.Patterns = false
	random, err := probe.Analyze(ctx, untrained, of.Prefixes, plan)
	if err != nil {
		return err
	}
	convergence, err := a.Convergence(ctx)
	if err != nil {
		return err
	}
	p.stage = append(p.stage, a.Regress(0, 0).InSample.R2)
	p.meanPatterns = append(p.meanPatterns, mean.Regress(0, 0).InSample.R2)
	p.random = append(p.random, random.Regress(0, 0).InSample.R2)
	p.unconverged = append(p.unconverged, convergence.Reason)
	return nil
}

func (m parallelShares) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "explained share of the belief's variance, sequences of up to n_ctx tokens; models: mean over seeds",
		Columns: []string{
			"process", "Eq. 26, affine", "linear filter", "resid_mid, trained", "with mean patterns", "random init",
			"Eq. 26, long sequences", "filter, long sequences",
		},
	}
	for _, p := range m.processes {
		table.Rows = append(table.Rows, []string{
			p.String(), fmt.Sprintf("%.4f", p.eq26), fmt.Sprintf("%.4f", p.filter),
			shareText(p.stage), shareText(p.meanPatterns), shareText(p.random),
			p.inTheLongRun(p.steady.Constrained), p.inTheLongRun(p.steady.Linear),
		})
		if why := firstReason(p.unconverged); why != "" {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: a model has not converged: %s.", p, why))
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, parallelNotes...)
}

// shareText formats the mean over seeds, or a dash if there are no seeds.
func shareText(bySeed []float64) string {
	if len(bySeed) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f", seeds.Mean(bySeed))
}

// inTheLongRun formats a share for long sequences, or a dash if the filter has no steady
// state.
func (p parallelShare) inTheLongRun(share float64) string {
	if p.steadyUndecided != "" {
		return "–"
	}
	return fmt.Sprintf("%.4f", share)
}

var parallelNotes = []string{
	"Attention that does not depend on tokens adds functions of (position, token). The best such sum in mean " +
		"square is the projection of the belief on the tokens' indicators. Because the belief is E[S_d | " +
		"sequence], this is the projection of the state itself: the linear least-squares filter, computed from " +
		"second moments alone. Eq. 26 adds the information of each token on its own, and so counts information " +
		"that correlated tokens share several times.",
	"The verdict is exact and does not depend on models; they are shown for comparison. “Best” is taken to mean the " +
		"smallest mean square error over sequences. Any affine map may be applied to Eq. 26, which can only improve " +
		"it. The paper names no measure.",
	"A trained model can exceed the filter only because its attention depends on tokens: with mean patterns the " +
		"filter is an upper bound.",
	"Known before the rule: the shares themselves at x = 0.15, α = 0.6, and that the attention of trained models " +
		"decays faster than Eq. 26 predicts.",
}

func (m parallelShares) draw(out *claim.Output) {
	chart := figure.Chart{X: figure.Axis{Label: "process"}, Y: figure.Axis{Label: "1 − R² of the belief", Log: true}}
	chart.Series = []figure.Series{
		{Name: "Eq. 26, affine", Color: 1, Dots: true},
		{Name: "linear filter", Color: 2, Dots: true},
		{Name: "trained, resid_mid", Color: 3, Dots: true},
		{Name: "the same, mean patterns", Color: 4, Dots: true},
		{Name: "random initialisation", Open: true, Color: figure.Grey, Dots: true},
	}
	var rows [][]float64
	for x, p := range m.processes {
		chart.X.Names = append(chart.X.Names, p.String())
		for i, bySeed := range [][]float64{{p.eq26}, {p.filter}, p.stage, p.meanPatterns, p.random} {
			if len(bySeed) > 0 {
				at := float64(x) + besideBy(i, len(chart.Series))
				chart.Series[i] = intervalPoint(chart.Series[i], at, missing(bySeed))
			}
		}
		for seed := range p.stage {
			rows = append(rows, []float64{
				p.X, p.A, float64(seed + 1), p.eq26, p.filter, p.stage[seed], p.meanPatterns[seed], p.random[seed],
			})
		}
	}
	out.Captioned("shares", "The unexplained share of the belief's variance: for the best affine image of the "+
		"constrained belief, for the best possible sum over tokens, and after the attention of trained models. "+
		"Lower is closer to the belief. Models can do better than the filter only if their attention depends on "+
		"tokens. Error bars: 95 % over seeds.",
		figure.Row("The best parallel approximation is not the constrained belief", "A chart on a logarithmic scale, "+
			"with five series: the unexplained share of the belief's variance by process.", chart))
	out.CSV("shares", document.Numbers([]string{
		"x", "alpha", "seed", "eq26", "filter", "trained", "trained_mean_patterns", "random",
	}, rows))
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
