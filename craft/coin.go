package craft

import (
	"fmt"
	"math"

	"foretell/model"
	"foretell/process"
)

// Coin has the parameters of a transformer that predicts a coin of unknown bias like a
// Bayesian observer. Its tokens are 0 (tails), 1 (heads) and 2 (BOS, only at the
// beginning). After H heads and T tails it predicts heads with probability
// (A+H)/(A+B+H+T), up to Error.
//
// [Coin.Transformer] and [Coin.AttentionOnly] are two solutions. Both have one layer of
// the ordinary forward pass, without positions.
type Coin struct {
	A, B  float64 // the prior Beta(A, B), each in (0, 1e6]
	NCtx  int     // longest context in tokens, including BOS
	Error float64 // largest error of the probability of heads, in [1e-10, 0.1]
	Width int     // largest number of neurons of the MLP, or of heads; 0 for no limit
}

// silent is the logit of BOS: e^−1000 = 0 in any precision.
const silent = -1000

// coinTokens are tails, heads and BOS in the order of their ids.
var coinTokens = []string{"tails", "heads", "BOS"}

// Transformer returns a transformer with one head and an MLP, the architecture of Gemini
// 2025.
//
// The head attends to BOS with weight A+B and to each flip with weight 1. It moves
// A/(A+B) from BOS and 1 from each flip that shows heads. After H heads in N flips its
// output is
//
//	((A+B)·A/(A+B) + H) / (A+B + N) = (A+H)/(A+B+N) = P,
//
// which is exactly the posterior mean: the softmax has the same normaliser as the
// posterior. So the model needs no positions, and need not multiply a count by N+1. The
// MLP only has to compute a function of one number, the log-odds ℓ(P) = log(P/(1−P)),
// which the final softmax turns back into P.
//
// The MLP's piecewise-linear ℓ̂ has |σ(ℓ̂(P)) − P| ≤ Error =: ε for every P that a
// context can lead to. For P ≤ 1/2 let L(P) = ℓ(P−ε), which is concave, and U(P) =
// ℓ(P+ε), which is concave up to 1/2−ε and not negative after it. The segment of ℓ̂
// across 1/2 goes through (1/2, 0), the vertices are on U, and each segment touches L. A
// tangent of a concave function is nowhere below it, and a chord is nowhere above it. So
// L ≤ ℓ̂ ≤ U, which means P−ε ≤ σ(ℓ̂(P)) ≤ P+ε. The other half is the reflection ℓ̂(1−P)
// = −ℓ̂(P).
//
// This takes about ¼·ε^(−1/2)·∫ √(|1−2P|/(P(1−P))) dP ≤ 0.6·ε^(−1/2) neurons: 569 for
// Beta(1, 1), 1024 tokens and ε = 1e-6. ε is reduced by 1e-13 to allow for rounding.
func (c Coin) Transformer() (*model.Transformer[float64], error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	curve := c.logOdds()
	if err := c.fits(len(curve.Ramps), "neurons"); err != nil {
		return nil, err
	}
	return Design{
		Tokens: coinTokens,
		NCtx:   c.NCtx,
		Blocks: []Block{{
			Heads: []Head{{
				Attend: Weighted(map[string]float64{"BOS": c.A + c.B}),
				Move:   []Move{{"BOS", "mean", c.A / (c.A + c.B)}, {"heads", "mean", 1}},
			}},
			Functions: []Apply{{curve, "mean", "log odds"}},
		}},
		Logits: []Move{{"log odds", "heads", 1}, {Always, "BOS", silent}},
	}.Build()
}

func (c Coin) check() error {
	if _, err := process.NewCoin(c.A, c.B); err != nil {
		return err
	}
	if c.NCtx < 1 || c.NCtx > longestContext {
		return fmt.Errorf("coin: n_ctx = %d is outside [1, %d]", c.NCtx, longestContext)
	}
	if !(c.Error >= 1e-10 && c.Error <= 0.1) {
		return fmt.Errorf("coin: error = %g is outside [1e-10, 0.1]", c.Error)
	}
	if c.Width < 0 {
		return fmt.Errorf("coin: width = %d is negative; leave it out for no limit", c.Width)
	}
	return nil
}

const (
	longestContext = 1 << 20
	rounding       = 1e-13 // larger than the error that float64 adds to a probability
)

// fits returns an error if c.Width does not allow the number of neurons or heads that are
// needed.
func (c Coin) fits(needed int, what string) error {
	if c.Width != 0 && c.Width < needed {
		return fmt.Errorf("coin: width = %d is too small for an error of %g with the prior Beta(%g, %g) "+
			"and n_ctx = %d: give at least %d %s",
			c.Width, c.Error, c.A, c.B, c.NCtx, needed, what)
	}
	return nil
}

// means returns the smallest and the largest posterior mean that a context can lead to,
// for at least one flip.
func (c Coin) means() (lo, hi float64) {
	n := float64(max(1, c.NCtx-1))
	return c.A / (c.A + c.B + n), (c.A + n) / (c.A + c.B + n)
}

// logOdds returns ℓ̂ on the range of the posterior mean.
func (c Coin) logOdds() Curve {
	lo, hi := c.means()
	e := c.Error - rounding
	left := band{
		lower: func(p float64) float64 { return logit(p - e) },
		slope: func(p float64) float64 { return 1 / ((p - e) * (1 - p + e)) },
		upper: func(p float64) float64 { return logit(p + e) },
		from:  e,
	}
	switch half := (Point{0.5, 0}); {
	case hi <= 0.5:
		return Through(left.leftwards(Point{hi, left.upper(hi)}, lo))
	case lo >= 0.5:
		return Through(turned(left.leftwards(Point{1 - lo, left.upper(1 - lo)}, 1-hi)))
	default:
		below, above := left.leftwards(half, lo), turned(left.leftwards(half, 1-hi))
		// Both halves begin with the segment that goes through (1/2, 0).
		return Through(append(below[:len(below)-1], above[1:]...))
	}
}

// turned returns points reflected through (1/2, 0).
func turned(points []Point) []Point {
	out := make([]Point, len(points))
	for i, p := range points {
		out[len(points)-1-i] = Point{1 - p.X, -p.Y}
	}
	return out
}

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
