package main

import (
	"cmp"

	"foretell/run"

	"github.com/spf13/cobra"
)

func newRuns() *cobra.Command {
	cmd := &cobra.Command{
		Use: "runs", Short: "List runs, and check that their files are intact",
		Example: "  foretell runs check runs/first", Args: unknownCommand, RunE: helpOnGroup,
	}
	list := &cobra.Command{
		Use: "list [FOLDER]", Short: "List the runs below a folder (default runs) and their progress",
		Example: "  foretell runs list reports", Args: arguments(0, 1, "at most one FOLDER"),
		ValidArgsFunction: completeFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := run.ListNamed(append(args, "")[0])
			if err != nil {
				return err
			}
			return show(cmd, found, 2, found.Print)
		},
	}
	check := &cobra.Command{
		Use: "check RUN…", Short: "Verify all files of runs, and print one line for each fault",
		Long: `Verify every file of a run against its recorded hash, the rows of metrics.jsonl
against each other and against the checkpoints, and that no checkpoint is
missing. The exit status is 1 if anything is wrong.`,
		Example:           "  foretell runs check runs/first runs/second --json",
		Args:              arguments(1, 1<<30, "at least one RUN, such as runs/first"),
		ValidArgsFunction: completeRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			reports := run.CheckAll(args)
			return cmp.Or(show(cmd, reports, 1, reports.Print), reports.Err())
		},
	}
	cmd.AddCommand(list, check)
	return cmd
}
