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
	"foretell/paper/internal/numerals"
)

// miniGPTParameters is the number of parameters that the lecture prints.
const miniGPTParameters = 158_272

// shownNear limits the figure's second panel to numbers that differ from the printed
// number by at most this much.
const shownNear = 500

// miniGPT returns the homework's model with the biases that its number of parameters
// implies: all but the output's.
func miniGPT() model.Config {
	return model.Config{
		DModel: 64, NLayers: 3, NHeads: model.Heads{4}, NCtx: 64, DVocab: 32, UnembedBias: new(false),
	}
}

// parametersOfMiniGPT returns row S2: the number of parameters of the homework's model.
func parametersOfMiniGPT() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S2", Kind: claim.Number,
		RuleCommit: "c9a1110", ChangedAfterResult: true,
		First: claim.FirstBy("c9a1110", parameterCount.judge),
		Test: claim.Steps[parameterCount]{
			Measure: measureMiniGPT, Judge: parameterCount.judge,
			Tabulate: parameterCount.tabulate, Draw: parameterCount.draw,
		}.Test,
	}, map[string]any{"parameters": numerals.Grouped(miniGPTParameters)})
}

// reading is one way to read a slide that leaves something open, with the number of
// parameters that it implies.
type reading struct {
	name       string
	parameters int
}

// openChoice is something that the slides leave open, with the ways to read it. The first
// reading is the one that miniGPT uses.
type openChoice struct {
	what     string
	readings []reading
}

// choices lists what the slides leave open about a pre-LN transformer of given sizes. The
// token embedding and the attention matrices are the same in all readings.
func choices(c model.Config) []openChoice {
	V, K, L, d := c.DVocab, c.NCtx, c.NLayers, c.DModel
	mlp := openChoice{what: "the MLP"}
	for _, times := range []int{4, 1, 2, 3} {
		m := times * d
		mlp.readings = append(mlp.readings,
			reading{fmt.Sprintf("%d·d wide, with biases", times), L * (2*d*m + m + d)},
			reading{fmt.Sprintf("%d·d wide, without biases", times), L * 2 * d * m})
	}
	return []openChoice{
		{"the output", []reading{
			{"a matrix without bias", V * d}, {"a matrix and a bias", V*d + V}, {"tied to the embedding", 0},
		}},
		{"positions", []reading{{"learned", K * d}, {"sinusoidal", 0}}},
		{"queries, keys and values", []reading{{"with biases", L * 3 * d}, {"without biases", 0}}},
		{"the output of attention", []reading{{"with a bias", L * d}, {"without a bias", 0}}},
		mlp,
		{"norms", []reading{
			{"weight and bias, with a last norm", (2*L + 1) * 2 * d},
			{"weight and bias, without a last norm", 2 * L * 2 * d},
			{"weight only, with a last norm", (2*L + 1) * d},
			{"weight only, without a last norm", 2 * L * d},
			{"without parameters", 0},
		}},
	}
}

// inAll returns the number of parameters that do not depend on any reading.
func inAll(c model.Config) int { return c.DVocab*c.DModel + c.NLayers*4*c.DModel*c.DModel }

// combinations returns the number of parameters of each combination of readings, and the
// number of combinations with the printed number.
func combinations(choices []openChoice, shared int) (totals []int, printed int) {
	totals = []int{shared}
	for _, c := range choices {
		var next []int
		for _, o := range c.readings {
			for _, t := range totals {
				next = append(next, t+o.parameters)
			}
		}
		totals = next
	}
	for _, t := range totals {
		if t == miniGPTParameters {
			printed++
		}
	}
	return totals, printed
}

// parameterCount holds the number of MiniGPT's parameters, and the numbers under other
// readings.
type parameterCount struct {
	model   int // parameters of miniGPT
	choices []openChoice
	shared  int   // parameters that do not depend on any reading
	totals  []int // parameters of each combination of readings, ascending
	printed int   // number of combinations with the printed number
}

func measureMiniGPT(context.Context, *claim.Study) (parameterCount, error) {
	c, err := miniGPT().Resolve()
	if err != nil {
		return parameterCount{}, err
	}
	m := parameterCount{model: c.Parameters(), choices: choices(c), shared: inAll(c)}
	m.totals, m.printed = combinations(m.choices, m.shared)
	slices.Sort(m.totals)
	return m, nil
}

func (m parameterCount) judge() claim.Finding {
	found := claim.Finding{
		Verdict:  claim.Holds,
		Obtained: numerals.Grouped(m.model) + " parameters",
		Effect: claim.Exactly("size of MiniGPT", "parameters", float64(m.model)).Beside("printed", miniGPTParameters).
			Against("with a bias at the output", float64(m.model+miniGPT().DVocab)),
		Asked: []claim.Question{{
			Question: "Does the number of parameters determine what the slides leave open: is there exactly one " +
				"combination of readings with this number? (The laboratory's own question)",
			Answer:   claim.AnswerIf(m.printed == 1),
			Obtained: fmt.Sprintf("%d of %d combinations have this number", m.printed, len(m.totals)),
		}},
	}
	if m.model != miniGPTParameters {
		found.Verdict, found.Reason = claim.Differs, claim.Size
	}
	return found
}

func (m parameterCount) tabulate(c *claim.Claim) {
	parts := document.Frame{
		Title: "parameters by part", Columns: document.Headed("", "part", "as counted", "parameters"),
	}
	parts.Row("token embedding, attention matrices", "V·d + L·4·d²", counted(m.shared))
	for _, open := range m.choices {
		first := open.readings[0]
		parts.Row(open.what, first.name, counted(first.parameters))
	}
	c.Tables = append(c.Tables, parts.Table())
}

func (m parameterCount) draw(out *claim.Output) {
	all, near := figure.Series{Style: figure.Scatter}, figure.Series{Style: figure.Scatter}
	numbers := document.Frame{Columns: document.Named("combination", "parameters")}
	for i, n := range m.totals {
		x, y := float64(i+1), float64(n)
		all.Add(x, y)
		if math.Abs(y-miniGPTParameters) <= shownNear {
			near.Add(x, y)
		}
		numbers.Row(x, y)
	}
	panel := func(title string, s figure.Series) figure.Panel {
		return figure.Chart{
			Title: title, X: figure.Axis{Label: "combination, by size"}, Y: figure.Axis{Label: "parameters"},
			Series: []figure.Series{s}, Refs: []figure.Ref{{Label: "printed", Value: miniGPTParameters}},
		}
	}
	f := figure.Row("MiniGPT's parameters", "The dots rise in steps, one for each width of the MLP. A line at 158,272 "+
		"passes through one dot near their end.", panel("all", all), panel("near the printed number", near))
	f.Width = 720
	caption := fmt.Sprintf("Left: the number of parameters of MiniGPT in each of %d combinations of readings of the "+
		"slides. Right: the combinations within %d of the printed number. Combinations with the printed number: %d.",
		len(m.totals), shownNear, m.printed)
	out.Captioned("parameters", caption, f)
	out.CSV("readings", numbers)
}
