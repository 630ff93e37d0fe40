package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"foretell/inspect"
	"foretell/internal/durable"

	"github.com/spf13/cobra"
)

// plotted are the endings of what plot writes.
var plotted = []string{".svg", ".html", ".csv", ".json"}

func newPlot() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "plot RUN…",
		Short: "Draw how runs learned: loss between floor and chance, gap closed, KL by position",
		Long: `Draw the evaluations of a run, or of several over each other, each named by the settings in which they
differ: the loss with the floor and chance, the share of the learnable gap closed, the KL to the optimum by
step and by position of the context, accuracy and watched numbers where runs have them. Where floors differ,
as where processes do, each loss is measured from its own floor. RUN is a run's folder, which may
still train, or a folder with runs below it, such as the runs of a report.

The ending of --out says what is written: .svg a figure, .html a page of one file with the figure and its
numbers, .csv a row for each evaluation, .json the same as --json. Where each run stands goes to stdout.`,
		Example: "  foretell plot runs/first\n  foretell plot runs/first runs/second --out compared.html",
		Args:    arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return plot(cmd, args, out)
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeRun(cmd, nil, typed)
		},
	}
	cmd.Flags().StringVar(&out, "out", "plot.svg", "write to this `FILE`, "+strings.Join(plotted, ", "))
	return cmd
}

func plot(cmd *cobra.Command, runs []string, out string) error {
	asJSON := wantsJSON(cmd)
	if asJSON && cmd.Flags().Changed("out") {
		return wrongUsage(fmt.Errorf("--json prints on stdout; leave out --out, or --json for a file"))
	}
	ending, err := endingOf("--out", out, plotted)
	if err != nil {
		return err
	}
	if err := checkOutput("--out", out); err != nil && !asJSON {
		return err
	}
	curves, err := inspect.PlotRuns(cmd.Context(), runs...)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd, curves)
	}
	text, err := curves.Write(ending, commandLine(cmd, runs))
	if err != nil {
		return err
	}
	if err := writeOut(cmd, out, text); err != nil {
		return err
	}
	return show(cmd, curves, 3, func(out io.Writer) { curves.Print(out) })
}

// endingOf returns the ending of a file's name, which must be one of those that are
// written.
func endingOf(flag, path string, endings []string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	for _, e := range endings {
		if e == ending {
			return ending, nil
		}
	}
	return "", wrongUsage(fmt.Errorf("%s: %s: the ending says what is written; give one of %s", flag, path,
		strings.Join(endings, ", ")))
}

// writeOut writes the file of --out and says so.
func writeOut(cmd *cobra.Command, path string, data []byte) error {
	if err := durable.Output(path, data); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	printMessage(cmd.ErrOrStderr(), "wrote %s", path)
	return nil
}
