package signals

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

// traded is a signal of the slide “Global vs. Conditional Accuracy”, with the number of
// layers of the GPT and the printed accuracies of each architecture, in per cent.
type traded struct {
	signal
	layers              int
	global, conditional [3]float64
}

// The lecture's conditional accuracies are for GPTs with five layers on brackets (“Depth
// Sweep”) and three layers on routing.
var printedTrades = []traded{
	{brackets, 5, [3]float64{68.4, 68.0, 60.5}, [3]float64{5.9, 7.1, 24.7}},
	{routing, 3, [3]float64{51.1, 53.0, 44.6}, [3]float64{4.8, 6.1, 27.9}},
}

// networks returns the networks of the three architectures for the signal.
func (t traded) networks() []network {
	list := []network{of(t.signal, linear), of(t.signal, mlp), of(t.signal, gpt)}
	list[2] = list[2].deep(t.layers)
	return list
}

// globalAndConditional returns row S5: accuracy on all tokens compared with accuracy on
// retrieval steps.
func (l *lab) globalAndConditional() claim.Row {
	var list []network
	for _, t := range printedTrades {
		for _, n := range t.networks() {
			list = append(list, n, n.unweighted())
		}
	}
	return texts.Fill(claim.Row{
		ID: "S5", Kind: claim.Explanation, Setting: l.setting,
		Trainings: l.trainings(list), RuleCommit: "f536e5c", ChangedAfterResult: true,
		StandsOn: []string{"S3", "S4", "S6"},
		Test: claim.Steps[trades]{
			Measure: l.measureTrades, Judge: trades.judge, Tabulate: trades.tabulate, Draw: trades.draw,
		}.Test,
	}, map[string]any{
		"context": contextLength, "chosen": shared.Notes[0], "dominates": 100 * dominates, "windows": gradientWindows,
	})
}

// trades holds global and conditional accuracies, with and without the loss weight.
type trades []trade

type trade struct {
	traded
	weighted, even [3]accuracy // with the loss weight on retrieval steps, and with equal weights
	half           accuracy    // the weighted MLP after half of the steps

	gradient []gradientNorms // of the even GPT, at each of gradientMoments
	along    [2][]float64    // global accuracy of the weighted MLP and GPT, by evaluation
}

func (l *lab) measureTrades(ctx context.Context, s *claim.Study) (trades, error) {
	var found trades
	for _, of := range printedTrades {
		one := trade{traded: of}
		for i, n := range of.networks() {
			weighted, err := l.measured(ctx, s, n)
			if err != nil {
				return found, err
			}
			even, err := l.measured(ctx, s, n.unweighted())
			if err != nil {
				return found, err
			}
			one.weighted[i], one.even[i] = weighted.end, even.end
			if i == 1 {
				one.half = weighted.half
			}
			if i > 0 {
				for _, row := range weighted.rows {
					one.along[i-1] = append(one.along[i-1], row.Overall)
				}
			}
		}
		var err error
		if one.gradient, err = l.gradients(ctx, s, of.networks()[2].unweighted()); err != nil {
			return found, err
		}
		found = append(found, one)
	}
	return found, nil
}

func (m trades) judge() claim.Finding {
	return claim.NewFinding(slices.Concat(claim.ConditionsOf(m, trade.exchanged), claim.ConditionsOf(m, trade.steered),
		claim.ConditionsOf(m, trade.dominated)))
}

// lowerAt returns the first evaluation at which the GPT's global accuracy was below the
// MLP's by more than noise, or 0 if it never was. Evaluation 0, before the first step,
// does not count.
func (t trade) lowerAt() int {
	for i := 1; i < len(t.along[1]); i++ {
		if a, b := t.along[0][i], t.along[1][i]; a-b > noise(a, b, evaluatedOn) {
			return i
		}
	}
	return 0
}

