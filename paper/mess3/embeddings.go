package mess3

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// The rule of M5.
const (
	// embeddingCosine is the smallest |cosine| between an embedding and its OV vector at
	// which they count as parallel: 18 degrees.
	embeddingCosine = 0.95
	// embeddingScale is the smallest difference of scales that matters. Its unit is a
	// token's own correction: by Eq. 10, the embedding and the attention of a position to
	// itself must add up to this correction.
	embeddingScale = 0.2
	// firstScales is the number of positions, from the first, that show the paper's
	// discrepancy.
	firstScales = 2
)

// embeddings is M5: Piotrowski et al. 2025, Fig. 2B and Eq. 15.
func (l *lab) embeddings() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M5", Kind: claim.Explanation, Setting: l.setting,
		StandsOn: others(onOneFit, "M5"), RuleCommit: "b7cec60", ChangedAfterResult: true,
		Trainings: trained.Trainings(l.onProcesses(figure2)),
		First:     claim.FirstBy("fe6577b", embeddings.first),
		Test: claim.Steps[embeddings]{
			Measure: l.measureEmbeddings, Judge: embeddings.judge, Tabulate: embeddings.tabulate, Draw: embeddings.draw,
		}.Test,
	}, map[string]any{
		"cosine": embeddingCosine, "from": firstScales + 1, "to": trained.NCtx - 1, "margin": embeddingScale,
		"init": l.oneLayer.Init, "wide": trained.WideInit,
	})
}

// embeddings is the measurement of M5, by condition.
type embeddings []replicates[embedding]

// embedding holds the embeddings of one model.
type embedding struct {
	vectors []ovVector
	pattern probe.Pattern
	zeta    float64
	cosines summary      // |cosine| between each embedding and its OV vector
	scales  []eq15Scales // by position
}

// eq15Scales is the scale of the embeddings at one position, measured and predicted by
// Eq. 15, both as multiples of Pr(S|z) − π.
type eq15Scales struct {
	position            int // from 1
	measured, predicted float64
}

func (l *lab) measureEmbeddings(ctx context.Context, s *claim.Study) (embeddings, error) {
	return measureReplicates(ctx, l, s, []trained.Source{figure2}, measureEmbedding)
}

func measureEmbedding(m *subject) (embedding, error) {
	vectors, err := m.ovVectors()
	if err != nil {
		return embedding{}, err
	}
	return embedding{
		vectors: vectors, pattern: m.patterns[0], zeta: m.Zeta(),
		cosines: summarise(vectors, func(v ovVector) float64 { return math.Abs(cosine(v.embedding, v.measured)) }),
		scales:  scalesOfEq15(vectors, m.HMM.Alphabet(), m.patterns[0], m.Zeta()),
	}, nil
}

// scalesOfEq15 returns the scale of the embeddings at each position, by least squares
// over tokens, and the scale that Eq. 15 predicts from the mean attention pattern:
//
//	f(x_m) = (1 − ζA(m, m)/A(m+1, m))·(Pr(S|z) − π)
func scalesOfEq15(vectors []ovVector, tokens int, p probe.Pattern, zeta float64) []eq15Scales {
	var list []eq15Scales
	for at := 0; at < len(vectors); at += tokens {
		m := vectors[at].position
		dot, square := 0.0, 0.0
		for _, v := range vectors[at : at+tokens] {
			for k, predicted := range v.predicted {
				correction := predicted * toNext(p, m) / zeta // inverts Eq. 14
				dot += v.embedding[k] * correction
				square += correction * correction
			}
		}
		own := p.Mean[(m-1)*p.T+m-1] // A(m, m)
		list = append(list, eq15Scales{position: m, measured: dot / square, predicted: 1 - zeta*own/toNext(p, m)})
	}
	return list
}

// off returns the mean absolute difference between measured scales and Eq. 15 at
// positions beyond the first firstScales.
func (e embedding) off() float64 {
	later, sum := e.scales[firstScales:], 0.0
	for _, x := range later {
		sum += math.Abs(x.measured-x.predicted) / float64(len(later))
	}
	return sum
}

// medianCosine returns the median |cosine| between embeddings and their OV vectors.
func (e embedding) medianCosine() float64 { return e.cosines.median }

func (m embeddings) judge() claim.Finding {
	return judgeEach(m, embedding.off, judgeEmbeddings)
}

