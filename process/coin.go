package process

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"foretell/internal/portable"
)

var coinEntry = Entry{
	Name: "coin",
	Kind: "exchangeable",
	Params: []Param{
		{"a", 1.0, "(0, 1e6]", "prior count of heads"},
		{"b", 1.0, "(0, 1e6]", "prior count of tails"},
		{"bos", 0.0, "0 or 1", "1 for a special token before the first flip"},
	},
	Summary: "flips of a coin whose bias is drawn once from Beta(a, b): the best predictor counts heads and tails",
	New: func(p Params) (Sampler, error) {
		c, err := NewCoin(p.Number("a"), p.Number("b"))
		if err != nil {
			return nil, err
		}
		switch bos := p.Number("bos"); bos {
		case 0:
			return c, nil
		case 1:
			return c.WithBOS(), nil
		default:
			return nil, fmt.Errorf("coin: bos = %g is not 0 or 1", bos)
		}
	},
}

// Coin is a coin of unknown bias: the probability p of heads (token 1; tails are token 0)
// is drawn once from Beta(a, b), and every flip is then independent. It is exchangeable:
// the number H of heads among N flips is a sufficient statistic, and the optimal
// predictor is Laplace's, Pr(heads) = (a+H)/(a+b+N). It has no hidden states, and its
// floors approach the entropy rate so slowly (the difference falls as 1/(2t)) that the
// sum of the differences diverges.
//
// With the beginning-of-sequence token BOS (see WithBOS), position 1 holds that token,
// which is certain and has floor 0, and the flips follow. A transformer whose attention
// averages over its context needs BOS to count: the share of BOS in that average is
// 1/(N+1).
type Coin struct {
	a, b float64
	bos  bool
}

// BOS is the beginning-of-sequence token of a coin: it precedes the first flip.
const BOS = 2

var _ Process = (*Coin)(nil)

// longestCoin bounds the number of positions of a coin's floor. The cost grows as the
// square of this number.
const longestCoin = 1 << 14

// NewCoin makes a coin with the prior Beta(a, b), a and b in (0, 1e6].
func NewCoin(a, b float64) (*Coin, error) {
	for _, p := range []struct {
		name  string
		value float64
	}{{"a", a}, {"b", b}} {
		if !(p.value > 0 && p.value <= 1e6) {
			return nil, fmt.Errorf("coin: %s = %g is outside (0, 1e6]", p.name, p.value)
		}
	}
	return &Coin{a: a, b: b}, nil
}

// WithBOS returns the coin with the token BOS before the first flip.
func (c *Coin) WithBOS() *Coin { return &Coin{c.a, c.b, true} }

// Name returns "coin".
func (c *Coin) Name() string { return "coin" }

// Alphabet returns the number of tokens: 2 (tails and heads), or 3 with BOS.
func (c *Coin) Alphabet() int { return len(c.Tokens()) }

// Tokens returns the tokens' names.
func (c *Coin) Tokens() []string {
	if c.bos {
		return []string{"tails", "heads", "BOS"}
	}
	return []string{"tails", "heads"}
}

// Sample fills dst with flips of one coin, using one value of src for each. It draws
// from the optimal predictor (Pólya's urn), which gives the same distribution as
// drawing the bias first.
func (c *Coin) Sample(dst []int32, src rand.Source) { sampleByPrediction(c, dst, src) }

// Predictor returns the predictor that counts heads.
func (c *Coin) Predictor() Predictor {
	p := &coinPredictor{coin: c}
	p.Reset()
	return p
}

type coinPredictor struct {
	coin         *Coin
	heads, flips int
	begun        bool // BOS has been seen, or the coin has no BOS
}

func (p *coinPredictor) Next(dst []float64) {
	if len(dst) != p.coin.Alphabet() {
		panic(fmt.Sprintf("process: Next: dst has %d entries, but coin has %d tokens", len(dst), p.coin.Alphabet()))
	}
	clear(dst)
	if !p.begun {
		dst[BOS] = 1
		return
	}
	dst[0], dst[1] = p.coin.next(p.heads, p.flips)
}

// Bias returns the parameters of the posterior of the bias, Beta(a + heads, b + tails),
// where tails = flips − heads.
func (c *Coin) Bias(heads, flips int) (a, b float64) {
	return c.a + float64(heads), c.b + float64(flips-heads)
}

