package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/theory"
)

// oneHead is M12: Piotrowski et al. 2025, Fig. A8.
func (l *lab) oneHead() claim.Row {
	return claim.Row{
		ID: "M12", Source: cite + "Fig. A8", Kind: claim.Explanation,
		Quote: "“With x=0.5, where the optimal update pattern requires both positive and negative components, a " +
			"single head fails to capture the correct geometry due to the non-negativity constraint of attention. " +
			"Two heads allow the model to properly implement these updates” (Fig. A8; two settings, only x = 0.5 " +
			"is named, apparently one model each, no error bars)",
		Statement: "At x = 0.5 one head fails to capture the geometry, and two succeed.",
		Expected: fmt.Sprintf("x = 0.5, α = 0.6: every model with one head remains on the plateau of the last two "+
			"tokens (its KL is within %s of the KL of an optimal observer of these two tokens), and its R² of the "+
			"constrained beliefs after attention is not above R*_1 + %g, where R*_1 is the bound for one head; every "+
			"converged model with two heads has a lower KL than every model with one, and an R² above R*_1. It "+
			"differs if only the part on two heads is true; fails if that part is false; is open if no model with "+
			"two heads has converged", percent(probe.NearPlateau), boundSlack),
		Trainings: trained.Trainings(l.oneOrTwoHeads()), RuleCommit: "977008f", ChangedAfterResult: true,
		Test: claim.Steps[headCounts]{
			Measure: l.measureOneHead, Judge: headCounts.judge, Tabulate: headCounts.tabulate, Draw: headCounts.draw,
		}.Test,
	}
}

// oneOrTwoHeads returns the models of Fig. A8: x = 0.5 with one head and with two, for
// each seed. The models with two heads are the paper's own.
func (p profile) oneOrTwoHeads() []trained.Condition {
	two := p.seededModels(trained.Mess3(0.5, 0.6))
	var one []trained.Condition
	for _, seed := range p.seeds {
		c := two[0]
		c.Heads, c.Seed, c.Curve = 1, seed, false
		one = append(one, c)
	}
	return slices.Concat(one, two)
}

// headCounts is the measurement of M12: models with one head and with two.
type headCounts struct {
	setting  string
	one, two []headCount // by seed
	lastTwo  float64     // KL of an optimal observer of the last two tokens, in nats
	bound    float64     // R*_1 of the constrained beliefs
	shown    []*subject  // the models of the first seed
}

// headCount is the measurement on a model with one head or two.
type headCount struct {
	trained.Condition
	kl         float64 // from the optimum, in nats
	mid, final scores  // accuracy of the constrained beliefs on resid_mid, and of the beliefs on resid_post

	unconverged string // why the model has not converged; empty if it has
}

