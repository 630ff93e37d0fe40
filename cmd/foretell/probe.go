package main

import (
	"errors"
	"fmt"
	"strings"

	"foretell/inspect"
	"foretell/internal/plural"
	"foretell/probe"

	"github.com/spf13/cobra"
)

type probeOptions struct {
	target, convention string
	length, workers    int
	concat, steer      bool

	out    outFile
	params []string
}

func newProbe() *cobra.Command {
	o := probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe MODEL",
		Short: "Regress a model's activations to beliefs, with controls, and measure its distance from the optimum",
		Long:  probeHelp(),
		Example: "  foretell probe runs/first --out page.html\n" +
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
	cmd.Flags().StringVar(&o.convention, "convention", "ours", "how to weigh, hold out and regularise: see above")
	cmd.Flags().IntVar(&o.length, "length", 0, "longest words (default the model's n_ctx)")
	cmd.Flags().BoolVar(&o.concat, "concat", false, "probe all stages side by side, too")
	cmd.Flags().BoolVar(&o.steer, "steer", false,
		"move activations along the regression to another belief, and see whether predictions follow")
	o.out.add(cmd, "write", plotted...)
	addParams(cmd, &o.params, "a hand-written model", handWritten())
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "target", cobra.FixedCompletions(probe.TargetNames(), cobra.ShellCompDirectiveNoFileComp))
	completeNothing(cmd, "length")
	completeFlag(cmd, "convention", cobra.FixedCompletions(probe.ConventionWords(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// probeHelp is what the command says of itself.
func probeHelp() string {
	return fmt.Sprintf(`Run a model over every word up to its context length and regress each stage of its residual stream
to the beliefs of the process that it was trained on, beside the same probe on a random initialisation,
with shuffled targets, from the next-token distribution alone, and from the last tokens alone.
--target constrained reads what the tokens tell one by one, added up, --target linear the best sum of
functions of (position, token), --target next the optimal next-token distribution, of any process.
MODEL is a run's folder, a checkpoint's, or a .safetensors file of foretell's alone. Where there are more than %d words
(fewer if the process has many states), sequences are sampled, and figures come with a standard error.

Papers differ in how they weigh, hold out and regularise, and figures with it. --convention takes words
separated by commas, each of which changes the one before:

  ours            probability,pooled,sequence,nested (the default)
  piotrowski2025  equal,pooled,in-sample,plain, also called seed001: Piotrowski et al. 2025, Constrained
                  Belief Updates Explain Geometric Structures in Transformer Representations; all
                  sequences of its App. B alike; where it is silent, the field's habit
  probability     words count by their probability; equal: all sequences alike
  pooled          one fit to words of all lengths; last: to words of full length; each: one for each length
  sequence        scores are of held-out sequences; word: of held-out words; in-sample: of the words fitted
  nested          directions of little variance are left out, as cross-validation in the fit's own folds
                  has it; plain: none are; or a number: those of less than this share of the largest

--steer asks whether the model uses what is read. It draws pairs of a word and another belief, changes
the activation of the word's last token such that the regression reads that belief, and prints the KL, in
nats, from the optimal prediction of that belief to the model's: with the activation unchanged; after the
shortest change; and after the likeliest, which is the shortest in units of the activations' spread,
direction by direction. Beside each change stand one as long in a random direction, and its length as a
share of the spread of the activations.

--out FILE.html writes a page instead: the words where each stage has them, beside the true geometry, R² with
controls, principal components, attention by lag, KL by position and, of a run, how it learned. FILE.svg is its
first figure, .csv that figure's numbers, .json the others. Without hidden states it is about the next-token
distribution. MODEL may then be craft:NAME, too.`, probe.MostWords)
}

func (o probeOptions) run(cmd *cobra.Command, folder string) error {
	question, err := o.question()
	if err != nil {
		return err
	}
	if err := o.out.check(cmd); err != nil {
		return err
	}
	m, err := openModel(cmd, folder, o.params)
	if err != nil {
		return err
	}
	if m.Crafted != nil && o.out.path == "" {
		return wrongUsage(fmt.Errorf("probe: %s is written by hand; probe takes a model that was trained, "+
			"or with --out FILE.html shows what there is", folder))
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
	return show(cmd, found.Report, 3, found.Print)
}

// portray writes the file of --out.
func (o probeOptions) portray(cmd *cobra.Command, m *inspect.Model, q probe.Question) error {
	if !cmd.Flags().Changed("target") {
		q.Target = probe.Target{}
	}
	p, err := inspect.Portray(cmd.Context(), m, q, o.length)
	if err != nil {
		return o.explain(cmd, m.Path, err)
	}
	text, err := p.Write(o.out.ending, lineGiven(cmd))
	if err := o.out.put(cmd, text, err); err != nil {
		return err
	}
	return show(cmd, p, 3, p.Print)
}

// question is what the flags ask.
func (o probeOptions) question() (q probe.Question, err error) {
	if q.Target, err = probe.ParseTarget(o.target); err != nil {
		return q, wrongUsage(fmt.Errorf("--target: %w", err))
	}
	if (o.steer || o.concat) && o.out.path != "" {
		return q, wrongUsage(errors.New("--steer and --concat print on stdout; leave out --out"))
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

// explain says in terms of flags what the library refuses.
func (o probeOptions) explain(cmd *cobra.Command, process string, err error) error {
	var many *probe.TooManyWordsError
	var few *probe.TooFewSequencesError
	var constant *probe.ConstantError
	switch {
	case errors.Is(err, probe.ErrNoBeliefs):
		return fmt.Errorf("%s: %s is not a hidden Markov model, so it has no beliefs to read; give --target next",
			path(cmd), process)
	case errors.As(err, &many):
		return wrongUsage(fmt.Errorf("--convention %s needs all words, and --length %d has more than %d of them; "+
			"give a length of at most %d", o.convention, many.Length, many.Most, many.Longest))
	case errors.As(err, &few):
		return wrongUsage(fmt.Errorf("--length %d gives %s; a held-out probe needs at least %d",
			few.Length, plural.Count(few.Sequences, "sequence"), few.Fewest))
	case errors.As(err, &constant):
		return fmt.Errorf("%s: %w", process, constant)
	}
	return err
}
