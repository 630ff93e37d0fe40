package train

import (
	"fmt"
	"math"

	"foretell/internal/kernel"
	"foretell/model"
	"foretell/process"
)

const (
	// shards is the number of parts of a batch whose gradients are computed
	// apart and then added in a fixed tree. It is part of a run's definition:
	// another number gives other bits.
	shards = 16
	// passRows bounds the rows (sequences × positions) of one pass, so that its
	// activations stay in the cache. Part of a run's definition, too.
	passRows = 256
	// normBlock is how many gradient entries go into one partial sum of the norm.
	normBlock = 4096
)

// Trainer trains a model in memory.
type Trainer struct {
	Config  Config
	Process process.Process
	Model   *model.Transformer[float32]

	// configHash is the SHA-256 of the run's config.yaml, which its checkpoints
	// carry; empty for a trainer without a folder.
	configHash string

	step      int
	loss      float64 // of the last step's batch
	gradNorm  float64 // before clipping
	optimizer *optimizer
	grads     []*model.Weights[float32] // by shard; the first ends up holding the sum
	losses    []float64                 // by shard
	squares   []float64                 // partial sums of the gradient's norm, by block
	pass      int                       // sequences in one pass
	pool      *pool
	evaluator *evaluator

	// The parts of a step, as values made once so that a step allocates nothing.
	shardTask, reduceTask, updateTask func(w *worker, i int)
}

// NewTrainer returns a trainer at step 0 with initial weights. workers is the
// number of goroutines that share a step; the result does not depend on it.
// Close must be called at the end.
func NewTrainer(c Config, workers int) (*Trainer, error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	if workers < 1 {
		return nil, fmt.Errorf("train: %d workers; give at least 1", workers)
	}
	if err := checkMemory(c, workers); err != nil {
		return nil, err
	}
	p, err := buildProcess(c.Process)
	if err != nil {
		return nil, err
	}
	m, err := model.New[float32](c.Model, c.Train.Seed)
	if err != nil {
		return nil, err
	}
	t := &Trainer{
		Config: c, Process: p, Model: m,
		optimizer: newOptimizer(c.Train, c.Model),
		pass:      passSize(c),
	}
	t.allocate(workers)
	t.evaluator = newEvaluator(c, p)
	return t, nil
}

// passSize is the number of sequences that go through the model together.
func passSize(c Config) int { return max(1, min(passRows/c.Model.NCtx, c.Train.BatchSize)) }

func (t *Trainer) allocate(workers int) {
	c, n := t.Config, min(shards, t.Config.Train.BatchSize)
	for range n {
		t.grads = append(t.grads, model.NewWeights[float32](c.Model))
	}
	t.losses = make([]float64, n)
	t.squares = make([]float64, (len(t.Model.Weights.Data)+normBlock-1)/normBlock)
	var weights []float32 // of the positions of one sequence
	for _, w := range c.Train.positionWeights(c.Model.NCtx) {
		weights = append(weights, float32(w/float64(c.Train.BatchSize)))
	}
	var list []*worker
	for range workers {
		w := &worker{
			workspace: model.NewWorkspace[float32](c.Model, t.pass),
			drawer:    newDrawer(t.Process, c.Train.Seed, "train/batch", c.Model.NCtx),
			inputs:    make([]int32, t.pass*c.Model.NCtx),
			targets:   make([]int32, t.pass*c.Model.NCtx),
		}
		for range t.pass {
			w.weights = append(w.weights, weights...)
		}
		list = append(list, w)
	}
	t.pool = newPool(list)
	t.shardTask, t.reduceTask, t.updateTask = t.shard, t.reduce, t.update
}

// Close ends the trainer's goroutines.
func (t *Trainer) Close() { t.pool.close() }

// At returns the number of steps taken.
func (t *Trainer) At() int { return t.step }

// Tokens returns the number of tokens trained on.
func (t *Trainer) Tokens() int {
	return t.step * t.Config.Train.BatchSize * t.Config.Model.NCtx
}

// Step takes one training step and returns the loss of its batch, in nats,
// averaged over the positions by their weights.
func (t *Trainer) Step() float64 {
	t.step++
	t.Model.Pack()
	t.pool.run(len(t.grads), t.shardTask)
	t.pool.run(len(t.squares), t.reduceTask)
	t.loss = sum(t.losses)
	t.gradNorm = math.Sqrt(sum(t.squares))
	t.pool.run(len(t.squares), t.updateTask)
	return t.loss
}

// shard computes the gradient of shard i: forward and backward over its
// sequences, a few at a time.
func (t *Trainer) shard(w *worker, i int) {
	c, n := t.Config, len(t.grads)
	first, last := i*c.Train.BatchSize/n, (i+1)*c.Train.BatchSize/n
	clear(t.grads[i].Data)
	t.losses[i] = 0
	for first < last {
		batch := min(t.pass, last-first)
		rows := batch * c.Model.NCtx
		inputs, targets := w.inputs[:rows], w.targets[:rows]
		w.drawer.draw(inputs, targets, t.step, first, batch)
		t.Model.Forward(w.workspace, inputs, batch)
		t.losses[i] += t.Model.CrossEntropy(w.workspace, targets, w.weights[:rows])
		t.Model.Backward(w.workspace, inputs, t.grads[i])
		first += batch
	}
}

// block returns the range of parameters in block i.
func (t *Trainer) block(i int) (from, to int) {
	return i * normBlock, min((i+1)*normBlock, len(t.Model.Weights.Data))
}

// reduce adds the shards' gradients of block i in a binary tree, and the
// squares of the sum.
func (t *Trainer) reduce(_ *worker, i int) {
	from, to := t.block(i)
	for stride := 1; stride < len(t.grads); stride *= 2 {
		for j := 0; j+stride < len(t.grads); j += 2 * stride {
			kernel.Add(t.grads[j].Data[from:to], t.grads[j+stride].Data[from:to])
		}
	}
	t.squares[i] = 0
	for _, g := range t.grads[0].Data[from:to] {
		t.squares[i] += float64(float64(g) * float64(g))
	}
}

// update clips the gradient of block i and moves its parameters.
func (t *Trainer) update(_ *worker, i int) {
	from, to := t.block(i)
	if limit := t.Config.Train.MaxGradNorm; limit > 0 && t.gradNorm > limit {
		scale := float32(limit / (t.gradNorm + 1e-6)) // as torch.nn.utils.clip_grad_norm_
		for j, g := range t.grads[0].Data[from:to] {
			t.grads[0].Data[from+j] = g * scale
		}
	}
	t.optimizer.update(t.Model.Weights, t.grads[0], from, to, t.step)
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
