package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/plural"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// The rule of M15.
const (
	boundSlack   = 0.005 // that an R² may be above a bound, which a search has found
	tellingBound = 0.99  // a bound of one head fewer above which R² has no room, and P2 is not asked
	mostSeeds    = 0.9   // share of the seeds that confirms a prediction
	halfSeeds    = 0.5   // share of the seeds that a prediction about some of them needs
	fewestSeeds  = 10    // with which 9 of 10 are no chance: p = 0.011 by the sign test
)

// boundWidth is the width of a head in M15, whatever their number: the middle of the 4 to
// 16 of the authors' public code.
const boundWidth = 8

// headBounds is M15: what Piotrowski et al. 2025, Sec. 4.4 and 4.4.1, say of the number
// of heads, for any process, with what fewer heads can do.
func (l *lab) headBounds() claim.Row {
	return claim.Row{
		ID: "M15", Source: "beyond " + document + " (its Sec. 4.4.1 for any process)", Kind: claim.Beyond,
		Quote: "“when ζ < 0 (which occurs when x > 1/3), the predicted pattern oscillates and cannot be captured by a " +
			"single attention head, since attention pattern entries must be non-negative” (Sec. 4.4.1; for Mess3 alone, " +
			"number of models not stated)",
		Statement: "As long as attention does not look at tokens, H heads make no more of the constrained beliefs " +
			"than the bound R*_H of non-negative patterns, and models use every head that theory gives them.",
		Expected: fmt.Sprintf("R² of the constrained beliefs after attention, one affine map for all words. P1: with "+
			"each pattern replaced by its mean over words, never above R*_H + %g. P2: the same R² with two heads or more "+
			"above R*_H of one head fewer in at least %d of %d seeds, wherever that is at most %g. P3: as trained, one "+
			"head is never above R*_1 + %g on Mess3, where the corrections have rank two, and is so on the alternation, "+
			"where they have rank one, in at least %d of %d. Fails on any violation of P1 or of P3's first half, or if "+
			"P2 comes out in fewer than %d of %d; else open",
			boundSlack, atLeast(mostSeeds, fewestSeeds), fewestSeeds, tellingBound, boundSlack,
			atLeast(halfSeeds, fewestSeeds), fewestSeeds, atLeast(halfSeeds, fewestSeeds), fewestSeeds),
		Trainings: trained.Trainings(l.boundModels()), RuleCommit: "757aa7c", ChangedAfterResult: true,
		Test: claim.Steps[boundedHeads]{
			Measure: l.measureBounds, Judge: boundedHeads.judge, Tabulate: boundedHeads.tabulate, Draw: boundedHeads.draw,
		}.Test,
	}
}

// atLeast is the least number of n seeds that is a share of them.
func atLeast(share float64, n int) int { return int(math.Ceil(share * float64(n))) }

// boundSources are the processes of M15; the first two have to differ by P3.
func (p profile) boundSources() []trained.Source {
	list := []trained.Source{trained.Mess3(0.5, 0.6), {Name: trained.Alternation}}
	if p.name == claim.Full {
		list = append(list, trained.Source{Name: trained.Cycle4}, trained.Source{Name: trained.Cycle5})
	}
	return list
}

// boundSettings are those of the small models, with heads of one width and words that can
// all be gone through.
func (p profile) boundSettings(on trained.Source) trained.Settings {
	s := p.small
	s.DHead = boundWidth
	switch p.name {
	case claim.Quick:
		s.Steps = 2500
	case claim.Full:
		s.Steps = 4000
	}
	if on.Name == trained.Cycle5 {
		s.NCtx = min(s.NCtx, 7) // 98 thousand words
	}
	return s
}

// boundSeeds are the seeds of M15.
func (p profile) boundSeeds() []uint64 {
	switch p.name {
	case claim.Quick:
		return firstSeeds(3)
	case claim.Full:
		return firstSeeds(fewestSeeds)
	}
	return p.seeds
}

// firstSeeds are 1 … n.
func firstSeeds(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i + 1)
	}
	return list
}

// headsAsked is how many heads theory asks for. It takes no context: three states are
// decomposed at once.
func headsAsked(on trained.Source) int {
	h, err := on.HMM()
	if err != nil {
		panic("mess3: " + err.Error())
	}
	spectrum, err := h.Spectrum(context.Background())
	if err != nil {
		panic("mess3: " + err.Error())
	}
	return spectrum.Heads().Future
}

// boundModels are each process with one head to as many as theory asks for, and every
// seed.
func (p profile) boundModels() []trained.Condition {
	var list []trained.Condition
	for _, on := range p.boundSources() {
		for heads := 1; heads <= headsAsked(on); heads++ {
			list = append(list, p.boundCell(on, heads)...)
		}
	}
	return list
}

// boundCell are the models of a process with a number of heads.
func (p profile) boundCell(on trained.Source, heads int) []trained.Condition {
	var list []trained.Condition
	for _, seed := range p.boundSeeds() {
		list = append(list, trained.Condition{
			Source: on, Shape: trained.Shape{Layers: 1, Heads: heads}, Norm: p.norm, Seed: seed,
			Settings: p.boundSettings(on),
		})
	}
	return list
}

