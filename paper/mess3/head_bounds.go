package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/theory"
)

// Constants of the rule of M15. Its three predictions, P1 to P3, are defined in its
// Expected.
const (
	boundSlack   = 0.005 // R² may exceed a bound by this much, because a numerical search finds the bounds
	tellingBound = 0.99  // P2 is tested only where the bound for one head fewer leaves R² room: up to this value
	mostSeeds    = 0.9   // share of the seeds for which P2 must be true if it is to hold
	halfSeeds    = 0.5   // share of the seeds below which P2 fails, and which the second half of P3 needs
	fewestSeeds  = 10    // number of seeds with which 9 of 10 is significant: p = 0.011 by the sign test
)

// boundWidth is the width of each head in M15, whatever the number of heads: the middle
// of the range 4 to 16 in the authors' public code.
const boundWidth = 8

// headBounds is M15: the statements of Piotrowski et al. 2025, Sec. 4.4 and 4.4.1, about
// the number of heads, extended to any process and to the best that fewer heads can do.
func (l *lab) headBounds() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M15", Kind: claim.Beyond, Trainings: trained.Trainings(l.boundModels()),
		Setting: fmt.Sprintf("%s; heads %d wide, %s seeds", l.describe(l.small), boundWidth,
			numerals.Cardinal(len(l.boundSeeds()))),
		RuleCommit: "757aa7c", ChangedAfterResult: true,
		First: claim.FirstLacks("a2b91ce", claim.LacksQuantity),
		Test: claim.Steps[boundedHeads]{
			Measure: l.measureBounds, Judge: boundedHeads.judge,
			Tabulate: boundedHeads.tabulate, Draw: boundedHeads.draw,
		}.Test,
	}, map[string]any{
		"slack": boundSlack, "telling": tellingBound, "seeds": fewestSeeds,
		"most": atLeast(mostSeeds, fewestSeeds), "half": atLeast(halfSeeds, fewestSeeds),
	})
}

// atLeast returns the smallest number of seeds that is at least the given share of n.
func atLeast(share float64, n int) int { return int(math.Ceil(share * float64(n))) }

// boundSources returns the processes of M15. P3 predicts that the first two differ.
func (p profile) boundSources() []trained.Source {
	list := []trained.Source{trained.Mess3(0.5, 0.6), {Name: trained.Alternation}}
	if p.whole {
		list = append(list, trained.Source{Name: trained.Cycle4}, trained.Source{Name: trained.Cycle5})
	}
	return list
}

// boundSettings returns the settings of the small models, with heads of a fixed width and
// with few enough sequences to enumerate.
func (p profile) boundSettings(on trained.Source) trained.Settings {
	s := p.small
	s.DHead = boundWidth
	switch {
	case p.name == claim.Quick:
		s.Steps = 2500
	case p.whole:
		s.Steps = 4000
	}
	if on.Name == trained.Cycle5 {
		s.NCtx = min(s.NCtx, 7) // 98 thousand sequences, few enough to enumerate
	}
	return s
}

// boundSeeds returns the seeds of M15.
func (p profile) boundSeeds() []uint64 { return p.firstSeeds(3, fewestSeeds) }

// firstSeeds returns 1, 2 and so on: as many seeds as given for the profile.
func (p profile) firstSeeds(quick, full int) []uint64 {
	switch {
	case p.name == claim.Quick:
		return firstSeeds(quick)
	case p.whole:
		return firstSeeds(full)
	}
	return p.seeds
}

// firstSeeds returns 1 … n.
func firstSeeds(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i + 1)
	}
	return list
}

// headsAsked returns the number of heads that theory requires. It takes no context
// because decomposing a few states is immediate.
func headsAsked(on trained.Source) int {
	h, err := on.HMM()
	if err != nil {
		panic("mess3: " + err.Error())
	}
	spectrum, err := theory.Of(h).Spectrum(context.Background())
	if err != nil {
		panic("mess3: " + err.Error())
	}
	return spectrum.Heads().Future
}

