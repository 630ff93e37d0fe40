package signals

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

func (m windowed) judge() claim.Finding {
	found := claim.NewFinding([]claim.Condition{
		m.impossible(), m.byHeart(), m.ofTransformers(), m.againstComfortable(), m.barely(), m.onePeriod(),
		m.needsPeriod(),
	})
	found.Asked = []claim.Question{m.jump(), m.byLoss()}
	return found
}

// above returns the verdict on the lecture's sentence that prediction is impossible if
// the window does not contain x[n−25]. The arguments are an accuracy that was reached
// from such windows, and its standard error.
func above(share, se float64) (claim.Verdict, claim.Reason) {
	switch {
	case share-inErrors*se > printedGPT:
		return claim.Corrected, ""
	case share+inErrors*se <= printedGPT:
		return claim.Holds, ""
	}
	return claim.Open, claim.Power
}

// impossible judges the lecture's statement that prediction from 25 tokens is impossible,
// by a forecaster that does not know the recording.
func (m windowed) impossible() claim.Condition {
	share, se := m.unseen[lookBack].accuracy()
	c := claim.Condition{
		Name: fmt.Sprintf("Mackey–Glass, K = %d, unseen recording", lookBack), Converged: true,
		Obtained: fmt.Sprintf("the forecaster predicts %.1f ± %.1f %% from %d tokens and %.1f %% from two, by "+
			"counting which tokens followed them in %s points of another recording",
			100*share, 100*inErrors*se, lookBack, 100*m.accuracy(2), millions(m.points)),
		Effect: claim.Measured(fmt.Sprintf("accuracy from %d tokens of an unseen recording", lookBack), "", share, se).
			Beside("GPT with 64 tokens, “Main Results”", printedGPT).Against("the last token alone", m.accuracy(1)),
	}
	c.Verdict, c.Reason = above(share, se)
	return c
}

// accuracy returns the forecaster's accuracy from k tokens of the unseen recording.
func (m forecast) accuracy(k int) float64 {
	share, _ := m.unseen[k].accuracy()
	return share
}

func millions(points int) string { return fmt.Sprintf("%g million", float64(points)/1e6) }

// byHeart judges the same statement as [windowed.impossible], by an observer that has
// memorised the recording, as a model may have that was trained on all of it.
func (m windowed) byHeart() claim.Condition {
	c := claim.Condition{
		Name: fmt.Sprintf("Mackey–Glass, K = %d, memorised recording", lookBack), Converged: true,
		Obtained: fmt.Sprintf("the ceiling on a recording of 10,000 points is %.2f %% from %d tokens, and %.2f %% "+
			"from 9 tokens",
			100*m.heart[lookBack], lookBack, 100*m.heart[9]),
	}
	c.Verdict, c.Reason = above(m.heart[lookBack], 0)
	return c
}

// onePeriod judges the condition that the sine's models predict it from one period.
func (m windowed) onePeriod() claim.Condition {
	all := 0
	for _, share := range m.period {
		if share == 1 {
			all++
		}
	}
	return stated("sine, K = 16, L = H = 1", all == len(m.period),
		"%d of %d seeds predict every phase", all, len(m.period))
}

// enough returns the least number of tokens after which the sine is certain.
func (m windowed) enough() int {
	k := 0
	for m.sine[k] < 1 {
		k++
	}
	return k
}

// needsPeriod judges the condition on the lecture's “need one full period”: fewer tokens
// do not make the next token certain.
func (m windowed) needsPeriod() claim.Condition {
	c := stated("sine, K ≥ 16 needed", m.enough() >= len(period), "%d tokens make the next token certain", m.enough())
	if c.Verdict == claim.Fails {
		c.Verdict = claim.Corrected
	}
	return c
}

// jump answers the question of how much the token x[n−25] adds to the accuracy.
func (m windowed) jump() claim.Question {
	more, se := m.unseen[lookBack].gain(m.unseen[lookBack+1])
	before, _ := m.unseen[lookBack-1].gain(m.unseen[lookBack])
	all := m.accuracy(lookBack+1) - m.accuracy(1)
	return claim.Question{
		Question: fmt.Sprintf("Of the accuracy that %[2]d tokens add to the accuracy from the last token alone, is "+
			"more than half due to the token x[n − %[1]d]? (The laboratory's own question, on the unseen recording)",
			lookBack, lookBack+1),
		Answer: claim.AnswerIf(more > all/2),
		Obtained: fmt.Sprintf("x[n − %d] gives %.1f ± %.1f of the %.1f points, x[n − %d] gives %.1f; from x[n] and "+
			"x[n − %d] alone, the accuracy is %.1f %%",
			lookBack, 100*more, 100*inErrors*se, 100*all, lookBack-1, 100*before, lookBack, 100*m.pairShare()),
	}
}

