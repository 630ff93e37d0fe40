package induction

import (
	"cmp"
	"context"
	"slices"

	"foretell/claim"
	"foretell/model"
)

// Constants of row I21's rule.
const (
	agrees     = 0.5 // the smallest agreement with the construction; it is 1 for the construction, and 0 by chance
	causeShare = 8   // the factor by which there are fewer sequences than held-out ones
)

// cause returns row I21, which tests D'Angelo et al. 2025, Sec. 5.
func (l *lab) cause() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I21", Kind: claim.Explanation, Setting: l.setting,
		Trainings: l.runs(l.threeLayers()), RuleCommit: "600ec39", ChangedAfterResult: true,
		First: claim.FirstBy("211cee9", causes.first),
		Test: claim.Steps[causes]{
			Measure: l.measureCauses, Judge: causes.judge, Tabulate: causes.tabulate, Draw: causes.draw,
		}.Test,
	}, map[string]any{
		"from": judgedFrom, "each": l.exchanged(), "half": agrees, "solved": solved, "falling": 100 * fallingBy,
		"transitions": plateauTransitions, "most": 100 * mostSeeds, "few": 100 * (1 - mostSeeds), "fewest": fewestSeeds,
	})
}

// exchanged is the number of sequences of each lag between which activations are
// exchanged.
func (l *lab) exchanged() int { return max(2, l.heldOut/causeShare) }

// form is a form of transformer.
type form int

// The forms.
const (
	asStated     form = iota // standard, without layer norm: the document's standard transformers
	normalised               // standard, with layer norm
	disentangled             // see Sec. 2
)

// form returns the form of the model.
func (n network) form() form {
	switch {
	case n.disentangled:
		return disentangled
	case n.recipe.norm == bare.norm:
		return asStated
	}
	return normalised
}

// threeLayers returns all models with three layers, where the first and the last have one
// head, as in the construction, in the order of their forms.
func (l *lab) threeLayers() (list []network) {
	for _, n := range l.everyModel() {
		if heads := n.layers(); len(heads) == 3 && heads[0] == 1 && heads[2] == 1 {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b network) int { return cmp.Compare(a.form(), b.form()) })
	return list
}

// causes holds the measurements of row I21.
type causes struct {
	kinds []causedKind
	built []builtBy
}

// causedKind holds the models that differ only in their seed.
type causedKind struct {
	form form
	claim.BySeed[causing]
}

// builtBy is the construction of a problem.
type builtBy struct {
	problem
	effects
	chance float64 // share of predictions of an observer without evidence that follow the true lag
}

// causing is what interventions do to a model, and to the construction.
type causing struct {
	effects
	built builtBy
}

// effects is what interventions do.
type effects struct {
	own, before reading  // nothing is replaced, and the wanted lag is the true one, or the donor's
	by          []effect // by intervention
	inverted    effect   // of [afterwards]
}

// all returns the effects of all interventions, [afterwards] last.
func (e effects) all() []effect { return append(slices.Clone(e.by), e.inverted) }

// effect is what an intervention does: with the activation of a sequence with the same
// lag, and of one with another lag.
type effect struct{ same, other reading }

func (l *lab) measureCauses(ctx context.Context, s *claim.Study) (causes, error) {
	var found causes
	list := l.threeLayers()
	var problems []problem
	for _, n := range list {
		if !slices.Contains(problems, n.problem()) {
			problems = append(problems, n.problem())
		}
	}
	byNetwork := map[network]causing{}
	for _, of := range problems {
		built, err := l.intervene(ctx, s, of, list, byNetwork)
		if err != nil {
			return found, err
		}
		found.built = append(found.built, built)
		s.Part(len(problems))
	}
	for _, kind := range byKind(list) {
		models, err := l.subjects(ctx, s, kind)
		if err != nil {
			return found, err
		}
		of := causedKind{form: kind[0].form()}
		byModel := func(m *subject) (causing, error) { return byNetwork[m.network], nil }
		of.BySeed, err = group(kind[0].labelled(""), models, (*subject).unsolvedLate, byModel)
		if err != nil {
			return found, err
		}
		found.kinds = append(found.kinds, of)
	}
	return found, nil
}

// intervene measures the construction and the models of a problem.
func (l *lab) intervene(
	ctx context.Context, s *claim.Study, of problem, list []network, to map[network]causing,
) (builtBy, error) {
	built := builtBy{problem: of}
	x, hand, err := l.exchange(ctx, s, of, l.exchanged())
	if err != nil {
		return built, err
	}
	built.chance = x.chance()
	if built.effects, err = affect(ctx, s, x, hand); err != nil {
		return built, err
	}
	for _, n := range list {
		if n.problem() != of {
			continue
		}
		s.Tell("intervening in " + n.label())
		found, err := affect(ctx, s, x, s.Trained(l.training(n)).Model)
		if err != nil {
			return built, err
		}
		to[n] = causing{found, built}
	}
	return built, nil
}

// affect applies all interventions to a model.
func affect[F model.Float](
	ctx context.Context, s *claim.Study, x *exchange, m *model.Transformer[F],
) (found effects, err error) {
	if found.own, err = read(ctx, s, x, m, nil, x.itself); err != nil {
		return found, err
	}
	if found.before, err = read(ctx, s, x, m, nil, x.donor); err != nil {
		return found, err
	}
	for _, iv := range interventions {
		e, err := affectBy(ctx, s, x, m, iv)
		if err != nil {
			return found, err
		}
		found.by = append(found.by, e)
	}
	found.inverted, err = affectBy(ctx, s, x, m, afterwards)
	return found, err
}

// affectBy applies an intervention to a model.
func affectBy[F model.Float](
	ctx context.Context, s *claim.Study, x *exchange, m *model.Transformer[F], iv intervention,
) (e effect, err error) {
	same := x.fellow
	if iv.pattern {
		same = x.itself
	}
	if e.same, err = read(ctx, s, x, m, &iv, same); err != nil {
		return e, err
	}
	e.other, err = read(ctx, s, x, m, &iv, x.donor)
	return e, err
}

// chance returns the share of predictions of an observer without evidence that follow the
// true lag.
func (x *exchange) chance() float64 {
	a, predicted := len(x.p), x.predictions(x.observer(last(0)))
	var sum sums
	for n := range x.count() {
		for t := judgedFrom - 1; t < x.context; t++ {
			follows, compared := x.follows(x.sequence(n), t, x.lag[n], predicted[(n*x.context+t)*a:][:a])
			sum.count(follows, compared)
		}
	}
	return float64(sum.followed) / float64(sum.compared)
}
