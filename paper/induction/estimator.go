package induction

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"

	"gonum.org/v1/gonum/stat"
)

// betas are the values of β in row I9; the last is the limit β → ∞.
var betas = []float64{1, 3, 10, 30, 100, 300, 1000, math.Inf(1)}

// drawnBetas are the values of β in the figure.
var drawnBetas = []float64{1, 10, 100, math.Inf(1)}

// matches is the largest difference between the divergences of two predictors, in nats,
// at which row I16 takes them as equal. For comparison, knowing the lag is worth 0.27
// nats.
const matches = 0.01

// estimator returns row I9, which tests D'Angelo et al. 2025, Fig. 4c.
func (l *lab) estimator() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I9", Kind: claim.Picture,
		Setting: fmt.Sprintf("no model is trained; sequences of %d tokens over an alphabet of %d, %d for each lag",
			paperLength, len(transition), l.heldOut),
		RuleCommit: "b28b104", ChangedAfterResult: true,
		First: claim.FirstBy("c216138", sweep.first),
		Test: claim.Steps[sweep]{
			Measure: l.measureEstimator, Judge: sweep.judge, Tabulate: sweep.tabulate, Draw: sweep.draw,
		}.Test,
	}, map[string]any{
		"lags": spread, "smallest": betas[0], "beta": paperBeta, "errors": significantErrors,
		"example": example, "nonContiguous": nonContiguous, "twoApart": twoApart,
	})
}

// sweep holds the measurements of row I9, by task; the first task is the one in the
// paper's figure.
type sweep []betaCurves

// betaCurves holds the divergences of a task's predictors.
type betaCurves struct {
	task
	bma, ml curve
	eq3     []curve // for each of betas
	agree   float64 // share of positions from k̂ on at which the limit β → ∞ and ML agree
}

// above returns the mean of Eq. 3's divergence minus the maximum-likelihood predictor's,
// with its standard error. The mean is exactly 0 if the two differ by rounding only.
func (b betaCurves) above(beta, from int) (mean, se float64) {
	mean, se = b.eq3[beta].above(b.ml, from)
	if math.Abs(mean) <= equal {
		return 0, se
	}
	return mean, se
}

func (l *lab) measureEstimator(context.Context, *claim.Study) (sweep, error) {
	var m sweep
	for _, of := range []task{spread, example, nonContiguous, twoApart} {
		c := newChains(of, transition, l.heldOut, paperLength)
		b := betaCurves{task: of}
		b.bma = c.predicted(c.process.Predictor())
		b.ml = c.predicted(c.process.ML())
		for _, beta := range betas {
			b.eq3 = append(b.eq3, c.predicted(must(c.process.SelectiveInduction(beta))))
		}
		b.agree = b.agreement()
		m = append(m, b)
	}
	return m, nil
}

// agreement returns the share of positions, from k̂ on, at which the limit β → ∞ and
// maximum likelihood have the same divergence.
func (b betaCurves) agreement() float64 {
	same, all := 0.0, 0.0
	for i, kl := range b.eq3[len(b.eq3)-1].kl {
		if i%b.ml.context+1 >= b.longest() {
			all++
			if math.Abs(kl-b.ml.kl[i]) <= equal {
				same++
			}
		}
	}
	return same / all
}

func (m sweep) judge() claim.Finding {
	shown := m[0]
	first, _ := shown.above(0, shown.longest())
	gap, se := shown.above(slices.Index(betas, paperBeta), shown.longest())
	f := claim.Finding{
		Verdict: claim.Holds,
		Obtained: fmt.Sprintf("lags %s: %.4f ± %.4f nats above ML at β = %g, %.4f at β = %g; in the limit, the two "+
			"predictions agree at %.1f %% of positions",
			shown.task, gap, se, float64(paperBeta), first, betas[0], 100*shown.agree),
		Effect: claim.Measured(fmt.Sprintf("Eq. 3 with β = %d above ML", paperBeta), "nats", gap, se),
	}
	switch {
	case math.Abs(gap) >= math.Abs(first):
		f.Verdict = claim.Fails
	case gap < -significantErrors*se:
		f.Verdict, f.Reason = claim.Differs, claim.Size
		f.Obtained += "; Eq. 3 predicts better than ML"
	case gap > significantErrors*se:
		f.Verdict, f.Reason = claim.Differs, claim.Size
		f.Obtained += "; Eq. 3 predicts worse than ML"
	}
	for _, b := range m {
		f.Asked = append(f.Asked, b.best())
	}
	return f
}

