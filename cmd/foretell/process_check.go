package main

import (
	"fmt"

	"foretell/process"

	"github.com/spf13/cobra"
)

func newProcessCheck() *cobra.Command {
	return aboutProcess("check", "Say what is remarkable about a process: states that no word tells apart, beliefs that are plain to see",
		"  foretell process check even",
		func(cmd *cobra.Command, p subject) error {
			h, err := asHMM(cmd, p.Process)
			if err != nil {
				return err
			}
			problems := h.Check()
			if wantsJSON(cmd) {
				if problems == nil {
					problems = []process.Problem{}
				}
				return printJSON(cmd, map[string]any{"problems": problems})
			}
			for _, problem := range problems {
				fmt.Fprintf(cmd.OutOrStdout(), "note: %s\n", problem.Text)
			}
			if len(problems) == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: nothing to report\n", h.Name())
			}
			return nil
		})
}
