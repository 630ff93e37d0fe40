package train

import (
	"errors"
	"fmt"
	"slices"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// Config is a training configuration: the contents of a config.yaml.
type Config struct {
	Process ProcessConfig `yaml:"process"`
	Model   model.Config  `yaml:"model"`
	Train   Options       `yaml:"train"`
}

// ProcessConfig is a process of the zoo with its parameters, or a process that the
// configuration defines.
type ProcessConfig = process.Spec

// Options says how to train. Zero values of the optional fields are filled in
// by [Config.Resolve].
type Options struct {
	Seed uint64 `yaml:"seed"`
	// Init is where the first weights come from: what [model.Load] reads, such as
	// runs/first or runs/first@500; they are drawn from the seed if it is left out.
	// InitSHA256 is their [model.Transformer.Checksum], which [Config.Resolve] fills in, so
	// that a training is a function of its configuration.
	Init       string `yaml:"init,omitempty"`
	InitSHA256 string `yaml:"init_sha256,omitempty"`

	// BatchSize is the number of sequences a step; 0 with objective: exact, which learns
	// from all words.
	BatchSize int `yaml:"batch_size,omitempty"`
	NumSteps  int `yaml:"num_steps"`
	// SharePrefixes says whether sequences of a batch that begin alike go through their
	// common beginning once: on, off (if left out), or auto, where at most 0.7 of the first
	// batch's positions would be left. The gradient is the same, added up in another order,
	// so that the weights differ in their last bits.
	SharePrefixes string `yaml:"share_prefixes,omitempty"`
	// TrainSequences is the size of a finite training set, of which a batch draws each
	// sequence at random, with replacement, so that a model may learn it by heart; 0 for
	// fresh sequences in each batch.
	TrainSequences int `yaml:"train_sequences,omitempty"`

	// Optimizer is adam (if left out), adamw, sgd, or lbfgs for objective: exact.
	Optimizer string `yaml:"optimizer,omitempty"`
	// LR is the learning rate. Of lbfgs, where it is 1 if 0, it bounds how far along the
	// gradient a search begins, in the first step and wherever no step before is remembered;
	// its other steps do without.
	LR float64 `yaml:"lr"`
	// LRSchedule is constant (if left out), linear or cosine, which fall from LR to LRFinal
	// and reach it at the last step: with 0 that step changes nothing, where the last of
	// PyTorch's schedulers still has a rate above their end.
	LRSchedule  string    `yaml:"lr_schedule,omitempty"`
	LRFinal     float64   `yaml:"lr_final,omitempty"`     // learning rate at the last step of a schedule that falls
	WarmupSteps int       `yaml:"warmup_steps,omitempty"` // steps over which the rate first rises linearly
	WeightDecay float64   `yaml:"weight_decay,omitempty"` // on every parameter, as PyTorch's optimisers do
	Betas       []float64 `yaml:"betas,omitempty"`        // of Adam; 0.9 and 0.999 if left out; none with lbfgs
	Eps         float64   `yaml:"eps,omitempty"`          // of Adam; 1e-8 if 0; none with lbfgs
	Momentum    float64   `yaml:"momentum,omitempty"`     // of SGD
	MaxGradNorm float64   `yaml:"max_grad_norm,omitempty"`

	// LossPositions are the positions (1 to n_ctx) whose prediction is learned;
	// all of them if left out. LossWeights, one for each of those, weigh them
	// against each other; equal if left out.
	LossPositions []int     `yaml:"loss_positions,omitempty"`
	LossWeights   []float64 `yaml:"loss_weights,omitempty"`
	// EventWeight weighs the retrieval steps of a process that marks them, beside 1 of
	// its other tokens; 1 if 0.
	EventWeight float64 `yaml:"event_weight,omitempty"`
	// Objective is sampled (if left out), optimal_targets or exact; see [Objective].
	Objective string `yaml:"objective,omitempty"`
	// Targets is how Objective was called before it had three values: optimal stands for
	// objective: optimal_targets, which [Config.Resolve] makes of it.
	Targets string `yaml:"targets,omitempty"`

	EvaluateEvery int `yaml:"evaluate_every,omitempty"` // steps; num_steps/20 if 0
	// EvaluateSequences is the number of held-out sequences; 512 if 0. With objective: exact
	// they tell of the accuracy, and of positions after the last that is learned, alone.
	EvaluateSequences int `yaml:"evaluate_sequences,omitempty"`
	CheckpointEvery   int `yaml:"checkpoint_every,omitempty"` // steps; num_steps/5 if 0
	// CheckpointMinutes is the time after which a run writes a checkpoint between those of
	// CheckpointEvery; 0 for none. No bit of the training depends on it.
	CheckpointMinutes float64 `yaml:"checkpoint_minutes,omitempty"`
	// Checkpoints says of which steps a run keeps the weights; the last two checkpoints
	// alone if left out.
	Checkpoints Checkpoints `yaml:"checkpoints,omitempty"`
}

// Load reads a configuration file, applies assignments like "train.lr=1e-3" to
// it, reads the files that its process names ([process.Spec.WithFiles]), and resolves it.
// An error names the file, the line and the column.
func Load(path string, assignments ...string) (Config, error) {
	data, err := strict.ReadNamed(path)
	if err != nil {
		return Config{}, err
	}
	if err := process.CheckYAML(path); err != nil {
		return Config{}, err
	}
	return parse(path, data, assignments, func(c Config) (Config, error) {
		found, err := c.Process.WithFiles()
		if err != nil {
			return c, strict.Within("process", err)
		}
		c.Process = found
		return c.Resolve()
	})
}

// Parse is [Load] for a configuration that is already in memory; name stands
// for the file in errors.
func Parse(name string, data []byte, assignments ...string) (Config, error) {
	return parse(name, data, assignments, Config.Resolve)
}

// ParseOn is [Parse] for a configuration that only names its process, which Go code has
// made (see [process.SpecOf]).
func ParseOn(p process.Sampler, name string, data []byte, assignments ...string) (Config, error) {
	return parse(name, data, assignments, func(c Config) (Config, error) { return c.ResolveOn(p) })
}

// parse reads a configuration. Where the file lacks a value that an assignment calls for,
// the error is about the last one without which there would be none.
func parse(name string, data []byte, assignments []string, resolve func(Config) (Config, error)) (Config, error) {
	c, doc, err := parseOnce(name, data, assignments, resolve)
	if doc == nil || strict.InAssignment(err) {
		return c, err
	}
	for i := len(assignments) - 1; i >= 0 && err != nil; i-- {
		if _, _, before := parseOnce(name, data, assignments[:i], resolve); before == nil {
			return c, doc.Blame(assignments[i], err)
		}
	}
	return c, err
}

// parseOnce reads a configuration; doc is nil where it cannot be read as one.
func parseOnce(name string, data []byte, assignments []string, resolve func(Config) (Config, error),
) (c Config, doc *strict.Document, err error) {
	doc, err = strict.Parse(name, data)
	if err != nil {
		return c, nil, err
	}
	for _, a := range assignments {
		if err := doc.Set(a); err != nil {
			return c, nil, err
		}
	}
	if err := doc.Decode(&c); err != nil {
		return c, nil, err
	}
	if err := checkNonzero(doc, c); err != nil {
		return c, doc, doc.Explain(err)
	}
	c, err = resolve(c)
	return c, doc, doc.Explain(err)
}

// ParseModel reads a config.yaml of which only the model's section must be there, as
// one that stands beside weights from elsewhere: it resolves that section alone, with
// the vocabulary from the process if one is named. p is nil if none is. An error names
// the file, which name stands for, the line and the column.
func ParseModel(name string, data []byte) (c Config, p process.Sampler, err error) {
	doc, err := strict.Parse(name, data)
	if err != nil {
		return c, nil, err
	}
	if err := doc.Decode(&c); err != nil {
		return c, nil, err
	}
	if c.Process.Name != "" && !c.Process.ByCode() {
		if p, err = c.Process.BuildSampler(); err != nil {
			return c, nil, doc.Explain(strict.Within("process", err))
		}
		if c.Model.DVocab == 0 {
			c.Model.DVocab = p.Alphabet()
		}
	}
	c.Model, err = c.Model.Resolve()
	return c, p, doc.Explain(strict.Within("model", err))
}

// YAML returns the configuration as a config.yaml, which [Parse] reads as this very
// configuration, to the last bit: it has been read back. An error, of one line, names the
// field that a config.yaml cannot say: a text that is not UTF-8, a number that is not
// finite, a process that takes more room than a config.yaml has.
func (c Config) YAML() ([]byte, error) {
	c.Process = c.Process.Plain()
	return strict.Marshal(c)
}

// JSON returns the configuration as YAML does, as a JSON object on one line, which
// [ParseModel] and [Parse] read, too.
func (c Config) JSON() ([]byte, error) {
	c.Process = c.Process.Plain()
	return strict.MarshalJSON(c)
}

// Resolve returns c with the optional fields filled in (the model's vocabulary
// from the process) and the process as [process.Spec.Plain] has it, or a
// [*model.FieldError] that names the first impossible one.
func (c Config) Resolve() (Config, error) {
	p, err := c.Process.BuildSampler()
	if err != nil {
		return c, strict.Within("process", err)
	}
	return c.ResolveOn(p)
}

// ResolveOn is Resolve for a process that is made already, as by Go code.
func (c Config) ResolveOn(p process.Sampler) (resolved Config, err error) {
	c.Process = c.Process.Plain()
	if c.Model.DVocab == 0 {
		c.Model.DVocab = p.Alphabet()
	}
	if c.Model.DVocab < p.Alphabet() {
		return c, &model.FieldError{
			Path:   "model.d_vocab",
			Reason: fmt.Sprintf("= %d is less than the %d tokens of %s", c.Model.DVocab, p.Alphabet(), p.Name()),
		}
	}
	if c.Model, err = c.Model.Resolve(); err != nil {
		return c, strict.Within("model", err)
	}
	if c.Model.Output != "" {
		return c, &model.FieldError{
			Path:   "model.output",
			Reason: fmt.Sprintf("= %q is for weights written by hand; training wants logits, leave it out", c.Model.Output),
		}
	}
	if r, ok := p.(process.Reacher); ok && r.Reach() > c.Model.NCtx {
		return c, &model.FieldError{
			Path: "model.n_ctx",
			Reason: fmt.Sprintf("= %d is less than the largest lag of %s, %d, which a model could not learn; want at least that",
				c.Model.NCtx, p.Name(), r.Reach()),
		}
	}
	if err := c.checkWindows(p); err != nil {
		return c, err
	}
	if c.Train, err = c.Train.resolve(c.Model.NCtx, p); err != nil {
		return c, strict.Within("train", err)
	}
	if err := c.Train.checkWords(c.Objective().Length(), p); err != nil {
		return c, strict.Within("train", err)
	}
	if c.Train, err = c.Train.resolveInit(c.Model); err != nil {
		return c, strict.Within("train", err)
	}
	return c, nil
}

// mostMinutes bounds checkpoint_minutes: some two years, so that it fits a
// [time.Duration].
const mostMinutes = 1e6

func (o Options) resolve(nCtx int, p process.Sampler) (Options, error) {
	if err := checkRange("num_steps", float64(o.NumSteps), 1, 1e12); err != nil {
		return o, err
	}
	if err := checkRange("train_sequences", float64(o.TrainSequences), 0, 1<<30); err != nil {
		return o, err
	}
	o, err := o.resolveObjective(nCtx, p)
	if err != nil {
		return o, err
	}
	if err := o.checkBatch(p); err != nil {
		return o, err
	}
	if o, err = o.resolveOptimizer(); err != nil {
		return o, err
	}
	defaultTo(&o.EvaluateEvery, max(1, o.NumSteps/20))
	defaultTo(&o.EvaluateSequences, 512)
	defaultTo(&o.CheckpointEvery, max(1, o.NumSteps/5))
	if err := errors.Join(
		checkRange("evaluate_every", float64(o.EvaluateEvery), 1, 1e12),
		checkRange("evaluate_sequences", float64(o.EvaluateSequences), 1, 1<<24),
		checkRange("checkpoint_every", float64(o.CheckpointEvery), 1, 1e12),
		checkRange("checkpoint_minutes", o.CheckpointMinutes, 0, mostMinutes)); err != nil {
		return o, err
	}
	return o.resolveCheckpoints()
}

// defaultBetas and defaultEps are those of Adam.
var defaultBetas = []float64{0.9, 0.999}

const defaultEps = 1e-8

func (o Options) resolveOptimizer() (Options, error) {
	defaultTo(&o.Optimizer, "adam")
	defaultTo(&o.LRSchedule, "constant")
	if err := choose("optimizer", o.Optimizer, "adam", "adamw", "sgd", "lbfgs"); err != nil {
		return o, err
	}
	if err := choose("lr_schedule", o.LRSchedule, "constant", "linear", "cosine"); err != nil {
		return o, err
	}
	if o.Optimizer == "lbfgs" {
		if err := o.checkLBFGS(); err != nil {
			return o, err
		}
		defaultTo(&o.LR, 1)
	}
	if o.Betas == nil {
		o.Betas = slices.Clone(defaultBetas)
	}
	defaultTo(&o.Eps, defaultEps)
	if len(o.Betas) != 2 {
		return o, &model.FieldError{Path: "betas", Reason: fmt.Sprintf("has %d numbers; give two, such as [0.9, 0.999]",
			len(o.Betas))}
	}
	if o.LR == 0 {
		return o, &model.FieldError{Path: "lr", Reason: "is missing; give a number in (0, 100], such as 0.001"}
	}
	if !(o.LR > 0 && o.LR <= 100) {
		return o, &model.FieldError{Path: "lr", Reason: fmt.Sprintf("= %v is outside (0, 100]", o.LR)}
	}
	for _, b := range o.Betas {
		if !(b >= 0 && b < 1) {
			return o, &model.FieldError{Path: "betas", Reason: fmt.Sprintf("= %v is outside [0, 1)", b)}
		}
	}
	for _, err := range []error{
		checkRange("lr_final", o.LRFinal, 0, o.LR),
		checkRange("warmup_steps", float64(o.WarmupSteps), 0, float64(o.NumSteps)),
		checkRange("weight_decay", o.WeightDecay, 0, 1e6),
		checkRange("eps", o.Eps, model.LeastEps, 1),
		checkRange("momentum", o.Momentum, 0, 1),
		checkRange("max_grad_norm", o.MaxGradNorm, 0, 1e12),
	} {
		if err != nil {
			return o, err
		}
	}
	if o.Momentum != 0 && o.Optimizer != "sgd" {
		return o, &model.FieldError{Path: "momentum", Reason: "belongs to optimizer: sgd; adam has betas"}
	}
	if o.Optimizer == "lbfgs" {
		o.Betas, o.Eps = nil, 0 // which configurations of before have
	}
	return o, nil
}

func defaultTo[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

func choose(path, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return &model.FieldError{Path: path, Reason: "= " + strict.NotOneOf(value, choices)}
}

func checkRange(path string, value, low, high float64) error {
	if value >= low && value <= high {
		return nil
	}
	if value == 0 {
		return &model.FieldError{Path: path, Reason: fmt.Sprintf("is missing; give a number in [%.10g, %.10g]", low, high)}
	}
	return &model.FieldError{Path: path, Reason: fmt.Sprintf("= %.10g is outside [%.10g, %.10g]", value, low, high)}
}
