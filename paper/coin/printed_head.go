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

// The sequences of C1: all sequences of everyFlips flips, and longSequences sampled
// sequences of longFlips flips, the largest number that fits the context.
const (
	everyFlips    = 12
	longFlips     = 1023
	longSequences = 20
)

// printedHead is C1: Gemini 2025, Eq. 3–13.
func printedHead() claim.Row {
	return texts.Fill(claim.Row{
		ID: "C1", Kind: claim.Identity, RuleCommit: "079810e", ChangedAfterResult: true,
		First: claim.FirstBy("205eab8", headOutput.judge),
		Test:  claim.Steps[headOutput]{Measure: measureHead, Judge: headOutput.judge, Draw: headOutput.draw}.Test,
	}, map[string]any{
		"equal": numerals.Scientific(equal), "flips": everyFlips, "sequences": longSequences, "longest": longFlips,
	})
}

// headOutput compares the output of the printed head with Eq. 13.
type headOutput struct {
	positions int
	worst     float64     // largest difference from Eq. 13
	shown     []headState // along the first long sequence
}

// headState holds the components of the head's output on e_H and e_T after a number of
// flips: measured, and according to Eq. 13.
type headState struct {
	flips, heads float64
	out, eq13    [2]float64
}

func measureHead(context.Context, *claim.Study) (headOutput, error) {
	var m headOutput
	const hook = "blocks.0.hook_attn_out"
	err := eachPosition(longFlips+1, hook, sampledSequences(longFlips, longSequences), m.check)
	if err != nil {
		return m, err
	}
	return m, eachPosition(longFlips+1, hook, everySequence(everyFlips), m.check)
}

// check compares the head's output with Eq. 13.
func (m *headOutput) check(at position, out []float64) {
	n := at.flips() + 1
	want := [printedWidth]float64{onTails: float64(at.tails) / n, onHeads: float64(at.heads) / n}
	for k, x := range out {
		m.worst = max(m.worst, math.Abs(x-want[k]))
	}
	if len(m.shown) <= longFlips {
		m.shown = append(m.shown, headState{
			flips: at.flips(), heads: float64(at.heads),
			out: [2]float64{out[onHeads], out[onTails]}, eq13: [2]float64{want[onHeads], want[onTails]},
		})
	}
	m.positions++
}

func (m headOutput) judge() claim.Finding {
	return claim.Finding{
		Verdict:  asPrinted(m.worst <= equal, false),
		Obtained: fmt.Sprintf("largest difference %.1e over %d positions", m.worst, m.positions),
		Effect:   claim.Exactly("largest difference from Eq. 13", "", m.worst),
	}
}

func (m headOutput) draw(out *claim.Output) {
	out.Figure("head", m.figure())
	f := document.Frame{
		Columns: document.Named("flips", "heads", "out_heads", "out_tails", "eq13_heads", "eq13_tails"),
	}
	for _, s := range m.shown {
		f.Row(s.flips, s.heads, s.out[0], s.out[1], s.eq13[0], s.eq13[1])
	}
	out.CSV("head", f)
}

// figure draws the curves of Eq. 13, with measured marks at positions that grow by a
// factor of 1.2.
func (m headOutput) figure() *figure.Figure {
	chart := figure.Chart{X: figure.Axis{Label: "flips + 1", Log: true}, Y: figure.Axis{Label: "head's output"}}
	for k, name := range []string{"e_H", "e_T"} {
		measured := figure.Series{Name: "on " + name, Color: k + 1, Style: figure.Scatter}
		stated := figure.Series{Name: "Eq. 13", Color: k + 1, Open: true}
		for at := 1.0; at <= float64(len(m.shown)); at *= 1.2 {
			s := m.shown[int(at)-1]
			measured.Add(s.flips+1, s.out[k])
		}
		for _, s := range m.shown {
			stated.Add(s.flips+1, s.eq13[k])
		}
		chart.Series = append(chart.Series, measured, stated)
	}
	return figure.Single("The printed head counts",
		"Two curves against the number of flips, with marks on them. They begin at 0 and settle near one half.", chart)
}
