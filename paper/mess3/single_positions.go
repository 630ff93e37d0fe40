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

	"gonum.org/v1/gonum/stat"
)

// ownMargin is the threshold of M21 for Eq. 10: the largest distance between the two
// sides, in units of the correction itself, at which they count as equal. It is M5's.
const ownMargin = embeddingScale

// singlePositions is M21: Piotrowski et al. 2025, Eq. 10 and, from the first source, 13.
func (l *lab) singlePositions() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M21", Kind: claim.Explanation, Setting: l.setting, RuleCommit: "5ed935d",
		StandsOn: others(onOneFit, "M21"), Trainings: trained.Trainings(l.onProcesses(figure2)),
		Test: claim.Steps[singles]{
			Measure: l.measureSingles, Judge: singles.judge, Tabulate: singles.tabulate, Draw: singles.draw,
		}.Test,
	}, map[string]any{
		"to": trained.NCtx - 1, "last": trained.NCtx, "own": ownMargin, "decay": decayMargin, "level": significant,
	})
}

// singles is the measurement of M21, by condition.
type singles []replicates[single]

// single describes the first head of one model at single positions.
type single struct {
	// own is, for each position from the first, the distance between the two sides of Eq.
	// 10, relative to the right side, averaged over tokens.
	own []float64
	// first is A(d, 1) for d = 2, 3, …
	first []float64
	// near is the median length of embeddings, relative to their OV vectors.
	near float64
}

func (l *lab) measureSingles(ctx context.Context, s *claim.Study) (singles, error) {
	return measureReplicates(ctx, l, s, []trained.Source{figure2}, measureSingle)
}

func measureSingle(m *subject) (single, error) {
	vectors, err := m.ovVectors()
	if err != nil {
		return single{}, err
	}
	p, tokens := m.patterns[0], m.HMM.Alphabet()
	near := summarise(vectors, func(v ovVector) float64 { return v.embedding.length() / v.measured.length() })
	found := single{own: make([]float64, len(vectors)/tokens), near: near.median}
	for _, v := range vectors {
		found.own[v.position-1] += v.ownError(p, m.Zeta()) / float64(tokens)
	}
	for d := 1; d < p.T; d++ {
		found.first = append(found.first, p.Mean[d*p.T])
	}
	return found, nil
}

// ownError returns the distance between the two sides of Eq. 10,
//
//	f(x_m) + A(m, m)·f(v_m) = Pr(S|z) − π,
//
// relative to the right side.
func (v ovVector) ownError(p probe.Pattern, zeta float64) float64 {
	m := v.position
	scale := toNext(p, m) / zeta // inverts Eq. 14
	correction := point{scale * v.predicted[0], scale * v.predicted[1]}
	own := p.Mean[(m-1)*p.T+m-1]
	sum := v.embedding.plus(point{own * v.measured[0], own * v.measured[1]})
	return sum.minus(correction).length() / correction.length()
}

// off returns the mean over positions of the distance between the sides of Eq. 10.
func (m single) off() float64 { return stat.Mean(m.own, nil) }

// falls returns λ in A(d, 1) = λ^(d−2)·A(2, 1), by least squares in logarithms.
func (m single) falls() float64 {
	xx, xy := 0.0, 0.0
	for lag, a := range m.first {
		xx += float64(lag * lag)
		xy += float64(lag) * math.Log(a/m.first[0])
	}
	return math.Exp(xy / xx)
}

func (m singles) judge() claim.Finding {
	var conditions []claim.Condition
	var asked []claim.Question
	for _, g := range m {
		own := g.judged(single.off, judgeOwn)
		own.Name += ", Eq. 10"
		first := g.judged(single.falls, func(found, random []single) claim.Condition {
			return judgeFirst(found, random, g.Zeta())
		})
		first.Name += ", Eq. 13 from the first source"
		conditions = append(conditions, own, first)
		asked = append(asked, askNear(g))
	}
	finding := claim.NewFinding(conditions)
	finding.Asked = asked
	return finding
}

