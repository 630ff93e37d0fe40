package coin

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/process"
)

// Constants of the rule of C5: the context length in tokens, the tolerated error of the
// probability of heads, the number of sequences whose flips are shuffled, the number of
// shuffles of each, and the largest change of the probability that a shuffle may cause.
const (
	exactContext    = 1024
	exactError      = 1e-6
	orderSequences  = 20
	orderShuffles   = 20
	exactOrderError = equal
	exactCounts     = exactContext * (exactContext + 1) / 2 // number of pairs (heads, tails) that fit the context
)

// exactCoin is C5. It is about the whole construction of Gemini 2025, and also tests what
// the document does not: the complete model, from tokens to probabilities.
func exactCoin() claim.Row {
	return texts.Fill(claim.Row{
		ID: "C5", Kind: claim.Identity, RuleCommit: "079810e", ChangedAfterResult: true, Work: 16_000,
		First: claim.FirstBy("205eab8", exact.judge),
		Test: claim.Steps[exact]{
			Measure: measureExact, Judge: exact.judge, Tabulate: exact.tabulate, Draw: exact.draw,
		}.Test,
	}, map[string]any{
		"priors": priors, "context": exactContext, "longest": exactContext - 1,
		"error": numerals.Scientific(exactError), "order": numerals.Scientific(exactOrderError),
		"shuffles": orderShuffles, "sequences": orderSequences,
	})
}

// exact is the measurement of C5: the models, one for each prior, and how large a model
// must be for each of several errors.
type exact struct {
	models []counter
	costs  []cost // grouped by prior
}

// counter is the measurement on a model that counts flips, built for one prior.
type counter struct {
	prior
	neurons, parameters int
	worst               craft.Worst
	moved               float64 // largest change of the probability of heads when flips are shuffled
}

// cost holds the sizes of two models built for the same error: one head with an MLP, and
// heads without an MLP.
type cost struct {
	prior
	asked                          float64 // the requested error
	neurons, heads                 int
	mlpParameters, headsParameters int
}

func measureExact(ctx context.Context, s *claim.Study) (m exact, err error) {
	m.models = make([]counter, len(priors))
	err = s.Each(ctx, len(priors), func(_ context.Context, i int) (err error) {
		s.Tell(fmt.Sprintf("C5: measuring the errors after up to %d flips for the prior %s", exactContext-1, priors[i]))
		m.models[i], err = measureCounter(priors[i])
		s.Part(len(priors))
		return err
	})
	if err != nil {
		return m, err
	}
	m.costs, err = measureCosts()
	return m, err
}

func measureCounter(p prior) (counter, error) {
	m, err := craft.Coin{A: p.a, B: p.b, NCtx: exactContext, Error: exactError}.Transformer()
	if err != nil {
		return counter{}, err
	}
	return counter{
		prior: p, neurons: m.Config.DMLP, parameters: m.Config.Parameters(),
		worst: craft.WorstCount(m, p.a, p.b), moved: orderError(m),
	}, nil
}

// orderError returns the largest change of the predicted probability of heads when the
// flips of a sequence are shuffled.
func orderError(m *model.Transformer[float64]) float64 {
	stream, worst := random.New(1, "paper/order"), 0.0
	w := model.NewWorkspace[float64](m.Config, 1)
	for range orderSequences {
		tokens := make([]int32, 2+stream.IntN(m.Config.NCtx-1))
		for i := range tokens {
			tokens[i] = int32(stream.IntN(2))
		}
		tokens[0] = process.BOS
		heads := func() float64 { return model.Probabilities(m.ForwardLast(w, tokens, 1))[1] }
		before := heads()
		for range orderShuffles {
			flips := tokens[1:]
			stream.Shuffle(len(flips), func(i, j int) { flips[i], flips[j] = flips[j], flips[i] })
			worst = max(worst, math.Abs(heads()-before))
		}
	}
	return worst
}

