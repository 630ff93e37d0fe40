package main

import (
	"errors"
	"fmt"
	"strings"

	"foretell/inspect"
	"foretell/internal/text"
	"foretell/probe"

	"github.com/spf13/cobra"
)

type probeOptions struct {
	target, convention string
	length, workers    int
	concat, steer      bool
	components         bool

	out    outFile
	params []string
}

func newProbe() *cobra.Command {
	o := probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe MODEL",
		Short: "Read beliefs from a model's activations by regression, with controls",
		Long:  probeHelp(),
		Example: "  foretell probe runs/first --out page.html\n" +
			"  foretell probe runs/first --components --out points.csv\n" +
			"  foretell probe runs/first --target constrained\n" +
			"  foretell probe runs/first --convention piotrowski2025,last --concat --steer",
		Args: oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeModel,
	}
	targets := strings.Join(probe.TargetNames(), " or ")
	cmd.Flags().StringVar(&o.target, "target", probe.Beliefs.Name, "what to read from the activations: "+targets)
	cmd.Flags().StringVar(&o.convention, "convention", "ours", "how to weight, hold out and regularise: see above")
	cmd.Flags().IntVar(&o.length, "length", 0, "length of the longest sequences (default the model's n_ctx)")
	cmd.Flags().BoolVar(&o.concat, "concat", false, "also probe all stages together, concatenated")
	cmd.Flags().BoolVar(&o.steer, "steer", false,
		"move activations to another belief, and see whether predictions follow")
	cmd.Flags().BoolVar(&o.components, "components", false,
		"add the activations along principal components to --out FILE.csv and .json")
	o.out.add(cmd, "write", plotted...)
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "target", cobra.FixedCompletions(probe.TargetNames(), cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "length")
	completeFlag(cmd, "convention", cobra.FixedCompletions(probe.ConventionWords(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// probeHelp is the long help.
func probeHelp() string {
	return fmt.Sprintf(`Run a model on every sequence up to its context length, and read the beliefs of its
process from each stage of the residual stream by linear regression. Controls
show what such a number means: the same probe on a randomly initialised model,
with shuffled targets, from the optimal next-token distribution alone, and from
the last tokens alone.

--target constrained reads the constrained beliefs, a sum of one term
per token; linear, the best sum of functions of (position, token); next,
the optimal next-token distribution, which every process has. MODEL is a run's
or checkpoint's folder, or a .safetensors file. If there are more than %d
sequences (fewer if the process has many states), they are sampled, and figures
have a standard error.

Papers differ in how they weight, hold out and regularise, and their figures
with it. --convention takes words separated by commas; each overrides the one
before:

  ours            probability,pooled,sequence,nested (the default)
  piotrowski2025  equal,pooled,in-sample,plain. Piotrowski et al. 2025 weight all
                  sequences equally (App. B); where the paper is silent, the
                  usual choice
  probability     weight sequences by probability; equal: all the same
  pooled          one fit for all lengths; last: for full length only; each:
                  one fit per length
  sequence        score held-out sequences; word: held-out prefixes;
                  in-sample: the prefixes of the fit
  nested          drop directions of small variance, chosen by cross-validation
                  within the fit's folds; plain: drop none; a number: drop those
                  below this share of the largest variance

--steer asks whether the model uses the belief that the probe reads. It draws
pairs of a sequence and another belief, and changes the activation at the last
token so that the regression reads the other belief. It prints the KL, in nats,
of the model's prediction from the optimal prediction of that belief: for the
unchanged activation, after the shortest change, and after the likeliest change,
which is the shortest in units of the activations' standard deviation in each
direction. For comparison it prints a change of the same length in a random
direction, and the length as a share of the activations' spread.

--out FILE.html writes a page: the sequences where each stage places them next to
the true geometry, R² with controls, principal components, attention by lag, KL
by position and, for a run, its learning curve. FILE.svg is its first figure,
.csv the numbers of that figure, .json all numbers. MODEL may then be craft:NAME,
and for a process without hidden states the page is about the next-token
distribution. --components adds, to .csv, the activations of each stage along
their first three principal components and, to .json, their shares of the
variance.`, probe.MostWords)
}

func (o probeOptions) run(cmd *cobra.Command, folder string) error {
	question, err := o.question()
	if err != nil {
		return err
	}
	if err := o.out.check(cmd, nil); err != nil {
		return err
	}
	m, err := openModel(cmd, folder, o.params)
	if err != nil {
		return err
	}
	if _, err := m.InitialSeed(); err != nil && o.out.path == "" {
		return wrongUsage(fmt.Errorf("probe: %s is written by hand; probe takes a trained model, "+
			"or --out FILE.html for a page about this one", folder))
	}
	p, err := m.Process()
	if err != nil {
		return err
	}
	nCtx := m.Config().NCtx
	if !cmd.Flags().Changed("length") {
		o.length = nCtx
	}
	if err := inRange("--length", o.length, 1, nCtx); err != nil {
		return err
	}
	defer lateModel(cmd, m)()
	if o.out.path != "" {
		return o.portray(cmd, m, question)
	}
	found, err := m.Probe(cmd.Context(), question, o.length)
	if err != nil {
		return o.explain(cmd, p.Name(), err)
	}
	found.LastFlag = lastFlag
	return show(cmd, found.Report, 3, found.Forms().Print)
}

// portray writes the file that --out names and prints what it contains.
func (o probeOptions) portray(cmd *cobra.Command, m *inspect.Model, q probe.Question) error {
	if !cmd.Flags().Changed("target") {
		q.Target = probe.Target{}
	}
	p, err := inspect.Portray(cmd.Context(), m, q, o.length)
	if err != nil {
		return o.explain(cmd, m.Path, err)
	}
	if o.components {
		p.AddComponents()
	}
	if err := writePortrait(cmd, p, &o.out); err != nil {
		return o.explain(cmd, m.Path, err)
	}
	return show(cmd, p, 3, p.Forms("").Print)
}

// writePortrait writes a page about a model to the file of --out, or the part of the page
// that its ending selects.
func writePortrait(cmd *cobra.Command, p *inspect.Portrait, out *outFile) error {
	p.LastFlag = lastFlag
	return out.write(cmd, p.Forms(lineGiven(cmd)))
}

// lastFlag scores the last position alone.
const lastFlag = "--convention last"

// question returns what the flags ask the probe to read, and how.
func (o probeOptions) question() (q probe.Question, err error) {
	if q.Target, err = probe.ParseTarget(o.target); err != nil {
		return q, wrongUsage(fmt.Errorf("--target: %w", err))
	}
	if (o.steer || o.concat) && o.out.path != "" {
		return q, wrongUsage(errors.New("--steer and --concat print on stdout; leave out --out"))
	}
	if o.components && o.out.path == "" {
		return q, wrongUsage(errors.New("--components adds to a file; give --out FILE.csv or FILE.json"))
	}
	if o.steer && o.target != probe.Beliefs.Name {
		return q, wrongUsage(fmt.Errorf("--steer moves beliefs; leave out --target %s", o.target))
	}
	if q.Convention, err = probe.ParseConvention(o.convention); err != nil {
		return q, wrongUsage(fmt.Errorf("--convention: %w", err))
	}
	q.SideBySide, q.Steer, q.Workers = o.concat, o.steer, o.workers
	return q, nil
}

// explain turns an error of the library into an error that names the flags to change.
func (o probeOptions) explain(cmd *cobra.Command, process string, err error) error {
	var many *probe.TooManyWordsError
	var few *probe.TooFewSequencesError
	var constant *probe.ConstantError
	switch {
	case errors.Is(err, probe.ErrNoBeliefs):
		return fmt.Errorf("%s: %s is not a hidden Markov model, so it has no beliefs to read; give --target next",
			path(cmd), process)
	case errors.As(err, &many):
		return wrongUsage(fmt.Errorf("--convention %s needs all sequences, and there are more than %[3]d of --length %[2]d; "+
			"give a length of at most %[4]d", o.convention, many.Length, many.Most, many.Longest))
	case errors.As(err, &few):
		return wrongUsage(fmt.Errorf("--length %d gives %s; a held-out probe needs at least %d",
			few.Length, text.Count(few.Sequences, "sequence"), few.Fewest))
	case errors.As(err, &constant):
		return fmt.Errorf("%s: %w", process, constant)
	}
	return err
}
