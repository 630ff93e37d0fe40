package coin

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/figure"
)

// leastDrawn is where a divergence is drawn if it is less: below the precision of the
// logits it is noise about 0.
const leastDrawn = 1e-12

func (m learners) draw(out *claim.Output) {
	out.Figure("kl", "Divergence from the posterior predictive by the number of flips; bars are standard errors "+
		"over sequences. The vertical line is the longest context of training. Left, the three priors without "+
		"positions, and the construction of C5; middle, kinds of positions for the uniform prior; right, how far "+
		"attention is from uniform.", m.figure())
	var rows [][]float64
	for i, r := range m.all() {
		for n := range r.kl {
			rows = append(rows, []float64{
				float64(i), r.a, r.b, float64(n + r.first()), r.kl[n], r.klError[n], r.uniform[n],
			})
		}
	}
	out.CSV("trained", []string{"run", "a", "b", "flips", "kl", "kl_error", "attention_from_uniform"}, rows)
}

func (m learners) figure() *figure.Figure {
	priors := divergenceChart("priors")
	kinds := divergenceChart("positions")
	attention := divergenceChart("attention from uniform")
	attention.Y = figure.Axis{Label: "total variation", Include: []float64{0, 1}}
	for i := range m.trained {
		r := &m.trained[i]
		if r.kind() == "none" {
			priors.Series = append(priors.Series, r.divergences(r.prior.String()))
		}
		if r.a == 1 {
			kinds.Series = append(kinds.Series, r.divergences(r.kind()))
			attention.Series = append(attention.Series, r.distances(len(kinds.Series)))
		}
	}
	priors.Series = append(priors.Series, m.drawnWritten())
	return figure.Row("Transformers trained on coins",
		"Three charts against the number of flips: divergence by prior, divergence by kind of position, and the "+
			"distance of attention from uniform.",
		priors, kinds, attention)
}

func divergenceChart(title string) figure.Chart {
	return figure.Chart{
		Title: title, X: figure.Axis{Label: "flips + 1", Log: true}, Y: figure.Axis{Label: "KL (nats)", Log: true},
		Refs: []figure.Ref{{Label: "trained to here", Value: trainedFlips + 1, Vertical: true}},
	}
}

// drawnWritten are the divergences of the model that is written by hand.
func (m learners) drawnWritten() figure.Series {
	series := m.written.divergences(fmt.Sprintf("%s, %s", m.written.prior, m.written.kind()))
	for i := range series.Y {
		series.Y[i] = max(series.Y[i], leastDrawn)
	}
	series.Lo, series.Hi = nil, nil
	return series
}

// divergences are those at the places that the figure shows, with their standard errors.
func (r *predictions) divergences(name string) figure.Series {
	series := figure.Series{Name: name}
	for _, n := range r.places() {
		at := n - 1 - r.first()
		series.X, series.Y = append(series.X, float64(n)), append(series.Y, r.kl[at])
		series.Lo, series.Hi = append(series.Lo, r.kl[at]-r.klError[at]), append(series.Hi, r.kl[at]+r.klError[at])
	}
	return series
}

// distances are how far attention is from uniform there.
func (r *predictions) distances(color int) figure.Series {
	series := figure.Series{Name: r.kind(), Color: color}
	for _, n := range r.places() {
		series.X, series.Y = append(series.X, float64(n)), append(series.Y, r.uniform[n-1-r.first()])
	}
	return series
}

// places are the numbers of tokens, BOS and flips, that the figure shows of a model.
func (r *predictions) places() []int {
	var list []int
	for n := 1.0; n <= longestFlips; n *= math.Sqrt2 {
		if n >= float64(1+r.first()) {
			list = append(list, int(n))
		}
	}
	return slices.Compact(append(list, longestFlips+1))
}
