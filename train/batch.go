package train

import (
	"foretell/internal/kernel"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// drawer draws sequences of n_ctx inputs and their n_ctx targets. Each sequence has its
// own random stream, so a batch is the same whichever worker draws which part.
type drawer struct {
	sampler process.Sampler
	seed    uint64
	purpose uint64
	nCtx    int
	set     int // number of sequences in a finite training set; 0 if each step draws new sequences

	stream   random.Stream
	sequence []int32 // n_ctx + 1 tokens
}

func newDrawer(p process.Sampler, seed uint64, purpose string, nCtx int) *drawer {
	return &drawer{
		sampler: p, seed: seed, purpose: random.Purpose(purpose), nCtx: nCtx,
		sequence: make([]int32, nCtx+1),
	}
}

// newBatchDrawer returns the drawer of the sequences that the steps of a plan learn from.
func newBatchDrawer(p *Plan) *drawer {
	o := p.config.Train
	d := newDrawer(p.process, o.Seed, "train/batch", p.objective.Length())
	d.set = o.TrainSequences
	return d
}

// trainingSet is the purpose of the random streams from which a finite training set is
// drawn, one stream for each sequence.
var trainingSet = random.Purpose("train/set")

// draw fills inputs and targets, (n,n_ctx) each, with n sequences of a step, numbers
// `first` to first+n−1. The target of a position is the next token.
func (d *drawer) draw(inputs, targets []int32, step, first, n int) {
	for i := range n {
		d.stream.Reset(d.seed, d.purpose, uint64(step), uint64(first+i))
		if d.set > 0 {
			d.stream.Reset(d.seed, trainingSet, uint64(d.stream.IntN(d.set)))
		}
		d.sampler.Sample(d.sequence, &d.stream)
		copy(inputs[i*d.nCtx:(i+1)*d.nCtx], d.sequence)
		copy(targets[i*d.nCtx:(i+1)*d.nCtx], d.sequence[1:])
	}
}

// batch is a worker's buffers for some sequences of a step and for their targets. The
// loss is computed at R of the T positions of each sequence: all of them, or only the
// last.
type batch struct {
	drawer      *drawer
	n, T, R, V  int       // n is the number of sequences held, at most the number allocated
	shares      []float64 // [R]: position weights w_t divided by the batch size; undivided if the batch is all sequences
	eventWeight float64

	inputs  []int32   // shape (n,T)
	targets []int32   // (n,R): the tokens that came next
	weights []float32 // (n,R): weights w_t·r_t of these tokens (see Objective), divided by the batch size
	soft    []float32 // (n,R,V): optimal w_t·m_t (see Objective), divided by the batch size; nil for sampled targets

	predictor process.Predictor          // nil if only tokens are needed
	marks     process.RetrievalPredictor // the same predictor, if retrieval steps are weighted; else nil
	next      []float64                  // [A]: the predictor's next-token distribution
}

// newBatch returns buffers for n sequences. If `last` is set, the loss is computed only
// at the last position of each sequence; the caller decides whether the objective allows
// that.
func newBatch(plan *Plan, n int, last bool) *batch {
	c, p, o := plan.config, plan.process, plan.objective
	b := &batch{
		T: o.Length(), R: o.Length(), V: c.Model.DVocab,
		eventWeight: o.EventWeight, next: make([]float64, p.Alphabet()),
	}
	if last {
		b.R = 1
	}
	b.drawer = newBatchDrawer(plan)
	b.inputs, b.targets = make([]int32, n*b.T), make([]int32, n*b.T)
	for _, w := range o.Weights[b.T-b.R : b.T] {
		b.shares = append(b.shares, w/float64(max(1, c.Train.BatchSize)))
	}
	if o.Optimal {
		b.soft = make([]float32, n*b.R*b.V)
	}
	for range n {
		for _, share := range b.shares {
			b.weights = append(b.weights, float32(share))
		}
	}
	if o.Optimal || o.EventWeight != 1 {
		b.predictor = p.(process.Process).Predictor() // resolveObjective has checked the type
	}
	if o.EventWeight != 1 {
		b.marks = b.predictor.(process.RetrievalPredictor)
	}
	return b
}

// draw draws n sequences of a step, numbers `first` to first+n−1, fills in their targets,
// and returns their inputs, (n,T).
func (b *batch) draw(step, first, n int) []int32 {
	b.n = n
	T, R := b.T, b.R
	b.drawer.draw(b.inputs[:n*T], b.targets[:n*T], step, first, n)
	for i := range n {
		inputs, targets := b.inputs[i*T:(i+1)*T], b.targets[i*T:(i+1)*T]
		switch {
		case b.soft != nil:
			b.fillSoft(b.soft[i*R*b.V:(i+1)*R*b.V], inputs)
		case b.marks != nil:
			b.weigh(b.weights[i*R:(i+1)*R], inputs, targets)
		}
		copy(b.targets[i*R:(i+1)*R], targets[T-R:])
	}
	return b.inputs[:n*T]
}

// weigh fills in the weights, [R], of a sequence's targets, [T].
func (b *batch) weigh(weights []float32, inputs, targets []int32) {
	b.marks.Reset()
	for t, token := range inputs {
		observe(b.marks, token)
		row := t - (b.T - b.R)
		if row < 0 {
			continue
		}
		weights[row] = float32(b.shares[row])
		if b.marks.Retrieves(int(targets[t])) {
			weights[row] = float32(b.shares[row] * b.eventWeight)
		}
	}
}

// fillSoft fills in the weighted target distributions, (R,V), of a sequence.
func (b *batch) fillSoft(soft []float32, inputs []int32) {
	clear(soft)
	b.predictor.Reset()
	for t, token := range inputs {
		observe(b.predictor, token)
		row := t - (b.T - b.R)
		if row < 0 || b.shares[row] == 0 {
			continue
		}
		b.predictor.Next(b.next)
		for z, q := range b.next {
			weight := b.shares[row]
			if b.marks != nil && b.marks.Retrieves(z) {
				weight *= b.eventWeight
			}
			soft[row*b.V+z] = float32(weight * q)
		}
	}
}

// loss returns the sum of the number `before` and the loss of the batch, in nats, added
// position by position. The logits of the batch are in w, and the gradient is left in w.
func (b *batch) loss(before float64, w *model.Workspace[float32]) float64 {
	rows := b.n * b.R
	if b.soft != nil {
		return kernel.SoftCrossEntropy(before, w.DLogits(), w.Logits(), rows, b.V, b.soft[:rows*b.V])
	}
	return kernel.CrossEntropy(before, w.DLogits(), w.Logits(), rows, b.V, b.targets[:rows], b.weights[:rows])
}

// observe gives a predictor the next token of a sequence that its process produced.
func observe(p process.Predictor, token int32) {
	if err := p.Observe(int(token)); err != nil {
		panic("train: a process cannot predict its own sample: " + err.Error())
	}
}
