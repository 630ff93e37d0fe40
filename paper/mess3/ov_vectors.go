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

	"gonum.org/v1/gonum/stat"
)

// The rule of M4.
const (
	// ovCosine is the smallest cosine between a vector and Eq. 14 at which they count as
	// parallel: 18 degrees.
	ovCosine = 0.95
	// exponentMargin is half the difference between exponent 1 (lengths proportional to 1/A)
	// and exponent 0 (lengths that do not depend on A). An exponent within this margin of 1
	// is closer to 1 than to 0.
	exponentMargin = 0.5
	// ovLength is the threshold of a further question, the laboratory's own: the largest
	// difference between 1 and the median ratio of measured to predicted length.
	ovLength = 0.2
)

// onOneFit are the rows that use one regression f of the same models.
var onOneFit = []string{"M2", "M4", "M5", "M5b", "M21", "M7", "M8"}

// others returns a list of ids without one of them.
func others(ids []string, omitted string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == omitted })
}

// ovVectors is M4: Piotrowski et al. 2025, Fig. 2A and 2B and Eq. 14.
func (l *lab) ovVectors() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M4", Kind: claim.Explanation, StandsOn: others(onOneFit, "M4"), Setting: l.setting,
		RuleCommit: "963273c", ChangedAfterResult: true, Trainings: trained.Trainings(l.onProcesses(figure2)),
		First: claim.FirstBy("c304182", movers.first),
		Test: claim.Steps[movers]{
			Measure: l.measureOV, Judge: movers.judge, Tabulate: movers.tabulate, Draw: movers.draw,
		}.Test,
	}, map[string]any{"cosine": ovCosine, "margin": exponentMargin, "level": significant})
}

// movers is the measurement of M4, by condition.
type movers []replicates[mover]

// mover describes the OV vectors of one model.
type mover struct {
	vectors []ovVector

	cosines, lengths, positional, whole summary // over vectors, of the methods of ovVector with these names
	exponent                            float64 // p if lengths are proportional to (1/A(m+1, m))^p
}

// ovVector is an OV vector in the plane of the simplex, for one source position and one
// token. Only the part that depends on the token is measured and predicted.
type ovVector struct {
	position, token     int // position from 1, token from 0
	measured, predicted point
	shared              point   // the part of v that all tokens share
	embedding           point   // the residual stream that the head reads
	unit                float64 // |Pr(S|z) − π|
}

// cosine returns the cosine between the vector and Eq. 14.
func (v ovVector) cosine() float64 { return cosine(v.measured, v.predicted) }

// whole returns the cosine with Eq. 14 of the vector including the part that all tokens
// share.
func (v ovVector) whole() float64 { return cosine(v.measured.plus(v.shared), v.predicted) }

// lengths returns the measured length relative to Eq. 14.
func (v ovVector) lengths() float64 { return v.measured.length() / v.predicted.length() }

// positional returns the length of the part that all tokens share, divided by the length
// of the part that depends on the token.
func (v ovVector) positional() float64 { return v.shared.length() / v.measured.length() }

func (l *lab) measureOV(ctx context.Context, s *claim.Study) (movers, error) {
	return measureReplicates(ctx, l, s, []trained.Source{figure2}, measureMover)
}

// measureMover measures the first head.
func measureMover(m *subject) (mover, error) {
	vectors, err := m.ovVectors()
	if err != nil {
		return mover{}, err
	}
	return mover{
		vectors: vectors,
		cosines: summarise(vectors, ovVector.cosine), lengths: summarise(vectors, ovVector.lengths),
		positional: summarise(vectors, ovVector.positional), whole: summarise(vectors, ovVector.whole),
		exponent: lengthExponent(vectors),
	}, nil
}

// lengthExponent returns p in |v| ∝ |Eq. 14|^p, by least squares in logarithms: 1 if
// lengths are proportional to 1/A(m+1, m), 0 if they do not depend on it.
func lengthExponent(vectors []ovVector) float64 {
	var measured, predicted []float64
	for _, v := range vectors {
		measured = append(measured, math.Log(v.measured.length()))
		predicted = append(predicted, math.Log(v.predicted.length()))
	}
	_, exponent := stat.LinearRegression(predicted, measured, nil, false)
	return exponent
}

