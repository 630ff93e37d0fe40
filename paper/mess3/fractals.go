package mess3

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// The rule of M2, about R² held out by sequence.
const (
	fractalFinal     = 0.99 // of the final residual stream against beliefs
	fractalMid       = 0.95 // of the intermediate one against constrained beliefs
	fractalFinalLess = 0.9  // differs down to these
	fractalMidLess   = 0.8
)

// fractals is M2: Piotrowski et al. 2025, Fig. 1D and 4.
func (l *lab) fractals() claim.Row {
	return claim.Row{
		ID: "M2", Source: cite + "Fig. 1D and 4",
		Statement: "A PCA of the final residual stream shows the belief geometry; the one after attention shows " +
			"another fractal, the constrained geometry.",
		Expected: fmt.Sprintf("in all four conditions, held out by sequence and weighted by probability: R² of the "+
			"final residual against beliefs ≥ %g, of the intermediate one against constrained beliefs ≥ %g, both "+
			"above the random initialisation, and the intermediate one nearer to the constrained beliefs than to "+
			"the full ones; differs if R² ≥ %g and %g", fractalFinal, fractalMid, fractalFinalLess, fractalMidLess),
		Trainings: trained.Trainings(l.paperModels()),
		Test: claim.Steps[fractals]{
			Measure: l.measureFractals, Judge: fractals.judge, Tabulate: fractals.tabulate, Draw: fractals.draw,
		}.Test,
	}
}

// fractals are the geometries in the residual streams of several models.
type fractals struct {
	setting string
	norms   []string // the first is that which the rule is about
	models  []*subject
}

// main are the models that the rule is about and figures show.
func (m fractals) main() []*subject {
	return slices.DeleteFunc(slices.Clone(m.models), func(s *subject) bool { return s.Norm != m.norms[0] })
}

func (l *lab) measureFractals(ctx context.Context, s *claim.Study) (fractals, error) {
	models, err := l.of(ctx, s, l.paperModels())
	return fractals{l.setting, l.norms, models}, err
}

func (m fractals) judge() claim.Finding {
	final, mid, kl, holds := 1.0, 1.0, 0.0, true
	for _, s := range m.main() {
		final, mid = min(final, s.finalR2()), min(mid, s.midR2())
		kl, holds = max(kl, s.kl), holds && s.showsFractals()
	}
	above, models := m.aboveNextToken()
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("final against beliefs: R² ≥ %.4f; intermediate against constrained beliefs: R² ≥ "+
			"%.4f; KL to the optimum ≤ %.1e nats; the intermediate one holds more of the constrained beliefs than "+
			"the next-token distribution does in %d of %d conditions",
			final, mid, kl, above, models),
	}
	switch {
	case holds:
		found.Verdict = claim.Holds
	case final >= fractalFinalLess && mid >= fractalMidLess:
		found.Verdict = claim.Differs
	}
	return found
}

// finalR2 is that of the beliefs on the final stage.
func (s *subject) finalR2() float64 { return s.final().full.trained.heldOut.R2 }

// midR2 is that of the constrained beliefs on the intermediate stage.
func (s *subject) midR2() float64 { return s.mid().constrained.trained.heldOut.R2 }

// showsFractals says whether one model is as claimed.
func (s *subject) showsFractals() bool {
	full, constrained := s.final().full, s.mid().constrained
	return s.finalR2() >= fractalFinal && s.midR2() >= fractalMid &&
		s.finalR2() > full.random.heldOut.R2 && s.midR2() > constrained.random.heldOut.R2 &&
		s.midR2() > s.mid().full.trained.heldOut.R2
}

// aboveNextToken counts the models whose intermediate stage holds more of the constrained
// beliefs than the next-token distribution does, and all.
func (m fractals) aboveNextToken() (above, all int) {
	for _, s := range m.main() {
		if all++; s.midR2() > s.mid().constrained.nextToken.heldOut.R2 {
			above++
		}
	}
	return above, all
}

