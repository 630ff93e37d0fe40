package probe

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/text"
	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// Limits by which [Learnable.Judge] decides whether a model has converged.
const (
	// MostMissed is the largest share of the learnable information that a converged model
	// may miss.
	MostMissed = 0.03
	// NearPlateau is the largest relative difference between a model's KL and a plateau at
	// which the model may rest on that plateau. A plateau is the KL of the optimal observer
	// that sees only the last few tokens.
	NearPlateau = 0.1
	// PlateauTokens is the number of plateaus. Plateau k is the KL of the optimal observer
	// that sees only the last k tokens.
	PlateauTokens = 3
)

// Learnable is the information about the next token in the prefixes of a process, in
// nats, averaged over positions. A model's divergence is judged relative to it: KL alone
// is small if there is little to learn, whatever the model does.
type Learnable struct {
	// Information is the mutual information of a prefix and its next token, given the
	// prefix's length. It is the KL of the best model that ignores its context.
	Information float64
	// Plateaus holds the KL of the optimal observers that see only the last 1, 2, …,
	// [PlateauTokens] tokens. Training often stays near one of these values for many steps.
	// An entry is 0 if the observer's tokens hold all information.
	Plateaus []float64
}

// NewLearnable returns the information in the prefixes of p. It is exact if p holds every
// prefix.
func NewLearnable(p *process.Prefixes) Learnable {
	floor := stat.Mean(p.WindowEntropies(p.Length), nil)
	above := func(k int) float64 { return max(0, stat.Mean(p.WindowEntropies(k), nil)-floor) }
	l := Learnable{Information: above(0)}
	for k := 1; k <= PlateauTokens; k++ {
		l.Plateaus = append(l.Plateaus, above(k))
	}
	return l
}

// Convergence reports whether training has converged, judged by the trained model. The
// training curve cannot show this: it is also flat if the learning rate falls to zero, or
// while the model rests on a plateau.
type Convergence struct {
	KL     float64 // divergence from the optimal prediction to the model's, in nats, mean over positions
	Missed float64 // missed share of the information: 0 for the optimum, 1 for a model that ignores its context
	Reason string  // why the model has not converged, as a clause; empty if it has

	plateau plateau // the plateau whose KL is nearest to the model's
}

// plateau compares a model with the optimal observer that sees only the last few tokens.
type plateau struct {
	Tokens   int     // number of tokens that the observer sees; 0 if there is no plateau
	KL       float64 // KL of the observer, in nats
	Distance float64 // KL of the model divided by the KL of the observer, minus 1
	// Apart is the divergence from the observer's predictions to the model's, in nats; NaN
	// if it was not measured.
	Apart float64
}

// holds reports whether a model with the given KL rests on the plateau: its KL is near
// the observer's and, if Apart was measured, the model is nearer to the observer than to
// the optimum. A model that looks further back and has such a KL by chance is far from
// both.
func (p plateau) holds(kl float64) bool {
	return p.Tokens > 0 && math.Abs(p.Distance) <= NearPlateau && !(p.Apart > kl)
}

// Converged reports whether the model has converged.
func (c Convergence) Converged() bool { return c.Reason == "" }

// Judge reports whether a model with this KL, in nats and averaged over positions, has
// converged. It has converged if
//
//   - its KL is not within [NearPlateau] of the KL of an optimal observer that sees only
//     the last few tokens, and
//   - it misses at most [MostMissed] of the information that prefixes have about the next
//     token.
//
// [Convergence.AtTwice] adds a condition on the result of training for longer. An
// observer that misses only as much as rounding errors is the optimum, and its plateau
// does not count. If prefixes have no information about the next token, no model counts
// as converged.
//
// If the last tokens hold nearly all information, a well-trained model can also have a KL
// near a plateau by chance; [Learnable.Of] distinguishes such a model from one that rests
// on the plateau.
func (l Learnable) Judge(kl float64) Convergence { return l.judge(kl, math.NaN()) }

