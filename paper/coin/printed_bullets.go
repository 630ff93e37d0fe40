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
	return claim.Row{
		ID: "C2", Kind: claim.Number, Source: cite + "Eq. 14–15 and the bullets after them",
		Quote: "“N is encoded in the e_N component from p_N. H/(N+1) is encoded in the e_H component. T/(N+1) is " +
			"encoded in the e_T component.” (Sec. 5) “H_scaled = resid_midᵀe_H ⟹ H = H_scaled · (N_extracted + 1)” " +
			"(Sec. 6; " + derived + ").",
		Statement: "After attention, the residual stream has the component N on e_N, H/(N+1) on e_H and T/(N+1) on " +
			"e_T.",
		Expected: fmt.Sprintf("the statement in each bullet holds within %s after every sequence of up to %d flips; "+
			"corrected if a bullet does not hold but Eq. 15, which includes the last token's own embedding, does",
			numerals.Scientific(equal), everyFlips),
		RuleCommit: "079810e", ChangedAfterResult: true,
		Test: claim.Steps[bullets]{
			Measure: measureBullets, Judge: bullets.judge, Tabulate: bullets.tabulate, Draw: bullets.draw,
		}.Test,
	}
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
	found.Effect = claim.Exactly("largest error of a bullet", "", worst)
	switch {
	case failing == 0:
		found.Verdict, found.Obtained = claim.Holds, "each bullet holds"
	case corrected:
		found.Verdict = claim.Corrected
		found.Obtained = fmt.Sprintf("%d of the three bullets omit the last token's own embedding, which Eq. 15 "+
			"includes: e_H carries H/(N+1) + [t_N = heads], e_T carries T/(N+1) + [t_N = tails]. After “BOS, heads”, "+
			"e_H carries 3/2 instead of 1/2", failing)
	default:
		found.Verdict, found.Obtained = claim.Fails, "neither the bullets nor Eq. 15 describe the residual stream"
	}
	return found
}

// condition returns the verdict on one bullet.
func (b bullet) condition() claim.Condition {
	c := claim.Condition{
		Name: b.text, Verdict: claim.Fails, Obtained: fmt.Sprintf("largest error %.2g", b.worst),
		Converged: true, Effect: claim.Exactly("largest error", "", b.worst),
	}
	switch {
	case b.worst <= equal:
		c.Verdict = claim.Holds
	case b.corrected <= equal:
		c.Verdict = claim.Corrected
		c.Obtained += fmt.Sprintf(", and %.1e with the last token's own embedding", b.corrected)
	}
	return c
}

func (m bullets) tabulate(c *claim.Claim) {
	table := document.Table{
		Title: fmt.Sprintf("the bullets, over all positions of all sequences of %d flips", everyFlips),
		Columns: []string{
			"bullet", "positions where it is wrong", "largest error",
			"largest error with the last token's own embedding",
		},
	}
	for _, b := range m.list {
		table.Rows = append(table.Rows, []string{
			b.text, fmt.Sprintf("%d of %d", b.wrong, m.positions),
			fmt.Sprintf("%.2g", b.worst), fmt.Sprintf("%.1e", b.corrected),
		})
	}
	c.Tables = append(c.Tables, table, misprintsToSection6())
	c.Notes = append(c.Notes, "Sec. 6 takes H = H_scaled·(N+1) from the second bullet: after “BOS, heads” this gives "+
		"3 heads instead of 1. For the bullet to hold, the head would have to write to a direction that no embedding "+
		"uses.")
}

func misprintsToSection6() document.Table {
	return claim.Errata("other misprints up to Sec. 6 (each has a test in craft/coin_printed_test.go)",
		[]string{"Eq. 8", "[e_T e_H]ᵀW'_V", "[e_T e_H]W'_V", "the shapes; the matrix itself is right"},
		[]string{"before Eq. 12", "W_Oᵀz", "W_O·z", "the shapes; Eq. 13 then holds (C1)"},
		[]string{
			"Sec. 6", "mlp_out = l·(e_H − e_T)", "½·l·(e_H − e_T)",
			"the logits differ by 2l, and the odds are ((1+H)/(1+T))²",
		},
		[]string{
			"Sec. 6", "W_U = W_Eᵀ reads mlp_out alone", "it also reads resid_mid on e_H and e_T",
			"after “BOS, heads” the log-odds are 2·log 2 + 3/2 instead of log 2",
		},
		[]string{
			"Sec. 6", "two outcomes", "BOS keeps the logit 0, so its probability is not 0",
			"after “BOS, heads” it is 1/(1 + exp(3/2 + log 2) + 1/2)",
		},
		[]string{"Sec. 6", "by a factor", "by an amount", "logits are compared by their difference"})
}

func (m bullets) draw(out *claim.Output) {
	out.Captioned("bullets", "The residual stream after attention along one sequence of 12 flips, on e_H and e_T: "+
		"measured (marks), according to the bullets (dashed), and according to Eq. 15 (solid), which adds 1 on the "+
		"direction of the last token.",
		m.figure())
	var rows [][]float64
	for _, s := range m.shown {
		rows = append(rows, []float64{s.flips, s.measured[0], s.stated[0], s.eq15[0], s.measured[1], s.stated[1], s.eq15[1]})
	}
	out.CSV("bullets", document.Numbers([]string{
		"flips", "on_heads", "bullet_heads", "eq15_heads", "on_tails", "bullet_tails", "eq15_tails",
	}, rows))
}

func (m bullets) figure() *figure.Figure {
	var panels []figure.Panel
	for k, name := range []string{"on e_H", "on e_T"} {
		there := figure.Series{Name: "measured", Color: 1, Dots: true}
		stated := figure.Series{Name: "bullet", Color: 2, Open: true}
		equation := figure.Series{Name: "Eq. 15", Color: 3}
		for _, s := range m.shown {
			there.X = append(there.X, s.flips)
			there.Y = append(there.Y, s.measured[k])
			stated.X = append(stated.X, s.flips)
			stated.Y = append(stated.Y, s.stated[k])
			equation.X = append(equation.X, s.flips)
			equation.Y = append(equation.Y, s.eq15[k])
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
