package signals

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
)

// depths are the numbers of layers in the sweep.
var depths = []int{1, 3, 5}

// printedDepths are the lecture's accuracies by depth, in per cent (“Depth Sweep: More
// Layers, More Reasoning”).
var printedDepths = map[signal][3]float64{
	switching: {76.4, 78.7, 82.1},
	brackets:  {10.6, 9.4, 24.7},
	routing:   {23.8, 27.9, 26.5},
}

const (
	// nearRandom is the largest accuracy on brackets that counts as “near random”. It is
	// halfway between the lecture's 10.6 %, which the lecture calls near random, and its
	// 24.7 %.
	nearRandom = 0.1765
	// saturated defines “saturates early”: the most by which the accuracy with five layers
	// may exceed the accuracy with three.
	saturated = 0.05
)

// depthSweep returns row S4: accuracy by number of layers.
func (l *lab) depthSweep() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S4", Kind: claim.Order, Setting: l.setting,
		Trainings: l.trainings(depthNetworks()), RuleCommit: "7a92fd3", ChangedAfterResult: true,
		StandsOn: []string{"S3", "S5", "S6"},
		First:    claim.FirstBy("85ed7f0", sweep.first),
		Test: claim.Steps[sweep]{
			Measure: l.measureDepths, Judge: sweep.judge, Tabulate: sweep.tabulate, Draw: sweep.draw,
		}.Test,
	}, map[string]any{
		"context": contextLength, "nearRandom": 100 * nearRandom, "saturated": 100 * saturated,
		"chosen": shared.Notes[0],
	})
}

// depthNetworks are GPTs of each depth on the symbolic signals.
func depthNetworks() (list []network) {
	for _, s := range allSignals {
		for _, layers := range depths {
			if s.symbolic() {
				list = append(list, of(s, gpt).deep(layers))
			}
		}
	}
	return list
}

// sweep is the lecture's depth sweep.
type sweep []byDepth

// byDepth holds the accuracies on a signal's retrieval steps, by depth.
type byDepth struct {
	signal
	printed   [3]float64 // the lecture's, in per cent
	end, half [3]float64 // measured, at the end of training and after half of the steps
	guess     float64    // see [heldOut.oneToken]
	windows   int
}

func (l *lab) measureDepths(ctx context.Context, s *claim.Study) (sweep, error) {
	var found sweep
	for _, on := range allSignals {
		if !on.symbolic() {
			continue
		}
		one := byDepth{signal: on, printed: printedDepths[on], windows: l.judgedOn}
		for i, layers := range depths {
			t, err := l.measured(ctx, s, of(on, gpt).deep(layers))
			if err != nil {
				return found, err
			}
			one.end[i], one.half[i], one.guess = t.end.conditional, t.half.conditional, t.end.guess
		}
		found = append(found, one)
	}
	return found, nil
}

func (m sweep) judge() claim.Finding {
	return claim.NewFinding(claim.ConditionsOf(m, func(s byDepth) claim.Condition {
		return s.condition(s.atGuess)
	}))
}

// condition judges the lecture's sentence on the signal.
func (s byDepth) condition(unlearned unlearned) claim.Condition {
	c := claim.Condition{
		Name:     s.title,
		Obtained: fmt.Sprintf("%.1f, %.1f, %.1f %% with 1, 3, 5 layers", 100*s.end[0], 100*s.end[1], 100*s.end[2]),
		Effect: claim.Over("accuracy with five layers minus accuracy with three",
			"points", []float64{100 * (s.end[2] - s.end[1])}).
			Beside(authors, s.printed[2]-s.printed[1]),
	}
	why := ""
	switch s.signal {
	case brackets:
		c.Verdict, why = s.threshold(unlearned)
		if i := s.notRandom(); i >= 0 {
			c.Effect = claim.Over(fmt.Sprintf("accuracy with %s", text.Count(depths[i], "layer")), "%",
				[]float64{100 * s.end[i]}).
				Beside(authors, s.printed[i]).Against("the bound for “near random”", 100*nearRandom)
		}
	case switching:
		c.Verdict, why = s.steady(unlearned)
	default:
		c.Verdict, why = s.saturates(unlearned)
	}
	return c.Judged(why)
}

// unlearned says why some of the depths may be on a plateau, or "".
type unlearned func(depths ...int) string

// gained returns by how much the accuracy at one of the depths increases in the second
// half of the steps.
func (s byDepth) gained(i int) float64 { return s.end[i] - s.half[i] }

// atGuess says which of the depths have learned no more than a guess; see [atGuess].
func (s byDepth) atGuess(list ...int) string {
	for _, i := range list {
		if why := atGuess(fmt.Sprintf("L = %d", depths[i]), s.end[i], s.guess, s.windows); why != "" {
			return why
		}
	}
	return ""
}

