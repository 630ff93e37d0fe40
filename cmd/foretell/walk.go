package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
	"foretell/model"
	"foretell/walk"

	"github.com/spf13/cobra"
)

type walkOptions struct {
	walk.Options
	tokens, format, out string
}

func newWalk() *cobra.Command {
	o := walkOptions{Options: walk.Defaults}
	cmd := &cobra.Command{
		Use:   "walk MODEL",
		Short: "Show the forward pass of a small model number by number",
		Long: `Show the forward pass of a small model over some tokens, from embeddings to probabilities: each
step as a formula in symbols, with its numbers, its result and a sentence of what it did; and at the
end, what each component contributed to the winning logit. MODEL is a run's folder, or a
model.safetensors with its config.yaml beside it.`,
		Example: `  foretell walk runs/first --tokens 0,1,2
  foretell walk runs/first --tokens 0,1,2 --position 2 --out walk.html`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeRun,
	}
	addTokens(cmd, &o.tokens)
	names, offers := formats()
	flags := cmd.Flags()
	flags.IntVar(&o.Position, "position", walk.All, "the one position, from 0, whose prediction to walk through; -1 for all")
	flags.IntVar(&o.Layer, "layer", walk.All, "the one layer, from 0, to show; -1 for all")
	flags.IntVar(&o.Digits, "digits", o.Digits, "digits behind the decimal point")
	flags.IntVar(&o.Size, "size", o.Size, "most rows or columns of a matrix that is shown; of a larger one, shape and norm are")
	flags.StringVar(&o.format, "format", names[0], strings.Join(names, ", ")+"; if not given, the ending of --out says which")
	flags.StringVar(&o.out, "out", "", "write to this `FILE` instead of stdout")
	completeFlag(cmd, "format", cobra.FixedCompletions(offers, cobra.ShellCompDirectiveNoFileComp))
	for _, number := range []string{"position", "layer", "digits", "size"} {
		completeFlag(cmd, number, cobra.NoFileCompletions)
	}
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

func (o walkOptions) run(cmd *cobra.Command, folder string) error {
	changed := cmd.Flags().Changed
	if wantsJSON(cmd) && (changed("format") || changed("out")) {
		return wrongUsage(fmt.Errorf("--json prints the walk on stdout; leave out --format and --out"))
	}
	format, err := o.chooseFormat(changed("format"))
	if err != nil {
		return err
	}
	word, err := parseTokens(o.tokens)
	if err != nil {
		return err
	}
	trained, err := openTrained(cmd, folder)
	if err != nil {
		return err
	}
	m := model.Convert[float64](trained.Model)
	if err := o.check(len(word), m.Config); err != nil {
		return err
	}
	tokens := make([]int32, len(word))
	for i, z := range word {
		tokens[i] = int32(z)
	}
	if err := m.Config.CheckTokens(tokens); err != nil {
		return wrongUsage(fmt.Errorf("--tokens: %w", err))
	}
	d, err := walk.New(m, tokens, o.Options)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, d)
	}
	return o.write(cmd, format, d)
}

// chooseFormat returns the format that is named, or the one that the file's ending
// says.
func (o walkOptions) chooseFormat(named bool) (walk.Format, error) {
	for _, f := range walk.Formats {
		if named && f.Name == o.format || !named && f.Extension == filepath.Ext(o.out) {
			return f, nil
		}
	}
	if named {
		names, _ := formats()
		return walk.Format{}, wrongUsage(fmt.Errorf("--format: %q is not one of %s", o.format, strings.Join(names, ", ")))
	}
	return walk.Formats[0], nil
}

// check returns an error that names the first flag outside its range.
func (o walkOptions) check(tokens int, c model.Config) error {
	if tokens < 1 || tokens > c.NCtx {
		return wrongUsage(fmt.Errorf("--tokens: %d tokens given; the model takes 1 to %d, such as 0,1", tokens, c.NCtx))
	}
	if o.Position != walk.All {
		if err := inRange("--position", o.Position, 0, tokens-1); err != nil {
			return err
		}
	}
	if o.Layer != walk.All {
		if err := inRange("--layer", o.Layer, 0, c.NLayers-1); err != nil {
			return err
		}
	}
	if err := inRange("--digits", o.Digits, 1, walk.MostDigits); err != nil {
		return err
	}
	return inRange("--size", o.Size, 1, walk.MostSize)
}

// write writes a walk to stdout, or to the file of --out, whole or not at all.
func (o walkOptions) write(cmd *cobra.Command, format walk.Format, d *walk.Document) error {
	if o.out == "" {
		return format.Write(cmd.OutOrStdout(), d)
	}
	var text bytes.Buffer
	if err := format.Write(&text, d); err != nil {
		return err
	}
	if err := durable.WriteFile(o.out, text.Bytes()); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}