var fitColumns = []string{
	"model", "KL to the optimum (nats)", "by sequence", "random init", "by word", "random init", "shuffled",
	"next token alone", "three components alone",
}

// fitLine is a model's row in the tables of fits.
func fitLine(m *subject, st *stage, f fits) []string {
	return []string{
		m.Label(), fmt.Sprintf("%.1e", m.kl), r2(f.trained), r2(f.random), r2(f.byWord), r2(f.byWordRandom),
		r2(f.shuffled), r2(f.nextToken), fmt.Sprintf("%.4f", st.planeR2),
	}
}

func (m fractals) tabulate(c *claim.Claim) {
	final := claim.Table{
		Title:   "final residual stream → beliefs: R², each prefix weighted by its probability",
		Columns: fitColumns,
	}
	mid := claim.Table{
		Title:   "intermediate residual stream → constrained beliefs",
		Columns: append(slices.Clone(fitColumns), "→ beliefs instead"),
	}
	for _, s := range m.models {
		final.Rows = append(final.Rows, fitLine(s, s.final(), s.final().full))
		mid.Rows = append(mid.Rows, append(fitLine(s, s.mid(), s.mid().constrained), r2(s.mid().full.trained)))
	}
	c.Tables, c.Setting = append(c.Tables, final, mid), m.setting
	c.Notes = append(m.agreement(),
		"“By sequence” holds out a fifth of the full sequences, as the field does: their beginnings are also those "+
			"of others. “By word” holds each word out of every fit that predicts it, which asks the probe at the "+
			"first positions, where a fifth of the weight lies on twelve words, for tokens that it never saw there. "+
			"The rule is about the first; the second is shown because it is stricter.",
		"A random initialisation already reaches a high R²: its activations are a rich nonlinear image of the "+
			"tokens, and 64 directions suffice to read much of the belief back. The claim is carried by what "+
			"remains above that control.",
		"For Mess3 the next-token distribution is an invertible linear image of the belief, so a probe from it "+
			"reaches R² = 1: on this process no linear probe can tell “represents the belief” from “represents the "+
			"prediction”.",
		"One head for x = 0.15, two for x = 0.5, as the paper. “Three components” is the R² of the geometry on the "+
			"first three principal components.")
}

// agreement says with which normalisation, on which the paper is silent, the two fits of
// its Fig. 4 are better; nothing if there is but one.
func (m fractals) agreement() (notes []string) {
	if len(m.norms) < 2 {
		return nil
	}
	ofProcess := map[trained.Source][]*subject{}
	for _, s := range m.models {
		ofProcess[s.Source] = append(ofProcess[s.Source], s)
	}
	best := map[string]int{}
	for _, models := range ofProcess {
		for _, s := range models {
			if s.fitsBest(models) {
				best[s.Norm]++
			}
		}
	}
	text := "The paper does not state its normalisation. Both fits are best"
	for i, norm := range m.norms {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" with %s in %d", norm, best[norm])
	}
	return []string{text + fmt.Sprintf(" of %d conditions. The rule is about %s.", len(ofProcess), m.norms[0])}
}

// fitsBest says whether both fits of a model are better than those of all others.
func (s *subject) fitsBest(models []*subject) bool {
	return !slices.ContainsFunc(models, func(other *subject) bool {
		return other != s && !(s.midR2() > other.midR2() && s.finalR2() > other.finalR2())
	})
}

