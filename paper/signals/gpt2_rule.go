package signals

import (
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
)

func (m gpt2Found) judge() claim.Finding {
	conditions := append(claim.ConditionsOf(m.sizes, sizeFound.condition), m.shared(), m.tied())
	conditions = append(conditions, claim.ConditionsOf(m.forms, m.block)...)
	found := claim.NewFinding(conditions)
	found.Asked = []claim.Question{m.exactly(), shapesFit()}
	return found
}

// condition judges whether the number of parameters is about the printed number.
func (s sizeFound) condition() claim.Condition {
	c := stated(s.title, s.near(s.parameters),
		"%s parameters, printed as %s", numerals.Grouped(s.parameters), s.printed())
	c.Effect = claim.Exactly("size of "+s.title, s.word+" parameters", s.in(s.parameters)).
		Beside("printed, with ~", s.figure).Against("without weight tying", s.in(s.untied))
	if c.Verdict == claim.Fails {
		c.Verdict, c.Reason = claim.Differs, claim.Size
	}
	return c
}

// counted is a count as a cell of a table.
func counted(n int) document.Shown {
	return document.Shown{Text: numerals.Grouped(n), Value: float64(n)}
}

// shared judges the condition on the numbers that all sizes have in common.
func (m gpt2Found) shared() claim.Condition {
	holds := len(m.sizes) > 0
	for _, s := range m.sizes {
		c := s.config
		holds = holds && s.fits && c.DMLP == 4*c.DModel && c.DHead == 64 && c.DModel == c.NHeads[0]*c.DHead &&
			c.DVocab == 50257 && c.TieUnembed
	}
	return stated("K, d_ff, d_k, V", holds, "the models accept 1,024 tokens and no more; d_ff = 4d and d_k = d/H = "+
		"64 in each of %d sizes; V = 50,257", len(m.sizes))
}

// tied judges the condition that no number of parameters would be as printed without
// weight tying, in which the embedding is also the output matrix.
func (m gpt2Found) tied() claim.Condition {
	within := 0
	for _, s := range m.sizes {
		if s.near(s.untied) {
			within++
		}
	}
	return stated("weight tying", within == 0,
		"%d of %d sizes would be as printed without weight tying", within, len(m.sizes))
}

// block judges the condition on the forward pass: it agrees with the slides' formulas,
// and other formulas do not.
func (m gpt2Found) block(f formsFound) claim.Condition {
	control := min(m.postNorm, m.noLastNorm)
	equal := f.double <= doubleSlack && f.single <= singleSlack
	c := stated("block, "+geluNames[f.activation], equal && control > singleSlack,
		"logits are within %.1g of the slides' formulas in double precision and within %.1g in single precision",
		f.double, f.single)
	c.Effect = claim.Exactly("distance from the slides' formulas, relative to the largest logit", "", f.double).
		Against("norms after the sublayers", m.postNorm)
	return c
}

// geluNames are the names of the two forms of GELU in reports.
var geluNames = map[string]string{"gelu": "GELU = xΦ(x)", "gelu_new": "GELU by tanh, as in GPT-2's code"}

// exactly answers the question of whether the numbers of parameters round to the printed
// digits.
func (m gpt2Found) exactly() claim.Question {
	var others []string
	for _, s := range m.sizes {
		if !s.rounded(s.parameters) {
			others = append(others, fmt.Sprintf("%s has %.5g%s", s.title, s.in(s.parameters), s.written))
		}
	}
	obtained := fmt.Sprintf("%d of %d do", len(m.sizes)-len(others), len(m.sizes))
	if len(others) > 0 {
		obtained += "; " + strings.Join(others, ", ")
	}
	return claim.Question{
		Question: "Does each number of parameters round to the printed digits? (The laboratory's own question: the " +
			"lecture prints ~ before each)",
		Answer:   claim.AnswerIf(len(others) == 0),
		Obtained: obtained,
	}
}

// shapesFit answers the question of whether the shapes of the slides' MLP fit its
// formula, W₂·GELU(W₁x + b₁) with a column x of d numbers.
func shapesFit() claim.Question {
	const d, wide = 768, 4 * 768
	fit := func(first, second [2]int) bool {
		return first[1] == d && first[0] == second[1] && second[0] == d
	}
	printed := fit([2]int{d, wide}, [2]int{wide, d})
	transposed := fit([2]int{wide, d}, [2]int{d, wide})
	return claim.Question{
		Question: "Do the shapes W₁ ∈ ℝ^(d×4d) and W₂ ∈ ℝ^(4d×d) of “GPT-2 Block” fit its formula W₂ GELU(W₁x + b₁) " +
			"+ b₂? (The laboratory's own question; the slip is in the shapes alone)",
		Answer: claim.AnswerIf(printed),
		Obtained: fmt.Sprintf("W₁x needs a W₁ with d columns. The shapes of “Feed-Forward MLP”, W₁ ∈ ℝ^(d_ff×d) and "+
			"W₂ ∈ ℝ^(d×d_ff), fit: %s. The printed ones fit rows, xW₁", claim.AnswerIf(transposed)),
	}
}

