package signals

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
)

func (m generated) judge() claim.Finding {
	conditions := []claim.Condition{m.sine.condition(), m.glass.recurrence(), m.glass.regimes(), m.glass.window()}
	found := claim.NewFinding(append(conditions, claim.ConditionsOf(m.symbolic, symbolicFound.condition)...))
	wrong := m.glass.apart
	for _, s := range m.symbolic {
		wrong += s.wrong
	}
	found.Effect = claim.Exactly("tokens on which the processes and the slides' rules disagree", "", float64(wrong))
	if found.Verdict == claim.Corrected {
		found.Effect = claim.Exactly("error of x[101] computed from the printed x[76]", "steps of the quantiser",
			m.glass.printed)
	}
	found.Asked = []claim.Question{m.easy(), m.literally(), sigmoidal()}
	return found
}

// stated returns a condition that either holds or fails, with the formatted text as its
// result.
func stated(name string, holds bool, format string, args ...any) claim.Condition {
	return claim.Condition{
		Name: name, Converged: true, Verdict: claim.HoldsIf(holds), Obtained: fmt.Sprintf(format, args...),
	}
}

func (f sineFound) condition() claim.Condition {
	return stated(sine.title, f.tokens == 9 && f.period == 16,
		"%d different tokens, with a period of %d", f.tokens, f.period)
}

func (f glassFound) recurrence() claim.Condition {
	return stated(mackeyGlass.title+", recurrence", f.apart == 0,
		"%d of %d tokens of the recordings differ from the recurrence", f.apart, f.tokens)
}

// regimes judges what the slide says about three delays: not chaotic, near the edge of
// chaos, and chaotic.
func (f glassFound) regimes() claim.Condition {
	first := f.firstChaotic()
	at := func(tau int) float64 { return mean(f.exponents[tau-1]) }
	calm := math.Abs(at(5)) <= notChaotic && math.Abs(at(17)) <= notChaotic
	near := first > 0 && first-17 <= edge && first > 17
	return stated(mackeyGlass.title+", τ = 5, 17, 25", calm && near && at(25) >= chaotic,
		"the Lyapunov exponents are %.0e, %.0e and %.4f nats a step; the smallest chaotic delay is %d",
		at(5), at(17), at(25), first)
}

// firstChaotic returns the smallest chaotic delay, or 0 if no delay is chaotic.
func (f glassFound) firstChaotic() int {
	return slices.IndexFunc(f.exponents, func(blocks []float64) bool { return mean(blocks) >= chaotic }) + 1
}

// window judges the lecture's statement that x[101] is computed from x[76]. In the
// recurrence at n = 100, it is computed from x[75].
func (f glassFound) window() claim.Condition {
	c := stated(mackeyGlass.title+", x[101]", f.printed == 0, "x[101] is computed from x[75], 26 steps before it. A "+
		"point computed from the point 25 steps before would be off by %.2f steps of the quantiser on average; "+
		"computed from the point 26 steps before, it is off by %.0g", f.printed, f.right)
	if f.printed > 0 && f.right == 0 {
		c.Verdict = claim.Corrected
	}
	return c
}

func (s symbolicFound) condition() claim.Condition {
	off := math.Abs(s.loss-s.floor) / s.se
	return stated(s.title, s.wrong == 0 && s.steps > 0 && off <= slack,
		"%d of %d positions disagree with the rule; %d retrieval steps; the loss is %.1f standard errors from the "+
			"floor",
		s.wrong, readSequences*readLength, s.steps, off)
}

// easy answers the question of how many tokens of the symbolic signals are easy
// background.
func (m generated) easy() claim.Question {
	q := claim.Question{
		Question: fmt.Sprintf("In the long run, are about %g %% of each symbolic signal's tokens background, that "+
			"is, not retrieval steps? (“Global vs. Conditional Accuracy”; within %g points, the laboratory's margin)",
			100*background, 100*backgroundSlack),
		Answer: claim.Yes,
	}
	for i, s := range m.symbolic {
		if hasBackground(1-s.longRun) == claim.No {
			q.Answer = claim.No
		}
		if i > 0 {
			q.Obtained += ", "
		}
		q.Obtained += fmt.Sprintf("%s %.0f %%", s.title, 100*(1-s.longRun))
	}
	if len(m.delays) > 1 {
		q.Obtained += fmt.Sprintf("; a switching delay with the %s has %.0f %%", m.delays[1].name,
			100*m.delays[1].background())
	}
	return q
}

// literally answers the question of whether the sine's formula has the same period in
// floating point.
func (m generated) literally() claim.Question {
	return claim.Question{
		Question: "Does sin(2πn/16), computed in double precision and quantised, have the same period? (The " +
			"laboratory's own question)",
		Answer: claim.AnswerIf(m.sine.literal == 0),
		Obtained: fmt.Sprintf("%d of the first %d tokens differ: at multiples of π the computed sine is not exactly "+
			"0, and 0 is halfway between tokens 15 and 16", m.sine.literal, m.sine.samples),
	}
}

