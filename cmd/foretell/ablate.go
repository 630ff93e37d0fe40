package main

import (
	"strings"

	"foretell/inspect"
	"foretell/intervene"

	"github.com/spf13/cobra"
)

func newAblate() *cobra.Command {
	var o inspect.AblateRequest
	withs, with := intervene.Withs(), ""
	cmd := &cobra.Command{
		Use:   "ablate MODEL",
		Short: "Take heads, attention, MLPs or positions away, and see what that costs",
		Long: `Take parts of a model away, each by itself, and print KL in nats from the optimal prediction to the
model's without it, the mean over words of the process and by position, beside the model as it is and the
best guess that is always the same; the most damaging part first. Without --head, --attn, --mlp or
--position it is every head and every MLP in turn.

In the place of a part stand, by --with, zeros; its mean by position over the words; or what it is over
another word. Words are all of --length tokens, by their probability, or sampled ones where they are many,
and then figures have a standard error; or those of --tokens, alike (of one word, --with zero). A model that
names no process is scored against its own predictions over these. Layers, heads and positions count from 0,
the first token's; a KL is printed after 1, 2, … tokens, so that position 0 counts from the first of these
on. MODEL is as for ` + "`foretell predict`.",
		Example: `  foretell ablate runs/first
  foretell ablate runs/first --head 0.0 --head 0.0,0.1 --with resample
  foretell ablate runs/first --mlp 0 --position 2 --out mlp.svg`,
	}
	intervening(cmd, func(m *inspect.Model) (any, finding, error) {
		if err := oneOf("--with", with, withs...); err != nil {
			return nil, nil, err
		}
		o.With = intervene.With(with)
		found, err := m.Ablate(cmd.Context(), o)
		if err != nil {
			return nil, nil, err
		}
		return found.Damage, found, nil
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&o.Heads, "head", nil, "a head, as 0.1 for head 1 of layer 0; several by commas at once")
	flags.IntSliceVar(&o.Attention, "attn", nil, "the attention of this layer, all heads")
	flags.IntSliceVar(&o.MLPs, "mlp", nil, "the MLP of this layer")
	flags.IntSliceVar(&o.Positions, "position", nil, "at this position, from 0, alone; if no part is given, its embedding")
	flags.StringVar(&with, "with", string(intervene.Mean), "what stands in its place: "+strings.Join(withs, ", "))
	flags.IntVar(&o.Length, "length", 0, "tokens of the words (default the model's n_ctx)")
	flags.StringArrayVar(&o.Words, "tokens", nil, "a word to look at, as 0,1,2, instead of the process's; may be repeated")
	takesWords(cmd, "tokens")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed of --with resample")
	addWorkers(cmd, &o.Workers)
	completeFlag(cmd, "head", completeHead)
	completeFlag(cmd, "with", cobra.FixedCompletions(withs, cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "attn", "mlp", "position", "length", "seed")
	return cmd
}
