package model

import (
	"fmt"
	"iter"
	"slices"

	"foretell/internal/random"
	"foretell/internal/strict"
)

// Generation has the options for continuing a sequence.
type Generation struct {
	Sampling
	// Seed is the key of the random numbers. The token at a position depends only on the
	// seed, the position and the tokens before it, so the same seed gives the same tokens.
	Seed uint64
	// Most is the largest number of tokens to generate.
	Most int
	// Stop lists tokens that end the sequence. The stop token itself is generated.
	Stop []int32
	// Slide continues after the context is full: each token is then predicted from the last
	// n_ctx tokens by a full pass, in which they all have new positions. Without Slide, a
	// prompt has at most n_ctx tokens, and generation ends with the token that follows a
	// full context of n_ctx tokens.
	Slide bool
}

// Next is a token that a model has generated.
type Next[F Float] struct {
	Token  int32
	Logits []F // (V), the logits that it was sampled from; valid until the next token
}

// Generate continues a prompt of at least one token. It yields each token as soon as it
// is sampled, and keeps the keys and values of earlier tokens in a [Stream]. It yields an
// error and ends if an option is out of range (a [*FieldError]), if the prompt is too
// long or has a token outside the vocabulary, or if the model computes a NaN or an
// infinity ([ErrNotFinite]).
func (m *Transformer[F]) Generate(prompt []int32, g Generation) iter.Seq2[Next[F], error] {
	return func(yield func(Next[F], error) bool) {
		if err := m.generate(prompt, g, func(next Next[F]) bool { return yield(next, nil) }); err != nil {
			yield(Next[F]{}, err)
		}
	}
}

// generate does the work of [Transformer.Generate] and returns the error.
func (m *Transformer[F]) generate(prompt []int32, g Generation, yield func(Next[F]) bool) error {
	if err := g.Check(); err != nil {
		return err
	}
	if g.Most < 0 {
		return strict.Fieldf("most", "= %d is less than 0; give at least 0", g.Most)
	}
	for _, z := range g.Stop {
		if z < 0 || int(z) >= m.Config.DVocab {
			return strict.Fieldf("stop", "= %d is not a token; give one of 0 to %d", z, m.Config.DVocab-1)
		}
	}
	if err := m.Config.checkAlphabet(prompt); err != nil { // the stream checks only the tokens that it reads
		return fmt.Errorf("model: %w", err)
	}
	s, word := m.NewStream(), slices.Clone(prompt)
	for range g.Most {
		logits, err := s.follow(word, g.Slide)
		if err != nil {
			return err
		}
		if err := checkLogits(logits, m.Config.DVocab, len(word)-1); err != nil {
			return err
		}
		token := draw(Sampled(logits, g.Sampling), random.New(g.Seed, "generate", uint64(len(word))))
		if !yield(Next[F]{token, logits}) || slices.Contains(g.Stop, token) {
			return nil
		}
		if len(word) == m.Config.NCtx && !g.Slide {
			return nil
		}
		word = append(word, token)
	}
	return nil
}

// follow returns the logits (V) after a sequence, given that the stream has already read
// its first tokens. If slide is set and the sequence is longer than n_ctx, it reads only
// the last n_ctx tokens.
func (s *Stream[F]) follow(word []int32, slide bool) ([]F, error) {
	if over := len(word) - s.m.Config.NCtx; slide && over > 0 {
		s.Truncate(0)
		return s.Append(word[over:]...)
	}
	return s.Append(word[s.Len():]...)
}
