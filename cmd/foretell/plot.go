package main

import (
	"cmp"
	"strings"

	"foretell/inspect"

	"github.com/spf13/cobra"
)

// plotted are the endings of what plot writes.
var plotted = []string{".svg", ".html", ".csv", ".json"}

func newPlot() *cobra.Command {
	out, along, label := &outFile{}, "", ""
	ways, namings := inspect.Alongs(), inspect.Namings()
	cmd := &cobra.Command{
		Use:   "plot RUN…",
		Short: "Draw how runs learned: loss between floor and chance, gap closed, KL by position",
		Long: `Draw the evaluations of a run, or of several over each other, named by folder and the settings that differ:
the loss with floor and chance, the share of the learnable gap closed, the KL to the optimum by step and by
position, accuracy and watched numbers where runs have them. Where floors differ, each loss is measured from
its own. The axis of --along log is logarithmic, as that of auto where one run has ten times the steps of another;
of share it is the share of each run's own steps, of tokens or log-tokens what they learned from. --label
names runs by their folder or their settings alone. RUN is a run's folder, which may still train, or one with runs.
--out FILE.svg is a figure, .html a page with it and its numbers, .csv a row an evaluation, .json as --json.`,
		Example: "  foretell plot runs/first\n  foretell plot runs/first runs/second --out compared.html",
		Args:    arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if wantsJSON(cmd) && !cmd.Flags().Changed("out") {
				out.path = ""
			}
			if err := cmp.Or(oneOf("--along", along, ways...), oneOf("--label", label, namings...), out.check(cmd)); err != nil {
				return err
			}
			curves, err := inspect.PlotRuns(cmd.Context(), args...)
			if err == nil {
				curves.Name(inspect.Naming(label))
			}
			if err == nil && out.path != "" {
				curves.Along = inspect.Along(along)
				text, failed := curves.Write(out.ending, lineGiven(cmd))
				err = out.put(cmd, text, failed)
			}
			if err != nil {
				return err
			}
			return show(cmd, curves, 3, curves.Print)
		},
		ValidArgsFunction: completeRun,
	}
	out.add(cmd, "write", plotted...)
	cmd.Flags().StringVar(&along, "along", ways[0], "along what curves are drawn: "+strings.Join(ways, ", "))
	completeFlag(cmd, "along", cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&label, "label", namings[0], "how runs are named: "+strings.Join(namings, ", "))
	completeFlag(cmd, "label", cobra.FixedCompletions(namings, cobra.ShellCompDirectiveNoFileComp))
	out.path, cmd.Flags().Lookup("out").DefValue = "plot.svg", "plot.svg"
	return cmd
}
