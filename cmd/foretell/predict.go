package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"foretell/model"
	"foretell/process"
	"foretell/run"

	"github.com/spf13/cobra"
)

// modelArgument is the one argument of commands that look at a model.
const modelArgument = "MODEL, such as runs/first"

func newPredict() *cobra.Command {
	var tokens string
	var params []string
	cmd := &cobra.Command{
		Use:   "predict MODEL",
		Short: "Compare a model's next-token distribution with the optimal one",
		Long: `Compare a model's next-token distribution after some tokens with that of the optimal predictor
of the process that it was trained on. MODEL is a run's folder, a model.safetensors with its
config.yaml beside it, or craft:NAME for a model whose weights are written by hand.

` + craftedHelp(),
		Example: `  foretell predict runs/first --tokens 0,1,2
  foretell predict craft:coin --param a=2 --param b=5 --param n_ctx=1024 --tokens 2,1,1,0`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, names, err := predictModel(cmd, args[0], params, tokens)
			if err != nil {
				return err
			}
			if wantsJSON(cmd) {
				return printJSON(cmd, p)
			}
			return p.print(cmd.OutOrStdout(), names)
		},
		ValidArgsFunction: completeModel,
	}
	addTokens(cmd, &tokens)
	addCraftedParams(cmd, &params)
	return cmd
}

// predictModel predicts by any MODEL, and returns the names of the tokens.
func predictModel(cmd *cobra.Command, arg string, params []string, tokens string) (*prediction, []string, error) {
	if name, ok := craftedName(arg); ok {
		m, err := buildCrafted(name, params)
		if err != nil {
			return nil, nil, err
		}
		return predict(m.Model, m.Process, tokens)
	}
	if err := noParams(arg, params); err != nil {
		return nil, nil, err
	}
	m, err := openModel(cmd, arg)
	if err != nil {
		return nil, nil, err
	}
	return predict(m.Model, m.Process, tokens)
}

// openTrained opens a model and passes its notes on.
func openTrained(cmd *cobra.Command, folder string) (*run.Trained, error) {
	m, err := run.Open(folder)
	if err != nil {
		return nil, err
	}
	for _, note := range m.Notes {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: "+note)
	}
	return m, nil
}

// openModel opens the model of a process.
func openModel(cmd *cobra.Command, folder string) (*run.Trained, error) {
	m, err := openTrained(cmd, folder)
	if err != nil {
		return nil, err
	}
	if m.Process == nil {
		return nil, fmt.Errorf("%s: its config.yaml names no process, so there is no optimum to compare with; name it there under process:, or look at the model with `foretell walk`", folder)
	}
	return m, nil
}

// prediction is of the next token after a word.
type prediction struct {
	Model   []float64 `json:"model"`
	Optimal []float64 `json:"optimal"`
	KL      float64   `json:"kl"` // from the optimal to the model's, in nats
}

// predict compares a model with the optimal predictor of a process after some tokens,
// and returns the names of the tokens.
func predict[F model.Float](m *model.Transformer[F], p process.Process, tokens string) (*prediction, []string, error) {
	names := p.Tokens()
	word, err := parseTokens(tokens, names)
	if err != nil {
		return nil, nil, err
	}
	if err := checkLength(m.Config, word); err != nil {
		return nil, nil, err
	}
	optimal, err := predictOptimal(p, word)
	if err != nil {
		return nil, nil, wrongUsage(err)
	}
	all, err := m.Logits(asTokens(word))
	if err != nil {
		return nil, nil, wrongUsage(err)
	}
	logits := all[len(all)-m.Config.DVocab:]
	return &prediction{model.Probabilities(logits), optimal, model.Divergence(optimal, logits)}, names, nil
}

// checkLength returns an error unless a word fits the model's context.
func checkLength(c model.Config, word []int) error {
	if len(word) < 1 || len(word) > c.NCtx {
		return wrongUsage(fmt.Errorf("--tokens: %d tokens given; the model takes 1 to %d, such as 0,1", len(word), c.NCtx))
	}
	return nil
}

// asTokens returns a word as a model takes it.
func asTokens(word []int) []int32 {
	tokens := make([]int32, len(word))
	for i, z := range word {
		tokens[i] = int32(z)
	}
	return tokens
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

func (p *prediction) print(out io.Writer, names []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "next token\tmodel\toptimal")
	for z, q := range p.Model {
		best := 0.0 // beyond the process's alphabet
		if z < len(p.Optimal) {
			best = p.Optimal[z]
		}
		name := strconv.Itoa(z)
		if z < len(names) {
			name = names[z]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, number(q), number(best))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "KL(optimal‖model) = %.2e nats\n", p.KL)
	return err
}