// draw makes Fig. 4: four rows of constrained beliefs, intermediate activations, beliefs,
// and final activations; once by principal components, as the paper, and once as the
// regressions of the tables read them. The first figure is the paper's Fig. 1, one of the
// four rows.
func (m fractals) draw(out *claim.Output) {
	pca := &figure.Figure{
		Title: "Principal components of the model beside the two geometries",
		Desc: "Four rows, one a process; columns: the constrained geometry, the intermediate activations, the " +
			"belief geometry, the final activations. By the claim the pictures of a pair match.",
		Cols: []string{"constrained (Eq. 26)", "after attention", "beliefs (Eq. 2)", "after the MLP"},
	}
	regressed := &figure.Figure{
		Title: "The two geometries as regressions read them from the model",
		Desc: "The same four rows; in columns two and four the intermediate and the final activations through the " +
			"linear regression to the geometry at their left.",
		Cols: pca.Cols,
	}
	first := &figure.Figure{
		Title: "Beliefs and what a transformer makes of them",
		Desc: "Four triangles: constrained beliefs, the residual stream after attention, beliefs, the residual " +
			"stream after the MLP.",
		Cols: pca.Cols,
	}
	for _, s := range m.main() {
		pca.Rows, regressed.Rows = append(pca.Rows, s.Source.String()), append(regressed.Rows, s.Source.String())
		byComponents, byRegression := s.fractalPanels()
		pca.Panels, regressed.Panels = append(pca.Panels, byComponents), append(regressed.Panels, byRegression)
		if s.Source == trained.Mess3(0.15, 0.6) {
			first.Panels = [][]figure.Panel{byRegression}
		}
	}
	out.Figure("first", "Mess3 with x = 0.15 and α = 0.6. Each point is a word of up to 10 tokens; second and "+
		"fourth, the model's residual stream as a linear probe reads it. The claim: attention builds the "+
		"constrained geometry, and the MLP turns it into the beliefs.", first)
	out.Figure("pca", "Compare the first column with the second and the third with the fourth. Columns two and four "+
		"are the model's own activations over every word of up to 10 tokens, on two orthonormal directions within "+
		"their first three principal components, turned as the simplex is (no stretching). Colours are the beliefs "+
		"of the words.", pca)
	out.Figure("regressed", "The same activations through the regressions of the tables (the fit to all rows): what "+
		"a linear probe with all 64 directions at hand reads. Principal components show what is large in the "+
		"residual stream, the probe what is there.", regressed)
	out.CSV("kl", []string{"x", "alpha", "ln", "position", "kl"}, m.klByPosition())
	out.Arrays("planes", m.planes())
}

// fractalPanels are a model's row in both figures of Fig. 4.
func (s *subject) fractalPanels() (byComponents, byRegression []figure.Panel) {
	p, mid, final := s.Prefixes, s.mid(), s.final()
	constrained, full := triangle(p.Constrained, p), figure.Simplex{P: cut(p.Beliefs, 3)}
	byComponents = []figure.Panel{constrained, cloud(mid.plane, p), full, cloud(final.plane, p)}
	byRegression = []figure.Panel{
		constrained, triangle(mid.constrained.regressed.Data, p), full, triangle(final.full.regressed.Data, p),
	}
	return byComponents, byRegression
}

// cloud is a plane of activations coloured by belief.
func cloud(plane probe.Table, p *process.Prefixes) figure.Panel {
	points := figure.Points{}
	for i, b := range cut(p.Beliefs, 3) {
		points.X, points.Y = append(points.X, plane.Data[2*i]), append(points.Y, plane.Data[2*i+1])
		points.Colors = append(points.Colors, figure.RGB(b[0], b[1], b[2]))
	}
	return figure.Plane{Layers: []figure.Layer{points}}
}

// klByPosition is the divergence of each model from the optimal predictor.
func (m fractals) klByPosition() (rows [][]float64) {
	for _, s := range m.models {
		for t, kl := range s.klPosition {
			rows = append(rows, []float64{s.X, s.A, boolean(s.Norm == "LN"), float64(t + 1), kl})
		}
	}
	return rows
}

// planes are the points of columns two and four.
func (m fractals) planes() (arrays []claim.Array) {
	for _, s := range m.main() {
		mid, final := s.mid(), s.final()
		arrays = append(arrays,
			array(s.Source, "intermediate_pca", 2, mid.plane.Data),
			array(s.Source, "intermediate_regressed", 3, mid.constrained.regressed.Data),
			array(s.Source, "final_pca", 2, final.plane.Data),
			array(s.Source, "final_regressed", 3, final.full.regressed.Data))
	}
	return arrays
}
