package mess3

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// Thresholds of further questions about M2, the laboratory's own: R² held out by
// sequence.
const (
	fractalFinal = 0.99 // of beliefs in the final residual stream
	fractalMid   = 0.95 // of constrained beliefs in the intermediate one
)

// fractals is M2: Piotrowski et al. 2025, Fig. 1D and 4.
func (l *lab) fractals() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M2", Kind: claim.Picture, Setting: l.setting,
		StandsOn: others(onOneFit, "M2"), RuleCommit: "db342e4", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(sources...)),
		First:     claim.FirstBy("c304182", fractals.first),
		Test: claim.Steps[fractals]{
			Measure: l.measureFractals, Judge: fractals.judge, Tabulate: fractals.tabulate, Draw: fractals.draw,
		}.Test,
	}, map[string]any{"init": l.oneLayer.Init, "wide": trained.WideInit})
}

// fractals is the measurement of M2, by condition.
type fractals struct {
	conditions []replicates[fractal]
	shown      []*subject // for each condition that has models: the model that the pictures show
}

// fractal measures how well the geometries can be read from one model: R², held out by
// sequence.
type fractal struct {
	kl float64
	// R² on all directions of resid_mid and of resid_post
	mid, final reads
	// R² on their first three principal components only, which the rule uses
	midPlane, finalPlane reads
	// R² on the logarithms of the model's own next-token probabilities
	logits reads
}

// reads holds the R² of both geometries.
type reads struct{ constrained, full float64 }

func (l *lab) measureFractals(ctx context.Context, s *claim.Study) (fractals, error) {
	var found fractals
	var err error
	if found.conditions, err = measureReplicates(ctx, l, s, sources, measureFractal); err != nil {
		return found, err
	}
	for _, g := range trainedOnly(found.conditions) {
		subjects, err := l.of(ctx, s, l.seededModels(g.Source)[g.shown():][:1])
		if err != nil {
			return found, err
		}
		found.shown = append(found.shown, subjects[0])
	}
	return found, nil
}

func measureFractal(m *subject) (fractal, error) {
	read := func(st *stage) reads {
		return reads{st.constrained.trained.heldOut.R2, st.full.trained.heldOut.R2}
	}
	both := func(g geometryScores) reads { return reads{g.constrained.heldOut.R2, g.full.heldOut.R2} }
	return fractal{
		kl: m.kl, mid: read(m.mid()), final: read(m.final()),
		midPlane: both(m.mid().planes), finalPlane: both(m.final().planes), logits: both(m.logits),
	}, nil
}

// midOwn and finalOwn return R² on three components: of the constrained beliefs at
// resid_mid, and of the full beliefs at resid_post. midMore returns R² of the constrained
// beliefs minus R² of the full ones, at resid_mid. finalMore returns R² of the full
// beliefs at resid_post minus their R² at resid_mid.
func (f fractal) midOwn() float64    { return f.midPlane.constrained }
func (f fractal) finalOwn() float64  { return f.finalPlane.full }
func (f fractal) midMore() float64   { return f.midPlane.constrained - f.midPlane.full }
func (f fractal) finalMore() float64 { return f.finalPlane.full - f.midPlane.full }

// midFull returns R² of the full beliefs on three components of resid_mid.
func (f fractal) midFull() float64 { return f.midPlane.full }

// midProbe and finalProbe return the same as midOwn and finalOwn, but for a regression on
// all directions of the stage.
func (f fractal) midProbe() float64   { return f.mid.constrained }
func (f fractal) finalProbe() float64 { return f.final.full }

// ownProbe returns R² of the full beliefs on the model's own log-probabilities.
func (f fractal) ownProbe() float64 { return f.logits.full }

func (m fractals) judge() claim.Finding {
	finding := judgeEach(m.conditions, fractal.midMore, judgeFractals)
	for _, g := range trainedOnly(m.conditions) {
		finding.Asked = append(finding.Asked, askFractals(g), askLogits(g))
	}
	return finding
}

