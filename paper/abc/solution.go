package abc

import (
	"slices"

	"foretell/claim"
	"foretell/model"

	"gonum.org/v1/gonum/mat"
)

// solution is a trained tiny transformer.
type solution struct {
	steps       int           // training steps until the cross-entropy was at most learnedLoss; 0 if it never was
	loss        float64       // cross-entropy at the end of training
	untrained   float64       // cross-entropy before the first step
	residual    []float64     // final residuals of the nine contexts, (9,2)
	unembedding [3][2]float64 // vectors of the three tokens, minus their mean, which does not affect predictions
	ablated     int           // number of contexts predicted correctly without the attention's output
}

func (r *solution) finalLoss() float64 { return r.loss }
func (r *solution) firstLoss() float64 { return r.untrained }

// finalHook names the residual stream after the model's only block.
const finalHook = "blocks.0.hook_resid_post"

// solve returns the solution found by the training run with the given seed.
func (p profile) solve(s *claim.Study, seed uint64) (*solution, error) {
	t := p.training(seed)
	rows, err := s.Metrics(t)
	if err != nil {
		return nil, err
	}
	trained := s.Trained(t).Model
	m := model.Convert[float64](trained)
	_, cache, err := m.RunWithCache(contexts, 3, finalHook)
	if err != nil {
		return nil, err
	}
	return &solution{
		steps: firstBelow(rows, learnedLoss), loss: exactLoss(m),
		untrained: rows[0].Watch[crossEntropy], residual: cache.Get(finalHook).Data,
		unembedding: unembedding(trained), ablated: rightWithoutAttention(m),
	}, nil
}

// unembedding returns the unembedding vectors of the three tokens, (3,2), minus their
// mean.
func unembedding(m *model.Transformer[float32]) (u [3][2]float64) {
	w := m.Weights.Get("unembed.W_U").Data // shape (2,3)
	for k := range 2 {
		mean := float64(w[3*k]+w[3*k+1]+w[3*k+2]) / 3
		for z := range 3 {
			u[z][k] = float64(w[3*k+z]) - mean
		}
	}
	return u
}

// rightWithoutAttention counts the contexts whose next token has the largest logit when
// the attention's output is 0.
func rightWithoutAttention(m *model.Transformer[float64]) int {
	w := model.NewWorkspace[float64](m.Config, 3)
	w.HookNames = []string{"blocks.0.hook_attn_out"}
	w.Hook = func(t model.Tensor[float64]) { clear(t.Data) }
	logits, right := m.Forward(w, contexts, 3), 0
	for i, token := range contexts {
		if winner(logits[3*i:3*i+3]) == follower(token) {
			right++
		}
	}
	return right
}

// winner returns the token with the largest logit.
func winner(logits []float64) int {
	best := 0
	for z, x := range logits {
		if x > logits[best] {
			best = z
		}
	}
	return best
}

// turnsLeft reports whether the unembedding vectors of A, B and C are in counterclockwise
// order.
func (r *solution) turnsLeft() bool {
	u := r.unembedding
	return u[0][0]*u[1][1]-u[0][1]*u[1][0]+u[1][0]*u[2][1]-u[1][1]*u[2][0]+u[2][0]*u[0][1]-u[2][1]*u[0][0] > 0
}

// shape returns the matrix (12,2) by which solutions are compared, up to rotation and
// reflection of the residual stream. Its rows are the final residuals of the nine
// contexts, minus their mean, and the three unembedding vectors. Each of these two parts
// is scaled to the norm √½.
func (r *solution) shape() *mat.Dense {
	points := slices.Clone(r.residual)
	for k := range 2 {
		mean := 0.0
		for i := range 9 {
			mean += r.residual[2*i+k] / 9
		}
		for i := range 9 {
			points[2*i+k] -= mean
		}
	}
	for _, u := range r.unembedding {
		points = append(points, u[:]...)
	}
	normalise(points[:18])
	normalise(points[18:])
	return mat.NewDense(12, 2, points)
}
