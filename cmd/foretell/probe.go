package main

import (
	"fmt"
	"runtime"
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

// maxProbeRows bounds the words that `probe` looks at.
const maxProbeRows = 1 << 20

func newProbe() *cobra.Command {
	var target string
	var length, workers int
	cmd := &cobra.Command{
		Use:   "probe MODEL",
		Short: "Regress a model's activations to beliefs, with controls, and measure its distance from the optimum",
		Long: `Run a model over every word up to its context length and regress each stage of its residual stream
to the beliefs of the process that it was trained on: held out, weighted by the probability of each
word, beside the same probe on a random initialisation, with shuffled targets, and from the
next-token distribution alone.`,
		Example: "  foretell probe runs/first --target constrained",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := openModel(cmd, args[0])
			if err != nil {
				return err
			}
			h, err := probeProcess(cmd, m)
			if err != nil {
				return err
			}
			if length == 0 {
				length = m.Model.Config.NCtx
			}
			if length < 1 || length > m.Model.Config.NCtx {
				return wrongUsage(fmt.Errorf("--length %d is outside [1, n_ctx = %d]", length, m.Model.Config.NCtx))
			}
			if n := process.NumPrefixes(h.Alphabet(), length); n > maxProbeRows {
				return wrongUsage(fmt.Errorf("--length %d asks for %d words; the limit is %d, give a smaller length", length, n, maxProbeRows))
			}
			return probeModel(cmd, m, h, target, length, workers)
		},
	}
	cmd.Flags().StringVar(&target, "target", "beliefs", "what to read from the activations: "+strings.Join(probeTargets, " or "))
	cmd.Flags().IntVar(&length, "length", 0, "longest words (default the model's n_ctx)")
	cmd.Flags().IntVar(&workers, "workers", runtime.NumCPU(), "goroutines that share the work; the result does not depend on it")
	return cmd
}

func probeProcess(cmd *cobra.Command, m *train.Trained) (*process.HMM, error) {
	if m.Process == nil {
		return nil, fmt.Errorf("probe: the model's config.yaml names no process, so there are no beliefs to look for")
	}
	return asHMM(cmd, m.Process)
}

// probed is what a stage's probe found.
type probed struct {
	Stage     string  `json:"stage"`
	R2        float64 `json:"r2"`
	RMSE      float64 `json:"rmse"`
	Random    float64 `json:"r2_random_init"`
	Shuffled  float64 `json:"r2_shuffled"`
	NextToken float64 `json:"r2_next_token"`
}

func probeModel(cmd *cobra.Command, m *train.Trained, h *process.HMM, target string, length, workers int) error {
	p := h.Prefixes(length)
	y := probe.Table{Width: p.States, Data: p.Beliefs}
	switch target {
	case "beliefs":
	case "constrained":
		y.Data = p.Constrained
	default:
		return wrongUsage(fmt.Errorf("--target: %q is not one of %s", target, strings.Join(probeTargets, ", ")))
	}
	untrained, err := model.New[float32](m.Model.Config, m.Seed)
	if err != nil {
		return err
	}
	var kl float64
	var list []probed
	// One stage at a time: activations of every word are large.
	for _, stage := range stages(m.Model.Config) {
		trained, err := probe.Collect(m.Model, p, []string{stage}, workers)
		if err != nil {
			return err
		}
		random, err := probe.Collect(untrained, p, []string{stage}, workers)
		if err != nil {
			return err
		}
		kl = meanKL(trained)
		d := trained.Width
		c, err := probe.RegressControlled(
			probe.Table{Width: d, Data: trained.Stages[stage]}, y, probe.Table{Width: d, Data: random.Stages[stage]},
			probe.Table{Width: p.Alphabet, Data: p.Next}, p.Prob, probe.Folds{Seed: 1})
		if err != nil {
			return err
		}
		list = append(list, probed{
			Stage: stage, R2: c.Trained.HeldOut.R2, RMSE: c.Trained.HeldOut.RMSE,
			Random: c.Random.HeldOut.R2, Shuffled: c.Shuffled.HeldOut.R2, NextToken: c.NextToken.HeldOut.R2,
		})
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, map[string]any{"target": target, "words": p.Rows(), "kl": kl, "stages": list})
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s of %s over %d words of up to %d tokens; held-out R², weighted by probability\n\n", target, h.Name(), p.Rows(), length)
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "stage\tR²\tRMSE\trandom init\tshuffled\tnext token")
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\n", s.Stage, s.R2, s.RMSE, s.Random, s.Shuffled, s.NextToken)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nKL to the optimum, mean over positions: %.3g nats\n", kl)
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

// meanKL is the divergence over every word, weighted by probability, averaged
// over positions.
func meanKL(a *probe.Activations) float64 {
	total := 0.0
	for row, kl := range a.KL {
		total += a.Prefixes.Prob[row] * kl
	}
	return total / float64(a.Prefixes.Length)
}
