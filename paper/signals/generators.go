package signals

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/claim"
	"foretell/process"
)

const (
	// Thresholds for a delay's largest Lyapunov exponent, in nats a step. The delay counts
	// as not chaotic up to the first threshold, and as chaotic from the second.
	notChaotic, chaotic = 1e-4, 1e-3
	// edge defines “near the edge”: the smallest chaotic delay is longer by at most this
	// many steps.
	edge = 2
	// slack is the largest difference, in standard errors, at which a measured value agrees
	// with a computed value.
	slack = 4
	// background is the lecture's share of tokens that are easy background; a measured share
	// may differ from it by at most backgroundSlack.
	background, backgroundSlack = 0.85, 0.1
)

const (
	shownSteps    = 300  // steps of each recording in the figure
	readSequences = 2000 // sequences of each symbolic signal that the second implementation checks
	readLength    = 65   // tokens of each sequence: a context of 64 and the token to predict
	longestTau    = 30   // largest delay for which the Lyapunov exponent is computed
)

// generators returns row S1: the five signals.
func generators() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S1", Kind: claim.Number, Severity: claim.Local,
		RuleCommit: "13f0631", ChangedAfterResult: true,
		Test: claim.Steps[generated]{
			Measure: measureGenerators, Judge: generated.judge, Tabulate: generated.tabulate, Draw: generated.draw,
		}.Test,
	}, map[string]any{
		"notChaotic": notChaotic, "chaotic": chaotic, "edge": edge, "sequences": readSequences, "slack": slack,
	})
}

// generated holds the measurements of S1, on all five signals.
type generated struct {
	sine     sineFound
	glass    glassFound
	symbolic []symbolicFound
	ceilings []ceilingFound // of all five signals
	delays   []delayShares  // of two switching delays: the models', and one with more background
}

// sineFound holds the measurements of Signal 1.
type sineFound struct {
	tokens, period int // number of different tokens, and the shortest period
	literal        int // samples whose token differs if sin(2πn/16) is computed in floating point
	samples        int
}

// glassFound holds the measurements of Signal 2.
type glassFound struct {
	apart     int               // number of tokens that differ from the recurrence, in recordings for τ = 5, 17 and 25
	tokens    int               // number of all tokens of these recordings
	exponents [][]float64       // [τ−1][block]: Lyapunov exponent, in nats a step
	waves     map[int][]float64 // [τ]: the beginning of the recording
	printed   float64           // mean error if x[n+1] is computed from x[n−24], in steps of the quantiser
	right     float64           // mean error if x[n+1] is computed from x[n−25], in steps of the quantiser
}

// symbolicFound holds the measurements of one of Signals 3 to 5.
type symbolicFound struct {
	signal
	steps    int     // number of retrieval steps in the sequences
	wrong    int     // positions at which the process and the second implementation do not agree
	loss, se float64 // mean loss of the optimal predictor, and its standard error
	floor    float64
	longRun  float64 // share of retrieval steps in one long sequence
}

// ceilingFound holds the greatest possible accuracy on a signal, with its floor and
// chance loss.
type ceilingFound struct {
	signal
	byPosition, retrieval []float64 // see [process.Ceiling]
	floor, chance         float64
}

func measureGenerators(ctx context.Context, _ *claim.Study) (generated, error) {
	m := generated{sine: measureSine()}
	var err error
	if m.delays, err = measureDelays(); err != nil {
		return m, err
	}
	if m.glass, err = measureGlass(); err != nil {
		return m, err
	}
	for _, s := range allSignals {
		c, err := s.ceiling(ctx)
		if err != nil {
			return m, err
		}
		m.ceilings = append(m.ceilings, c)
		if read := readers[s]; read != nil {
			found, err := s.read(ctx, read)
			if err != nil {
				return m, err
			}
			m.symbolic = append(m.symbolic, found)
		}
	}
	return m, nil
}

// measureSine counts the process's different tokens and finds their period. It compares
// the tokens with the formula computed in floating point.
func measureSine() sineFound {
	const period, levels, samples = 16, 32, 1 << 12
	found := sineFound{samples: samples}
	p, err := sine.process()
	if err != nil {
		panic(err) // cannot happen: the process's default parameters are valid
	}
	tokens := make([]int32, samples)
	p.Sample(tokens, rand.NewPCG(1, 1))
	different := slices.Compact(slices.Sorted(slices.Values(tokens)))
	found.tokens = len(different)
	for found.period = 1; !slices.Equal(tokens[found.period:], tokens[:samples-found.period]); {
		found.period++
	}
	g := grid{-1, 1, levels}
	for n := range samples {
		exact := math.Sin(2 * math.Pi * float64(n%period) / period)
		if n%(period/2) == 0 {
			exact = 0
		}
		if g.token(math.Sin(2*math.Pi*float64(n)/period)) != g.token(exact) {
			found.literal++
		}
	}
	return found
}

