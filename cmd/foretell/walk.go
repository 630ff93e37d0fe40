package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/inspect"
	"foretell/internal/terminal"
	"foretell/walk"

	"github.com/spf13/cobra"
)

type walkOptions struct {
	walk.Options
	tokens, format, out string
	params              []string
}

// notWalked is the hand-written model through which there is no walk.
const notWalked = inspect.CraftPrefix + "induction"

func newWalk() *cobra.Command {
	o := walkOptions{Options: walk.Defaults}
	cmd := &cobra.Command{
		Use:   "walk MODEL",
		Short: "Show the forward pass of a small model number by number",
		Long: `Show the forward pass of a small model over some tokens, from embeddings to probabilities: each
step as a formula in symbols, with its numbers, its result and a sentence of what it did; and at the
end, what each component contributed to the winning logit. The page of --out walk.html draws attention
as arrows, and shows what a number adds up when it is pointed at or focused. MODEL is a run's folder, a
checkpoint's, a .safetensors file of foretell's alone, a GPT-2's folder of Hugging Face's, or
craft:NAME for a model whose weights are written by hand.

` + craftedHelp(notWalked) + "\n" + notWalked + " has residual: concat, and a walk is through models that add to " +
			"their residual stream.",
		Example: `  foretell walk runs/first --tokens 0,1,2
  foretell walk runs/first --tokens 0,1,2 --position 2 --out walk.html
  foretell walk craft:coin --param n_ctx=4 --param error=0.001 --tokens BOS,heads,heads,tails --out walk.html`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeModel,
	}
	addTokens(cmd, &o.tokens)
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	names, offers := formats()
	flags := cmd.Flags()
	flags.IntVar(&o.Position, "position", walk.All,
		"the one position, from 0, whose prediction to walk through; -1 for all")
	flags.IntVar(&o.Layer, "layer", walk.All, "the one layer, from 0, to show; -1 for all")
	flags.IntVar(&o.Digits, "digits", o.Digits, "digits behind the decimal point")
	flags.IntVar(&o.Size, "size", o.Size,
		"most rows or columns of a matrix that is shown; of a larger one, shape and norm are")
	flags.StringVar(&o.format, "format", names[0],
		strings.Join(names, ", ")+"; if not given, the ending of --out says which")
	flags.StringVar(&o.out, "out", "", "write to this `FILE`, replacing one that is there, instead of stdout")
	completeFlag(cmd, "format", cobra.FixedCompletions(offers, cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "position", "layer", "digits", "size")
	return cmd
}

// formats lists the names of the formats, and what the shell offers for them.
func formats() (names, offers []string) {
	for _, f := range walk.Formats {
		names = append(names, f.Name)
		offers = append(offers, cobra.CompletionWithDesc(f.Name, f.Summary))
	}
	return names, offers
}

func (o walkOptions) run(cmd *cobra.Command, arg string) error {
	changed := cmd.Flags().Changed
	if wantsJSON(cmd) && (changed("format") || changed("out")) {
		return wrongUsage(fmt.Errorf("--json prints the walk on stdout; leave out --format and --out"))
	}
	if err := checkOutput("--out", o.out); err != nil {
		return err
	}
	format, err := o.chooseFormat(changed("format"))
	if err != nil {
		return err
	}
	m, err := openModel(cmd, arg, o.params)
	if err != nil {
		return err
	}
	o.Names, o.Origin = m.Names(), walk.Origin{
		Model: arg, Parameters: strings.Join(o.params, ", "), Command: lineGiven(cmd),
	}
	tokens, err := m.ParseWord(o.tokens)
	if err == nil {
		err = m.CheckWord(tokens)
	}
	if err != nil {
		return aboutTokens(err)
	}
	if err := walk.CheckSize(m.Config(), 1); err != nil { // before there is a copy of it
		return err
	}
	d, err := walk.New(cmd.Context(), m.Float64(), tokens, o.Options)
	var option *walk.OptionError
	switch {
	case errors.As(err, &option):
		return inRange("--"+option.Name, option.Value, option.Low, option.High)
	case err != nil:
		return err
	case wantsJSON(cmd):
		return printJSON(cmd, d)
	case o.out == "":
		stdout := cmd.OutOrStdout()
		if width, ok := terminal.Width(stdout); ok && format.Name == walk.Formats[0].Name {
			return walk.WriteText(stdout, d, width)
		}
		return format.Write(stdout, d)
	}
	if err := format.WriteFile(o.out, d); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s", o.out)
	return nil
}

// chooseFormat returns the format that is named, or the one that the file's ending
// says.
func (o walkOptions) chooseFormat(named bool) (walk.Format, error) {
	names, _ := formats()
	if at := slices.Index(names, o.format); named && at >= 0 {
		return walk.Formats[at], nil
	} else if named {
		return walk.Format{}, oneOf("--format", o.format, names...)
	}
	f, err := walk.FormatOf(o.out)
	if err != nil {
		err = wrongUsage(fmt.Errorf("--out: %w, or give --format, one of %s", err, strings.Join(names, ", ")))
	}
	return f, err
}
