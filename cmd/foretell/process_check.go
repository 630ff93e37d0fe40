package main

import (
	"foretell/describe"

	"github.com/spf13/cobra"
)

func newProcessCheck() *cobra.Command {
	cmd := aboutProcess("check",
		"Report special properties: indistinguishable states, beliefs that reveal the state",
		"  foretell process check even",
		func(cmd *cobra.Command, s describe.Subject) error {
			done := late(cmd, "checking %s …", s.Process.Name())
			found, err := describe.Check(cmd.Context(), s)
			done()
			if err != nil {
				return commandCannot(cmd, err)
			}
			return show(cmd, found, 1, found.Forms().Print)
		})
	cmd.Long += "\nIt takes processes with hidden states: those for which `foretell process list` has a\n" +
		"number of states, and your own. For others use `foretell process show NAME`."
	return cmd
}