// counts returns the four sizes' numbers as a table and as data.
func (m gpt2Found) counts() document.Frame {
	f := document.Frame{
		Title: "parameters of the four sizes, counted from their configurations",
		Columns: []document.Column{
			{Heading: "model"},
			{Name: "layers", Heading: "L"},
			{Name: "heads", Heading: "H"},
			{Name: "width", Heading: "d"},
			{Name: "printed", Heading: "printed", Meaning: "the lecture's number of parameters"},
			{Name: "parameters", Heading: "parameters"},
			{Heading: "embeddings"},
			{Heading: "attention"},
			{Heading: "MLPs"},
			{Heading: "norms"},
			{Name: "untied", Heading: "without weight tying"},
		},
	}
	for _, s := range m.sizes {
		cells := []any{
			s.title, s.config.NLayers, s.config.NHeads[0], s.config.DModel,
			document.Shown{Text: s.printed(), Value: s.figure * s.unit},
			counted(s.parameters),
		}
		for _, part := range s.parts {
			cells = append(cells, counted(part))
		}
		f.Row(append(cells, counted(s.untied))...)
	}
	return f
}

func (m gpt2Found) tabulate(c *claim.Claim) {
	forms := document.Frame{
		Title:   "distance of logits from formulas, relative to the largest logit",
		Columns: document.Headed("%.1e", "formulas", "double", "single"),
	}
	for _, f := range m.forms {
		forms.Row("the slides', "+geluNames[f.activation], f.double, f.single)
	}
	for _, other := range m.others() {
		forms.Row(other.name, other.off, "–")
	}
	c.Tables = append(c.Tables, m.counts().Table(), forms.Table())
}

// otherForm is a change of the slides' formulas, and how far the forward pass is from the
// changed formulas.
type otherForm struct {
	name string
	off  float64
}

func (m gpt2Found) others() []otherForm {
	return []otherForm{
		{"norms after the sublayers, as in 2017", m.postNorm},
		{"without a last norm, as the formula is printed", m.noLastNorm},
		{"xΦ(x) instead of the model's tanh form", m.otherGELU},
	}
}

func (m gpt2Found) draw(out *claim.Output) {
	bars := figure.Bars{Title: "parameters", Y: figure.Axis{Label: "millions"}, Label: "size"}
	for k, name := range []string{"embeddings", "attention", "MLPs", "norms"} {
		series := figure.BarSeries{Name: name}
		for _, s := range m.sizes {
			series.Y = append(series.Y, float64(s.parts[k])/1e6)
		}
		bars.Series = append(bars.Series, series)
	}
	for _, s := range m.sizes {
		bars.Groups = append(bars.Groups, strings.TrimPrefix(s.title, "GPT-2 "))
	}
	f := figure.Row("GPT-2's parameters by part", "In each size the bar of the MLPs is twice the bar of attention, "+
		"and the bar of norms is too small to see. The two distances from the slides' formulas are below their "+
		"bounds.",
		bars, m.distances())
	f.Width = 760
	out.Figure("parameters", f)
	out.CSV("sizes", m.counts())
}

// distances draws how far the forward pass is from the slides' formulas and from changed
// formulas.
func (m gpt2Found) distances() figure.Panel {
	dots := figure.Dots{
		Title: "distance of logits", X: figure.Axis{Label: "relative to the largest", Log: true},
		Refs: []figure.Ref{
			{Label: "bound, double", Value: doubleSlack, Vertical: true},
			{Label: "bound, single", Value: singleSlack, Vertical: true},
		},
	}
	series := figure.DotSeries{}
	add := func(name string, off float64) {
		dots.Groups = append(dots.Groups, name)
		series.X = append(series.X, max(off, 1e-17))
	}
	last := m.forms[len(m.forms)-1]
	add("double", last.double)
	add("single", last.single)
	for i, o := range m.others() {
		add([]string{"post-LN", "no last LN", "xΦ(x)"}[i], o.off)
	}
	dots.Series = []figure.DotSeries{series}
	return dots
}
