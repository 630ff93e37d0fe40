package signals

import (
	"math"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

var (
	all      = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	measured = []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
)

// No rule is bound to a verdict, whatever signals, formulas and models do.
func TestRulesHavePower(t *testing.T) {
	sizes, err := measureGPT2(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	claimtest.Power(t, Paper.Rows(claim.Quick), map[string]claimtest.Drawn{
		"S1": claimtest.Draw(generated.judge, drawnGenerators, claim.Holds, claim.Corrected, claim.Differs, claim.Fails),
		"S2": claimtest.Draw(parameterCount.judge, func(r claimtest.Stream) parameterCount {
			// The number that the lecture prints, with or without what it leaves open.
			return parameterCount{model: miniGPTParameters + 32*r.IntN(4), totals: []int{1}, printed: 1}
		}, claim.Holds, claim.Differs),
		"S3":  claimtest.Draw(mainResults.judge, drawnMain, all...),
		"S4":  claimtest.Draw(sweep.judge, drawnSweep, all...),
		"S5":  claimtest.Draw(trades.judge, drawnTrades, all...),
		"S6":  claimtest.Draw(curves.judge, drawnCurves, all...),
		"S7":  claimtest.Draw(windowed.judge, drawnWindows, claim.Holds, claim.Corrected, claim.Differs, claim.Open),
		"S8":  claimtest.Draw(workedThrough.judge, drawnFormulas, claim.Holds, claim.Corrected, claim.Fails),
		"S9":  claimtest.Draw(handwork.judge, drawnHandwork, claim.Holds, claim.Corrected, claim.Differs, claim.Fails),
		"S10": claimtest.Draw(quantised.judge, drawnQuantisers, measured...),
		"S11": claimtest.Draw(gpt2Found.judge, func(r claimtest.Stream) gpt2Found {
			m := sizes
			m.sizes = slices.Clone(sizes.sizes)
			for i := range m.sizes { // with and without parts as large as a unit of the last digit
				of := &m.sizes[i]
				of.parameters += int(of.unit * math.Pow10(-of.digits) * 1.5 * (r.Float64() - 0.5))
			}
			return m
		}, claim.Holds, claim.Differs),
		"S12": claimtest.Draw(examples.judge, func(r claimtest.Stream) examples {
			e := example{signal: routing, where: "double of 18", printed: 6, retrieval: true}
			of := predicted{example: e, token: 6 + r.IntN(2), computed: !r.OneIn(10)}
			return examples{tokens: []predicted{of}, apart: r.Off(r.OneIn(10))}
		}, claim.Holds, claim.Fails),
		"S13": claimtest.Draw(solutions.judge, func(r claimtest.Stream) solutions {
			var shares [][]float64
			hard := r.Between(0.001, 0.1) // the share that is missed, by signal and by seed around it
			for range 1 + r.IntN(len(allSignals)) {
				missed := r.Around(hard, 2)
				shares = append(shares, []float64{1 - r.Around(missed, 1.25), 1 - r.Around(missed, 1.25)})
			}
			return ended(shares...)
		}, all...),
		"S14": claimtest.Draw(capable.judge, drawnCapable, all...),
		"S13b": claimtest.Draw(changes.judge, func(r claimtest.Stream) changes {
			var right [][2]int
			for range 1 + r.IntN(3) {
				before := r.IntN(100)
				right = append(right, [2]int{before, before + r.IntN(101-before)})
			}
			return changedTo(right...)
		}, all...),
	})
}

// drawnCapable are flat models with the lecture's marks, or with any marks, in all seeds
// or in some.
func drawnCapable(r claimtest.Stream) (m capable) {
	like, learns := r.IntN(3), !r.OneIn(10)
	for _, of := range printedCapabilities {
		share := r.Float64() * 1.2
		if like == 0 {
			share = map[mark]float64{able: 1.1, partially: 0.75, unable: 0.25}[of.printed]
		}
		if like == 1 {
			share = map[mark]float64{able: 0.75, partially: 0.25, unable: 1.1}[of.printed]
		}
		var shares []float64
		for range 2 {
			shares = append(shares, share)
			if like == 2 && r.OneIn(2) {
				shares[len(shares)-1] = r.Float64()
			}
		}
		if !learns {
			shares = nil
		}
		m = append(m, markedAs(of, shares...))
	}
	return m
}

func drawnGenerators(r claimtest.Stream) generated {
	m := asStated()
	if r.OneIn(2) {
		m.glass.printed = 0
	}
	if r.OneIn(3) { // everything is different
		m.sine.period, m.glass.apart, m.glass.exponents[24], m.glass.right = 32, 1, []float64{0}, 0.1
		for i := range m.symbolic {
			m.symbolic[i].wrong = 1
		}
		return m
	}
	if r.OneIn(10) {
		m.sine.tokens = 10
	}
	if r.OneIn(10) {
		m.glass.apart = 1
	}
	for i := range m.symbolic {
		m.symbolic[i].loss = 1 + math.Abs(r.NormFloat64())*0.1
	}
	return m
}

// drawnModels are the accuracies of three architectures between the guess and the
// ceiling, in the order that the lecture prints or in any other, at rest or still
// gaining.
func drawnModels(r claimtest.Stream, s signal) compared {
	const guess = 0.1
	end := [3]float64{guess * r.Between(0.5, 9), guess * r.Between(0.5, 9), guess * r.Between(0.5, 9)}
	if r.OneIn(2) {
		slices.Sort(end[:])
	}
	half := end
	if r.OneIn(4) {
		for i := range half {
			half[i] *= r.Float64()
		}
	}
	c := onSignal(s, end, half)
	for i := range c.end {
		c.end[i].guess = guess
	}
	return c
}

func drawnMain(r claimtest.Stream) mainResults {
	sines := [3]float64{1, 1, 1}
	if r.OneIn(4) {
		sines[r.IntN(3)] = 0.9
	}
	var m mainResults
	switch r.IntN(4) {
	case 0: // nothing is learned
		none := [3]float64{0.1, 0.1, 0.1}
		m = []compared{onSignal(sine, none, [3]float64{})}
		for _, s := range allSignals[1:] {
			c := onSignal(s, none, none)
			c.end[2].guess = 0.1
			m = append(m, c)
		}
	case 1: // the flat models learn everything, and the GPT less
		less := [3]float64{1, 1, 1 - r.Between(0.001, 0.02)}
		for _, s := range allSignals {
			m = append(m, onSignal(s, less, less))
		}
	case 2: // as the lecture has it, more or less
		m = []compared{onSignal(sine, sines, sines)}
		for _, s := range allSignals[1:] {
			end := printedResults[s]
			for i := range end {
				end[i] *= r.Between(0.9, 1.1) / 100
			}
			m = append(m, onSignal(s, end, end))
		}
	default:
		m = []compared{onSignal(sine, sines, sines)}
		for _, s := range allSignals[1:] {
			m = append(m, drawnModels(r, s))
		}
	}
	return m
}

func drawnSweep(r claimtest.Stream) (m sweep) {
	like := r.IntN(3)
	for _, s := range []signal{switching, brackets, routing} {
		one := byDepth{signal: s, guess: 0.05, windows: 2048}
		for i := range depths {
			switch like {
			case 0: // like the lecture's
				one.end[i] = printedDepths[s][i] / 100 * r.Between(0.97, 1.03)
			case 1: // any
				one.end[i] = min(1, r.Between(0.03, 1.5))
			default: // upside down
				one.end[i] = [3]float64{0.6, 0.3, 0.5}[i] * r.Between(0.9, 1.1)
				if s == routing {
					one.end[i] = [3]float64{0.3, 0.2, 0.6}[i] * r.Between(0.9, 1.1)
				}
			}
		}
		one.half = one.end
		m = append(m, one)
	}
	if r.OneIn(5) { // nothing is learned
		for i := range m {
			m[i].end = [3]float64{0.05, 0.05, 0.05}
			m[i].half = m[i].end
		}
	}
	return m
}

func drawnTrades(r claimtest.Stream) trades {
	accuracyOf := func(least float64) accuracy {
		return accuracy{global: least + (1-least)*r.Float64(), conditional: r.Between(0.03, 1), guess: 0.05, windows: 2048}
	}
	var m trades
	none, like, part := r.OneIn(4), r.IntN(3), r.Between(0.1, 10)
	for _, printed := range printedTrades {
		with, of, even := accuracyOf(0.3), accuracyOf(0.3), accuracyOf(0.3)
		if none { // nothing is learned
			with.conditional, of.conditional, even.conditional = 0.05, 0.05, 0.05
		}
		switch {
		case none:
		case like == 0: // as the lecture has it
			with.global, of.global, with.conditional, of.conditional = 0.8, 0.6, 0.1, 0.6
			even.conditional = 0.3
		case like == 1: // the weight spoils it
			of.conditional, even.conditional = 0.2, 0.8
		}
		m = append(m, trade{
			traded: printed, weighted: [3]accuracy{1: with, 2: of}, even: [3]accuracy{2: even}, half: with,
			along:    [2][]float64{{0, with.global, with.global}, {0, of.global + 0.1, of.global}},
			gradient: drawnGradient(r, part),
		})
	}
	return m
}

// drawnGradient is a gradient in which background has the given part at each moment, or
// any other part at some.
func drawnGradient(r claimtest.Stream, part float64) (list []gradientNorms) {
	for range gradientMoments {
		list = append(list, gradientNorms{background: part, retrieval: 1})
		if r.OneIn(12) {
			list[len(list)-1].background = r.Between(0.1, 10)
		}
	}
	return list
}

func drawnCurves(r claimtest.Stream) curves {
	a := func() along {
		return falling(3, r.Between(0.6, 2.9), r.Float64(), r.Between(0.5, 2.9))
	}
	m := curves{signals: []signalCurves{{sine, 0.5, [3]along{
		closesAt(1 + r.IntN(24)), closesAt(1 + r.IntN(24)), closesAt(1 + r.IntN(24)),
	}}}}
	if s := []signal{switching, routing}[r.IntN(2)]; r.OneIn(2) {
		m.signals = append(m.signals, signalCurves{s, 0.5, [3]along{a(), a(), a()}})
	}
	return m
}

func drawnWindows(r claimtest.Stream) windowed {
	m := windowsOf(20+r.IntN(80), 2+r.IntN(2)*14)
	if r.OneIn(3) {
		m = windowsOf(20+r.IntN(35), 16) // nothing can be foretold, or it is not sure
	}
	if r.OneIn(3) { // transformers, from any accuracy to any other
		last := 20 + r.IntN(20)
		any := func() int { return last + r.IntN(101-last) }
		of := trainedTo(0, last, any(), any(), any())
		m.last, m.trained = of.last, of.trained
	}
	if r.OneIn(4) {
		m.period[1] = 1 - r.Between(1e-3, 0.1)
	}
	return m
}

func drawnFormulas(r claimtest.Stream) workedThrough {
	var m workedThrough
	misprints := r.OneIn(2)
	for range 4 {
		f := formula{slide: "a slide", printed: "a formula", left: r.Off(r.OneIn(10))}
		if misprints && r.OneIn(2) {
			f.off = r.Between(1e-3, 1)
		}
		m.formulas = append(m.formulas, f)
	}
	return m
}

func drawnHandwork(r claimtest.Stream) (m handwork) {
	worst, printed := r.OneIn(3), r.OneIn(2)
	for _, name := range []string{"a", "b"} {
		right := 10
		if worst {
			right -= r.IntN(3)
		}
		of := score{steps: 10, right: right}
		c := construction{name: name, double: of, single: of, shortcuts: []shortcut{{"a part", score{steps: 10, right: 5}}}}
		if printed && r.OneIn(2) {
			c.printed = "a head"
		}
		m.list = append(m.list, c)
	}
	return m
}

func drawnQuantisers(r claimtest.Stream) quantised {
	m := asListed()
	if r.OneIn(3) {
		m.uniform[0].outside = r.IntN(3)
	}
	m.events[0].points[0].distortion = r.Between(0.05, 2)
	m.events[1].points[0].distortion = r.Between(0.2, 2)
	return m
}
