package model

import (
	"slices"

	"foretell/internal/portable"
	"foretell/internal/random"
	"foretell/internal/strict"
)

// Sampling has the options for sampling the next token from a model's logits. The zero
// value takes the most probable token.
type Sampling struct {
	// Temperature divides the logits: 1 samples from the model's distribution, a smaller
	// temperature from a sharper one. 0 takes the token with the largest logit; if several
	// are equal, the first.
	Temperature float64
	// TopK keeps the k most probable tokens (Fan et al. 2018); 0 keeps all.
	TopK int
	// TopP is nucleus sampling (Holtzman et al. 2020): it keeps the smallest set of most
	// probable tokens whose probabilities, after Temperature and TopK, sum to p or more. 0
	// and 1 keep all.
	TopP float64
}

// Check returns a [*FieldError] (temperature, top_k or top_p) for the first option that
// is out of range.
func (s Sampling) Check() error {
	switch {
	case !(s.Temperature >= 0 && s.Temperature <= 1e6):
		return strict.Fieldf("temperature", "= %v is outside [0, 1e6]; 0 takes the most probable token", s.Temperature)
	case s.TopK < 0:
		return strict.Fieldf("top_k", "= %d is less than 0; 0 keeps all tokens", s.TopK)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return strict.Fieldf("top_p", "= %v is outside [0, 1]; 1 keeps all tokens", s.TopP)
	}
	return nil
}

// Sampled returns the distribution (V) from which a token is sampled, given the logits
// (V). It computes in float64. Of tokens with equal logits, TopK and TopP keep those with
// smaller numbers. Logits that differ only by rounding do not count as equal.
func Sampled[F Float](logits []F, s Sampling) []float64 {
	p := make([]float64, len(logits))
	top := 0
	for z, x := range logits {
		if x > logits[top] {
			top = z
		}
	}
	if s.Temperature == 0 {
		p[top] = 1
		return p
	}
	for z, x := range logits {
		p[z] = portable.Exp((float64(x) - float64(logits[top])) / s.Temperature)
	}
	normalize(p)
	if s.TopK > 0 && s.TopK < len(p) {
		order := ranked(p)
		for _, z := range order[min(s.TopK, len(order)):] {
			p[z] = 0
		}
		normalize(p)
	}
	if s.TopP > 0 && s.TopP < 1 {
		sum := 0.0
		for _, z := range ranked(p) {
			if sum >= s.TopP {
				p[z] = 0
			}
			sum += p[z]
		}
		normalize(p)
	}
	return p
}

// normalize divides p by its sum.
func normalize(p []float64) {
	sum := 0.0
	for _, q := range p {
		sum += q
	}
	for z := range p {
		p[z] /= sum
	}
}

// ranked returns the tokens with positive probability, the most probable first. Of
// equally probable tokens the one with the smaller number comes first.
func ranked(p []float64) []int {
	order := make([]int, 0, len(p))
	for z, q := range p {
		if q > 0 {
			order = append(order, z)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case p[a] > p[b]:
			return -1
		case p[a] < p[b]:
			return 1
		}
		return a - b
	})
	return order
}

// draw samples a token from a distribution.
func draw(p []float64, stream *random.Stream) int32 {
	u, sum, last := stream.Float64(), 0.0, 0
	for z, q := range p {
		if q == 0 {
			continue
		}
		last = z
		if sum += q; u < sum {
			break
		}
	}
	return int32(last)
}
