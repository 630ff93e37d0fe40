package main

import (
	"foretell/inspect"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

func newLook() *cobra.Command {
	var seen observed
	var params []string
	var out outFile
	cmd := &cobra.Command{
		Use:   "look MODEL",
		Short: "Show what a model does along a sequence: KL, attention, logit lens",
		Long: `Show what a model does along a sequence, after each token: how far its prediction
is from the optimal one, what each head attends to, and what the logit lens reads
at each stage of the residual stream. --json has the whole patterns and the
predictions at all positions. If the process is not known, KL is null.

` + modelHelp + "\n\n" + craftedHelp(),
		Example: `  foretell look runs/first --tokens 0,1,2
  foretell look runs/first --tokens 0,1,2 --out look.svg
  foretell look craft:coin --param n_ctx=16 --tokens BOS,heads,tails`,
		Args:    oneArgument(modelArgument),
		PreRunE: out.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := openModel(cmd, args[0], params)
			if err != nil {
				return err
			}
			word, err := seen.word(cmd, m, m.ParseWord)
			if err != nil {
				return err
			}
			found, err := m.Look(word)
			if err != nil {
				return wrongUsage(err)
			}
			noteOptimum(cmd, m, found.Impossible)
			shown := &inspect.Looked{Look: found, Model: m.Path}
			return out.present(cmd, found, terminal.Style{Gap: 3}, shown.Forms(lineGiven(cmd)))
		},
		ValidArgsFunction: completeModel,
	}
	seen.add(cmd)
	out.add(cmd, "write the look", plotted...)
	addParams(cmd, &params, "a hand-written model", handWritten())
	return cmd
}
