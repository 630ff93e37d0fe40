package signals

import (
	"fmt"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

// sentence is the result of comparing one of the lecture's sentences with the measured
// training curves.
type sentence struct {
	name     string
	holds    bool // the sentence is true of the measured curves
	obtained string
	why      string       // why the models may not have trained enough, "" if they have
	differs  claim.Reason // if the sentence does not hold: why it is partly true, or "" if it is not
	tied     bool         // whether two of the curves are too close to tell which is first
	effect   *claim.Effect
}

func (s sentence) condition() claim.Condition {
	c := claim.Condition{Name: s.name, Verdict: claim.Fails, Obtained: s.obtained, Effect: s.effect}
	switch {
	case s.holds:
		c.Verdict = claim.Holds
	case s.differs != "":
		c.Verdict, c.Reason = claim.Differs, s.differs
	case s.tied:
		c.Verdict, c.Reason = claim.Open, claim.Power
	}
	return c.Judged(s.why)
}

func (m curves) judge() claim.Finding {
	var conditions []claim.Condition
	for _, s := range m.signals {
		for _, one := range s.sentences() {
			one.name = s.title + ", " + one.name
			conditions = append(conditions, one.condition())
		}
	}
	for _, f := range m.finite {
		conditions = append(conditions, f.overfits().condition())
	}
	return claim.NewFinding(conditions)
}

// sentences returns the lecture's sentences about a signal's curves.
func (s signalCurves) sentences() []sentence {
	switch s.signal {
	case sine:
		return []sentence{s.speeds()}
	case mackeyGlass:
		return []sentence{s.overfits(), s.underfits(), s.lowest()}
	case switching:
		return []sentence{s.farBelow()}
	case brackets:
		return []sentence{s.slowThenLowest(), s.baselinesRest(), s.keepsImproving()}
	}
	return []sentence{s.keepsImproving()}
}

// speeds judges the lecture's sentence about which model is first to close the gap
// between chance and floor on the sine.
func (s signalCurves) speeds() sentence {
	of := [3]float64{}
	found := sentence{name: "MLP fastest, GPT slowest"}
	for i := range s.of {
		if of[i] = s.of[i].convergedAt(); of[i] == 0 {
			found.why = string(architectures[i]) + " has not converged"
		}
	}
	found.holds = of[1] < of[0] && of[0] < of[2]
	found.obtained = fmt.Sprintf("%.0f %% of the gap closed after %g (Linear), %g (MLP) and %g (GPT) steps",
		100*convergedGap, of[0], of[1], of[2])
	found.tied = of[0] == of[1] || of[1] == of[2] || of[0] == of[2]
	found.effect = claim.Over("steps of the GPT divided by steps of the MLP", "", []float64{of[2] / max(of[1], 1)})
	return found
}

// overfits judges the lecture's sentence on the MLP's loss on the recording of
// Mackey–Glass and after it.
func (s signalCurves) overfits() sentence {
	seen := [3]float64{}
	for i, a := range s.of {
		seen[i] = a.seen[len(a.seen)-1]
	}
	one := s.of[1]
	found := sentence{
		name:  "MLP lowest on the recording, plateau after it",
		holds: seen[1] < min(seen[0], seen[2]) && one.end()-seen[1] > rises,
		obtained: fmt.Sprintf("losses on the recording are %.2f, %.2f and %.2f nats (Linear, MLP, GPT); after the "+
			"recording, the MLP's loss is %.2f nats, with %.0f %% of its fall in the second half of the steps",
			seen[0], seen[1], seen[2], one.end(), 100*one.late()),
		effect: claim.Over("MLP's loss after the recording minus its loss on the recording", "nats",
			[]float64{one.end() - seen[1]}),
	}
	if found.holds && one.late() > plateau {
		found.why = "the MLP's loss after the recording still falls"
	}
	return found
}

// underfits judges the lecture's sentence on the linear model's loss on the recording of
// Mackey–Glass.
func (s signalCurves) underfits() sentence {
	last := len(s.of[0].seen) - 1
	of := [3]float64{s.of[0].seen[last], s.of[1].seen[last], s.of[2].seen[last]}
	return sentence{
		name: "Linear underfits", holds: of[0] > max(of[1], of[2]),
		obtained: fmt.Sprintf("losses on the recording are %.2f nats (Linear), %.2f (MLP) and %.2f (GPT)",
			of[0], of[1], of[2]),
	}
}

// above returns how far an architecture's loss ends above the floor, in nats.
func (s signalCurves) above(i int) float64 { return s.of[i].end() - s.floor }

// best returns how far the loss of the better baseline (the linear model or the MLP) ends
// above the floor, in nats.
func (s signalCurves) best() float64 { return min(s.above(0), s.above(1)) }

// stuck returns why the GPT may be on a plateau, if its loss is not the lowest and not
// near the floor, and "" otherwise.
func (s signalCurves) stuck() string {
	if s.above(2) > rises && s.above(2) >= s.best() {
		return fmt.Sprintf("the GPT's loss is %.2f nats above the floor, the better baseline's %.2f nats",
			s.above(2), s.best())
	}
	return ""
}

func (s signalCurves) losses() string {
	return fmt.Sprintf("%.2f, %.2f and %.2f nats (Linear, MLP, GPT), floor %.2f",
		s.of[0].end(), s.of[1].end(), s.of[2].end(), s.floor)
}

// lowest judges the lecture's sentence that the GPT's validation loss is below the other
// models' losses.
func (s signalCurves) lowest() sentence {
	return sentence{
		name: "GPT lowest on validation", holds: s.above(2) < s.best()-moves, obtained: s.losses(), why: s.stuck(),
		effect: claim.Over("loss of the better baseline minus loss of the GPT",
			"nats", []float64{s.best() - s.above(2)}),
	}
}

// farBelow judges the lecture's sentence that the GPT's validation loss is far below the
// other models' losses.
func (s signalCurves) farBelow() sentence {
	found := s.lowest()
	found.name = "GPT far below baselines"
	if found.holds {
		found.differs = claim.Size
	}
	found.holds = s.above(2) <= farBelow*s.best()
	if fallen := s.of[2].at(0.75) - s.of[2].end(); !found.holds && found.why == "" && fallen >= moves {
		found.why = fmt.Sprintf("the GPT's loss falls by %.2f nats in the last quarter of the steps", fallen)
	}
	return found
}

// slowThenLowest judges the lecture's sentence that the GPT's loss on brackets is high at
// first and lowest at the end.
func (s signalCurves) slowThenLowest() sentence {
	const early = 0.1
	found := s.lowest()
	first := [3]float64{s.of[0].at(early), s.of[1].at(early), s.of[2].at(early)}
	found.name = "GPT slow at first, lowest at the end"
	if found.holds {
		found.differs = claim.Convention
	}
	found.holds = found.holds && first[2] > max(first[0], first[1])
	found.obtained += fmt.Sprintf("; after a tenth of the steps, %.2f, %.2f and %.2f nats",
		first[0], first[1], first[2])
	return found
}

// baselinesRest judges the lecture's sentence that the linear model and the MLP plateau
// early on brackets.
func (s signalCurves) baselinesRest() sentence {
	of := [2]float64{s.of[0].late(), s.of[1].late()}
	found := sentence{
		name: "Linear and MLP plateau early", holds: s.best() > s.above(2),
		obtained: fmt.Sprintf("%.0f %% (Linear) and %.0f %% (MLP) of the fall of the loss is in the second half of "+
			"the steps; the losses end %.2f and %.2f nats above the floor, the GPT's %.2f nats",
			100*of[0], 100*of[1], s.above(0), s.above(1), s.above(2)),
	}
	if max(of[0], of[1]) > plateau {
		found.why = "the losses of the linear model and the MLP still fall"
	}
	return found
}

// keepsImproving judges the lecture's sentence that the GPT keeps improving, by the last
// quarter of the steps.
func (s signalCurves) keepsImproving() sentence {
	a := s.of[2]
	fallen := a.at(0.75) - a.end()
	found := sentence{
		name: "GPT keeps improving", holds: fallen >= moves,
		obtained: fmt.Sprintf("the GPT's loss falls by %.3f nats in the last quarter of the steps", fallen),
		effect:   claim.Over("fall of the GPT's loss in the last quarter of the steps", "nats", []float64{fallen}),
	}
	if !found.holds && s.above(2) <= moves {
		found.why = "the GPT is at the floor"
	}
	return found
}

// overfits judges the lecture's sentence that the MLP's validation loss rises, on a
// finite training set.
func (f finiteCurve) overfits() sentence {
	a := f.finite
	rise := a.end() - a.loss[a.least()]
	found := sentence{
		name: f.title + ", MLP validation rises", holds: rise > rises,
		obtained: fmt.Sprintf("with %d windows, the loss ends %.2f nats above its minimum, which is in epoch %.0f "+
			"of %.0f; with fresh windows, %.2f nats above",
			trainingSet, rise, f.epoch(a.least()), f.epoch(len(a.loss)-1),
			f.fresh.end()-f.fresh.loss[f.fresh.least()]),
		effect: claim.Over("rise above the minimum", "nats", []float64{rise}).
			Against("fresh windows", f.fresh.end()-f.fresh.loss[f.fresh.least()]),
	}
	if last := f.epoch(len(a.loss) - 1); !found.holds && last < 2*printedRise {
		found.why = fmt.Sprintf("the run has %.0f epochs, fewer than twice the %d after which the lecture's MLP "+
			"overfits", last, printedRise)
	}
	return found
}

// epoch returns how often each window has been seen, on average, at an evaluation.
func (f finiteCurve) epoch(i int) float64 { return f.finite.steps[i] * windowsAStep / trainingSet }

func (m curves) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title:   "loss on held-out windows, nats: after half of the steps, and at the end",
		Columns: document.Headed("%.3f", "signal", "floor", "Linear", "MLP", "GPT"),
	}
	for _, s := range m.signals {
		cells := []any{s.title, s.floor}
		for _, a := range s.of {
			cells = append(cells, fmt.Sprintf("%.3f, %.3f", a.at(0.5), a.end()))
		}
		f.Row(cells...)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m curves) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Training curves", Desc: "Loss on held-out windows along training, with one panel for each signal.",
		Panels: [][]figure.Panel{nil, nil}, Width: 900,
	}
	losses := document.Frame{Columns: document.Named("signal", "model", "windows", "step", "loss")}
	for k, s := range m.signals {
		chart := figure.Chart{
			Title: s.title,
			X:     figure.Axis{Label: "step"}, Y: figure.Axis{Label: "loss, nats", Include: []float64{0}},
			Refs: []figure.Ref{{Label: "floor", Value: s.floor}},
		}
		add := func(name string, of along, model, windows int) {
			chart.Series = append(chart.Series, figure.Series{
				Name: name, X: of.steps, Y: of.loss, Color: model + 1, Open: windows > 0,
			})
			for t, loss := range of.loss {
				losses.Row(k+1, model, windows, of.steps[t], loss)
			}
		}
		for i, a := range s.of {
			add(string(architectures[i]), a, i, 0)
		}
		for _, of := range m.finite {
			if of.signal == s.signal {
				add(fmt.Sprintf("MLP, %d windows", trainingSet), of.finite, 1, trainingSet)
			}
		}
		f.Panels[k/3] = append(f.Panels[k/3], chart)
	}
	f.Panels[1] = append(f.Panels[1], nil)
	out.Figure("curves", f)
	out.CSV("curves", losses)
}
