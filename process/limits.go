package process

import (
	"context"
	"math"

	"foretell/internal/portable"
)

const (
	// rateBudget bounds the number of beliefs from which the limits are computed, and
	// rateWork the number of products. ratePasses products are counted for each entry of
	// a belief that a token leads to, because it is stored, looked up and averaged over.
	// Within these bounds the computation takes some seconds.
	rateBudget = 400_000
	rateWork   = 1_000_000_000
	ratePasses = 10
	// rateGap is the largest distance between the bounds of the entropy rate that counts as
	// close enough.
	rateGap = 1e-10
	// rounding bounds the error of an entropy in float64 arithmetic.
	rounding = 1e-13
	// longestRate bounds the number of positions in two cases: if the bounds of the rate are
	// close enough but the bounds of the excess entropy are not, and for a generalised HMM,
	// for which no lower bound is known.
	longestRate = 256
)

// Limits are the limits of the floors, in nats, each with a half-width: the true value
// is within value ± half-width. See [Limiter].
type Limits struct {
	// EntropyRate is h, the limit of H(X_t | X_1 … X_{t−1}).
	EntropyRate, EntropyRateError float64
	// ExcessEntropy is E = Σ_t (H(X_t | X_1 … X_{t−1}) − h), which is the mutual information
	// between the past and the future (Crutchfield and Feldman, 2003). If the half-width is
	// +Inf, E is not known.
	ExcessEntropy, ExcessEntropyError float64
	// NoExcessEntropy is the reason why there is no excess entropy, such as "not defined:
	// the process is not stationary"; both numbers are then 0. It is empty if the excess
	// entropy exists.
	NoExcessEntropy string
	// Estimated reports whether the half-widths are estimates instead of bounds, as they are
	// for a generalised HMM.
	Estimated bool
}

// Limits returns the entropy rate and the excess entropy of the process.
//
// For an HMM the rate lies between two bounds,
//
//	H(X_L | X_1 … X_{L−1}, S_0) ≤ h ≤ H(X_L | X_1 … X_{L−1})
//
// (Cover and Thomas, Theorem 4.5.1), where the left one is also conditioned on the
// start state. L grows until the bounds are within 1e-10, until the next L would need
// more than 400,000 beliefs, or until 10⁹ products have been computed, which happens if
// there are many states. EntropyRate is the middle of the bounds. EntropyRateError is
// half their distance, plus a bound on the errors due to merged beliefs and rounding.
// The terms after position L add up to the mutual information of past and future given
// X_1 … X_L. Given S_0 or S_L, past and future are independent, so
//
//	0 ≤ Σ_{t>L} (h_t − h) ≤ I(S_0; S_L | X_1 … X_L) = H(S_L | X_1 … X_L) − H(S_L | X_1 … X_L, S_0),
//
// where duplicate states, from which every sequence is equally likely, count as one.
//
// A generalised HMM has no states to condition on. Its floors are extended as a
// geometric series, fitted to their decrease over the middle and the last third of the
// positions; the half-width of the rate is the remainder of that series.
//
// The first call computes the limits. Limits returns an error if ctx ends before they are
// computed.
func (h *HMM) Limits(ctx context.Context) (Limits, error) {
	return h.limits.Get(ctx, func(ctx context.Context) (Limits, error) {
		c, err := h.converge(ctx, rateBudget)
		if err != nil {
			return Limits{}, err
		}
		return c.limits(), nil
	})
}

// convergence records how the floors approach their limit; entry t is after t tokens.
type convergence struct {
	generalised bool
	upper       []float64 // H(X_{t+1} | X_1 … X_t)
	lower       []float64 // H(X_{t+1} | X_1 … X_t, S_0)
	between     []float64 // I(S_0; S_t | X_1 … X_t), with duplicate states merged
	slack       []float64 // a bound on the error of an entropy due to merging and rounding
}

// converge computes the bounds on the entropy rate until they meet or would need more
// beliefs than budget. It returns an error if ctx ends.
func (h *HMM) converge(ctx context.Context, budget int) (convergence, error) {
	if h.generalised {
		return h.convergeFromAbove(ctx, budget)
	}
	above, below := h.startingPoints()
	var c convergence
	classes := h.table().futureClasses()
	lumped := make([]float64, len(classes))
	uncertainty := func(ctx context.Context, m *mixedStates) (float64, error) {
		return m.mean(ctx, func(b int) float64 {
			clear(lumped)
			for k, class := range classes {
				for _, i := range class {
					lumped[k] += m.belief(b)[i]
				}
			}
			return portable.Entropy(lumped)
		})
	}
	for work := int64(rateWork); ; {
		lower, upper, err := eachMean(ctx, below, above, h.nextEntropy)
		if err != nil {
			return c, err
		}
		known, unknown, err := eachMean(ctx, below, above, uncertainty)
		if err != nil {
			return c, err
		}
		c.lower = append(c.lower, lower)
		c.upper = append(c.upper, upper)
		between := max(0, unknown-known)
		c.between = append(c.between, between)
		c.slack = append(c.slack, rounding+max(h.mergeSlack(above), h.mergeSlack(below)))
		budget -= above.size() + below.size()
		work -= h.work(above) + h.work(below) + h.passes(above) + h.passes(below)
		if upper-lower < rateGap && (between < rateGap || len(c.upper) >= longestRate) || work < 0 {
			return c, nil
		}
		if above, err = h.advance(ctx, above, budget); err != nil {
			return c, ctx.Err()
		}
		if below, err = h.advance(ctx, below, budget); err != nil {
			return c, ctx.Err()
		}
	}
}

