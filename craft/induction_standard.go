package craft

import (
	"fmt"
	"math"

	"foretell/model"
)

// Standard returns the construction as a standard transformer, whose heads have queries,
// keys and values and add to one residual stream (this goes beyond D'Angelo et al. 2025,
// who refer to Nichani et al. 2024 for its existence). Each quantity that the
// construction reads has its own axes of the stream: the token (A axes for an alphabet of
// A tokens), the position (n_ctx axes), what layer 1 extracts, what each head of layer 2
// gathers, and the copied token (A axes). The scores are the entries of
// [Induction.Matrices] plus λ, so masked sources have score 0. The attention is the same
// up to rounding.
//
// Its outputs are logits, as in any trained model: row s of log P for a copied token s.
// If layer 3 gives lag k the attention w_k, this transformer predicts Π_k
// P_{s_k,z}^{w_k}, normalised, whereas the disentangled transformer
// ([Induction.Transformer]) predicts Σ_k w_k P_{s_k,z}. The two are equal if one lag has
// all the attention.
func (c Induction) Standard() (*model.Transformer[float64], error) {
	r, err := c.resolve()
	if err != nil {
		return nil, err
	}
	return r.design(r.matrices()).Build()
}

// inductionNames are the names of the directions of a standard transformer's stream.
type inductionNames struct {
	tokens, positions, extracted, copied []string
	gathered, attended                   [][]string // for each head
}

func (r *induction) names() inductionNames {
	n := inductionNames{
		tokens: Numbered("token", r.tokens), positions: Numbered("position", r.NCtx),
		extracted: Numbered("1.position", r.NCtx), copied: Numbered("3.token", r.tokens),
	}
	for h := range r.pattern.Heads {
		n.gathered = append(n.gathered, Numbered(fmt.Sprintf("2.%d.1.position", h+1), r.NCtx))
		n.attended = append(n.attended, Numbered(fmt.Sprintf("2.%d.position", h+1), r.NCtx))
	}
	return n
}

func (r *induction) design(blocks *InductionMatrices) Design {
	n, P := r.names(), r.Chain.P()
	d := Design{Tokens: n.tokens, Positions: n.positions, NCtx: r.NCtx}
	extract := Head{
		Attend: r.scores(n.positions, n.positions, blocks.Extract, r.Lambda), Move: Copy(n.positions, n.extracted),
	}
	for i, to := range n.tokens {
		for j, from := range n.tokens {
			extract.Attend = append(extract.Attend, Score{to, from, r.logP(P[j][i])})
			d.Logits = append(d.Logits, Move{n.copied[i], from, r.logP(P[i][j])})
		}
	}
	choose := Head{Attend: r.scores(n.positions, n.positions, blocks.Select, r.Lambda), Move: Copy(n.tokens, n.copied)}
	var gather []Head
	for h := range blocks.Gather {
		head := Head{
			Attend: r.scores(n.positions, n.positions, blocks.Gather[h], r.Lambda),
			Move:   Copy(n.extracted, n.gathered[h]),
		}
		query, key := n.gathered[h], n.positions
		switch r.Third {
		case Masked:
			head.Move = append(head.Move, Copy(n.positions, n.attended[h])...)
			key = n.attended[h]
		case Transposed:
			query, key = key, query
		}
		choose.Attend = append(choose.Attend, r.scores(query, key, blocks.Sum[h], 0)...)
		gather = append(gather, head)
	}
	d.Blocks = []Block{{Heads: []Head{extract}}, {Heads: gather}, {Heads: []Head{choose}}}
	return d
}

func (r *induction) logP(p float64) float64 { return max(math.Log(p), -r.Lambda) }

// scores adds the number `plus` to each entry of a matrix, and returns a score for each
// sum that is not 0.
func (r *induction) scores(queries, keys []string, m [][]float64, plus float64) []Score {
	var list []Score
	for i, row := range m {
		for j, x := range row {
			if x+plus != 0 {
				list = append(list, Score{queries[i], keys[j], x + plus})
			}
		}
	}
	return list
}