// boundedHeads are the processes of M15.
type boundedHeads struct {
	setting   string
	processes []boundedProcess
}

// boundedProcess is one of them.
type boundedProcess struct {
	trained.Source
	positions int
	bounds    []float64 // R*_H by the number of heads, from 0
	certain   []float64 // what R*_H is at most, whatever the search has missed
	cells     []boundedCell
}

// boundedCell are the models with a number of heads, by seed.
type boundedCell struct {
	heads                   int
	asTrained, mean, random []float64 // R² as trained, with mean patterns, and those of the random initialisation
	dependence              []float64 // share of attention that tokens move, mean over heads
	missed                  []float64
	unconverged             []string // why; empty where a model has converged
}

// fewer is R*_H of one head fewer.
func (p boundedProcess) fewer(c boundedCell) float64 { return p.bounds[c.heads-1] }

func (m boundedHeads) judge() claim.Finding {
	var found claim.Finding
	for _, p := range m.processes {
		found.Conditions = append(found.Conditions, p.neverAbove())
		for _, c := range p.cells {
			if c.heads > 1 && p.fewer(c) <= tellingBound {
				found.Conditions = append(found.Conditions, p.used(c))
			}
		}
	}
	found.Conditions = append(found.Conditions, m.processes[0].onePatternOnly(), m.processes[1].tokensHelp())
	found.Verdict, found.Reason = allOrOpen(found.Conditions)
	found.Obtained = inShort(found.Conditions)
	return found
}

// allOrOpen is the verdict of predictions that have to come true together: one that fails
// fails all, and one that is open leaves them open.
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