// next returns the probabilities of tails and heads, given the number of heads among
// the flips so far.
func (c *Coin) next(heads, flips int) (tails, head float64) {
	total := c.a + c.b + float64(flips)
	return (c.b + float64(flips-heads)) / total, (c.a + float64(heads)) / total
}

func (p *coinPredictor) Observe(token int) error {
	position := p.flips + 1
	if p.coin.bos && p.begun {
		position++
	}
	if err := checkToken(p.coin, token, position); err != nil {
		return err
	}
	switch {
	case token == BOS && p.begun:
		return fmt.Errorf("coin: token %d (BOS) at position %d: want it at position 1 only", BOS, position)
	case token == BOS:
		p.begun = true
		return nil
	case !p.begun:
		return fmt.Errorf("coin: token %d at position 1: want token %d (BOS)", token, BOS)
	}
	p.heads += token
	p.flips++
	return nil
}

func (p *coinPredictor) Reset() { p.heads, p.flips, p.begun = 0, 0, !p.coin.bos }

// Floor returns the least cross-entropy at each position. Only the number of heads
// matters among the flips before position t, so the floor is a sum over counts,
//
//	H(X_t | X_1 … X_{t−1}) = Σ_H Pr(H heads in t−1 flips)·H₂((a+H)/(a+b+t−1)),
//
// with the beta-binomial probabilities computed from one position to the next. With BOS
// the flips begin at position 2, and chance is the entropy of a flip alone. Floor returns
// an error if positions is outside [1, 16384].
func (c *Coin) Floor(ctx context.Context, positions int) (Floor, error) {
	if positions < 1 || positions > longestCoin {
		return Floor{}, fmt.Errorf("coin: a floor of %d positions, want a number in [1, %d]", positions, longestCoin)
	}
	tails, head := c.next(0, 0)
	floor := Floor{Chance: portable.Entropy([]float64{tails, head})}
	if c.bos {
		floor.ByPosition = append(floor.ByPosition, 0)
		positions--
	}
	prob := []float64{1} // [number of heads so far]: its probability
	for flips := range positions {
		if err := ctx.Err(); err != nil {
			return Floor{}, err
		}
		entropy := 0.0
		next := make([]float64, flips+2)
		for heads, p := range prob {
			tails, head := c.next(heads, flips)
			entropy += float64(p * portable.Entropy([]float64{tails, head}))
			next[heads] += float64(p * tails)
			next[heads+1] += float64(p * head)
		}
		floor.ByPosition = append(floor.ByPosition, entropy)
		prob = next
	}
	return floor, nil
}

// EntropyRate returns the entropy of a flip averaged over the prior of the bias, with
// the digamma function ψ,
//
//	h = ψ(a+b+1) − (a·ψ(a+1) + b·ψ(b+1))/(a+b),
//
// and a bound on its rounding error.
func (c *Coin) EntropyRate(context.Context) (rate, halfWidth float64, err error) {
	tails, head := c.next(0, 0)
	return digamma(c.a+c.b+1) - float64(head*digamma(c.a+1)) - float64(tails*digamma(c.b+1)), 1e-12, nil
}

// Limits returns the entropy rate, and the reason why there is no excess entropy.
func (c *Coin) Limits(ctx context.Context) (Limits, error) {
	rate, halfWidth, err := c.EntropyRate(ctx)
	return Limits{
		EntropyRate: rate, EntropyRateError: halfWidth,
		NoExcessEntropy: "not defined: the floors approach the entropy rate too slowly: " +
			"the sum of the differences is infinite",
	}, err
}

// Presentation returns an error: there are infinitely many beliefs, one for each pair of
// a number of heads and a number of tails.
func (c *Coin) Presentation(context.Context) (*Presentation, error) {
	return nil, errors.New("coin: no hidden states; the observer keeps unbounded counts of heads and tails")
}

// digamma returns ψ(x) for x ≥ 1 up to rounding: it applies ψ(x) = ψ(x+1) − 1/x until x
// is at least 20, and then the asymptotic series, whose first omitted term is below
// 1e-17.
func digamma(x float64) float64 {
	sum := 0.0
	for ; x < 20; x++ {
		sum -= 1 / x
	}
	y := 1 / float64(x*x)
	series := 0.0
	// The coefficients are −B_2k/(2k), with the Bernoulli numbers B.
	for _, bernoulli := range []float64{-1. / 132, 1. / 240, -1. / 252, 1. / 120, -1. / 12} {
		series = float64((series + bernoulli) * y)
	}
	return sum + portable.Log(x) - 1/(2*x) + series
}
