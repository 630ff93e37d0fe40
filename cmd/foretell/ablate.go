package main

import (
	"strings"

	"foretell/document"
	"foretell/inspect"
	"foretell/intervene"

	"github.com/spf13/cobra"
)

func newAblate() *cobra.Command {
	var o inspect.AblateRequest
	withs, with := intervene.Withs(), ""
	cmd := &cobra.Command{
		Use:   "ablate MODEL",
		Short: "Ablation: remove heads, attention, MLPs or positions, and measure the damage",
		Long: `Ablation: remove one part of a model at a time, and print the KL divergence, in
nats, of the model's prediction from the optimal one: on average over sequences
of the process, and by position. The table has the whole model and the best
constant guess for comparison, and the most damaging part first. Without --head,
--attn, --mlp or --position, every head and every MLP is removed in turn.

--with says what replaces the output of a part: zeros, its mean at that position
over the sequences, or its value on another sequence (resample). The sequences
are all sequences of --length tokens, weighted by probability; if there are too
many, they are sampled and figures have a standard error. --tokens gives other
sequences, which count equally (a single one needs --with zero). If the process
of the model is not known, the predictions of the unchanged model take the
optimum's place.

Layers, heads and positions count from 0. The columns after 1, after 2, … have
the KL after that number of tokens; a change at position 0 can affect all of
them. For MODEL see ` + "`foretell predict --help`.",
		Example: `  foretell ablate runs/first
  foretell ablate runs/first --head 0.0 --head 0.0,0.1 --with resample
  foretell ablate runs/first --mlp 0 --position 2 --out mlp.svg`,
	}
	intervening(cmd, func(m *inspect.Model) (any, document.Forms, error) {
		if err := oneOf("--with", with, withs...); err != nil {
			return nil, nil, err
		}
		o.With = intervene.With(with)
		found, err := m.Ablate(cmd.Context(), o)
		if err != nil {
			return nil, nil, err
		}
		return found.Damage, found.Forms(lineGiven(cmd)), nil
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Heads, "head", nil, "a head; 0.1 is head 1 of layer 0; 0.0,0.1 removes both at once")
	flags.IntSliceVar(&o.Attention, "attn", nil, "all heads of this layer")
	flags.IntSliceVar(&o.MLPs, "mlp", nil, "the MLP of this layer")
	flags.IntSliceVar(&o.Positions, "position", nil,
		"remove the part only at this position, from 0; without a part, remove the embedding")
	flags.StringVar(&with, "with", string(intervene.Mean), "what replaces a removed part: "+strings.Join(withs, ", "))
	flags.IntVar(&o.Length, "length", 0, "length of the sequences (default the model's n_ctx)")
	flags.StringArrayVar(&o.Words, "tokens", nil,
		"a sequence, such as 0,1,2, instead of sequences of the process; may be repeated")
	takesWords(cmd, "tokens")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed of --with resample")
	addWorkers(cmd, &o.Workers)
	completeFlag(cmd, "head", completeHead)
	completeFlag(cmd, "with", cobra.FixedCompletions(withs, cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "attn", "mlp", "position", "length", "seed")
	return cmd
}