// measureCosts builds both kinds of model for each prior and each of several errors, and
// returns their sizes.
func measureCosts() (list []cost, err error) {
	for _, p := range priors {
		for _, e := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8} {
			c, err := measureCost(p, e)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

func measureCost(p prior, e float64) (cost, error) {
	coin := craft.Coin{A: p.a, B: p.b, NCtx: exactContext, Error: e}
	mlp, err := coin.Transformer()
	if err != nil {
		return cost{}, err
	}
	alone, err := coin.AttentionOnly()
	if err != nil {
		return cost{}, err
	}
	return cost{
		prior: p, asked: e, neurons: mlp.Config.DMLP, mlpParameters: mlp.Config.Parameters(),
		heads: alone.Config.NHeads[0], headsParameters: alone.Config.Parameters(),
	}, nil
}

func (m exact) judge() claim.Finding {
	worst, moved := 0.0, 0.0
	var conditions []claim.Condition
	for _, c := range m.models {
		worst, moved = max(worst, c.worst.Error), max(moved, c.moved)
		conditions = append(conditions, c.condition())
	}
	return claim.Finding{
		Verdict: asPrinted(worst <= exactError && moved <= exactOrderError, false),
		Obtained: fmt.Sprintf("largest error of the probability of heads %.6e, over all %s pairs of counts and three "+
			"priors, in the ordinary forward pass; shuffling the flips changes the probability by at most %.1e",
			worst, numerals.Grouped(exactCounts), moved),
		Effect: claim.Exactly("largest error of the probability of heads", "", worst), Conditions: conditions,
		Asked: []claim.Question{posteriorMean()},
	}
}

// longestIntegrated is the largest number of flips for which the posterior is integrated.
const longestIntegrated = 20

// posteriorMean answers the question of whether the posterior predictive is the
// document's fraction, by integrating the posterior of a uniform prior in rational
// numbers.
func posteriorMean() claim.Question {
	wrong, cases := 0, 0
	for heads := range longestIntegrated + 1 {
		for tails := range longestIntegrated + 1 - heads {
			mean := new(big.Rat).Quo(betaIntegral(heads+1, tails), betaIntegral(heads, tails))
			if cases++; mean.Cmp(big.NewRat(int64(1+heads), int64(2+heads+tails))) != 0 {
				wrong++
			}
		}
	}
	return claim.Question{
		Question: "Is the posterior predictive of a uniform prior (1+H)/(2+N), so that the log-odds are " +
			"log((1+H)/(1+T))? (Eq. 1, 2)",
		Answer: claim.AnswerIf(wrong == 0),
		Obtained: fmt.Sprintf("∫θ·θᴴ(1−θ)ᵀdθ / ∫θᴴ(1−θ)ᵀdθ, in rational numbers, is another one for %d of the %d "+
			"pairs of counts with up to %d flips", wrong, cases, longestIntegrated),
	}
}

// betaIntegral returns ∫θᵃ(1−θ)ᵇdθ over [0, 1]: Σ_k (−1)ᵏ C(b, k) / (a + k + 1).
func betaIntegral(a, b int) *big.Rat {
	sum := new(big.Rat)
	for k := range b + 1 {
		term := new(big.Rat).SetFrac(new(big.Int).Binomial(int64(b), int64(k)), big.NewInt(int64(a+k+1)))
		if k%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum
}

// condition returns the verdict on one prior.
func (c counter) condition() claim.Condition {
	return claim.Condition{
		Name: c.prior.String(), Converged: true,
		Verdict: asPrinted(c.worst.Error <= exactError && c.moved <= exactOrderError, false),
		Obtained: fmt.Sprintf("largest error of the probability of heads %.6e; shuffling the flips changes it by up "+
			"to %.1e",
			c.worst.Error, c.moved),
		Effect: claim.Exactly("largest error of the probability of heads", "", c.worst.Error),
	}
}

func (m exact) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: fmt.Sprintf("one head and an MLP, contexts of %d tokens, built for an error of %s",
			exactContext, numerals.Scientific(exactError)),
		Columns: []document.Column{
			{Heading: "prior"},
			{Heading: "neurons"},
			{Heading: "parameters"},
			{Heading: "largest error", Format: "%.3e"},
			{Heading: "at"},
			{Heading: "largest change by shuffles", Format: "%.1e"},
		},
	}
	for _, of := range m.models {
		at := fmt.Sprintf("%d heads, %d tails", of.worst.Heads, of.worst.Tails)
		f.Row(of.prior, of.neurons, of.parameters, of.worst.Error, at, of.moved)
	}
	c.Tables = append(c.Tables, f.Table())
}

func (m exact) draw(out *claim.Output) {
	out.Figure("cost", m.figure())
	f := document.Frame{Columns: slices.Concat(
		document.Named("a", "b", "error", "neurons", "parameters_mlp"),
		[]document.Column{{Name: "heads", Meaning: "number of heads of the model with heads alone"}},
		document.Named("parameters_heads"),
	)}
	for _, c := range m.costs {
		f.Row(c.a, c.b, c.asked, c.neurons, c.mlpParameters, c.heads, c.headsParameters)
	}
	out.CSV("cost", f)
}

func (m exact) figure() *figure.Figure {
	chart := figure.Chart{
		X: figure.Axis{Label: "error of the probability", Log: true}, Y: figure.Axis{Label: "parameters", Log: true},
	}
	for i, p := range priors {
		mlp := figure.Series{Name: p.String(), Color: i + 1}
		alone := figure.Series{Name: "heads alone", Shared: true, Color: i + 1, Open: true}
		for _, c := range m.costs {
			if c.prior == p {
				mlp.Add(c.asked, float64(c.mlpParameters))
				alone.Add(c.asked, float64(c.headsParameters))
			}
		}
		chart.Series = append(chart.Series, mlp, alone)
	}
	return figure.Single("The cost of an exact coin", "Parameters against error on logarithmic axes. With an MLP, "+
		"the number of parameters grows tenfold for every two decades of error; with heads alone it grows slowly.",
		chart)
}
