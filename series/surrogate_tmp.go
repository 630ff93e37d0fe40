package series

import (
	"context"

	"foretell/internal/random"
)

func Shuffled(s *Series, seed uint64) *Series {
	c := *s
	c.Values = append([]float64(nil), s.Values...)
	random.New(seed, "series/shuffle").Shuffle(len(c.Values), func(i, j int) { c.Values[i], c.Values[j] = c.Values[j], c.Values[i] })
	return &c
}
func PhaseRandomised(_ context.Context, s *Series, seed uint64) (*Series, error) { return Shuffled(s, seed), nil }
