package inspect

import (
	"fmt"

	"foretell/model"
	"foretell/process"
)

// ParseWord parses a sequence of 1 to n_ctx tokens of the model, see [token.Names.Parse].
// The example in an error has positive probability under the model's process.
func (m *Model) ParseWord(text string) ([]int32, error) {
	word, err := m.ParsePrompt(text)
	if err == nil && checkLength(m.Config(), word) != nil {
		err = lengthError(m.Config(), word, m.Names().Format(m.example(2), ","))
	}
	if err != nil {
		return nil, err
	}
	return word, nil
}

// CheckWord returns an error if a sequence has a token outside the model's alphabet. For
// a hand-written model, it also returns an error if the sequence has probability 0 under
// the model's process, because the weights are meaningless for such a sequence.
func (m *Model) CheckWord(word []int32) error {
	if err := m.Config().CheckTokens(word); err != nil {
		return err
	}
	return m.possible(word)
}

// possible returns an error if the model is hand-written and a sequence has probability 0
// under its process. The error shows a sequence of positive probability.
func (m *Model) possible(word []int32) error {
	if !m.byHand {
		return nil
	}
	_, err := process.NextAfter(m.optimum, word)
	if err != nil {
		err = fmt.Errorf("%w; a possible sequence is %s", err, m.Names().Format(m.example(process.ExampleLength), ","))
	}
	return err
}

// ParsePrompt is [Model.ParseWord] for a sequence of any length.
func (m *Model) ParsePrompt(text string) ([]int32, error) {
	return m.Names().Parse(text, m.Config().DVocab, func() []int32 { return m.example(process.ExampleLength) })
}

// lengthError returns the error for a sequence of a wrong length. example is a sequence
// of a valid length, to show in the error.
func lengthError(c model.Config, word []int32, example string) error {
	return fmt.Errorf("%d tokens given; the model takes 1 to %d, such as %s", len(word), c.NCtx, example)
}

// example returns an example of a sequence that the model takes, with at most n tokens.
func (m *Model) example(n int) []int32 { return process.ExampleOf(m.sampler, min(n, m.Config().NCtx)) }

// checkLength returns an error unless a sequence has a length that the model takes.
func checkLength(c model.Config, word []int32) error {
	if len(word) < 1 || len(word) > c.NCtx {
		return lengthError(c, word, "0,1")
	}
	return nil
}
