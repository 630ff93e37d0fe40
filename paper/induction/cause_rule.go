package induction

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/internal/text"
)

// outcome is what a model does, by the rule of row I21.
type outcome string

// The outcomes.
const (
	implements       outcome = "implements"        // every intervention acts as on the construction
	selectsOtherwise outcome = "selects otherwise" // not all do, but predictions follow the true lag
	neither          outcome = "neither"           // predictions do not follow the true lag
)

var outcomes = []outcome{implements, selectsOtherwise, neither}

// agreement compares how often predictions follow the wanted lag with the construction: 1
// if as often, 0 if as often as an observer without evidence does by chance.
func (m causing) agreement(model, built reading) float64 {
	return (model.follows - m.built.chance) / (built.follows - m.built.chance)
}

// selects is the agreement of the predictions with the true lag, if nothing is replaced.
func (m causing) selects() float64 { return m.agreement(m.own, m.built.own) }

// response is the agreement after an intervention, by its index in [applied], with the
// activation of a sequence that has the same lag, and of one that has another. After the
// last one, which the construction does not have, the model is compared with the
// construction as it is.
func (m causing) response(intervention int) (same, other float64) {
	if intervention == len(interventions) {
		return m.agreement(m.inverted.same, m.built.own), m.agreement(m.inverted.other, m.built.own)
	}
	of, built := m.by[intervention], m.built.by[intervention]
	return m.agreement(of.same, built.same), m.agreement(of.other, built.other)
}

// least is the smaller of the two responses to an intervention.
func (m causing) least(intervention int) float64 {
	same, other := m.response(intervention)
	return min(same, other)
}

// weakest is the smallest of all agreements that the rule compares.
func (m causing) weakest() float64 {
	return min(m.selects(), m.least(0), m.least(1), m.least(2), m.least(3))
}

// byInversion reports whether all interventions act as on the construction, if the
// attention of layer 1 is replaced by the inverted one.
func (m causing) byInversion() bool {
	return min(m.selects(), m.least(4), m.least(1), m.least(2), m.least(3)) >= agrees
}

func (m causing) outcome() outcome {
	switch {
	case m.weakest() >= agrees:
		return implements
	case m.selects() >= agrees:
		return selectsOtherwise
	}
	return neither
}

func (m causing) implements() bool { return m.outcome() == implements }

// models returns all models of some forms.
func (m causes) models(forms ...form) (list []claim.Seeded[causing]) {
	for _, kind := range m.kinds {
		if slices.Contains(forms, kind.form) {
			list = append(list, kind.Models...)
		}
	}
	return list
}

// converged returns the models of some forms that have converged.
func (m causes) converged(forms ...form) []claim.Seeded[causing] {
	return claim.BySeed[causing]{Models: m.models(forms...)}.Converged()
}

// countOutcomes returns the number of models with each of the outcomes.
func countOutcomes(models []claim.Seeded[causing]) (counts []int) {
	for _, o := range outcomes {
		counts = append(counts, countOf(models, func(m causing) bool { return m.outcome() == o }))
	}
	return counts
}

// judge is the rule of row I21. The document's words are about its standard transformers,
// which have no layer norm.
func (m causes) judge() claim.Finding {
	found := claim.NewFinding([]claim.Condition{m.implemented("standard transformers without layer norm", asStated)})
	found.Asked = []claim.Question{m.normalised(), m.disentangled(), m.unconverged(), m.copies(), m.inverted()}
	return found
}

// implemented returns the condition that transformers of some forms implement the
// construction.
func (m causes) implemented(name string, forms ...form) claim.Condition {
	models := m.converged(forms...)
	n := len(models)
	c := claim.Condition{Name: name, Verdict: claim.Open, Reason: claim.Power}
	if n == 0 {
		c.Obtained = "no converged model"
		return c.Judged(m.why(forms...))
	}
	g := claim.BySeed[causing]{Models: models}
	k := countOutcomes(models)[0]
	share := claim.NewShare(k, n)
	c.Converged, c.Obtained = true, outcomeText(models)
	c.Effect = claim.Pooled("smallest agreement with the construction, over interventions", "", g.All(causing.weakest))
	c.Effect.Reached = &share
	switch part := float64(k) / float64(n); {
	case n < fewestSeeds:
	case part >= mostSeeds-1e-9:
		c.Verdict, c.Reason = claim.Holds, ""
	case part <= 1-mostSeeds+1e-9:
		c.Verdict, c.Reason = claim.Fails, ""
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Conditions
	}
	return c
}

