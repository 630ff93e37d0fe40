package mess3

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// The rule of M5.
const (
	embeddingCosine = 0.95 // of every embedding with its OV vector
	embeddingScale  = 0.2  // how far scales may be off Eq. 15, in the mean over the later positions
	embeddingMedian = 0.9  // differs if the median cosine reaches this
	opposedScales   = 2    // the first positions, at which the signs are not those of Eq. 15
)

// embeddings is M5: Piotrowski et al. 2025, Fig. 2B and A2 and Eq. 15.
func (l *lab) embeddings() claim.Row {
	return claim.Row{
		ID: "M5", Source: cite + "Fig. 2B and A2, Eq. 15",
		Statement: "Embeddings are parallel to OV vectors, with the scale of Eq. 15, except that at the first two " +
			"positions the predicted sign is not the observed one.",
		Expected: fmt.Sprintf("x = 0.15, the part that depends on the token: |cosine| of embedding and OV vector ≥ "+
			"%g for every (position, token); at positions %d–%d the scale within %g of Eq. 15 in the mean; at "+
			"positions 1 and %d measured and predicted scale have opposite signs; differs if the median |cosine| is "+
			"≥ %g", embeddingCosine, opposedScales+1, trained.NCtx-1, embeddingScale, opposedScales, embeddingMedian),
		Trainings: trained.Trainings(l.withHeads(1)),
		Test: claim.Steps[embeddings]{
			Measure: l.measureEmbeddings, Judge: embeddings.judge, Tabulate: embeddings.tabulate, Draw: embeddings.draw,
		}.Test,
	}
}

// embeddings are those of several models.
type embeddings struct {
	setting string
	models  []embedding
}

// embedding are those of one.
type embedding struct {
	trained.Condition
	main    bool // with the normalisation that the rule is about
	vectors []ovVector
	pattern probe.Pattern
	cosines summary      // |cosine| of each embedding with its OV vector
	scales  []eq15Scales // by position
}

// eq15Scales are the embeddings of one position beside Eq. 15, both as multiples of
// Pr(S|z) − π.
type eq15Scales struct {
	position            int // from 1
	measured, predicted float64
}

func (l *lab) measureEmbeddings(ctx context.Context, s *claim.Study) (embeddings, error) {
	found := embeddings{setting: l.setting}
	subjects, err := l.of(ctx, s, l.withHeads(1))
	for _, m := range subjects {
		vectors, err := m.ovVectors()
		if err != nil {
			return found, err
		}
		found.models = append(found.models, embedding{
			Condition: m.Condition, main: l.isMain(m.Condition), vectors: vectors, pattern: m.patterns[0],
			cosines: summarise(vectors, func(v ovVector) float64 { return math.Abs(cosine(v.embedding, v.measured)) }),
			scales:  scalesOfEq15(vectors, m.HMM.Alphabet(), m.patterns[0], m.Zeta()),
		})
	}
	return found, err
}

// scalesOfEq15 returns the scale of the embeddings at each position, by least
// squares over tokens, and what Eq. 15 makes of the mean attention pattern:
//
//	f(x_m) = (1 − ζA(m, m)/A(m+1, m))·(Pr(S|z) − π)
func scalesOfEq15(vectors []ovVector, tokens int, p probe.Pattern, zeta float64) []eq15Scales {
	var list []eq15Scales
	for at := 0; at < len(vectors); at += tokens {
		m := vectors[at].position
		dot, square := 0.0, 0.0
		for _, v := range vectors[at : at+tokens] {
			for k, predicted := range v.predicted {
				correction := predicted * toNext(p, m) / zeta // Eq. 14 undone
				dot += v.embedding[k] * correction
				square += correction * correction
			}
		}
		own := p.Mean[(m-1)*p.T+m-1] // A(m, m)
		list = append(list, eq15Scales{position: m, measured: dot / square, predicted: 1 - zeta*own/toNext(p, m)})
	}
	return list
}

// off is how far the scales at later positions are from Eq. 15, in the mean.
func (e embedding) off() float64 {
	later, sum := e.scales[opposedScales:], 0.0
	for _, x := range later {
		sum += math.Abs(x.measured-x.predicted) / float64(len(later))
	}
	return sum
}

// opposed says whether each of the first scales has not the sign of Eq. 15.
func (e embedding) opposed() bool {
	for _, x := range e.scales[:opposedScales] {
		if x.measured*x.predicted >= 0 {
			return false
		}
	}
	return true
}

func (m embeddings) judge() claim.Finding {
	least, middle, off, opposed := 1.0, 1.0, 0.0, true
	for _, e := range m.models {
		if e.main {
			least, middle = min(least, e.cosines.least), min(middle, e.cosines.median)
			off, opposed = max(off, e.off()), opposed && e.opposed()
		}
	}
	signs := "opposite in sign"
	if !opposed {
		signs = "not opposite in sign"
	}
	found := claim.Finding{
		Verdict: claim.Fails,
		Obtained: fmt.Sprintf("|cosine| with the OV vector: smallest %.4f, median %.4f; scale at positions 3–9 off "+
			"by %.2f in the mean; at positions 1 and 2 measured and predicted are %s", least, middle, off, signs),
	}
	switch {
	case least >= embeddingCosine && off <= embeddingScale && opposed:
		found.Verdict = claim.Holds
	case middle >= embeddingMedian:
		found.Verdict = claim.Differs
	}
	return found
}

