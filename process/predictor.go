package process

import "foretell/internal/random"

// PredictorAfter returns the optimal predictor of a process after it has observed a
// sequence. It returns an error if the sequence has probability 0.
func PredictorAfter(p Process, sequence []int32) (Predictor, error) {
	predictor := p.Predictor()
	for _, z := range sequence {
		if err := predictor.Observe(int(z)); err != nil {
			return nil, err
		}
	}
	return predictor, nil
}

// NextAfter returns the optimal predictor's distribution of the token after a sequence,
// of length Alphabet. It returns an error if the sequence has probability 0.
func NextAfter(p Process, sequence []int32) ([]float64, error) {
	predictor, err := PredictorAfter(p, sequence)
	if err != nil {
		return nil, err
	}
	next := make([]float64, p.Alphabet())
	predictor.Next(next)
	return next, nil
}

// ExampleLength is the largest number of tokens in an example of a sequence.
const ExampleLength = 3

// ExampleOf returns an example of a sequence with at most n tokens, and at most
// [ExampleLength]. If the optimum is known, the example has positive probability: it is
// 0, 1, 2 if possible, or else a sampled sequence. Otherwise, as for a nil sampler, it is
// 0, 1, 2.
func ExampleOf(s Sampler, n int) []int32 {
	sequence := []int32{0, 1, 2}[:min(n, ExampleLength)]
	known, ok := s.(Process)
	if !ok {
		return sequence
	}
	if _, err := PredictorAfter(known, sequence); err != nil {
		s.Sample(sequence, random.New(1, "inspect/word"))
	}
	return sequence
}
