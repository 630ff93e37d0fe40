package probe

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/plural"
	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/stat"
)

// The rule of [Learnable.Judge].
const (
	// MostMissed is the largest share of what words tell that a model which has
	// converged misses.
	MostMissed = 0.03
	// NearPlateau is how near, relative to it, a model's KL is to that of a plateau on
	// which it may rest.
	NearPlateau = 0.1
	// PlateauTokens is the number of plateaus: those of the last one, two, … tokens.
	PlateauTokens = 3
)

// Learnable is what there is to learn of the words of a process, in nats and in the mean
// over positions, by which a model's divergence is judged: KL alone is small where there
// is little to know, whatever the model does.
type Learnable struct {
	// Information is what a word tells of its next token to who knows the word's
	// length: the mutual information of the two. It is the KL of a model that ignores
	// its context.
	Information float64
	// Plateaus are the KL of the optimal observer of no more than the last 1, 2, …,
	// [PlateauTokens] tokens, on which trainings rest. It is 0 where these tell all.
	Plateaus []float64
}

// NewLearnable returns what there is to learn of the words of p: exactly, where every
// word is in the table.
func NewLearnable(p *process.Prefixes) Learnable {
	floor := stat.Mean(p.WindowEntropies(p.Length), nil)
	above := func(k int) float64 { return max(0, stat.Mean(p.WindowEntropies(k), nil)-floor) }
	l := Learnable{Information: above(0)}
	for k := 1; k <= PlateauTokens; k++ {
		l.Plateaus = append(l.Plateaus, above(k))
	}
	return l
}

// Convergence says whether a training has come to its end, as a property of the model
// that it has made. Where a learning rate falls to zero, a curve that is flat proves
// nothing: it is flat on a plateau, too.
type Convergence struct {
	KL      float64 // from the optimal prediction to the model's, in nats, mean over positions
	Missed  float64 // share of what words tell: 0 for the optimum, 1 for a model that ignores its context
	Plateau Plateau // the nearest
	Reason  string  // why the model has not converged, in a clause; empty if it has
}

// Plateau is the optimal observer of the last tokens, beside a model.
type Plateau struct {
	Tokens   int     // that the observer sees; 0 where there is no plateau
	KL       float64 // of the observer, in nats
	Distance float64 // KL of the model relative to the observer's, less 1
	// Apart is the divergence from what the observer predicts to what the model does, in
	// nats; NaN where it was not measured.
	Apart float64
}

// holds says whether a model of a KL rests on the plateau: its KL is near the observer's
// and, if that was measured, it is nearer to the observer than to the optimum. A model
// that looks further and has such a KL by chance is far from both.
func (p Plateau) holds(kl float64) bool {
	return p.Tokens > 0 && math.Abs(p.Distance) <= NearPlateau && !(p.Apart > kl)
}

// Converged says whether the model has converged.
func (c Convergence) Converged() bool { return c.Reason == "" }

// Judge says whether a model of a KL, in nats and in the mean over positions, has
// converged. It has if
//
//   - its KL is not within [NearPlateau] of that of the optimal observer of the last few
//     tokens, and
//   - it misses at most [MostMissed] of what words tell of the next token.
//
// [Convergence.AtTwice] adds what a longer training shows. A plateau on which no more
// than rounding is missed is the optimum, and is none. Where words tell nothing a model
// cannot converge.
//
// A model that has come far has such a KL by chance, too, where the last tokens tell
// nearly all; [Learnable.Of] can tell them apart.
func (l Learnable) Judge(kl float64) Convergence { return l.judge(kl, math.NaN()) }

// judge is the rule, for a model that is apart from the observer of the nearest plateau.
func (l Learnable) judge(kl, apart float64) Convergence {
	c := Convergence{KL: kl, Missed: kl / l.Information, Plateau: l.nearest(kl)}
	c.Plateau.Apart = apart
	switch {
	case l.Information <= tellsNothing:
		c.Missed = math.NaN()
		c.Reason = "words tell nothing of the next token"
	case math.IsNaN(kl) || math.IsInf(kl, 0):
		c.Reason = "its KL is no finite number"
	case c.Plateau.holds(kl):
		c.Reason = fmt.Sprintf("its KL, %.3g nats, is near the %.3g of the optimal observer of the last %s",
			kl, c.Plateau.KL, plural.Count(c.Plateau.Tokens, "token"))
	case c.Missed > MostMissed:
		c.Reason = fmt.Sprintf("it misses %.3g %% of what words tell, more than %g %%", 100*c.Missed, 100*MostMissed)
	}
	return c
}

// Rounding: information below tellsNothing nats is none, and a plateau that misses less
// than missesNothing of it is the optimum.
const (
	tellsNothing  = 1e-12
	missesNothing = 1e-9
)

// nearest returns the plateau whose KL is nearest to that of a model, by ratio.
func (l Learnable) nearest(kl float64) Plateau {
	var nearest Plateau
	for i, plateau := range l.Plateaus {
		if plateau <= max(tellsNothing, missesNothing*l.Information) {
			continue
		}
		p := Plateau{Tokens: i + 1, KL: plateau, Distance: kl/plateau - 1}
		if nearest.Tokens == 0 || math.Abs(p.Distance) < math.Abs(nearest.Distance) {
			nearest = p
		}
	}
	return nearest
}

// AtTwice adds what became of an effect after twice the steps: it has to lie where the
// interval of the effect after the first half, [low, high], has it. A model that has not
// converged keeps its reason.
func (c Convergence) AtTwice(low, high, twice float64) Convergence {
	if c.Converged() && !(low <= twice && twice <= high) {
		c.Reason = fmt.Sprintf("twice the steps move the effect to %.3g, out of its interval of %.3g to %.3g",
			twice, low, high)
	}
	return c
}

// Of is [Learnable.Judge] of the model of an analysis of these words. Where its KL is
// near that of a plateau it runs the model once more and asks whether it also predicts
// what the observer there does, and not rather what the optimum does: it rests on the
// plateau only then. Without a model nothing has converged. It is an error when ctx is
// done.
func (l Learnable) Of(ctx context.Context, a *Analysis) (Convergence, error) {
	kl := a.KL().Mean
	c := l.Judge(kl)
	if !c.Plateau.holds(kl) {
		return c, nil
	}
	apart, err := a.apartFrom(ctx, a.Prefixes.WindowNext(c.Plateau.Tokens))
	return l.judge(kl, apart), err
}

// Convergence says whether the model of the analysis has converged; see [Learnable.Of].
func (a *Analysis) Convergence(ctx context.Context) (Convergence, error) {
	return NewLearnable(a.Prefixes).Of(ctx, a)
}

// apartFrom returns the divergence from predictions, (rows, A), to those of the model, in
// nats, mean over positions.
func (a *Analysis) apartFrom(ctx context.Context, next []float64) (apart float64, err error) {
	p, vocab := a.Prefixes, a.model.Config.DVocab
	err = a.forward(nil).sweep(ctx, a.Plan.Workers, func() (func(*Pass), func()) {
		part := 0.0
		return func(pass *Pass) {
			for _, run := range pass.Runs {
				for i := range run.N {
					row := run.Row + i
					if p.Prob[row] > 0 {
						logits := pass.Logits[(run.Node+i)*vocab:][:vocab]
						part += p.Prob[row] * model.Divergence(next[row*p.Alphabet:(row+1)*p.Alphabet], logits)
					}
				}
			}
		}, func() { apart += part / float64(p.Length) }
	})
	return apart, err
}
