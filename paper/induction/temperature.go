package induction

import (
	"fmt"

	"foretell/model"
)

// temperature returns the β of Eq. 3 that a model's last layer has, for its first head:
// the slope of its scores on the means of p̃ so far. For lag k, the score belongs to the
// token k−1 back. Both are taken minus their mean over lags, which the softmax over these
// tokens ignores, and the line goes through 0. Destinations are the positions from
// judgedFrom on. A model whose scores follow something else has a slope near 0.
func temperature[F model.Float](c *chains, m *model.Transformer[F]) (float64, error) {
	layer, lags, longest := m.Config.NLayers-1, c.lags(), c.longest()
	hook := fmt.Sprintf("blocks.%d.attn.hook_attn_scores", layer)
	products, squares := 0.0, 0.0
	for n := range c.count() {
		_, cache, err := m.RunWithCache(c.sequence(n), 1, hook)
		if err != nil {
			return 0, err
		}
		transitions, err := c.process.NormalisedTransitions(c.sequence(n))
		if err != nil {
			return 0, err
		}
		scores, means := cache.Get(hook).Data, make([]float64, len(lags))
		for i := longest; i < c.context; i++ {
			now := make([]float64, len(lags))
			for k, lag := range lags {
				means[k] += transitions[i-longest][k]
				now[k] = float64(scores[i*c.context+i-lag+1])
			}
			if i >= judgedFrom-1 {
				xy, xx := slope(means, now)
				seen := float64(i - longest + 1) // transitions
				products, squares = products+xy/seen, squares+xx/seen/seen
			}
		}
	}
	return products / squares, nil
}

// slope returns the sums of products and of squares of x, for a regression of y on x,
// both minus their means.
func slope(x, y []float64) (products, squares float64) {
	n, sumX, sumY := float64(len(x)), 0.0, 0.0
	for i := range x {
		sumX, sumY = sumX+x[i], sumY+y[i]
	}
	for i := range x {
		dx := x[i] - sumX/n
		products, squares = products+dx*(y[i]-sumY/n), squares+dx*dx
	}
	return products, squares
}
