package main

import (
	"cmp"

	"foretell/describe"
	"foretell/internal/text"

	"github.com/spf13/cobra"
)

// mostPositions bounds --positions, because the result is held in memory.
const mostPositions = 1 << 20

func newProcessFloor() *cobra.Command {
	var positions int
	var out outFile
	cmd := aboutProcess("floor", "Compute the best achievable loss at each position, and the entropy rate",
		`  foretell process floor mess3 --param x=0.05 --param a=0.85 --positions 10
  foretell process floor coin --positions 64 --out floor.svg`,
		func(cmd *cobra.Command, s describe.Subject) error {
			if err := cmp.Or(inRange("--positions", positions, 1, mostPositions), out.check(cmd, nil)); err != nil {
				return err
			}
			p, err := s.Optimum()
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("positions") {
				positions = describe.FloorPositions(p)
			}
			done := late(cmd, "computing the floor of %s at %s …", p.Name(), text.Count(positions, "position"))
			f, err := describe.Floor(cmd.Context(), s, positions)
			done()
			if err != nil {
				return err
			}
			if out.path != "" {
				return out.write(cmd, f.Forms())
			}
			return show(cmd, f, 1, f.Forms().Print)
		})
	cmd.Flags().IntVar(&positions, "positions", 10,
		"number of positions; if not given, at least 8 more than the longest delay or lag")
	out.add(cmd, "write the floor", ".svg", ".html", ".csv", ".json")
	completeNothing(cmd, "positions")
	return cmd
}
