package coin

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
)

// shownSequence is the number of the sequence that the figure of C2 shows, in the order
// of [everySequence].
const shownSequence = 0b101100111010

// printedBullets is C2: Gemini 2025, Eq. 14–15.
func printedBullets() claim.Row {
	return texts.Fill(claim.Row{
		ID: "C2", Kind: claim.Number, Severity: claim.Local, RuleCommit: "079810e", ChangedAfterResult: true,
		First: claim.FirstBy("205eab8", bullets.judge),
		Test: claim.Steps[bullets]{
			Measure: measureBullets, Judge: bullets.judge, Tabulate: bullets.tabulate, Draw: bullets.draw,
		}.Test,
	}, map[string]any{"equal": numerals.Scientific(equal), "flips": everyFlips})
}

// bullets holds the document's three bulleted statements about the residual stream.
type bullets struct {
	positions int
	list      []bullet      // about e_N, e_H and e_T
	shown     []streamState // along shownSequence
}

// bullet is a statement about the residual stream's component along a direction.
type bullet struct {
	text      string
	direction int
	wrong     int     // positions where it is wrong
	worst     float64 // largest error of the statement as printed
	corrected float64 // largest error of Eq. 15, with the last token's own embedding
}

// streamState holds the components on e_H and e_T after a number of flips: measured,
// according to the bullets, and according to Eq. 15.
type streamState struct {
	flips                  float64
	measured, stated, eq15 [2]float64
}

func measureBullets(context.Context, *claim.Study) (bullets, error) {
	m := bullets{list: []bullet{
		{text: "e_N carries N", direction: onPosition},
		{text: "e_H carries H/(N+1)", direction: onHeads},
		{text: "e_T carries T/(N+1)", direction: onTails},
	}}
	return m, eachPosition(everyFlips+1, "blocks.0.hook_resid_mid", everySequence(everyFlips), m.check)
}

// check compares the residual stream with the bullets and with Eq. 15.
func (m *bullets) check(at position, row []float64) {
	n := at.flips()
	stated := [3]float64{n, float64(at.heads) / (n + 1), float64(at.tails) / (n + 1)}
	var own [3]float64 // the last token's embedding on e_N, e_H and e_T; zero after BOS
	if n > 0 {
		own[2-int(at.last)] = 1 // tails is token 0, heads 1
	}
	for k := range m.list {
		m.list[k].check(row, stated[k], own[k])
	}
	if m.positions/(everyFlips+1) == shownSequence {
		m.shown = append(m.shown, streamState{
			flips: n, measured: [2]float64{row[onHeads], row[onTails]}, stated: [2]float64{stated[1], stated[2]},
			eq15: [2]float64{stated[1] + own[1], stated[2] + own[2]},
		})
	}
	m.positions++
}

// check compares the measured component with the statement as printed, and with the
// statement plus the last token's own embedding.
func (b *bullet) check(row []float64, stated, own float64) {
	e := math.Abs(row[b.direction] - stated)
	b.worst, b.corrected = max(b.worst, e), max(b.corrected, math.Abs(row[b.direction]-stated-own))
	if e > equal {
		b.wrong++
	}
}

func (m bullets) judge() claim.Finding {
	found, failing, corrected, worst := claim.Finding{}, 0, true, 0.0
	for _, b := range m.list {
		if b.worst > equal {
			failing++
		}
		corrected, worst = corrected && b.corrected <= equal, max(worst, b.worst)
		found.Conditions = append(found.Conditions, b.condition())
	}
	found.Verdict = asPrinted(failing == 0, corrected)
	found.Effect = claim.Exactly("largest error of a bullet", "", worst)
	switch found.Verdict {
	case claim.Holds:
		found.Obtained = "each bullet holds"
	case claim.Corrected:
		found.Obtained = fmt.Sprintf("%d of the three bullets omit the last token's own embedding, which Eq. 15 "+
			"includes: e_H carries H/(N+1) + [t_N = heads], e_T carries T/(N+1) + [t_N = tails]. After “BOS, heads”, "+
			"e_H carries 3/2 instead of 1/2", failing)
	default:
		found.Obtained = "neither the bullets nor Eq. 15 describe the residual stream"
	}
	return found
}

// condition returns the verdict on one bullet.
func (b bullet) condition() claim.Condition {
	c := claim.Condition{
		Name: b.text, Verdict: asPrinted(b.worst <= equal, b.corrected <= equal), Converged: true,
		Obtained: fmt.Sprintf("largest error %.2g", b.worst), Effect: claim.Exactly("largest error", "", b.worst),
	}
	if c.Verdict == claim.Corrected {
		c.Obtained += fmt.Sprintf(", and %.1e with the last token's own embedding", b.corrected)
	}
	return c
}

func (m bullets) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: fmt.Sprintf("the bullets, over all positions of all sequences of %d flips", everyFlips),
		Columns: []document.Column{
			{Heading: "bullet"},
			{Heading: "positions where it is wrong"},
			{Heading: "largest error", Format: "%.2g"},
			{Heading: "largest error with the last token's own embedding", Format: "%.1e"},
		},
	}
	for _, b := range m.list {
		f.Row(b.text, fmt.Sprintf("%d of %d", b.wrong, m.positions), b.worst, b.corrected)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m bullets) draw(out *claim.Output) {
	out.Figure("bullets", m.figure())
	f := document.Frame{Columns: document.Named(
		"flips", "on_heads", "bullet_heads", "eq15_heads", "on_tails", "bullet_tails", "eq15_tails",
	)}
	for _, s := range m.shown {
		f.Row(s.flips, s.measured[0], s.stated[0], s.eq15[0], s.measured[1], s.stated[1], s.eq15[1])
	}
	out.CSV("bullets", f)
}

func (m bullets) figure() *figure.Figure {
	var panels []figure.Panel
	for k, name := range []string{"on e_H", "on e_T"} {
		there := figure.Series{Name: "measured", Color: 1, Style: figure.Scatter}
		stated := figure.Series{Name: "bullet", Color: 2, Open: true}
		equation := figure.Series{Name: "Eq. 15", Color: 3}
		for _, s := range m.shown {
			there.Add(s.flips, s.measured[k])
			stated.Add(s.flips, s.stated[k])
			equation.Add(s.flips, s.eq15[k])
		}
		panels = append(panels, figure.Chart{
			Title: name, X: figure.Axis{Label: "flips"}, Y: figure.Axis{Label: "residual stream"},
			Series: []figure.Series{there, stated, equation},
		})
	}
	return figure.Row("What the bullets omit",
		"Two charts over twelve flips. The marks jump by one wherever the last flip is the one that the direction "+
			"represents; the dashed line does not.",
		panels...)
}
