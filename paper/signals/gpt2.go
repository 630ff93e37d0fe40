package signals

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"
)

// The rule of S11: the largest accepted distance between a model's logits and the logits
// of the slides' formulas, in double and in single precision, relative to the largest
// logit.
const (
	doubleSlack = 1e-10
	singleSlack = 1e-5
)

// printedSize is a line of the lecture's table of sizes.
type printedSize struct {
	name    string // name in model.GPT2Sizes
	title   string
	figure  float64 // the printed number, in the unit
	digits  int     // digits printed after the decimal point
	unit    float64 // 1e6 or 1e9
	written string  // the unit as printed: M or B
	word    string  // the unit as a word: million or billion
}

// printed returns the number as printed in the lecture.
func (p printedSize) printed() string { return fmt.Sprintf("~%.*f%s", p.digits, p.figure, p.written) }

// in converts a count of parameters to the printed unit.
func (p printedSize) in(parameters int) float64 { return float64(parameters) / p.unit }

// rounded reports whether a count of parameters, rounded to the printed digits, is the
// printed number.
func (p printedSize) rounded(parameters int) bool {
	text := func(x float64) string { return strconv.FormatFloat(x, 'f', p.digits, 64) }
	return text(p.in(parameters)) == text(p.figure)
}

// near reports whether a count of parameters differs from the printed number by at most
// one unit of the last digit, as after rounding or truncation.
func (p printedSize) near(parameters int) bool {
	return math.Abs(p.in(parameters)-p.figure) <= math.Pow10(-p.digits)
}

// printedSizes is the lecture's table of the sizes of GPT-2.
var printedSizes = []printedSize{
	{"small", "GPT-2 Small", 124, 0, 1e6, "M", "million"},
	{"medium", "GPT-2 Medium", 355, 0, 1e6, "M", "million"},
	{"large", "GPT-2 Large", 774, 0, 1e6, "M", "million"},
	{"xl", "GPT-2 XL", 1.5, 1, 1e9, "B", "billion"},
}

// gpt2 returns row S11: the parameters and the formulas of GPT-2.
func gpt2() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S11", Kind: claim.Number,
		RuleCommit: "a11571e", ChangedAfterResult: true,
		First: claim.FirstBy("c9a1110", claim.Decided(gpt2Found.judge)),
		Test: claim.Steps[gpt2Found]{
			Measure: measureGPT2, Judge: gpt2Found.judge, Tabulate: gpt2Found.tabulate, Draw: gpt2Found.draw,
		}.Test,
	}, map[string]any{"double": doubleSlack, "single": singleSlack})
}

// sizeFound holds the counts of one of the four sizes.
type sizeFound struct {
	printedSize
	config     model.Config
	parameters int
	untied     int    // parameters if the output matrix were not the embedding
	parts      [4]int // parameters of the embeddings, attention, MLPs and norms
	fits       bool   // whether the model accepts 1,024 tokens and no more
}

// formsFound holds how far the forward pass is from the slides' formulas, in double and
// in single precision: the largest difference of logits, relative to the largest logit.
type formsFound struct {
	activation     string
	double, single float64
}

// gpt2Found holds the measurements of S11.
type gpt2Found struct {
	sizes []sizeFound
	forms []formsFound
	// How far the forward pass is from other formulas: with the norm after each sublayer, as
	// in the transformer of 2017; without a last norm, as the formula of the logits is
	// printed; and with the exact GELU instead of the tanh form of GPT-2's code.
	postNorm, noLastNorm, otherGELU float64
}

func measureGPT2(context.Context, *claim.Study) (gpt2Found, error) {
	var m gpt2Found
	for _, printed := range printedSizes {
		found, err := printed.count()
		if err != nil {
			return m, err
		}
		m.sizes = append(m.sizes, found)
	}
	return m, m.compare()
}

// count counts the parameters of a size from its configuration, without allocating them.
func (p printedSize) count() (sizeFound, error) {
	c, err := model.GPT2(p.name)
	if err != nil {
		return sizeFound{}, err
	}
	apart := c
	apart.TieUnembed, apart.UnembedBias = false, new(false)
	L, d, m := c.NLayers, c.DModel, c.DMLP
	return sizeFound{
		printedSize: p, config: c, parameters: c.Parameters(), untied: apart.Parameters(),
		parts: [4]int{(c.DVocab + c.NCtx) * d, L * (4*d*d + 4*d), L * (2*d*m + m + d), (2*L + 1) * 2 * d},
		fits:  c.CheckTokens(make([]int32, 1024)) == nil && c.CheckTokens(make([]int32, 1025)) != nil,
	}, nil
}

// gpt2Shaped returns a small model with GPT-2's architecture and a sequence of tokens.
// All weights are random, including those that are initially 0 or 1.
func gpt2Shaped(activation string) (*model.Transformer[float64], []int32, error) {
	c, err := model.GPT2("small")
	if err != nil {
		return nil, nil, err
	}
	c.DModel, c.NLayers, c.NHeads, c.DHead, c.DMLP, c.NCtx, c.DVocab = 24, 3, model.Heads{3}, 0, 0, 20, 50
	c.ActFn = activation
	m, err := model.New[float64](c, 1)
	if err != nil {
		return nil, nil, err
	}
	s := random.New(1, "paper/signals/gpt2")
	for i := range m.Weights.Data {
		m.Weights.Data[i] += 0.3 * s.Normal()
	}
	tokens := make([]int32, c.NCtx)
	for i := range tokens {
		tokens[i] = int32(s.IntN(c.DVocab))
	}
	return m, tokens, nil
}

// compare measures how far the forward pass is from the slides' formulas, and from other
// formulas.
func (m *gpt2Found) compare() error {
	for _, activation := range []string{"gelu", "gelu_new"} {
		gpt, tokens, err := gpt2Shaped(activation)
		if err != nil {
			return err
		}
		double, err := gpt.Logits(tokens)
		if err != nil {
			return err
		}
		single, err := model.Convert[float32](gpt).Logits(tokens)
		if err != nil {
			return err
		}
		slides := printedForms{gelu: geluForms[activation], weights: gpt.Weights, config: gpt.Config}
		want := slides.logits(tokens)
		m.forms = append(m.forms, formsFound{activation, logitsApart(double, want), logitsApart(single, want)})
		with := func(change func(f *printedForms)) float64 {
			other := slides
			change(&other)
			return logitsApart(double, other.logits(tokens))
		}
		m.postNorm = with(func(f *printedForms) { f.postNorm = true })
		m.noLastNorm = with(func(f *printedForms) { f.noLastNorm = true })
		m.otherGELU = with(func(f *printedForms) { f.gelu = geluForms["gelu"] })
	}
	return nil
}

// logitsApart returns the largest difference between two lists of logits, divided by the
// largest absolute logit in the second, want, or by 1 if that is smaller than 1.
func logitsApart[F model.Float](got []F, want []float64) float64 {
	most, largest := 0.0, 1.0
	for i, x := range want {
		most = max(most, math.Abs(float64(got[i])-x))
		largest = max(largest, math.Abs(x))
	}
	return most / largest
}
