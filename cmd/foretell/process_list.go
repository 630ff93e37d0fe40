package main

import (
	"foretell/describe"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

func newProcessList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the processes, with parameters and their defaults",
		Example: "  foretell process list --json", Args: noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := describe.List()
			if err != nil {
				return err
			}
			summary := []int{1} // the column of the summary
			return showColumns(cmd, list, terminal.Style{Gap: 2, Wrap: summary}, list.Forms().Print)
		},
	}
}
