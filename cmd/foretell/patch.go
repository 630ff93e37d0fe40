package main

import (
	"errors"
	"strings"

	"foretell/document"
	"foretell/inspect"
	"foretell/internal/terminal"
	"foretell/intervene"

	"github.com/spf13/cobra"
)

func newPatch() *cobra.Command {
	var o inspect.PatchRequest
	cmd := &cobra.Command{
		Use:   "patch MODEL",
		Short: "Activation patching: copy an activation from a clean run into a corrupted one",
		Long: `Activation patching: copy one activation from a run on a clean sequence into a run
on a corrupted sequence of the same length, and measure how much of the clean
prediction returns. Each layer (or head) and position is patched in turn, then
all positions at once. The recovered share is

  (KL corrupted − KL patched) / (KL corrupted − KL clean)

where KL is the divergence, in nats, of the model's prediction from the optimal
prediction after the clean sequence: 0 if nothing changes, 1 if the model
predicts as after the clean sequence. If the process of the model is not known,
the model's own prediction after the clean sequence takes the optimum's place.

One pair of sequences is an anecdote: --pairs N averages over pairs of sequences
of the process, weighted by probability: all pairs if they are at most N, else N
sampled ones with standard errors. --attribution adds the first-order estimate
from gradients. Layers, heads and positions count from 0; for pattern and
attn_scores a position is the query's. For MODEL see ` + "`foretell predict --help`.",
		Example: `  foretell patch runs/first --clean 0,0,0,2 --corrupt 1,1,1,2 --hook resid_pre
  foretell patch runs/first --clean 0,0,0,2 --corrupt 1,1,1,2 --hook mlp_out
  foretell patch runs/first --pairs 200 --hook z --out heads.html
  foretell patch craft:coin --clean 2,1,1,0 --corrupt 2,1,0,0 --hook attn_out --score 2,3`,
	}
	intervening(cmd, func(m *inspect.Model) (any, document.Forms, error) {
		if err := checkPairs(cmd, o); err != nil {
			return nil, nil, err
		}
		found, err := m.Patch(cmd.Context(), o)
		if err != nil {
			return nil, nil, err
		}
		return found.Map, found.Forms(lineGiven(cmd)), nil
	})
	hooks, flags := intervene.HookNames(), cmd.Flags()
	addWord(cmd, &o.Clean, "clean", "the clean sequence, such as 0,1,1")
	addWord(cmd, &o.Corrupt, "corrupt", "the corrupted sequence, such as 0,2,1")
	flags.StringVar(&o.Hook, "hook", "resid_pre",
		"the activation to replace, in every layer, or in one (blocks.0.hook_resid_mid): "+strings.Join(hooks, ", "))
	flags.IntSliceVar(&o.Positions, "position", nil, "the positions to patch, from 0, one at a time (default all)")
	flags.IntSliceVar(&o.Scored, "score", nil, "the positions, from 0, whose predictions are scored (default the last)")
	flags.StringSliceVar(&o.Heads, "head", nil, "the heads to patch; 0.1 is head 1 of layer 0 (default all)")
	flags.IntVar(&o.Pairs, "pairs", 0,
		"patch this many pairs of sequences of the process instead of --clean and --corrupt")
	flags.IntVar(&o.Length, "length", 0, "length of the sequences of --pairs (default the model's n_ctx)")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed of sampled pairs")
	flags.BoolVar(&o.Attribution, "attribution", false, "add the first-order estimate from gradients")
	addWorkers(cmd, &o.Workers)
	completeFlag(cmd, "hook", cobra.FixedCompletions(hooks, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "head", completeHead)
	completeNothing(cmd, "position", "score", "pairs", "length", "seed")
	return cmd
}

// checkPairs returns an error unless either two sequences or a number of pairs is given.
func checkPairs(cmd *cobra.Command, o inspect.PatchRequest) error {
	changed := cmd.Flags().Changed
	switch words := o.Clean != "" || o.Corrupt != ""; {
	case words && changed("pairs"):
		return wrongUsage(errors.New("--pairs draws sequences of the process; leave out --clean and --corrupt, or --pairs"))
	case words && (changed("length") || changed("seed")):
		return wrongUsage(errors.New("--length and --seed belong to --pairs; leave them out"))
	case !changed("pairs") && (o.Clean == "" || o.Corrupt == ""):
		return wrongUsage(errors.New("give --clean and --corrupt, two sequences such as 0,1,1 and 0,2,1, or --pairs N"))
	case words:
		return nil
	}
	const most = 1 << 20
	return inRange("--pairs", o.Pairs, 2, most)
}

// intervening adds the code and the flags that patch and ablate share to a command that
// changes a model and shows the effect. find returns the value for --json, and what was
// found for text and --out.
func intervening(cmd *cobra.Command, find func(*inspect.Model) (any, document.Forms, error)) {
	var out outFile
	var params []string
	cmd.Args, cmd.ValidArgsFunction = oneArgument(modelArgument), completeModel
	cmd.PreRunE = out.check
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m, err := openModel(cmd, args[0], params)
		if err != nil {
			return err
		}
		done := lateModel(cmd, m)
		value, found, err := find(m)
		done()
		if err != nil {
			return aboutArguments(err)
		}
		return out.present(cmd, value, terminal.Style{Gap: 2}, found)
	}
	out.add(cmd, "write", plotted...)
	addParams(cmd, &params, "a hand-written model", handWritten())
}

// aboutArguments makes an error about an argument that does not fit the model wrong
// usage.
func aboutArguments(err error) error {
	var wrong *intervene.ArgumentError
	if errors.As(err, &wrong) {
		return wrongUsage(wrong.Reason)
	}
	return err
}

// completeHead offers the heads of the model named by the first argument.
func completeHead(_ *cobra.Command, args []string, _ string) (offers []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		if m, err := inspect.Open(args[0], nil); err == nil {
			offers = m.Heads()
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
