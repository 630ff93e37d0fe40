package main

import (
	"fmt"
	"io"

	"foretell/bench"

	"github.com/spf13/cobra"
)

func newBenchCurve() *cobra.Command {
	var workers int
	var seconds float64
	var svg string
	cmd := &cobra.Command{
		Use:   "curve",
		Short: "Time training steps along the context, the width and the batch",
		Long: `Time training steps of minigpt with one size changed at a time: n_ctx from 16 to 512, d_model from 16 to 256,
batch_size from 1 to 1024. Operations are those of the matrix products, attention's unmasked half included.`,
		Example: "  foretell bench curve --svg curves.svg",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput("--svg", svg); err != nil {
				return err
			}
			curves, err := bench.Curves(cmd.Context(), workers, duration(seconds))
			if err != nil {
				return err
			}
			if svg != "" {
				if err := bench.CurveFigure(curves).WriteFile(svg); err != nil {
					return fmt.Errorf("--svg: %w", err)
				}
			}
			return showRight(cmd, curves, func(out io.Writer) {
				printf(out, "size\tvalue\ttokens/s\tms/step\tGFLOP/s\tshare of peak\t\n")
				for _, c := range curves {
					_, _ = io.WriteString(out, c.String()) // our own lines of numbers
				}
			})
		},
	}
	cmd.Flags().StringVar(&svg, "svg", "", "draw the curves into this file")
	addWorkers(cmd, &workers)
	addSeconds(cmd, &seconds, 1, "each point")
	return cmd
}