// ovVectors returns the OV vectors of the first head for each token at positions 1 …
// n_ctx−1, through f, with the predictions of Eq. 14.
func (s *subject) ovVectors() ([]ovVector, error) {
	first, err := s.readFirstLayer()
	if err != nil {
		return nil, err
	}
	measured, shared := s.split(first.OV(s.Model, 0), first.Tokens)
	embeddings, _ := s.split(first.Resid, first.Tokens)
	list := make([]ovVector, len(measured))
	for i := range list {
		position, token := i/first.Tokens, i%first.Tokens
		list[i] = ovVector{
			position: position + 1, token: token,
			measured: measured[i], shared: shared[position], embedding: embeddings[i],
		}
		if list[i].predicted, err = s.eq14(position+1, token); err != nil {
			return nil, err
		}
		list[i].unit = list[i].predicted.length() * toNext(s.patterns[0], position+1) / math.Abs(s.Zeta())
	}
	return list, nil
}

// eq14 returns the prediction of Eq. 14 for a token at position m, through f:
//
//	f(v_m) = ζ/A(m+1, m)·(Pr(S|z) − π)
func (s *subject) eq14(m, token int) (point, error) {
	source, err := s.HMM.Constrained([]int32{int32(token)})
	if err != nil {
		return point{}, err
	}
	pi := s.HMM.Stationary()
	scale := s.Zeta() / toNext(s.patterns[0], m)
	predicted := make([]float64, len(pi))
	for j := range pi {
		predicted[j] = pi[j] + scale*(source[j]-pi[j])
	}
	return project(predicted), nil
}

func (m movers) judge() claim.Finding {
	finding := judgeEach(m, mover.grows, judgeMovers)
	for _, g := range m {
		finding.Asked = append(finding.Asked, askLengths(g))
	}
	return finding
}

// grows returns the exponent of 1/A(m+1, m) in the lengths.
func (m mover) grows() float64 { return m.exponent }

// leastCosine returns the smallest and medianCosine the median cosine between the vectors
// and Eq. 14.
func (m mover) leastCosine() float64  { return m.cosines.least }
func (m mover) medianCosine() float64 { return m.cosines.median }

