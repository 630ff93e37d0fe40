package main

import (
	"cmp"
	"strings"

	"foretell/curves"

	"github.com/spf13/cobra"
)

// plotted lists the endings that --out takes for figures and pages.
var plotted = []string{".svg", ".html", ".csv", ".json"}

func newPlot() *cobra.Command {
	out, along, label := &outFile{}, "", ""
	ways, namings := curves.Alongs(), curves.Namings()
	cmd := &cobra.Command{
		Use:   "plot RUN…",
		Short: "Learning curves: loss between chance and the floor, KL by position",
		Long: `Draw the learning curves of one run or of several in one figure: the loss with
floor and chance, the share of the learnable gap, the KL divergence from the
optimum by step and by position, and accuracy and watched numbers where runs
have them. If the floors of the runs differ, each loss is shown relative to its
own floor. RUN is a run's folder, even of a run that is still training, or a
folder of runs.

--along chooses the horizontal axis: step; log, the logarithm of the step; share,
the share of each run's steps; tokens or log-tokens, the tokens trained on; auto
is log if one run has ten times the steps of another, else step. --label names
the runs by folder, by the settings that differ, or by both.

--out FILE.svg writes a figure, .html a page with the figure and its numbers,
.csv one row per evaluation, .json the value of --json.`,
		Example: "  foretell plot runs/first\n  foretell plot runs/first runs/second --out compared.html",
		Args:    arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if wantsJSON(cmd) && !cmd.Flags().Changed("out") {
				out.path = ""
			}
			err := cmp.Or(oneOf("--along", along, ways...), oneOf("--label", label, namings...), out.check(cmd, nil))
			if err != nil {
				return err
			}
			set, err := curves.Read(cmd.Context(), args...)
			if err == nil {
				set.Name(curves.Naming(label))
			}
			if err == nil && out.path != "" {
				set.Along = curves.Along(along)
				err = out.write(cmd, set.Forms(lineGiven(cmd)))
			}
			if err != nil {
				return err
			}
			return show(cmd, set, 3, set.Forms("").Print)
		},
		ValidArgsFunction: completeRun,
	}
	out.add(cmd, "write", plotted...)
	cmd.Flags().StringVar(&along, "along", ways[0], "the horizontal axis: "+strings.Join(ways, ", "))
	completeFlag(cmd, "along", cobra.FixedCompletions(ways, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&label, "label", namings[0], "how to name runs: "+strings.Join(namings, ", "))
	completeFlag(cmd, "label", cobra.FixedCompletions(namings, cobra.ShellCompDirectiveNoFileComp))
	out.path, cmd.Flags().Lookup("out").DefValue = "plot.svg", "plot.svg"
	return cmd
}
