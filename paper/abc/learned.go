package abc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/probe"

	"gonum.org/v1/gonum/stat"
)

// learnedLoss is the largest cross-entropy, in nats, at which a model has learned the
// pattern by the rule of claim A1.
const learnedLoss = 1e-4

// patternIsLearned returns claim A1, from the first page of Virgilio 2025.
func (p profile) patternIsLearned() claim.Row {
	row := claim.Row{
		ID: "A1", Kind: claim.Number, Source: cite + "first page",
		Quote: "“With a fixed seed of 1234, the model learned a cross-entropy error of 0.0001.” (one model, no " +
			"error bars, no training settings)",
		Statement: "One layer with one head, of width 2, learns the pattern ABCABC… to a cross-entropy of 0.0001.",
		Expected: fmt.Sprintf("the document's single training run is typical: of %d seeds, more than half reach a "+
			"cross-entropy of at most %s within %s steps of Adam at %g, by the 95 %% interval of their share. The "+
			"cross-entropy is exact, over all nine contexts of up to three tokens. The claim differs if fewer seeds "+
			"reach this cross-entropy, and fails if no seed does. It is open if the interval contains a half, or if "+
			"the seeds that have not converged (those that miss more than %g %% of the information to learn) could "+
			"change the verdict",
			p.seeds, numerals.Scientific(learnedLoss), numerals.Grouped(p.steps), rate, 100*probe.MostMissed),
		RuleCommit: "62f1199", ChangedAfterResult: true,
		Test: claim.Steps[learned]{
			Measure: p.measureLearned, Judge: learned.judge, Tabulate: learned.tabulate, Draw: learned.draw,
		}.Test,
	}
	for i := range p.seeds {
		row.Trainings = append(row.Trainings, p.training(uint64(i+1)))
	}
	return row
}

// learned is the measurement of A1.
type learned struct {
	profile
	solutions []*solution
	reached   []int     // steps to the threshold, for the seeds that reached it, ascending
	losses    []float64 // cross-entropies at the end, ascending
	untrained []float64 // cross-entropies at the beginning, by seed
	learnedTo []float64 // cross-entropies at the end, for the seeds that reached the threshold
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
			m.learnedTo = append(m.learnedTo, r.loss)
		}
		m.losses = append(m.losses, r.loss)
		m.untrained = append(m.untrained, r.untrained)
	}
	slices.Sort(m.reached)
	slices.Sort(m.losses)
	m.classes = classify(m.solutions)
	return m, nil
}

func (m learned) judge() claim.Finding {
	share := claim.NewShare(len(m.reached), m.seeds)
	found := claim.Finding{
		Obtained: fmt.Sprintf("%d of %d seeds (95 %% interval of the share %.2f to %.2f) reach %s within %d steps",
			share.K, share.N, share.Interval.Low, share.Interval.High, numerals.Scientific(learnedLoss),
			m.profile.steps),
		Asked: []claim.Question{m.nearlyAll()},
	}
	found.Verdict, found.Reason = m.verdict(share)
	if share.K > 0 {
		found.Effect = claim.Over("cross-entropy at the end, for these seeds", "nats", m.learnedTo).
			Beside("the document's model", learnedLoss).Against("random initialisation", stat.Mean(m.untrained, nil))
		found.Effect.Reached = &share
		found.Obtained += fmt.Sprintf(", after a median of %d steps; the median loss at the end is %.1e",
			m.reached[len(m.reached)/2], median(m.losses))
	}
	found.Obtained += "; " + m.classes.String()
	return found
}

// verdict judges the share of seeds that reach the document's cross-entropy.
func (m learned) verdict(reached claim.Share) (claim.Verdict, claim.Reason) {
	unconverged := 0
	for _, loss := range m.losses {
		if loss > probe.MostMissed*math.Log(float64(len(names))) { // log 3 nats: all the information to learn
			unconverged++
		}
	}
	most := claim.NewShare(reached.K+unconverged, reached.N) // the share if all unconverged seeds reached it, too
	switch {
	case slices.Min(m.untrained) <= learnedLoss:
		return claim.Open, claim.Power
	case reached.Interval.Low > 0.5:
		return claim.Holds, ""
	case reached.K == 0 && unconverged == 0:
		return claim.Fails, ""
	case most.Interval.High < 0.5 && reached.K > 0:
		return claim.Differs, claim.Conditions
	case unconverged > 0:
		return claim.Open, claim.Untrained
	}
	return claim.Open, claim.Power
}

// nearlyAll asks whether nearly all seeds reach the document's cross-entropy.
func (m learned) nearlyAll() claim.Question {
	return claim.Question{
		Question: fmt.Sprintf("Do at least %d of %d seeds reach this cross-entropy? (The laboratory's own question. "+
			"It was the rule of this row until the rule had an interval)",
			m.enough, m.seeds),
		Answer:   claim.AnswerIf(len(m.reached) >= m.enough),
		Obtained: fmt.Sprintf("%d do", len(m.reached)),
	}
}

