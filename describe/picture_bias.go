package describe

import (
	"fmt"

	"foretell/figure"
	"foretell/process"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	drawnFlips  = 10  // number of flips after which the left panel compares posteriors
	drawnAlong  = 64  // number of flips in the sequence of the right panel
	drawnBiases = 199 // number of points of a density
)

// biasPicture draws the posterior of a coin's bias, by the number of heads seen and along
// a sequence; it returns nil if the process is not a coin.
func biasPicture(s Subject) (*figure.Figure, error) {
	coin, ok := s.Process.(process.Flipper)
	if !ok {
		return nil, nil
	}
	f := figure.Row(s.Process.Name()+": the posterior of its bias",
		fmt.Sprintf("Left: the density of the bias after %d flips, by the number of heads. Right: its mean, which is "+
			"the probability of heads next, with its 50 %% and 90 %% intervals along a sequence (seed 1).", drawnFlips),
		biasDensities(coin), s.biasAlong(coin))
	f.Width = 720
	s.head(f, "what its flips say about its bias",
		"The mean of the posterior is the optimal prediction, Pr(heads next).")
	return f, nil
}

// biasDensities draws the densities of the bias before any flip and after drawnFlips
// flips, by the number of heads.
func biasDensities(coin process.Flipper) figure.Panel {
	chart := figure.Chart{
		Title: fmt.Sprintf("after %d flips, by the heads among them", drawnFlips),
		X:     figure.Axis{Label: "bias, the probability of heads", Include: []float64{0, 1}},
		Y:     figure.Axis{Label: "density of the posterior", Include: []float64{0}}, Aspect: 0.8,
	}
	add := func(name string, heads, flips, class int) {
		a, b := coin.Bias(heads, flips)
		density := distuv.Beta{Alpha: a, Beta: b}
		line := figure.Series{Name: fmt.Sprintf("%s: next %.3f", name, a/(a+b)), Color: class, Open: flips == 0}
		for i := range drawnBiases {
			bias := float64(i+1) / (drawnBiases + 1)
			line.Add(bias, density.Prob(bias))
		}
		chart.Series = append(chart.Series, line)
	}
	add("no flip", 0, 0, figure.Grey)
	for i, heads := range []int{0, 2, 5, 8, drawnFlips} {
		add(fmt.Sprintf("%d heads", heads), heads, drawnFlips, i+1)
	}
	return chart
}

// biasAlong draws the posterior along a sequence.
func (s Subject) biasAlong(coin process.Flipper) figure.Panel {
	bands := [2]figure.Series{
		{Name: "90 % of the posterior", Style: figure.Band, Color: figure.Grey},
		{Name: "50 %", Style: figure.Band, Color: 6, Upon: figure.Grey},
	}
	mean := figure.Series{Name: "its mean, Pr(heads next)", Color: 6}
	share := figure.Series{Name: "share of heads so far", Color: 2, Style: figure.Scatter, Open: true}
	heads, flips := 0, 0
	see := func() {
		a, b := coin.Bias(heads, flips)
		posterior, x := distuv.Beta{Alpha: a, Beta: b}, float64(flips)
		for i, tail := range []float64{broad, narrow} {
			band := &bands[i]
			band.AddInterval(x, posterior.Quantile(0.5), posterior.Quantile(tail), posterior.Quantile(1-tail))
		}
		mean.Add(x, a/(a+b))
		if flips > 0 {
			share.Add(x, float64(heads)/x)
		}
	}
	see()
	for _, z := range s.sequence(drawnAlong + 1) {
		if z > 1 || flips == drawnAlong { // not a flip, or beyond those drawn
			continue
		}
		heads, flips = heads+int(z), flips+1
		see()
	}
	return figure.Chart{
		Title: "along a sequence", X: figure.Axis{Label: "flips seen"},
		Y:      figure.Axis{Label: "bias, the probability of heads", Include: []float64{0, 1}},
		Series: []figure.Series{bands[0], bands[1], mean, share}, Aspect: 0.8,
	}
}