// inShort counts conditions by verdict and says which fail.
func inShort(conditions []claim.Condition) string {
	var parts, failed []string
	for _, v := range claim.Verdicts {
		n := 0
		for _, c := range conditions {
			if c.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	for _, c := range conditions {
		if c.Verdict == claim.Fails {
			failed = append(failed, c.Name+": "+c.Obtained)
		}
	}
	text := fmt.Sprintf("of %s: %s", plural.Count(len(conditions), "prediction"), strings.Join(parts, ", "))
	if len(failed) > 0 {
		text += ". " + strings.Join(failed, "; ")
	}
	return text
}

// neverAbove is P1 of a process.
func (p boundedProcess) neverAbove() claim.Condition {
	above, n := 0, 0
	highest := make([]float64, len(p.cells[0].mean)) // by seed
	for seed := range highest {
		highest[seed] = math.Inf(-1)
	}
	for _, c := range p.cells {
		for seed, r2 := range c.mean {
			over := r2 - p.bounds[c.heads]
			highest[seed] = max(highest[seed], over)
			if n++; over > boundSlack {
				above++
			}
		}
	}
	return claim.Condition{
		Name: "P1, " + p.String(), Verdict: holdsIf(above == 0), Converged: true,
		Obtained: fmt.Sprintf("with mean patterns above R*_H + %g in %d of %d models, at most by %+.4f", boundSlack, above,
			n, slices.Max(highest)),
		Effect: claim.Over("R² with mean patterns less R*_H, the largest of any number of heads", "", highest),
	}
}

// holdsIf is Holds or Fails.
func holdsIf(yes bool) claim.Verdict {
	if yes {
		return claim.Holds
	}
	return claim.Fails
}

// used is P2 of a process with a number of heads: that they do more than one fewer could.
// A model that has not converged and does not is not counted against it.
func (p boundedProcess) used(c boundedCell) claim.Condition {
	n, k, waiting, random := len(c.mean), 0, 0, 0
	for seed, r2 := range c.mean {
		switch {
		case r2 > p.fewer(c):
			k++
		case c.unconverged[seed] != "":
			waiting++
		}
		if c.random[seed] > p.fewer(c) {
			random++
		}
	}
	found := claim.Condition{
		Name: fmt.Sprintf("P2, %s, %s", p, plural.Count(c.heads, "head")), Converged: true,
		Effect: reaching("R² with mean patterns", c.mean, p.fewer(c)).Against(
			fmt.Sprintf("R*_H of %s", plural.Count(c.heads-1, "head")), p.fewer(c)),
		Obtained: fmt.Sprintf("above R*_%d = %.4f in %d of %d seeds (random initialisation: %d)", c.heads-1, p.fewer(c),
			k, n, random),
	}
	switch {
	case random >= atLeast(halfSeeds, n):
		found.Verdict, found.Reason = claim.Open, claim.Power
	case k+waiting < atLeast(halfSeeds, n) && n >= fewestSeeds:
		found.Verdict = claim.Fails
	case k >= atLeast(mostSeeds, n) && n >= fewestSeeds:
		found.Verdict = claim.Holds
	case waiting > 0:
		found = found.Judged(fmt.Sprintf("%d of %d models have not converged and are not above", waiting, n))
	default:
		found.Verdict, found.Reason = claim.Open, claim.Power
	}
	return found
}

// onePatternOnly is P3 where one head cannot profit from looking at tokens.
func (p boundedProcess) onePatternOnly() claim.Condition {
	found, above, n := p.oneHeadAsTrained()
	found.Verdict = holdsIf(above == 0)
	found.Obtained = fmt.Sprintf("as trained, one head is above R*_1 + %g in %d of %d seeds", boundSlack, above, n)
	return found
}

// tokensHelp is P3 where one head can: if it is so in fewer seeds than it takes, more is
// not known.
func (p boundedProcess) tokensHelp() claim.Condition {
	found, above, n := p.oneHeadAsTrained()
	found.Obtained = fmt.Sprintf("as trained, one head is above R*_1 + %g in %d of %d seeds", boundSlack, above, n)
	if above >= atLeast(halfSeeds, n) && n >= fewestSeeds {
		found.Verdict = claim.Holds
	} else {
		found.Verdict, found.Reason = claim.Open, claim.Power
	}
	return found
}

// oneHeadAsTrained begins a condition of P3.
func (p boundedProcess) oneHeadAsTrained() (found claim.Condition, above, n int) {
	one := p.cells[0]
	for _, r2 := range one.asTrained {
		if r2 > p.bounds[1]+boundSlack {
			above++
		}
	}
	effect := reaching("R² as trained", one.asTrained, p.bounds[1]+boundSlack).Against("R*_1", p.bounds[1])
	return claim.Condition{Name: fmt.Sprintf("P3, %s, one head", p), Converged: true, Effect: effect}, above,
		len(one.asTrained)
}

// reaching is the effect of models that are above a bound or not: over those that are,
// and where none is, over all.
func reaching(what string, values []float64, bound float64) *claim.Effect {
	var above []float64
	for _, v := range values {
		if v > bound {
			above = append(above, v)
		}
	}
	share := claim.NewShare(len(above), len(values))
	if len(above) == 0 {
		above = values
	}
	effect := claim.Over(what, "", above)
	effect.Reached = &share
	return effect
}

func (l *lab) measureBounds(ctx context.Context, s *claim.Study) (boundedHeads, error) {
	found := boundedHeads{setting: fmt.Sprintf("%s; heads %d wide, %s seeds", l.describe(l.small), boundWidth,
		numerals.Cardinal(len(l.boundSeeds())))}
	for _, on := range l.boundSources() {
		p, err := l.measureBounded(ctx, s, on)
		if err != nil {
			return found, fmt.Errorf("%s: %w", on, err)
		}
		found.processes = append(found.processes, p)
	}
	return found, nil
}

// measureBounded measures all models of a process.
func (l *lab) measureBounded(ctx context.Context, s *claim.Study, on trained.Source) (boundedProcess, error) {
	p := boundedProcess{Source: on, positions: l.boundSettings(on).NCtx}
	h, err := on.HMM()
	if err != nil {
		return p, err
	}
	s.Tell("bounding the heads on " + on.String())
	bounds, err := h.HeadsR2(ctx, p.positions, headsAsked(on))
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
			s.Tell(fmt.Sprintf("looking into %s with %s, seed %d", on, plural.Count(heads, "head"), c.Seed))
			if err := cell.add(ctx, s, c); err != nil {
				return p, err
			}
		}
		p.cells = append(p.cells, cell)
	}
	return p, nil
}

// add measures a model.
func (b *boundedCell) add(ctx context.Context, s *claim.Study, c trained.Condition) error {
	of, err := trained.NewSubject(ctx, s, c)
	if err != nil {
		return err
	}
	a, mean, err := afterAttention(ctx, of, of.Model, s.Workers)
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
	_, random, err := afterAttention(ctx, of, untrained, s.Workers)
	if err != nil {
		return err
	}
	convergence, err := a.Convergence(ctx)
	if err != nil {
		return err
	}
	b.asTrained = append(b.asTrained, a.Regress(0, 0).InSample.R2)
	b.mean = append(b.mean, mean.Regress(0, 0).InSample.R2)
	b.random = append(b.random, random.Regress(0, 0).InSample.R2)
	b.dependence = append(b.dependence, moved)
	b.missed = append(b.missed, convergence.Missed)
	b.unconverged = append(b.unconverged, convergence.Reason)
	return nil
}

// afterAttention analyses the stage after the first attention of a model over the words
// of a subject, as it is and with every pattern replaced by its mean over words. The
// target is the constrained beliefs.
func afterAttention(ctx context.Context, of *trained.Subject, m *model.Transformer[float32], workers int,
) (a, mean *probe.Analysis, err error) {
	a, err = probe.Analyze(ctx, m, of.Prefixes, probe.Plan{
		Features: probe.Stages(of.Stages()[1]), Targets: []probe.Target{probe.Constrained},
		Patterns: true, Workers: workers,
	})
	if err != nil {
		return nil, nil, err
	}
	mean, err = a.AtMeanPatterns(ctx)
	return a, mean, err
}
