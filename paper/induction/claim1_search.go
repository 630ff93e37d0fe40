package induction

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/process"

	"gonum.org/v1/gonum/diff/fd"
)

// The search of row I17: gradient descent on P from random starts, which minimises
// [answer.share].
const (
	searchLongest = 8   // largest lag
	searchSteps   = 150 // steps of Adam
	searchRate    = 0.1
	searchNudge   = 1e-5 // change of a logit in a difference quotient
	mostLogit     = 8.0
	hardly        = 1e-6
)

// rival is an instance of Claim 1 with one other lag, the rival: is the true lag's
// expected p̃ (normalised transition probability) larger than the rival's?
type rival struct {
	tokens      int
	lags        []int // ascending
	trueAt      int   // index of the true lag
	rivalAt     int   // index of the rival
	independent int   // tokens at lags larger than this are among the independent first tokens

	parents []parent // of the token at each lag
}

// parent identifies the token on which the token at a lag depends. It holds the index of
// that token's lag (from, −1 for an independent token), and the number of steps between
// the two tokens in their chain.
type parent struct{ from, steps int }

// newRival draws a random instance in which some tokens depend on others. For independent
// tokens, App. B proves Claim 1.
func newRival(stream *random.Stream) rival {
	for {
		q := anyRival(stream)
		if slices.ContainsFunc(q.parents, func(p parent) bool { return p.from >= 0 }) {
			return q
		}
	}
}

func anyRival(stream *random.Stream) rival {
	q := rival{tokens: 3 + stream.IntN(3)}
	all := make([]int, searchLongest)
	for i := range all {
		all[i] = i + 1
	}
	stream.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	q.lags = all[:3+stream.IntN(2)]
	slices.Sort(q.lags)
	q.trueAt = stream.IntN(len(q.lags))
	q.rivalAt = (q.trueAt + 1 + stream.IntN(len(q.lags)-1)) % len(q.lags)
	q.independent = q.lags[q.trueAt] + stream.IntN(2*searchLongest)
	q.link()
	return q
}

// link sets the parents: tokens whose lags agree modulo the true lag form a chain.
func (q *rival) link() {
	q.parents = make([]parent, len(q.lags))
	k := q.lags[q.trueAt]
	for r, lag := range q.lags {
		q.parents[r].from = -1
		for older := len(q.lags) - 1; older > r && lag <= q.independent; older-- {
			if l := q.lags[older]; l <= q.independent && (l-lag)%k == 0 {
				q.parents[r] = parent{older, (l - lag) / k}
			}
		}
	}
}

// position returns the position in a sequence of Algorithm 1 that the instance describes.
func (q *rival) position() int { return slices.Max(q.lags) + q.independent - q.lags[q.trueAt] + 1 }

// answer holds the expectations for an instance and a matrix, over all combinations of
// tokens at the lags.
type answer struct {
	ofTrue, ofRival float64 // E[p̃] of the true lag and of the rival
	both            float64 // ½ E Σ (P_k − P_r)²/Σ_l P_l: the margin if the two lags were exchangeable
	divergence      float64 // expected KL of the true lag's row of P from the mean row at all lags
}

// share returns the margin divided by a.both, and 1 where the rows of P at the two lags
// hardly differ. Claim 1 is false if the share is below 0 for some matrix.
func (a answer) share() float64 { return (a.ofTrue - a.ofRival + hardly) / (a.both + hardly) }

// ask returns the expectations for a matrix and its stationary distribution.
func (q *rival) ask(P [][]float64, stationary []float64) answer {
	return q.enumerate(P, stationary, true)
}

// enumerate returns the expectations. It computes the divergence, whose logarithms take
// two fifths of the time, only if divergence is set.
func (q *rival) enumerate(P [][]float64, stationary []float64, divergence bool) answer {
	e := enumeration{
		rival: q, P: P, stationary: stationary, powers: powersOf(P, searchLongest), at: make([]int, len(q.lags)),
		divergent: divergence,
	}
	e.from(len(q.lags)-1, 1)
	return e.answer
}

