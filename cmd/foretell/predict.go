package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"foretell/model"
	"foretell/process"
	"foretell/train"

	"github.com/spf13/cobra"
)

func newPredict() *cobra.Command {
	var tokens string
	cmd := &cobra.Command{
		Use:   "predict MODEL",
		Short: "Compare a model's next-token distribution with the optimal one",
		Long: `Compare a model's next-token distribution after some tokens with that of the optimal predictor
of the process that it was trained on. MODEL is a run's folder, or a model.safetensors with its
config.yaml beside it.`,
		Example: "  foretell predict runs/first --tokens 0,1,2",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			word, err := parseTokens(tokens)
			if err != nil {
				return err
			}
			m, err := openModel(cmd, args[0])
			if err != nil {
				return err
			}
			return predict(cmd, m, word)
		},
	}
	cmd.Flags().StringVar(&tokens, "tokens", "", "the tokens observed, as 0,1,2")
	return cmd
}

// openModel opens a model and passes its notes on.
func openModel(cmd *cobra.Command, path string) (*train.Trained, error) {
	m, err := train.Open(path)
	if err != nil {
		return nil, err
	}
	for _, note := range m.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: "+note)
	}
	return m, nil
}

func predict(cmd *cobra.Command, m *train.Trained, word []int) error {
	if m.Process == nil {
		return errors.New("predict: the model's config.yaml names no process, so there is no optimal prediction to compare with")
	}
	optimal, err := predictOptimal(m.Process, word)
	if err != nil {
		return wrongUsage(err)
	}
	tokens := make([]int32, len(word))
	for i, z := range word {
		tokens[i] = int32(z)
	}
	all, err := m.Model.Logits(tokens)
	if err != nil {
		return wrongUsage(err)
	}
	logits := all[len(all)-m.Model.Config.DVocab:]
	kl := model.Divergence(optimal, logits)
	ours := model.Probabilities(logits)
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"model": ours, "optimal": optimal, "kl": kl})
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "next token\tmodel\toptimal")
	for z, q := range ours {
		best := 0.0 // beyond the process's alphabet
		if z < len(optimal) {
			best = optimal[z]
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", z, number(q), number(best))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "KL(optimal‖model) = %.3g nats\n", kl)
	return err
}

// predictOptimal returns the optimal next-token distribution after a word.
func predictOptimal(p process.Process, word []int) ([]float64, error) {
	predictor := p.Predictor()
	for _, z := range word {
		if err := predictor.Observe(z); err != nil {
			return nil, err
		}
	}
	next := make([]float64, p.Alphabet())
	predictor.Next(next)
	return next, nil
}