// sigmoidal answers the question of whether the term by which the recurrence grows
// saturates as a sigmoid does. By its derivative, (1 − 9x¹⁰)/(1 + x¹⁰)², it is largest at
// x¹⁰ = 1/9. It is bounded there, and so is the recording: x[n+1] ≤ 0.9·x[n] + 0.3·max.
func sigmoidal() claim.Question {
	grows := func(x float64) float64 { return x / (1 + math.Pow(x, 10)) }
	at := math.Pow(9, -0.1)
	most := grows(at)
	return claim.Question{
		Question: "Is x/(1 + x¹⁰) sigmoidal, so that it rises to a limit? (“Sigmoidal saturation”)",
		Answer:   claim.No,
		Obtained: fmt.Sprintf("it rises to %.3f at x = %.3f and falls beyond, to %.3f at x = 1.2; as the lecture "+
			"says, it prevents unbounded growth: x[n] stays below 0.3·%.3f/0.1 = %.2f",
			most, at, grows(1.2), most, 3*most),
	}
}

func (m generated) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "the greatest possible accuracy on tokens 2 … 65, in per cent",
		Columns: slices.Concat(
			document.Headed("%.1f", "signal", "global", "global, last token", "retrieval steps",
				"retrieval steps, last token", "conditional"),
			document.Headed("%.3f", "floor (nats)", "chance (nats)", "printed: Linear, MLP, GPT")),
	}
	for _, s := range m.ceilings {
		cells := []any{s.title, 100 * mean(s.byPosition[1:]), 100 * s.byPosition[readLength-1]}
		if s.retrieval != nil {
			cells = append(cells, 100*mean(s.retrieval[1:]), 100*s.retrieval[readLength-1], 100)
		} else {
			cells = append(cells, "–", "–", "–")
		}
		printed := printedResults[s.signal]
		f.Row(append(cells, s.floor, s.chance,
			fmt.Sprintf("%.1f, %.1f, %.1f", printed[0], printed[1], printed[2]))...)
	}
	c.Tables = append(c.Tables, f.Table(), m.delayTable().Table())
}

func (m generated) draw(out *claim.Output) {
	out.Figure("delays", &figure.Figure{
		Title: "Mackey–Glass by delay", Desc: "The waves grow irregular from τ = 5 to 25.",
		Panels: [][]figure.Panel{{m.glass.wave(5), m.glass.wave(17)}, {m.glass.wave(25), m.glass.exponentChart()}},
	})
	out.Figure("ceilings", figure.Row("Ceilings of the five signals",
		"The ceiling of the sine is 1 from the second token on, and the ceiling of Mackey-Glass from about the "+
			"tenth.",
		m.ceilingChart("best accuracy", func(c ceilingFound) []float64 { return c.byPosition }),
		m.ceilingChart("retrieval steps", func(c ceilingFound) []float64 { return c.retrieval }),
	))
	f := document.Frame{Columns: document.Named("tau", "block", "lyapunov")}
	for i, blocks := range m.glass.exponents {
		for block, rate := range blocks {
			f.Row(i+1, block, rate)
		}
	}
	out.CSV("exponents", f)
}

// count returns 0, 1, …, n−1.
func count(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

func (f glassFound) wave(tau int) figure.Chart {
	return figure.Chart{
		Title: fmt.Sprintf("τ = %d", tau),
		X:     figure.Axis{Label: "n"}, Y: figure.Axis{Label: "x[n]", Include: []float64{0, 1.5}},
		Series: []figure.Series{{X: count(len(f.waves[tau])), Y: f.waves[tau]}},
	}
}

func (f glassFound) exponentChart() figure.Chart {
	const shown = 4 // below this delay the motion stops, and the exponent is far below 0
	s := figure.Series{Style: figure.Scatter}
	for tau := shown; tau <= len(f.exponents); tau++ {
		s.Add(float64(tau), mean(f.exponents[tau-1]))
	}
	return figure.Chart{
		Title: "largest Lyapunov exponent", X: figure.Axis{Label: "τ"}, Y: figure.Axis{Label: "nats a step"},
		Series: []figure.Series{s},
	}
}

func (m generated) ceilingChart(title string, of func(ceilingFound) []float64) figure.Chart {
	c := figure.Chart{
		Title: title,
		X:     figure.Axis{Label: "position"}, Y: figure.Axis{Label: "probability", Include: []float64{0, 1}},
	}
	for i, s := range m.ceilings {
		if y := of(s); y != nil {
			c.Series = append(c.Series, figure.Series{Name: s.title, X: count(len(y) + 1)[1:], Y: y, Color: i + 1})
		}
	}
	return c
}
