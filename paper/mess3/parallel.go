package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// parallelRounding is the rule of M16: how near two shares of a variance are when they
// differ by rounding. The laws of the linear filter hold to this.
const parallelRounding = 1e-9

// parallel is M16: Piotrowski et al. 2025, Sec. 4.3.
func (l *lab) parallel() claim.Row {
	return claim.Row{
		ID: "M16", Source: cite + "Sec. 4.3", Kind: claim.Explanation,
		Quote: "“It represents the best possible parallel approximation achievable by a single attention layer given " +
			"its architectural limitations” (Sec. 4.3, of Eq. 5; no figure, no number)",
		Statement: "Of all sums of what single tokens contribute, the constrained belief is the best approximation of " +
			"the belief.",
		Expected: fmt.Sprintf("for each of the four processes, exactly over all words: the share of the belief's "+
			"variance that the linear least-squares filter explains, the best sum of functions of (position, token), is "+
			"that of the best affine image of Eq. 26, with a map of its own for each position, to %.0e; corrected if the "+
			"filter explains more", parallelRounding),
		Trainings: trained.Trainings(l.parallelModels(sources...)), RuleCommit: "f2bfa9d",
		Test: claim.Steps[parallelShares]{
			Measure: l.measureParallel, Judge: parallelShares.judge, Tabulate: parallelShares.tabulate,
			Draw: parallelShares.draw,
		}.Test,
	}
}

// parallelShares are what sums over tokens tell of the belief, by process.
type parallelShares struct {
	setting   string
	processes []parallelShare
}

// parallelShare are shares of the variance of the belief over words of up to n_ctx
// tokens, each length alike.
type parallelShare struct {
	trained.Source
	eq26, filter float64 // exact
	byPosition   []process.LinearR2

	stage, random   []float64 // R² of the beliefs after the first attention, by seed, and of random initialisations
	meanPatterns    []float64 // the same with each pattern replaced by its mean
	unconverged     []string  // why; empty where a model has converged
	steady          process.LinearR2
	steadyUndecided string // why there is no steady state
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
	found.Effect = claim.Exactly("R² of the belief, linear filter less Eq. 26, largest of the processes", "",
		most.filter-most.eq26)
	found.Asked = []claim.Question{m.trainedBeatEq26(), m.trainedWithin()}
	return found
}