func (m embeddings) tabulate(c *claim.Claim) {
	table := claim.Table{
		Title: "embeddings of positions 1–9 and three tokens through f, the part that depends on the token; scales " +
			"are multiples of Pr(S|z) − π",
		Columns: []string{
			"model", "smallest |cosine| with v", "median |cosine| with v", "measured scale (first to last position)",
			"Eq. 15 at position 1", "at position 2", "at 3–9", "mean |difference| at 3–9",
		},
	}
	for _, e := range m.models {
		table.Rows = append(table.Rows, e.line())
	}
	c.Tables, c.Setting = append(c.Tables, table), m.setting
	c.Notes = append(c.Notes,
		"As in M4, what all tokens share at a position is taken off: the theory fixes embeddings only together with "+
			"that part of the OV vectors.",
		"The residual stream before attention is token embedding plus position embedding, so that its "+
			"token-dependent part is the same at every position, whatever the training. Eq. 15 asks for a scale "+
			"that follows A(m, m)/A(m+1, m), and A(1, 1) = 1 always. So a layer can obey Eq. 15 only if that ratio "+
			"is one number from the first position on; where training leaves another ratio at the first positions, "+
			"which matter little, measured and predicted must differ there. That is the discrepancy that App. D of "+
			"the paper does not explain.",
		"With the first position as a sink, A(d, 1) = ζ^(d−1) and A(d, s) = (1−ζ)ζ^(d−s), Eq. 15 gives zero "+
			"everywhere: attention does all, and embeddings lie at the centre (Fig. 2A).")
}

// line is the model's row of the table.
func (e embedding) line() []string {
	first, last := e.scales[0], e.scales[len(e.scales)-1]
	later := summarise(e.scales[opposedScales:], func(x eq15Scales) float64 { return x.predicted })
	return []string{
		e.Label(), fmt.Sprintf("%.4f", e.cosines.least), fmt.Sprintf("%.4f", e.cosines.median),
		fmt.Sprintf("%.3f to %.3f", first.measured, last.measured),
		fmt.Sprintf("%.3f", first.predicted), fmt.Sprintf("%.3f", e.scales[1].predicted),
		fmt.Sprintf("%.3f to %.3f", later.least, later.most), fmt.Sprintf("%.3f", e.off()),
	}
}

func (m embeddings) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Embeddings, measured and predicted",
		Desc: "For each process: embeddings as points in the plane of the simplex beside those of Eq. 15, and their " +
			"scale by position, measured and predicted.",
		Cols: []string{"in the plane of the simplex", "scale by position"},
	}
	var rows [][]float64
	for _, e := range m.models {
		if !e.main {
			continue
		}
		f.Rows = append(f.Rows, e.Source.String())
		f.Panels = append(f.Panels, []figure.Panel{e.plane(), scaleChart(e.scales)})
		for _, x := range e.scales {
			rows = append(rows, []float64{e.X, e.A, float64(x.position), x.measured, x.predicted})
		}
	}
	out.Figure("embeddings", "Left: filled, the embeddings as the regression f reads them (all positions of a token "+
		"coincide); open, Eq. 15 for each position from the model's own attention. Right: the same as multiples of "+
		"Pr(S|z) − π. The measured scale cannot vary with the position; the predicted one does where attention to "+
		"oneself and to one's neighbour change their ratio.", f)
	out.CSV("embeddings", []string{"x", "alpha", "position", "measured_scale", "eq15_scale"}, rows)
}

// plane draws the embeddings, a colour a token.
func (e embedding) plane() figure.Panel {
	p := figure.Plane{X: "belief plane", Y: "belief plane"}
	for token := range 3 {
		measured := figure.Points{Name: fmt.Sprintf("token %d, measured", token), Color: token + 1}
		predicted := figure.Points{Name: fmt.Sprintf("token %d, Eq. 15", token), Color: token + 1, Open: true}
		for _, v := range e.vectors {
			if v.token != token {
				continue
			}
			measured.X, measured.Y = append(measured.X, v.embedding[0]), append(measured.Y, v.embedding[1])
			scale := e.scales[v.position-1].predicted * toNext(e.pattern, v.position) / e.Zeta()
			predicted.X = append(predicted.X, scale*v.predicted[0])
			predicted.Y = append(predicted.Y, scale*v.predicted[1])
		}
		p.Layers = append(p.Layers, measured, predicted)
	}
	return p
}

func scaleChart(scales []eq15Scales) figure.Panel {
	var x, measured, predicted []float64
	for _, s := range scales {
		x = append(x, float64(s.position))
		measured, predicted = append(measured, s.measured), append(predicted, s.predicted)
	}
	return figure.Chart{
		X: figure.Axis{Label: "position m"}, Y: figure.Axis{Label: "scale of the embedding", Include: []float64{0}},
		Series: []figure.Series{
			{Name: "measured", X: x, Y: measured},
			{Name: "Eq. 15", X: x, Y: predicted, Open: true},
		},
	}
}