// judgeMovers judges the models of a condition.
func judgeMovers(found, random []mover) claim.Condition {
	exponents, control := numbers(found, mover.grows), numbers(random, mover.grows)
	least, middle := mean(found, mover.leastCosine), mean(found, mover.medianCosine)
	proportional := claim.Equivalent(exponents, 1, exponentMargin)
	lengthsAsWell := claim.Equivalent(control, 1, exponentMargin) <= significant
	c := claim.Condition{
		Effect: claim.Over("exponent of 1/A(m+1, m) in the lengths", "", exponents).Beside("Eq. 14", 1).
			Against("random initialisation", stat.Mean(control, nil)),
		Obtained: fmt.Sprintf("smallest cosine with Eq. 14 %.3f, median %.4f (random initialisation %.3f, %.4f); "+
			"lengths as (1/A)^p with p = %s (closer to 1 than to 0: p value %.2g), for a random initialisation %.2f",
			least, middle, mean(random, mover.leastCosine), mean(random, mover.medianCosine),
			withInterval("%.2f", exponents), proportional, stat.Mean(control, nil)),
	}
	if lengthsAsWell {
		c.Obtained += ", which also has these lengths because of layer norm, so only the directions are evidence"
		c.Effect = claim.Over("smallest cosine with Eq. 14", "", numbers(found, mover.leastCosine)).Beside("Eq. 14", 1).
			Against("random initialisation", mean(random, mover.leastCosine))
	}
	asWell := lengthsAsWell && mean(random, mover.leastCosine) >= ovCosine
	switch {
	case middle < ovCosine || stat.Mean(exponents, nil) <= 0:
		c.Verdict = claim.Fails
	case asWell || sign(exponents, 0) == 0:
		c.Verdict, c.Reason = claim.Open, claim.Power
	case proportional <= significant && least >= ovCosine:
		c.Verdict = claim.Holds
	case proportional <= significant || sign(exponents, 1) != 0:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c
}

// askLengths asks whether the lengths themselves agree with Eq. 14.
func askLengths(g replicates[mover]) claim.Question {
	question := fmt.Sprintf("%s: is the median length within %s of Eq. 14's? (The laboratory's own threshold: the "+
		"paper shows both in one picture.)", g, percent(ovLength))
	return g.asked(question, func(q *claim.Question, found, random []mover) {
		length := func(m mover) float64 { return m.lengths.median }
		off := 0.0
		for _, ratio := range numbers(found, length) {
			off = max(off, math.Abs(ratio-1))
		}
		q.Answer = claim.AnswerIf(off <= ovLength)
		q.Obtained = fmt.Sprintf("the median ratio of lengths is %s, at most %.0f %% from 1",
			withInterval("%.3f", numbers(found, length)), 100*off)
		q.Effect = claim.Over("median |v| / |Eq. 14|", "", numbers(found, length)).Beside("Eq. 14", 1).
			Against("random initialisation", mean(random, length))
	})
}

func (m movers) tabulate(c *claim.Claim) {
	for _, g := range trainedOnly(m) {
		c.Tables = append(c.Tables, lengthFrame(g).Table())
	}
	c.Tables = append(c.Tables, m.frame().Table())
}

// frame returns a row for each model.
func (m movers) frame() document.Frame {
	title := "OV vectors of positions 1–9 and three tokens through the regression f, against Eq. 14"
	columns := slices.Concat(
		document.Named("exponent", "exponent_random_init"),
		[]document.Column{
			{Name: "smallest_cosine", Heading: "smallest cosine", Format: "%.4f"},
			{Name: "smallest_cosine_random_init", Heading: "random init", Format: "%.4f"},
			{Name: "median_cosine", Heading: "median cosine", Format: "%.4f"},
			{Name: "median_cosine_random_init", Heading: "random init", Format: "%.4f"},
		},
		document.Headed("%.2f", "exponent of 1/A", "random init"), document.Headed("%.3f", "median |v| / |Eq. 14|"),
		document.Headed("%.2f", "median shared part / |v|"),
		document.Headed("%.4f", "median cosine including the shared part"),
	)
	return seedFrame(title, m, columns, func(_ trained.Source, found, random mover) []any {
		return []any{
			found.exponent, random.exponent, found.cosines.least, random.cosines.least,
			found.cosines.median, random.cosines.median, found.exponent, random.exponent,
			found.lengths.median, found.positional.median, found.whole.median,
		}
	})
}

// lengthFrame returns the lengths of the first seed by position, averaged over tokens.
func lengthFrame(g replicates[mover]) document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("lengths by position m, mean over tokens, as multiples of |Pr(S|z) − π|: %s, first seed", g),
		Columns: append(document.Headed("", "m"), document.Headed("%.2f", "measured |v|", "Eq. 14: ζ/A(m+1, m)",
			"random init, measured", "random init, Eq. 14")...),
	}
	random := lengthsByPosition(g.Models[0].Random.vectors)
	for i, at := range lengthsByPosition(g.Models[0].Found.vectors) {
		f.Row(i+1, at[0], at[1], random[i][0], random[i][1])
	}
	return f
}

// lengthsByPosition returns the measured and the predicted length at each position,
// averaged over tokens, in units of |Pr(S|z) − π|.
func lengthsByPosition(vectors []ovVector) (list [][2]float64) {
	counts := []float64{}
	for _, v := range vectors {
		if v.position > len(list) {
			list = append(list, [2]float64{})
			counts = append(counts, 0)
		}
		at := &list[v.position-1]
		at[0] += v.measured.length() / v.unit
		at[1] += v.predicted.length() / v.unit
		counts[v.position-1]++
	}
	for i := range list {
		list[i][0] /= counts[i]
		list[i][1] /= counts[i]
	}
	return list
}

