package audit

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// bet predicts that a normal score has mean correlation·x, where x is an earlier score,
// and variance 1 − correlation² + size·(x² − 1). Both are between the forecasts' and what
// copies the earlier error or its size.
type bet struct{ correlation, size float64 }

// strengths are the correlations that are bet on, sizes the dependences of the variance.
var (
	strengths = []float64{0.15, 0.3, 0.5, 0.7, 0.9}
	sizes     = []float64{0.2, 0.5}
)

// lagBets are the bets on one lag, driftBets those on the average of recent errors.
func lagBets() (bets []bet) {
	for _, b := range driftBets() {
		bets = append(bets, b)
		bets = append(bets, bet{correlation: -b.correlation})
	}
	for _, s := range sizes {
		bets = append(bets, bet{size: s})
	}
	return bets
}

func driftBets() (bets []bet) {
	for _, s := range strengths {
		bets = append(bets, bet{correlation: s})
	}
	return bets
}

// link bets on one way in which a rank depends on earlier ones. It bets on recalibrated
// ranks, so the distribution of the ranks alone earns nothing here.
type link struct {
	lag     int       // steps back to the rank it depends on; 0 if there is no lag
	bets    []bet     // on normal scores
	law     *law      // bets on symbols; may be nil
	weights []float64 // share of each bet in the round's wealth, the law's last
	below   []float64 // each bet's probability of a lower rank than the present one
	inside  []float64 // each bet's probability of the present rank
}

func newLink(lag int, bets []bet, law *law) *link {
	n := len(bets)
	if law != nil {
		n++
	}
	return &link{lag, bets, law, make([]float64, n), make([]float64, n), make([]float64, n)}
}

// interval is a rank that is known up to an interval of [0, 1], with its probability by
// the forecasts. Each stage of an engine maps it by a predicted distribution function.
type interval struct{ lo, hi, p float64 }

// mapped returns the interval with new ends, after a share of the present ones: a rank
// never has probability 0. What is at an end of [0, 1] stays there.
func (v interval) mapped(lo, hi float64) interval {
	if v.lo > 0 {
		v.lo = lo + leastShare*(v.lo-lo)
	}
	if v.hi < 1 {
		v.hi = hi + leastShare*(v.hi-hi)
	}
	return v
}

// predict sets below and inside for a rank with normal scores in [zlo, zhi]. x is the
// score that it may depend on, NaN if unknown.
func (l *link) predict(x float64, v interval, zlo, zhi float64) {
	for i, b := range l.bets {
		l.below[i], l.inside[i] = v.lo, v.hi-v.lo
		if !math.IsNaN(x) {
			mean, s := b.correlation*x, math.Sqrt(1-b.correlation*b.correlation+b.size*(x*x-1))
			l.below[i], l.inside[i] = normal((zlo-mean)/s, (zhi-mean)/s)
		}
	}
	if l.law != nil {
		l.law.predict()
		last := len(l.weights) - 1
		l.below[last] = l.law.cdf(v.lo)
		l.inside[last] = l.law.cdf(v.hi) - l.below[last]
	}
}

// leastWeight is the least share of a bet in the wealth, so that it can recover.
const leastWeight = 1e-200

// reweigh multiplies weights by what their bets earned, where total is the average.
func reweigh(weights, inside []float64, total float64) {
	for i, w := range weights {
		weights[i] = max(w*inside[i]/total, leastWeight)
	}
}

// round is a mixture of links: half was bet on none of them, the rest in equal parts.
type round struct {
	links  []*link
	log    float64   // log wealth, with what the stages before earned
	alone  float64   // share of the bet on no link in the wealth
	scores []float64 // normal scores of the ranks as the stages before left them; NaN is missing
	sum    float64   // of scores that decay
	weight float64   // variance of sum under the hypothesis
}