// condition is the verdict on one process, which rests on no model.
func (p parallelShare) condition() claim.Condition {
	c := claim.Condition{
		Name: p.String(), Converged: true, Verdict: claim.Holds,
		Obtained: fmt.Sprintf("R² of the belief %.4f by Eq. 26, %.4f by the filter", p.eq26, p.filter),
		Effect: claim.Exactly("R² of the belief, linear filter", "", p.filter).
			Beside("the best affine image of Eq. 26", p.eq26),
	}
	if len(p.stage) > 0 {
		c.Obtained += fmt.Sprintf(", %.4f after attention of trained models%s", seeds.Mean(p.stage), p.some())
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

// some says how many of its models have not converged, if any.
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

// converged are the processes of which every model has.
func (m parallelShares) converged() (list []parallelShare) {
	for _, p := range m.processes {
		if len(p.stage) > 0 && firstReason(p.unconverged) == "" {
			list = append(list, p)
		}
	}
	return list
}

// firstReason is the first that is not empty.
func firstReason(reasons []string) string {
	for _, r := range reasons {
		if r != "" {
			return r
		}
	}
	return ""
}

// trainedBeatEq26 asks what training finds.
func (m parallelShares) trainedBeatEq26() claim.Question {
	q := claim.Question{Question: "Does attention of trained models tell more of the belief than any affine image of " +
		"Eq. 26 does, in the mean over seeds, in every process all of whose models have converged?", Answer: claim.Undecided}
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

// trainedWithin asks whether the filter bounds what it has to bound.
func (m parallelShares) trainedWithin() claim.Question {
	q := claim.Question{Question: fmt.Sprintf("With each pattern replaced by its mean over words, does any model tell "+
		"more than the linear filter (by more than %.0e, the rounding of its activations)? It cannot.", activationRounding)}
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

// activationRounding is what the rounding of float32 activations may do to an R².
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

// parallelModels are the models that stand beside the exact shares of processes: the
// paper's own, where the profile trains them.
func (p profile) parallelModels(of ...trained.Source) (list []trained.Condition) {
	for _, on := range of {
		if slices.Contains(p.processes, on) {
			list = append(list, p.seededModels(on)...)
		}
	}
	return list
}

// exactShares are those that no model has a part in.
func exactShares(ctx context.Context, on trained.Source, positions int) (parallelShare, error) {
	p := parallelShare{Source: on}
	h, err := on.HMM()
	if err != nil {
		return p, err
	}
	filter := h.LinearFilter()
	if p.byPosition, err = filter.R2(ctx, positions); err != nil {
		return p, err
	}
	p.eq26, p.filter = pooledShares(p.byPosition)
	if p.steady, err = filter.SteadyR2(ctx); err != nil {
		p.steadyUndecided = err.Error()
	}
	return p, nil
}

// pooledShares are those of the words of all positions, each position alike.
func pooledShares(list []process.LinearR2) (eq26, filter float64) {
	variance := 0.0
	for _, r := range list {
		variance += r.Variance
		eq26 += r.Variance * r.Constrained
		filter += r.Variance * r.Linear
	}
	return eq26 / variance, filter / variance
}

// add measures a model.
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
		Features: probe.Stages(of.Stages()[1]), Targets: []probe.Target{probe.Beliefs}, Patterns: true, Workers: s.Workers,
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
	table := claim.Table{
		Title: "share of the belief's variance, words of up to n_ctx tokens; models: mean over seeds",
		Columns: []string{
			"process", "Eq. 26, affine", "linear filter", "resid_mid, trained", "with mean patterns", "random init",
			"Eq. 26, long words", "filter, long words",
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

// shareText prints a mean over seeds, if there are any.
func shareText(bySeed []float64) string {
	if len(bySeed) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f", seeds.Mean(bySeed))
}

// inTheLongRun prints a share of the steady state.
func (p parallelShare) inTheLongRun(share float64) string {
	if p.steadyUndecided != "" {
		return "–"
	}
	return fmt.Sprintf("%.4f", share)
}

var parallelNotes = []string{
	"Attention that does not look at tokens adds up functions of (position, token). The best such sum in mean square " +
		"is the projection of the belief on the tokens' indicators; as the belief is E[S_d | word], that is the " +
		"projection of the state itself: the linear least-squares filter, from second moments alone. Eq. 26 adds up " +
		"what each token tells by itself, and counts what correlated tokens tell in common as often as they tell it.",
	"The verdict is exact and rests on no model; the models stand beside it. “Best” is taken in mean square over words, " +
		"with any affine map behind Eq. 26, which only helps it; the paper names no measure.",
	"What a trained model has above the filter its attention makes by looking at tokens: with mean patterns the filter " +
		"is a bound for it.",
	"Known before the rule: the shares themselves at x = 0.15, α = 0.6, and that attention of trained models decays " +
		"faster than Eq. 26 has it.",
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
				chart.Series[i] = intervalPoint(chart.Series[i], float64(x)+besideBy(i, len(chart.Series)), missing(bySeed))
			}
		}
		for seed := range p.stage {
			rows = append(rows, []float64{
				p.X, p.A, float64(seed + 1), p.eq26, p.filter, p.stage[seed], p.meanPatterns[seed], p.random[seed],
			})
		}
	}
	out.Figure("shares", "What is left of the belief's variance: by the best affine image of the constrained belief, by "+
		"the best sum over tokens there is, and after the attention of trained models. Lower is nearer to the belief. "+
		"Models can pass the filter only by attention that looks at tokens. Error bars: 95 % over seeds.",
		figure.Row("The best parallel approximation is not the constrained belief", "Chart on a logarithmic scale: the "+
			"unexplained share of the belief by process, five series.", chart))
	out.CSV("shares", []string{
		"x", "alpha", "seed", "eq26", "filter", "trained", "trained_mean_patterns", "random",
	}, rows)
}

// besideBy is by how much the i-th of n marks of one place of an axis is moved aside.
func besideBy(i, n int) float64 { return 0.1 * (float64(i) - float64(n-1)/2) }

// missing is what shares leave, above rounding.
func missing(shares []float64) []float64 {
	list := make([]float64, len(shares))
	for i, share := range shares {
		list[i] = math.Max(1-share, 1e-12)
	}
	return list
}
