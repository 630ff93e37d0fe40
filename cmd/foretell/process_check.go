package main

import (
	"foretell/inspect"

	"github.com/spf13/cobra"
)

func newProcessCheck() *cobra.Command {
	cmd := aboutProcess("check",
		"Say what is remarkable about a process: states that no word tells apart, beliefs that are plain to see",
		"  foretell process check even",
		func(cmd *cobra.Command, s inspect.Subject) error {
			p, err := s.Optimum()
			if err != nil {
				return err
			}
			done := late(cmd, "checking %s …", p.Name())
			found, err := inspect.Check(cmd.Context(), p)
			done()
			if err != nil {
				return commandCannot(cmd, err)
			}
			found.Source = s.Source()
			return show(cmd, found, 1, found.WriteText)
		})
	cmd.Long += "\nIt is for processes with hidden states, those of which `foretell process list` counts the states, " +
		"and for your own;\nof others `foretell process show NAME` says what is known."
	return cmd
}
