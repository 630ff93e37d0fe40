package signals

import (
	"fmt"
	"math"

	"foretell/internal/random"
	"foretell/model"
)

// rotation returns the matrix R(i) of the slide on RoPE, for plane k of vectors of width
// d.
func rotation(i, k, d int) [2][2]float64 {
	sin, cos := math.Sincos(float64(i) * wave(k, d))
	return [2][2]float64{{cos, -sin}, {sin, cos}}
}

// rotated returns R(i)·q. The two coordinates of a plane are adjacent.
func rotated(q []float64, i int) []float64 {
	out := make([]float64, len(q))
	for k := range len(q) / 2 {
		r := rotation(i, k, len(q))
		for c := range 2 {
			out[2*k+c] = r[c][0]*q[2*k] + r[c][1]*q[2*k+1]
		}
	}
	return out
}

func rotationsCompose() (formula, error) {
	f := formula{slide: "Rotary Position Embeddings", printed: "R(i)ᵀR(j) = R(j−i)"}
	for _, d := range triedWidths {
		for k := range d / 2 {
			for i := range triedLength {
				for j := range triedLength {
					a, b, want := rotation(i, k, d), rotation(j, k, d), rotation(j-i, k, d)
					for row := range 2 {
						for col := range 2 {
							got := a[0][row]*b[0][col] + a[1][row]*b[1][col]
							f.left = larger(f.left, math.Abs(got-want[row][col]))
						}
					}
				}
			}
		}
	}
	return f, nil
}

// rotaryPass runs a model with rotary positions, whose query is q and whose key is k at
// every position. It returns the rotated queries and keys, each (K, d). All vectors have
// the lecture's order of coordinates.
func rotaryPass(q, k []float64) (queries, keys [][]float64, err error) {
	d := len(q)
	m, err := model.Zero[float64](model.Config{
		DModel: 1, NLayers: 1, NHeads: model.Heads{1}, DHead: d, NCtx: triedLength, DVocab: 1, AttnOnly: true,
		NormalizationType: "none", PositionalEmbeddingType: "rotary",
	})
	if err != nil {
		return nil, nil, err
	}
	place := func(c int) int { return c/2 + c%2*d/2 } // index of coordinate c in the model
	for c := range d {
		m.Weights.Get("blocks.0.attn.b_Q").Data[place(c)] = q[c]
		m.Weights.Get("blocks.0.attn.b_K").Data[place(c)] = k[c]
	}
	const attn = "blocks.0.attn."
	_, cache, err := m.RunWithCache(make([]int32, triedLength), 1, attn+"hook_rot_q", attn+"hook_rot_k")
	if err != nil {
		return nil, nil, err
	}
	for i := range triedLength {
		turned := [2][]float64{make([]float64, d), make([]float64, d)}
		for n, hook := range []string{"hook_rot_q", "hook_rot_k"} {
			for c := range d {
				turned[n][c] = cache.Get(attn + hook).Data[i*d+place(c)]
			}
		}
		queries = append(queries, turned[0])
		keys = append(keys, turned[1])
	}
	return queries, keys, nil
}

// rotaryScores compares the forward pass with the slide's matrix R(i), for random queries
// and keys.
func rotaryScores() (formula, error) {
	f := formula{slide: "Rotary Position Embeddings", printed: "q̃_i·k̃_j = q_iᵀR(j−i)k_j"}
	for n, d := range triedWidths {
		draw := random.New(8, "paper/signals/rotary", uint64(n))
		q, k := make([]float64, d), make([]float64, d)
		for c := range d {
			q[c], k[c] = draw.Normal()/math.Sqrt(float64(d)), draw.Normal()
		}
		queries, keys, err := rotaryPass(q, k)
		if err != nil {
			return f, err
		}
		for i := range queries {
			for c, x := range rotated(q, i) {
				f.left = larger(f.left, math.Abs(queries[i][c]-x))
			}
			for j := range keys {
				score := inner(queries[i], keys[j])
				f.left = larger(f.left, math.Abs(score-inner(q, rotated(k, j-i))))
			}
		}
	}
	return f, nil
}

// rotaryExample is the slide's example: q = k = (1, 0) at positions 5 and 2, in the first
// plane of d = 4.
func rotaryExample() (formula, error) {
	f := formula{
		slide:   "Rotary Position Embeddings",
		printed: "q̃ = (0.284, −0.959), k̃ = (−0.416, 0.909), q̃·k̃ = cos 3 = −0.990",
	}
	one := []float64{1, 0, 0, 0}
	queries, keys, err := rotaryPass(one, one)
	if err != nil {
		return f, err
	}
	q, k := queries[5], keys[2]
	score := inner(q, k)
	f.left = math.Abs(score - math.Cos(3))
	for _, c := range []struct{ got, printed float64 }{
		{q[0], 0.284}, {q[1], -0.959}, {k[0], -0.416}, {k[1], 0.909}, {score, -0.990},
	} {
		f.off = max(f.off, math.Abs(c.got-c.printed)-0.0005)
	}
	if f.off > 0 {
		f.counter = fmt.Sprintf("the forward pass gives q̃ = %.4f, k̃ = %.4f and q̃·k̃ = %.4f", q[:2], k[:2], score)
	}
	return f, nil
}
