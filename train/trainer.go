package train

import (
	"context"
	"errors"
	"fmt"
	"reflect"

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
	// partSize is roughly the number of parameters that are updated together. It is part of
	// the definition of a run, because the gradient's norm is summed part by part.
	partSize = 4096
)

// Trainer trains a model in memory.
type Trainer struct {
	Config  Config
	Process process.Sampler // a [process.Process] if its best possible prediction is known
	Model   *model.Transformer[float32]

	step      int
	positions int64   // number of positions sent forward and backward, see Positions
	loss      float64 // loss on the last step's batch
	gradNorm  float64 // gradient norm of the last step, before clipping
	optimizer *optimizer
	grads     []*model.Weights[float32] // gradient of each shard; the first ends up holding the sum
	losses    []float64                 // loss of each shard
	order     []int                     // the shards in the order of computation
	parts     []model.Part              // parts of the parameters
	squares   []float64                 // sum of the squares of the gradient, by part
	objective Objective
	exact     *exact   // with objective: exact; else nil
	sharing   *sharing // if the sequences of a batch share their prefixes; else nil
	lastOnly  bool     // only the last position of each sequence is computed, as the objective allows
	rows      int      // positions computed per sequence, unless sequences share prefixes
	pass      int      // sequences in one pass
	group     int      // sequences in one group of passes
	pool      *pool
	evaluator *evaluator // nil if the best possible prediction is not known; then observer is set
	observer  *observer

	// The tasks of a step, made once so that a step allocates nothing.
	drawTask, shardTask, reduceTask, updateTask, stepTask func(w *worker, i int)
}

// NewTrainer returns a trainer at step 0 with initial weights. workers is the number of
// goroutines that share a step; the result does not depend on it. The caller must call
// Close when done. A Trainer must not be used by several goroutines at once. NewTrainer
// returns an error if ctx ends before the floor (the optimal predictor's loss) and the
// held-out sequences have been computed.
func NewTrainer(ctx context.Context, c Config, workers int) (*Trainer, error) {
	return NewTrainerFrom(ctx, nil, nil, c, workers)
}

// NewTrainerOn is [NewTrainer] for a process made by Go code, whose type need not be in
// the catalogue. c.Process must be empty. To train on such a process in a folder, use the
// option ByCode of package run.
func NewTrainerOn(ctx context.Context, p process.Sampler, c Config, workers int) (*Trainer, error) {
	return NewTrainerFrom(ctx, p, nil, c, workers)
}

// NewTrainerFrom is [NewTrainerOn], or [NewTrainer] if p is nil, with initial weights m
// that have already been read from Train.Init. It returns an error if they do not match
// Train.InitSHA256 or the shapes of c.Model. If m is nil, the weights are read or drawn,
// as c specifies.
func NewTrainerFrom(ctx context.Context, p process.Sampler, m *model.Transformer[float32], c Config, workers int) (
	*Trainer, error,
) {
	var err error
	switch named := !reflect.ValueOf(c.Process).IsZero(); {
	case p != nil && named:
		return nil, strict.Fieldf("process", "is given twice: the configuration names %q, "+
			"and the caller gives %s; leave it out of the configuration", c.Process.Name, p.Name())
	case p == nil:
		if p, err = c.Process.BuildSampler(); err != nil {
			return nil, strict.Within("process", err)
		}
	}
	if m != nil && c.Train.InitSHA256 != m.Checksum() {
		return nil, fmt.Errorf("train: the weights do not match train.init_sha256")
	}
	return build(ctx, p, c, m, workers)
}

