package train

import (
	"context"

	"foretell/internal/portable"
	"foretell/model"
	"foretell/process"
)

// exact holds the training data for the objective "exact", which are all sequences that
// the process can produce.
type exact struct {
	words  *process.Prefixes
	forest *forest
	rows   []int32   // for each row of the forest, the row of its prefix in words; −1 if it has no targets
	least  float64   // the loss of the targets themselves: their weighted entropy
	kl     []float64 // by row of the forest: divergence times probability; filled by an evaluation
}

// newExact makes the forest of all sequences of the objective's length. The target of
// each prefix is the optimal predictor's distribution times the prefix's probability. It
// returns an error if ctx ends.
func newExact(ctx context.Context, plan *Plan, p process.Process) (*exact, error) {
	words, err := process.Words(ctx, p, plan.objective.Length())
	if err != nil {
		return nil, err
	}
	e := &exact{words: words, forest: newForest(plan.PassRows, plan.config.Model.DVocab)}
	b := newBatch(plan, 1, false)
	word, rows := make([]int32, words.Length), make([]int32, words.Length)
	from, to := words.Range(words.Length)
	for leaf := from; leaf < to; leaf++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if words.Prob[leaf] == 0 {
			continue
		}
		for t, row := words.Length-1, leaf; t >= 0; t, row = t-1, words.Parent(row) {
			word[t], rows[t] = int32(words.LastToken(row)), int32(row)
		}
		shared := e.forest.add(word)
		b.fillSoft(b.soft, word)
		e.give(b.soft, rows, shared)
	}
	e.kl = make([]float64, len(e.rows))
	return e, nil
}

// give sets the targets of all prefixes of the sequence that was added last. soft has the
// targets of each prefix, not yet multiplied by the prefix's probability, and rows has
// the prefix's row in e.words. The shortest prefixes already have targets; their number
// is `shared`.
func (e *exact) give(soft []float32, rows []int32, shared int) {
	for len(e.rows) < len(e.forest.tokens) {
		e.rows = append(e.rows, -1)
	}
	V := e.forest.vocab
	for t := shared; t < len(rows); t++ {
		prob := e.words.Prob[rows[t]]
		e.rows[e.forest.row(t)] = rows[t]
		targets, weight := e.forest.at(t), 0.0
		for z, m := range soft[t*V : (t+1)*V] {
			targets[z] = float32(float64(m) * prob)
			weight += float64(targets[z])
		}
		for _, q := range targets {
			if q > 0 {
				e.least -= float64(float64(q) * portable.Log(float64(q)/weight))
			}
		}
	}
}

// evaluateExact returns the divergence from the optimal predictor at each position: its
// exact expectation over all sequences.
func (t *Trainer) evaluateExact(ctx context.Context) ([]float64, error) {
	e := t.exact
	err := t.pool.run(ctx, e.forest.passes(), func(w *worker, i int) {
		tokens, parents, _ := e.forest.pass(i)
		logits, V := t.Model.ForwardTree(w.workspace, tokens, parents), e.forest.vocab
		for j := range tokens {
			row := e.forest.starts[i] + j
			if at := int(e.rows[row]); at >= 0 {
				e.kl[row] = e.words.Prob[at] * model.Divergence(e.words.NextTokens(at), logits[j*V:(j+1)*V])
			}
		}
	})
	if err != nil { // some workers may still be writing divergences
		return nil, err
	}
	byPosition := make([]float64, e.words.Length)
	for row, at := range e.rows {
		if at >= 0 {
			position, _ := e.words.Position(int(at))
			byPosition[position-1] += e.kl[row]
		}
	}
	return byPosition, nil
}
