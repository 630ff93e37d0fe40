package induction

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/run"

	"gonum.org/v1/gonum/stat"
)

// Whether a model has converged is decided by one rule for all rows, whatever a row
// expects of the model: it neither rests on a plateau nor still improves, by the numbers
// that the row judges. Where a row asks whether models solve their task, those that do
// need no more steps.

// convergence is the rule in words, for the texts of rows.
var convergence = fmt.Sprintf("A model has converged if it comes within %g nats of BMA at the end; or if it predicts "+
	"better than an observer with the evidence of the last %d transitions, and its divergence above BMA at the end "+
	"falls by no more than %g %% between half of its steps and all of them", solved, plateauTransitions, 100*fallingBy)

// span is a range of positions over which divergences are averaged, counted from 1.
type span struct {
	name        string
	first, last int
}

// The spans that rows judge, for sequences of T tokens.
func earlyIn(int) span { return span{fmt.Sprintf("before position %d", judgedFrom), 1, judgedFrom - 1} }

func lateIn(context int) span {
	return span{fmt.Sprintf("from position %d on", judgedFrom), judgedFrom, context}
}

func endIn(context int) span {
	return span{"in the last eighth of positions", context - context/8 + 1, context}
}

// mean returns the mean over the span of numbers by position.
func (s span) mean(byPosition []float64) float64 { return stat.Mean(byPosition[s.first-1:s.last], nil) }

// fallingBy is the largest share by which the divergence of a model that has converged
// falls between half of its steps and all of them.
const fallingBy = 0.05

// readTraining reads the model's divergence by position from the metrics of its training.
func (m *subject) readTraining(s *claim.Study, of claim.Training) error {
	rows, err := s.Metrics(of)
	if err != nil {
		return err
	}
	half := slices.IndexFunc(rows, func(r run.Row) bool { return r.Step == m.recipe.steps/2 })
	if half < 0 {
		return fmt.Errorf("no evaluation after half of %d steps", m.recipe.steps)
	}
	m.halfway, m.trained = rows[half].KLByPosition, rows[len(rows)-1].KLByPosition
	return nil
}

// stillFalling begins the messages of [subject.falling].
const stillFalling = "still falling"

// falling returns a message if the model's divergence over a span was still falling when
// its training ended, and an empty string otherwise; see [fallingBy].
func (m *subject) falling(over func(context int) span) string {
	if m.trained == nil {
		return ""
	}
	s := over(m.recipe.context)
	half, all := s.mean(m.halfway), s.mean(m.trained)
	if all >= (1-fallingBy)*half {
		return ""
	}
	return fmt.Sprintf(stillFalling+": %.4f nats above BMA %s after half of the steps, %.4f after all of them",
		half, s.name, all)
}

// unsettled says why the model's divergence over a span is not final, and is empty if it
// is.
func (m *subject) unsettled(over func(context int) span) string {
	return cmp.Or(m.plateau, m.falling(over))
}

// unsettledLate is [subject.unsettled] over the positions from judgedFrom on.
func (m *subject) unsettledLate() string { return m.unsettled(lateIn) }

// unsolved says why the model may solve its task after more steps, and is empty if it has
// solved it or if its divergence at the end of the sequence is final.
func (m *subject) unsolved() string {
	if m.atEnd <= solved {
		return ""
	}
	return m.unsettled(endIn)
}

// unsolvedLate is [subject.unsolved] for the positions from judgedFrom on.
func (m *subject) unsolvedLate() string {
	if m.above <= solved {
		return ""
	}
	return m.unsettledLate()
}

// plateauTransitions defines a plateau. A model is on a plateau if it predicts no better
// than an observer that uses only the evidence of at most this many last transitions.
// Models that solved their task have rested there for hundreds of steps.
const plateauTransitions = 4

// resting names the plateau on which a model rests, and is empty if it rests on none.
func (l *lab) resting(m *subject) string {
	for transitions := range plateauTransitions + 1 {
		along := l.window(m.problem(), transitions)
		if mean, _ := m.along.above(along, judgedFrom); mean >= 0 {
			return fmt.Sprintf("%.3f nats above the optimum, no better than an observer with the evidence of the "+
				"last %s", m.above, text.Count(transitions, "transition"))
		}
	}
	return ""
}
