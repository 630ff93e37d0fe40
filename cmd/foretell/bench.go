package main

import (
	"fmt"
	"strings"
	"time"

	"foretell/bench"
	"foretell/describe"
	"foretell/internal/kernel"
	"foretell/internal/terminal"
	"foretell/train"

	"github.com/spf13/cobra"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the engine: training steps, exhaustive analysis, sampling, kernels",
		Long: `Measure the engine: training steps, exhaustive analysis, sampling, kernels. The
reference models are

` + bench.Sizes() + `

Each result names the instruction set (ISA). The environment variable
` + kernel.EnvISA + ` chooses another one that the machine has, for every command:
generic, avx2, avx512half, avx512, neon, wasm or wasmexact. All give the same bits.`,
		Example: "  foretell bench train minigpt --workers 2",
		Args:    unknownCommand,
		RunE:    helpOnGroup,
	}
	cmd.AddCommand(newBenchTrain(), newBenchCurve(), newBenchSolve(), newBenchPrefixes(), newBenchSample(),
		newBenchKernel())
	return cmd
}

// addSeconds gives a command the flag --seconds and its message after one second.
func addSeconds(cmd *cobra.Command, seconds *float64, fallback float64, each string) {
	cmd.Flags().Float64Var(seconds, "seconds", fallback, strings.TrimSpace("how long to measure "+each))
	completeNothing(cmd, "seconds")
	measure := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		defer late(cmd, "%s: %s for %g seconds …", path(cmd), strings.TrimSpace("measuring "+each), *seconds)()
		return measure(cmd, args)
	}
}

// duration turns the value of --seconds into a duration.
func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// numeric is the style of tables of numbers.
var numeric = terminal.Style{Gap: 2, Right: true}

func newBenchTrain() *cobra.Command {
	var config string
	var workers int
	var out outFile
	var seconds float64
	cmd := &cobra.Command{
		Use:   "train [MODEL …]",
		Short: "Time training steps of the reference models, compared with the machine's peak",
		Long: `Time training steps: fresh batches (all sequences with objective: exact), forward,
loss, backward, reduction and update. The models (default mess3) are listed by
` + "`foretell bench --help`" + `; --config times your own training configuration.

Operations are counted as 6·parameters·positions, where positions are those that
go through the model: fewer than the tokens if prefixes are shared. The peak is
the rate of multiply-adds in registers on the same number of cores, measured in
turn with the steps; both are medians. CPU is the share of the requested
processor time that the system granted, where the system reports it. With
several models --json prints a list.`,
		Example:   "  foretell bench train mess3 minigpt induction64 induction128",
		ValidArgs: bench.Names(),
		Args:      cobra.ArbitraryArgs,
		PreRunE:   out.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			models, err := benchModels(args, config)
			if err != nil {
				return err
			}
			results, err := bench.TrainEach(cmd.Context(), models, workers, duration(seconds))
			if err != nil {
				return err
			}
			return out.present(cmd, results.Value(), numeric, results.Forms())
		},
	}
	out.add(cmd, "write the results", ".svg", ".csv", ".json")
	cmd.Flags().StringVar(&config, "config", "", "time this training configuration instead")
	addWorkers(cmd, &workers)
	addSeconds(cmd, &seconds, 3, "each model")
	return cmd
}

// benchModels returns the models that the command line names.
func benchModels(names []string, config string) ([]bench.Model, error) {
	if config != "" {
		if len(names) > 0 {
			return nil, wrongUsage(fmt.Errorf("bench train: give models or --config, not both"))
		}
		c, err := train.Load(config)
		return []bench.Model{{Name: config, Config: c}}, err
	}
	models, err := bench.Find(names...)
	if err != nil {
		err = wrongUsage(fmt.Errorf("bench train: %w", err))
	}
	return models, err
}

func newBenchPrefixes() *cobra.Command {
	var workers int
	var seconds float64
	var out outFile
	cmd := &cobra.Command{
		Use:   "prefixes",
		Short: "Time the forward pass over all sequences of Mess3, keeping activations",
		Long: `Time passes of the reference model mess3 over all sequences of Mess3 of up to ten
tokens, each prefix once. A pass is the forward pass with the residual stream
after attention and after the block, moments of the attention pattern, and the
KL divergence from the optimum.`,
		Example: `  foretell bench prefixes --workers 2`,
		Args:    cobra.NoArgs,
		PreRunE: out.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := bench.Prefixes(cmd.Context(), workers, duration(seconds))
			if err != nil {
				return err
			}
			return out.present(cmd, r, terminal.Style{Gap: 1}, r.Forms())
		},
	}
	out.add(cmd, "write the result", ".csv", ".json")
	addWorkers(cmd, &workers)
	addSeconds(cmd, &seconds, 2, "")
	return cmd
}

func newBenchSample() *cobra.Command {
	var length int
	var seconds float64
	var out outFile
	cmd := aboutProcess("sample", "Time the sampling of a process on one core",
		"  foretell bench sample mess3 --length 100",
		func(cmd *cobra.Command, s describe.Subject) error {
			if err := inRange("--length", length, 1, 1<<20); err != nil {
				return err
			}
			if err := out.check(cmd, nil); err != nil {
				return err
			}
			r := bench.Sample(s.Process, length, duration(seconds))
			return out.present(cmd, r, terminal.Style{Gap: 1}, r.Forms())
		})
	out.add(cmd, "write the result", ".csv", ".json")
	cmd.Flags().IntVar(&length, "length", 11, "tokens in a sequence")
	completeNothing(cmd, "length")
	addSeconds(cmd, &seconds, 1, "")
	return cmd
}

func newBenchKernel() *cobra.Command {
	var seconds float64
	var out outFile
	cmd := &cobra.Command{
		Use: "kernel", Short: "Time the kernels at the reference models' shapes, on one core",
		Long: `Time the kernels at the shapes of the reference models, on one core. The peak is
the rate of multiply-adds in registers on that core, in the kernel's number
type, measured in turn with its calls.`,
		Example: "  foretell bench kernel --json", Args: cobra.NoArgs,
		PreRunE: out.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			results := bench.Kernels(duration(seconds))
			return out.present(cmd, results, terminal.Style{Gap: 2}, results.Forms())
		},
	}
	out.add(cmd, "write the results", ".svg", ".csv", ".json")
	addSeconds(cmd, &seconds, 0.1, "each kernel")
	return cmd
}
