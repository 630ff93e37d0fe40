package train

import (
	"errors"
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

// ProcessConfig is a process of the catalogue with its parameters, or a process that the
// configuration itself defines.
type ProcessConfig = process.Spec

// Options are the training options. [Config.Resolve] fills in the optional fields that
// are zero.
type Options struct {
	Seed uint64 `yaml:"seed"`
	// Init is the source of the initial weights: any path that [model.Load] reads, such as
	// runs/first or runs/first@500. If it is left out, the initial weights are drawn from
	// the seed. InitSHA256 is their [model.Transformer.Checksum]. [Config.Resolve] fills it
	// in, so that the configuration determines the training.
	Init       string `yaml:"init,omitempty"`
	InitSHA256 string `yaml:"init_sha256,omitempty"`

	// BatchSize is the number of sequences per step; 0 with objective: exact, which learns
	// from all sequences.
	BatchSize int `yaml:"batch_size,omitempty"`
	NumSteps  int `yaml:"num_steps"`
	// SharePrefixes controls whether a prefix that several sequences of a batch share is
	// computed only once: on, off (the default), or auto, which shares if the distinct
	// prefixes of the first batch are at most 0.7 of its positions. The gradient is the
	// same but is added up in another order, so the weights differ in their last bits.
	SharePrefixes string `yaml:"share_prefixes,omitempty"`
	// TrainSequences is the size of a finite training set, from which each batch draws
	// sequences at random with replacement, so that a model may memorise it; 0 draws fresh
	// sequences for each batch.
	TrainSequences int `yaml:"train_sequences,omitempty"`

	// Optimizer is adam (the default), adamw, sgd, or lbfgs, which needs objective: exact.
	Optimizer string `yaml:"optimizer,omitempty"`
	// LR is the learning rate. For lbfgs (default 1) it bounds the length of the first trial
	// step of a search along the gradient. lbfgs searches along the gradient in its first
	// step and whenever it remembers no earlier step. Its other steps ignore LR.
	LR float64 `yaml:"lr"`
	// LRSchedule is constant (the default), linear or cosine. The last two decrease from LR
	// to LRFinal and reach it at the last step. With LRFinal 0 the last step changes
	// nothing; PyTorch's schedulers stop one step short of their final rate.
	LRSchedule  string    `yaml:"lr_schedule,omitempty"`
	LRFinal     float64   `yaml:"lr_final,omitempty"`     // learning rate at the last step of these schedules
	WarmupSteps int       `yaml:"warmup_steps,omitempty"` // steps over which the rate first rises linearly to LR
	WeightDecay float64   `yaml:"weight_decay,omitempty"` // weight decay of every parameter, as in PyTorch's optimisers
	Betas       []float64 `yaml:"betas,omitempty"`        // for adam and adamw; [0.9, 0.999] if left out; nil for lbfgs
	Eps         float64   `yaml:"eps,omitempty"`          // for adam and adamw; 1e-8 if 0; 0 for lbfgs
	Momentum    float64   `yaml:"momentum,omitempty"`     // for sgd
	MaxGradNorm float64   `yaml:"max_grad_norm,omitempty"`

	// LossPositions are the positions (1 to n_ctx) whose prediction is learned; all if left
	// out. LossWeights are their relative weights, one for each position; equal if left out.
	LossPositions []int     `yaml:"loss_positions,omitempty"`
	LossWeights   []float64 `yaml:"loss_weights,omitempty"`
	// EventWeight is the weight of retrieval steps, for a process that marks them; other
	// tokens have weight 1. 0 means 1.
	EventWeight float64 `yaml:"event_weight,omitempty"`
	// Objective is sampled (the default), optimal_targets or exact; see [Objective].
	Objective string `yaml:"objective,omitempty"`

	EvaluateEvery int `yaml:"evaluate_every,omitempty"` // steps; num_steps/20 if 0
	// EvaluateSequences is the number of held-out sequences; 512 if 0. With objective: exact
	// they serve only for the accuracy and for positions after the last one learned.
	EvaluateSequences int `yaml:"evaluate_sequences,omitempty"`
	// Stop, if not nil, may end the training before NumSteps. LRSchedule and WarmupSteps
	// still refer to NumSteps.
	Stop            *Stop `yaml:"stop,omitempty"`
	CheckpointEvery int   `yaml:"checkpoint_every,omitempty"` // steps; num_steps/5 if 0
	// CheckpointMinutes is the time since the previous checkpoint after which a run writes
	// another, in addition to those every CheckpointEvery steps; 0 for never. It does not
	// affect any bit of the training.
	CheckpointMinutes float64 `yaml:"checkpoint_minutes,omitempty"`
	// Checkpoints selects the steps whose weights a run keeps; only the last two checkpoints
	// if left out.
	Checkpoints Checkpoints `yaml:"checkpoints,omitempty"`
}

// Load reads a configuration file, applies assignments like "train.lr=1e-3" to it, reads
// the files that its process names ([process.Spec.WithFiles]), and resolves it. An error
// gives the file, the line and the column.
func Load(path string, assignments ...string) (Config, error) {
	document, text, err := parseFile(path)
	if err != nil {
		return Config{}, err
	}
	return (&Family{document, text, resolveWithFiles}).With(assignments...)
}

// parseFile parses a configuration file.
func parseFile(path string) (document *strict.Document, text []byte, err error) {
	if text, err = strict.ReadNamed(path); err != nil {
		return nil, nil, err
	}
	if err := process.CheckYAML(path); err != nil {
		return nil, nil, err
	}
	document, err = strict.Parse(path, text)
	return document, text, err
}

// resolveWithFiles resolves a configuration whose process may name files.
func resolveWithFiles(c Config) (Config, error) {
	found, err := c.Process.WithFiles()
	if err != nil {
		return c, strict.Within("process", err)
	}
	c.Process = found
	return c.Resolve()
}

// Parse is [Load] for a configuration that is already in memory. Errors give the argument
// name as the file's name.
func Parse(name string, data []byte, assignments ...string) (Config, error) {
	return parse(name, data, assignments, Config.Resolve)
}

// ParseOn is [Parse] for a process made by Go code. The configuration may name that
// process or leave the process out; it does not define the process (see
// [process.SpecOf]).
func ParseOn(p process.Sampler, name string, data []byte, assignments ...string) (Config, error) {
	return parse(name, data, assignments, func(c Config) (Config, error) { return c.ResolveOn(p) })
}

func parse(name string, data []byte, assignments []string, resolve func(Config) (Config, error)) (Config, error) {
	document, err := strict.Parse(name, data)
	if err != nil {
		return Config{}, err
	}
	return (&Family{document, data, resolve}).With(assignments...)
}

// ParseModel reads a config.yaml that needs only a model section, such as one next to
// weights from another program. It resolves that section alone. If the file names a
// process, p is that process and supplies the vocabulary; otherwise p is nil. An error
// gives the line, the column and, as the file, the argument name.
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

// YAML returns the configuration as a config.yaml. The text has been read back: [Parse]
// returns this very configuration from it, to the last bit. An error has one line and
// names a field that a config.yaml cannot express: text that is not UTF-8, a number that
// is not finite, or a process too large for a config.yaml.
func (c Config) YAML() ([]byte, error) {
	c.Process = c.Process.Plain()
	return strict.Marshal(c)
}

// JSON returns the configuration like YAML, but as a JSON object on one line, which
// [ParseModel] and [Parse] also read.
func (c Config) JSON() ([]byte, error) {
	c.Process = c.Process.Plain()
	return strict.MarshalJSON(c)
}

// Resolve returns c with the optional fields filled in; the model's vocabulary comes from
// the process. In the result, the process is in the form of [process.Spec.Plain]. The
// error is about the first invalid field, and names its YAML key.
func (c Config) Resolve() (Config, error) {
	p, err := c.Process.BuildSampler()
	if err != nil {
		return c, strict.Within("process", err)
	}
	return c.ResolveOn(p)
}

// ResolveOn is Resolve for a process that already exists, such as one made by Go code.
func (c Config) ResolveOn(p process.Sampler) (resolved Config, err error) {
	c.Process = c.Process.Plain()
	if c.Model.DVocab == 0 {
		c.Model.DVocab = p.Alphabet()
	}
	if c.Model.DVocab < p.Alphabet() {
		return c, strict.Fieldf("model.d_vocab",
			"= %d is less than the %d tokens of %s", c.Model.DVocab, p.Alphabet(), p.Name())
	}
	if c.Model, err = c.Model.Resolve(); err != nil {
		return c, strict.Within("model", err)
	}
	if c.Model.Output != "" {
		return c, strict.Fieldf("model.output",
			"= %q is for hand-written weights, and training needs logits; leave it out", c.Model.Output)
	}
	if r, ok := p.(process.Reacher); ok && r.Reach() > c.Model.NCtx {
		return c, strict.Fieldf("model.n_ctx",
			"= %d is less than the largest lag of %s, %d, so the model could not learn that lag; "+
				"raise n_ctx to the lag",
			c.Model.NCtx, p.Name(), r.Reach())
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

// mostMinutes bounds checkpoint_minutes to about two years, so that it fits a
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
	if err := o.checkStop(p); err != nil {
		return o, err
	}
	return o.resolveCheckpoints()
}

// defaultBetas and defaultEps are Adam's defaults.
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
		return o, strict.Fieldf("betas", "has %d numbers; give two, such as [0.9, 0.999]", len(o.Betas))
	}
	if o.LR == 0 {
		return o, strict.Fieldf("lr", "is missing; give a number in (0, 100], such as 0.001")
	}
	if !(o.LR > 0 && o.LR <= 100) {
		return o, strict.Fieldf("lr", "= %v is outside (0, 100]", o.LR)
	}
	for _, b := range o.Betas {
		if !(b >= 0 && b < 1) {
			return o, strict.Fieldf("betas", "= %v is outside [0, 1)", b)
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
		return o, strict.Fieldf("momentum", "is only for optimizer: sgd; leave it out (adam has betas)")
	}
	if o.Optimizer == "lbfgs" {
		o.Betas, o.Eps = nil, 0 // it has neither
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
	return strict.Fieldf(path, "= %s", strict.NotOneOf(value, choices))
}

func checkRange(path string, value, low, high float64) error {
	if value >= low && value <= high {
		return nil
	}
	if value == 0 {
		return strict.Fieldf(path, "is missing; give a number in [%.10g, %.10g]", low, high)
	}
	return strict.Fieldf(path, "= %.10g is outside [%.10g, %.10g]", value, low, high)
}
