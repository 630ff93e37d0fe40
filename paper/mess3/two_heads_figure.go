package mess3

import (
	"math"

	"foretell/claim"
	"foretell/figure"
)

func (m headPairs) draw(out *claim.Output) {
	f := &figure.Figure{
		Title: "Two heads share what one cannot do",
		Desc: "For each process four heat maps: attention of the two heads, their sum signed and scaled by their OV " +
			"vectors, and the predicted powers of ζ.",
		Cols: []string{"positive head", "negative head", "signed and combined", "ζⁿ (Eq. 17)"},
	}
	var rows [][]float64
	for _, h := range m.main() {
		f.Rows = append(f.Rows, h.String())
		f.Panels = append(f.Panels, h.panels())
		rows = append(rows, h.rows()...)
	}
	out.Figure("heads", "Left: the mean attention of the two heads, the one first whose OV vectors point to the "+
		"token's own corner. Third: attention times the (signed) length of OV vectors, summed over both heads. "+
		"Right: ζ^(d−s) with ζ = −½, what the constrained belief asks for.", f)
	out.CSV("heads", []string{
		"x", "alpha", "destination", "source", "attention_positive", "attention_negative",
		"scale_positive", "scale_negative", "combined", "zeta_power",
	}, rows)
}

// panels are the attention of both heads and, in one scale of colours, what they make
// and what they should.
func (h headPair) panels() []figure.Panel {
	limit := 0.0
	for at, x := range h.combined {
		limit = max(limit, math.Abs(x), math.Abs(h.predicted[at]))
	}
	T := h.heads[0].pattern.T
	return []figure.Panel{
		heatMap(h.heads[0].pattern), heatMap(h.heads[1].pattern),
		signedMap(h.combined, T, limit), signedMap(h.predicted, T, limit),
	}
}

// rows are the pairs d > s, for the file of data.
func (h headPair) rows() (rows [][]float64) {
	T, positive, negative := h.heads[0].pattern.T, h.heads[0], h.heads[1]
	eachPair(T, func(d, src int) {
		at := d*T + src
		rows = append(rows, []float64{
			h.X, h.A, float64(d + 1), float64(src + 1), positive.pattern.Mean[at], negative.pattern.Mean[at],
			positive.scale[src], negative.scale[src], h.combined[at], h.predicted[at],
		})
	})
	return rows
}

// signedMap draws a (T,T) pattern with entries from −limit to limit.
func signedMap(pattern []float64, T int, limit float64) figure.Panel {
	h := lowerTriangle(pattern, T)
	h.Label, h.Diverging, h.Range = "signed", true, [2]float64{-limit, limit}
	return h
}