// judgeFractals judges the models of a condition.
func judgeFractals(found, random []fractal) claim.Condition {
	midMore, finalMore := numbers(found, fractal.midMore), numbers(found, fractal.finalMore)
	c := claim.Condition{
		Effect: claim.Over("R² on three components after attention, constrained minus full beliefs",
			"", midMore).Against("random initialisation", mean(random, fractal.midMore)),
		Obtained: fmt.Sprintf("R² on three components: at resid_mid %.4f for the constrained beliefs and %.4f for "+
			"the full ones (random initialisation %.4f and %.4f); at resid_post %.4f for the full ones (random "+
			"initialisation %.4f), more than at resid_mid by %s",
			mean(found, fractal.midOwn), mean(found, fractal.midFull),
			mean(random, fractal.midOwn), mean(random, fractal.midFull),
			mean(found, fractal.finalOwn), mean(random, fractal.finalOwn), withInterval("%.3f", finalMore)),
	}
	mid, final := sign(midMore, 0), sign(finalMore, 0)
	above := sign(less(found, random, fractal.midOwn), 0) > 0 && sign(less(found, random, fractal.finalOwn), 0) > 0
	switch {
	case mid < 0 || final < 0:
		c.Verdict = claim.Fails
	case mid > 0 && final > 0 && above:
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

// less returns, for each model, a number minus the same number at random initialisation.
func less[M any](found, random []M, number func(M) float64) []float64 {
	values := numbers(found, number)
	floats.Sub(values, numbers(random, number))
	return values
}

// askFractals asks whether R² on all directions of a stage reaches the laboratory's
// thresholds.
func askFractals(g replicates[fractal]) claim.Question {
	question := fmt.Sprintf("%s: is R² of a regression on all directions ≥ %g for beliefs in resid_post and ≥ %g "+
		"for constrained beliefs in resid_mid? (The laboratory's own thresholds: the paper gives no number for a "+
		"“close match”.)",
		g, fractalFinal, fractalMid)
	return g.asked(question, func(q *claim.Question, found, random []fractal) {
		final, mid := numbers(found, fractal.finalProbe), numbers(found, fractal.midProbe)
		q.Answer = claim.AnswerIf(slices.Min(final) >= fractalFinal && slices.Min(mid) >= fractalMid)
		q.Obtained = fmt.Sprintf("R² of the geometry claimed for the stage: resid_post %s, resid_mid %s; of the "+
			"other geometry: %.4f and %.4f",
			withInterval("%.4f", final), withInterval("%.4f", mid),
			mean(found, func(f fractal) float64 { return f.final.constrained }),
			mean(found, func(f fractal) float64 { return f.mid.full }))
		q.Effect = claim.Over("R² of beliefs after the MLP, on all directions", "", final).
			Against("random initialisation", mean(random, fractal.finalProbe))
	})
}

// askLogits asks whether the final stage holds more of the beliefs than the model's own
// prediction does.
func askLogits(g replicates[fractal]) claim.Question {
	question := fmt.Sprintf("%s: is R² of the beliefs larger from resid_post than from the model's own "+
		"log-probabilities of the next token? (The laboratory's own question: every good predictor has these three "+
		"log-probabilities.)", g)
	return g.asked(question, func(q *claim.Question, found, _ []fractal) {
		more := numbers(found, func(f fractal) float64 { return f.finalProbe() - f.ownProbe() })
		q.Answer = claim.AnswerIf(sign(more, 0) > 0)
		q.Obtained = fmt.Sprintf("R² %.4f from resid_post, %.4f from the model's own log-probabilities",
			mean(found, fractal.finalProbe), mean(found, fractal.ownProbe))
		q.Effect = claim.Over("R² of beliefs after the MLP minus R² from the logits", "", more)
	})
}

func (m fractals) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.bySeed())
	if len(m.shown) > 0 {
		final := func(s *subject) fits { return s.final().full }
		mid := func(s *subject) fits { return s.mid().constrained }
		c.Tables = append(c.Tables,
			m.controls("controls of resid_post → beliefs, R²", final),
			m.controls("controls of resid_mid → constrained beliefs, R²", mid))
	}
}

// bySeed returns a table of all models.
func (m fractals) bySeed() document.Table {
	columns := slices.Concat(document.Headed("%.1e", "KL to the optimum (nats)"), document.Headed("%.4f",
		"three components, resid_mid → constrained", "→ beliefs", "random init → constrained", "→ beliefs",
		"three components, final → beliefs", "random init",
		"all directions, resid_mid → constrained", "→ beliefs", "random init → constrained",
		"resid_post → beliefs", "→ constrained", "random init → beliefs", "own log-probabilities → beliefs"))
	title := "R², held out by sequence, each prefix weighted by its probability"
	return seedFrame(title, m.conditions, columns, func(_ trained.Source, f, random fractal) []any {
		return []any{
			f.kl, f.midPlane.constrained, f.midPlane.full, random.midPlane.constrained, random.midPlane.full,
			f.finalPlane.full, random.finalPlane.full, f.mid.constrained, f.mid.full, random.mid.constrained,
			f.final.full, f.final.constrained, random.final.full, f.logits.full,
		}
	}).Table()
}

// controls returns a table with the controls of one fit, for the shown model of each
// condition.
func (m fractals) controls(title string, of func(s *subject) fits) document.Table {
	table := document.Frame{Title: title, Columns: document.Headed("%.4f",
		"model of the first seed", "by sequence", "random init", "by prefix", "random init", "shuffled",
		"next token alone")}
	for _, s := range m.shown {
		f, cells := of(s), []any{s.Label()}
		for _, x := range []scores{f.trained, f.random, f.byWord, f.byWordRandom, f.shuffled, f.nextToken} {
			cells = append(cells, x.heldOut.R2)
		}
		table.Row(cells...)
	}
	return table.Table()
}

