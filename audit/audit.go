package audit

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Options say what an audit looks for. The zero value is good for forecasts one step
// ahead of a series without a season.
type Options struct {
	// Season is the length of a season in steps, a lag in addition to Lags; 0 means no
	// season. With a Horizon it must be a multiple of it to be looked at.
	Season int
	// Lags is the number of steps up to which errors may depend on earlier errors; 0
	// means 12.
	Lags int
	// Horizon is the number of steps from a forecast to its outcome; 0 means 1. The errors
	// of right forecasts h steps ahead may depend on each other over fewer than h steps.
	// So each h-th rank is taken, and the h subsequences are audited apart. The e-value is
	// the average of theirs: valid for a length that was fixed in advance.
	Horizon int
	// Pattern, if not nil, returns a new Bettor on the order of the errors, such as a
	// context tree. It is called several times.
	Pattern func() Bettor
}

// Bounds of Lags and Horizon, and of Season: they bound memory and time.
const (
	mostLags   = 1000
	mostSeason = 100_000
)

func (o Options) check() (Options, error) {
	if o.Lags == 0 {
		o.Lags = 12
	}
	if o.Horizon == 0 {
		o.Horizon = 1
	}
	if min(o.Season, o.Lags, o.Horizon) < 0 || max(o.Lags, o.Horizon) > mostLags || o.Season > mostSeason {
		return o, fmt.Errorf("audit: season %d, lags %d, horizon %d: want at most %d, %d and %d, not negative",
			o.Season, o.Lags, o.Horizon, mostSeason, mostLags, mostLags)
	}
	return o, nil
}

// lags lists the lags looked at, in steps: multiples of the horizon.
func (o Options) lags() (lags []int) {
	for lag := o.Horizon; lag <= max(o.Lags, o.Horizon); lag += o.Horizon {
		lags = append(lags, lag)
	}
	if o.Season > 0 && o.Season%o.Horizon == 0 && !slices.Contains(lags, o.Season) {
		lags = append(lags, o.Season)
	}
	return lags
}

// Audit bets against the forecasts, rank by rank. It returns a one-line error if an
// option is out of range, if all outcomes are missing, or if a Bettor fails.
func (r *Ranks) Audit(o Options) (*Result, error) {
	o, err := o.check()
	if err != nil {
		return nil, err
	}
	n := 0
	for _, count := range r.histogram.Counts {
		n += count
	}
	if n == 0 {
		return nil, fmt.Errorf("audit: no outcome among %d rows", len(r.cells))
	}
	if r.errors != nil && o.Horizon > 1 {
		r = ranked(r.errors, r.seed, o.Horizon)
	}
	laws := normalLaws(r.levels)
	trials := make([]*trial, o.Horizon)
	for i := range trials {
		trials[i] = r.trial(laws, o)
	}
	path, now := make([]float64, 0, len(r.cells)), make([]float64, o.Horizon)
	for t, cell := range r.cells {
		i := t % o.Horizon
		if err := trials[i].learn(cell); err != nil {
			return nil, err
		}
		now[i] = trials[i].full.wealth()
		path = append(path, logMean(now))
	}
	result := &Result{N: n, Missing: len(r.cells) - n, Hypothesis: r.under(o.Horizon), Points: r.errors != nil}
	result.Ranks, result.LogWealth = r.histogram, path
	result.LogEValue = path[len(path)-1]
	result.EValue = bounded(result.LogEValue)
	result.Nats = floats.Sum(now) / float64(n)
	result.find(trials, o.lags())
	return result, nil
}

// under states the hypothesis for forecasts h steps ahead.
func (r *Ranks) under(h int) string {
	if h == 1 {
		return r.hypothesis
	}
	return fmt.Sprintf("%s; with %d steps from a forecast to its outcome, this is said of each %d-th rank, and "+
		"the e-value is the average over %d subsequences, for a length fixed in advance", r.hypothesis, h, h, h)
}

