package induction

import (
	"slices"

	"foretell/model"
)

// attention holds the mean attention of each head to earlier tokens:
// [layer][head][lag][distance], where lag is the index of the true lag among the task's
// lags. The mean is over sequences with that lag and over destinations from position
// judgedFrom on. Distance 0 is the token itself; distances beyond farthest are not
// included.
type attention [][][][]float64

// farthest is the largest recorded distance.
const farthest = 16

// newAttention returns an attention of zeros.
func newAttention(c model.Config, lags int) attention {
	a := make(attention, c.NLayers)
	for layer, heads := range c.NHeads {
		for range heads {
			byLag := make([][]float64, lags)
			for k := range byLag {
				byLag[k] = make([]float64, farthest+1)
			}
			a[layer] = append(a[layer], byLag)
		}
	}
	return a
}

// addPatterns adds a layer's attention patterns (B,H,T,T), summed over destinations from
// judgedFrom on, to that layer's entry of an attention. The patterns belong to the B
// sequences that begin at index first.
func addPatterns[F model.Float](to [][][]float64, c *chains, first int, patterns model.Tensor[F]) {
	heads, t := patterns.Shape[1], c.context
	for b := range patterns.Shape[0] {
		lag := slices.Index(c.lags(), c.lag[first+b])
		for h := range heads {
			pattern := patterns.Data[(b*heads+h)*t*t:][:t*t]
			for i := judgedFrom - 1; i < t; i++ {
				for d := 0; d <= min(i, farthest); d++ {
					to[h][lag][d] += float64(pattern[i*t+i-d])
				}
			}
		}
	}
}

// sumAttention returns the mean attention, from the sums of all passes, which it adds up
// in order.
func sumAttention(passes []attention, c *chains) attention {
	total := passes[0]
	for _, more := range passes[1:] {
		total.each(func(layer, head, lag, d int) { total[layer][head][lag][d] += more[layer][head][lag][d] })
	}
	summed := float64(c.count() / len(c.lags()) * (c.context - judgedFrom + 1))
	total.each(func(layer, head, lag, d int) { total[layer][head][lag][d] /= summed })
	return total
}

// each calls f with the indices of every entry of the attention.
func (a attention) each(f func(layer, head, lag, d int)) {
	for layer := range a {
		for head := range a[layer] {
			for lag := range a[layer][head] {
				for d := range a[layer][head][lag] {
					f(layer, head, lag, d)
				}
			}
		}
	}
}
