package abc

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

// printedOut is the matrix A_out of Virgilio 2025, of shape (3,2), with one row for each
// token. The document prints the matrix a second time, in a product, with 1.2405 instead
// of 1.2045 in the second row, which makes no difference to the rule.
var printedOut = readout{{-0.5150, 1.2707}, {1.1767, 1.2045}, {-0.3778, -0.6578}}

// printedDirections are the directions that the document names for A, B and C.
var printedDirections = [3][2]float64{{-1, 2.5}, {1, 1}, {-1, 1.75}}

// statedSeed is the random seed that the document states.
const statedSeed = 1234

// directions returns claim A4, on the directions that predict A, B and C.
func (p profile) directions() claim.Row {
	return texts.Fill(claim.Row{
		ID: "A4", Kind: claim.Order, Severity: claim.Local, RuleCommit: "62f1199", ChangedAfterResult: true,
		Trainings: []claim.Training{p.training(statedSeed)},
		First:     claim.FirstBy("1a1569d", regions.judge),
		Test: claim.Steps[regions]{
			Measure: p.measureRegions, Judge: regions.judge, Tabulate: regions.tabulate, Draw: regions.draw,
		}.Test,
	}, nil)
}

// regions is the measurement of A4: the region of the plane in which each token has the
// largest logit by the printed A_out, and the directions that the document names.
type regions struct {
	bullets [3]bullet
	borders [3][2]float64 // [token]: the range of angles, in degrees, in which its logit is the largest
	own     *plane        // the plane of a model trained here, for the figure
}

// bullet is a direction that the document names for a token.
type bullet struct {
	direction [2]float64
	logits    []float64
	token     int  // the token that the direction predicts according to the document
	best      int  // the token with the largest logit by printedOut
	mirrored  bool // whether the named token wins if the second component changes its sign
}

func (p profile) measureRegions(_ context.Context, s *claim.Study) (regions, error) {
	m := regions{borders: printedOut.borders()}
	for z, x := range printedDirections {
		m.bullets[z] = newBullet(z, x)
	}
	var err error
	m.own, err = planeOf(s.Trained(p.training(statedSeed)).Model)
	return m, err
}

// newBullet returns what the direction of a token predicts by printedOut.
func newBullet(token int, direction [2]float64) bullet {
	logits := printedOut.apply(direction)
	return bullet{
		direction: direction, logits: logits, token: token, best: winner(logits),
		mirrored: winner(printedOut.apply(mirror(direction))) == token,
	}
}

// mirror returns a direction with the sign of its second component reversed.
func mirror(x [2]float64) [2]float64 { return [2]float64{x[0], -x[1]} }

func (m regions) judge() claim.Finding {
	var wrong []string
	found := claim.Finding{}
	least := math.Inf(1)
	for _, b := range m.bullets {
		if b.best != b.token {
			wrong = append(wrong, b.correction())
		}
		found.Conditions = append(found.Conditions, b.condition())
		least = min(least, b.lead())
	}
	found.Effect = claim.Exactly("smallest lead of a named token's logit over the others, at t = 1", "nats", least)
	if len(wrong) == 0 {
		found.Verdict, found.Obtained = claim.Holds, "each of the three directions is in its token's region"
		return found
	}
	found.Verdict = claim.Corrected
	found.Obtained = strings.Join(wrong, "") +
		fmt.Sprintf("%s wins between %.0f° and %.0f°", names[2], m.borders[2][0], m.borders[2][1])
	return found
}

// lead returns the named token's logit minus the largest logit of the other tokens. The
// lead is negative if another token wins.
func (b bullet) lead() float64 {
	lead := math.Inf(1)
	for z, logit := range b.logits {
		if z != b.token {
			lead = min(lead, b.logits[b.token]-logit)
		}
	}
	return lead
}

// condition returns the verdict on one of the directions.
func (b bullet) condition() claim.Condition {
	c := claim.Condition{
		Name: along(b.direction), Verdict: claim.Holds, Converged: true,
		Obtained: fmt.Sprintf("predicts %s, as stated", names[b.best]),
		Effect:   claim.Exactly("lead of the named token's logit, at t = 1", "nats", b.lead()),
	}
	if b.best != b.token {
		c.Verdict = claim.Corrected
		c.Obtained = fmt.Sprintf("predicts %s, not %s", names[b.best], names[b.token])
	}
	return c
}

// correction states which token the bullet's direction really predicts, and the mirrored
// direction if that predicts the named token.
func (b bullet) correction() string {
	text := fmt.Sprintf("%s predicts %s, not %s; ", along(b.direction), names[b.best], names[b.token])
	if b.mirrored {
		text += fmt.Sprintf("%s, with the sign of the second component reversed, predicts %s; ",
			along(mirror(b.direction)), names[b.token])
	}
	return text
}

func (m regions) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame().Table()) }

func (m regions) frame() document.Frame {
	f := document.Frame{
		Title: "logits A_out·x at the document's directions",
		Columns: []document.Column{
			{Heading: "direction"},
			{Name: "x1"},
			{Name: "x2"},
			{Name: "logit_a", Heading: "logit of A", Format: "%.4f t"},
			{Name: "logit_b", Heading: "of B", Format: "%.4f t"},
			{Name: "logit_c", Heading: "of C", Format: "%.4f t"},
			{Name: "stated", Heading: "the document says", Codes: names[:]},
			{Name: "winner", Heading: "the largest is", Codes: names[:]},
		},
	}
	for _, b := range m.bullets {
		x, logits := b.direction, b.logits
		f.Row(along(x), x[0], x[1], logits[0], logits[1], logits[2], b.token, b.best)
	}
	return f
}

// printedReach is half the width of the planes that show the printed numbers.
const printedReach = 3

func (m regions) draw(out *claim.Output) {
	out.Figure("plane", figure.Row("Regions of the plane where A, B and C win",
		"Three planes, each cut into three sectors, with three arrows each. The arrows start from the origin in the "+
			"first two planes, and show paths through the layer in the third.",
		m.textPlane(), rowsPlane(), m.own.draw(fmt.Sprintf("trained here, seed %d", statedSeed))))
	out.CSV("directions", m.frame())
}

// textPlane draws the directions that the document names.
func (m regions) textPlane() figure.Plane {
	plane := regionsPlane("printed: the text's arrows", printedOut, [3]float64{}, printedReach)
	for z, b := range m.bullets {
		plane.Layers = append(plane.Layers, figure.Arrows{
			X: b.direction[:1], Y: b.direction[1:], Color: z + 1, Open: b.best != b.token,
		})
	}
	return plane
}

// rowsPlane draws the rows of A_out.
func rowsPlane() figure.Plane {
	plane := regionsPlane("printed: rows of A_out", printedOut, [3]float64{}, printedReach)
	for z, row := range printedOut {
		plane.Layers = append(plane.Layers, figure.Arrows{X: row[:1], Y: row[1:], Color: z + 1})
	}
	return plane
}

// along formats a direction as the document does, such as (−t, 2.5t).
func along(x [2]float64) string { return "(" + component(x[0]) + ", " + component(x[1]) + ")" }

// component formats a component as a multiple of t, such as −t or 2.5t.
func component(v float64) string {
	text := strings.TrimPrefix(strconv.FormatFloat(math.Abs(v), 'g', -1, 64)+"t", "1t")
	if text == "" {
		text = "t"
	}
	if v < 0 {
		text = "−" + text
	}
	return text
}