// why says why a transformer of some forms has not converged.
func (m causes) why(forms ...form) string {
	for _, kind := range m.kinds {
		if why := kind.Why(); slices.Contains(forms, kind.form) && why != "" {
			return kind.Name + ", " + why
		}
	}
	return claim.NotTrained
}

// outcomeText counts the outcomes of models, with the interval of the first one's share.
func outcomeText(models []claim.Seeded[causing]) string {
	n, counts := len(models), countOutcomes(models)
	if n == 0 {
		return "no model"
	}
	interval := claim.NewShare(counts[0], n).Interval
	return fmt.Sprintf("%d of %s implement the construction (95 %% interval of the share %.2f to %.2f), %d select "+
		"otherwise, %d do neither",
		counts[0], text.Count(n, "model"), interval.Low, interval.High, counts[1], counts[2])
}

// normalised asks the same of standard transformers with layer norm.
func (m causes) normalised() claim.Question {
	models := m.converged(normalised)
	q := mostAnswer("Do standard transformers with layer norm that have converged implement the construction? (our "+
		"question: the document's formulas have no normalisation)", models, causing.implements)
	q.Obtained = outcomeText(models)
	return q
}

// disentangled asks the same of disentangled transformers.
func (m causes) disentangled() claim.Question {
	models := m.converged(disentangled)
	q := mostAnswer("Do trained disentangled transformers that have converged implement the construction? (the "+
		"document: their attention has its patterns)", models, causing.implements)
	q.Obtained = outcomeText(models)
	return q
}

// unconverged asks the same of all models, as they are.
func (m causes) unconverged() claim.Question {
	q := mostAnswer("Do all models, converged or not, implement the construction? (our question)",
		m.models(asStated, normalised, disentangled), causing.implements)
	q.Obtained = fmt.Sprintf("standard without layer norm: %s; with layer norm: %s; disentangled: %s",
		outcomeText(m.models(asStated)), outcomeText(m.models(normalised)), outcomeText(m.models(disentangled)))
	return q
}

// copies asks which interventions act as on the construction, of all models that
// select. The answer is about the third layer, the selective induction head.
func (m causes) copies() claim.Question {
	var selecting []claim.Seeded[causing]
	for _, one := range m.models(asStated, normalised, disentangled) {
		if one.Found.selects() >= agrees {
			selecting = append(selecting, one)
		}
	}
	last := len(interventions) - 1
	q := mostAnswer("Does the attention of layer 3 decide which token predictions follow, in models that select the "+
		"lag, converged or not? (our question)", selecting, func(m causing) bool { return m.least(last) >= agrees })
	if len(selecting) == 0 {
		return q
	}
	var parts []string
	for i, iv := range interventions {
		k := countOf(selecting, func(m causing) bool { return m.least(i) >= agrees })
		parts = append(parts, fmt.Sprintf("%s in %d", iv.name, k))
	}
	q.Obtained = fmt.Sprintf("of %d models that select, interventions act as on the construction: %s",
		len(selecting), strings.Join(parts, ", "))
	return q
}

// inverted asks for the construction with inverted evidence.
func (m causes) inverted() claim.Question {
	standard, others := m.models(asStated, normalised), m.models(disentangled)
	q := mostAnswer("Do all models, converged or not, implement the construction with inverted evidence: if layer 1 "+
		"attends to the tokens at lags in proportion to 1/P, not P? (our question, added after the first result)",
		slices.Concat(standard, others), causing.byInversion)
	q.Obtained = fmt.Sprintf("%d of %d standard and %d of %d disentangled models",
		countOf(standard, causing.byInversion), len(standard),
		countOf(others, causing.byInversion), len(others))
	return q
}