// best asks whether a finite β is nearer to the optimum than the limit β → ∞ is.
func (b betaCurves) best() claim.Question {
	at, least := 0, math.Inf(1)
	for i := range betas {
		if mean := stat.Mean(b.eq3[i].from(b.longest()), nil); mean < least {
			at, least = i, mean
		}
	}
	optimal := stat.Mean(b.bma.from(b.longest()), nil)
	limit := stat.Mean(b.eq3[len(betas)-1].from(b.longest()), nil)
	return claim.Question{
		Question: fmt.Sprintf("Lags %s: is a finite β of the sweep closer than the limit to the Bayesian model "+
			"average (BMA)? (mean over positions k̂ to T)", b.task),
		Answer: claim.AnswerIf(least < limit),
		Obtained: fmt.Sprintf("β = %g is best: %.4f nats above BMA, whose divergence is %.4f; the limit is %.4f above "+
			"BMA, and ML %.4f",
			betas[at], least-optimal, optimal, limit-optimal, stat.Mean(b.ml.from(b.longest()), nil)-optimal),
	}
}

func (m sweep) tabulate(c *claim.Claim) {
	end := func(b betaCurves) int { return endIn(b.ml.context).first }
	c.Tables = append(c.Tables, m.table("positions k̂ to T", betaCurves.longest),
		m.table("the last eighth of positions", end))
}

// table returns a table of how far the divergence of Eq. 3 is above ML's, by β, averaged
// over positions. The function from returns the first of these positions.
func (m sweep) table(where string, from func(b betaCurves) int) document.Table {
	table := document.Frame{
		Title:   "Divergence above ML in nats, mean over " + where + " (± standard error)",
		Columns: []document.Column{{Heading: "lags"}},
	}
	for _, beta := range betas {
		table.Columns = append(table.Columns, document.Column{Heading: fmt.Sprintf("β = %g", beta), Format: "%.4f"})
	}
	for _, b := range m {
		row := []any{b.task}
		for i := range betas {
			mean, se := b.above(i, from(b))
			row = append(row, document.Spread{Mean: mean, Deviation: se})
		}
		table.Row(row...)
	}
	return table.Table()
}

func (m sweep) draw(out *claim.Output) {
	var panels []figure.Panel
	var all []labelled
	for i, b := range m {
		chart := alongChart("lags " + b.String())
		for _, c := range b.curves(i + 1) {
			chart.Series = append(chart.Series, c.from(b.longest()))
			all = append(all, c)
		}
		panels = append(panels, chart)
	}
	out.Figure("beta", figure.Grid(2, "The estimator of Eq. 3",
		"Divergence against position: a line for each β, for BMA and for ML.", panels...))
	out.CSV("beta", byPosition(all))
}

// curves returns the curves that are drawn of the task with the given number.
func (b betaCurves) curves(number int) []labelled {
	curve := func(name, column string, color int, of curve) labelled {
		return labelled{
			name: name, column: fmt.Sprintf("task_%d_%s", number, column), color: color, along: of.at(),
			meaning: fmt.Sprintf("lags %s, %s", b.task, name),
		}
	}
	list := []labelled{curve("BMA", "BMA", 1, b.bma), curve("ML", "ML", 2, b.ml)}
	for i, beta := range drawnBetas {
		text := fmt.Sprint(beta)
		column := "beta_" + strings.Replace(text, "+Inf", "inf", 1)
		list = append(list, curve("β = "+text, column, 3+i, b.eq3[slices.Index(betas, beta)]))
	}
	return list
}
