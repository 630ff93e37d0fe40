package main

import (
	"io"

	"foretell/inspect"

	"github.com/spf13/cobra"
)

func newProcessCheck() *cobra.Command {
	return aboutProcess("check",
		"Say what is remarkable about a process: states that no word tells apart, beliefs that are plain to see",
		"  foretell process check even",
		func(cmd *cobra.Command, s inspect.Subject) error {
			found, err := inspect.Check(s.Process)
			if err != nil {
				return commandCannot(cmd, err)
			}
			found.Source = s.Source()
			return show(cmd, found, 1, func(out io.Writer) {
				for _, problem := range found.Problems {
					printf(out, "note: %s\n", problem.Text)
				}
				if len(found.Problems) == 0 {
					printf(out, "%s: nothing to report\n", s.Process.Name())
				}
			})
		})
}
