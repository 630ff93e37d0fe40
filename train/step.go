package train

import (
	"context"
	"math"

	"foretell/internal/kernel"
	"foretell/model"
)

// Step takes one training step and returns the loss of its batch, in nats; see
// [Objective]. If ctx ends before the batch's gradient is known, Step returns ctx's
// error at once and leaves the trainer as it was before the step. Unfinished passes then
// keep reading the weights; the trainer's next step, evaluation or Restore waits for
// them. While L-BFGS searches along a direction, Step itself waits for each worker's
// current pass, because the search has changed the weights.
func (t *Trainer) Step(ctx context.Context) (float64, error) {
	if err := t.pool.ready(ctx); err != nil {
		return 0, err
	}
	if t.optimizer.lbfgs != nil {
		return t.stepLBFGS(ctx)
	}
	if err := t.differentiate(ctx); err != nil {
		return 0, err
	}
	t.step++
	t.loss = t.least() + sum(t.losses)
	if t.Config.Train.MaxGradNorm == 0 {
		t.pool.finish(len(t.parts), t.stepTask)
		t.gradNorm = math.Sqrt(sum(t.squares))
		return t.loss, nil
	}
	t.pool.finish(len(t.parts), t.reduceTask)
	t.gradNorm = math.Sqrt(sum(t.squares))
	t.pool.finish(len(t.parts), t.updateTask)
	return t.loss, nil
}

// least returns the least possible loss of a step if t.losses are relative to it (with
// objective: exact), else 0.
func (t *Trainer) least() float64 {
	if t.exact == nil {
		return 0
	}
	return t.exact.least
}

// differentiate computes the gradients and losses of the next step's shards.
func (t *Trainer) differentiate(ctx context.Context) error {
	if t.sharing != nil {
		if err := t.pool.run(ctx, len(t.grads), t.drawTask); err != nil {
			return err
		}
		t.sharing.plant()
	}
	positions := t.Config.Train.BatchSize * t.Plan.positions
	if f := t.forest(); f != nil {
		t.orderShards(f.passes())
		positions = len(f.tokens)
	}
	if err := t.pool.run(ctx, len(t.grads), t.shardTask); err != nil {
		return err
	}
	t.positions += int64(positions)
	return nil
}

// orderShards sets the order in which the shards are computed, given the number of items
// that they divide up (sequences, or passes over trees). Longer shards come first, so
// that no worker is left with a long shard at the end.
func (t *Trainer) orderShards(n int) {
	t.order = t.order[:0]
	least := n / len(t.grads)
	for _, size := range []int{least + 1, least} {
		for i := range t.grads {
			if first, last := t.Plan.ofShard(i, n); last-first == size {
				t.order = append(t.order, i)
			}
		}
	}
}

// draw draws the sequences of shard i of the next step.
func (t *Trainer) draw(w *worker, i int) {
	first, last := t.Plan.ofShard(i, t.Config.Train.BatchSize)
	for first < last {
		n := min(t.Plan.Pass, last-first)
		t.sharing.draw(w.batch, t.step+1, first, n)
		first += n
	}
}

// restart clears the gradient and the loss of a shard, which has n items.
func (t *Trainer) restart(shard, n int) {
	t.losses[shard] = 0
	if n > 0 {
		t.grads[shard].Restart()
	} else {
		clear(t.grads[shard].Data)
	}
}

// shardOfTrees replaces [Trainer.shard] for steps that go through trees.
func (t *Trainer) shardOfTrees(w *worker, i int) {
	i = t.order[i]
	f := t.forest()
	first, last := t.Plan.ofShard(i, f.passes())
	t.restart(i, last-first)
	for ; first < last && !t.pool.stopped(); first++ {
		tokens, parents, targets := f.pass(first)
		t.Model.ForwardTree(w.workspace, tokens, parents)
		if t.exact != nil {
			t.losses[i] += t.Model.SoftDivergence(w.workspace, targets)
		} else {
			t.losses[i] += t.Model.SoftCrossEntropy(w.workspace, targets)
		}
		t.Model.Backward(w.workspace, tokens, t.grads[i])
	}
}

// shard computes the gradient of one shard of the next step, number i in the order of
// computation: it runs forward and backward over the shard's sequences, a group at a
// time.
func (t *Trainer) shard(w *worker, i int) {
	i = t.order[i]
	first, last := t.Plan.ofShard(i, t.Config.Train.BatchSize)
	t.restart(i, last-first)
	for first < last && !t.pool.stopped() {
		n := min(t.Plan.Group, last-first)
		t.losses[i] += t.passes(w, t.grads[i], first, n)
		first += n
	}
}

// passes adds the gradient of n sequences of the next step to grads, pass by pass, and
// returns their loss.
func (t *Trainer) passes(w *worker, grads *model.Weights[float32], first, n int) (loss float64) {
	for end := first + n; first < end && !t.pool.stopped(); {
		n := min(t.Plan.Pass, end-first)
		inputs := w.batch.draw(t.step+1, first, n)
		if t.Plan.lastOnly {
			t.Model.ForwardLast(w.workspace, inputs, n)
		} else {
			t.Model.Forward(w.workspace, inputs, n)
		}
		loss = w.batch.loss(loss, w.workspace)
		t.Model.Backward(w.workspace, inputs, grads)
		first += n
	}
	return loss
}

// reduce adds up the shards' gradients for part i of the parameters in a binary tree, and
// records the sum of the squares of the result.
func (t *Trainer) reduce(w *worker, i int) {
	from, to := t.parts[i].From, t.parts[i].To
	for shard, g := range t.grads {
		w.terms[shard] = g.Data[from:to]
	}
	kernel.AddTree(w.terms)
	t.squares[i] = sumSquares(t.grads[0].Data[from:to])
}

// sumSquares returns Σ x², summed in four independent chains for speed. They are four
// variables because an array would be stored and loaded again for each element.
func sumSquares(x []float32) float64 {
	square := func(v float32) float64 { return float64(float64(v) * float64(v)) }
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+square(x[0]), b+square(x[1]), c+square(x[2]), d+square(x[3])
	}
	s := [4]float64{a, b, c, d}
	for k, v := range x {
		s[k] += square(v)
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// update clips the gradient for part i of the parameters, and updates and packs these
// parameters.
func (t *Trainer) update(_ *worker, i int) {
	from, to := t.parts[i].From, t.parts[i].To
	if limit := t.Config.Train.MaxGradNorm; limit > 0 && t.gradNorm > limit {
		scale := float32(limit / (t.gradNorm + 1e-6)) // as torch.nn.utils.clip_grad_norm_
		for j, g := range t.grads[0].Data[from:to] {
			t.grads[0].Data[from+j] = g * scale
		}
	}
	t.optimizer.update(t.Model.Weights, t.grads[0], from, to, t.step)
	t.Model.PackPart(t.parts[i])
}

func sum(x []float64) float64 {
	total := 0.0
	for _, v := range x {
		total += v
	}
	return total
}
