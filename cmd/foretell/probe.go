package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/run"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"
)

// probeTargets are what --target can name.
var probeTargets = []string{"beliefs", "constrained"}

const (
	mostWords      = 1 << 20 // that `probe` looks at one by one; where there are more, it samples
	sampledWords   = 1 << 18 // about the words that sampled sequences have
	mostNumbers    = 1 << 26 // of a table of words, 512 MiB: there are fewer words where states are many
	fewestSampled  = 64      // sequences
	fewestFolded   = 5       // sequences that a held-out probe can do with
	mostMarkov     = 512     // contexts of a Markov control
	sampleSeed     = 1
	steeredPairs   = 1024
	allStages      = "all stages"
	longestContext = 3 // of the Markov controls
)

type probeOptions struct {
	target, convention string
	length, workers    int
	concat, steer      bool
}

func newProbe() *cobra.Command {
	o := probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe MODEL",
		Short: "Regress a model's activations to beliefs, with controls, and measure its distance from the optimum",
		Long: fmt.Sprintf(`Run a model over every word up to its context length and regress each stage of its residual stream
to the beliefs of the process that it was trained on, beside the same probe on a random initialisation,
with shuffled targets, from the next-token distribution alone, and from the last tokens alone.
MODEL is a run's folder, or a model.safetensors with its config.yaml beside it. Where there are more than %d words (fewer if the process has many states), sequences are sampled,
and figures come with a standard error.

Papers differ in how they weigh, hold out and regularise, and figures with it. --convention takes words
separated by commas, each of which changes the one before:

  ours         probability,pooled,sequence,nested (the default)
  seed001      equal,pooled,in-sample,plain: Constrained Belief Updates Explain Geometric Structures in
               Transformer Representations; all sequences of its App. B alike; where it is silent, the
               field's habit
  probability  words count by their probability; equal: all sequences alike
  pooled       one fit to words of all lengths; last: to words of full length; each: one for each length
  sequence     scores are of held-out sequences; word: of held-out words; in-sample: of the words fitted
  nested       directions of little variance are left out, as cross-validation in the fit's own folds
               has it; plain: none are; or a number: those of less than this share of the largest

--steer asks whether the model uses what is read. It draws pairs of a word and another belief, changes
the activation of the word's last token such that the regression reads that belief, and prints the KL, in
nats, from the optimal prediction of that belief to the model's: with the activation unchanged; after the
shortest change; and after the likeliest, which is the shortest in units of the activations' spread,
direction by direction. Beside each change stand one as long in a random direction, and its length as a
share of the spread of the activations.`, mostWords),
		Example: "  foretell probe runs/first --target constrained\n  foretell probe runs/first --convention seed001,last --concat --steer",
		Args:    oneArgument(modelArgument),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args[0])
		},
		ValidArgsFunction: completeRun,
	}
	cmd.Flags().StringVar(&o.target, "target", probeTargets[0], "what to read from the activations: "+strings.Join(probeTargets, " or "))
	cmd.Flags().StringVar(&o.convention, "convention", "ours", "how to weigh, hold out and regularise: see above")
	cmd.Flags().IntVar(&o.length, "length", 0, "longest words (default the model's n_ctx)")
	cmd.Flags().BoolVar(&o.concat, "concat", false, "probe all stages side by side, too")
	cmd.Flags().BoolVar(&o.steer, "steer", false, "move activations along the regression to another belief, and see whether predictions follow")
	addWorkers(cmd, &o.workers)
	completeFlag(cmd, "target", cobra.FixedCompletions(probeTargets, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "convention", cobra.FixedCompletions(probe.ConventionWords(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "length", cobra.NoFileCompletions)
	return cmd
}

func (o probeOptions) run(cmd *cobra.Command, folder string) error {
	if !slices.Contains(probeTargets, o.target) {
		return wrongUsage(fmt.Errorf("--target: %q is not one of %s", o.target, strings.Join(probeTargets, ", ")))
	}
	if o.steer && o.target != "beliefs" {
		return wrongUsage(fmt.Errorf("--steer moves beliefs; leave out --target %s", o.target))
	}
	convention, err := probe.ParseConvention(o.convention)
	if err != nil {
		return wrongUsage(fmt.Errorf("--convention: %w", err))
	}
	if err := inRange("--workers", o.workers, 1, mostWorkers); err != nil {
		return err
	}
	if _, crafted := craftedName(folder); crafted {
		return wrongUsage(fmt.Errorf("probe: %s is written by hand; probe takes a model that was trained", folder))
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
	p, err := o.words(h, convention)
	if err != nil {
		return err
	}
	found, err := o.probe(cmd.Context(), m, p, convention)
	if err != nil {
		return err
	}
	if wantsJSON(cmd) {
		return printJSON(cmd, found)
	}
	return found.print(cmd.OutOrStdout(), h, p)
}

// words returns the words to look at: all of them, or sampled ones.
func (o probeOptions) words(h *process.HMM, c probe.Convention) (*process.Prefixes, error) {
	most := mostWordsOf(h)
	if process.NumPrefixes(h.Alphabet(), o.length) > most {
		if c.Equal || c.Test == probe.ByWord {
			longest := longestWords(h.Alphabet(), most, o.length)
			return nil, wrongUsage(fmt.Errorf("--convention %s needs all words, and --length %d has more than %d of them; give a length of at most %d", o.convention, o.length, most, longest))
		}
		return probe.SampleWords(h, o.length, max(fewestSampled, min(sampledWords, most)/o.length), sampleSeed)
	}
	p := h.Prefixes(o.length)
	if n := sequences(p); n < fewestFolded && c.Test != probe.InSample {
		return nil, wrongUsage(fmt.Errorf("--length %d gives %s; a held-out probe needs at least %d", o.length, count(n, "sequence"), fewestFolded))
	}
	return p, nil
}

// longestWords returns the length, at most the one given, up to which there are at most
// so many words.
func longestWords(alphabet, most, length int) int {
	for length > 0 && process.NumPrefixes(alphabet, length) > most {
		length--
	}
	return length
}

// mostWordsOf is the number of words up to which they are looked at one by one: a
// word's belief, constrained belief and next tokens are held.
func mostWordsOf(h *process.HMM) int {
	return min(mostWords, mostNumbers/(2*h.NumStates()+h.Alphabet()))
}

// sequences returns how many words of full length can occur.
func sequences(p *process.Prefixes) int {
	n := 0
	from, to := p.Range(p.Length)
	for _, prob := range p.Prob[from:to] {
		if prob > 0 {
			n++
		}
	}
	return n
}

// probed is what probes found.
type probed struct {
	Target     string         `json:"target"`
	Convention string         `json:"convention"`
	Words      int            `json:"words"`
	Sequences  int            `json:"sequences,omitempty"` // that were sampled
	KL         float64        `json:"kl"`                  // to the optimum, mean over positions
	KLError    float64        `json:"kl_error"`            // of sampling
	KLPosition []float64      `json:"kl_by_position"`
	Stages     []probedStage  `json:"stages"`
	Controls   []probedScore  `json:"controls"` // without a model
	Steered    []steeredStage `json:"steered,omitempty"`
}

// probedScore is how well the target is read from features.
type probedScore struct {
	Features   string   `json:"features"`
	R2         float64  `json:"r2"`
	R2Error    float64  `json:"r2_error"` // from the spread over the folds
	RMSE       float64  `json:"rmse"`
	MSE        float64  `json:"mse"`
	R2Position []finite `json:"r2_by_position,omitempty"` // where each position has its own fit
}

// probedStage is what the probe of one stage found, with the controls that go by stage.
type probedStage struct {
	Stage string `json:"stage"`
	probedScore
	Random    float64 `json:"r2_random_init"`
	RandomMSE float64 `json:"mse_random_init"`
	Shuffled  float64 `json:"r2_shuffled"`
	NextToken float64 `json:"r2_next_token"`
}

// steeredStage is what moving the activations of a stage did.
type steeredStage struct {
	Stage string `json:"stage"`
	*probe.Steered
	Spread float64 `json:"spread"` // of the activations: their root-mean-square distance from the mean
}

// finite is a number that is null in JSON where there is none: R² of what does not vary.
type finite float64

func (x finite) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

func score(name string, r *probe.Reading) probedScore {
	s := probedScore{Features: name, R2: r.R2, R2Error: r.R2Error, RMSE: r.RMSE, MSE: r.MSE}
	for _, position := range r.ByPosition {
		s.R2Position = append(s.R2Position, finite(position.R2))
	}
	return s
}

// probe runs the trained model and an untrained one once each.
func (o probeOptions) probe(ctx context.Context, m *run.Trained, p *process.Prefixes, c probe.Convention) (*probed, error) {
	y := probe.Table{Width: p.States, Data: p.Beliefs}
	if o.target == "constrained" {
		y.Data = p.Constrained
	}
	if constant(y, p.Prob) {
		return nil, fmt.Errorf("%s: the %s are the same after every word, so there is nothing to read", m.Process.Name(), o.target)
	}
	var features []probe.Features
	hooks := m.Model.Config.ResidualStages()
	for _, hook := range hooks {
		features = append(features, probe.Stage(hook))
	}
	if o.concat {
		features = append(features, probe.SideBySide(allStages, hooks))
	}
	controls := []probe.Features{probe.NextTokenFeatures(p)}
	for k := 1; k <= min(longestContext, p.Length) && process.NumPrefixes(p.Alphabet, k) <= mostMarkov; k++ {
		controls = append(controls, probe.MarkovFeatures(p, k))
	}
	untrained, err := model.New[float32](m.Model.Config, m.Seed)
	if err != nil {
		return nil, err
	}
	random, err := probe.Analyze(ctx, untrained, p, features, []probe.Table{y}, c, o.workers)
	if err != nil {
		return nil, err
	}
	trained, err := probe.Analyze(ctx, m.Model, p, append(slices.Clone(features), controls...), []probe.Table{y, probe.Shuffled(p, y)}, c, o.workers)
	if err != nil {
		return nil, err
	}
	found := &probed{Target: o.target, Convention: c.String(), Words: p.Rows(), Sequences: p.Sequences, KL: trained.KL().Mean, KLError: trained.KL().Error}
	for _, kl := range trained.KLByPosition() {
		found.KLPosition = append(found.KLPosition, kl.Mean)
	}
	for i, control := range controls {
		found.Controls = append(found.Controls, score(control.Name, trained.Regress(len(features)+i, 0)))
	}
	for i, f := range features {
		r, untrained := trained.Regress(i, 0), random.Regress(i, 0)
		found.Stages = append(found.Stages, probedStage{
			Stage: f.Name, probedScore: score(f.Name, r), Random: untrained.R2, RandomMSE: untrained.MSE,
			Shuffled: trained.Regress(i, 1).R2, NextToken: found.Controls[0].R2,
		})
		if o.steer && len(f.Stages) == 1 {
			steered, err := trained.Steer(ctx, m.Model, i, 0, probe.DrawPairs(p, steeredPairs, sampleSeed), sampleSeed)
			if err != nil {
				return nil, err
			}
			found.Steered = append(found.Steered, steeredStage{f.Name, steered, trained.Principal(i).Spread()})
		}
	}
	return found, nil
}

// constant says whether all words that can occur have the same target, to rounding.
func constant(y probe.Table, prob []float64) bool {
	first := -1
	for row, p := range prob {
		if p == 0 {
			continue
		}
		if first < 0 {
			first = row
		}
		if !floats.EqualApprox(y.Row(row), y.Row(first), 1e-12) {
			return false
		}
	}
	return true
}
