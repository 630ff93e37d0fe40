package mess3

import (
	"context"
	"fmt"

	"foretell/claim"
	"foretell/internal/plural"
	"foretell/paper/internal/trained"
	"foretell/probe"

	"gonum.org/v1/gonum/stat"
)

// replicates is what a row measures on the models of one condition of the document, one a
// seed. A condition that the profile does not train has none.
type replicates[M any] struct {
	trained.Source
	models []seeded[M]
	twice  *seeded[M] // the first again, trained for twice the steps; nil for none
}

// seeded is what a row measures on a model, beside the same of its random initialisation.
type seeded[M any] struct {
	trained.Condition
	unconverged   string // why the training has not come to its end; empty if it has
	found, random M
}

// measureReplicates measures the paper's models of processes.
func measureReplicates[M any](
	ctx context.Context, l *lab, s *claim.Study, of []trained.Source, measure func(m *subject) (M, error),
) (list []replicates[M], err error) {
	for _, on := range of {
		group := replicates[M]{Source: on}
		subjects, err := l.of(ctx, s, l.onProcesses(on))
		if err != nil {
			return nil, err
		}
		for _, m := range subjects {
			one := seeded[M]{Condition: m.Condition, unconverged: m.convergence.Reason}
			if one.found, err = measure(m); err != nil {
				return nil, err
			}
			if one.random, err = measure(m.random); err != nil {
				return nil, err
			}
			if m.Settings.Variant != "" {
				group.twice = &one
				continue
			}
			group.models = append(group.models, one)
		}
		list = append(list, group)
	}
	return list, nil
}

// converged are what is measured on the models that have converged, and on their random
// initialisations.
func (g replicates[M]) converged() (found, random []M) {
	for _, m := range g.models {
		if m.unconverged == "" {
			found = append(found, m.found)
			random = append(random, m.random)
		}
	}
	return found, random
}

// tabulated are those, or the first model alone where none has converged.
func (g replicates[M]) tabulated() (found, random []M) {
	if found, random = g.converged(); len(found) > 0 {
		return found, random
	}
	return []M{g.models[0].found}, []M{g.models[0].random}
}

// shown is the model that pictures show: the first that has converged, or else the first.
func (g replicates[M]) shown() seeded[M] {
	for _, m := range g.models {
		if m.unconverged == "" {
			return m
		}
	}
	return g.models[0]
}

// significant is the level of tests of equivalence.
const significant = 0.05

// fewestConverged is the number of models that a condition is judged by, at least, where
// it has as many: of one there is no interval.
const fewestConverged = 2

// judged is the condition as a rule judges the models that have converged, of which there
// are two at least: where a training rests on a plateau or leaves it, a mean over both
// says nothing. effect is the number that the rule rests on; twice the steps have to move
// it by less than its interval.
func (g replicates[M]) judged(effect func(M) float64, rule func(found, random []M) claim.Condition) claim.Condition {
	if len(g.models) == 0 {
		return claim.Condition{
			Name: g.String(), Obtained: "not decided: no model",
		}.Judged(claim.NotTrained)
	}
	found, random := g.converged()
	if len(found) < min(fewestConverged, len(g.models)) {
		return claim.Condition{
			Name: g.String(), Obtained: fmt.Sprintf("%d of %s has converged", len(found), plural.Count(len(g.models), "model")),
		}.Judged(g.firstUnconverged())
	}
	c := rule(found, random)
	c.Name = g.String()
	if len(found) < len(g.models) && c.Effect != nil {
		reached := claim.NewShare(len(found), len(g.models))
		c.Effect.Reached = &reached
	}
	return c.Judged(g.atTwice(numbers(found, effect), effect))
}

// asked is a question of ours about the condition, which answer answers from the models
// that have converged; undecided where none has.
func (g replicates[M]) asked(question string, answer func(q *claim.Question, found, random []M)) claim.Question {
	q := claim.Question{Question: question, Answer: claim.Undecided, Obtained: "no model has converged"}
	if found, random := g.converged(); len(found) > 0 {
		answer(&q, found, random)
	}
	return q
}

// firstUnconverged says why the first of the models that have not converged has not.
func (g replicates[M]) firstUnconverged() string {
	for _, m := range g.models {
		if m.unconverged != "" {
			return fmt.Sprintf("seed %d: %s", m.Seed, m.unconverged)
		}
	}
	return ""
}

// atTwice says how twice the steps move an effect, if by more than its interval: as far
// as they move that of the first seed.
func (g replicates[M]) atTwice(values []float64, effect func(M) float64) string {
	mean, interval := claim.Mean(values)
	if g.twice == nil || interval == nil {
		return ""
	}
	if g.twice.unconverged != "" {
		return "after twice the steps " + g.twice.unconverged
	}
	moved := mean + effect(g.twice.found) - effect(g.models[0].found)
	return probe.Convergence{}.AtTwice(interval.Low, interval.High, moved).Reason
}

// numbers are one of each of a list.
func numbers[M any](list []M, number func(M) float64) []float64 {
	values := make([]float64, len(list))
	for i, m := range list {
		values[i] = number(m)
	}
	return values
}

// mean is that of a number over a list.
func mean[M any](list []M, number func(M) float64) float64 {
	return stat.Mean(numbers(list, number), nil)
}

// sign says on which side of a number values, one a seed, lie: 1 above, −1 below, by
// their 95 % interval, or 0 if that contains it. One value alone lies where it lies.
func sign(values []float64, of float64) int {
	m, interval := claim.Mean(values)
	if interval == nil {
		interval = &claim.Interval{Low: m, High: m}
	}
	switch {
	case interval.Low > of:
		return 1
	case interval.High < of:
		return -1
	}
	return 0
}

// withInterval prints the mean of values, one a seed, in a format, with its interval.
func withInterval(format string, values []float64) string {
	m, interval := claim.Mean(values)
	if interval == nil {
		return fmt.Sprintf(format, m)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", m, interval.Low, interval.High)
}

// yesOr is what a table says of a model that has converged, or why it has not.
func yesOr(unconverged string) string {
	if unconverged == "" {
		return "yes"
	}
	return "no: " + unconverged
}