func (m movers) draw(out *claim.Output) {
	var panels, bySeed []figure.Panel
	for _, g := range trainedOnly(m) {
		first := g.Models[0]
		panels = append(panels, lengthChart(g.String()+", first seed", first.Found.vectors),
			lengthChart("random initialisation", first.Random.vectors),
			directionPanel("directions", first.Found.vectors))
		bySeed = append(bySeed,
			seedChart(g, "exponent of 1/A(m+1, m)", mover.grows,
				figure.Ref{Label: "Eq. 14", Value: 1}, figure.Ref{Label: "no dependence", Value: 0}),
			seedChart(g, "smallest cosine", mover.leastCosine, figure.Ref{Label: "parallel", Value: ovCosine}))
	}
	out.Figure("seeds", figure.Row("OV vectors by seed", "Two charts of points by seed: an exponent and a cosine.",
		bySeed...))
	out.Figure("ov", &figure.Figure{
		Title: "OV vectors, measured and predicted",
		Desc: "For each process two charts of length against position, with dots of three tokens along a " +
			"dashed line, and three bundles of arrows in the plane of the simplex, one for each token, around " +
			"their predictions.",
		Panels: [][]figure.Panel{panels}, Width: 720,
	})
	out.CSV("seeds", m.frame())
	out.CSV("ov", m.vectors())
}

// vectors returns a row for each vector of the models of the first seed.
func (m movers) vectors() document.Frame {
	f := document.Frame{Columns: document.Named("x", "alpha", "position", "token", "measured_x", "measured_y",
		"predicted_x", "predicted_y", "cosine", "length_ratio")}
	for _, g := range trainedOnly(m) {
		for _, v := range g.Models[0].Found.vectors {
			f.Row(g.X, g.A, v.position, v.token, v.measured[0], v.measured[1],
				v.predicted[0], v.predicted[1], v.cosine(), v.lengths())
		}
	}
	return f
}

// lengthChart draws the lengths by position, with one colour for each token, and the
// prediction of Eq. 14, which is the same for each token.
func lengthChart(title string, vectors []ovVector) figure.Panel {
	chart := figure.Chart{
		Title: title, X: figure.Axis{Label: "position m"},
		Y: figure.Axis{Label: "length, in |Pr(S|z) − π|", Include: []float64{0}},
	}
	for token := range 3 {
		of := figure.Series{Name: fmt.Sprintf("token %d", token), Color: token + 1, Style: figure.Scatter}
		for _, v := range vectors {
			if v.token == token {
				of.Add(float64(v.position), v.measured.length()/v.unit)
			}
		}
		chart.Series = append(chart.Series, of)
	}
	predicted := figure.Series{Name: "Eq. 14: ζ/A(m+1, m)", Color: figure.Grey, Open: true}
	for i, at := range lengthsByPosition(vectors) {
		predicted.Add(float64(i+1), at[1])
	}
	chart.Series = append(chart.Series, predicted)
	return chart
}

// directionPanel draws the directions of the vectors and those predicted by Eq. 14, with
// one colour for each token.
func directionPanel(title string, vectors []ovVector) figure.Panel {
	p := figure.Plane{Title: title}
	for token := range 3 {
		measured := figure.Arrows{Color: token + 1}
		predicted := figure.Points{Name: fmt.Sprintf("token %d, Eq. 14", token), Color: token + 1, Open: true}
		for _, v := range vectors {
			if v.token != token {
				continue
			}
			of, by := v.measured.unit(), v.predicted.unit()
			measured.X = append(measured.X, of[0])
			measured.Y = append(measured.Y, of[1])
			predicted.X, predicted.Y = []float64{1.12 * by[0]}, []float64{1.12 * by[1]}
		}
		p.Layers = append(p.Layers, measured, predicted)
	}
	return p
}
