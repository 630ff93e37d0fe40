package signals

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
)

// printedAlpha is the attention printed in “Peaked Attention”, and alphaRounding the
// largest rounding error of its digits.
var printedAlpha = []float64{0, 0, 0.95, 0.02, 0.02, 0.01}

const alphaRounding = 0.005

// peaked holds attention as on the slide “Peaked Attention”: from the last of six
// positions to all six.
type peaked struct {
	best, omega float64   // largest attention at the peak without a gain, and the frequency that gives it
	alpha       []float64 // attention at that frequency
	// The least gain in nats that gives the peak the printed attention, the frequency at
	// which it does, and attention with that gain.
	gain, gainOmega float64
	gained          []float64
}

// peakedAttention returns the attention from position i = 5 to the positions j ≤ 5, with
// scores nats·cos((i−j−3)ω).
func peakedAttention(omega, nats float64) []float64 {
	scores := make([]float64, peakPosition+1)
	for j := range scores {
		scores[j] = nats * peakedScore(peakPosition, j, omega, true)
	}
	return model.Probabilities(scores)
}

// attention compares the slide's construction with the printed attention α, first without
// a gain, at the frequency that gives the peak the most attention, and then with a gain.
func (p *peaked) attention() (formula, error) {
	f := formula{slide: "Peaked Attention", printed: "α ≈ [0, 0, 0.95, 0.02, 0.02, 0.01]", off: math.Inf(1)}
	peak := peakPosition - peakOffset
	const steps = 20000
	for n := 1; n <= steps; n++ {
		omega := math.Pi * float64(n) / steps
		alpha := peakedAttention(omega, 1/math.Sqrt2)
		if alpha[peak] > p.best {
			p.best, p.omega, p.alpha = alpha[peak], omega, alpha
		}
		apart := 0.0
		for j, x := range printedAlpha {
			apart = max(apart, math.Abs(alpha[j]-x)-alphaRounding)
		}
		f.off = min(f.off, apart)
	}
	p.leastGain()
	f.instead = claim.Exactly("largest attention at the offset, with six sources", "", p.best).
		Beside("printed", printedAlpha[peak])
	p.check(&f)
	f.counter = fmt.Sprintf("for every ω, the scores are within ±1/√2, and the peak has at most %.2f (at ω = %.2f). "+
		"With any gain, offsets 2 and 4 have equal scores and so equal attention, but 0.02 and 0 are printed",
		p.best, p.omega)
	f.right = fmt.Sprintf("a gain of %.2f nats, W_K times %.2f·√2, at ω = %.4f: α = %.3f, which is the printed α if "+
		"its second and fifth numbers are exchanged. No ω needs less gain", p.gain, p.gain, p.gainOmega, p.gained)
	return f, nil
}

// leastGain finds the least gain that gives the peak the printed attention at any
// frequency.
func (p *peaked) leastGain() {
	const steps = 20000
	peak := peakPosition - peakOffset
	p.gain = 100
	for n := 1; n <= steps; n++ {
		omega := math.Pi * float64(n) / steps
		if peakedAttention(omega, p.gain)[peak] < printedAlpha[peak] {
			continue
		}
		lo, hi := 0.0, p.gain
		for range 60 { // the peak grows with the gain
			if middle := (lo + hi) / 2; peakedAttention(omega, middle)[peak] < printedAlpha[peak] {
				lo = middle
			} else {
				hi = middle
			}
		}
		p.gain, p.gainOmega = hi, omega
	}
	p.gained = peakedAttention(p.gainOmega, p.gain)
}

// check sets the error of the construction with a gain: the difference from the closed
// form, or 1 if its rounded numbers are not the printed ones with two exchanged.
func (p *peaked) check(f *formula) {
	part := func(m float64) float64 { return math.Exp(p.gain * (math.Cos(m*p.gainOmega) - 1)) }
	peak := peakPosition - peakOffset
	f.left = math.Abs(p.gained[peak] - 1/(1+2*part(1)+2*part(2)+part(3)))
	exchanged := slices.Clone(printedAlpha)
	exchanged[1], exchanged[4] = exchanged[4], exchanged[1]
	for j, x := range exchanged {
		if math.Abs(p.gained[j]-x) > alphaRounding {
			f.left = 1
		}
	}
}

func (m workedThrough) draw(out *claim.Output) {
	out.Figure("peaks", m.figure())
	kernels := document.Frame{Columns: document.Named("series", "offset", "score")}
	for _, s := range kernelSeries() {
		for i, x := range s.X {
			kernels.Row(s.Color, x, s.Y[i])
		}
	}
	out.CSV("kernels", kernels)
	attention := document.Frame{Columns: document.Named("source", "printed", "without_gain", "with_gain")}
	for j, x := range printedAlpha {
		attention.Row(j, x, m.peaked.alpha[j], m.peaked.gained[j])
	}
	out.CSV("attention", attention)
	drawSharpness(out)
}

// kernelSeries returns the series of the first two charts of S8's figure.
func kernelSeries() []figure.Series {
	const width, omega = 8, 2 * math.Pi / 16
	curves := []struct {
		name     string
		from, to int
		at       func(m int) float64
	}{
		{"p_i·p_j", -20, 20, func(m int) float64 { return cosines(float64(m), width) }},
		{"keys rotated for τ = 3", -20, 20, func(m int) float64 { return cosines(float64(m-peakOffset), width) }},
		{"W_K as printed", 0, 32, func(m int) float64 { return peakedScore(m, 0, omega, false) }},
		{"transposed", 0, 32, func(m int) float64 { return peakedScore(m, 0, omega, true) }},
	}
	var list []figure.Series
	for k, c := range curves {
		s := figure.Series{Name: c.name, Color: k + 1}
		for m := c.from; m <= c.to; m++ {
			s.Add(float64(m), c.at(m))
		}
		list = append(list, s)
	}
	return list
}

func (m workedThrough) figure() *figure.Figure {
	kernels := kernelSeries()
	sources := make([]string, len(printedAlpha))
	for j := range sources {
		sources[j] = fmt.Sprint(j)
	}
	return figure.Row("Where rotated keys peak",
		"The kernel for d = 8 peaks at 0, and with rotated keys at 3. The printed matrix gives no peak at 3; its "+
			"transpose gives a peak at 3 and another at 19. Bars: the source at offset 3 has 0.95 as printed, less "+
			"than a third without a gain, and 0.95 with a gain; with a gain, both its neighbours have equal "+
			"attention.",
		figure.Chart{
			Title: "sinusoids, d = 8", X: figure.Axis{Label: "offset i − j"}, Y: figure.Axis{Label: "q·k"},
			Series: kernels[:2], Refs: []figure.Ref{{Label: "τ", Value: peakOffset, Vertical: true}},
		},
		figure.Chart{
			Title: "one plane, ω = 2π/16", X: figure.Axis{Label: "offset i − j"}, Y: figure.Axis{Label: "q·k"},
			Series: kernels[2:], Refs: []figure.Ref{{Label: "τ", Value: peakOffset, Vertical: true}},
		},
		figure.Bars{
			Title: "attention", Y: figure.Axis{Label: "α"}, Label: "source j, from position 5", Groups: sources,
			Series: []figure.BarSeries{
				{Name: "α as printed", Y: printedAlpha, Color: 5},
				{Name: "best without a gain", Y: m.peaked.alpha, Color: 6},
				{Name: fmt.Sprintf("gain of %.1f nats", m.peaked.gain), Y: m.peaked.gained, Color: 7},
			},
		})
}