// notRandom returns the index of the first depth below five that is not near random, or
// −1. Such a depth refutes the condition on brackets.
func (s byDepth) notRandom() int {
	return slices.IndexFunc(s.end[:2], func(accuracy float64) bool { return accuracy > nearRandom })
}

// threshold judges the condition on brackets: fewer than five layers are near random, and
// five are not.
func (s byDepth) threshold(unlearned unlearned) (claim.Verdict, string) {
	if s.notRandom() >= 0 {
		return claim.Fails, ""
	}
	for i, layers := range depths[:2] {
		if s.gained(i) >= nearRandom-s.end[i] {
			return claim.Holds, fmt.Sprintf("L = %d gains %.1f points in the second half of the steps",
				layers, 100*s.gained(i))
		}
	}
	switch {
	case s.end[2] > nearRandom:
		return claim.Holds, unlearned(2)
	case s.gained(2) >= nearRandom-s.end[2]:
		return claim.Fails, fmt.Sprintf("L = 5 gains %.1f points in the second half of the steps", 100*s.gained(2))
	}
	return claim.Fails, unlearned(2)
}

// steady judges the condition on the switching delay: accuracy improves with each depth.
func (s byDepth) steady(unlearned unlearned) (claim.Verdict, string) {
	for i := range depths[1:] {
		less, more := s.end[i], s.end[i+1]
		gain := more - less
		switch {
		case gain <= noise(more, less, s.windows) && s.gained(i+1) > max(-gain, noise(more, less, s.windows)):
			return claim.Fails, fmt.Sprintf(
				"L = %d is not above L = %d, but gains %.1f points in the second half of the steps",
				depths[i+1], depths[i], 100*s.gained(i+1))
		case gain <= noise(more, less, s.windows) && less < 1-nearCeiling:
			return claim.Fails, unlearned(i, i+1)
		case gain <= noise(more, less, s.windows):
			return claim.Fails, ""
		case s.gained(i) >= gain:
			return claim.Holds, fmt.Sprintf(
				"L = %d gains %.1f points in the second half of the steps, at least as much as it trails L = %d",
				depths[i], 100*s.gained(i), depths[i+1])
		}
	}
	return claim.Holds, unlearned(0, 1, 2)
}

// saturates judges the condition on routing: five layers are hardly better than three.
func (s byDepth) saturates(unlearned unlearned) (claim.Verdict, string) {
	more := s.end[2] - s.end[1]
	switch {
	case more > saturated && s.gained(1) >= more-saturated:
		return claim.Fails, fmt.Sprintf("L = 3 gains %.1f points in the second half of the steps", 100*s.gained(1))
	case more > saturated:
		return claim.Fails, unlearned(2)
	case s.gained(2)-s.gained(1) >= saturated-more:
		return claim.Holds, fmt.Sprintf("in the second half of the steps L = 5 gains %.1f points and L = 3 %.1f points",
			100*s.gained(2), 100*s.gained(1))
	}
	return claim.Holds, unlearned(1, 2)
}

func (m sweep) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "conditional accuracy by number of layers, per cent; the accuracy after half of the steps is in " +
			"parentheses",
		Columns: document.Headed("", "signal"),
	}
	for _, layers := range depths {
		f.Columns = append(f.Columns, document.Headed("%.1f", fmt.Sprintf("L = %d", layers), "printed")...)
	}
	f.Columns = append(f.Columns, document.Headed("%.1f", "guess from one token", "ceiling")...)
	for _, s := range m {
		cells := []any{s.title}
		for i := range depths {
			cells = append(cells, fmt.Sprintf("%.1f (%.1f)", 100*s.end[i], 100*s.half[i]), s.printed[i])
		}
		f.Row(append(cells, 100*s.guess, 100)...)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m sweep) draw(out *claim.Output) {
	chart := figure.Chart{
		X: figure.Axis{Label: "layers"},
		Y: figure.Axis{Label: "accuracy on retrieval steps, %", Include: []float64{0, 100}},
	}
	for _, layers := range depths {
		chart.X.Names = append(chart.X.Names, strconv.Itoa(layers))
	}
	f := document.Frame{Columns: document.Named("signal", "layers", "conditional", "half", "printed")}
	for i, s := range m {
		ours := figure.Series{Name: s.title, Color: i + 1}
		theirs := figure.Series{Name: s.title + ", printed", Color: i + 1, Open: true}
		for k, layers := range depths {
			ours.Add(float64(k), 100*s.end[k])
			theirs.Add(float64(k), s.printed[k])
			f.Row(i+3, layers, s.end[k], s.half[k], s.printed[k]/100)
		}
		chart.Series = append(chart.Series, ours, theirs)
	}
	out.Figure("depth", figure.Single("Depth sweep", "Lines over 1, 3 and 5 layers for three signals.", chart))
	out.CSV("depth", f)
}