// build makes a trainer that begins with the weights of the model `first` or, if that is
// nil, with the weights that c specifies.
func build(ctx context.Context, p process.Sampler, c Config, first *model.Transformer[float32], workers int) (
	*Trainer, error,
) {
	c, err := c.ResolveOn(p)
	if err != nil {
		return nil, err
	}
	if workers < 1 {
		return nil, fmt.Errorf("train: %d workers; give at least 1", workers)
	}
	shares, err := checkMemory(c, p, workers)
	if err != nil {
		return nil, err
	}
	m, err := c.firstWeights(first)
	if err != nil {
		return nil, err
	}
	t := &Trainer{
		Config: c, Process: p, Model: m,
		optimizer: newOptimizer(c.Train, c.Model),
		objective: c.Objective(),
		pass:      passSize(c),
		group:     sequencesOf(c, groupRows),
	}
	t.rows = min(t.objective.Length(), rowsPerSequence(c))
	source, known := p.(process.Process)
	if t.objective.Exact {
		if t.exact, err = newExact(ctx, c, source); err != nil {
			return nil, err
		}
	}
	if shares {
		t.sharing = newSharing(c)
	}
	t.lastOnly = t.objective.LastOnly() && t.forest() == nil
	t.allocate(workers)
	if !known {
		t.observer = newObserver(c, p)
		return t, nil
	}
	if t.evaluator, err = newEvaluator(ctx, c, source); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// forest returns the trees that a step goes through, nil if it goes through sequences.
func (t *Trainer) forest() *forest {
	switch {
	case t.exact != nil:
		return t.exact.forest
	case t.sharing != nil:
		return t.sharing.forest
	}
	return nil
}

// SharesPrefixes reports whether a prefix that several sequences of a batch share is
// computed only once.
func (t *Trainer) SharesPrefixes() bool { return t.sharing != nil }

// passSize is the number of sequences that go through the model together.
func passSize(c Config) int {
	switch {
	case c.Train.Objective == objectiveExact:
		return (forestRows(c)-1)/c.Model.NCtx + 1
	case c.Model.Parameters() < largeModel:
		return sequencesOf(c, passRows)
	}
	return sequencesOf(c, passRowsOfLarge)
}

// workspaceRoom is the number of sequences of n_ctx positions that a worker's workspace
// holds: enough for a pass and, with trees, for the rows of a pass over trees.
func workspaceRoom(c Config, capacity int) int {
	return max(passSize(c), (capacity-1)/c.Model.NCtx+1)
}

// sequencesOf is the largest number of sequences that have at most the given number of
// rows in total, at least one.
func sequencesOf(c Config, rows int) int {
	n := min(rows/rowsPerSequence(c), c.Train.BatchSize)
	if !c.Model.HasAttention() {
		// A pass needs no more sequences than a shard, and an evaluation computes all their
		// positions.
		n = min(n, (c.Train.BatchSize-1)/numShards(c)+1)
	}
	return max(1, n)
}

// rowsPerSequence is the number of positions of a sequence that are computed: all of
// them, or only one in a network without attention that learns a single position, since
// that position sees the whole window.
func rowsPerSequence(c Config) int {
	if !c.Model.HasAttention() && c.Objective().LastOnly() {
		return 1
	}
	return c.Model.NCtx
}

// longPass is the number of multiply-adds above which a pass counts as long. It then
// takes at least some milliseconds. An interrupted step does not wait for a long pass to
// end.
const longPass = 1 << 26

// passProducts is roughly the number of multiply-adds in one pass through the model,
// forward and backward.
func passProducts(c Config) float64 {
	rows, width := float64(passSize(c)*rowsPerSequence(c)), 0.0
	for layer, heads := range c.Model.NHeads {
		width += float64(heads * c.Model.HeadWidth(layer))
	}
	return 3 * rows * (float64(c.Model.Parameters()) + float64(width*float64(c.Model.NCtx)))
}

// numShards is the number of shards of a batch.
func numShards(c Config) int {
	if c.Train.Objective == objectiveExact {
		return maxShards
	}
	n := maxShards
	for n > minShards && c.Train.BatchSize*rowsPerSequence(c) < n*shardRows {
		n /= 2
	}
	return min(n, c.Train.BatchSize)
}

func (t *Trainer) allocate(workers int) {
	c := t.Config
	for range numShards(c) {
		t.grads = append(t.grads, model.NewWeights[float32](c.Model))
	}
	t.losses = make([]float64, len(t.grads))
	t.orderShards(c.Train.BatchSize)
	t.Model.Pack()
	t.parts = t.Model.Parts(partSize)
	t.squares = make([]float64, len(t.parts))
	capacity := 0
	if f := t.forest(); f != nil {
		capacity = f.capacity
	}
	room := workspaceRoom(c, capacity)
	var list []*worker
	for range workers {
		list = append(list, &worker{
			workspace: model.NewWorkspace[float32](c.Model, room),
			batch:     newBatch(c, t.Process, t.pass, t.lastOnly),
			terms:     make([][]float32, len(t.grads)),
		})
	}
	t.pool = newPool(list, passProducts(c) > longPass)
	t.drawTask, t.shardTask, t.reduceTask, t.updateTask = t.draw, t.shard, t.reduce, t.update
	if t.forest() != nil {
		t.shardTask = t.shardOfTrees
	}
	t.stepTask = func(w *worker, i int) {
		t.reduce(w, i)
		t.update(w, i)
	}
}

// Close ends the trainer's goroutines. It does not wait for passes that an interrupted
// step left unfinished. The model and the trainer's counters can still be read; Step,
// Train, Evaluate and Restore return [ErrClosed]. A second Close does nothing.
func (t *Trainer) Close() { t.pool.close() }

// At returns the number of steps taken.
func (t *Trainer) At() int { return t.step }

// Tokens returns the number of tokens trained on. With objective: exact it counts the
// prefixes of all sequences once per step, although a step of L-BFGS goes through them
// once for each point that it tries.
func (t *Trainer) Tokens() int64 {
	if t.exact != nil {
		return int64(t.step) * int64(t.exact.words.Rows())
	}
	return int64(t.step) * int64(t.Config.Train.BatchSize) * int64(t.objective.Length())
}

// Positions returns the number of positions that this trainer has sent through the model,
// forward and backward. It equals Tokens if every sequence is computed in full. It is
// smaller if common prefixes are computed once, or if a flat network computes one
// position of a window. It is larger if lbfgs tries several points in a step. Evaluations
// do not count.
func (t *Trainer) Positions() int64 { return t.positions }

// Rests reports whether the weights stay the same in all further steps: lbfgs has found
// no lower point, even along the gradient.
func (t *Trainer) Rests() bool { return t.optimizer.lbfgs != nil && t.optimizer.lbfgs.resting }

// Train takes steps up to the configuration's last. If ctx ends first, it returns ctx's
// error and can be called again. If training diverges, it returns the error of
// [Trainer.CheckFinite].
func (t *Trainer) Train(ctx context.Context) error {
	for t.step < t.Config.Train.NumSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		loss, err := t.Step(ctx)
		if err != nil {
			return err
		}
		if err := t.CheckFinite(loss); err != nil {
			return err
		}
	}
	return nil
}

