package main

import (
	"foretell/bench"

	"github.com/spf13/cobra"
)

func newBenchCurve() *cobra.Command {
	var workers int
	var seconds float64
	var out outFile
	cmd := &cobra.Command{
		Use:   "curve",
		Short: "Time training steps by context length, width and batch size",
		Long: `Time training steps of minigpt with one size changed at a time: n_ctx from 16 to
512, d_model from 16 to 256, batch_size from 1 to 1024. Operations are counted
in the matrix products, including the unmasked half of attention.`,
		Example: "  foretell bench curve --out curves.svg",
		Args:    cobra.NoArgs,
		PreRunE: out.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			curves, err := bench.Curves(cmd.Context(), workers, duration(seconds))
			if err != nil {
				return err
			}
			return out.present(cmd, curves, numeric, curves.Forms())
		},
	}
	out.add(cmd, "write the curves", ".svg", ".csv", ".json")
	addWorkers(cmd, &workers)
	addSeconds(cmd, &seconds, 1, "each point")
	return cmd
}
