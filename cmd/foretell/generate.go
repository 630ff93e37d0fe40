package main

import (
	"errors"
	"fmt"
	"strings"

	"foretell/inspect"
	"foretell/internal/terminal"
	"foretell/model"

	"github.com/spf13/cobra"
)

// mostGenerated bounds --number, because all tokens are held in memory.
const mostGenerated = 1 << 20

type generateOptions struct {
	model.Generation
	seen       observed
	text, stop string
	params     []string
	out        outFile
}

func newGenerate() *cobra.Command {
	var o generateOptions
	cmd := &cobra.Command{
		Use:   "generate MODEL",
		Short: "Sample a continuation of tokens, or of a text, from a model",
		Long: `Sample a continuation of a sequence from a model, or of a text if a vocab.json and
a merges.txt are in the model's folder. For MODEL see ` + "`foretell predict --help`" + `.

If the process of the model is known, --json gives the optimal probability of
each token next to the model's: 0 for a token that the process cannot emit at
that point, and null after it, because no optimum exists there. It is null
throughout if the given sequence cannot occur.

--temperature 0 takes the token with the largest logit. In hand-written models,
logits of equally probable tokens can differ by rounding.`,
		Example: `  foretell generate runs/first --tokens 0,1,2 -n 7 --temperature 0.8 --seed 3
  foretell generate craft:coin --param n_ctx=32 --tokens 2,1,1,0 --json
  foretell generate ./gpt2 --text Signals --top-p 0.9`,
		Args:              oneArgument(modelArgument),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
		ValidArgsFunction: completeModel,
	}
	flags := cmd.Flags()
	o.seen.add(cmd)
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	flags.StringVar(&o.text, "text", "", "the text to continue; an empty one starts a new text")
	flags.IntVarP(&o.Most, "number", "n", 20, "largest number of tokens to generate")
	flags.Float64Var(&o.Temperature, "temperature", 1, "divides the logits; 0 takes the token with the largest logit")
	flags.IntVar(&o.TopK, "top-k", 0, "draw from the k most probable tokens; 0 for all")
	flags.Float64Var(&o.TopP, "top-p", 1, "draw from the smallest set of tokens with this total probability")
	flags.StringVar(&o.stop, "stop", "", "stop after any of these `tokens`, such as 0,1")
	flags.BoolVar(&o.Slide, "slide", false, "continue when the context is full, using the last n_ctx tokens")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed; the same seed gives the same tokens")
	o.out.add(cmd, "write the sequence", ".txt", ".csv", ".jsonl", ".json")
	completeNothing(cmd, "text", "number", "temperature", "top-k", "top-p", "stop", "seed")
	return cmd
}

func (o generateOptions) run(cmd *cobra.Command, arg string) error {
	asText := cmd.Flags().Changed("text")
	if asText == (cmd.Flags().Changed("tokens") || cmd.Flags().Changed("signal")) {
		return wrongUsage(errors.New("give the sequence to continue with --tokens, such as 0,1,2, --signal or --text"))
	}
	if err := inRange("--number", o.Most, 1, mostGenerated); err != nil {
		return err
	}
	if err := o.out.check(cmd, nil); err != nil {
		return err
	}
	m, err := openModel(cmd, arg, o.params)
	if err != nil {
		return err
	}
	prompt, err := o.seen.word(cmd, m, m.ParsePrompt)
	if err != nil {
		return err
	}
	if o.Stop, err = m.ParsePrompt(o.stop); err != nil {
		return wrongUsage(fmt.Errorf("--stop: %w", err))
	}
	defer late(cmd, "generating up to %d tokens …", o.Most)()
	var found *inspect.Continuation
	if asText {
		vocabulary, missing := m.Vocabulary()
		if missing != nil {
			return missing
		}
		found, err = m.GenerateText(vocabulary, o.text, o.Generation)
	} else {
		found, err = m.Generate(prompt, o.Generation)
	}
	var field *model.FieldError
	if errors.As(err, &field) {
		err = fmt.Errorf("--%s %s", strings.ReplaceAll(field.Path, "_", "-"), field.Reason)
	}
	if err != nil && found != nil && !wantsJSON(cmd) {
		err = errors.Join(err, showColumns(cmd, found, terminal.Style{Whole: true}, found.Forms().Print))
	}
	if err != nil {
		return wrongUsage(err)
	}
	noteImpossible(cmd, found.Impossible)
	if found.Ended == inspect.EndedContext {
		printMessage(cmd.ErrOrStderr(), "note: the context of %d tokens is full; give --slide to continue", m.Config().NCtx)
	}
	if o.out.path != "" {
		return o.out.write(cmd, found.Forms())
	}
	return showColumns(cmd, found, terminal.Style{Whole: true}, found.Forms().Print)
}
