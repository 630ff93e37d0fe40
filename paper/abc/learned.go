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
	"foretell/paper/internal/seeds"
	"foretell/probe"

	"gonum.org/v1/gonum/stat"
)

// learnedLoss is the largest cross-entropy, in nats, at which a model has learned the
// pattern by the rule of claim A1.
const learnedLoss = 1e-4

// patternIsLearned returns claim A1, from the first page of Virgilio 2025.
func (p profile) patternIsLearned() claim.Row {
	row := claim.Row{
		ID: "A1", Kind: claim.Number, RuleCommit: "62f1199", ChangedAfterResult: true,
		Setting: fmt.Sprintf("Adam at %g, %d steps of %d sequences of three tokens, initial weights normal with "+
			"standard deviation 0.57; the source states its seed, %d, and no other setting",
			rate, p.steps, batchSize, statedSeed),
		First: claim.FirstBy("1a1569d", learned.first),
		Test: claim.Steps[learned]{
			Measure: p.measureLearned, Judge: learned.judge, Tabulate: learned.tabulate, Draw: learned.draw,
		}.Test,
	}
	for i := range p.seeds {
		row.Trainings = append(row.Trainings, p.training(uint64(i+1)))
	}
	return texts.Fill(row, map[string]any{
		"seeds": p.seeds, "loss": numerals.Scientific(learnedLoss), "steps": numerals.Grouped(p.steps), "rate": rate,
		"missed": 100 * probe.MostMissed,
	})
}

// learned is the measurement of A1. A model counts as converged if its cross-entropy
// reached the threshold.
type learned struct {
	profile
	claim.BySeed[*solution]
	classes
}

func (p profile) measureLearned(ctx context.Context, s *claim.Study) (learned, error) {
	m := learned{profile: p}
	m.Models = make([]claim.Seeded[*solution], p.seeds)
	err := s.Each(ctx, p.seeds, func(_ context.Context, i int) error {
		found, err := p.solve(s, uint64(i+1))
		m.Models[i] = claim.Seeded[*solution]{Seed: i + 1, Found: found}
		if err == nil && found.steps == 0 {
			m.Models[i].Unconverged = "it has not learned the pattern"
		}
		return err
	})
	if err == nil {
		m.classes = classify(m.Models)
	}
	return m, err
}

// reached returns the steps to the threshold, for the seeds that reached it, ascending.
func (m learned) reached() []float64 {
	return slices.Sorted(slices.Values(m.Values(func(r *solution) float64 { return float64(r.steps) })))
}

func (m learned) judge() claim.Finding {
	reached := m.reached()
	share := claim.NewShare(len(reached), m.seeds)
	found := claim.Finding{
		Obtained: fmt.Sprintf("%d of %d seeds (95 %% interval of the share %.2f to %.2f) reach %s within %d steps",
			share.K, share.N, share.Interval.Low, share.Interval.High, numerals.Scientific(learnedLoss),
			m.profile.steps),
		Asked: []claim.Question{m.nearlyAll(share)},
	}
	found.Verdict, found.Reason = m.verdict(share)
	if share.K > 0 {
		found.Effect = m.Over("cross-entropy at the end, for these seeds", "nats", (*solution).finalLoss).
			Beside("the document's model", learnedLoss).
			Against("random initialisation", stat.Mean(m.All((*solution).firstLoss), nil))
		found.Obtained += fmt.Sprintf(", after a median of %.0f steps; the median loss at the end is %.1e",
			reached[len(reached)/2], seeds.Median(slices.Sorted(slices.Values(m.All((*solution).finalLoss)))))
	}
	found.Obtained += "; " + m.classes.String()
	return found
}

// first is the rule as first committed, a bound on the number of seeds.
func (m learned) first() claim.Finding {
	k := len(m.reached())
	found := claim.Finding{Verdict: claim.Differs, Obtained: fmt.Sprintf("%d of %d seeds reach it", k, m.seeds)}
	switch {
	case k >= m.enough:
		found.Verdict = claim.Holds
	case k == 0:
		found.Verdict = claim.Fails
	}
	return found
}

// verdict judges the share of seeds that reach the document's cross-entropy.
func (m learned) verdict(reached claim.Share) (claim.Verdict, claim.Reason) {
	unconverged := 0
	for _, loss := range m.All((*solution).finalLoss) {
		if loss > probe.MostMissed*math.Log(float64(len(names))) { // log 3 nats: all the information to learn
			unconverged++
		}
	}
	most := claim.NewShare(reached.K+unconverged, reached.N) // the share if all unconverged seeds reached it, too
	switch {
	case slices.Min(m.All((*solution).firstLoss)) <= learnedLoss:
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
func (m learned) nearlyAll(reached claim.Share) claim.Question {
	return claim.Question{
		Question: fmt.Sprintf("Do at least %d of %d seeds reach this cross-entropy? (The laboratory's own question. "+
			"It was the rule of this row until the rule had an interval)",
			m.enough, m.seeds),
		Answer:   claim.AnswerIf(reached.K >= m.enough),
		Obtained: fmt.Sprintf("%d do", reached.K),
	}
}

func (m learned) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.frame().Table())
	c.Notes = append(c.Notes, fmt.Sprintf("A solution belongs to a class if its disparity to any member is below %g, "+
		"so two members of one class may differ by more. The number of classes, and the number of seeds in the "+
		"largest class, depend on that bound: %s.",
		apart, strings.Join(m.sensitivity, ", ")))
}

func (m learned) draw(out *claim.Output) {
	out.Figure("steps", m.stepsFigure())
	out.Figure("solutions", m.solutionsFigure())
	f := document.Frame{
		Columns: document.Named("seed", "steps_to_1e-4", "loss", "class", "right_without_attention"),
	}
	for i, of := range m.Models {
		f.Row(of.Seed, of.Found.steps, of.Found.loss, m.of[i], of.Found.ablated)
	}
	out.CSV("seeds", f)
}

func (m learned) stepsFigure() *figure.Figure {
	x, y := []float64{0}, []float64{0}
	for _, step := range m.reached() {
		seeds := y[len(y)-1]
		x = append(x, step, step)
		y = append(y, seeds, seeds+1)
	}
	x = append(x, float64(m.profile.steps))
	y = append(y, y[len(y)-1])
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
		example := m.Models[slices.Index(m.of, k)]
		panels = append(panels, example.Found.plane(fmt.Sprintf("class %d, seed %d", k+1, example.Seed)))
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
