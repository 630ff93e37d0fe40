package main

import (
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
			return show(cmd, found, 1, found.WriteText)
		})
}
