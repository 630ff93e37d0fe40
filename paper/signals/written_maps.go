package signals

import (
	"fmt"
	"strings"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
)

// shownModel holds the parts of a hand-written model that figures show.
type shownModel struct {
	name   string
	maps   []shownHead
	wiring craft.Wiring
}

// shownHead is the attention pattern of a head on one sequence.
type shownHead struct {
	title   string
	pattern [][]float64 // [destination][source]; 0 if the source is after the destination
}

// show runs a hand-written model on one sequence, the one with the most special tokens,
// such as keys: tokens of at least mark. The titles are for the attention patterns of its
// heads, layer after layer.
func show(name string, design craft.Design, s subject, mark int32, titles ...string) (shownModel, error) {
	shown := shownModel{name: name, wiring: design.Wiring()}
	best, most := 0, -1
	for n, tokens := range s.sequences {
		marks := 0
		for _, z := range tokens {
			if z >= mark {
				marks++
			}
		}
		if marks > most {
			best, most = n, marks
		}
	}
	_, cache, err := s.model.RunWithCache(s.sequences[best][:writtenContext], 1)
	if err != nil {
		return shown, err
	}
	for layer, heads := range s.model.Config.NHeads {
		pattern := cache.Get(fmt.Sprintf("blocks.%d.attn.hook_pattern", layer))
		for head := range heads {
			h := shownHead{title: titles[len(shown.maps)]}
			for i := range writtenContext {
				h.pattern = append(h.pattern, pattern.Row(0, head, i))
			}
			shown.maps = append(shown.maps, h)
		}
	}
	return shown, nil
}

func (m handwork) draw(out *claim.Output) {
	out.Figure("delays", drawMaps(append(m.shown[0].maps[:2:2], m.shown[1].maps...)))
	out.Figure("maps", drawMaps(m.shown[2].maps[:3], m.shown[3].maps[1:], m.shown[4].maps[1:]))
	out.Figure("blocks", m.blocks())
	out.Figure("accuracy", m.accuracy())
	f := document.Frame{
		Columns: document.Named("construction", "float64_float32_or_shortcut", "conditional_accuracy", "kl"),
	}
	for n, c := range m.list {
		f.Columns[0].Codes = append(f.Columns[0].Codes, c.name)
		f.Row(n, 0, c.double.share(), c.double.worst)
		f.Row(n, 1, c.single.share(), c.single.worst)
		for k, s := range c.shortcuts {
			f.Row(n, 2+k, s.share(), s.worst)
		}
	}
	out.CSV("accuracy", f)
}

// drawMaps draws rows of heads.
func drawMaps(rows ...[]shownHead) *figure.Figure {
	f := &figure.Figure{
		Title: "What hand-written heads attend to",
		Desc: "Maps of attention, destinations by sources: lines parallel to the diagonal, columns at keys, and " +
			"single cells.",
		Width: 860,
	}
	for _, heads := range rows {
		var row []figure.Panel
		for _, h := range heads {
			row = append(row, figure.HeatMap{
				Title: h.title, Z: h.pattern, X: "source", Y: "destination", Lower: true, Range: [2]float64{0, 1},
				Label: "attention",
			})
		}
		f.Panels = append(f.Panels, row)
	}
	return f
}

// blocks draws which directions of the residual stream each part of a model reads or
// writes.
func (m handwork) blocks() *figure.Figure {
	short := strings.NewReplacer("unembedding", "U", "embedding", "E", "positions", "P", "head ", "", "MLP ", "M")
	var panels []figure.Panel
	for _, shown := range m.shown[2:] {
		w := shown.wiring
		z, parts := make([][]float64, len(w.Groups)), make([]string, len(w.Parts))
		for part, uses := range w.Uses {
			parts[part] = short.Replace(w.Parts[part])
			for group, use := range uses {
				z[group] = append(z[group], use)
			}
		}
		panels = append(panels, figure.HeatMap{
			Title: shown.name, Z: z, Rows: w.Groups, Cols: parts, Diverging: true, Label: "reads −1, writes +1",
		})
	}
	f := figure.Row("Blocks of the hand-written weights",
		"Each group of directions is written to in one column, and read in columns further right.", panels...)
	f.Width = 1100
	return f
}

// accuracy draws conditional accuracies of the lecture's trained transformers, of
// constructions without a part, and of whole constructions.
func (m handwork) accuracy() *figure.Figure {
	var groups []string
	var trained, lacking, hand []float64
	for _, c := range m.list[2:] {
		groups = append(groups, c.name)
		trained = append(trained, c.trained)
		lacking = append(lacking, c.shortcuts[0].share())
		hand = append(hand, c.double.share())
	}
	return figure.Single("Written and trained",
		"Three groups of bars; the bars of the hand-written transformers are at 1.",
		figure.Bars{
			Y: figure.Axis{Label: "conditional accuracy", Include: []float64{1}}, Groups: groups,
			Series: []figure.BarSeries{
				{Name: "the lecture's, trained", Y: trained},
				{Name: "without a part", Y: lacking, Open: true},
				{Name: "written by hand", Y: hand},
			},
		})
}
