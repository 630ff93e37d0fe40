package intervene

import "errors"

// attribute returns the first-order estimate of each patched word's KL less the corrupt
// one's, by site.
func (p *patcher[F]) attribute(pair Pair) ([]float64, error) {
	return nil, errors.New("todo")
}
