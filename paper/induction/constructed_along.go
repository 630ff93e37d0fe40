package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
	"foretell/model"

	"gonum.org/v1/gonum/stat"
)

// asked is a construction with its name in a figure. It is built as a standard or as a
// disentangled transformer. If change is not nil, it modifies the blocks of the
// disentangled transformer, for example to a printed formula.
type asked struct {
	name string
	craft.Induction
	standard bool
	change   func(*craft.InductionMatrices)
}

// model builds the transformer.
func (a asked) model() *model.Transformer[float64] {
	if a.standard {
		return must(a.Standard())
	}
	blocks := must(a.Matrices())
	if a.change != nil {
		a.change(blocks)
	}
	return must(a.Assemble(blocks))
}

// line is a predictor's divergence along the held-out sequences.
type line struct {
	name string
	curve
}

// lines holds the divergences of several predictors of a task; the first is the Bayesian
// model average (BMA).
type lines struct {
	task
	list []line
}

// find returns the line with a name, or nil.
func (m lines) find(name string) *line {
	if i := slices.IndexFunc(m.list, func(x line) bool { return x.name == name }); i >= 0 {
		return &m.list[i]
	}
	return nil
}

// constructedShare is the factor by which fewer held-out sequences are used to measure
// constructions. They run in float64, which is slower.
const constructedShare = 8

// constructedOf returns the number of sequences for each lag on which constructions are
// measured.
func (l *lab) constructedOf() int { return max(2, l.heldOut/constructedShare) }

// constructedSetting describes, for the report, the data on which constructions are
// measured.
func (l *lab) constructedSetting() string {
	return fmt.Sprintf("no model is trained; sequences of %d tokens over an alphabet of %d, %d for each lag, β = %d, "+
		"λ = %d; formulas are tested with β = %d, on one short sequence for each set of lags",
		paperLength, len(transition),
		l.constructedOf(), paperBeta, paperLambda, triedBeta)
}

// constructedAlong measures constructions of a task and, for comparison, the Bayesian
// model average (BMA) and maximum likelihood (ML). The function which returns the
// constructions.
func (l *lab) constructedAlong(
	ctx context.Context, s *claim.Study, of task, which func(c craft.Induction) []asked,
) (lines, error) {
	c := newChains(of, transition, l.constructedOf(), paperLength)
	found := lines{task: of, list: []line{
		{"BMA", c.predicted(c.process.Predictor())}, {"ML", c.predicted(c.process.ML())},
	}}
	for _, a := range which(construction(of.lags(), paperLength)) {
		along, err := alongOf(ctx, s, c, a.model(), a.standard)
		if err != nil {
			return found, err
		}
		found.list = append(found.list, line{a.name, along})
	}
	return found, nil
}

// alongOf returns a model's divergence along the sequences. It runs the model in float32
// if narrow is set, which is several times faster.
func alongOf(
	ctx context.Context, s *claim.Study, c *chains, m *model.Transformer[float64], narrow bool,
) (along curve, err error) {
	if narrow {
		along, _, err = observe(ctx, s, c, model.Convert[float32](m))
	} else {
		along, _, err = observe(ctx, s, c, m)
	}
	return along, err
}

// table returns the divergences of the predictors, and the differences from the first
// one's.
func (m lines) table() document.Table {
	table := document.Frame{
		Title: fmt.Sprintf("lags %s: divergence from the true distribution in nats, mean over positions %d to T",
			m.task, judgedFrom),
		Columns: slices.Concat(document.Headed("", "predictor"),
			document.Headed("%.4f", "nats", "above BMA", "standard error")),
	}
	for _, x := range m.list {
		above, se := x.above(m.list[0].curve, judgedFrom)
		table.Row(x.name, stat.Mean(x.from(judgedFrom), nil), above, se)
	}
	return table.Table()
}

// draw draws the curves from k̂ tokens on.
func (m lines) draw(out *claim.Output) {
	chart := alongChart("lags " + m.String())
	var curves []labelled
	for i, x := range m.list {
		c := labelled{name: x.name, column: fmt.Sprintf("predictor_%d", i+1), along: x.at()}
		chart.Series = append(chart.Series, c.from(m.longest()))
		curves = append(curves, c)
	}
	out.Figure("along", figure.Single("Constructions along the sequence",
		"Divergence against position, a line for each predictor.", chart))
	out.CSV("along", byPosition(curves))
}
