package induction

import (
	"context"
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/internal/text"
	"foretell/paper/internal/seeds"
)

// fewHeads is the largest number of heads in the second layer in Fig. 6.
const fewHeads = 3

// fewerHeads returns row I22, which tests D'Angelo et al. 2025, App. C, Fig. 6.
func (l *lab) fewerHeads() claim.Row {
	return texts.Fill(claim.Row{
		ID: "I22", Kind: claim.Picture, Setting: l.setting, RuleCommit: "6152138",
		Trainings: l.runs(slices.Concat(l.fewerModels()...)),
		Test: claim.Steps[consistent]{
			Measure: l.measureConsistent, Judge: consistent.judge, Tabulate: consistent.tabulate, Draw: consistent.draw,
		}.Test,
	}, map[string]any{
		"lags": five, "from": judgedFrom, "most": fewHeads, "shownTokens": shownTokens, "converged": convergence,
	})
}

// fewerModels returns the models by the number of heads in the second layer, from 1. They
// are the first models of row I11.
func (l *lab) fewerModels() [][]network {
	list := make([][]network, fewHeads)
	for i := range list {
		list[i] = l.ordered(five, secondLayer(i+1))
	}
	return list
}

// consistent holds the comparisons of row I22 with the construction, by the number of
// heads in the second layer, from 1. No scores are measured.
type consistent []mappedCell

func (l *lab) measureConsistent(ctx context.Context, s *claim.Study) (consistent, error) {
	var found consistent
	on := l.of(five)
	c := newChains(five, on.variant.p(), l.constructedOf(), on.context)
	hand := must(constructionOf(c.p, five.lags(), on.context).Transformer())
	for i, networks := range l.fewerModels() {
		models, err := l.subjects(ctx, s, networks)
		if err != nil {
			return nil, err
		}
		random, err := l.untrained(ctx, s, networks[0])
		if err != nil {
			return nil, err
		}
		of := cell{five, secondLayer(i + 1), false}
		m, err := compareAttention(ctx, s, of, c, hand, models, random, (*subject).unsettledLate)
		if err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, nil
}

func (m consistent) judge() claim.Finding {
	var conditions []claim.Condition
	var asked []claim.Question
	for _, c := range m {
		layers, identical := c.layers()
		conditions = append(conditions, layers...)
		asked = append(asked, identical...)
	}
	found := claim.NewFinding(conditions)
	found.Asked = asked
	return found
}

func (m consistent) tabulate(c *claim.Claim) { c.Tables = append(c.Tables, m.frame(true).Table()) }

// frame returns a row for each model, and for the controls if they are asked for.
func (m consistent) frame(controls bool) document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("lags %s: overlap with the constructed attention, heads matched", five),
		Columns: []document.Column{
			{Name: "heads", Heading: "heads", Meaning: "number of heads in the second layer"},
			{Heading: "model"},
			{Name: "seed"},
			{Name: "layer_1", Heading: "layer 1", Format: "%.2f", Meaning: "overlap with the construction in layer 1"},
			{Name: "layer_2", Heading: "layer 2", Format: "%.2f", Meaning: "overlap with the construction in layer 2"},
			{Name: "layer_3", Heading: "layer 3", Format: "%.2f", Meaning: "overlap with the construction in layer 3"},
			{Heading: "converged"},
		},
	}
	for i, of := range m {
		row := func(name string, seed any, overlap [3]float64, converged string) {
			f.Row(i+1, name, seed, overlap[0], overlap[1], overlap[2], converged)
		}
		for _, one := range of.Models {
			row(fmt.Sprintf("seed %d", one.Seed), one.Seed, one.Found.overlap, claim.IfConverged(one.Unconverged))
		}
		if controls {
			row("initialisation", "–", of.untrained.Found.overlap, "–")
			row("heads that know only the lags", "–", of.ignorant, "–")
		}
	}
	return f
}

func (m consistent) draw(out *claim.Output) {
	bars := figure.Bars{
		Y: figure.Axis{Label: "overlap", Include: []float64{0, 1}}, Label: "heads in the second layer",
		Series: make([]figure.BarSeries, 3),
	}
	for i, of := range m {
		bars.Groups = append(bars.Groups, fmt.Sprint(i+1))
		for layer := range bars.Series {
			bars.Series[layer].Name = fmt.Sprintf("layer %d", layer+1)
			bars.Series[layer] = seeds.Bar(bars.Series[layer],
				of.All(func(m mappedModel) float64 { return m.overlap[layer] }))
		}
	}
	out.Figure("overlap", figure.Single("Overlap with the construction", "Bars, one group for each number of heads, "+
		"with a bar for each layer.", bars))
	out.Figure("maps", m.maps())
	out.CSV("overlap", m.frame(false))
}

// maps draws a row of attention maps for each number of heads, and one for the
// construction. The construction has more heads in the second layer than are shown.
func (m consistent) maps() *figure.Figure {
	f := &figure.Figure{
		Title: "Attention with fewer heads than lags",
		Desc: "Heat maps of attention, a row for each number of heads in the second layer, and one for the " +
			"construction.",
		Width: 1200,
	}
	f.Cols = append(f.Cols, "layer 1")
	for head := range fewHeads {
		f.Cols = append(f.Cols, fmt.Sprintf("layer 2, head %d", head+1))
	}
	f.Cols = append(f.Cols, "layer 3")
	add := func(name string, shown [][]attentionMap) {
		panels := slices.Concat(shown[0], shown[1][:min(fewHeads, len(shown[1]))])
		row := make([]figure.Panel, len(f.Cols))
		copy(row, heatMaps(panels))
		row[len(row)-1] = heatMaps(shown[2])[0]
		f.Rows = append(f.Rows, name)
		f.Panels = append(f.Panels, row)
	}
	for i, of := range m {
		add(text.Count(i+1, "head"), of.shown[0])
	}
	add("constructed", m[0].shown[1])
	return f
}
