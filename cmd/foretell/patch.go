package main

import (
	"errors"
	"strings"

	"foretell/inspect"
	"foretell/internal/columns"
	"foretell/intervene"

	"github.com/spf13/cobra"
)

func newPatch() *cobra.Command {
	var o inspect.PatchRequest
	cmd := &cobra.Command{
		Use:   "patch MODEL",
		Short: "Put activations of a clean word into a corrupt one, and see what they recover",
		Long: `Run a model over a corrupt word in which one activation is replaced by what it is over a clean word of
the same length: of a layer (or a head) and a position, each in turn, and of all positions at once. What is
recovered is (KL corrupt − KL patched)/(KL corrupt − KL clean), with KL in nats from the optimal prediction
after the clean word to the model's: 0 where nothing changes, 1 where the model predicts as after the clean
word. A model that names no process is scored against its own prediction after the clean word.

One pair of words is an anecdote: --pairs N takes the map over all pairs of words of the process, by their
probability, or over N sampled ones where they are more, with standard errors. --attribution adds the
first-order estimate from gradients. Layers, heads and positions count from 0, the first token's; of pattern
and attn_scores a position is the one that attends. MODEL is as for ` + "`foretell predict`.",
		Example: `  foretell patch runs/first --clean 0,0,0,2 --corrupt 1,1,1,2 --hook resid_pre
  foretell patch runs/first --clean 0,0,0,2 --corrupt 1,1,1,2 --hook mlp_out
  foretell patch runs/first --pairs 200 --hook z --out heads.html
  foretell patch craft:coin --clean 2,1,1,0 --corrupt 2,1,0,0 --hook attn_out --score 2,3`,
	}
	intervening(cmd, func(m *inspect.Model) (any, finding, error) {
		if err := checkPairs(cmd, o); err != nil {
			return nil, nil, err
		}
		found, err := m.Patch(cmd.Context(), o)
		if err != nil {
			return nil, nil, err
		}
		return found.Map, found, nil
	})
	hooks, flags := intervene.HookNames(), cmd.Flags()
	addWord(cmd, &o.Clean, "clean", "the clean word, as 0,1,1")
	addWord(cmd, &o.Corrupt, "corrupt", "the corrupt word, as 0,2,1")
	flags.StringVar(&o.Hook, "hook", "resid_pre",
		"what is replaced, of each layer or, as blocks.0.hook_resid_mid, of one: "+strings.Join(hooks, ", "))
	flags.IntSliceVar(&o.Positions, "position", nil, "the positions to patch, from 0, each by itself (default every one)")
	flags.IntSliceVar(&o.Scored, "score", nil, "the positions, from 0, after which scores are taken (default the last)")
	flags.StringSliceVar(&o.Heads, "head", nil, "the heads to patch, as 0.1 for head 1 of layer 0 (default every one)")
	flags.IntVar(&o.Pairs, "pairs", 0, "patch this many pairs of words of the process, in place of --clean and --corrupt")
	flags.IntVar(&o.Length, "length", 0, "tokens of the words of --pairs (default the model's n_ctx)")
	flags.Uint64Var(&o.Seed, "seed", 1, "random seed of sampled pairs")
	flags.BoolVar(&o.Attribution, "attribution", false, "the first-order estimate by gradients, too")
	addWorkers(cmd, &o.Workers)
	completeFlag(cmd, "hook", cobra.FixedCompletions(hooks, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "head", completeHead)
	completeNothing(cmd, "position", "score", "pairs", "length", "seed")
	return cmd
}

// checkPairs returns an error unless two words are given, or how many pairs.
func checkPairs(cmd *cobra.Command, o inspect.PatchRequest) error {
	changed := cmd.Flags().Changed
	switch words := o.Clean != "" || o.Corrupt != ""; {
	case words && changed("pairs"):
		return wrongUsage(errors.New("--pairs takes words of the process; leave out --clean and --corrupt, or --pairs"))
	case words && (changed("length") || changed("seed")):
		return wrongUsage(errors.New("--length and --seed are of --pairs; leave them out"))
	case !changed("pairs") && (o.Clean == "" || o.Corrupt == ""):
		return wrongUsage(errors.New("give --clean and --corrupt, two words such as 0,1,1 and 0,2,1, or --pairs N"))
	case words:
		return nil
	}
	const most = 1 << 20
	return inRange("--pairs", o.Pairs, 2, most)
}

// intervening makes a command one that changes a model and looks at what becomes of it.
// find returns what --json prints, and what else is shown and written to --out.
func intervening(cmd *cobra.Command, find func(*inspect.Model) (any, finding, error)) {
	var out outFile
	var params []string
	cmd.Args, cmd.ValidArgsFunction = oneArgument(modelArgument), completeModel
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := out.check(cmd); err != nil {
			return err
		}
		m, err := openModel(cmd, args[0], params)
		if err != nil {
			return err
		}
		done := lateModel(cmd, m)
		value, found, err := find(m)
		done()
		var wrong *intervene.ArgumentError
		switch {
		case errors.As(err, &wrong):
			return wrongUsage(wrong.Reason)
		case err != nil:
			return err
		}
		return out.present(cmd, value, columns.Style{Gap: 2}, found)
	}
	out.add(cmd, "write", plotted...)
	addParams(cmd, &params, "a hand-written model", handWritten())
}

// completeHead offers the heads of the model that is named before.
func completeHead(_ *cobra.Command, args []string, _ string) (offers []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		if m, err := inspect.Open(args[0], nil); err == nil {
			offers = m.Heads()
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}