// boundModels returns the models of each process for every seed: with one head, with two,
// and so on up to the number that theory requires.
func (p profile) boundModels() []trained.Condition {
	var list []trained.Condition
	for _, on := range p.boundSources() {
		for heads := 1; heads <= headsAsked(on); heads++ {
			list = append(list, p.boundCell(on, heads)...)
		}
	}
	return list
}

// boundCell returns the models of a process with the given number of heads.
func (p profile) boundCell(on trained.Source, heads int) []trained.Condition {
	return p.oneLayerModels(on, heads, p.boundSettings(on), p.boundSeeds()...)
}

// oneLayerModels returns models of one layer that differ only in their seed.
func (p profile) oneLayerModels(
	on trained.Source, heads int, settings trained.Settings, seeds ...uint64,
) []trained.Condition {
	shape := trained.Shape{Layers: 1, Heads: heads}
	return trained.Condition{Source: on, Shape: shape, Norm: p.norm, Settings: settings}.Seeded(seeds...)
}

// boundedHeads is the measurement of M15, by process.
type boundedHeads []boundedProcess

// boundedProcess is the measurement on one process.
type boundedProcess struct {
	trained.Source
	bounds  []float64 // by number of heads, from 0: R*_H
	certain []float64 // by number of heads: an upper limit of R*_H, valid even if the search missed the maximum
	cells   []boundedCell
}

// boundedCell holds the models with one number of heads.
type boundedCell struct {
	heads int
	claim.BySeed[boundedModel]
}

// boundedModel is the measurement on one model. At random initialisation, only mean is
// measured.
type boundedModel struct {
	asTrained, mean float64 // R²: as trained, and with mean patterns
	dependence      float64 // share of attention that depends on tokens, mean over heads
	missed          float64 // share of the information in the sequences
}

func (m boundedModel) trainedR2() float64 { return m.asTrained }
func (m boundedModel) meanR2() float64    { return m.mean }

// fewer returns the bound R*_H for one head fewer than the models in c have.
func (p boundedProcess) fewer(c boundedCell) float64 { return p.bounds[c.heads-1] }

func (m boundedHeads) judge() claim.Finding {
	var found claim.Finding
	for _, p := range m {
		found.Conditions = append(found.Conditions, p.neverAbove())
		for _, c := range p.cells {
			if c.heads > 1 && p.fewer(c) <= tellingBound {
				found.Conditions = append(found.Conditions, p.used(c))
			}
		}
	}
	found.Conditions = append(found.Conditions, m[0].onePatternOnly(), m[1].tokensHelp())
	found.Verdict, found.Reason = allOrOpen(found.Conditions)
	found.Obtained, found.Effect = inShort(found.Conditions), claim.Deciding(found.Conditions)
	return found
}

// allOrOpen returns the verdict on predictions that must all be true: Fails if one fails,
// otherwise Open if one is open.
func allOrOpen(conditions []claim.Condition) (claim.Verdict, claim.Reason) {
	verdict, reason := claim.Holds, claim.Reason("")
	for _, c := range conditions {
		switch {
		case c.Verdict == claim.Fails:
			return claim.Fails, ""
		case c.Verdict == claim.Open && verdict == claim.Holds:
			verdict, reason = claim.Open, c.Reason
		}
	}
	return verdict, reason
}

