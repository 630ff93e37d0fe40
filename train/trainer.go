package train

import (
	"context"
	"errors"
	"fmt"

	"foretell/model"
	"foretell/process"
)

// partSize is roughly the number of parameters that are updated together. It is part of
// the definition of a run, because the gradient's norm is summed part by part.
const partSize = 4096

// Trainer trains a model in memory.
type Trainer struct {
	Config  Config
	Process process.Sampler // a [process.Process] if its best possible prediction is known
	Model   *model.Transformer[float32]
	Plan    Plan // a value, so that a step reads its numbers directly

	step      int
	positions int64   // number of positions sent forward and backward, see Positions
	loss      float64 // loss on the last step's batch
	gradNorm  float64 // gradient norm of the last step, before clipping
	optimizer *optimizer
	best      *Best                     // the best evaluation, with Last −1 before the first; nil without train.stop
	grads     []*model.Weights[float32] // gradient of each shard; the first ends up holding the sum
	losses    []float64                 // loss of each shard
	order     []int                     // the shards in the order of computation
	parts     []model.Part              // parts of the parameters
	squares   []float64                 // sum of the squares of the gradient, by part
	exact     *exact                    // with objective: exact; else nil
	sharing   *sharing                  // if the sequences of a batch share their prefixes; else nil
	pool      *pool
	evaluator *evaluator // nil if the best possible prediction is not known; then observer is set
	observer  *observer

	// The tasks of a step, made once so that a step allocates nothing.
	drawTask, shardTask, reduceTask, updateTask, stepTask func(w *worker, i int)
}

// NewTrainer returns a trainer at step 0 with initial weights, by the plan of [NewPlan].
// The caller must call Close when done. A Trainer must not be used by several goroutines
// at once. NewTrainer returns an error if ctx ends before the floor (the optimal
// predictor's loss) and the held-out sequences have been computed.
func NewTrainer(ctx context.Context, c Config, s Setup) (*Trainer, error) {
	plan, err := NewPlan(c, s)
	if err != nil {
		return nil, err
	}
	m, err := plan.config.firstWeights(s.First)
	if err != nil {
		return nil, err
	}
	t := &Trainer{Config: plan.config, Process: plan.process, Model: m, Plan: *plan}
	t.optimizer = newOptimizer(t.Config.Train, t.Config.Model)
	source, known := t.Process.(process.Process)
	if plan.objective.Exact {
		if t.exact, err = newExact(ctx, plan, source); err != nil {
			return nil, err
		}
	}
	if plan.SharesPrefixes {
		t.sharing = newSharing(plan)
	}
	t.allocate()
	if !known {
		t.observer = newObserver(plan.test(), plan.objective.Weights)
		return t, nil
	}
	if t.evaluator, err = newEvaluator(ctx, plan.test(), source); err != nil {
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

// allocate makes the gradients and the workers, and starts their goroutines.
func (t *Trainer) allocate() {
	c, plan := t.Config, &t.Plan
	if c.Train.Stop != nil {
		t.best = &Best{Last: -1, Weights: model.NewWeights[float32](c.Model)}
	}
	for range plan.Shards {
		t.grads = append(t.grads, model.NewWeights[float32](c.Model))
	}
	t.losses = make([]float64, len(t.grads))
	t.orderShards(c.Train.BatchSize)
	t.Model.Pack()
	t.parts = t.Model.Parts(partSize)
	t.squares = make([]float64, len(t.parts))
	var list []*worker
	for range plan.Workers {
		list = append(list, &worker{
			workspace: model.NewWorkspace[float32](c.Model, plan.Room),
			batch:     newBatch(plan, plan.Pass, plan.lastOnly),
			terms:     make([][]float32, len(t.grads)),
		})
	}
	t.pool = newPool(list, plan.passProducts() > longPass)
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
	return int64(t.step) * int64(t.Config.Train.BatchSize) * int64(t.Plan.objective.Length())
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

// Train takes steps up to the configuration's last. With train.stop it also evaluates
// every EvaluateEvery steps, may take fewer steps, and the trained model is
// [Trainer.Result]. If ctx ends first, Train returns ctx's error and can be called again.
// If training diverges, it returns the error of [Trainer.CheckFinite].
func (t *Trainer) Train(ctx context.Context) error {
	for {
		if err := t.evaluateToStop(ctx); err != nil {
			return err
		}
		if t.step >= t.Config.Train.NumSteps || t.Stopped() {
			return nil
		}
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