// draw makes Fig. 4 twice: once by principal components, as in the paper, and once by the
// regressions in the tables. Each of its four rows shows constrained beliefs, activations
// at resid_mid, beliefs, and activations at resid_post. The figure “first” is the paper's
// Fig. 1, which is one of the four rows.
func (m fractals) draw(out *claim.Output) {
	pca := &figure.Figure{
		Title: "Principal components of the model and the two geometries",
		Desc: "Four rows, one for each process; columns: the constrained geometry, resid_mid, the belief geometry, " +
			"resid_post. According to the claim, columns one and two match, and so do columns three and four.",
		Cols: []string{"constrained (Eq. 26)", "resid_mid", "beliefs (Eq. 2)", "resid_post"},
	}
	regressed := &figure.Figure{
		Title: "The two geometries as regressions read them from the model",
		Desc: "The same four rows; columns two and four show resid_mid and resid_post through the linear " +
			"regression to the geometry on their left.",
		Cols: pca.Cols,
	}
	first := &figure.Figure{
		Title: "Beliefs, and how a transformer represents them",
		Desc: "Four triangles: constrained beliefs, the residual stream after attention, beliefs, the residual " +
			"stream after the MLP.",
		Cols: []string{
			"ideal, one attention layer", "transformer, halfway", "ideal observer's beliefs", "transformer, at the end",
		},
	}
	for _, s := range m.shown {
		pca.Rows = append(pca.Rows, s.Source.String())
		regressed.Rows = append(regressed.Rows, s.Source.String())
		byComponents, byRegression := s.fractalPanels()
		pca.Panels = append(pca.Panels, byComponents)
		regressed.Panels = append(regressed.Panels, byRegression)
		if s.Source == figure2 {
			first.Panels = [][]figure.Panel{byRegression}
		}
	}
	out.Figure("first", first)
	out.Figure("pca", pca)
	out.Figure("regressed", regressed)
	m.drawSeeds(out)
	out.CSV("seeds", seedNumbers(m.conditions, []string{
		"planes_intermediate_constrained", "planes_intermediate_beliefs", "planes_final_beliefs",
		"r2_intermediate_constrained", "r2_final_beliefs", "r2_logits_beliefs",
	}, fractal.midOwn, fractal.midFull, fractal.finalOwn, fractal.midProbe, fractal.finalProbe, fractal.ownProbe))
	out.CSV("kl", m.klByPosition())
	out.Arrays("planes", m.planes())
}

// drawSeeds draws, by seed, which geometry the principal components of the model show
// better.
func (m fractals) drawSeeds(out *claim.Output) {
	var bySeed [2][]figure.Panel
	for _, g := range trainedOnly(m.conditions) {
		zero := figure.Ref{Label: "0", Value: 0}
		bySeed[0] = append(bySeed[0], seedChart(g, "resid_mid: constrained minus full", fractal.midMore, zero))
		bySeed[1] = append(bySeed[1], seedChart(g, "beliefs: resid_post minus resid_mid", fractal.finalMore, zero))
	}
	out.Figure("seeds", &figure.Figure{
		Title: "Which geometry the components show, by seed",
		Desc:  "Two rows of charts, one column for each process: points by seed.", Panels: bySeed[:],
	})
}

// fractalPanels returns the panels of a model in both versions of Fig. 4.
func (s *subject) fractalPanels() (byComponents, byRegression []figure.Panel) {
	p, mid, final := s.Prefixes, s.mid(), s.final()
	constrained, full := triangle(p.Constrained, p), figure.Simplex{P: cut(p.Beliefs, 3)}
	byComponents = []figure.Panel{constrained, cloud(mid, p), full, cloud(final, p)}
	byRegression = []figure.Panel{
		constrained, triangle(mid.constrained.regressed.Data, p), full, triangle(final.full.regressed.Data, p),
	}
	return byComponents, byRegression
}

// cloud draws the activations of a stage in the plane of its first components, coloured
// by belief.
func cloud(st *stage, p *process.Prefixes) figure.Panel {
	points := figure.Points{}
	for i, b := range cut(p.Beliefs, 3) {
		points.X = append(points.X, st.plane.Data[2*i])
		points.Y = append(points.Y, st.plane.Data[2*i+1])
		points.Colors = append(points.Colors, figure.RGB(b[0], b[1], b[2]))
	}
	return figure.Plane{
		Layers: []figure.Layer{points}, Ruler: true, X: fmt.Sprintf("%.0f %% of the variance", 100*st.planeShare),
	}
}

// klByPosition returns, by position, the divergence of each shown model from the optimal
// predictor.
func (m fractals) klByPosition() document.Frame {
	f := document.Frame{Columns: document.Named("x", "alpha", "seed", "position", "kl")}
	for _, s := range m.shown {
		for t, kl := range s.klPosition {
			f.Row(s.X, s.A, s.Seed, t+1, kl)
		}
	}
	return f
}

// planes returns the points in columns two and four of both versions of Fig. 4.
func (m fractals) planes() (arrays []claim.Array) {
	var words []sequences
	for _, s := range m.shown {
		words = append(words, sequences{s.Source, s.Prefixes})
		mid, final := s.mid(), s.final()
		arrays = append(arrays,
			array(s.Source, "intermediate_pca", 2, mid.plane.Data),
			array(s.Source, "intermediate_regressed", 3, mid.constrained.regressed.Data),
			array(s.Source, "final_pca", 2, final.plane.Data),
			array(s.Source, "final_regressed", 3, final.full.regressed.Data))
	}
	return append(arrays, wordArrays(words)...)
}