func (m learned) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.table())
	c.Setting = fmt.Sprintf("Adam at %g, %d steps of %d sequences of three tokens, initial weights normal with "+
		"standard deviation 0.57; the source states its seed, %d, and no other setting",
		rate, m.profile.steps, batchSize, statedSeed)
	c.Notes = append(c.Notes,
		"Two solutions are the same up to rotation if their final residuals of the nine contexts and their "+
			"unembedding directions coincide after the best rotation or reflection. Residuals and directions are "+
			"scaled separately. The measure is the Procrustes disparity: 0 for equal solutions, 1 for nothing in "+
			"common.",
		fmt.Sprintf("A solution belongs to a class if its disparity to any member is below %g, so two members of "+
			"one class may differ by more. The number of classes, and the number of seeds in the largest class, "+
			"depend on that bound: %s.",
			apart, strings.Join(m.sensitivity, ", ")),
		"This model has no norm, so any invertible change of basis of the residual stream, if the weights are "+
			"changed to match, leaves its predictions the same; but it does change training. Rotations are the "+
			"changes of basis that preserve lengths. “Without attention” sets the attention's output to 0 and "+
			"counts the contexts whose next token still has the largest logit.")
}

func (m learned) draw(out *claim.Output) {
	out.Captioned("steps", "The number of seeds that have reached a cross-entropy of 1e-4, by step.", m.stepsFigure())
	out.Captioned("solutions", "The plane of the residual stream for the largest classes of solutions, one example "+
		"each. Points: the final residuals of the nine contexts, coloured by the token that follows. Arrows: the "+
		"unembedding vectors of the three tokens, minus their mean; only their directions are meaningful.",
		m.solutionsFigure())
	var rows [][]float64
	for i, r := range m.solutions {
		rows = append(rows, []float64{
			float64(r.seed), float64(r.steps), r.loss, float64(m.of[i]), float64(r.ablated),
		})
	}
	out.CSV("seeds", document.Numbers([]string{"seed", "steps_to_1e-4", "loss", "class", "right_without_attention"}, rows))
}

func (m learned) stepsFigure() *figure.Figure {
	x, y := []float64{0}, []float64{0}
	for i, n := range m.reached {
		x = append(x, float64(n), float64(n))
		y = append(y, float64(i), float64(i+1))
	}
	x = append(x, float64(m.profile.steps))
	y = append(y, float64(len(m.reached)))
	return figure.Single("How fast ABC is learned",
		"A rising step function: the number of seeds that have reached the threshold, by training step.",
		figure.Chart{
			X:      figure.Axis{Label: "step"},
			Y:      figure.Axis{Label: "seeds at 1e-4", Include: []float64{0, float64(m.seeds)}},
			Series: []figure.Series{{X: x, Y: y}},
		})
}

// mostShown is the number of classes that the figure shows at most.
const mostShown = 4

// solutionsFigure shows an example of each of the largest classes.
func (m learned) solutionsFigure() *figure.Figure {
	var panels []figure.Panel
	for k := range min(mostShown, len(m.list)) {
		example := m.solutions[slices.Index(m.of, k)]
		panels = append(panels, example.plane(fmt.Sprintf("class %d, seed %d", k+1, example.seed)))
	}
	return figure.Row("Solutions of the tiny transformer",
		"Planes with nine points and three arrows each: final residuals and unembedding vectors.", panels...)
}

// plane draws the final residuals and the unembedding vectors. The longest vector is as
// long as the largest coordinate of a residual.
func (r *solution) plane(title string) figure.Plane {
	reach, longest := 0.0, 0.0
	for _, x := range r.residual {
		reach = max(reach, math.Abs(x))
	}
	for _, v := range r.unembedding {
		longest = max(longest, math.Hypot(v[0], v[1]))
	}
	plane, scale := figure.Plane{Title: title}, reach/longest
	for z, u := range r.unembedding {
		x, y := r.before(z)
		plane.Layers = append(plane.Layers,
			figure.Arrows{X: []float64{scale * u[0]}, Y: []float64{scale * u[1]}, Color: z + 1},
			figure.Points{Name: "then " + names[z], X: x, Y: y, Color: z + 1})
	}
	return plane
}

// before returns the coordinates of the final residuals, for the contexts that the token
// follows in the pattern.
func (r *solution) before(token int) (x, y []float64) {
	for i, last := range contexts {
		if follower(last) == token {
			x = append(x, r.residual[2*i])
			y = append(y, r.residual[2*i+1])
		}
	}
	return x, y
}
