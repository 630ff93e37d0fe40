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
	params, changes     []string
}

// notWalked is the one hand-written model that walk does not accept.
const notWalked = inspect.CraftPrefix + "induction"

func newWalk() *cobra.Command {
	o := walkOptions{Options: walk.Defaults}
	cmd := &cobra.Command{
		Use:   "walk MODEL",
		Short: "Show the forward pass of a small model, number by number",
		Long: `Show the forward pass of a small model on a sequence, from embeddings to
probabilities. Each step is a formula in symbols, the same with its numbers, the
result and a sentence that explains it. The end shows what each component
contributed to the winning logit. The page of --out walk.html draws attention as
arrows; point at a number, or focus it, to see the sum behind it.

` + modelHelp + `

` + craftedHelp(notWalked) + "\n" + notWalked + " has residual: concat; walk takes models that add to the residual stream.",
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
		"the position, from 0, whose prediction to show; -1 for all")
	flags.IntVar(&o.Layer, "layer", walk.All, "the layer, from 0, to show; -1 for all")
	flags.IntVar(&o.Digits, "digits", o.Digits, "digits after the decimal point")
	flags.IntVar(&o.Size, "size", o.Size,
		"show a matrix in full up to this many rows and columns; larger ones by shape and norm")
	flags.StringArrayVar(&o.changes, "set", nil,
		"change a weight first: `NAME[i,j]=VALUE`, such as unembed.W_U[0,1]=0.5; may be repeated")
	flags.StringVar(&o.format, "format", names[0],
		strings.Join(names, ", ")+" (default: by the ending of --out)")
	flags.StringVar(&o.out, "out", "", "write to `FILE` (overwrites) instead of stdout")
	completeFlag(cmd, "format", cobra.FixedCompletions(offers, cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "position", "layer", "digits", "size", "set")
	return cmd
}

// formats lists the names of the formats, and the shell's completions for them.
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
	if err := walk.CheckSize(m.Config(), 1); err != nil { // checked before the model is copied
		return err
	}
	edited, err := m.With(o.changes)
	if err != nil {
		return wrongUsage(fmt.Errorf("--set: %w", err))
	}
	d, err := walk.New(cmd.Context(), edited, tokens, o.Options)
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

// chooseFormat returns the format of --format, or else of the file's ending.
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
