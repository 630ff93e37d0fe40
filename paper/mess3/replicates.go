package mess3

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/paper/internal/trained"
	"foretell/probe"

	"gonum.org/v1/gonum/stat"
)

// replicates holds a row's measurements on the paper's models of one process, and on
// their random initialisations.
type replicates[M any] struct {
	trained.Condition // of the first model
	claim.BySeed[M]
	twice *claim.Seeded[M] // the first model, trained for twice the steps; may be nil
}

// newReplicates returns replicates without models. A single model has no interval, so a
// process is judged only if two models have converged.
func newReplicates[M any](first trained.Condition) replicates[M] {
	return replicates[M]{
		Condition: first, BySeed: claim.BySeed[M]{Name: first.String(), Fewest: fewestConverged},
	}
}

// measureReplicates measures the paper's models of each listed process, and their random
// initialisations.
func measureReplicates[M any](
	ctx context.Context, l *lab, s *claim.Study, of []trained.Source, measure func(m *subject) (M, error),
) (list []replicates[M], err error) {
	for _, on := range of {
		group := newReplicates[M](l.paperModel(on))
		subjects, err := l.of(ctx, s, l.onProcesses(on))
		if err != nil {
			return nil, err
		}
		for _, m := range subjects {
			one := claim.Seeded[M]{Seed: int(m.Seed), Unconverged: m.convergence.Reason}
			if one.Found, err = measure(m); err != nil {
				return nil, err
			}
			if one.Random, err = measure(m.random); err != nil {
				return nil, err
			}
			if m.Settings.Variant != "" {
				group.twice = &one
				continue
			}
			group.Models = append(group.Models, one)
		}
		list = append(list, group)
	}
	return list, nil
}

// converged returns the measurements on the models that have converged, and on their
// random initialisations.
func (g replicates[M]) converged() (found, random []M) {
	for _, m := range g.Converged() {
		found = append(found, m.Found)
		random = append(random, m.Random)
	}
	return found, random
}

// tabulated returns the measurements on the models that have converged, or on the first
// model alone if no model has converged. It also returns those on their random
// initialisations.
func (g replicates[M]) tabulated() (found, random []M) {
	if found, random = g.converged(); len(found) > 0 {
		return found, random
	}
	return []M{g.Models[0].Found}, []M{g.Models[0].Random}
}

// shown returns the index of the model for pictures: the first that has converged, or
// else the first.
func (g replicates[M]) shown() int {
	return max(0, slices.IndexFunc(g.Models, func(m claim.Seeded[M]) bool { return m.Unconverged == "" }))
}

// significant is the level of tests of equivalence.
const significant = 0.05

// fewestConverged is the smallest number of converged models for which a condition is
// judged, unless it has fewer models altogether.
const fewestConverged = 2

// judged returns the condition with the verdict that rule gives on the converged models.
// Models that remain on a plateau are left out, because a mean over models on and off a
// plateau is meaningless. The argument effect is the number that the rule depends on;
// doubling the number of training steps must change it by less than its interval.
func (g replicates[M]) judged(effect func(M) float64, rule func(found, random []M) claim.Condition) claim.Condition {
	return g.Judge(func(converged []claim.Seeded[M]) claim.Condition {
		c := rule(g.converged())
		if len(converged) < len(g.Models) && c.Effect != nil {
			g.Counted(c.Effect)
		}
		c.Unconverged = g.atTwice(effect)
		return c
	})
}

// judgeEach judges each condition by the same rule; see [replicates.judged].
func judgeEach[M any](
	list []replicates[M], effect func(M) float64, rule func(found, random []M) claim.Condition,
) claim.Finding {
	return claim.NewFinding(claim.ConditionsOf(list, func(g replicates[M]) claim.Condition {
		return g.judged(effect, rule)
	}))
}

// asked returns one of the laboratory's own questions about the condition. The function
// answer fills in the answer, given the models that have converged. The answer is
// Undecided if no model has.
func (g replicates[M]) asked(question string, answer func(q *claim.Question, found, random []M)) claim.Question {
	q := claim.Question{Question: question, Answer: claim.Undecided, Obtained: "no model has converged"}
	if found, random := g.converged(); len(found) > 0 {
		answer(&q, found, random)
	}
	return q
}

// atTwice checks the effect of doubling the number of training steps. If the change for
// the first seed is larger than the interval of the effect, it says so; otherwise it
// returns "".
func (g replicates[M]) atTwice(effect func(M) float64) string {
	mean, interval := claim.Mean(g.Values(effect))
	if g.twice == nil || interval == nil {
		return ""
	}
	if g.twice.Unconverged != "" {
		return "after twice the steps " + g.twice.Unconverged
	}
	moved := mean + effect(g.twice.Found) - effect(g.Models[0].Found)
	return probe.Convergence{}.AtTwice(interval.Low, interval.High, moved).Reason
}

// numbers applies a function to each element of a list and returns the results.
func numbers[M any](list []M, number func(M) float64) []float64 {
	values := make([]float64, len(list))
	for i, m := range list {
		values[i] = number(m)
	}
	return values
}

// mean returns the mean of a function over the elements of a list.
func mean[M any](list []M, number func(M) float64) float64 {
	return stat.Mean(numbers(list, number), nil)
}

// sign compares values, one for each seed, with the threshold. It returns 1 if their 95 %
// interval is above it, −1 if the interval is below, and 0 if the interval contains it. A
// single value is compared directly.
func sign(values []float64, threshold float64) int {
	m, interval := claim.Mean(values)
	if interval == nil {
		interval = &claim.Interval{Low: m, High: m}
	}
	switch {
	case interval.Low > threshold:
		return 1
	case interval.High < threshold:
		return -1
	}
	return 0
}

// withInterval formats the mean of values, one for each seed, with its interval.
func withInterval(format string, values []float64) string {
	m, interval := claim.Mean(values)
	if interval == nil {
		return fmt.Sprintf(format, m)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", m, interval.Low, interval.High)
}