// judgeEmbeddings judges the models of a condition.
func judgeEmbeddings(found, random []embedding) claim.Condition {
	off, control := numbers(found, embedding.off), mean(random, embedding.off)
	parallel, parallelRandom := mean(found, embedding.medianCosine), mean(random, embedding.medianCosine)
	c := claim.Condition{
		Effect: claim.Over("difference of the scale from Eq. 15 at positions beyond the second", "", off).
			Beside("Eq. 15", 0).Against("random initialisation", control),
		Obtained: fmt.Sprintf("median |cosine| with the OV vector %.4f (random initialisation %.4f); at positions "+
			"beyond the second the scale differs from Eq. 15 by %s (random initialisation %.2f)",
			parallel, parallelRandom, withInterval("%.2f", off), control),
	}
	switch side := sign(off, embeddingScale); {
	case parallel < embeddingCosine:
		c.Verdict = claim.Fails
	case control <= embeddingScale && parallelRandom >= embeddingCosine || side == 0:
		c.Verdict, c.Reason = claim.Open, claim.Power
	case side < 0:
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c
}

func (m embeddings) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.bySeed().Table()) }

// bySeed returns a frame with a row for each model.
func (m embeddings) bySeed() document.Frame {
	title := "embeddings of positions 1–9 and three tokens through f, the part that depends on the token; scales " +
		"are multiples of Pr(S|z) − π"
	return seedFrame(title, m, []document.Column{
		{Name: "off"},
		{Name: "off_random_init"},
		{Heading: "smallest |cosine| with v", Format: "%.4f"},
		{Name: "median_cosine", Heading: "median |cosine| with v", Format: "%.4f"},
		{Name: "median_cosine_random_init", Heading: "random init", Format: "%.4f"},
		{Heading: "measured scale (first to last position)"},
		{Heading: "Eq. 15 at position 1", Format: "%.3f"},
		{Heading: "at position 2", Format: "%.3f"},
		{Heading: "at 3–9"},
		{Heading: "mean |difference| at 3–9", Format: "%.3f"},
		{Heading: "random init", Format: "%.3f"},
	}, func(_ trained.Source, e, random embedding) []any {
		off, randomOff := e.off(), random.off()
		first, last := e.scales[0], e.scales[len(e.scales)-1]
		later := summarise(e.scales[firstScales:], func(x eq15Scales) float64 { return x.predicted })
		return []any{
			off, randomOff, e.cosines.least, e.medianCosine(), random.medianCosine(),
			fmt.Sprintf("%.3f to %.3f", first.measured, last.measured), first.predicted, e.scales[1].predicted,
			fmt.Sprintf("%.3f to %.3f", later.least, later.most), off, randomOff,
		}
	})
}

func (m embeddings) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Embeddings, measured and predicted",
		Desc: "For each process: embeddings as points in the plane of the simplex with the predictions of Eq. 15, " +
			"and their scale by position, measured and predicted.",
		Cols: []string{"in the plane of the simplex", "scale by position", "difference from Eq. 15 beyond the second"},
	}
	scales := document.Frame{Columns: document.Named("x", "alpha", "position", "measured_scale", "eq15_scale")}
	for _, g := range trainedOnly(m) {
		first := g.Models[0].Found
		f.Rows = append(f.Rows, g.String())
		by := seedChart(g, "mean |difference|", embedding.off, figure.Ref{Label: "margin", Value: embeddingScale})
		by.Title = "" // the column has this title
		f.Panels = append(f.Panels, []figure.Panel{first.plane(), scaleChart(first.scales), by})
		for _, x := range first.scales {
			scales.Row(g.X, g.A, x.position, x.measured, x.predicted)
		}
	}
	out.Figure("embeddings", f)
	out.CSV("seeds", m.bySeed())
	out.CSV("embeddings", scales)
}

// plane draws the embeddings, with one colour for each token.
func (e embedding) plane() figure.Panel {
	p := figure.Plane{X: "belief plane", Y: "belief plane"}
	for token := range 3 {
		measured := figure.Points{Name: fmt.Sprintf("token %d, measured", token), Color: token + 1}
		predicted := figure.Points{Name: fmt.Sprintf("token %d, Eq. 15", token), Color: token + 1, Open: true}
		for _, v := range e.vectors {
			if v.token != token {
				continue
			}
			measured.X = append(measured.X, v.embedding[0])
			measured.Y = append(measured.Y, v.embedding[1])
			scale := e.scales[v.position-1].predicted * toNext(e.pattern, v.position) / e.zeta
			predicted.X = append(predicted.X, scale*v.predicted[0])
			predicted.Y = append(predicted.Y, scale*v.predicted[1])
		}
		p.Layers = append(p.Layers, measured, predicted)
	}
	return p
}

func scaleChart(scales []eq15Scales) figure.Panel {
	measured, predicted := figure.Series{Name: "measured"}, figure.Series{Name: "Eq. 15", Open: true}
	for _, s := range scales {
		measured.Add(float64(s.position), s.measured)
		predicted.Add(float64(s.position), s.predicted)
	}
	return figure.Chart{
		X: figure.Axis{Label: "position m"}, Y: figure.Axis{Label: "scale of the embedding", Include: []float64{0}},
		Series: []figure.Series{measured, predicted},
	}
}
