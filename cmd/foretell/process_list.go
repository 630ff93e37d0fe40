package main

import (
	"io"

	"foretell/inspect"
	"foretell/internal/columns"
	"foretell/internal/plural"
	"foretell/process"

	"github.com/spf13/cobra"
)

func newProcessList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the processes with their parameters' defaults",
		Example: "  foretell process list --json", Args: noArgument, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := inspect.List()
			if err != nil {
				return err
			}
			style := columns.Style{Gap: 2, Prose: []int{1, 4}} // parameters and summary
			return showColumns(cmd, list, style, func(out io.Writer) {
				for i, e := range process.Catalogue() {
					states := "–"
					if list[i].States > 0 {
						states = plural.Count(list[i].States, "state")
					}
					tokens := plural.Count(list[i].Alphabet, "token")
					printf(out, "%s\t%s\t%s\t%s\t%s\n", e.Name, defaults(e.Params), states, tokens, e.Summary)
				}
			})
		},
	}
}
