package induction

import (
	"foretell/figure"
	"foretell/model"
)

// attentionMap is the attention of a head on one sequence, by destination and source.
type attentionMap [][]float64

// shownTokens is the number of tokens for which attention is drawn.
const shownTokens = 32

// patterns returns the attention of every layer and head on the beginning of a sequence.
func patterns[F model.Float](m *model.Transformer[F], sequence []int32) ([][]attentionMap, error) {
	sequence = sequence[:min(shownTokens, len(sequence))]
	t := len(sequence)
	names := patternNames(m.Config)
	_, cache, err := m.RunWithCache(sequence, 1, names...)
	if err != nil {
		return nil, err
	}
	layers := make([][]attentionMap, len(names))
	for layer, name := range names {
		data := cache.Get(name).Data
		for head := range m.Config.NHeads[layer] {
			of := square(t)
			for i := range of {
				row := data[(head*t+i)*t:][:t]
				for j := range i + 1 {
					of[i][j] = float64(row[j])
				}
			}
			layers[layer] = append(layers[layer], of)
		}
	}
	return layers, nil
}

// firstHeads returns the first head of each layer.
func firstHeads(layers [][]attentionMap) []attentionMap {
	list := make([]attentionMap, len(layers))
	for i, heads := range layers {
		list[i] = heads[0]
	}
	return list
}

// heatMaps draws attention maps with the same colour scale.
func heatMaps(list []attentionMap) []figure.Panel {
	panels := make([]figure.Panel, len(list))
	for i, of := range list {
		panels[i] = figure.HeatMap{Z: of, Lower: true, Range: [2]float64{0, 1}, Label: "attention"}
	}
	return panels
}