// judge is [Learnable.Judge] with one more result: the divergence from the predictions of
// the nearest plateau's observer to the model's, or NaN if it was not measured.
func (l Learnable) judge(kl, apart float64) Convergence {
	c := Convergence{KL: kl, Missed: kl / l.Information, plateau: l.nearest(kl)}
	c.plateau.Apart = apart
	switch {
	case l.Information <= tellsNothing:
		c.Missed = math.NaN()
		c.Reason = "the sequences hold no information about the next token"
	case math.IsNaN(kl) || math.IsInf(kl, 0):
		c.Reason = "its KL is not finite"
	case c.plateau.holds(kl):
		c.Reason = fmt.Sprintf("its KL, %.3g nats, is near %.3g, the KL of an optimal observer that sees "+
			"only the last %s",
			kl, c.plateau.KL, text.Count(c.plateau.Tokens, "token"))
	case c.Missed > MostMissed:
		c.Reason = fmt.Sprintf("it misses %.3g %% of the information about the next token, more than %g %%",
			100*c.Missed, 100*MostMissed)
	}
	return c
}

// Limits of rounding errors. Information below tellsNothing nats counts as zero. A
// plateau whose KL is less than missesNothing times the information is the optimum.
const (
	tellsNothing  = 1e-12
	missesNothing = 1e-9
)

// nearest returns the plateau whose KL is nearest to the model's, by ratio.
func (l Learnable) nearest(kl float64) plateau {
	var nearest plateau
	for i, known := range l.Plateaus {
		if known <= max(tellsNothing, missesNothing*l.Information) {
			continue
		}
		p := plateau{Tokens: i + 1, KL: known, Distance: kl/known - 1}
		if nearest.Tokens == 0 || math.Abs(p.Distance) < math.Abs(nearest.Distance) {
			nearest = p
		}
	}
	return nearest
}

// AtTwice adds a condition on an effect that was measured after twice the steps (given as
// twice): it must be in [low, high], the interval of the same effect after the first half
// of these steps. If the model had not converged before, its reason stays.
func (c Convergence) AtTwice(low, high, twice float64) Convergence {
	if c.Converged() && !(low <= twice && twice <= high) {
		c.Reason = fmt.Sprintf("after twice the steps the effect is %.3g, outside its interval of %.3g to %.3g",
			twice, low, high)
	}
	return c
}

// Of is [Learnable.Judge] for the model of an analysis of the same prefixes. If the
// model's KL is near the KL of a plateau, Of runs the model once more and compares it
// with the plateau's observer: the model rests on the plateau only if it is nearer to the
// observer than to the optimum. An analysis without a model has not converged. Of returns
// an error if ctx is done.
func (l Learnable) Of(ctx context.Context, a *Analysis) (Convergence, error) {
	kl := a.KL().Mean
	c := l.Judge(kl)
	if !c.plateau.holds(kl) {
		return c, nil
	}
	apart, err := a.apartFrom(ctx, a.Prefixes.WindowNext(c.plateau.Tokens))
	return l.judge(kl, apart), err
}

// Convergence reports whether the model of the analysis has converged; see
// [Learnable.Of].
func (a *Analysis) Convergence(ctx context.Context) (Convergence, error) {
	return NewLearnable(a.Prefixes).Of(ctx, a)
}

// apartFrom returns the divergence from the given predictions, (rows, A), to the model's,
// in nats, averaged over positions.
func (a *Analysis) apartFrom(ctx context.Context, next []float64) (apart float64, err error) {
	p, vocab := a.Prefixes, a.model.Config.DVocab
	err = a.forward(nil).sweep(ctx, a.Plan.Workers, func() (func(*Pass), func()) {
		part := 0.0
		return func(pass *Pass) {
			for _, span := range pass.Spans {
				for i := range span.N {
					row := span.Row + i
					if p.Prob[row] > 0 {
						logits := pass.Logits[(span.Node+i)*vocab:][:vocab]
						part += p.Prob[row] * model.Divergence(next[row*p.Alphabet:(row+1)*p.Alphabet], logits)
					}
				}
			}
		}, func() { apart += part / float64(p.Length) }
	})
	return apart, err
}
