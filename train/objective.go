package train

import (
	"math"
	"slices"

	"foretell/internal/strict"
	"foretell/process"
)

// Objective defines the loss that training minimises: which predictions of a sequence
// count, with what weight, and which targets they are compared with. p(z | x_1 … x_t) is
// the probability that the model gives the next token z. The model's loss on a sequence
// x_1 … x_{n+1} is
//
//	L = Σ_t w_t Σ_z m_t(z)·(−ln p(z | x_1 … x_t)),   t = 1 … n,
//
// in nats. w_t is the weight of position t. The target is the token that came next or, in
// its place, the optimal predictor's distribution:
//
//	m_t(z) = r_t(z)·[z = x_{t+1}]          sampled
//	m_t(z) = r_t(z)·Pr(z | x_1 … x_t)      optimal_targets, exact
//
// Here r_t(z) is EventWeight if z is a retrieval step after x_1 … x_t (see
// [process.RetrievalPredictor]), else 1. The loss of a step is the mean of L over a batch
// of sampled sequences or, with objective: exact, its expectation: the sum over all
// sequences x_1 … x_n weighted by their probabilities.
//
// The expectation of the first m over x_{t+1} is the second m. The expectation of the
// loss of optimal_targets over x_1 … x_t is the loss of exact. So all three objectives
// have the same expected gradient: optimal_targets is free of the noise of the token
// drawn, and exact is free of all sampling noise. The final KL of exact is limited not by
// sampling but by what the model can represent and by the initial weights. It is an upper
// bound of the least possible KL, which other seeds or more steps may lower.
//
// EE269 2026 weights retrieval steps 10 : 1 (“Loss Weighting”) and, as here, does not
// divide by the sum of the weights. With an EventWeight other than 1 the least loss is
// not at the optimal predictor but at p ∝ r_t(z)·Pr(z | x_1 … x_t), which differs if a
// retrieval step is not certain to come.
type Objective struct {
	// Weights holds w_t at positions 1 … n_ctx; they sum to 1.
	Weights []float64
	// EventWeight is the weight of a retrieval step; 1 weights it like any token.
	EventWeight float64
	// Optimal reports that targets are the optimal predictor's distributions. Exact reports
	// that, in addition, the loss is over all sequences.
	Optimal, Exact bool
}

// Objective returns the objective of a resolved configuration.
func (c Config) Objective() Objective {
	o := Objective{
		Weights:     c.Train.positionWeights(c.Model.NCtx),
		EventWeight: c.Train.EventWeight,
		Optimal:     c.Train.Objective != "",
		Exact:       c.Train.Objective == objectiveExact,
	}
	defaultTo(&o.EventWeight, 1)
	return o
}

// Length returns the last position with a nonzero weight. Sequences are drawn only up to
// the token that is predicted there.
func (o Objective) Length() int {
	n := len(o.Weights)
	for o.Weights[n-1] == 0 {
		n--
	}
	return n
}

// LastOnly reports whether only one position has a nonzero weight. Earlier positions then
// need no computation beyond what that position reads.
func (o Objective) LastOnly() bool {
	return !slices.ContainsFunc(o.Weights[:o.Length()-1], func(w float64) bool { return w != 0 })
}

// The values of train.objective.
const (
	objectiveSampled = "sampled"
	objectiveOptimal = "optimal_targets"
	objectiveExact   = "exact"
)

// resolveObjective checks the fields of the objective. A field that is left out stays
// empty, and a default value is cleared, so that equal configurations have the same text.
func (o Options) resolveObjective(nCtx int, p process.Sampler) (Options, error) {
	defaultTo(&o.Objective, objectiveSampled)
	if err := choose("objective", o.Objective, objectiveSampled, objectiveOptimal, objectiveExact); err != nil {
		return o, err
	}
	if o.Objective == objectiveSampled {
		o.Objective = ""
	}
	optimum, known := p.(process.Process)
	if o.Objective != "" && !known {
		return o, strict.Fieldf("objective", "= %s needs the optimal predictor, and the best "+
			"possible prediction of %s is not known; leave it out", o.Objective, p.Name())
	}
	if o.EventWeight == 1 {
		o.EventWeight = 0
	}
	if o.EventWeight != 0 {
		if err := checkRange("event_weight", o.EventWeight, 1e-6, 1e6); err != nil {
			return o, err
		}
		marks := false
		if known {
			_, marks = optimum.Predictor().(process.RetrievalPredictor)
		}
		if !marks {
			return o, strict.Fieldf("event_weight",
				"= %g is for retrieval steps, which %s does not have; leave it out", o.EventWeight, p.Name())
		}
	}
	if err := o.checkPositions(nCtx); err != nil {
		return o, err
	}
	return o, o.checkWeights(nCtx)
}

// checkPositions checks loss_positions.
func (o Options) checkPositions(nCtx int) error {
	if o.LossPositions != nil && len(o.LossPositions) == 0 {
		return strict.Fieldf("loss_positions",
			"is empty; list positions in [1, n_ctx = %d], or leave it out for all", nCtx)
	}
	named := make([]bool, nCtx+1)
	for _, p := range o.LossPositions {
		if p < 1 || p > nCtx {
			return strict.Fieldf("loss_positions", "= %d is outside [1, n_ctx = %d]", p, nCtx)
		}
		if named[p] {
			return strict.Fieldf("loss_positions", "lists position %d twice", p)
		}
		named[p] = true
	}
	return nil
}

// checkWeights checks loss_weights.
func (o Options) checkWeights(nCtx int) error {
	if o.LossWeights == nil {
		return nil
	}
	positions := len(o.LossPositions)
	if o.LossPositions == nil {
		positions = nCtx
	}
	if len(o.LossWeights) != positions {
		return strict.Fieldf("loss_weights",
			"has %d numbers for %d positions; give one for each position", len(o.LossWeights), positions)
	}
	sum := 0.0
	for _, w := range o.LossWeights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return strict.Fieldf("loss_weights", "= %v is negative or not finite", w)
		}
		sum += w
	}
	if sum == 0 {
		return strict.Fieldf("loss_weights", "are all 0: nothing would be learned")
	}
	if math.IsInf(sum, 0) {
		return strict.Fieldf("loss_weights", "have a sum too large for a float64")
	}
	return nil
}

// positionWeights returns the weights of positions 1 … n_ctx; they sum to 1.
func (o Options) positionWeights(nCtx int) []float64 {
	weights, sum := make([]float64, nCtx), 0.0
	give := func(i, position int) {
		weight := 1.0
		if o.LossWeights != nil {
			weight = o.LossWeights[i]
		}
		weights[position-1] = weight
		sum += weight
	}
	for i, p := range o.LossPositions {
		give(i, p)
	}
	if o.LossPositions == nil {
		for i := range nCtx {
			give(i, i+1)
		}
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}