// logMean is the logarithm of the mean of numbers given by their logarithms.
func logMean(logs []float64) float64 { return floats.LogSumExp(logs) - math.Log(float64(len(logs))) }

// bounded is e^log, at most 1e300.
func bounded(log float64) float64 { return min(math.Exp(min(log, 700)), 1e300) }

// trial is a bet against one subsequence of ranks: the full engine, and for each fault of
// the margin two engines, one with the fault and one that has every fault except it.
type trial struct {
	full  *engine
	pairs []pair
}

type pair struct{ with, without *engine }

// evidence is the logarithm of the e-value of the fault: the lesser of two, with bets on
// order and without them. With bets on order alone, a fault of the margin could make up
// for the imperfections of these bets.
func (p pair) evidence() float64 {
	return min(p.with.wealth()-max(0, p.without.wealth()), p.with.alone-max(0, p.without.alone))
}

func (r *Ranks) trial(laws []normalLaw, o Options) *trial {
	t := &trial{full: r.engine(laws, r.histograms, o)}
	// The symbols of a Bettor are coarse: a shift could earn by moving ranks between them.
	o.Pattern = nil
	for _, fault := range []func(normalLaw) bool{ // in the order of marginFaults
		func(l normalLaw) bool { return l.shift > 0 },
		func(l normalLaw) bool { return l.shift < 0 },
		func(l normalLaw) bool { return l.spread > 1 },
		func(l normalLaw) bool { return l.spread < 1 },
	} {
		without := slices.DeleteFunc(slices.Clone(laws), fault)
		with := slices.DeleteFunc(slices.Clone(laws), func(l normalLaw) bool { return !fault(l) })
		t.pairs = append(t.pairs, pair{r.engine(with, nil, o), r.engine(without, nil, o)})
	}
	t.pairs = append(t.pairs, pair{r.engine(nil, r.histograms, o), r.engine(laws, nil, o)})
	return t
}

func (r *Ranks) engine(laws []normalLaw, histograms [][]float64, o Options) *engine {
	var bets []*law
	for _, edges := range histograms {
		bets = append(bets, newLaw(newCounter(len(edges)-1, 0), edges))
	}
	rounds := []*round{newRound(newLinks(o)), newRound(newLinks(o))}
	return &engine{margin: newMargin(r.levels, laws, bets), rounds: rounds}
}

// newLinks returns the bets on order: one for each lag of Options.lags, on the drift, and
// on the pattern if there is one.
func newLinks(o Options) (links []*link) {
	const thirds = 3
	for _, lag := range o.lags() {
		lag /= o.Horizon
		links = append(links, newLink(lag, lagBets(), newLaw(newCounter(thirds, lag), nil)))
	}
	links = append(links, newLink(0, driftBets(), nil))
	if o.Pattern != nil {
		links = append(links, newLink(0, nil, newLaw(o.Pattern(), nil)))
	}
	return links
}

// learn lets each engine bet on a cell.
func (t *trial) learn(cell int) error {
	engines := []*engine{t.full}
	for _, p := range t.pairs {
		engines = append(engines, p.with)
		engines = append(engines, p.without)
	}
	for _, e := range engines {
		if err := e.learn(cell); err != nil {
			return err
		}
	}
	return nil
}

// logs returns the logarithm of the e-value of each fault: of the margin, then of each
// link. It is the wealth of a bettor that allows the fault, divided by the wealth, if it
// is above 1, of one that allows every other fault. Shifts and spreads describe normal
// scores that are normal, so their e-values are also divided by the e-value, if it is
// above 1, of another shape ([pair.evidence] has one more condition). The e-value of a
// link is the average over rounds.
func (t *trial) logs() (logs []float64) {
	for _, p := range t.pairs {
		logs = append(logs, p.evidence())
	}
	last := len(logs) - 1
	floats.AddConst(-max(0, logs[last]), logs[:last])
	first, second := t.full.rounds[0], t.full.rounds[1]
	for i := range first.links {
		logs = append(logs, logMean([]float64{first.evidence(i), second.evidence(i)}))
	}
	return logs
}
