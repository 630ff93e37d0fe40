package figure

import (
	"math"
	"strconv"
	"strings"
)

// A tick is a mark on an axis. A tick without a label is a minor tick.
type tick struct {
	at    float64
	label string
}

// linearTicks returns labelled ticks in [lo, hi] at multiples of a step, which is 1, 2 or
// 5 times a power of ten. The step is not smaller than least, unless the range would then
// contain fewer than two multiples.
func linearTicks(lo, hi, least float64) []tick {
	step := niceStep(min(least, (hi-lo)/2))
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	for last-first < 1 { // the range may hold fewer than two multiples
		step = niceStep(step / 2.6) // the next smaller: 5 → 2 → 1 → 0.5
		first, last = math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	}
	var ticks []tick
	for k := first; k <= last; k++ {
		v := k * step
		ticks = append(ticks, tick{v, tickLabel(v, step, max(math.Abs(lo), math.Abs(hi)))})
	}
	return ticks
}

// niceStep returns the smallest number ≥ x that is 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// tickLabel formats v, a multiple of step, for an axis on which the largest absolute
// value is top.
func tickLabel(v, step, top float64) string {
	switch {
	case math.Abs(v) < step/2:
		return "0"
	case top >= 1e15 || top < 1e-3:
		return scientific(v, int(math.Floor(math.Log10(top*(1+1e-6)))), step)
	case top >= 2e9:
		return scaled(v, step, 1e9, "G")
	case top >= 2e6:
		return scaled(v, step, 1e6, "M")
	case top >= 2e4:
		return scaled(v, step, 1e3, "k")
	}
	return scaled(v, step, 1, "")
}

func scaled(v, step, unit float64, suffix string) string {
	return minus(strconv.FormatFloat(v/unit, 'f', decimals(step/unit), 64)) + suffix
}

// scientific formats v, a multiple of step, as a decimal number times 10^e.
func scientific(v float64, e int, step float64) string {
	unit := math.Pow(10, float64(e))
	return minus(strconv.FormatFloat(v/unit, 'f', decimals(step/unit), 64)) + "·" + powerOfTen(e)
}

// decimals returns the number of decimals needed to distinguish multiples of step.
func decimals(step float64) int { return max(0, -int(math.Floor(math.Log10(step)+1e-9))) }

// minus replaces the hyphen of a negative number by a true minus sign.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

var superscript = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³",
	"4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func powerOfTen(e int) string { return "10" + superscript.Replace(strconv.Itoa(e)) }

// logTicks returns ticks for a logarithmic axis over [lo, hi], 0 < lo < hi. Powers of ten
// are labelled, with unlabelled multiples in between and at most about n labels. If the
// axis contains fewer than two powers of ten, as many of their multiples as fit are
// labelled. If powers is true, labels are written as powers of ten, because another axis
// needs that notation.
func logTicks(lo, hi float64, n int, powers bool) []tick {
	lo, hi = lo*(1-1e-9), hi*(1+1e-9) // include ticks at the ends despite rounding
	first, last := decadesWithin(lo, hi)
	if decades := last - first + 1; decades >= 2 {
		every := (decades + max(n, 2) - 1) / max(n, 2)
		return decadeTicks(lo, hi, first, last, every, powers)
	}
	return shortLogTicks(lo, hi, max(n, 2), powers)
}

// decadesWithin returns the exponents of the first and the last power of ten in [lo, hi].
// If it contains no power of ten, last < first.
func decadesWithin(lo, hi float64) (first, last int) {
	return int(math.Ceil(math.Log10(lo))), int(math.Floor(math.Log10(hi)))
}

// needsPowers reports whether the labels of a logarithmic axis over [lo, hi] are too long
// as decimals.
func needsPowers(lo, hi float64) bool {
	first, last := decadesWithin(lo*(1-1e-9), hi*(1+1e-9))
	if last-first < 1 { // multiples of the neighbouring powers of ten are labelled, too
		first, last = first-1, last+1
	}
	return first < -3 || last > 3
}

// multiples lists the sets of digits whose multiples of a power of ten a short
// logarithmic axis may label, from few to many.
var multiples = []string{"1", "13", "125", "12357", "123456789"}

// shortLogTicks returns the ticks of an axis that contains fewer than two powers of ten
// and has room for n labels. It labels the largest set of multiples whose labels are not
// too close; the other multiples are minor ticks. If fewer than three ticks would have
// labels, and linear ticks would have more, it returns linear ticks.
func shortLogTicks(lo, hi float64, n int, powers bool) []tick {
	var ticks []tick
	labels := 0
	for _, labelled := range multiples {
		t := multipleTicks(lo, hi, labelled, powers)
		k := countLabels(t)
		if k >= 2 && (labels < 2 || apartBy(t, lo, hi, n)) {
			ticks, labels = t, k
		}
	}
	if labels > 2 {
		return ticks
	}
	linear := linearTicks(lo, hi, (hi-lo)/float64(n))
	if powers {
		for i, t := range linear {
			linear[i].label = scientific(t.at, int(math.Floor(math.Log10(hi))), linear[1].at-linear[0].at)
		}
	}
	if labels == 2 && (len(linear) < 3 || !apartBy(linear, lo, hi, n)) {
		return ticks
	}
	return linear
}

// multipleTicks returns the ticks at 1 … 9 times each power of ten. It labels only the
// multiples whose digit is in the string labelled.
func multipleTicks(lo, hi float64, labelled string, powers bool) (ticks []tick) {
	first, last := decadesWithin(lo, hi)
	for e := first - 1; e <= last+1; e++ {
		for m := 1; m < 10; m++ {
			t := tick{at: float64(m) * math.Pow(10, float64(e))}
			if t.at < lo || t.at > hi {
				continue
			}
			if strings.Contains(labelled, strconv.Itoa(m)) {
				t.label = logLabel(m, e, powers)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

func countLabels(ticks []tick) (n int) {
	for _, t := range ticks {
		if t.label != "" {
			n++
		}
	}
	return n
}

// apartBy reports whether the labels on a logarithmic axis from lo to hi are far enough
// apart. The axis has room for n labels.
func apartBy(ticks []tick, lo, hi float64, n int) bool {
	least, last := 0.8/float64(n)*math.Log(hi/lo), 0.0
	for _, t := range ticks {
		if t.label == "" {
			continue
		}
		if last > 0 && math.Log(t.at/last) < least {
			return false
		}
		last = t.at
	}
	return true
}

func decadeTicks(lo, hi float64, first, last, every int, powers bool) []tick {
	var ticks []tick
	for e := first - 1; e <= last; e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, float64(e))
			if v < lo || v > hi {
				continue
			}
			switch {
			case m == 1 && (e-first)%every == 0:
				ticks = append(ticks, tick{v, logLabel(1, e, powers)})
			case m == 1 || every == 1:
				ticks = append(ticks, tick{v, ""})
			}
		}
	}
	return ticks
}

// logLabel formats m·10^e as a decimal, or as a multiple of a power of ten.
func logLabel(m, e int, powers bool) string {
	switch {
	case !powers:
		return strconv.FormatFloat(float64(m)*math.Pow(10, float64(e)), 'f', max(0, -e), 64)
	case m == 1:
		return powerOfTen(e)
	}
	return strconv.Itoa(m) + "·" + powerOfTen(e)
}
