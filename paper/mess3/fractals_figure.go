package mess3

import (
	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

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