func newRound(links []*link) *round {
	r := &round{links: links, alone: 0.5}
	for _, l := range links {
		for i := range l.weights {
			l.weights[i] = r.prior() / float64(len(l.weights))
		}
	}
	return r
}

// prior is the share of a link in the wealth at the beginning.
func (r *round) prior() float64 { return 0.5 / float64(len(r.links)) }

// memory is the factor by which a score's effect on the drift decays in a step.
const memory = 0.95

// learn bets on a rank, and returns it as recalibrated by the mixture.
func (r *round) learn(v interval) (interval, error) {
	zlo, zhi := mathext.NormalQuantile(v.lo), mathext.NormalQuantile(v.hi)
	below, inside := r.alone*v.lo, r.alone*(v.hi-v.lo)
	for _, l := range r.links {
		l.predict(r.context(l.lag), v, zlo, zhi)
		below += floats.Dot(l.weights, l.below)
		inside += floats.Dot(l.weights, l.inside)
	}
	mid := (v.lo + v.hi) / 2
	r.log += math.Log(inside / v.p)
	r.alone = max(r.alone*(v.hi-v.lo)/inside, leastWeight)
	for _, l := range r.links {
		reweigh(l.weights, l.inside, inside)
		if l.law == nil {
			continue
		}
		if err := l.law.bettor.Observe(part(l.law.edges, mid)); err != nil {
			return v, err
		}
	}
	r.remember(mathext.NormalQuantile(mid))
	return v.mapped(below, below+inside), nil
}

func (r *round) remember(score float64) {
	r.scores = append(r.scores, score)
	r.sum = memory*r.sum + score
	r.weight = memory*memory*r.weight + 1
}

// miss declares a missing rank.
func (r *round) miss() {
	r.scores = append(r.scores, math.NaN())
	for _, l := range r.links {
		if l.law != nil {
			l.law.bettor.Restart()
		}
	}
}

// context returns the score lag steps earlier, or for lag 0 the decaying average of
// scores, in units of its standard deviation. It is NaN if unknown.
func (r *round) context(lag int) float64 {
	switch {
	case lag == 0:
		return r.sum / math.Sqrt(r.weight) // 0/0 is NaN
	case lag > len(r.scores):
		return math.NaN()
	}
	return r.scores[len(r.scores)-lag]
}

// evidence is the logarithm of the e-value of a link, by its index: the wealth of the
// link alone, divided by the wealth, if it is above 1, of the mixture without it.
func (r *round) evidence(index int) float64 {
	with, others := 0.0, 0.0
	for i, l := range r.links {
		if share := floats.Sum(l.weights) / r.prior(); i == index {
			with = share
		} else {
			others += share / float64(len(r.links)-1)
		}
	}
	without := 2 * r.alone
	if len(r.links) > 1 {
		without = (without + others) / 2
	}
	return r.log + math.Log(with) - max(0, r.log+math.Log(without))
}

// engine is a bettor in stages: a margin recalibrates each rank by the ranks so far, and
// rounds of links by how it depends on them. The second round finds a second lag. The
// composition of their distribution functions is a distribution on the cells, so the
// wealth is a martingale under the hypothesis.
type engine struct {
	margin *margin
	alone  float64 // log wealth of the margin
	rounds []*round
}

// learn bets on the next cell and then learns it. A negative cell is missing.
func (e *engine) learn(cell int) error {
	if cell < 0 {
		for _, r := range e.rounds {
			r.miss()
		}
		return nil
	}
	v := interval{e.margin.levels[cell], e.margin.levels[cell+1], 0}
	v.p = v.hi - v.lo
	v = v.mapped(e.margin.predict(cell))
	e.alone += math.Log((v.hi - v.lo) / v.p)
	for _, r := range e.rounds {
		var err error
		if v, err = r.learn(v); err != nil {
			return err
		}
	}
	return e.margin.learn(cell)
}

// wealth is the logarithm of the engine's wealth.
func (e *engine) wealth() float64 { return e.rounds[len(e.rounds)-1].log }
