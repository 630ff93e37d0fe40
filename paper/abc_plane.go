package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"foretell/figure"
)

// printedOut is A_out of seed 002, (3,2): a row a token; printedProduct is the same as
// the product below it prints it, with 1.2405 for the 1.2045 of the second row.
var (
	printedOut     = [3][2]float64{{-0.5150, 1.2707}, {1.1767, 1.2045}, {-0.3778, -0.6578}}
	printedProduct = [3][2]float64{{-0.5150, 1.2707}, {1.1767, 1.2405}, {-0.3778, -0.6578}}
)

// printedDirections are the directions that the seed names for A, B and C.
var printedDirections = [3][2]float64{{-1, 2.5}, {1, 1}, {-1, 1.75}}

var abcNames = [3]string{"A", "B", "C"}

// testWinningDirections is A4.
func testWinningDirections(s *Study, c *Claim) error {
	table := Table{Title: "logits A_out·x at the directions of the text", Columns: []string{"direction", "logit of A", "of B", "of C", "the text says", "the greatest is"}}
	var wrong []int
	var rows [][]float64
	for z, x := range printedDirections {
		logits := apply(printedOut, x)
		best := winner(logits)
		if best != z {
			wrong = append(wrong, z)
		}
		table.Rows = append(table.Rows, []string{
			along(x), fmt.Sprintf("%.4f t", logits[0]), fmt.Sprintf("%.4f t", logits[1]), fmt.Sprintf("%.4f t", logits[2]), abcNames[z], abcNames[best],
		})
		rows = append(rows, []float64{x[0], x[1], logits[0], logits[1], logits[2], float64(z), float64(best)})
	}
	c.Tables = append(c.Tables, table)
	borders := edges(printedOut)
	switch {
	case len(wrong) == 0:
		c.Verdict, c.Obtained = Holds, "each of the three directions lies in its token's region"
	default:
		c.Verdict = Corrected
		for _, z := range wrong {
			mirrored := [2]float64{printedDirections[z][0], -printedDirections[z][1]}
			c.Obtained += fmt.Sprintf("%s predicts %s, not %s; ", along(printedDirections[z]), table.Rows[z][5], abcNames[z])
			if winner(apply(printedOut, mirrored)) == z {
				c.Obtained += fmt.Sprintf("%s, with the sign of the second component turned, predicts %s; ", along(mirrored), abcNames[z])
			}
		}
		c.Obtained += fmt.Sprintf("%s wins between %.0f° and %.0f°", abcNames[2], borders[2][0], borders[2][1])
	}
	misprint := "Each direction has the same winner with either."
	for z, x := range printedDirections {
		if winner(apply(printedProduct, x)) != winner(apply(printedOut, x)) {
			misprint = fmt.Sprintf("With the other number %s predicts %s.", along(printedDirections[z]), abcNames[winner(apply(printedProduct, x))])
		}
	}
	c.Notes = append(c.Notes,
		"Printed: A_out has 1.2045 in its second row, the product below it 1.2405. "+misprint,
		"The text calls the products logits, “log probabilities”: logits are log probabilities up to a constant that all tokens of a position share.")
	own, err := runABC(1234)
	if err != nil {
		return err
	}
	path, err := own.path()
	if err != nil {
		return err
	}
	var ownOut [3][2]float64
	w := own.model.Weights.Get("unembed.W_U").Data
	bias := own.model.Weights.Get("unembed.b_U").Data
	for z := range 3 {
		ownOut[z] = [2]float64{float64(w[z]), float64(w[3+z])}
	}
	printed := regionsPlane("printed: the text's arrows", printedOut, [3]float64{}, 3)
	rowsPlane := regionsPlane("printed: rows of A_out", printedOut, [3]float64{}, 3)
	for z, x := range printedDirections {
		printed.Layers = append(printed.Layers, figure.Arrows{X: x[:1], Y: x[1:], Color: z + 1, Open: winner(apply(printedOut, x)) != z})
		rowsPlane.Layers = append(rowsPlane.Layers, figure.Arrows{X: printedOut[z][:1], Y: printedOut[z][1:], Color: z + 1})
	}
	reach := 0.0
	for _, p := range path {
		for i := range p.x {
			reach = max(reach, math.Abs(p.x[i]), math.Abs(p.y[i]))
		}
	}
	trained := regionsPlane("ours, seed 1234", ownOut, [3]float64{float64(bias[0]), float64(bias[1]), float64(bias[2])}, 1.15*reach)
	for z, p := range path {
		trained.Layers = append(trained.Layers, figure.Arrows{FromX: p.x[:1], FromY: p.y[:1], X: p.x[1:], Y: p.y[1:], Color: (z+1)%3 + 1})
	}
	err = s.addFigure(c, "plane", "Where each token wins: dots coloured by the token with the greatest logit. Left, the printed A_out with the three directions of the text; a dashed one lies in another token's region. "+
		"Middle, the rows of A_out, which are the unembedding vectors. Right, a model that we trained: for the contexts A, AB and ABC the path of the last position through the layer, from embedding and position to what attention makes of it.",
		&figure.Figure{
			Title:  "Regions of the plane where A, B and C win",
			Desc:   "Three planes, each cut into three sectors, with three arrows each: from the origin in the first two, paths through the layer in the third.",
			Panels: [][]figure.Panel{{printed, rowsPlane, trained}},
		})
	if err != nil {
		return err
	}
	return s.addCSV(c, "directions", []string{"x1", "x2", "logit_a", "logit_b", "logit_c", "stated", "winner"}, rows)
}

