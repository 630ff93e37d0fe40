package intervene

import (
	"foretell/model"
)

// checkAttribution returns an error if the first-order estimate is not available.
func (p *patcher[F]) checkAttribution() error {
	c := p.model.Config
	switch {
	case !p.plan.Attribution:
		return nil
	case c.Output == "probabilities":
		return wrong("attribution is not available with output: probabilities, which has no gradients of logits")
	case len(p.fixed) > 0:
		return wrong("attribution is not available with fixed activations, because gradients would pass through them")
	}
	return nil
}

// attribute returns, for each site, the first-order estimate of the patched sequence's KL
// minus the corrupt sequence's KL. The estimate is the inner product of two vectors: the
// gradient of KL at the corrupt sequence, and the difference of the activations, clean −
// corrupt.
func (p *patcher[F]) attribute(pair Pair) ([]float64, error) {
	_, clean, err := p.model.RunWithCache(pair.Clean, 1, p.hooks...)
	if err != nil {
		return nil, err
	}
	_, corrupt, err := p.model.RunWithCache(pair.Corrupt, 1, p.hooks...)
	if err != nil {
		return nil, err
	}
	best, err := p.referenceOf(pair)
	if err != nil {
		return nil, err
	}
	gradients, err := p.model.Gradients(pair.Corrupt, 1, func(logits, gradient []F) {
		p.slopeOfKL(best, logits, gradient)
	}, p.hooks...)
	if err != nil {
		return nil, err
	}
	slopes := make([]float64, len(p.sites))
	for i, at := range p.sites {
		slope, from, to := gradients.Get(at.hook), corrupt.Get(at.hook).Data, clean.Get(at.hook).Data
		at.rows(slope.Shape, 0, func(_, first, end int) {
			for j := first; j < end; j++ {
				slopes[i] += float64(slope.Data[j]) * float64(to[j]-from[j])
			}
		})
	}
	return slopes, nil
}

// slopeOfKL adds to the slice `gradient` the gradient, with respect to the logits, of KL
// averaged over the n scored positions. At each of these positions it is (softmax −
// p*)/n.
func (p *patcher[F]) slopeOfKL(best [][]float64, logits, gradient []F) {
	V, n := p.model.Config.DVocab, float64(len(p.scored))
	for i, t := range p.scored {
		for z, q := range model.Probabilities(logits[t*V : (t+1)*V]) {
			if z < len(best[i]) {
				q -= best[i][z]
			}
			gradient[t*V+z] += F(q / n)
		}
	}
}

// referenceOf returns the same as [patcher.reference] for a pair that no pass has run
// yet: it runs the clean sequence itself.
func (p *patcher[F]) referenceOf(pair Pair) ([][]float64, error) {
	pass := newPass(p.model, p.length, 1, []string{})
	pass.add(pair.Clean)
	pass.run(nil)
	return p.reference(pass, pair)
}