// enumeration visits all combinations of tokens at the lags, the oldest token first.
type enumeration struct {
	*rival
	P          [][]float64
	stationary []float64
	powers     [][][]float64
	at         []int // the token at each lag
	divergent  bool  // compute answer.divergence, too
	answer
}

func (e *enumeration) from(r int, prob float64) {
	if r < 0 {
		e.add(prob)
		return
	}
	for x := range e.tokens {
		p := e.stationary[x]
		if on := e.parents[r]; on.from >= 0 {
			p = e.powers[on.steps][e.at[on.from]][x]
		}
		e.at[r] = x
		e.from(r-1, prob*p)
	}
}

// add adds the contribution of one combination of tokens at the lags, summed over the
// next token.
func (e *enumeration) add(prob float64) {
	truth, other := e.P[e.at[e.trueAt]], e.P[e.at[e.rivalAt]]
	for s, p := range truth {
		total := 0.0
		for _, x := range e.at {
			total += e.P[x][s]
		}
		if total == 0 {
			continue
		}
		e.ofTrue += prob * p * p / total
		e.ofRival += prob * p * other[s] / total
		e.both += prob * (p - other[s]) * (p - other[s]) / total / 2
		if e.divergent && p > 0 {
			e.divergence += prob * p * math.Log(p*float64(len(e.lags))/total)
		}
	}
}

// powersOf returns the matrix powers P⁰ … P^most.
func powersOf(P [][]float64, most int) [][][]float64 {
	n := len(P)
	powers := [][][]float64{square(n)}
	for i := range n {
		powers[0][i][i] = 1
	}
	for g := range most {
		next := square(n)
		for i, row := range powers[g] {
			for m, p := range row {
				for j := range n {
					next[i][j] += p * P[m][j]
				}
			}
		}
		powers = append(powers, next)
	}
	return powers
}

// ended is a point of the search: an instance, a matrix, and the expectations for them.
type ended struct {
	rival
	answer
	P [][]float64
}

// found holds the results of the search.
type found struct {
	ends        []ended
	leastMargin float64 // smallest margin of all matrices visited
	confirmed   float64 // that margin, computed by transitionMeans
	leastSlack  float64 // smallest amount by which E[p̃_k] exceeds its proven lower bound
}

func searchClaim(ctx context.Context, s *claim.Study, starts int) (found, error) {
	f := found{ends: make([]ended, starts), leastMargin: math.Inf(1), leastSlack: math.Inf(1)}
	lowest, slacks := make([]ended, starts), make([]float64, starts)
	err := s.Each(ctx, starts, func(_ context.Context, i int) error {
		f.ends[i], lowest[i], slacks[i] = searchFrom(random.New(1, "paper/induction/search", uint64(i)))
		return nil
	})
	if err != nil {
		return f, err
	}
	f.leastSlack = slices.Min(slacks)
	least := slices.MinFunc(lowest, func(a, b ended) int { return cmp.Compare(a.margin(), b.margin()) })
	f.leastMargin = least.margin()
	f.confirmed, err = least.confirm()
	return f, err
}

func (e ended) margin() float64 { return e.ofTrue - e.ofRival }

// confirm computes the margin a second time, independently of the search.
func (e ended) confirm() (float64, error) {
	p, err := process.NewInterleaved(e.P, e.lags)
	if err != nil {
		return 0, err
	}
	means, err := newTransitionMeans(p).at(e.lags[e.trueAt], e.position())
	if err != nil {
		return 0, err
	}
	return means[e.trueAt] - means[e.rivalAt], nil
}

