package abc

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/walk"
)

// The vectors on the first pages of Virgilio 2025: the token embeddings W_A, W_B and W_C;
// the position embeddings W_0, W_1 and W_2; and their sums C_0, C_1 and C_2.
var (
	printedTokens    = [3][2]float64{{1.1988, 1.3633}, {-1.8032, -0.7401}, {-1.0425, 1.4757}}
	printedPositions = [3][2]float64{{-0.3160, 0.9374}, {-0.4459, 1.2218}, {-0.2666, 0.9128}}
	printedTotals    = [3][2]float64{{0.8829, 2.3007}, {-2.2491, 0.4816}, {-1.3090, 2.3885}}
)

// lastDigit is the largest difference that the rule of claim A3 accepts: one unit in the
// last printed digit, plus a margin for rounding.
const lastDigit = 1.05e-4

// printedSums returns claim A3, on the sums of printed embeddings.
func printedSums() claim.Row {
	return texts.Fill(claim.Row{
		ID: "A3", Kind: claim.Number, Severity: claim.Cosmetic, RuleCommit: "62f1199", ChangedAfterResult: true,
		First: claim.FirstBy("dc0c8f0", sums.judge),
		Test: claim.Steps[sums]{
			Measure: func(context.Context, *claim.Study) (sums, error) { return addPrinted(), nil },
			Judge:   sums.judge, Tabulate: sums.tabulate, Draw: sums.draw,
		}.Test,
	}, nil)
}

// sums is the measurement of A3.
type sums struct {
	totals    [3][2]float64 // W_A + W_0, W_B + W_1 and W_C + W_2
	worst     float64       // largest difference between a coordinate of totals and the printed sum
	asWritten float64       // difference between W_C + W_1 and the printed C_2
	misprints int           // number in the whole document
}

func addPrinted() sums {
	m := sums{
		asWritten: farther(add(printedTokens[2], printedPositions[1]), printedTotals[2]),
		misprints: len(walk.ABCErrata),
	}
	for i := range m.totals {
		m.totals[i] = add(printedTokens[i], printedPositions[i])
		m.worst = max(m.worst, farther(m.totals[i], printedTotals[i]))
	}
	return m
}

func add(a, b [2]float64) [2]float64 { return [2]float64{a[0] + b[0], a[1] + b[1]} }

// farther returns the difference between two vectors in the coordinate where they differ
// most.
func farther(a, b [2]float64) float64 { return max(math.Abs(b[0]-a[0]), math.Abs(b[1]-a[1])) }

func (m sums) judge() claim.Finding {
	found := claim.Finding{
		Verdict: claim.Holds, Obtained: "every printed number agrees",
		Effect: claim.Exactly("difference of W_C + W_1 from the printed C_2", "", m.asWritten).
			Against("largest difference of W_A + W_0, W_B + W_1 and W_C + W_2 from the printed sums", m.worst),
	}
	switch {
	case m.worst > lastDigit:
		found.Verdict = claim.Fails
		found.Obtained = fmt.Sprintf("a sum differs from the printed sum by %.4f", m.worst)
	case m.asWritten > lastDigit:
		found.Verdict = claim.Corrected
		found.Obtained = fmt.Sprintf("C_0, C_1 and C_2 agree with the printed terms to one unit in the last digit, "+
			"if C_2 is W_C + W_2; as written, W_C + W_1, it would be off by %.2f. The document has %d misprints in "+
			"all",
			m.asWritten, m.misprints)
	}
	return found
}

func (m sums) tabulate(c *claim.Claim) {
	var misprints [][]string
	for _, e := range walk.ABCErrata {
		misprints = append(misprints, []string{e.Where, e.Printed, e.True, e.Check})
	}
	c.Tables = append(c.Tables, m.frame().Table(), claim.Errata("misprints", misprints...))
}

func (m sums) frame() document.Frame {
	f := document.Frame{
		Title: "sums of the printed embeddings, and the printed sums",
		Columns: []document.Column{
			{Name: "context", Heading: "context vector", Codes: []string{"C_0", "C_1", "C_2"}},
			{Heading: "W + W_position"},
			{Name: "sum_x1"},
			{Name: "sum_x2"},
			{Heading: "printed"},
			{Name: "printed_x1"},
			{Name: "printed_x2"},
			{Heading: "difference"},
		},
	}
	for i, x := range m.totals {
		printed := printedTotals[i]
		f.Row(i, fmt.Sprintf("(%.4f, %.4f)", x[0], x[1]), x[0], x[1],
			fmt.Sprintf("(%.4f, %.4f)", printed[0], printed[1]), printed[0], printed[1],
			fmt.Sprintf("(%+.4f, %+.4f)", printed[0]-x[0], printed[1]-x[1]))
	}
	return f
}

func (m sums) draw(out *claim.Output) {
	out.Figure("sums", sumsFigure())
	out.CSV("sums", m.frame())
}

// sumsFigure draws each sum as two arrows head to tail, and the misprinted sum as well.
func sumsFigure() *figure.Figure {
	plane := figure.Plane{X: "x₁", Y: "x₂"}
	for i, token := range printedTokens {
		total := figure.Points{
			Name: "C_" + strconv.Itoa(i) + " as printed", X: printedTotals[i][:1], Y: printedTotals[i][1:],
			Color: i + 1, Open: true, Radius: []float64{4},
		}
		first := arrow([2]float64{}, token, i+1)
		first.Name = names[i] + ": token, then position"
		plane.Layers = append(plane.Layers, first, arrow(token, printedPositions[i], i+1), total)
	}
	misprint := arrow(printedTokens[2], printedPositions[1], 3)
	misprint.Name, misprint.Open = "W_C + W_1", true
	plane.Layers = append(plane.Layers, misprint)
	return figure.Single("The printed embeddings add up to the printed sums",
		"Three pairs of arrows, each ending in a hollow mark, and a dashed arrow that misses the third mark.", plane)
}

// arrow returns the arrow that starts at a point and shows a given vector.
func arrow(from, by [2]float64, color int) figure.Arrows {
	to := add(from, by)
	return figure.Arrows{Color: color, FromX: from[:1], FromY: from[1:], X: to[:1], Y: to[1:]}
}
