package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"foretell/inspect"
	"foretell/intervene"
	"foretell/model"

	"github.com/spf13/cobra"
)

type patchOptions struct {
	clean, corrupt, hook, out string
	heads, params             []string
	positions, scored         []int
	pairs, length, workers    int
	seed                      uint64
	attribution               bool
}

func newPatch() *cobra.Command {
	o := patchOptions{}
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
first-order estimate from gradients. Layers, heads and positions count from 0; of pattern and attn_scores
a position is the one that attends. MODEL is as for
` + "`foretell predict`.",
		Example: `  foretell patch runs/first --clean 0,1,1 --corrupt 0,2,1 --hook resid_mid
  foretell patch runs/first --pairs 200 --length 6 --hook z --out heads.html
  foretell patch craft:coin --clean 2,1,1,0 --corrupt 2,1,0,0 --hook attn_out`,
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeModel,
	}
	hooks := intervene.HookNames()
	flags := cmd.Flags()
	flags.StringVar(&o.clean, "clean", "", "the clean word, as 0,1,1")
	flags.StringVar(&o.corrupt, "corrupt", "", "the corrupt word, as 0,2,1")
	flags.StringVar(&o.hook, "hook", "resid_pre", "what is replaced: "+strings.Join(hooks, ", "))
	flags.IntSliceVar(&o.positions, "position", nil, "the positions to patch, each by itself (default every one)")
	flags.IntSliceVar(&o.scored, "score", nil, "the positions after which predictions are scored (default the last)")
	flags.StringSliceVar(&o.heads, "head", nil, "the heads to patch, as 0.1 for head 1 of layer 0 (default every one)")
	flags.IntVar(&o.pairs, "pairs", 0, "patch this many pairs of words of the process, in place of --clean and --corrupt")
	flags.IntVar(&o.length, "length", 0, "tokens of the words of --pairs (default the model's n_ctx)")
	flags.Uint64Var(&o.seed, "seed", 1, "random seed of sampled pairs")
	flags.BoolVar(&o.attribution, "attribution", false, "the first-order estimate by gradients, too")
	addOut(cmd, &o.out)
	addWorkers(cmd, &o.workers)
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	completeFlag(cmd, "hook", cobra.FixedCompletions(hooks, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "head", completeHead)
	completeNothing(cmd, "clean", "corrupt", "position", "score", "pairs", "length", "seed")
	return cmd
}

// addOut gives a command the flag --out of what is written by its ending.
func addOut(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", "", "write to this `FILE`, too: "+strings.Join(plotted, ", "))
}

func (o patchOptions) run(cmd *cobra.Command, arg string) error {
	if err := checkWritten(cmd, o.out); err != nil {
		return err
	}
	m, err := openModel(cmd, arg, o.params)
	if err != nil {
		return err
	}
	plan, err := o.plan(m.Config())
	if err != nil {
		return err
	}
	pairs, err := o.words(cmd, m)
	if err != nil {
		return err
	}
	found, err := m.Patch(cmd.Context(), pairs, plan)
	if err != nil {
		return aboutArguments(err)
	}
	return showWritten(cmd, o.out, found.Map, found, []string{arg})
}

// plan is what the flags ask of a model.
func (o patchOptions) plan(c model.Config) (p intervene.Patching, err error) {
	p = intervene.Patching{
		Hook: o.hook, Positions: o.positions, Scored: o.scored, Attribution: o.attribution, Workers: o.workers,
	}
	if _, err := intervene.ByHead(c, o.hook); err != nil {
		return p, wrongUsage(fmt.Errorf("--hook: %w", errors.Unwrap(err)))
	}
	for _, text := range o.heads {
		layer, head, err := parseHead(text)
		if err != nil {
			return p, err
		}
		p.Rows = append(p.Rows, intervene.Row{Layer: layer, Head: head})
	}
	return p, nil
}

// words are the pairs that the flags ask for.
func (o patchOptions) words(cmd *cobra.Command, m *inspect.Model) (p intervene.Pairs, err error) {
	changed := cmd.Flags().Changed
	switch words := changed("clean") || changed("corrupt"); {
	case words && changed("pairs"):
		return p, wrongUsage(errors.New("--pairs takes words of the process; leave out --clean and --corrupt, or --pairs"))
	case changed("pairs"):
		return o.sample(cmd, m)
	case !changed("clean") || !changed("corrupt"):
		return p, wrongUsage(errors.New("give --clean and --corrupt, two words such as 0,1,1 and 0,2,1, or --pairs N"))
	case changed("length") || changed("seed"):
		return p, wrongUsage(errors.New("--length and --seed are of --pairs; leave them out"))
	}
	clean, err := parseWord("--clean", o.clean, m)
	if err != nil {
		return p, err
	}
	corrupt, err := parseWord("--corrupt", o.corrupt, m)
	return intervene.OnePair(clean, corrupt), err
}

// sample are the pairs of --pairs.
func (o patchOptions) sample(cmd *cobra.Command, m *inspect.Model) (p intervene.Pairs, err error) {
	if o.length, err = lengthOf(cmd, o.length, m.Config()); err != nil {
		return p, err
	}
	const most = 1 << 20
	if err := inRange("--pairs", o.pairs, 2, most); err != nil {
		return p, err
	}
	source, err := m.Process()
	if err != nil {
		return p, err
	}
	p, err = intervene.PairsOf(source, o.length, o.pairs, o.seed)
	return p, aboutArguments(err)
}

// lengthOf is the value of --length, n_ctx if it is not given.
func lengthOf(cmd *cobra.Command, length int, c model.Config) (int, error) {
	if !cmd.Flags().Changed("length") {
		return c.NCtx, nil
	}
	return length, inRange("--length", length, 1, c.NCtx)
}

// parseWord reads the value of a flag that is a word of a model.
func parseWord(flag, text string, m *inspect.Model) ([]int32, error) {
	word, err := inspect.ParseWord(text, m.Names())
	if err == nil {
		err = m.Config().CheckTokens(word)
	}
	if err != nil {
		err = wrongUsage(fmt.Errorf("%s: %w", flag, err))
	}
	return word, err
}

// parseHead reads a head, such as 0.1.
func parseHead(text string) (layer, head int, err error) {
	before, after, ok := strings.Cut(text, ".")
	if layer, err = strconv.Atoi(before); err == nil && ok {
		head, err = strconv.Atoi(after)
	}
	if !ok || err != nil || layer < 0 || head < 0 {
		err = wrongUsage(fmt.Errorf("--head: %q is not a head; write head 1 of layer 0 as 0.1", text))
	}
	return layer, head, err
}

// aboutArguments makes an error of what was asked for one of usage.
func aboutArguments(err error) error {
	var wrong *intervene.ArgumentError
	if errors.As(err, &wrong) {
		return wrongUsage(wrong.Reason)
	}
	return err
}

// completeHead offers the heads of the model that is named before.
func completeHead(_ *cobra.Command, args []string, _ string) (offers []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		if m, err := inspect.Open(args[0], nil); err == nil && !m.Config().Flat() {
			for _, r := range intervene.EachRow(m.Config(), true) {
				offers = append(offers, fmt.Sprintf("%d.%d", r.Layer, r.Head))
			}
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// finding is what can be printed and written to a file by its ending.
type finding interface {
	Print(w io.Writer)
	Write(ending, command string) ([]byte, error)
}

// checkWritten returns an error if nothing can be written to the file of --out.
func checkWritten(cmd *cobra.Command, out string) error {
	if !cmd.Flags().Changed("out") {
		return nil
	}
	if wantsJSON(cmd) {
		return wrongUsage(errors.New("--json prints on stdout; leave out --out, or --json for a file"))
	}
	if _, err := endingOf("--out", out, plotted); err != nil {
		return err
	}
	return checkOutput("--out", out)
}

// showWritten prints what was found and writes it to the file of --out, if there is one.
func showWritten(cmd *cobra.Command, out string, value any, found finding, args []string) error {
	if out != "" {
		ending, err := endingOf("--out", out, plotted)
		if err != nil {
			return err
		}
		data, err := found.Write(ending, commandLine(cmd, args))
		if err != nil {
			return err
		}
		if err := writeOut(cmd, out, data); err != nil {
			return err
		}
	}
	return show(cmd, value, 2, found.Print)
}