// inShort returns a sentence with the number of conditions by verdict, and those that
// fail.
func inShort(conditions []claim.Condition) string {
	counts := map[claim.Verdict]int{}
	var parts, failed []string
	for _, c := range conditions {
		counts[c.Verdict]++
		if c.Verdict == claim.Fails {
			failed = append(failed, c.Name+": "+c.Obtained)
		}
	}
	for _, v := range claim.Verdicts {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	text := fmt.Sprintf("of %s: %s", text.Count(len(conditions), "prediction"), strings.Join(parts, ", "))
	if len(failed) > 0 {
		text += ". " + strings.Join(failed, "; ")
	}
	return text
}

// neverAbove returns the condition for P1 on a process: with mean patterns, no model is
// above its bound.
func (p boundedProcess) neverAbove() claim.Condition {
	above, n := 0, 0
	highest := make([]float64, len(p.cells[0].Models)) // by seed
	for seed := range highest {
		highest[seed] = math.Inf(-1)
	}
	for _, c := range p.cells {
		for seed, r2 := range c.All(boundedModel.meanR2) {
			over := r2 - p.bounds[c.heads]
			highest[seed] = max(highest[seed], over)
			if n++; over > boundSlack {
				above++
			}
		}
	}
	return claim.Condition{
		Name: "P1, " + p.String(), Verdict: claim.HoldsIf(above == 0), Converged: true,
		Obtained: fmt.Sprintf("with mean patterns, R² is above R*_H + %g in %d of %d models; largest excess %+.4f",
			boundSlack, above, n, slices.Max(highest)),
		Effect: claim.Over("R² with mean patterns minus R*_H, the largest over numbers of heads", "", highest),
	}
}

// used returns the condition for P2 on a process, for models with the number of heads in
// c: they do better than one head fewer could. A model that does not do better is not
// counted against P2 if it has not converged.
func (p boundedProcess) used(c boundedCell) claim.Condition {
	effect := claim.Reaching("R² with mean patterns", "", c.All(boundedModel.meanR2), p.fewer(c)).
		Against("R*_H of "+text.Count(c.heads-1, "head"), p.fewer(c))
	k, n := effect.Reached.K, effect.Reached.N
	waiting, random := 0, 0
	for _, m := range c.Models {
		if m.Found.mean <= p.fewer(c) && m.Unconverged != "" {
			waiting++
		}
		if m.Random.mean > p.fewer(c) {
			random++
		}
	}
	found := claim.Condition{
		Name: fmt.Sprintf("P2, %s, %s", p, text.Count(c.heads, "head")), Converged: true, Effect: effect,
		Obtained: fmt.Sprintf("with mean patterns, R² is above R*_%d = %.4f in %d of %d seeds (random "+
			"initialisation: %d)", c.heads-1, p.fewer(c), k, n, random),
	}
	switch {
	case random >= atLeast(halfSeeds, n):
		found.Verdict, found.Reason = claim.Open, claim.Power
	case k+waiting < atLeast(halfSeeds, n) && n >= fewestSeeds:
		found.Verdict = claim.Fails
	case k >= atLeast(mostSeeds, n) && n >= fewestSeeds:
		found.Verdict = claim.Holds
	case waiting > 0:
		found = found.Judged(fmt.Sprintf("%d of %d models have not converged and are not above the bound", waiting, n))
	default:
		found.Verdict, found.Reason = claim.Open, claim.Power
	}
	return found
}

// onePatternOnly returns the condition for the first half of P3: on this process, one
// head cannot profit from attention that depends on tokens.
func (p boundedProcess) onePatternOnly() claim.Condition {
	found := p.oneHeadAsTrained()
	found.Verdict = claim.HoldsIf(found.Effect.Reached.K == 0)
	return found
}

// tokensHelp returns the condition for the second half of P3: on this process, one head
// can profit from attention that depends on tokens. If fewer seeds are above the bound
// than P3 requires, it is open.
func (p boundedProcess) tokensHelp() claim.Condition {
	found := p.oneHeadAsTrained()
	above, n := found.Effect.Reached.K, found.Effect.Reached.N
	if above >= atLeast(halfSeeds, n) && n >= fewestSeeds {
		found.Verdict = claim.Holds
	} else {
		found.Verdict, found.Reason = claim.Open, claim.Power
	}
	return found
}

// oneHeadAsTrained returns a condition for P3 without its verdict. Its effect counts the
// one-head models above R*_1 + boundSlack.
func (p boundedProcess) oneHeadAsTrained() claim.Condition {
	effect := claim.Reaching("R² as trained", "", p.cells[0].All(boundedModel.trainedR2), p.bounds[1]+boundSlack).
		Against("R*_1", p.bounds[1])
	return claim.Condition{
		Name: fmt.Sprintf("P3, %s, one head", p), Converged: true, Effect: effect,
		Obtained: fmt.Sprintf("as trained, R² of one head is above R*_1 + %g in %d of %d seeds",
			boundSlack, effect.Reached.K, effect.Reached.N),
	}
}

func (l *lab) measureBounds(ctx context.Context, s *claim.Study) (boundedHeads, error) {
	var found boundedHeads
	for _, on := range l.boundSources() {
		p, err := l.measureBounded(ctx, s, on)
		if err != nil {
			return found, fmt.Errorf("%s: %w", on, err)
		}
		found = append(found, p)
	}
	return found, nil
}

// measureBounded measures all models of a process.
func (l *lab) measureBounded(ctx context.Context, s *claim.Study, on trained.Source) (boundedProcess, error) {
	p := boundedProcess{Source: on}
	h, err := on.HMM()
	if err != nil {
		return p, err
	}
	s.Tell("computing the bounds of heads on " + on.String())
	bounds, err := theory.Of(h).HeadsR2(ctx, l.boundSettings(on).NCtx, headsAsked(on))
	if err != nil {
		return p, err
	}
	for _, b := range bounds {
		p.bounds = append(p.bounds, b.R2)
		p.certain = append(p.certain, b.Bound)
	}
	for heads := 1; heads <= headsAsked(on); heads++ {
		cell := boundedCell{heads: heads}
		for _, c := range l.boundCell(on, heads) {
			s.Tell(fmt.Sprintf("measuring %s with %s, seed %d", on, text.Count(heads, "head"), c.Seed))
			if err := cell.add(ctx, s, c); err != nil {
				return p, err
			}
		}
		p.cells = append(p.cells, cell)
	}
	return p, nil
}

// add adds a model's measurements.
func (b *boundedCell) add(ctx context.Context, s *claim.Study, c trained.Condition) error {
	of, err := trained.NewSubject(ctx, s, c)
	if err != nil {
		return err
	}
	a, mean, err := afterAttention(ctx, of, of.Model, probe.Constrained, s.Workers)
	if err != nil {
		return err
	}
	dependence, err := a.TokenDependence(ctx)
	if err != nil {
		return err
	}
	moved := 0.0
	for _, d := range dependence {
		moved += d.Mean / float64(len(dependence))
	}
	untrained, err := model.New[float32](of.Model.Config, c.Seed)
	if err != nil {
		return err
	}
	_, random, err := afterAttention(ctx, of, untrained, probe.Constrained, s.Workers)
	if err != nil {
		return err
	}
	convergence, err := a.Convergence(ctx)
	if err != nil {
		return err
	}
	stage := probe.Stage(of.Stages()[1])
	r2 := func(a *probe.Analysis) float64 { return a.Regress(probe.Constrained, stage).InSample.R2 }
	b.Models = append(b.Models, claim.Seeded[boundedModel]{
		Seed: int(c.Seed), Unconverged: convergence.Reason,
		Found: boundedModel{r2(a), r2(mean), moved, convergence.Missed}, Random: boundedModel{mean: r2(random)},
	})
	return nil
}

// afterAttention analyses the stage after a model's first attention over the subject's
// sequences: once unchanged, and once with every attention pattern replaced by its mean
// over sequences.
func afterAttention(
	ctx context.Context, of *trained.Subject, m *model.Transformer[float32], target probe.Target, workers int,
) (a, mean *probe.Analysis, err error) {
	a, err = probe.Analyze(ctx, m, of.Prefixes, probe.Plan{
		Features: probe.Stages(of.Stages()[1]), Targets: []probe.Target{target}, Patterns: true, Workers: workers,
	})
	if err != nil {
		return nil, nil, err
	}
	mean, err = a.AtMeanPatterns(ctx)
	return a, mean, err
}
