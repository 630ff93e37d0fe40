package main

import (
	"fmt"
	"io"
	"strings"

	"foretell/inspect"

	"github.com/spf13/cobra"
)

func newCraft() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "craft",
		Short:   "Look at models whose weights are written by hand",
		Long:    "Look at models whose weights are written by hand.\n\n" + craftedHelp(),
		Example: `  foretell craft show craft:induction --param n_ctx=16`,
		Args:    unknownCommand,
		RunE:    helpOnGroup,
	}
	cmd.AddCommand(newCraftShow())
	return cmd
}

func newCraftShow() *cobra.Command {
	var params []string
	var format string
	formats := []string{"text", "svg"}
	cmd := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show the blocks of a disentangled transformer's matrices, with their names",
		Long: `Show the blocks of a disentangled transformer's matrices (residual: concat): which parts of the
residual stream each of them reads, by name, and what stands there. 2.1.1.1.position is what head 1
of layer 2 has copied of what head 1 of layer 1 has copied of positions. MODEL is craft:NAME, or as
for ` + "`foretell predict`" + `.`,
		Example: `  foretell craft show craft:induction --param n_ctx=16
  foretell craft show craft:induction --param lags=[1,3] --param n_ctx=16 --format svg`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", format, formats...); err != nil {
				return err
			}
			if format != "text" && wantsJSON(cmd) {
				return wrongUsage(fmt.Errorf("--json and --format %s are both given; give one of them", format))
			}
			m, err := openModel(cmd, args[0], params)
			if err != nil {
				return err
			}
			return showBlocks(cmd, m, format)
		},
		ValidArgsFunction: completeModel,
	}
	addParams(cmd, &params, "a hand-written model", handWritten())
	cmd.Flags().StringVar(&format, "format", formats[0], strings.Join(formats, " or "))
	completeFlag(cmd, "format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func showBlocks(cmd *cobra.Command, m *inspect.Model, format string) error {
	matrices, err := inspect.Blocks(m.Float64())
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	if format == "text" {
		return show(cmd, map[string]any{"matrices": matrices}, 2, func(out io.Writer) { inspect.PrintBlocks(out, matrices) })
	}
	f, err := inspect.BlocksFigure(m.Path, m.Float64())
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	return f.Write(cmd.OutOrStdout())
}
