package abc

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/figure"
	"foretell/internal/random"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/walk"
)

// The rule of claim A2. sumError is the largest accepted error, as [attributionError]
// defines it; perArchitecture is the number of random models of each architecture.
const (
	sumError        = 1e-12
	perArchitecture = 5
)

// walkByHand returns claim A2, which covers the whole of Virgilio 2025: the forward pass
// can be followed by hand.
func walkByHand() claim.Row {
	return texts.Fill(claim.Row{
		ID: "A2", Kind: claim.Identity, RuleCommit: "62f1199", ChangedAfterResult: true,
		First: claim.FirstBy("dc0c8f0", walks.judge),
		Test: claim.Steps[walks]{
			Measure: measureWalks, Judge: walks.judge, Tabulate: walks.tabulate, Draw: walks.draw,
		}.Test,
	}, map[string]any{"models": perArchitecture * len(architectures()), "error": numerals.Scientific(sumError)})
}

// walks summarises walks through models. A walk (package walk) recomputes a forward pass
// formula by formula.
type walks struct {
	drawn  int     // number of random models
	worst  float64 // largest attributionError
	broken error   // the first violated formula, or nil

	own   *walk.Attribution // contributions in the document's model; nil if a formula is violated there
	files []walkFile        // the walk through the document's model, one file for each format
}

// walkFile is a walk written in one file format.
type walkFile struct {
	extension string
	text      []byte
}

func measureWalks(ctx context.Context, _ *claim.Study) (walks, error) {
	var m walks
	for i, architecture := range architectures() {
		for seed := range uint64(perArchitecture) {
			of, tokens, err := randomModel(architecture, seed, i)
			if err != nil {
				return m, err
			}
			m.add(ctx, of, tokens)
			m.drawn++
		}
	}
	return m, m.walkPrinted(ctx)
}

// walkPrinted walks through the document's model on the input A, B, C.
func (m *walks) walkPrinted(ctx context.Context) error {
	d := m.add(ctx, walk.ABC(), contexts[:3])
	if d == nil {
		return nil
	}
	m.own = d.Attribution
	for _, f := range walk.Formats {
		var text bytes.Buffer
		if err := f.Write(&text, d); err != nil {
			return err
		}
		m.files = append(m.files, walkFile{f.Extension, text.Bytes()})
	}
	return nil
}

// architectures returns small models of each kind that package model supports.
func architectures() []model.Config {
	base := model.Config{DModel: 4, NLayers: 2, NHeads: model.Heads{2, 1}, DMLP: 5, NCtx: 4, DVocab: 3}
	var list []model.Config
	for _, norm := range []string{"none", "LN", "LNPre"} {
		for _, positions := range []string{"learned", "sinusoidal", "rotary", "none"} {
			c := base
			c.NormalizationType, c.PositionalEmbeddingType = norm, positions
			list = append(list, c)
		}
	}
	for _, act := range []string{"relu", "gelu_new", "silu"} {
		c := base
		c.ActFn = act
		list = append(list, c)
	}
	c := base
	c.AttnOnly, c.DMLP = true, 0
	return append(list, c)
}

// randomModel returns a model whose parameters, including biases and norms, all differ
// from their initial values. A formula that omits a parameter is therefore violated. It
// also returns a random input sequence for the model.
func randomModel(architecture model.Config, seed uint64, index int) (*model.Transformer[float64], []int32, error) {
	m, err := model.New[float64](architecture, seed+1)
	if err != nil {
		return nil, nil, err
	}
	stream := random.New(seed, "paper/walk", uint64(index))
	tokens := make([]int32, m.Config.NCtx)
	for j := range tokens {
		tokens[j] = int32(stream.IntN(m.Config.DVocab))
	}
	for j := range m.Weights.Data {
		m.Weights.Data[j] += 0.5 * stream.Normal()
	}
	return m, tokens, nil
}

// add walks through a model and records the errors. It returns nil if a formula is
// violated.
func (m *walks) add(ctx context.Context, of *model.Transformer[float64], tokens []int32) *walk.Document {
	d, err := walk.New(ctx, of, tokens, walk.Defaults)
	if err != nil {
		if m.broken == nil {
			m.broken = err
		}
		return nil
	}
	m.worst = max(m.worst, attributionError(d.Attribution))
	return d
}

// attributionError returns the absolute difference between a logit and the sum of its
// contributions, divided by the sum of their absolute values, or by 1 if that is larger.
func attributionError(a *walk.Attribution) float64 {
	size := 0.0
	for _, p := range a.Parts {
		size += math.Abs(p.Value)
	}
	return math.Abs(a.Sum-a.Logit) / max(size, 1)
}

func (m walks) judge() claim.Finding {
	if m.broken != nil {
		return claim.Finding{Verdict: claim.Fails, Obtained: m.broken.Error()}
	}
	return claim.Finding{
		Verdict: claim.HoldsIf(m.worst <= sumError),
		Obtained: fmt.Sprintf("%d walks through random models of %d architectures and one through the document's: "+
			"every formula agrees with the model's own numbers, and the contributions add up to its winning logit, "+
			"to within %.1e of the sum of their absolute values",
			m.drawn, len(architectures()), m.worst),
		Effect: claim.Exactly("largest difference between a logit and the sum of its contributions, relative to the "+
			"sum of their absolute values", "", m.worst),
	}
}

func (m walks) tabulate(c *claim.Claim) {
	if m.own == nil {
		c.Notes = nil // they are about the walk through the document's model
	}
}

func (m walks) draw(out *claim.Output) {
	if m.own == nil {
		return
	}
	for _, f := range m.files {
		out.File("walk"+f.extension, f.text)
	}
	out.Figure("contributions", contributionsFigure(m.own))
}

func contributionsFigure(a *walk.Attribution) *figure.Figure {
	bars := figure.Bars{Y: figure.Axis{Label: fmt.Sprintf("added to the logit of token %d", a.Token)}}
	var values []float64
	for _, p := range a.Parts {
		bars.Groups = append(bars.Groups, p.Component)
		values = append(values, p.Value)
	}
	bars.Groups = append(bars.Groups, "logit")
	values = append(values, a.Logit)
	bars.Series = []figure.BarSeries{{Y: values}}
	return figure.Single("Direct logit attribution in the tiny transformer",
		"Bars of the contributions of the token's embedding, the position, the head and the biases to the winning "+
			"logit, and the logit itself.", bars)
}
