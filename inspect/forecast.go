package inspect

import (
	"math"
	"strconv"

	"foretell/internal/text"
	"foretell/token"
)

// likelyShare is the share of the probability that a forecast's levels hold.
const likelyShare = 0.9

// Forecast describes a distribution over the levels of a signal in the signal's unit.
type Forecast struct {
	Mean float64 `json:"mean"` // mean of the levels
	// Likely90 are the fewest levels that hold 90 % of the probability, as the first and
	// last level of each run of neighbours, in ascending order.
	Likely90 [][2]float64 `json:"likely_90"`

	decimals int // number of decimals in text, enough to distinguish neighbouring levels
}

// forecastOf returns the forecast of a distribution over levels. A model may have more
// tokens than the signal has levels; these tokens are ignored.
func forecastOf(p, levels []float64) *Forecast {
	p = p[:min(len(p), len(levels))]
	f, total := &Forecast{decimals: decimalsOf(levels)}, 0.0
	for z, q := range p {
		f.Mean += float64(q * levels[z])
		total += q
	}
	f.Mean /= total
	for _, run := range token.Likeliest(p, likelyShare) {
		f.Likely90 = append(f.Likely90, [2]float64{levels[run[0]], levels[run[1]]})
	}
	return f
}

// decimalsOf returns a number of decimals, at most 9, that is enough to keep neighbouring
// levels distinct after rounding.
func decimalsOf(levels []float64) (decimals int) {
	least := math.Inf(1)
	for z := 1; z < len(levels); z++ {
		least = min(least, levels[z]-levels[z-1])
	}
	for unit := 1.0; unit > least && decimals < 9; unit /= 10 {
		decimals++
	}
	return decimals
}

// text returns the levels that hold 90 %, as in "42–50, 75 and 176". JSON has them in
// full precision.
func (f *Forecast) text() string {
	var parts []string
	for _, run := range f.Likely90 {
		part := decimalsText(run[0], f.decimals)
		switch {
		case run[0] < 0 && run[1] != run[0]:
			part += " to " + decimalsText(run[1], f.decimals)
		case run[1] != run[0]:
			part += "–" + decimalsText(run[1], f.decimals)
		}
		parts = append(parts, part)
	}
	return text.And(parts)
}

// decimalsText formats a number with at most the given number of decimals, without zeros
// at the end, and never as -0.
func decimalsText(x float64, decimals int) string {
	unit := math.Pow10(decimals)
	return strconv.FormatFloat(math.Round(x*unit)/unit+0, 'f', -1, 64)
}