// exchanged judges the condition that the GPT has a lower global accuracy than the MLP
// and a higher conditional accuracy.
func (t trade) exchanged() claim.Condition {
	of, with := t.weighted[2], t.weighted[1]
	c := claim.Condition{
		Name: t.title + ", lower global, higher conditional", Verdict: claim.Holds,
		Obtained: fmt.Sprintf("global and conditional: GPT %.1f and %.1f %%, MLP %.1f and %.1f %%",
			100*of.global, 100*of.conditional, 100*with.global, 100*with.conditional),
		Effect: claim.Over("GPT's global accuracy minus the MLP's", "points",
			[]float64{100 * (of.global - with.global)}).
			Beside(authors, t.global[2]-t.global[1]),
	}
	lower := with.global-of.global > noise(with.global, of.global, of.windows)
	higher := of.conditional-with.conditional > noise(with.conditional, of.conditional, of.windows)
	switch why := t.atGuess(); {
	case why != "":
		return c.Judged(why)
	case lower && higher:
		return c.Judged("")
	case !higher:
		return c.Judged("the GPT's conditional accuracy is not above the MLP's, and the GPT may be on a plateau")
	}
	if at := t.lowerAt(); at > 0 {
		c.Verdict, c.Reason = claim.Differs, claim.Untrained
		c.Obtained += fmt.Sprintf("; the GPT's global accuracy was lower after %d of %d parts of the training run",
			at, len(t.along[1])-1)
		return c.Judged("")
	}
	if gained := with.global - t.half.global; gained >= of.global-with.global {
		return c.Judged(fmt.Sprintf("the MLP's global accuracy gains %.1f points in the second half of the steps, "+
			"at least as much as it trails the GPT's", 100*gained))
	}
	c.Verdict, c.Reason = claim.Differs, claim.Convention
	return c.Judged("")
}

// steered judges the condition that the loss weight increases the GPT's conditional
// accuracy.
func (t trade) steered() claim.Condition {
	with, without := t.weighted[2].conditional, t.even[2].conditional
	c := claim.Condition{
		Name: t.title + ", the weight steers", Verdict: claim.Holds,
		Obtained: fmt.Sprintf("the GPT's conditional accuracy is %.1f %% with the weight, %.1f %% without",
			100*with, 100*without),
		Effect: claim.Over("conditional accuracy with the weight minus without", "points",
			[]float64{100 * (with - without)}),
	}
	switch bound := noise(with, without, t.weighted[2].windows); {
	case with-without > bound:
	case without-with > bound:
		c.Verdict = claim.Fails
	default:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c.Judged(t.atGuess())
}

// atGuess says that the weighted GPT has learned no more than a guess; see [atGuess].
func (t trade) atGuess() string {
	of := t.weighted[2]
	return atGuess("the GPT", of.conditional, of.guess, of.windows)
}

func (m trades) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "accuracy, per cent, after training with loss weights of 10 : 1 and with even weights",
		Columns: document.Headed("%.1f", "signal and model", "global, 10 : 1", "printed", "conditional, 10 : 1",
			"printed", "global, even", "conditional, even"),
	}
	for _, t := range m {
		for i, n := range t.networks() {
			with, even := t.weighted[i], t.even[i]
			f.Row(n.label(), 100*with.global, t.global[i], 100*with.conditional, t.conditional[i], 100*even.global,
				100*even.conditional)
		}
		ceiling := 100 * t.weighted[0].ceiling
		f.Row(t.title+", ceiling", ceiling, "–", 100, "–", ceiling, 100)
		f.Row(t.title+", guess from one token", "–", "–", 100*t.weighted[2].guess, "–", "–", "–")
	}
	c.Tables = append(c.Tables, f.Table(), m.gradientTable().Table())
}

func (m trades) draw(out *claim.Output) {
	f := &figure.Figure{
		Title:  "Global against conditional accuracy",
		Desc:   "Three models on two signals, with equal and unequal weights.",
		Panels: [][]figure.Panel{nil},
	}
	numbers := document.Frame{Columns: document.Named("signal", "model", "global", "conditional", "global_even",
		"conditional_even", "global_printed", "conditional_printed")}
	for k, t := range m {
		chart := figure.Chart{
			Title: t.title, X: figure.Axis{Label: "global accuracy, %"},
			Y:    figure.Axis{Label: "conditional accuracy, %", Include: []float64{0, 100}},
			Refs: []figure.Ref{{Label: "ceiling", Value: 100 * t.weighted[0].ceiling, Vertical: true}},
		}
		for i, a := range architectures {
			dot := func(name string, of accuracy, open bool) {
				chart.Series = append(chart.Series, figure.Series{
					Name: name, X: []float64{100 * of.global}, Y: []float64{100 * of.conditional}, Color: i + 1,
					Style: figure.Scatter, Open: open,
				})
			}
			dot(string(a)+", 10 : 1", t.weighted[i], false)
			dot(string(a)+", even", t.even[i], true)
			numbers.Row(k+4, i, t.weighted[i].global, t.weighted[i].conditional, t.even[i].global,
				t.even[i].conditional, t.global[i]/100, t.conditional[i]/100)
		}
		f.Panels[0] = append(f.Panels[0], chart)
	}
	out.Figure("trade", f)
	out.CSV("trade", numbers)
}
