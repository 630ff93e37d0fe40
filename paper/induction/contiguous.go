package induction

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/paper/internal/numerals"
	"foretell/process"
)

// mostLag is the largest lag in the sets of lags on which constructions are tested.
const mostLag = 8

// contiguous returns row I3, which tests D'Angelo et al. 2025, Sec. 4.1 and App. G.
func (l *lab) contiguous() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I3", Kind: claim.Formula, Severity: claim.Local, Setting: l.constructedSetting(),
		RuleCommit: "c216138", ChangedAfterResult: true,
		First: claim.FirstBy("c216138", contiguousForms.judge),
		Test: claim.Steps[contiguousForms]{
			Measure: l.measureContiguous, Judge: contiguousForms.judge, Tabulate: contiguousForms.tabulate,
			Draw: contiguousForms.draw,
		}.Test,
	}, map[string]any{
		"equal": numerals.Scientific(equal), "beta": paperBeta, "lambda": paperLambda, "mostLag": mostLag,
		"lags": example,
	})
}

// contiguousForms holds the measurements of row I3.
type contiguousForms struct {
	construct
	tokens []int32
	shown  *craft.InductionForm // attention in the paper's example
	limit  []limitGap
}

// limitGap is the distance of the construction from Eq. 3 after a number of tokens: the
// total variation distance between the weights that these two give to the lags, averaged
// over sequences.
type limitGap struct {
	tokens    int
	variation [len(limitBetas)]float64 // for each of limitBetas
}

// limitBetas are the values of β for which the convergence to Eq. 3 is shown; the last is
// the paper's.
var limitBetas = [...]float64{1, 10, paperBeta}

func (l *lab) measureContiguous(ctx context.Context, s *claim.Study) (contiguousForms, error) {
	var m contiguousForms
	trials := trialsOf(contiguousUpTo(mostLag))
	m.compare(trials, func(c craft.Induction) []craft.Induction {
		exact, one := c, c
		exact.Average, one.Heads, one.Third = craft.PerTransition, 1, craft.Masked
		return []craft.Induction{c, exact, one}
	})
	m.formulas = contiguousFormulas(trials)
	m.limit = limitGaps()
	m.show()
	var err error
	m.along, err = l.constructedAlong(ctx, s, example, contiguousModels)
	return m, err
}

// contiguousModels returns the constructions that row I3 compares along the sequence.
func contiguousModels(c craft.Induction) []asked {
	exact, one := c, c
	exact.Average = craft.PerTransition
	one.Heads = 1
	return []asked{
		{name: "construction, 3 heads", Induction: c},
		{name: "Eq. 3 exactly", Induction: exact},
		{name: "construction, 1 head", Induction: one},
	}
}

// limitGaps returns the distances of the construction from Eq. 3 along the sequence.
func limitGaps() []limitGap {
	const sequences = 64
	c := construction(example.lags(), paperLength)
	gaps := make([]limitGap, paperLength-example.longest())
	for n := range sequences {
		t := trial{example.lags(), make([]int32, paperLength)}
		c.Chain.Sample(t.tokens, random.New(3, "paper/induction", uint64(n)))
		for b, beta := range limitBetas {
			c.Beta = beta
			form := must(c.ClosedForm(t.tokens))
			eq3 := t.equation3(form.Extract, beta*float64(len(t.lags)))
			for i := range gaps {
				row := i + t.longest()
				gaps[i].tokens = row + 1
				for j := range eq3[row] {
					gaps[i].variation[b] += math.Abs(eq3[row][j]-form.Select[row][j]) / 2 / sequences
				}
			}
		}
	}
	return gaps
}

// show sets m.shown: the attention on a short sequence of the paper's example.
func (m *contiguousForms) show() {
	const length = 24
	c := construction(example.lags(), length)
	alone := must(process.NewInterleaved(transition, []int{2}))
	m.tokens = make([]int32, length)
	alone.Sample(m.tokens, random.New(4, "paper/induction"))
	m.shown = passOf(c, m.tokens)
}

func (m contiguousForms) tabulate(c *claim.Claim) {
	m.construct.tabulate(c)
	var powers []limitGap // at powers of two
	for _, g := range m.limit {
		if g.tokens&(g.tokens-1) == 0 {
			powers = append(powers, g)
		}
	}
	c.Tables = append(c.Tables, byBeta(powers).Table())
}

// byBeta returns the distances from Eq. 3 by the number of tokens.
func byBeta(gaps []limitGap) document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("lags %s: total variation distance between the construction's weights of lags and the "+
			"weights of Eq. 3 with Kβ, mean over sequences", example),
		Columns: []document.Column{{Name: "tokens", Heading: "tokens"}},
	}
	for _, beta := range limitBetas {
		f.Columns = append(f.Columns, document.Column{
			Name: fmt.Sprintf("beta_%g", beta), Heading: fmt.Sprintf("β = %g", beta), Format: "%.2g",
			Meaning: fmt.Sprintf("total variation distance from Eq. 3 for β = %g", beta),
		})
	}
	for _, g := range gaps {
		f.Row(append([]any{g.tokens}, cells(g.variation[:])...)...)
	}
	return f
}

func (m contiguousForms) draw(out *claim.Output) {
	m.along.draw(out)
	maps := []figure.Panel{pattern("layer 1", m.shown.Extract)}
	for h, p := range m.shown.Gather {
		maps = append(maps, pattern(fmt.Sprintf("layer 2, head %d", h+1), p))
	}
	maps = append(maps, pattern("layer 3", m.shown.Select))
	f := figure.Row("Attention of the construction", "Attention by destination and source: p̃ on three diagonals, "+
		"every third token, and one of three diagonals.", maps[0], maps[len(maps)-1])
	f.Panels = append(f.Panels, maps[1:len(maps)-1])
	out.Figure("maps", f)
	out.Figure("limit", m.limitFigure())
	out.CSV("limit", byBeta(m.limit))
}

// limitFigure draws the distance from Eq. 3 for each β.
func (m contiguousForms) limitFigure() *figure.Figure {
	chart := figure.Chart{
		X: figure.Axis{Label: "tokens", Log: true}, Y: figure.Axis{Label: "total variation from Eq. 3", Log: true},
	}
	for b, beta := range limitBetas {
		series := figure.Series{Name: fmt.Sprintf("β = %g", beta)}
		for _, g := range m.limit {
			if g.variation[b] > equal {
				series.Add(float64(g.tokens), g.variation[b])
			}
		}
		chart.Series = append(chart.Series, series)
	}
	return figure.Single("Convergence to Eq. 3", "Curves that fall with the number of tokens, one for each β.", chart)
}

// pattern returns a heat map of an attention pattern.
func pattern(title string, z [][]float64) figure.Panel {
	names := make([]string, len(z))
	for i := range names {
		names[i] = fmt.Sprint(i + 1)
	}
	return figure.HeatMap{
		Title: title, Z: z, Rows: names, Cols: names, Lower: true, Range: [2]float64{0, 1},
		X: "source", Y: "destination",
	}
}
