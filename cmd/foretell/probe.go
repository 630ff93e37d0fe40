package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/train"

	"github.com/spf13/cobra"
)

// probeTargets are what --target can name.
var probeTargets = []string{"beliefs", "constrained"}

const (
	mostWords  = 1 << 20 // that `probe` looks at
	probeFolds = 5       // among which it divides the sequences of full length
)

type probeOptions struct {
	target          string
	length, workers int
}

func newProbe() *cobra.Command {
	o := probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe MODEL",
		Short: "Regress a model's activations to beliefs, with controls, and measure its distance from the optimum",
		Long: `Run a model over every word up to its context length and regress each stage of its residual stream
to the beliefs of the process that it was trained on: held out, weighted by the probability of each
word, beside the same probe on a random initialisation, with shuffled targets, and from the
next-token distribution alone.`,
		Example: "  foretell probe runs/first --target constrained",
		Args:    oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeRun,
	}
	cmd.Flags().StringVar(&o.target, "target", probeTargets[0], "what to read from the activations: "+strings.Join(probeTargets, " or "))
	cmd.Flags().IntVar(&o.length, "length", 0, "longest words (default the model's n_ctx)")
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "target", cobra.FixedCompletions(probeTargets, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "length", cobra.NoFileCompletions)
	return cmd
}

func (o probeOptions) run(cmd *cobra.Command, folder string) error {
	if err := oneOf("--target", o.target, probeTargets...); err != nil {
		return err
	}
	if err := inRange("--workers", o.workers, 1, mostWorkers); err != nil {
		return err
	}
	m, err := openModel(cmd, folder)
	if err != nil {
		return err
	}
	h, err := asHMM(cmd, m.Process)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("length") {
		o.length = m.Model.Config.NCtx
	}
	if err := inRange("--length", o.length, 1, m.Model.Config.NCtx); err != nil {
		return err
	}
	if n := process.NumPrefixes(h.Alphabet(), o.length); n > mostWords {
		return wrongUsage(fmt.Errorf("--length %d asks for %d words; the limit is %d, give a smaller length", o.length, n, mostWords))
	}
	p := h.Prefixes(o.length)
	if from, to := p.Range(o.length); to-from < probeFolds {
		return wrongUsage(fmt.Errorf("--length %d gives %d sequences; a held-out probe needs at least %d, give a larger length", o.length, to-from, probeFolds))
	}
	found, err := o.probe(m, p)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, found)
	}
	return found.print(cmd.OutOrStdout(), h, o.length)
}

// probed is what probes found in every stage.
type probed struct {
	Target string        `json:"target"`
	Words  int           `json:"words"`
	KL     float64       `json:"kl"` // to the optimum, mean over positions
	Stages []probedStage `json:"stages"`
}

// probedStage is what the probe of one stage found, with its controls.
type probedStage struct {
	Stage     string  `json:"stage"`
	R2        float64 `json:"r2"`
	RMSE      float64 `json:"rmse"`
	Random    float64 `json:"r2_random_init"`
	Shuffled  float64 `json:"r2_shuffled"`
	NextToken float64 `json:"r2_next_token"`
}

// probe goes one stage at a time, because the activations of every word are large.
func (o probeOptions) probe(m *train.Trained, p *process.Prefixes) (*probed, error) {
	y := probe.Table{Width: p.States, Data: p.Beliefs}
	if o.target == "constrained" {
		y.Data = p.Constrained
	}
	untrained, err := model.New[float32](m.Model.Config, m.Seed)
	if err != nil {
		return nil, err
	}
	folds := probe.SequenceFolds(p, probeFolds, 1)
	found := &probed{Target: o.target, Words: p.Rows()}
	for _, stage := range stages(m.Model.Config) {
		trained, err := probe.Collect(m.Model, p, []string{stage}, o.workers)
		if err != nil {
			return nil, err
		}
		random, err := probe.Collect(untrained, p, []string{stage}, o.workers)
		if err != nil {
			return nil, err
		}
		found.KL = mean(trained.KLByPosition())
		d := trained.Width
		c, err := probe.RegressControlled(
			probe.Table{Width: d, Data: trained.Stages[stage]}, y, probe.Table{Width: d, Data: random.Stages[stage]},
			probe.Table{Width: p.Alphabet, Data: p.Next}, p.Prob, folds)
		if err != nil {
			return nil, err
		}
		found.Stages = append(found.Stages, probedStage{
			Stage: stage, R2: c.Trained.HeldOut.R2, RMSE: c.Trained.HeldOut.RMSE,
			Random: c.Random.HeldOut.R2, Shuffled: c.Shuffled.HeldOut.R2, NextToken: c.NextToken.HeldOut.R2,
		})
	}
	return found, nil
}

func (found *probed) print(out io.Writer, h *process.HMM, length int) error {
	fmt.Fprintf(out, "%s of %s over %d words of up to %d tokens; held-out R², weighted by probability\n\n", found.Target, h.Name(), found.Words, length)
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "stage\tR²\tRMSE\trandom init\tshuffled\tnext token")
	for _, s := range found.Stages {
		fmt.Fprintf(w, "%s\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\n", s.Stage, s.R2, s.RMSE, s.Random, s.Shuffled, s.NextToken)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nKL to the optimum, mean over positions: %.2e nats\n", found.KL)
	return err
}

// stages lists the residual stream's hook names in order.
func stages(c model.Config) []string {
	list := []string{"blocks.0.hook_resid_pre"}
	for i := range c.NLayers {
		list = append(list, fmt.Sprintf("blocks.%d.hook_resid_mid", i))
		if !c.AttnOnly {
			list = append(list, fmt.Sprintf("blocks.%d.hook_resid_post", i))
		}
	}
	return list
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
