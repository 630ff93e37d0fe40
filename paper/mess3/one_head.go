package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/theory"
)

// oneHead is M12: Piotrowski et al. 2025, Fig. A8.
func (l *lab) oneHead() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M12", Kind: claim.Explanation, Trainings: trained.Trainings(l.oneOrTwoHeads()),
		Setting:    l.setting,
		RuleCommit: "977008f", ChangedAfterResult: true,
		First: claim.FirstBy("fe6577b", headCounts.first),
		Test: claim.Steps[headCounts]{
			Measure: l.measureOneHead, Judge: headCounts.judge, Tabulate: headCounts.tabulate, Draw: headCounts.draw,
		}.Test,
	}, map[string]any{"plateau": percent(probe.NearPlateau), "slack": boundSlack})
}

// oneOrTwoHeads returns the models of Fig. A8: x = 0.5 with one head and with two, for
// each seed. The models with two heads are the paper's own.
func (p profile) oneOrTwoHeads() []trained.Condition {
	two := p.seededModels(trained.Mess3(0.5, 0.6))
	one := two[0]
	one.Heads, one.Curve = 1, false
	return append(one.Seeded(p.seeds...), two...)
}

// headCounts is the measurement of M12: models with one head and with two.
type headCounts struct {
	one     []headCount // by seed
	two     claim.BySeed[headCount]
	lastTwo float64    // KL of an optimal observer of the last two tokens, in nats
	bound   float64    // R*_1 of the constrained beliefs
	shown   []*subject // the models of the first seed
}

// headCount is the measurement on a model with one head or two.
type headCount struct {
	trained.Condition
	kl         float64 // from the optimum, in nats
	mid, final scores  // accuracy of the constrained beliefs on resid_mid, and of the beliefs on resid_post
}

// divergence returns the KL of a model.
func (h headCount) divergence() float64 { return h.kl }

func (l *lab) measureOneHead(ctx context.Context, s *claim.Study) (headCounts, error) {
	var found headCounts
	found.two.Name = "x = 0.5, α = 0.6"
	subjects, err := l.of(ctx, s, l.oneOrTwoHeads())
	if err != nil {
		return found, err
	}
	for _, m := range subjects {
		model := headCount{m.Condition, m.kl, m.mid().constrained.trained, m.final().full.trained}
		if m.Heads == 1 {
			found.one = append(found.one, model)
		} else {
			found.two.Models = append(found.two.Models, claim.Seeded[headCount]{
				Seed: int(m.Seed), Unconverged: m.convergence.Reason, Found: model,
			})
		}
		if m.Seed == l.seeds[0] {
			found.shown = append(found.shown, m)
		}
	}
	found.lastTwo = l.learnable(subjects[0]).Plateaus[1]
	bounds, err := theory.Of(subjects[0].HMM).HeadsR2(ctx, subjects[0].Prefixes.Length, 1)
	if err != nil {
		return found, err
	}
	found.bound = bounds[1].R2
	return found, nil
}

// onPlateau reports whether a model's KL equals the KL of an optimal observer of the last
// two tokens.
func (m headCounts) onPlateau(h headCount) bool {
	return math.Abs(h.kl/m.lastTwo-1) <= probe.NearPlateau
}

// below reports whether a model's R² of the constrained beliefs is not above the bound
// for one head, apart from boundSlack.
func (m headCounts) below(h headCount) bool { return h.mid.inSample.R2 <= m.bound+boundSlack }

// count returns the number of models that have a property.
func count(models []headCount, property func(headCount) bool) (n int) {
	for _, h := range models {
		if property(h) {
			n++
		}
	}
	return n
}

// succeeds reports whether a model with two heads has a lower KL than every model with
// one, and a higher R² of the constrained beliefs than the bound for one head.
func (m headCounts) succeeds(h headCount) bool {
	return h.kl < slices.Min(numbers(m.one, headCount.divergence)) && h.mid.inSample.R2 > m.bound
}

