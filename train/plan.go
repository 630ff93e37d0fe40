package train

import (
	"fmt"
	"math/bits"
	"reflect"
	"runtime"

	"foretell/internal/limit"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

const (
	// maxShards is the largest number of shards of a batch. The gradients of the shards are
	// computed separately and then added in a fixed tree. The number is halved while a shard
	// would have fewer than shardRows rows, but not below minShards. All of this is part of
	// the definition of a run: another number of shards gives other bits.
	maxShards, minShards, shardRows = 16, 4, 128
	// passRows bounds the rows (sequences × positions) of one pass, so that its activations
	// stay in the cache. Each pass reads all parameters and adds to all gradients; for
	// models of at least largeModel parameters that costs more than small passes save, so
	// they use passRowsOfLarge. The bits do not depend on the size of a pass.
	passRows, passRowsOfLarge = 128, 256
	largeModel                = 1 << 17
	// groupRows bounds the rows of a group of passes; losses are summed within a group
	// before the groups are added up. The bound is part of the definition of a run.
	groupRows = 256
)

// Setup is what [NewTrainer] takes in addition to a configuration. The zero value takes
// everything else from the configuration and uses all processors.
type Setup struct {
	// Process, if not nil, is the process to learn, made by Go code; its type need not be in
	// the catalogue. The configuration must then name no process. To train on such a process
	// in a folder, use the option ByCode of package run.
	Process process.Sampler
	// First, if not nil, is the model of Train.Init, already read. If it is nil, the initial
	// weights are read or drawn, as the configuration specifies.
	First *model.Transformer[float32]
	// Workers is the number of goroutines that share a step; 0 means the number of
	// processors. The result of training does not depend on it.
	Workers int
}

// source returns the process to learn, which the setup or the configuration gives. It
// returns an error if both do, or if First does not match Train.InitSHA256.
func (s Setup) source(c Config) (p process.Sampler, err error) {
	switch p = s.Process; {
	case p == nil:
		if p, err = c.Process.BuildSampler(); err != nil {
			return nil, strict.Within("process", err)
		}
	case !reflect.ValueOf(c.Process).IsZero():
		return nil, strict.Fieldf("process", "is given twice: the configuration names %q, "+
			"and the caller gives %s; leave it out of the configuration", c.Process.Name, p.Name())
	}
	if s.First != nil && c.Train.InitSHA256 != s.First.Checksum() {
		return nil, fmt.Errorf("train: the weights do not match train.init_sha256")
	}
	return p, nil
}

// workers returns the number of goroutines.
func (s Setup) workers() (int, error) {
	switch {
	case s.Workers == 0:
		return runtime.NumCPU(), nil
	case s.Workers < 0:
		return 0, fmt.Errorf("train: %d workers; give at least 1", s.Workers)
	}
	return s.Workers, nil
}

// Plan is what follows from a configuration, its process and a number of workers before
// anything is trained: how long the training is, how a step is divided, and how much
// memory it takes. A [Trainer] allocates and computes by these numbers.
type Plan struct {
	Process    string `json:"process"`    // the name of the process
	Parameters int    `json:"parameters"` // the number of parameters of the model

	Steps int    `json:"steps"`
	Batch string `json:"batch"` // the data of a step, see [Config.BatchText]
	// Sequences and Tokens count what all steps train on, see [Trainer.Tokens]. They are
	// float64, as are bytes, because impossible configurations have more than an int can
	// count.
	Sequences float64 `json:"sequences"`
	Tokens    float64 `json:"tokens"`

	Workers int `json:"workers"`
	Shards  int `json:"shards"`          // shards of a batch
	Group   int `json:"group_sequences"` // most sequences in a group of passes
	Pass    int `json:"pass_sequences"`  // most sequences in a pass
	// Passes is the number of passes of a step. It is 0 if passes go through trees of
	// prefixes, which are not known before they are drawn or enumerated. PassRows is then
	// the largest number of rows of a pass, else 0.
	Passes   int `json:"passes,omitempty"`
	PassRows int `json:"pass_rows,omitempty"`
	Room     int `json:"workspace_sequences"` // sequences of n_ctx positions that a worker's workspace holds

	// SharesPrefixes reports whether a prefix that several sequences of a batch share is
	// computed only once. SharePrefixes is the reason: off, on or auto, as configured, or
	// exact for objective: exact, which has no batches. With auto, DistinctPrefixes is the
	// ratio of distinct prefixes to positions in the first batch; it is nil if only one
	// position is learned, because its prefixes are then not shared.
	SharesPrefixes   bool     `json:"shares_prefixes"`
	SharePrefixes    string   `json:"share_prefixes"`
	DistinctPrefixes *float64 `json:"distinct_prefixes,omitempty"`

	EvaluateEvery     int `json:"evaluate_every"` // steps
	EvaluateSequences int `json:"evaluate_sequences"`
	Evaluations       int `json:"evaluations"` // including one before the first step
	// Stop is the rule that may end the training earlier; Steps and all numbers that follow
	// from it are then upper bounds. It is nil without train.stop.
	Stop *Stop `json:"stop,omitempty"`

	// Checkpoints is the number of checkpoints that a run writes without
	// CheckpointMinutes. KeptWeights is the number of steps whose weights the run keeps
	// beyond the last two checkpoints, by the rule last, all, log or list.
	CheckpointEvery   int     `json:"checkpoint_every"` // steps
	CheckpointMinutes float64 `json:"checkpoint_minutes,omitempty"`
	Checkpoints       int     `json:"checkpoints"`
	CheckpointRule    string  `json:"checkpoint_rule"`
	KeptWeights       int     `json:"kept_weights"`

	Memory  []MemoryPart `json:"memory"`
	Bytes   float64      `json:"memory_bytes"`            // the sum of Memory, wrong by at most about a third
	Machine float64      `json:"machine_bytes,omitempty"` // the memory that this process can have; 0 if unknown

	config    Config // resolved
	process   process.Sampler
	objective Objective
	computed  int  // positions of a sequence of n_ctx tokens that a pass computes
	positions int  // positions of a sequence that a step computes, unless sequences share prefixes
	lastOnly  bool // only the last position of each sequence is computed, as the objective allows
}

// NewPlan returns the plan of a training run. With share_prefixes: auto it draws the
// first batch. It returns an error for every configuration or setup that [NewTrainer]
// rejects before it makes the weights; training that needs more memory than the machine
// has is a [*MemoryError].
func NewPlan(c Config, s Setup) (*Plan, error) {
	source, err := s.source(c)
	if err != nil {
		return nil, err
	}
	if c, err = c.ResolveOn(source); err != nil {
		return nil, err
	}
	workers, err := s.workers()
	if err != nil {
		return nil, err
	}
	p := newPlan(c, source, workers)
	if err := p.checkMemory(); err != nil { // before a batch is drawn
		return nil, err
	}
	if p.sharesTrees() {
		p.share()
	}
	if err := p.checkMemory(); err != nil {
		return nil, err
	}
	return p, nil
}

// newPlan returns the plan of a resolved configuration without shared prefixes.
func newPlan(c Config, source process.Sampler, workers int) *Plan {
	p := &Plan{
		config: c, process: source, objective: c.Objective(),
		Process: source.Name(), Parameters: c.Model.Parameters(),
		Batch: c.BatchText(), Workers: workers, Machine: limit.Memory(),
	}
	p.setSchedule()
	p.divide()
	p.setTotals()
	p.setMemory()
	return p
}

// test returns the data on which the training is evaluated.
func (p *Plan) test() Test {
	_, judged := ceilingOf(p.config, p.process)
	return Test{
		Process: p.process, Sequences: p.EvaluateSequences, Length: p.config.Model.NCtx,
		Seed: p.config.Train.Seed, Accuracy: judged,
	}
}

// setSchedule sets the numbers that follow from the training options alone.
func (p *Plan) setSchedule() {
	o := p.config.Train
	p.Steps, p.SharePrefixes = o.NumSteps, o.SharePrefixes
	defaultTo(&p.SharePrefixes, shareOff)
	if p.objective.Exact {
		p.SharePrefixes = objectiveExact
	}
	p.EvaluateEvery, p.EvaluateSequences = o.EvaluateEvery, o.EvaluateSequences
	p.Stop = o.Stop
	p.Evaluations = 1 + multiples(o.NumSteps, o.EvaluateEvery)
	p.CheckpointEvery, p.CheckpointMinutes = o.CheckpointEvery, o.CheckpointMinutes
	p.Checkpoints = multiples(o.NumSteps, o.CheckpointEvery)
	p.CheckpointRule = o.Checkpoints.Rule
	switch {
	case o.Checkpoints.Steps != nil:
		p.CheckpointRule, p.KeptWeights = "list", len(o.Checkpoints.Steps)
	case o.Checkpoints.Rule == keepAll:
		p.KeptWeights = p.Checkpoints
	case o.Checkpoints.Rule == keepLog:
		p.KeptWeights = bits.Len(uint(o.NumSteps))
		if o.NumSteps&(o.NumSteps-1) != 0 { // the last step is kept, too
			p.KeptWeights++
		}
	default:
		p.CheckpointRule = keepLast
	}
}

// multiples returns how many of the steps 1 … last are a multiple of the number `every`
// or the last step.
func multiples(last, every int) int { return (last-1)/every + 1 }

// divide sets the sizes of shards, groups and passes.
func (p *Plan) divide() {
	c := p.config
	p.computed = c.Model.NCtx
	if !c.Model.HasAttention() && p.objective.LastOnly() { // that position sees the whole window
		p.computed = 1
	}
	p.positions = min(p.objective.Length(), p.computed)
	p.Shards = p.numShards()
	p.Group = p.sequencesOf(groupRows)
	p.lastOnly = p.objective.LastOnly() && !p.objective.Exact
	if p.objective.Exact {
		p.PassRows = p.forestRows()
	}
	p.Pass = p.passSize()
	p.Room = p.room()
	if !p.objective.Exact {
		p.Passes = p.numPasses()
	}
}

// numShards is the number of shards of a batch.
func (p *Plan) numShards() int {
	if p.objective.Exact {
		return maxShards
	}
	batch := p.config.Train.BatchSize
	n := maxShards
	for n > minShards && batch*p.computed < n*shardRows {
		n /= 2
	}
	return min(n, batch)
}

// sequencesOf is the largest number of sequences that have at most the given number of
// rows in total, at least one.
func (p *Plan) sequencesOf(rows int) int {
	batch := p.config.Train.BatchSize
	n := min(rows/p.computed, batch)
	if !p.config.Model.HasAttention() {
		// A pass needs no more sequences than a shard, and an evaluation computes all their
		// positions.
		n = min(n, (batch-1)/p.Shards+1)
	}
	return max(1, n)
}

// passSize is the number of sequences that go through the model together.
func (p *Plan) passSize() int {
	switch {
	case p.objective.Exact:
		return (p.PassRows-1)/p.config.Model.NCtx + 1
	case p.Parameters < largeModel:
		return p.sequencesOf(passRows)
	}
	return p.sequencesOf(passRowsOfLarge)
}

// ofShard returns the range [first, last) of n items that belong to shard i.
func (p *Plan) ofShard(i, n int) (first, last int) {
	return i * n / p.Shards, (i + 1) * n / p.Shards
}

// numPasses is the number of passes of a step through sequences. Each shard is cut into
// groups, and each group into passes.
func (p *Plan) numPasses() int {
	passes, batch := 0, p.config.Train.BatchSize
	of := func(sequences int) int { return (sequences + p.Pass - 1) / p.Pass }
	for i := range p.Shards {
		first, last := p.ofShard(i, batch)
		passes += (last-first)/p.Group*of(p.Group) + of((last-first)%p.Group)
	}
	return passes
}

// room is the number of sequences of n_ctx positions that a worker's workspace holds:
// enough for a pass and, with trees, for the rows of a pass over trees.
func (p *Plan) room() int { return max(p.Pass, (p.PassRows-1)/p.config.Model.NCtx+1) }

// setTotals sets the numbers of sequences and tokens of all steps.
func (p *Plan) setTotals() {
	length := p.objective.Length()
	sequences := p.config.Train.BatchSize
	tokens := sequences * length
	if p.objective.Exact {
		tokens = process.NumPrefixes(p.process.Alphabet(), length)
		sequences = tokens - process.NumPrefixes(p.process.Alphabet(), length-1)
	}
	p.Sequences, p.Tokens = float64(p.Steps)*float64(sequences), float64(p.Steps)*float64(tokens)
}

// share changes the plan to one whose steps go through trees of shared prefixes.
func (p *Plan) share() {
	p.SharesPrefixes, p.lastOnly, p.Passes = true, false, 0
	p.PassRows = p.treeRows()
	p.Room = p.room()
	p.setMemory()
}

// longPass is the number of multiply-adds above which a pass counts as long. It then
// takes at least some milliseconds. An interrupted step does not wait for a long pass to
// end.
const longPass = 1 << 26

// passProducts is roughly the number of multiply-adds in one pass through the model,
// forward and backward.
func (p *Plan) passProducts() float64 {
	return float64(p.Pass*p.computed) * p.config.rowProducts()
}

// rowProducts is roughly the number of multiply-adds for one position, forward and
// backward. The model of c is resolved.
func (c Config) rowProducts() float64 {
	width := 0.0
	for layer, heads := range c.Model.NHeads {
		width += float64(heads * c.Model.HeadWidth(layer))
	}
	return 3 * (float64(c.Model.Parameters()) + float64(width*float64(c.Model.NCtx)))
}

// Products is roughly the number of multiply-adds of all training steps, to compare runs
// with each other. It does not know which sequences of a batch share prefixes. c need not
// be resolved, and its process is built for the exact objective only.
func (c Config) Products() (float64, error) {
	steps := float64(c.Train.NumSteps)
	if c.Train.Objective == objectiveExact {
		p, err := c.Process.BuildSampler()
		if err != nil {
			return 0, strict.Within("process", err)
		}
		if c, err = c.ResolveOn(p); err != nil {
			return 0, err
		}
		return steps * float64(process.NumPrefixes(p.Alphabet(), c.Objective().Length())) * c.rowProducts(), nil
	}
	c.Model.DVocab = max(1, c.Model.DVocab)
	m, err := c.Model.Resolve()
	if err != nil {
		return 0, strict.Within("model", err)
	}
	c.Model = m
	return steps * float64(c.Train.BatchSize*m.NCtx) * c.rowProducts(), nil
}
