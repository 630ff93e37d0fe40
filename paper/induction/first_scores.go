package induction

import (
	"fmt"
	"math"
	"slices"

	"foretell/model"

	"gonum.org/v1/gonum/stat"
)

// tokenScores holds the attention scores of a first layer, [source token][destination
// token], between positions that are a lag apart. They are averaged over sequences,
// positions and lags. The mean over source tokens, which the softmax ignores, is
// subtracted.
type tokenScores [][]float64

// firstScores returns the scores of a model's first layer, which has only one head.
func firstScores[F model.Float](c *chains, m *model.Transformer[F]) (tokenScores, error) {
	const hook = "blocks.0.attn.hook_attn_scores"
	a := c.process.Alphabet()
	sums, counts := square(a), square(a)
	for first := 0; first < c.count(); first += pass {
		last := min(first+pass, c.count())
		_, cache, err := m.RunWithCache(c.tokens[first*c.context:last*c.context], last-first, hook)
		if err != nil {
			return nil, err
		}
		data, h := cache.Get(hook).Data, m.Config.NHeads[0]
		for n := first; n < last; n++ {
			sequence, scores := c.sequence(n), data[(n-first)*h*c.context*c.context:]
			for i := judgedFrom - 1; i < c.context; i++ {
				for _, lag := range c.lags() {
					from, to := sequence[i-lag], sequence[i]
					sums[from][to] += float64(scores[i*c.context+i-lag])
					counts[from][to]++
				}
			}
		}
	}
	for from, row := range sums {
		for to := range row {
			row[to] /= max(counts[from][to], 1)
		}
	}
	return centred(sums), nil
}

// logP returns the scores of the construction's first layer: log P, centred.
func logP(p [][]float64) tokenScores { return centred(logs(p)) }

// logs returns the logarithms of P: [from token][to token].
func logs(p [][]float64) tokenScores {
	logs := square(len(p))
	for from, row := range p {
		for to, p := range row {
			logs[from][to] = math.Log(p)
		}
	}
	return logs
}

// outputScores returns the output weights of a disentangled transformer that read the
// token copied by the last layer's first head: [next token][copied token]. The mean over
// next tokens, which the softmax ignores, is subtracted. It returns nil for a standard
// transformer.
func outputScores[F model.Float](m *model.Transformer[F]) tokenScores {
	c := m.Config
	if !c.Concatenates() {
		return nil
	}
	blocks := c.Blocks(c.NLayers)
	name := fmt.Sprintf("%d.1.token", c.NLayers)
	at := blocks[slices.IndexFunc(blocks, func(b model.ResidualBlock) bool { return b.Name == name })]
	weights, found := m.Weights.Get("unembed.W_U").Data, square(c.DVocab)
	for copied := range c.DVocab {
		for next := range c.DVocab {
			found[next][copied] = float64(weights[(at.Offset+copied)*c.DVocab+next])
		}
	}
	return centred(found)
}

// centredOutput returns the output weights that give P: log P, as [outputScores].
func centredOutput(p [][]float64) tokenScores { return logs(p).transposed() }

// centred subtracts the mean over source tokens from the scores, in place.
func centred(scores [][]float64) tokenScores {
	for to := range scores {
		mean := 0.0
		for from := range scores {
			mean += scores[from][to] / float64(len(scores))
		}
		for from := range scores {
			scores[from][to] -= mean
		}
	}
	return scores
}

// transposed returns the scores with source and destination token exchanged: the scores
// of a layer that reads transitions backwards.
func (s tokenScores) transposed() tokenScores {
	t := square(len(s))
	for from, row := range s {
		for to, x := range row {
			t[to][from] = x
		}
	}
	return centred(t)
}

// correlation returns Pearson's correlation with other scores, over all pairs of tokens.
func (s tokenScores) correlation(with tokenScores) float64 {
	var x, y []float64
	for from := range s {
		x = append(x, s[from]...)
		y = append(y, with[from]...)
	}
	return stat.Correlation(x, y, nil)
}

func square(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	return rows
}
