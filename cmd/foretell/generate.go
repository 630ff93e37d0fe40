package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"foretell/inspect"
	"foretell/internal/columns"
	"foretell/model"

	"github.com/spf13/cobra"
)

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
		Short: "Continue tokens, or a text, as a model predicts them",
		Long: `Continue tokens as a model predicts them, or a text where a vocab.json and a merges.txt lie beside
the model. With --json its probability of each token stands beside the optimal one, where the model
has a process: 0 of a token that the process cannot emit there, null of those after it, which have
no optimum, and null in all after tokens that cannot occur in it. Tokens may be as probable and have logits that differ by rounding, as of hand-written
models: --temperature 0 goes by the logits. MODEL is as for ` + "`foretell predict`" + `.`,
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
	flags.StringVar(&o.text, "text", "", "the text to continue; an empty one begins anew")
	flags.IntVarP(&o.Most, "number", "n", 20, "most tokens to generate")
	flags.Float64Var(&o.Temperature, "temperature", 1, "divides the logits; 0 takes the token with the largest")
	flags.IntVar(&o.TopK, "top-k", 0, "draw from the k most probable tokens; 0 for all")
	flags.Float64Var(&o.TopP, "top-p", 1, "draw from the fewest tokens that have this probability together")
	flags.StringVar(&o.stop, "stop", "", "tokens after any of which to stop, as `0,1`")
	flags.BoolVar(&o.Slide, "slide", false, "go on where the context is full, from its last n_ctx tokens")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed; the same one gives the same tokens")
	o.out.add(cmd, "write the sequence", ".txt", ".csv", ".jsonl", ".json")
	completeNothing(cmd, "text", "number", "temperature", "top-k", "top-p", "stop", "seed")
	return cmd
}

func (o generateOptions) run(cmd *cobra.Command, arg string) error {
	asText := cmd.Flags().Changed("text")
	if asText == (cmd.Flags().Changed("tokens") || cmd.Flags().Changed("signal")) {
		return wrongUsage(errors.New("give what to continue by one of --tokens, such as 0,1,2, --signal and --text"))
	}
	if err := inRange("--number", o.Most, 1, longestSample); err != nil {
		return err
	}
	if err := o.out.check(cmd); err != nil {
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
		err = errors.Join(err, showColumns(cmd, found, columns.Style{Whole: true}, found.Print))
	}
	if err != nil {
		return wrongUsage(err)
	}
	noteImpossible(cmd, found.Impossible)
	if found.Ended == inspect.EndedContext {
		printMessage(cmd.ErrOrStderr(), "note: the context of %d tokens is full; --slide goes on", m.Config().NCtx)
	}
	if o.out.path != "" {
		return o.out.write(cmd, func(w io.Writer) error { return found.Write(w, o.out.ending) })
	}
	return showColumns(cmd, found, columns.Style{Whole: true}, found.Print)
}
