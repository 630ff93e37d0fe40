package model

import (
	"fmt"
	"iter"
	"slices"

	"foretell/internal/random"
	"foretell/internal/strict"
)

// Generation says how a sequence is continued.
type Generation struct {
	Sampling
	// Seed keys the random numbers: the token at a position depends on it, the position and
	// the tokens before alone. The same one gives the same tokens.
	Seed uint64
	// Most is the number of tokens to generate.
	Most int
	// Stop lists tokens after any of which there are no more; it is generated, too.
	Stop []int32
	// Slide goes on where the context is full: each token is then predicted from the last
	// n_ctx tokens by a whole pass, in which all of them have new positions. Otherwise the
	// token after n_ctx others is the last, and a prompt has at most n_ctx.
	Slide bool
}

// Next is a token that a model has generated.
type Next[F Float] struct {
	Token  int32
	Logits []F // (V), from which it was drawn; valid until the next token
}

// Generate continues a prompt, of at least one token, as the options say: it yields a
// token after the other as they are drawn, and keeps keys and values of those before in a
// [Stream]. It yields an error, and ends, when a number of the options is out of range (a
// [*FieldError]), when the prompt does not fit, and when the model computes no finite
// numbers ([ErrNotFinite]).
func (m *Transformer[F]) Generate(prompt []int32, g Generation) iter.Seq2[Next[F], error] {
	return func(yield func(Next[F], error) bool) {
		if err := m.generate(prompt, g, func(next Next[F]) bool { return yield(next, nil) }); err != nil {
			yield(Next[F]{}, err)
		}
	}
}

// generate is Generate, whose error is returned and not yielded.
func (m *Transformer[F]) generate(prompt []int32, g Generation, yield func(Next[F]) bool) error {
	if err := g.Check(); err != nil {
		return err
	}
	if g.Most < 0 {
		return strict.Fieldf("most", "= %d is less than 0; 0 generates none", g.Most)
	}
	for _, z := range g.Stop {
		if z < 0 || int(z) >= m.Config.DVocab {
			return strict.Fieldf("stop", "= %d is no token; give one of 0 to %d", z, m.Config.DVocab-1)
		}
	}
	if err := m.Config.checkAlphabet(prompt); err != nil { // the model may not see all of it
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

// follow returns the logits (V) after a word, of which the stream has the beginning;
// where it slides, after the last n_ctx tokens of a longer one.
func (s *Stream[F]) follow(word []int32, slide bool) ([]F, error) {
	if over := len(word) - s.m.Config.NCtx; slide && over > 0 {
		s.Truncate(0)
		return s.Append(word[over:]...)
	}
	return s.Append(word[s.Len():]...)
}