// along writes a direction as the text does.
func along(x [2]float64) string {
	part := func(v float64) string {
		text := strings.TrimPrefix(strconv.FormatFloat(math.Abs(v), 'g', -1, 64)+"t", "1t")
		if text == "" {
			text = "t"
		}
		if v < 0 {
			text = "−" + text
		}
		return text
	}
	return "(" + part(x[0]) + ", " + part(x[1]) + ")"
}

// apply returns A_out·x.
func apply(out [3][2]float64, x [2]float64) []float64 {
	logits := make([]float64, 3)
	for z, row := range out {
		logits[z] = row[0]*x[0] + row[1]*x[1]
	}
	return logits
}

// edges returns the angles, in degrees, between which each token's logit is the
// greatest, to a degree.
func edges(out [3][2]float64) [3][2]float64 {
	at := func(degrees int) int {
		sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
		return winner(apply(out, [2]float64{cos, sin}))
	}
	var list [3][2]float64
	for degrees := range 360 {
		before, now := at(degrees-1), at(degrees)
		if before != now {
			list[before][1], list[now][0] = float64(degrees), float64(degrees)
		}
	}
	return list
}

// regionsPlane colours a grid by the token with the greatest logit.
func regionsPlane(title string, out [3][2]float64, bias [3]float64, reach float64) figure.Plane {
	const n = 41
	var x, y [3][]float64
	for i := range n * n {
		p := [2]float64{reach * (2*float64(i%n)/(n-1) - 1), reach * (2*float64(i/n)/(n-1) - 1)}
		logits := apply(out, p)
		for z := range logits {
			logits[z] += bias[z]
		}
		z := winner(logits)
		x[z], y[z] = append(x[z], p[0]), append(y[z], p[1])
	}
	plane := figure.Plane{Title: title, X: "x₁", Y: "x₂"}
	for z, name := range abcNames {
		if len(x[z]) > 0 {
			plane.Layers = append(plane.Layers, figure.Points{Name: "then " + name, X: x[z], Y: y[z], Color: z + 1, Radius: []float64{0.8}})
		}
	}
	return plane
}

// trail is the way of one position's residual stream through the plane.
type trail struct{ x, y []float64 }

// path returns the trails of the contexts A, AB and ABC.
func (r *abcRun) path() ([]trail, error) {
	stages := []string{"blocks.0.hook_resid_pre", finalHook}
	_, cache, err := r.model.RunWithCache([]int32{0, 1, 2}, 1, stages...)
	if err != nil {
		return nil, err
	}
	trails := make([]trail, 3)
	for position := range trails {
		for _, stage := range stages {
			data := cache.Get(stage).Data
			trails[position].x = append(trails[position].x, float64(data[2*position]))
			trails[position].y = append(trails[position].y, float64(data[2*position+1]))
		}
	}
	return trails, nil
}
