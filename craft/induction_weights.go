package craft

import (
	"fmt"
	"slices"

	"foretell/model"
)

// Transformer returns the construction as weights: a disentangled transformer of three
// layers. The first and the last layer have one head, and the second has H. The width of
// the residual stream is 4·(1+H)·(A + n_ctx) for an alphabet of A tokens. It returns an
// error if a parameter is out of range or there are more heads than can be used.
//
// For an impossible transition, log P is replaced by −λ. The weight e^−λ of this
// transition in p̃ is negligible compared with the weight of any possible transition. If
// all transitions to a token are impossible, they count equally.
func (c Induction) Transformer() (*model.Transformer[float64], error) {
	r, err := c.resolve()
	if err != nil {
		return nil, err
	}
	m, err := r.empty(r.pattern.Heads)
	if err != nil {
		return nil, err
	}
	r.write(m, r.matrices())
	return m, nil
}

// Assemble returns the transformer with the given blocks, which may differ from the
// construction's. The number of blocks in Gather is the number of heads in layer 2. It
// panics unless the shapes of the blocks are as in [InductionMatrices]. It returns the
// same errors as Transformer.
func (c Induction) Assemble(blocks *InductionMatrices) (*model.Transformer[float64], error) {
	r, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if len(blocks.Gather) != len(blocks.Sum) {
		panic(fmt.Sprintf("craft: %d blocks of layer 2 and %d of layer 3; want the same number",
			len(blocks.Gather), len(blocks.Sum)))
	}
	m, err := r.empty(len(blocks.Gather))
	if err != nil {
		return nil, err
	}
	r.write(m, blocks)
	return m, nil
}

// empty returns a transformer with zero weights and the given number of heads in layer 2.
func (r *induction) empty(heads int) (*model.Transformer[float64], error) {
	m, err := model.Zero[float64](model.Config{
		NLayers: 3, NHeads: model.Heads{1, heads, 1}, NCtx: r.NCtx, DVocab: r.tokens,
		Residual: "concat", Output: "probabilities",
	})
	if err != nil {
		return nil, fmt.Errorf("induction: %w", err)
	}
	return m, nil
}

// write sets the weights of m.
func (r *induction) write(m *model.Transformer[float64], blocks *InductionMatrices) {
	w := blockWriter{m}
	P := r.Chain.P()
	w.block(0, 0, "token", "token", func(to, from int) float64 { return r.logP(P[from][to]) })
	w.block(0, 0, "position", "position", entries(blocks.Extract))
	w.block(2, 0, "position", "position", entries(blocks.Select))
	for h := range blocks.Gather {
		w.block(1, h, "position", "position", entries(blocks.Gather[h]))
		attended := fmt.Sprintf("2.%d.position", h+1)
		transitions := fmt.Sprintf("2.%d.1.1.position", h+1)
		switch r.Third {
		case Masked:
			w.block(2, 0, transitions, attended, entries(blocks.Sum[h]))
		case Positional:
			w.block(2, 0, transitions, "position", entries(blocks.Sum[h]))
		case Transposed:
			w.block(2, 0, "position", transitions, entries(blocks.Sum[h]))
		}
	}
	w.output("3.1.token", func(copied, next int) float64 { return P[copied][next] })
}

func entries(m [][]float64) func(i, j int) float64 {
	return func(i, j int) float64 { return m[i][j] }
}

// blockWriter sets the weights of a disentangled transformer, block by block.
type blockWriter struct{ m *model.Transformer[float64] }

// block writes a block of W_A. The score value(i, j) is for a query with direction i of
// the residual block named by row, and a key with direction j of the residual block named
// by column.
func (w blockWriter) block(layer, head int, row, column string, value func(i, j int) float64) {
	d := w.m.Config.Width(layer)
	data := w.m.Weights.Get(fmt.Sprintf("blocks.%d.attn.W_A", layer)).Data[head*d*d:]
	rows, columns := w.find(layer, row), w.find(layer, column)
	for i := range rows.Width {
		for j := range columns.Width {
			data[(rows.Offset+i)*d+columns.Offset+j] = value(i, j)
		}
	}
}

// output writes the rows of W_U that read the residual block with the given name.
func (w blockWriter) output(row string, value func(i, token int) float64) {
	rows := w.find(w.m.Config.NLayers, row)
	data, n := w.m.Weights.Get("unembed.W_U").Data, w.m.Config.DVocab
	for i := range rows.Width {
		for z := range n {
			data[(rows.Offset+i)*n+z] = value(i, z)
		}
	}
}

// find returns the block with the given name in the residual stream before a layer.
func (w blockWriter) find(layer int, name string) model.ResidualBlock {
	blocks := w.m.Config.Blocks(layer)
	at := slices.IndexFunc(blocks, func(b model.ResidualBlock) bool { return b.Name == name })
	if at < 0 {
		panic(fmt.Sprintf("craft: the residual stream before layer %d has no block %q", layer, name))
	}
	return blocks[at]
}

// InductionPass runs the ordinary forward pass of a three-layer model, such as the result
// of [Induction.Transformer], on tokens, and returns its attention and predictions. If
// layer 1 or 3 has several heads, the form has only the first head of that layer. It
// returns an error if the tokens do not fit the model.
func InductionPass(m *model.Transformer[float64], tokens []int32) (*InductionForm, error) {
	names := make([]string, 3)
	for layer := range names {
		names[layer] = fmt.Sprintf("blocks.%d.attn.hook_pattern", layer)
	}
	logits, cache, err := m.RunWithCache(tokens, 1, names...)
	if err != nil {
		return nil, err
	}
	n := len(tokens)
	pattern := func(layer, head int) [][]float64 {
		of := cache.Get(names[layer])
		return FillInduction(n, func(i, j int) float64 { return of.At(0, head, i, j) })
	}
	f := &InductionForm{Extract: pattern(0, 0), Select: pattern(2, 0)}
	for h := range m.Config.NHeads[1] {
		f.Gather = append(f.Gather, pattern(1, h))
	}
	for row := range slices.Chunk(logits, m.Config.DVocab) {
		f.Output = append(f.Output, model.Probabilities(row))
	}
	return f, nil
}
