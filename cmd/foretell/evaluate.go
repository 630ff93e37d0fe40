package main

import (
	"foretell/inspect"
	"foretell/internal/terminal"

	"github.com/spf13/cobra"
)

// mostEvaluated bounds --sequences, because all tokens are held in memory.
const mostEvaluated = 1 << 16

// evaluateOptions are the flags of `evaluate`.
type evaluateOptions struct {
	inspect.EvaluateRequest
	process string
	params  []string
	out     outFile
}

func newEvaluate() *cobra.Command {
	var o evaluateOptions
	cmd := &cobra.Command{
		Use:   "evaluate MODEL",
		Short: "A model's loss on a process or a recording, without training",
		Long: `Evaluate a model, without training it, on sequences of the process that it was
trained on or, with --process, of another one: the loss with the floor (the
smallest possible loss) and chance (the best constant guess), and the KL
divergence from the optimal prediction by position. The process may have fewer
tokens than the model, and not more. On a recording of your own, whose best possible prediction
is not known, the loss is of the tokens that came next, in its held-out part if
it has one; holdout=0 takes all of it.

All positions count equally, also where training had other weights. For MODEL
see ` + "`foretell predict --help`" + `, for a process ` + "`foretell process --help`" + `.`,
		Example: `  foretell evaluate runs/first
  foretell evaluate runs/first --process mess3 --param a=0.85 --param x=0.05
  foretell evaluate runs/tide --process recording --param signal=@later.csv --param levels=32`,
		Args:              oneArgument(modelArgument),
		PreRunE:           o.out.check,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
		ValidArgsFunction: completeModel,
	}
	flags := cmd.Flags()
	flags.StringVar(&o.process, "process", "",
		"evaluate on this process: its `name`, a file that defines it, or a run's folder")
	flags.IntVar(&o.Sequences, "sequences", 1024, "number of sequences")
	flags.IntVar(&o.Length, "length", 0, "length of the sequences (default the model's n_ctx)")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed of the sequences")
	o.out.add(cmd, "write", plotted...)
	addParams(cmd, &o.params, "the process or, without --process, of a hand-written model", zoo())
	completeFlag(cmd, "process",
		func(cmd *cobra.Command, _ []string, to string) ([]string, cobra.ShellCompDirective) {
			return completeProcess(cmd, nil, to)
		})
	completeNothing(cmd, "sequences", "length", "seed")
	return cmd
}

func (o *evaluateOptions) run(cmd *cobra.Command, arg string) error {
	if err := inRange("--sequences", o.Sequences, 1, mostEvaluated); err != nil {
		return err
	}
	ofModel := o.params
	if o.process != "" {
		s, err := findProcess(o.process, o.params)
		if err != nil {
			return err
		}
		o.Subject, ofModel = &s, nil
	}
	m, err := openModel(cmd, arg, ofModel)
	if err != nil {
		return err
	}
	done := lateModel(cmd, m)
	found, err := m.Evaluate(cmd.Context(), o.EvaluateRequest)
	done()
	if err != nil {
		return aboutArguments(err)
	}
	return o.out.present(cmd, found, terminal.Style{Gap: 2}, found.Forms(lineGiven(cmd)))
}
