package process

import (
	"fmt"
	"slices"

	"foretell/internal/linalg"
	"foretell/internal/portable"
)

// Belief returns Pr(state | sequence), the distribution over the n hidden states after
// the tokens z_1 … z_d of a sequence: πT^w/(πT^w r) with T^w = T^{z_1} … T^{z_d}
// (Piotrowski et al. 2025, Eq. 2 and 25), where r is all ones unless the process is
// generalised. The belief after the empty sequence is π. Belief returns an error if a
// token is outside the alphabet or the sequence cannot occur.
//
// Each step renormalises, and a step with non-negative numbers does not amplify
// relative errors (it does not expand Hilbert's projective metric). Every entry
// therefore has a relative error of at most about len(sequence)·(n+3)·2⁻⁵³. In a
// generalised HMM terms may cancel, so a token whose probability is at most 1e-12
// counts as impossible.
func (h *HMM) Belief(sequence []int32) ([]float64, error) {
	p := h.newPredictor()
	for _, z := range sequence {
		if err := p.Observe(int(z)); err != nil {
			return nil, err
		}
	}
	return p.belief, nil
}

// Beliefs returns the belief after each prefix of a sequence: row t, of length n, is
// Belief(sequence[:t]), for t = 0 … len(sequence). Row 0 is the belief before any token.
func (h *HMM) Beliefs(sequence []int32) ([][]float64, error) {
	p := h.newPredictor()
	rows := [][]float64{slices.Clone(p.belief)}
	for _, z := range sequence {
		if err := p.Observe(int(z)); err != nil {
			return nil, err
		}
		rows = append(rows, slices.Clone(p.belief))
	}
	return rows, nil
}

// LogProb returns the natural logarithm of the probability that a sample from the
// stationary start begins with the given sequence. It is 0 for the empty sequence. It
// returns an error if a token is outside the alphabet or the sequence cannot occur.
func (h *HMM) LogProb(sequence []int32) (float64, error) {
	p := h.newPredictor()
	sum := 0.0
	for _, z := range sequence {
		q, err := p.observe(int(z))
		if err != nil {
			return 0, err
		}
		sum += portable.Log(q)
	}
	return sum, nil
}

// Predictor returns the optimal predictor, which updates the belief by Piotrowski et
// al. 2025, Eq. 24, at each token.
func (h *HMM) Predictor() Predictor { return h.newPredictor() }

// hmmPredictor is the recursion of Eq. 24: η ← ηT^z/(ηT^z r).
type hmmPredictor struct {
	h             *HMM
	seen          int // number of tokens observed
	belief, spare []float64
}

func (h *HMM) newPredictor() *hmmPredictor {
	return &hmmPredictor{h: h, belief: slices.Clone(h.pi), spare: make([]float64, len(h.pi))}
}

func (p *hmmPredictor) Next(dst []float64) {
	if len(dst) != p.h.Alphabet() {
		panic(fmt.Sprintf("process: Next: dst has %d entries, but %s has %d tokens", len(dst), p.h.name, p.h.Alphabet()))
	}
	p.h.nextInto(dst, p.belief)
}

func (p *hmmPredictor) Observe(token int) error {
	_, err := p.observe(token)
	return err
}

// observe does the same as Observe, and also returns the probability of the token.
func (p *hmmPredictor) observe(token int) (float64, error) {
	if err := checkToken(p.h, token, p.seen+1); err != nil {
		return 0, err
	}
	q := p.h.update(p.spare, p.belief, token)
	if q == 0 {
		return 0, impossible(p.h.name, p.h.tokens[token], p.seen+1)
	}
	p.belief, p.spare = p.spare, p.belief
	p.seen++
	return q, nil
}

func (p *hmmPredictor) Reset() {
	copy(p.belief, p.h.pi)
	p.seen = 0
}

// update sets dst to the belief after token z (Eq. 24), given the belief before it, and
// returns the probability of z. If that is 0, dst is all zeros.
func (h *HMM) update(dst, belief []float64, z int) float64 {
	linalg.VecMul(dst, belief, h.matrices[z])
	q := 0.0
	for j, v := range dst {
		q += float64(v * h.right[j])
	}
	if q == 0 || h.generalised && q <= negligible {
		clear(dst)
		return 0
	}
	for j := range dst {
		dst[j] /= q
	}
	return q
}

// checkToken returns an error unless z is a token of p; position counts from 1.
func checkToken(p Process, z, position int) error {
	if z < 0 || z >= p.Alphabet() {
		return fmt.Errorf("%s: token %d at position %d is outside the alphabet 0 … %d",
			p.Name(), z, position, p.Alphabet()-1)
	}
	return nil
}

// impossible returns the error for a token of probability 0.
func impossible(process, token string, position int) error {
	return fmt.Errorf("%s: token %s cannot occur at position %d: it has probability 0 given the earlier tokens",
		process, token, position)
}
