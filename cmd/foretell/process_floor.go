package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// mostPositions bounds --positions, whose result is held in memory.
const mostPositions = 1 << 20

func newProcessFloor() *cobra.Command {
	var positions int
	cmd := aboutProcess("floor", "Compute the least possible loss at each position, and the entropy rate",
		"  foretell process floor mess3 --param x=0.05 --param a=0.85 --positions 10",
		func(cmd *cobra.Command, p subject) error {
			if err := inRange("--positions", positions, 1, mostPositions); err != nil {
				return err
			}
			floor, err := p.Floor(positions)
			if err != nil {
				return err
			}
			rate, halfWidth := p.EntropyRate()
			if wantsJSON(cmd) {
				return printJSON(cmd, map[string]any{
					"floor": floor.ByPosition, "entropy_rate": rate, "entropy_rate_error": halfWidth, "chance": floor.Chance,
				})
			}
			out := cmd.OutOrStdout()
			for t, h := range floor.ByPosition {
				fmt.Fprintf(out, "position %-3d  %s nats\n", t+1, number(h))
			}
			_, err = fmt.Fprintf(out, "entropy rate  %s nats (± %.1g)\nchance        %s nats\n",
				number(rate), halfWidth, number(floor.Chance))
			return err
		})
	cmd.Flags().IntVar(&positions, "positions", 10, "number of positions")
	completeFlag(cmd, "positions", cobra.NoFileCompletions)
	return cmd
}