// judgeOwn judges Eq. 10 in the models of a condition.
func judgeOwn(found, random []single) claim.Condition {
	off, control := numbers(found, single.off), mean(random, single.off)
	c := claim.Condition{
		Effect: claim.Over("distance between the sides of Eq. 10, relative to the correction", "", off).
			Beside("Eq. 10", 0).Against("random initialisation", control),
		Obtained: fmt.Sprintf("the sides of Eq. 10 differ by %s of the correction (random initialisation %.2f)",
			withInterval("%.2f", off), control),
	}
	switch side := sign(off, ownMargin); {
	case sign(off, 1) > 0:
		c.Verdict = claim.Fails
	case control <= ownMargin || side == 0:
		c.Verdict, c.Reason = claim.Open, claim.Power
	case side < 0:
		c.Verdict = claim.Holds
	default:
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c
}

// judgeFirst judges Eq. 13 for the first source in the models of a condition.
func judgeFirst(found, random []single, zeta float64) claim.Condition {
	lambdas, control := numbers(found, single.falls), mean(random, single.falls)
	c := claim.Condition{
		Effect: claim.Over("decay of attention to the first source per step", "", lambdas).Beside("ζ = 1−3x", zeta).
			Against("random initialisation", control),
		Obtained: fmt.Sprintf("λ = %s for the first source, where ζ = %.3g (random initialisation %.2f)",
			withInterval("%.3f", lambdas), zeta, control),
	}
	if sign(lambdas, 1) > 0 {
		c.Verdict = claim.Fails
	} else {
		c.Verdict, c.Reason = besideZeta(lambdas, control, zeta)
	}
	return c
}

// askNear asks whether embeddings are nearer to the origin than OV vectors.
func askNear(g replicates[single]) claim.Question {
	question := fmt.Sprintf("%s: are embeddings nearer to the origin than OV vectors (Fig. 2A)? (The laboratory's own "+
		"comparison: the paper says “close” and names no measure.)", g)
	return g.asked(question, func(q *claim.Question, found, random []single) {
		length := func(m single) float64 { return m.near }
		near := numbers(found, length)
		q.Answer = claim.AnswerIf(sign(near, 1) < 0)
		q.Obtained = "their median length is " + withInterval("%.2f", near) + " of an OV vector's"
		q.Effect = claim.Over("median length of embeddings relative to OV vectors", "", near).
			Against("random initialisation", mean(random, length))
	})
}

func (m singles) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.bySeed().Table()) }

// bySeed returns a frame with a row for each model.
func (m singles) bySeed() document.Frame {
	return seedFrame("the first head at single positions", m, []document.Column{
		{Name: "eq10_off", Heading: "sides of Eq. 10: mean distance", Format: "%.3f"},
		{Name: "eq10_off_random_init", Heading: "random init", Format: "%.3f"},
		{Heading: "at positions 1, 2", Format: "%s"},
		{Name: "first_decay", Heading: "λ of the first source", Format: "%.4f"},
		{Name: "first_decay_random_init", Heading: "random init", Format: "%.4f"},
		{Heading: "ζ", Format: "%.4f"},
		{Name: "near", Heading: "embeddings relative to OV vectors", Format: "%.2f"},
	}, func(on trained.Source, x, random single) []any {
		return []any{
			x.off(), random.off(), fmt.Sprintf("%.2f, %.2f", x.own[0], x.own[1]), x.falls(), random.falls(), on.Zeta(),
			x.near,
		}
	})
}

func (m singles) draw(out *claim.Output) {
	var panels []figure.Panel
	positions := document.Frame{Columns: document.Named("x", "alpha", "seed", "position", "eq10", "first")}
	for _, g := range trainedOnly(m) {
		own := figure.Chart{
			Title: g.String(), X: figure.Axis{Label: "position m"},
			Y:    figure.Axis{Label: "distance between the sides of Eq. 10", Include: []float64{0}},
			Refs: []figure.Ref{{Label: "margin", Value: ownMargin}},
		}
		first := figure.Chart{
			Title: g.String(), X: figure.Axis{Label: "destination d"}, Y: figure.Axis{Label: "A(d, 1)", Log: true},
		}
		for _, one := range g.Models {
			seen := figure.Series{Name: fmt.Sprintf("seed %d", one.Seed)}
			attended := seen
			for i, off := range one.Found.own {
				seen.Add(float64(i+1), off)
				attended.Add(float64(i+2), one.Found.first[i])
				positions.Row(g.X, g.A, one.Seed, i+1, off, one.Found.first[i])
			}
			own.Series = append(own.Series, seen)
			first.Series = append(first.Series, attended)
		}
		predicted := figure.Series{Name: "Eq. 13 from A(2, 1) of the first seed", Open: true}
		for i := range g.Models[0].Found.first {
			predicted.Add(float64(i+2), g.Models[0].Found.first[0]*math.Pow(g.Zeta(), float64(i)))
		}
		first.Series = append(first.Series, predicted)
		panels = append(panels, own, first)
	}
	out.Figure("positions", figure.Grid(2, "The first head at single positions", "Lines by seed: the distance between "+
		"the sides of Eq. 10 by position, and attention to the first source by destination.", panels...))
	out.CSV("positions", positions)
	out.CSV("singles", m.bySeed())
}