// DivergedError reports that training produced a NaN or an infinity.
type DivergedError struct {
	Step int    // the last step taken
	What string // such as "the loss is NaN and the gradient norm +Inf"
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("train: diverged: at step %d %s; lower train.lr, or set train.max_grad_norm", e.Step, e.What)
}

// CheckFinite returns a [*DivergedError] if one of three numbers is NaN or infinite: the
// given loss, which must be a loss of the current weights, and the loss and the gradient
// norm of the last step.
func (t *Trainer) CheckFinite(loss float64) error {
	isFinite := func(x float64) bool { return x-x == 0 }
	if isFinite(loss) {
		loss = t.loss
	}
	if isFinite(loss) && isFinite(t.gradNorm) {
		return nil
	}
	return &DivergedError{t.step, fmt.Sprintf("the loss is %v and the gradient norm %v", loss, t.gradNorm)}
}

// CheckWeights is CheckFinite for the last step, and also checks all weights: a step with
// finite loss and gradient can make them infinite.
func (t *Trainer) CheckWeights() error {
	if err := t.CheckFinite(t.loss); err != nil {
		return err
	}
	var parameter *model.NotFiniteError
	if errors.As(t.Model.Weights.CheckFinite(), &parameter) {
		return &DivergedError{t.step, fmt.Sprintf("%s is %v", parameter.What, parameter.Value)}
	}
	return nil
}