// byLoss answers the question of whether 25 tokens have less loss than the two that the
// recurrence uses, by the counts with the larger weight of shorter contexts.
func (m windowed) byLoss() claim.Question {
	best := 1
	for k := range m.unseen {
		if m.unseen[k].loss < m.unseen[best].loss {
			best = k
		}
	}
	return claim.Question{
		Question: fmt.Sprintf("By loss, do the last %[1]d tokens predict better than x[n] and x[n − %[1]d] alone? "+
			"(The laboratory's own question, by counts in which a context's prediction from one token fewer has the "+
			"weight of %[2]d observations)", lookBack, smoothWeight),
		Answer: claim.AnswerIf(m.smooth[lookBack].loss < m.pair.loss),
		Obtained: fmt.Sprintf("%.3f nats and %.3f; with the weight of one observation, as for the accuracies, the "+
			"loss is least from %d tokens, %.3f, and %.3f from %d. The least possible loss does not rise with K: the "+
			"rise is a flaw of counts of contexts that seldom occur",
			m.smooth[lookBack].loss, m.pair.loss, best, m.unseen[best].loss, m.unseen[lookBack].loss, lookBack),
	}
}

func (m forecast) pairShare() float64 {
	share, _ := m.pair.accuracy()
	return share
}

// tabulatedTokens are the context lengths in the table.
var tabulatedTokens = []int{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 25, 26, 27, 28, 32, 40}

func (m windowed) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "accuracy on Mackey–Glass from K tokens, in per cent",
		Columns: []document.Column{
			{Heading: "K"},
			{Heading: "unseen recording", Format: "%.1f"},
			{Heading: "±", Format: "%.1f"},
			{Heading: "loss there (nats)", Format: "%.3f"},
			{Heading: fmt.Sprintf("loss, weight %d", smoothWeight), Format: "%.3f"},
			{Heading: "windows whose K tokens occur in the forecaster's recording", Format: "%.1f"},
			{Heading: "memorised, 10,000 points", Format: "%.1f"},
			{Heading: "transformer", Format: "%.1f"},
		},
	}
	for _, k := range tabulatedTokens {
		share, se := m.unseen[k].accuracy()
		f.Row(k, 100*share, 100*inErrors*se, m.unseen[k].loss, m.smooth[k].loss, 100*m.unseen[k].known,
			100*m.heart[k], m.transformer(k))
	}
	f.Row("x[n], x[n − 25]", 100*m.pairShare(), "", m.pair.loss, "", "", "", "")
	if share := m.transformer(64); share != "–" {
		f.Row(64, "", "", "", "", "", 100*m.heart[64], share)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m windowed) draw(out *claim.Output) {
	x := count(longestWindow + 1)[1:]
	chart := figure.Chart{
		Title: "Mackey–Glass",
		X:     figure.Axis{Label: "tokens K"}, Y: figure.Axis{Label: "accuracy", Include: []float64{0, 1}},
		Refs: []figure.Ref{
			{Label: "printed, K = 64", Value: printedGPT}, {Label: "x[n − 25]", Value: lookBack + 1, Vertical: true},
		},
		Series: []figure.Series{
			{Name: "unseen recording", X: x, Color: 1},
			{Name: "memorised", X: x, Y: m.heart[1 : longestWindow+1], Color: 2, Open: true},
		},
	}
	unseen := &chart.Series[0]
	f := document.Frame{Columns: document.Named("tokens", "accuracy", "se", "loss", "smooth", "known", "by_heart")}
	for k := 1; k <= longestWindow; k++ {
		share, se := m.unseen[k].accuracy()
		unseen.Y = append(unseen.Y, share)
		f.Row(k, share, se, m.unseen[k].loss, m.smooth[k].loss, m.unseen[k].known, m.heart[k])
	}
	if len(m.trained) > 0 {
		chart.Series = append(chart.Series, m.drawTrained())
	}
	out.Figure("windows", figure.Single("Accuracy by context",
		"Both curves rise before the vertical line and pass it smoothly.", chart))
	out.CSV("windows", f)
}

func (m windowed) drawTrained() figure.Series {
	s := figure.Series{Name: "transformer, unseen", Color: 3, Style: figure.Scatter}
	for _, t := range m.trained {
		if t.tokens <= longestWindow {
			share, _ := t.accuracy()
			s.Add(float64(t.tokens), share)
		}
	}
	return s
}
