package main

import (
	"errors"
	"fmt"
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
	cmd.AddCommand(newCraftList(), newCraftShow())
	return cmd
}

func newCraftList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the models whose weights are written by hand, with their parameters",
		Example: "  foretell craft list", Args: noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list := inspect.Constructions()
			return show(cmd, list, 2, list.Forms().Print)
		},
	}
}

func newCraftShow() *cobra.Command {
	var params []string
	var format string
	var out outFile
	formats := []string{"text", "svg"}
	cmd := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show the blocks of a disentangled transformer's matrices, with their names",
		Long: `Show the matrices of a disentangled transformer (residual: concat) block by block:
which parts of the residual stream a block reads, by name, and its numbers.
2.1.1.1.position is a copy of a copy: head 1 of layer 2 copied what head 1 of
layer 1 had copied from the position embedding. MODEL is craft:NAME, or any
other model: see ` + "`foretell predict --help`" + `.`,
		Example: `  foretell craft show craft:induction --param n_ctx=16
  foretell craft show craft:induction --param lags=[1,3] --param n_ctx=16 --out blocks.svg`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--format", format, formats...); err != nil {
				return err
			}
			switch {
			case format != "text" && wantsJSON(cmd):
				return wrongUsage(fmt.Errorf("--json and --format %s are both given; give one of them", format))
			case cmd.Flags().Changed("format") && out.path != "":
				return wrongUsage(errors.New("--format and --out are both given; the ending of --out sets the format"))
			}
			if err := out.check(cmd, nil); err != nil {
				return err
			}
			m, err := openModel(cmd, args[0], params)
			if err != nil {
				return err
			}
			defer late(cmd, "computing the blocks of %s …", args[0])()
			blocks, err := m.Blocks()
			if err != nil {
				return err
			}
			return showBlocks(cmd, blocks, format, &out)
		},
		ValidArgsFunction: completeModel,
	}
	addParams(cmd, &params, "a hand-written model", handWritten())
	cmd.Flags().StringVar(&format, "format", formats[0], strings.Join(formats, " or "))
	out.add(cmd, "write the blocks", plotted...)
	completeFlag(cmd, "format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func showBlocks(cmd *cobra.Command, blocks *inspect.Blocked, format string, out *outFile) error {
	found := blocks.Forms(lineGiven(cmd))
	switch {
	case out.path != "":
		return out.write(cmd, found)
	case format == "text":
		return show(cmd, blocks, 2, found.Print)
	}
	return found.Write(cmd.OutOrStdout(), "."+format)
}