func (m headCounts) judge() claim.Finding {
	c := m.two.Judge(m.condition)
	c.Obtained = fmt.Sprintf("with one head %d of %d models remain on the plateau of the last two tokens (%.1e "+
		"nats), and R² of %d is not above R*_1 + %g, where R*_1 = %.4f; with two heads %s",
		count(m.one, m.onPlateau), len(m.one), m.lastTwo, count(m.one, m.below), boundSlack, m.bound, c.Obtained)
	return onlyCondition(c)
}

// onlyCondition returns the finding of a row with a single condition.
func onlyCondition(c claim.Condition) claim.Finding {
	return claim.Finding{
		Verdict: c.Verdict, Reason: c.Reason, Obtained: c.Obtained, Effect: c.Effect, Conditions: []claim.Condition{c},
	}
}

// condition judges the models with two heads that have converged.
func (m headCounts) condition(converged []claim.Seeded[headCount]) claim.Condition {
	succeed := 0
	for _, h := range converged {
		if m.succeeds(h.Found) {
			succeed++
		}
	}
	one := mean(m.one, headCount.divergence)
	c := claim.Condition{Verdict: claim.Fails}
	c.Effect = m.two.Over("KL of converged models with two heads relative to the mean with one", "",
		func(h headCount) float64 { return h.kl / one })
	c.Obtained = fmt.Sprintf("%d of %d have converged, and their mean KL is %.2g times the KL with one; %d of them "+
		"do better than every model with one head",
		len(converged), len(m.two.Models), c.Effect.Estimate, succeed)
	switch {
	case succeed < len(converged):
	case count(m.one, m.onPlateau) == len(m.one) && count(m.one, m.below) == len(m.one):
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c
}

func (m headCounts) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame().Table()) }

// frame returns a row for each model, those with one head first.
func (m headCounts) frame() document.Frame {
	f := document.Frame{
		Title: "x = 0.5, α = 0.6, by heads and seed",
		Columns: []document.Column{
			{Name: "heads", Heading: "heads"},
			{Name: "seed", Heading: "seed"},
			{Name: "kl", Heading: "KL to the optimum (nats)", Format: "%.2e"},
			{Heading: "KL / KL of the last two tokens' optimum", Format: "%.2f"},
			{Name: "r2_final_beliefs", Heading: "final → beliefs: R²", Format: "%.4f"},
			{
				Name: "r2_intermediate_constrained", Heading: "resid_mid → constrained beliefs: R²", Format: "%.4f",
			},
			{Heading: "R*_1", Format: "%.4f"},
		},
	}
	models := slices.Clone(m.one)
	for _, h := range m.two.Models {
		models = append(models, h.Found)
	}
	for _, h := range models {
		f.Row(h.Heads, h.Seed, h.kl, h.kl/m.lastTwo, h.final.heldOut.R2, h.mid.heldOut.R2, m.bound)
	}
	return f
}

func (m headCounts) draw(out *claim.Output) {
	p := m.shown[0].Prefixes
	var panels [2][]figure.Panel
	for _, s := range m.shown {
		panels[0] = append(panels[0], triangle(s.mid().constrained.regressed.Data, p))
		panels[1] = append(panels[1], triangle(s.final().full.regressed.Data, p))
	}
	panels[0] = append(panels[0], triangle(p.Constrained, p))
	panels[1] = append(panels[1], triangle(p.Beliefs, p))
	out.Figure("geometry", &figure.Figure{
		Title: "One head and two heads where ζ is negative",
		Desc: "Two rows of triangles, after attention and after the MLP: one head, two heads, and the theory. " +
			"The models are of the first seed.",
		Panels: panels[:], Rows: []string{"resid_mid", "resid_post"},
		Cols: []string{"one head", "two heads", "theory"},
	})
	out.CSV("heads", m.frame())
}