// searchFrom descends from one random start. It returns the points with the smallest
// share and with the smallest margin, and the smallest amount by which E[p̃_k] exceeds
// the proven lower bound (the slack).
func searchFrom(stream *random.Stream) (best, least ended, slack float64) {
	q := newRival(stream)
	logits, scale := make([]float64, q.tokens*q.tokens), 0.5+2.5*stream.Float64()
	for i := range logits {
		logits[i] = scale * stream.Normal()
	}
	slack = math.Inf(1)
	descent := newAdam(len(logits))
	for step := range searchSteps {
		P, a := q.at(logits)
		here := ended{q, a, P}
		if step == 0 || a.share() < best.share() {
			best = here
		}
		if step == 0 || here.margin() < least.margin() {
			least = here
		}
		slack = min(slack, a.ofTrue-(1+a.divergence)/float64(len(q.lags)))
		slope := fd.Gradient(nil, func(logits []float64) float64 {
			P, stationary := q.chain(logits)
			return q.enumerate(P, stationary, false).share()
		}, logits, &fd.Settings{
			Formula: fd.Forward, Step: searchNudge, OriginKnown: true, OriginValue: a.share(),
		})
		descent.step(logits, slope)
	}
	return best, least, slack
}

// at returns the matrix whose rows are the softmax of the logits, given row by row, and
// the expectations for it.
func (q *rival) at(logits []float64) ([][]float64, answer) {
	P, stationary := q.chain(logits)
	return P, q.ask(P, stationary)
}

// chain returns the matrix of the logits and its stationary distribution.
func (q *rival) chain(logits []float64) (P [][]float64, stationary []float64) {
	for row := range slices.Chunk(logits, q.tokens) {
		P = append(P, softmax(slices.Clone(row)))
	}
	p := must(process.NewInterleaved(P, []int{1})) // cannot fail: no entry of P is 0
	return P, p.Stationary()
}

// adam is the optimiser Adam (Kingma and Ba 2015), with bounds on the parameters.
type adam struct {
	mean, square []float64
	steps        int
}

func newAdam(n int) *adam { return &adam{mean: make([]float64, n), square: make([]float64, n)} }

func (a *adam) step(x, slope []float64) {
	const keepMean, keepSquare = 0.9, 0.99
	a.steps++
	for i, g := range slope {
		a.mean[i] = keepMean*a.mean[i] + (1-keepMean)*g
		a.square[i] = keepSquare*a.square[i] + (1-keepSquare)*g*g
		mean := a.mean[i] / (1 - math.Pow(keepMean, float64(a.steps)))
		square := a.square[i] / (1 - math.Pow(keepSquare, float64(a.steps)))
		x[i] = max(-mostLogit, min(x[i]-searchRate*mean/(math.Sqrt(square)+1e-12), mostLogit))
	}
}

func (f found) condition() claim.Condition {
	best := f.best()
	c := claim.Condition{
		Name: "searched", Verdict: claim.Open, Reason: claim.Unproved, Converged: true,
		Obtained: fmt.Sprintf("%d starts, none with a margin below 0; the smallest share (the margin divided by the "+
			"margin between exchangeable lags) is %.2g (lags %v, true lag %d, %d "+
			"tokens)", len(f.ends), best.share(), best.lags,
			best.lags[best.trueAt], best.tokens),
		Effect: claim.Exactly("smallest share", "", best.share()),
	}
	if f.leastMargin < -exactError {
		c.Verdict, c.Reason = claim.Fails, ""
		c.Obtained = fmt.Sprintf("a margin of %.3g, or %.3g by the second computation", f.leastMargin, f.confirmed)
	}
	return c
}

// best returns the end of a search with the smallest share.
func (f found) best() ended {
	return slices.MinFunc(f.ends, func(a, b ended) int { return cmp.Compare(a.share(), b.share()) })
}

