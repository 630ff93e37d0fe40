package main

import (
	"errors"
	"fmt"

	"foretell/inspect"

	"github.com/spf13/cobra"
)

// observed holds the flags for a model's input: tokens, or samples of the signal that the
// model predicts.
type observed struct{ tokens, signal string }

func (o *observed) add(cmd *cobra.Command) {
	addTokens(cmd, &o.tokens)
	cmd.Flags().StringVar(&o.signal, "signal", "",
		"instead of --tokens: `samples` of the signal that the model predicts, such as "+
			"2.5,1.8, or @FILE with one per line; the last n_ctx samples are used")
	completeNothing(cmd, "signal")
}

// word returns the model's input as tokens: the sequence of --tokens, which parse reads,
// or the quantised samples of --signal.
func (o *observed) word(cmd *cobra.Command, m *inspect.Model, parse func(string) ([]int32, error)) ([]int32, error) {
	if !cmd.Flags().Changed("signal") {
		word, err := parse(o.tokens)
		if samples, no := inspect.ReadSignal(o.tokens); err != nil && no == nil {
			if _, _, no = m.Quantise(samples); no == nil {
				err = fmt.Errorf("%w; to give samples of the signal, use --signal", err)
			}
		}
		return word, aboutTokens(err)
	}
	if cmd.Flags().Changed("tokens") {
		return nil, wrongUsage(errors.New("--tokens and --signal are both given; give one of them"))
	}
	samples, err := inspect.ReadSignal(o.signal)
	if err != nil {
		return nil, wrongUsage(fmt.Errorf("--signal: %w", err))
	}
	word, notes, err := m.Quantise(samples)
	for _, note := range notes {
		printMessage(cmd.ErrOrStderr(), "note: %s", note)
	}
	if err != nil {
		err = wrongUsage(fmt.Errorf("--signal: %w", err))
	}
	return word, err
}