func (l *lab) measureOneHead(ctx context.Context, s *claim.Study) (headCounts, error) {
	found := headCounts{setting: l.setting}
	subjects, err := l.of(ctx, s, l.oneOrTwoHeads())
	if err != nil {
		return found, err
	}
	for _, m := range subjects {
		model := headCount{m.Condition, m.kl, m.mid().constrained.trained, m.final().full.trained, m.convergence.Reason}
		if m.Heads == 1 {
			found.one = append(found.one, model)
		} else {
			found.two = append(found.two, model)
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

// divergences returns the KL of each model.
func divergences(models []headCount) []float64 {
	kl := make([]float64, len(models))
	for i, m := range models {
		kl[i] = m.kl
	}
	return kl
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
	return h.kl < slices.Min(divergences(m.one)) && h.mid.inSample.R2 > m.bound
}

func (m headCounts) judge() claim.Finding {
	c := m.condition()
	return claim.Finding{
		Verdict: c.Verdict, Reason: c.Reason, Obtained: c.Obtained, Effect: c.Effect, Conditions: []claim.Condition{c},
	}
}

func (m headCounts) condition() claim.Condition {
	converged := slices.DeleteFunc(slices.Clone(m.two), func(h headCount) bool { return h.unconverged != "" })
	resting, below := count(m.one, m.onPlateau), count(m.one, m.below)
	c := claim.Condition{Name: "x = 0.5, α = 0.6", Verdict: claim.Fails}
	c.Obtained = fmt.Sprintf("with one head %d of %d models remain on the plateau of the last two tokens (%.1e "+
		"nats), and R² of %d is not above R*_1 + %g, where R*_1 = %.4f; with two heads %d of %d have converged",
		resting, len(m.one), m.lastTwo, below, boundSlack, m.bound, len(converged), len(m.two))
	if len(converged) == 0 {
		return c.Judged("with two heads, " + m.two[0].unconverged)
	}
	succeed := count(converged, m.succeeds)
	c.Effect = claim.Over("KL of converged models with two heads relative to the mean with one", "",
		m.relative(converged))
	share := claim.NewShare(len(converged), len(m.two))
	c.Effect.Reached = &share
	c.Obtained += fmt.Sprintf(", and their mean KL is %.2g times the KL with one; %d of them do better than every "+
		"model with one head",
		c.Effect.Estimate, succeed)
	switch {
	case succeed < len(converged):
	case resting == len(m.one) && below == len(m.one):
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c.Judged("")
}

// relative returns the KL of each model relative to the mean KL with one head.
func (m headCounts) relative(models []headCount) []float64 {
	one, list := seeds.Mean(divergences(m.one)), divergences(models)
	for i := range list {
		list[i] /= one
	}
	return list
}

// models returns all models, with one head first.
func (m headCounts) models() []headCount { return append(m.one[:len(m.one):len(m.one)], m.two...) }

func (m headCounts) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: "x = 0.5, α = 0.6, by heads and seed",
		Columns: []string{
			"heads", "seed", "KL to the optimum (nats)", "KL / KL of the last two tokens' optimum", "final → beliefs: R²",
			"resid_mid → constrained beliefs: R²", "R*_1",
		},
	}
	for _, h := range m.models() {
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(h.Heads), fmt.Sprint(h.Seed), fmt.Sprintf("%.2e", h.kl), fmt.Sprintf("%.2f", h.kl/m.lastTwo),
			r2(h.final), r2(h.mid), fmt.Sprintf("%.4f", m.bound),
		})
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes, oneHeadNotes...)
}

var oneHeadNotes = []string{
	"A head that adds only the previous token to the last one, with the opposite sign, amounts to an optimal " +
		"observer of the last two tokens: nine points, one for each pair of tokens. A model with two heads that " +
		"has not left this plateau by the end of training has the KL of one head.",
	"Theory requires two heads here: ζ = −½ has sign changes that non-negative attention can produce only as a " +
		"difference. R*_1 is the largest R² of the constrained beliefs for one head whose attention does not " +
		"depend on tokens; claim M15 tests it on more models.",
	"Here “converged” means that a model with two heads has left the plateau, so it almost follows that its KL is " +
		"lower. It does not follow that its R² is above R*_1.",
	"An earlier rule required one head to have three times the KL of two on average, which was decided by one model " +
		"that stayed on the plateau. It was replaced when its results were known.",
	"Fig. A8 shows two settings, only one of which, x = 0.5, the paper names; this row tests x = 0.5, α = 0.6.",
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
	out.Captioned("geometry", "Sequences of up to 10 tokens through the regressions; colours are their beliefs. "+
		"Compare the first two columns with the third: the constrained beliefs need corrections of alternating "+
		"sign, (−½)ⁿ at n steps back, and one head gives all earlier tokens the same sign.",
		&figure.Figure{
			Title: "One head and two heads where ζ is negative",
			Desc: "Two rows of triangles, after attention and after the MLP: one head, two heads, and the theory. " +
				"The models are of the first seed.",
			Panels: panels[:], Rows: []string{"resid_mid", "resid_post"},
			Cols: []string{"one head", "two heads", "theory"},
		})
	var rows [][]float64
	for _, h := range m.models() {
		rows = append(rows, []float64{float64(h.Heads), float64(h.Seed), h.kl, h.final.heldOut.R2, h.mid.heldOut.R2})
	}
	out.CSV("heads", document.Numbers([]string{"heads", "seed", "kl", "r2_final_beliefs", "r2_intermediate_constrained"}, rows))
}
