package describe

import (
	"fmt"
	"math"
	"slices"

	"foretell/theory"
)

const (
	attendedPositions = 10 // number of positions for which predicted attention is computed
	mostAttended      = 16 // largest number of heads that are listed or drawn
)

// Spectrum is the spectrum of the net transition matrix T, with the attention that theory
// predicts for one layer.
type Spectrum struct {
	Modes []Mode     `json:"modes"`
	Heads HeadCounts `json:"heads"`
	// Predicted is the attention that builds the constrained beliefs, or nil if it needs
	// more than 16 heads.
	Predicted []Head `json:"predicted"`
}

// HeadCounts holds the numbers of attention heads that theory requires, see
// [theory.Heads].
type HeadCounts struct {
	Future   int `json:"future"`
	Next     int `json:"next"`
	Belief   int `json:"belief"`
	Separate int `json:"separate"`
}

// Mode describes an eigenvalue of the net transition matrix T, or a conjugate pair, and
// the attention that it needs; see [theory.Mode].
type Mode struct {
	Eigenvalue   [2]float64 `json:"eigenvalue"` // real and imaginary part
	Pair         bool       `json:"pair"`
	Modulus      float64    `json:"modulus"`
	Phase        float64    `json:"phase"` // radians
	Multiplicity int        `json:"multiplicity"`
	Index        int        `json:"index"`
	Excited      int        `json:"excited"`
	Future       int        `json:"future"`
	Next         int        `json:"next"`
	Heads        int        `json:"heads"`
	Attention    string     `json:"attention"` // in words, the attention by lag n
}

// Head is a head predicted by theory over 10 positions, see [theory.AttentionHead].
type Head struct {
	Pattern [][]float64   `json:"pattern"` // [destination][source]
	OV      [][][]float64 `json:"ov"`      // [position][token][state]
}

func describeSpectrum(s *theory.Spectrum) *Spectrum {
	heads := s.Heads()
	shown := &Spectrum{Heads: HeadCounts{heads.Future, heads.Next, heads.Belief, heads.Separate}}
	for _, m := range s.Modes {
		shown.Modes = append(shown.Modes, Mode{
			Eigenvalue: [2]float64{real(m.Eigenvalue), imag(m.Eigenvalue)}, Pair: m.Pair(),
			Modulus: m.Modulus(), Phase: m.Phase(), Multiplicity: m.Multiplicity, Index: m.Index,
			Excited: m.Excited, Future: m.Future, Next: m.Next, Heads: m.Heads(), Attention: attentionTo(m),
		})
	}
	if heads.Belief > mostAttended { // they are too many to read, and take longer than everything else
		return shown
	}
	predicted := s.Attention(attendedPositions)
	for _, head := range predicted.Heads {
		vectors := square(head.OV, predicted.States)
		shown.Predicted = append(shown.Predicted, Head{
			Pattern: square(head.Pattern, attendedPositions),
			OV:      slices.Collect(slices.Chunk(vectors, predicted.Alphabet)),
		})
	}
	return shown
}

// attentionTo describes the attention that a mode needs, over lags n.
func attentionTo(m theory.Mode) string {
	lambda, power := real(m.Eigenvalue), "λⁿ"
	if m.Future > 1 {
		power = fmt.Sprintf("nᵏλⁿ, k < %d", m.Future)
	}
	switch {
	case m.Excited == 0:
		return "none: no token affects it"
	case m.Future == 0:
		return "none: no future token depends on it"
	case m.Pair():
		return fmt.Sprintf("%s, turning by %.1f° a step", power, m.Phase()*180/math.Pi)
	case lambda == 0 && m.Future == 1:
		return "lag 0 only, which the embedding already provides"
	case lambda == 0:
		return fmt.Sprintf("lags up to %d", m.Future-1)
	case lambda < 0:
		return power + ", alternating in sign"
	}
	return power
}
