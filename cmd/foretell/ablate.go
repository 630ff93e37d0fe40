package main

import (
	"errors"
	"fmt"
	"strings"

	"foretell/inspect"
	"foretell/intervene"

	"github.com/spf13/cobra"
)

type ablateOptions struct {
	heads, tokens, params      []string
	attention, mlps, positions []int
	with, out                  string
	length, workers            int
	seed                       uint64
}

func newAblate() *cobra.Command {
	o := ablateOptions{}
	cmd := &cobra.Command{
		Use:   "ablate MODEL",
		Short: "Take heads, attention, MLPs or positions away, and see what that costs",
		Long: `Take parts of a model away, each by itself, and print KL in nats from the optimal prediction to the
model's without it, the mean over words of the process and by position, beside the model as it is and the
best guess that is always the same; the most damaging part first. Without --head, --attn, --mlp or
--position it is every head and every MLP in turn.

In the place of a part stand, by --with, zeros; its mean by position over the words; or what it is over
another word. Words are all of --length tokens, by their probability, or sampled ones where they are many,
and then figures have a standard error; or those of --tokens, alike. A model that names no process is scored
against its own predictions over these. Layers, heads and positions count from 0. MODEL is as for
` + "`foretell predict`.",
		Example: `  foretell ablate runs/first
  foretell ablate runs/first --head 0.0 --head 0.0,0.1 --with resample
  foretell ablate runs/first --mlp 0 --position 2 --out mlp.svg`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeModel,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&o.heads, "head", nil, "a head, as 0.1 for head 1 of layer 0; several by commas at once")
	flags.IntSliceVar(&o.attention, "attn", nil, "the attention of this layer, all heads")
	flags.IntSliceVar(&o.mlps, "mlp", nil, "the MLP of this layer")
	flags.IntSliceVar(&o.positions, "position", nil, "at this position alone; if no part is given, its embedding")
	flags.StringVar(&o.with, "with", string(intervene.Mean), "what stands in its place: "+strings.Join(intervene.Withs(), ", "))
	flags.IntVar(&o.length, "length", 0, "tokens of the words (default the model's n_ctx)")
	flags.StringArrayVar(&o.tokens, "tokens", nil, "a word to look at, as 0,1,2, in place of those of the process; may be repeated")
	flags.Uint64Var(&o.seed, "seed", 1, "random seed of --with resample")
	addOut(cmd, &o.out)
	addWorkers(cmd, &o.workers)
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	completeFlag(cmd, "head", completeHead)
	completeFlag(cmd, "with", cobra.FixedCompletions(intervene.Withs(), cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "attn", "mlp", "position", "length", "tokens", "seed")
	return cmd
}

func (o ablateOptions) run(cmd *cobra.Command, arg string) error {
	if err := oneOf("--with", o.with, intervene.Withs()...); err != nil {
		return err
	}
	if err := checkWritten(cmd, o.out); err != nil {
		return err
	}
	m, err := openModel(cmd, arg, o.params)
	if err != nil {
		return err
	}
	parts, err := o.parts()
	if err != nil {
		return err
	}
	words, err := o.words(cmd, m)
	if err != nil {
		return err
	}
	found, err := m.Ablate(cmd.Context(), words, intervene.Ablation{
		Parts: parts, With: intervene.With(o.with), Seed: o.seed, Workers: o.workers,
	})
	if err != nil {
		return aboutArguments(err)
	}
	return showWritten(cmd, o.out, found.Damage, found, []string{arg})
}

// parts are those that the flags name; nil for each.
func (o ablateOptions) parts() (parts []intervene.Part, err error) {
	for _, list := range o.heads {
		var together []intervene.Part
		for _, text := range strings.Split(list, ",") {
			layer, head, err := parseHead(text)
			if err != nil {
				return nil, err
			}
			together = append(together, intervene.Head(layer, head))
		}
		parts = append(parts, intervene.Together(together...))
	}
	for _, layer := range o.attention {
		parts = append(parts, intervene.Attention(layer))
	}
	for _, layer := range o.mlps {
		parts = append(parts, intervene.MLP(layer))
	}
	if o.positions == nil {
		return parts, nil
	}
	var at []intervene.Part
	for _, position := range o.positions {
		if parts == nil {
			at = append(at, intervene.Embedding(position))
		}
		for _, part := range parts {
			at = append(at, part.At(position))
		}
	}
	return at, nil
}

// words are those over which the model is looked at.
func (o ablateOptions) words(cmd *cobra.Command, m *inspect.Model) (*intervene.Words, error) {
	source, err := m.Process()
	if len(o.tokens) == 0 {
		if err != nil {
			return nil, fmt.Errorf("%w; or give words with --tokens", err)
		}
		length, err := lengthOf(cmd, o.length, m.Config())
		if err != nil {
			return nil, err
		}
		return intervene.WordsOf(source, length)
	}
	if cmd.Flags().Changed("length") {
		return nil, wrongUsage(errors.New("--length and --tokens are both given; give one of them"))
	}
	var list [][]int32
	for _, text := range o.tokens {
		word, err := parseWord("--tokens", text, m)
		if err != nil {
			return nil, err
		}
		list = append(list, word)
	}
	words, err := intervene.GivenWords(source, list)
	return words, aboutArguments(err)
}
