package main

import (
	"fmt"

	"foretell/bench"

	"github.com/spf13/cobra"
)

func newBenchSolve() *cobra.Command {
	var workers int
	var out outFile
	o := bench.SolveOptions{Steps: 8000}
	cmd := &cobra.Command{
		Use:   "solve [PROBLEM]",
		Short: "Time how long training takes until 99 % of what can be learned",
		Long: `Time training from initial weights until a model has learned 99 % (--share) of
what can be learned: (chance − loss)/(chance − floor) on held-out sequences. The
problems (default mess3) are

` + bench.ProblemSizes() + `

The ways to train are sampled (the token that came next is the target),
optimal_targets (the best possible prediction is), and exact (all sequences, by
their probabilities); with _shared each prefix that sequences of a batch share is
computed once; exact_lbfgs uses L-BFGS. The learning rate falls to 0 along a
cosine. Its first value (--rates) and the length of the cosine, 125 steps or
twice, four times … that, are chosen for each way: the shortest schedule with
which all seeds learn the share, then the rate with the fewest steps. These steps
alone are then timed, with one worker and with --workers.

With all ways mess3 takes an hour or more on two cores, nearly all of it for
exact; induction takes longer. Each training run is reported on stderr.`,
		Example:   "  foretell bench solve coin --way sampled,optimal_targets --seeds 1",
		ValidArgs: bench.ProblemNames(),
		Args:      cobra.MaximumNArgs(1),
		PreRunE:   out.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := solveProblem(args)
			if err == nil {
				err = checkSolve(o)
			}
			if err != nil {
				return wrongUsage(fmt.Errorf("bench solve: %w", err))
			}
			o.Workers = []int{1}
			if workers > 1 {
				o.Workers = []int{1, workers}
			}
			o.Done = func(line string) { printMessage(cmd.ErrOrStderr(), "%s", line) }
			results, err := bench.Solve(cmd.Context(), p, o)
			if err != nil {
				return err
			}
			return out.present(cmd, results, numeric, results.Forms())
		},
	}
	out.add(cmd, "write the results", ".svg", ".csv", ".json")
	addWorkers(cmd, &workers)
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Ways, "way", nil, "`names` of ways to train, separated by commas (default all)")
	flags.Float64Var(&o.Share, "share", 0.99, "how much of what can be learned has to be learned, below 1")
	rates := []float64{0.001, 0.002, 0.004, 0.008, 0.016}
	flags.Float64SliceVar(&o.Rates, "rates", rates, "first learning `rates` to try")
	flags.Lookup("rates").DefValue = "0.001,0.002,0.004,0.008,0.016" // pflag writes six decimals
	flags.IntVar(&o.Seeds, "seeds", 3, "training runs with different seeds, which all have to learn the share")
	completeNothing(cmd, "share", "rates", "seeds")
	return cmd
}

// solveProblem returns the problem that the command line names.
func solveProblem(args []string) (bench.Model, error) {
	if len(args) == 0 {
		return bench.Problems[0], nil
	}
	return bench.FindProblem(args[0])
}

// checkSolve returns an error if a flag has a value with which nothing can be measured.
func checkSolve(o bench.SolveOptions) error {
	if !(o.Share > 0 && o.Share < 1) {
		return fmt.Errorf("--share %g is outside (0, 1)", o.Share)
	}
	if err := inRange("--seeds", o.Seeds, 1, 1000); err != nil {
		return err
	}
	if len(o.Rates) == 0 {
		return fmt.Errorf("--rates: give at least one")
	}
	for _, r := range o.Rates {
		if !(r > 0 && r <= 100) {
			return fmt.Errorf("--rates: %g is outside (0, 100]", r)
		}
	}
	for _, w := range o.Ways {
		if err := oneOf("--way", w, bench.Ways()...); err != nil {
			return err
		}
	}
	return nil
}