// eachMean returns the means over two distributions of beliefs.
func eachMean(ctx context.Context, a, b *mixedStates, mean meanOf) (ofA, ofB float64, err error) {
	if ofA, err = mean(ctx, a); err != nil {
		return 0, 0, err
	}
	ofB, err = mean(ctx, b)
	return ofA, ofB, err
}

// startingPoints returns two distributions over beliefs before any token. The first has
// only the belief π. The second has the beliefs of an observer who knows the start state;
// it is empty for a generalised HMM.
func (h *HMM) startingPoints() (above, below *mixedStates) {
	n := h.NumStates()
	above, below = newMixedStates(h.scale), newMixedStates(h.scale)
	above.add(h.pi, 1)
	if h.generalised {
		return above, below
	}
	for i, p := range h.pi {
		if p > 0 {
			vertex := make([]float64, n)
			vertex[i] = 1
			below.add(vertex, p)
		}
	}
	return above, below
}

// passes returns the cost of storing and averaging the beliefs that advance leads to,
// as a number of products.
func (h *HMM) passes(m *mixedStates) int64 {
	return ratePasses * int64(m.size()) * int64(m.n*h.Alphabet())
}

// convergeFromAbove does the same as converge for a generalised HMM, for which it
// computes only the floors.
func (h *HMM) convergeFromAbove(ctx context.Context, budget int) (convergence, error) {
	m := newMixedStates(h.scale)
	m.add(h.pi, 1)
	c := convergence{generalised: true}
	for work := int64(rateWork); len(c.upper) < longestRate; {
		upper, err := h.nextEntropy(ctx, m)
		if err != nil {
			return c, err
		}
		c.upper = append(c.upper, upper)
		budget -= m.size()
		if work -= h.work(m) + h.passes(m); work < 0 {
			break
		}
		next, err := h.advance(ctx, m, budget)
		if err != nil {
			return c, ctx.Err()
		}
		m = next
	}
	return c, nil
}

// limits returns the narrowest limits that the bounds allow.
func (c convergence) limits() Limits {
	if c.generalised {
		return c.extrapolate()
	}
	l := Limits{EntropyRateError: math.Inf(1), ExcessEntropyError: math.Inf(1)}
	for t, upper := range c.upper {
		if half := max(0, upper-c.lower[t])/2 + c.slack[t]; half < l.EntropyRateError {
			l.EntropyRate, l.EntropyRateError = (upper+c.lower[t])/2, half
		}
	}
	block := 0.0 // H(X_1 … X_t)
	for t, upper := range c.upper {
		length := float64(t)
		half := c.between[t]/2 + float64(length*l.EntropyRateError) + float64((length+1)*c.slack[t])
		if half < l.ExcessEntropyError {
			l.ExcessEntropy, l.ExcessEntropyError = block-float64(length*l.EntropyRate)+c.between[t]/2, half
		}
		block += upper
	}
	return l
}

// extrapolate extends the floors h_1 … h_L as a geometric series. If they fall by A
// over the middle third and by B over the last third, they will fall by another
// Br/(1−r), where r = B/A.
func (c convergence) extrapolate() Limits {
	last := len(c.upper) - 1
	third := last / 3
	top := c.upper[last]
	rest, ratio := top, 1.0 // with too few floors, h may be anything from 0 to the last floor
	if third > 0 {
		fallBefore, fall := c.upper[last-2*third]-c.upper[last-third], c.upper[last-third]-top
		switch {
		case fallBefore < rounding:
			rest, ratio = rounding, 0
		case fall < fallBefore:
			ratio = max(0, fall/fallBefore)
			rest = min(top, float64(fall*ratio)/(1-ratio))
		}
	}
	l := Limits{EntropyRate: top - rest, EntropyRateError: rest + 10*rounding, Estimated: true}
	recent := 0.0
	for t, upper := range c.upper {
		l.ExcessEntropy += upper - l.EntropyRate
		if t > last-third {
			recent += upper - l.EntropyRate
		}
	}
	tail := rest // used if the floors do not fall geometrically
	if ratio < 1 {
		tail = float64(recent*ratio) / (1 - ratio)
	}
	l.ExcessEntropy += tail
	l.ExcessEntropyError = tail + float64(float64(len(c.upper))*l.EntropyRateError)
	return l
}

// mergeSlack bounds the error of nextEntropy(m) from merging beliefs. Moving a belief
// of probability p by d in each entry changes the joint distribution of tokens and
// state by at most p·n·d/2 in total variation, and distributions within ε of each other
// have conditional entropies within ε·ln A + (1+ε)·H₂(ε/(1+ε)) (Winter 2016, Lemma 2).
func (h *HMM) mergeSlack(m *mixedStates) float64 {
	e := m.moved * float64(m.n) / 2
	if e == 0 {
		return 0
	}
	q := e / (1 + e)
	return float64(e*portable.Log(float64(h.Alphabet()))) + float64((1+e)*portable.Entropy([]float64{q, 1 - q}))
}
