package abc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/paper/internal/numerals"
)

// learnedLoss is the cross-entropy of A1, in nats.
const learnedLoss = 1e-4

// patternIsLearned is A1: Virgilio 2025, first page.
func (p profile) patternIsLearned() claim.Row {
	row := claim.Row{
		ID: "A1", Source: cite + "first page",
		Statement: "One layer of one head, width 2, learns the pattern ABCABC… to a cross-entropy of 0.0001.",
		Expected: fmt.Sprintf("cross-entropy, exact over all nine contexts of up to three tokens, ≤ %s within %s "+
			"steps of Adam at %g for at least %d of %d seeds; differs if for at least one, fails if for none",
			numerals.Scientific(learnedLoss), numerals.Grouped(p.steps), rate, p.enough, p.seeds),
		Test: claim.Steps[learned]{
			Measure: p.measureLearned, Judge: learned.judge, Tabulate: learned.tabulate, Draw: learned.draw,
		}.Test,
	}
	for i := range p.seeds {
		row.Trainings = append(row.Trainings, p.training(uint64(i+1)))
	}
	return row
}

// learned is what the seeds came to.
type learned struct {
	profile
	solutions []*solution
	reached   []int     // steps until the threshold, of the seeds that reached it, ascending
	losses    []float64 // at the end, ascending
	classes
}

func (p profile) measureLearned(ctx context.Context, s *claim.Study) (learned, error) {
	m := learned{profile: p, solutions: make([]*solution, p.seeds)}
	err := s.Each(ctx, p.seeds, func(_ context.Context, i int) (err error) {
		m.solutions[i], err = p.solve(s, uint64(i+1))
		return err
	})
	if err != nil {
		return m, err
	}
	for _, r := range m.solutions {
		if r.steps > 0 {
			m.reached = append(m.reached, r.steps)
		}
		m.losses = append(m.losses, r.loss)
	}
	slices.Sort(m.reached)
	slices.Sort(m.losses)
	m.classes = classify(m.solutions)
	return m, nil
}

func (m learned) judge() claim.Finding {
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("%d of %d seeds reach %s within %d steps",
			len(m.reached), m.seeds, numerals.Scientific(learnedLoss), m.profile.steps),
	}
	if len(m.reached) > 0 {
		found.Verdict = claim.Differs
		found.Obtained += fmt.Sprintf(", the median of them after %d; the median loss at the end is %.1e",
			m.reached[len(m.reached)/2], median(m.losses))
	}
	if len(m.reached) >= m.enough {
		found.Verdict = claim.Holds
	}
	found.Obtained += "; " + m.classes.String()
	return found
}

func (m learned) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.table())
	c.Setting = fmt.Sprintf("Adam at %g, %d steps of %d sequences of three tokens, initial weights normal with "+
		"standard deviation 0.57; the source states its seed, %d, and no setting",
		rate, m.profile.steps, batchSize, statedSeed)
	c.Notes = append(c.Notes,
		"Two solutions are one up to rotation if, after the best rotation or reflection and each at its own scale, "+
			"the final residuals of the nine contexts and the unembedding directions coincide: Procrustes "+
			"disparity, 0 for the same, 1 for nothing in common.",
		fmt.Sprintf("Classes join solutions whose disparity to a member is below %g, so that members of one may be "+
			"far apart. How many there are depends on that bound: classes, and seeds in the largest, are %s.",
			apart, strings.Join(m.sensitivity, ", ")),
		"A change of basis by any invertible matrix, undone in the weights, leaves the predictions of this model, "+
			"which has no norm, as they are; training does not leave it alone. Rotations are those changes that "+
			"keep lengths. “Without attention” sets the attention's output to 0 and counts the contexts whose next "+
			"token still has the greatest logit.")
}