// measureGlass compares recordings of Signal 2 with the recurrence, and computes Lyapunov
// exponents.
func measureGlass() (glassFound, error) {
	found := glassFound{waves: map[int][]float64{}}
	for _, tau := range []int{5, 17, 25} {
		p, err := process.Build(mackeyGlass.name, process.Params{"tau": float64(tau)})
		if err != nil {
			return found, err
		}
		record := p.(*process.Ring).Record()
		x, g := recorded(tau, len(record))
		for n, z := range record {
			if g.token(x[n]) != z {
				found.apart++
			}
		}
		found.tokens += len(record)
		found.waves[tau] = x[:shownSteps]
		if tau == 25 {
			found.printed, found.right = lagError(x, g, 24), lagError(x, g, 25)
		}
	}
	for tau := 1; tau <= longestTau; tau++ {
		found.exponents = append(found.exponents, lyapunov(tau, 20_000, 8, 25_000))
	}
	return found, nil
}

// lagError returns the mean absolute error of x[n+1], in steps of the quantiser, if the
// recurrence computes it from x[n] and x[n − lag].
func lagError(x []float64, g grid, lag int) float64 {
	sum, count := 0.0, 0
	for n := lag; n+1 < len(x); n++ {
		m := mapAt(x, n, lag)
		m.step()
		sum += math.Abs(m.now() - x[n+1])
		count++
	}
	return sum / float64(count) * float64(g.levels-1) / (g.high - g.low)
}

// ceiling returns the greatest possible accuracy on each of the signal's tokens 1 …
// readLength.
func (s signal) ceiling(ctx context.Context) (ceilingFound, error) {
	p, err := s.process()
	if err != nil {
		return ceilingFound{}, err
	}
	floor, err := p.Floor(ctx, readLength)
	if err != nil {
		return ceilingFound{}, err
	}
	c, err := p.(process.Ceiler).Ceiling(ctx, readLength)
	return ceilingFound{
		signal: s, byPosition: c.ByPosition, retrieval: c.Retrieval,
		floor: mean(floor.ByPosition[1:]), chance: floor.Chance,
	}, err
}

// mean returns the arithmetic mean.
func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// read compares the process's predictions on sampled sequences with a second
// implementation of the signal's rule.
func (s signal) read(ctx context.Context, rule reader) (symbolicFound, error) {
	found := symbolicFound{signal: s}
	p, err := s.process()
	if err != nil {
		return found, err
	}
	floor, err := p.Floor(ctx, readLength)
	if err != nil {
		return found, err
	}
	found.floor = mean(floor.ByPosition)
	predictor := p.Predictor().(process.RetrievalPredictor)
	next, tokens, src := make([]float64, p.Alphabet()), make([]int32, readLength), rand.NewPCG(2, 3)
	losses := make([]float64, readSequences)
	for i := range losses {
		p.Sample(tokens, src)
		predictor.Reset()
		for n, z := range tokens {
			predictor.Next(next)
			losses[i] -= math.Log(next[z]) / readLength
			want, computed := rule(tokens[:n])
			if !agree(predictor, next, int(z), int(want), computed) {
				found.wrong++
			}
			if predictor.Retrieves(int(z)) {
				found.steps++
			}
			if err := predictor.Observe(int(z)); err != nil {
				return found, err
			}
		}
	}
	found.loss, found.se = meanError(losses)
	found.longRun, err = longRun(p)
	return found, err
}

// agree reports whether a predictor agrees with the rule: it marks the token that the
// rule computes, and no other token, as a retrieval step, and gives it the largest
// probability. The actual token must also have a positive probability.
func agree(p process.RetrievalPredictor, next []float64, token, want int, computed bool) bool {
	for z, q := range next {
		if p.Retrieves(z) != (computed && z == want) {
			return false
		}
		if computed && z != want && q >= next[want] {
			return false
		}
	}
	return next[token] > 0
}

// longRun returns the share of retrieval steps in a long sequence.
func longRun(p process.Process) (float64, error) {
	const length = 200_000
	tokens := make([]int32, length)
	p.Sample(tokens, rand.NewPCG(4, 5))
	marks, err := p.(*process.Symbolic).Retrievals(tokens)
	return float64(trues(marks)) / length, err
}

// trues counts the elements that are true.
func trues(list []bool) int {
	n := 0
	for _, yes := range list {
		if yes {
			n++
		}
	}
	return n
}

// meanError returns the mean of independent numbers and its standard error.
func meanError(x []float64) (m, se float64) {
	m = mean(x)
	squares := 0.0
	for _, v := range x {
		squares += (v - m) * (v - m)
	}
	n := float64(len(x))
	return m, math.Sqrt(squares / (n - 1) / n)
}
