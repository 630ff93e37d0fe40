package walk

import "foretell/model"

// ABC returns the tiny transformer of Virgilio 2025: one layer, d_model 2, n_ctx 3,
// trained on the pattern ABCABC… with the tokens A = 0, B = 1, C = 2.
//
// W_E, W_pos and W_U (the transpose of the document's A_out) are the printed numbers. In
// three places the last digit of a printed sum C_0, C_1 or C_2 differs by one from the
// sum of the printed terms. The terms there have a fifth digit, chosen so that both the
// terms and the sums round to the printed values.
//
// The document ends before the weights of its attention. The weights here were chosen by
// hand. With W_Q = W_K = 1 each position attends mostly to itself, because each vector
// has its largest inner product with itself. W_V, b_V and W_O = 1 write 5·[1, 1] for C_0,
// 5·[−1, −1.75] for C_1 and 5·[−1, 2.5] for C_2, rounded to one digit: the directions
// that the document gives for the predictions B, C and A. The sign in the second
// direction is corrected (see [ABCErrata]). The cross-entropy over A, B, C is 0.0000 to
// four digits; the document states 0.0001 or less.
func ABC() *model.Transformer[float64] {
	m, err := model.Zero[float64](model.Config{
		DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3, DVocab: 3,
		AttnOnly: true, NormalizationType: "none",
	})
	if err != nil {
		panic("walk: " + err.Error())
	}
	for name, data := range map[string][]float64{
		"embed.W_E":         {1.19884, 1.3633, -1.8032, -0.74014, -1.04246, 1.4757},
		"pos_embed.W_pos":   {-0.31596, 0.9374, -0.4459, 1.22176, -0.26656, 0.9128},
		"blocks.0.attn.W_Q": {1, 0, 0, 1},
		"blocks.0.attn.W_K": {1, 0, 0, 1},
		"blocks.0.attn.W_V": {4.5, -2.9, -2.2, 12.6},
		"blocks.0.attn.b_V": {6.1, -21.4},
		"blocks.0.attn.W_O": {1, 0, 0, 1},
		"unembed.W_U":       {-0.5150, 1.1767, -0.3778, 1.2707, 1.2045, -0.6578},
	} {
		copy(m.Weights.Get(name).Data, data)
	}
	return m
}
