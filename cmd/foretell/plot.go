package main

import (
	"foretell/inspect"

	"github.com/spf13/cobra"
)

// plotted are the endings of what plot writes.
var plotted = []string{".svg", ".html", ".csv", ".json"}

func newPlot() *cobra.Command {
	out := &outFile{}
	cmd := &cobra.Command{
		Use:   "plot RUN…",
		Short: "Draw how runs learned: loss between floor and chance, gap closed, KL by position",
		Long: `Draw the evaluations of a run, or of several over each other, named by folder and the settings that differ:
the loss with floor and chance, the share of the learnable gap closed, the KL to the optimum by step and by
position, accuracy and watched numbers where runs have them. Where floors differ, each loss is measured from
its own. RUN is a run's folder, which may still train, or one with runs below it, as those of a report.
--out FILE.svg is a figure, .html a page with it and its numbers, .csv a row an evaluation, .json as --json.`,
		Example: "  foretell plot runs/first\n  foretell plot runs/first runs/second --out compared.html",
		Args:    arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return plot(cmd, args, out)
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeRun(cmd, nil, typed)
		},
	}
	out.add(cmd, "write", plotted...)
	out.path, cmd.Flags().Lookup("out").DefValue = "plot.svg", "plot.svg"
	return cmd
}

func plot(cmd *cobra.Command, runs []string, out *outFile) error {
	if wantsJSON(cmd) && !cmd.Flags().Changed("out") {
		out.path = ""
	}
	if err := out.check(cmd); err != nil {
		return err
	}
	curves, err := inspect.PlotRuns(cmd.Context(), runs...)
	if err == nil && out.path != "" {
		text, failed := curves.Write(out.ending, lineGiven(cmd))
		err = out.put(cmd, text, failed)
	}
	if err != nil {
		return err
	}
	return show(cmd, curves, 3, curves.Print)
}
