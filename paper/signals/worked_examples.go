package signals

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
)

// exact is the largest difference at which two numbers count as equal up to rounding
// errors.
const exact = 1e-12

// workedExamples returns row S12: the slides' worked examples.
func workedExamples() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S12", Kind: claim.Identity,
		RuleCommit: "5fb92eb",
		Test: claim.Steps[examples]{
			Measure: measureExamples, Judge: examples.judge, Tabulate: examples.tabulate, Draw: examples.draw,
		}.Test,
	}, map[string]any{"exact": exact})
}

// example is a sequence of tokens and the token that the lecture gives after it.
type example struct {
	signal
	where     string // which example of the slide
	before    []int32
	printed   int
	retrieval bool // whether the signal's rule computes the token
}

// period is one period of the sine's tokens, starting where the lecture's windows start.
var period = []int32{21, 26, 30, 31, 30, 26, 21, 16, 10, 5, 1, 0, 1, 5, 10, 16}

// printedExamples returns the slides' examples.
func printedExamples() []example {
	window := slices.Concat(period, period[:8])
	delayed := append([]int32{29, 9}, slices.Repeat([]int32{1}, 28)...) // the key for D = 29, the 9, and 28 more tokens
	routed := func(op, argument int32) []int32 { return []int32{30, op, 4, 5, 31, argument} }
	return []example{
		{sine, "first window", window, 10, false},
		{sine, "second window", append(window[1:len(window):len(window)], 10), 5, false},
		{switching, "9, 29 steps ago, D = 29", delayed, 6, true},
		{brackets, "first CLOSE", []int32{30, 7, 30, 2, 31}, 2, true},
		{brackets, "second CLOSE", []int32{30, 7, 30, 2, 31, 2, 31}, 7, true},
		{routing, "identity of 18", routed(0, 18), 18, true},
		{routing, "double of 18", routed(2, 18), 6, true},
		{routing, "complement of 18", routed(3, 18), 11, true},
	}
}

// examples holds the measurements of S12.
type examples struct {
	tokens []predicted
	norm   []float64 // layer norm of [2, 0, 0, 2], by the forward pass
	apart  float64   // largest difference between norm and (x − μ)/√(σ² + ε)
}

// predicted is an example with the optimal predictor's prediction.
type predicted struct {
	example
	next     []float64 // the optimal predictor's distribution
	token    int       // the most likely token
	computed bool      // whether the rule computes that token
}

func (f predicted) asPrinted() bool { return f.token == f.printed && f.computed == f.retrieval }

func measureExamples(context.Context, *claim.Study) (examples, error) {
	var m examples
	for _, e := range printedExamples() {
		next, computed, err := e.optimal(e.before)
		if err != nil {
			return m, err
		}
		token := slices.Index(next, slices.Max(next))
		m.tokens = append(m.tokens, predicted{e, next, token, computed[token]})
	}
	return m, m.normalise()
}

// normalise applies the layer norm of a model with one token to the lecture's vector.
func (m *examples) normalise() error {
	x := []float64{2, 0, 0, 2}
	tiny, err := model.Zero[float64](model.Config{
		DModel: len(x), NLayers: 1, NHeads: model.Heads{1}, NCtx: 1, DVocab: 1, PositionalEmbeddingType: "none",
	})
	if err != nil {
		return err
	}
	for name, data := range map[string][]float64{"embed.W_E": x, "ln_final.w": {1, 1, 1, 1}} {
		copy(tiny.Weights.Get(name).Data, data)
	}
	const normalized = "ln_final.hook_normalized"
	_, cache, err := tiny.RunWithCache([]int32{0}, 1, normalized)
	if err != nil {
		return err
	}
	m.norm = cache.Get(normalized).Data
	for i, v := range m.norm {
		m.apart = max(m.apart, math.Abs(v-(x[i]-1)/math.Sqrt(1+tiny.Config.Eps)))
	}
	return nil
}

func (m examples) judge() claim.Finding {
	found := claim.Finding{Verdict: claim.Holds}
	wrong := 0
	for _, f := range m.tokens {
		if !f.asPrinted() {
			wrong++
			found.Obtained += fmt.Sprintf("%s, %s: the optimal predictor has token %d, the slide %d; ",
				f.title, f.where, f.token, f.printed)
		}
	}
	right := len(m.tokens) - wrong
	found.Effect = claim.Exactly("tokens as printed", fmt.Sprintf("of %d", len(m.tokens)), float64(right))
	found.Obtained += fmt.Sprintf("%d of %d tokens are as printed; the layer norm is %s",
		right, len(m.tokens), m.distance())
	if wrong > 0 || m.apart > exact {
		found.Verdict = claim.Fails
	}
	return found
}

// distance describes how close the layer norm is to its formula.
func (m examples) distance() string {
	if m.apart == 0 {
		return "equal to its formula to the last bit"
	}
	return fmt.Sprintf("within %.1g of its formula", m.apart)
}

// predictions returns the predictions as a table and as data.
func (m examples) predictions() document.Frame {
	f := document.Frame{
		Title: "tokens",
		Columns: []document.Column{
			{Name: "example"},
			{Heading: "signal"},
			{Heading: "example"},
			{Name: "printed", Heading: "printed", Meaning: "the token that the slide gives, from 0"},
			{Heading: "optimal predictor"},
			{Heading: "retrieval step", Codes: []string{"no", "yes"}},
		},
	}
	for token := range m.tokens[0].next {
		f.Columns = append(f.Columns, document.Column{
			Name:    fmt.Sprintf("p%d", token),
			Meaning: fmt.Sprintf("the optimal predictor's probability of token %d", token),
		})
	}
	for i, one := range m.tokens {
		cells := []any{i, one.title, one.where, one.printed, one.token, one.computed}
		for _, p := range one.next {
			cells = append(cells, p)
		}
		f.Row(cells...)
	}
	return f
}

func (m examples) tabulate(c *claim.Claim) {
	c.Tables = append(c.Tables, m.predictions().Table())
	c.Notes = append(c.Notes, fmt.Sprintf(
		"With ε = 1e-5, LN([2, 0, 0, 2]) is %.6f times [1, −1, −1, 1], which explains the slide's ≈.", m.norm[0],
	))
}

func (m examples) draw(out *claim.Output) {
	z := make([][]float64, len(m.tokens))
	names := make([]string, len(m.tokens))
	for i, f := range m.tokens {
		z[i], names[i] = f.next, fmt.Sprintf("%s: %d", f.where, f.printed)
	}
	f := figure.Single("Worked examples", "One cell in each row has all or nearly all of the probability.",
		figure.HeatMap{
			Z: z, Rows: names, X: "next token", Label: "probability", Range: [2]float64{0, 1},
		})
	f.Width = 720 // room for each row's name
	out.Figure("examples", f)
	out.CSV("examples", m.predictions())
}