// asked returns the questions whether the proven bound, and a conjectured sharper one,
// hold for the matrices of the search.
func (f found) asked() []claim.Question {
	return []claim.Question{{
		Question: "Is E[p̃_k] at least the proven bound (1 + E KL)/K for every matrix that the search visited?",
		Answer:   claim.AnswerIf(f.leastSlack >= -exactError),
		Obtained: fmt.Sprintf("the smallest difference between E[p̃_k] and the bound is %.2g", f.leastSlack),
	}, f.sharper()}
}

// rowsDiffer is the smallest value of ½ E Σ (P_k − P_r)²/Σ_l P_l for which the ratio of
// the margin to this value is examined.
const rowsDiffer = 1e-3

// sharper asks whether, for K lags, the margin is at least 2/K times answer.both at the
// ends of the search. Alternating tokens give equality. For two lags this is an identity:
// Lemma 1 with its remainder.
func (f found) sharper() claim.Question {
	q := claim.Question{
		Question: "With K lags, is the margin at least (1/K)·E Σ_s (P_k − P_r)²/Σ_l P_l at the ends of the search, " +
			"which minimises it? (For two lags this is an identity; for two alternating tokens there is equality for " +
			"any number of lags.)",
		Answer: claim.Undecided, Obtained: "the rows hardly differ at any end of the search",
	}
	least := math.Inf(1)
	for _, e := range f.ends {
		if e.both >= rowsDiffer {
			least = min(least, e.margin()/e.both*float64(len(e.lags))/2)
		}
	}
	if !math.IsInf(least, 1) {
		q.Answer, q.Obtained = claim.AnswerIf(least >= 1-exactError), fmt.Sprintf("the smallest ratio of the margin "+
			"to this bound is %.5f", least)
	}
	return q
}

func (f found) table() document.Table {
	table := document.Frame{
		Title: "the smallest share (the margin divided by the margin between exchangeable lags) at the ends of the " +
			"search, by number of lags and tokens",
		Columns: slices.Concat(
			document.Headed("", "lags", "tokens", "starts"), document.Headed("%.4f", "smallest share"),
			document.Headed("%.3g", "margin there"), document.Headed("", "set", "true lag", "rival"),
		),
	}
	for lags := 3; lags <= 4; lags++ {
		for tokens := 3; tokens <= 5; tokens++ {
			var of found
			for _, e := range f.ends {
				if len(e.lags) == lags && e.tokens == tokens {
					of.ends = append(of.ends, e)
				}
			}
			if len(of.ends) == 0 {
				continue
			}
			best := of.best()
			table.Row(lags, tokens, len(of.ends), best.share(), best.margin(),
				fmt.Sprint(best.lags), best.lags[best.trueAt], best.lags[best.rivalAt])
		}
	}
	return table.Table()
}

func (f found) chart() figure.Chart {
	chart := figure.Chart{
		Title: "search", X: figure.Axis{Label: "start, sorted by share"},
		Y: figure.Axis{Label: "margin's share", Include: []float64{0}},
	}
	for lags := 3; lags <= 4; lags++ {
		series := figure.Series{Name: fmt.Sprintf("%d lags", lags), Color: lags + 2}
		for _, e := range f.ends {
			if len(e.lags) == lags {
				series.Y = append(series.Y, min(e.share(), 1.5))
			}
		}
		slices.Sort(series.Y)
		for i := range series.Y {
			series.X = append(series.X, float64(i+1))
		}
		if len(series.Y) > 0 {
			chart.Series = append(chart.Series, series)
		}
	}
	return chart
}

// frame returns the ends of the search for a data file.
func (f found) frame() document.Frame {
	frame := document.Frame{Columns: []document.Column{
		{Name: "tokens"},
		{Name: "lags", Meaning: "number of lags"},
		{Name: "true_lag"},
		{Name: "rival"},
		{Name: "position"},
		{Name: "margin"},
		{Name: "share"},
	}}
	for _, e := range f.ends {
		frame.Row(e.tokens, len(e.lags), e.lags[e.trueAt], e.lags[e.rivalAt], e.position(), e.margin(), e.share())
	}
	return frame
}
