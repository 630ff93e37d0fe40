package probe

import (
	"context"
	"fmt"
	"math"
	"testing"

	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// markovReader returns a process whose belief is its last token, z → P(·|z), and a model that reads its prediction
// linearly from the embedding of that token: in a random basis, one direction a token, unembedded as ln P(·|z).
func markovReader(t *testing.T) (*process.HMM, *model.Transformer[float32], [][]float64) {
	t.Helper()
	P := [][]float64{{0.7, 0.2, 0.1}, {0.1, 0.6, 0.3}, {0.3, 0.3, 0.4}}
	matrices := make([][][]float64, 3)
	for z := range matrices {
		matrices[z] = make([][]float64, 3)
		for i := range 3 {
			matrices[z][i] = make([]float64, 3)
			matrices[z][i][z] = P[i][z]
		}
	}
	h, err := process.New("last", []string{"0", "1", "2"}, []string{"0", "1", "2"}, matrices)
	if err != nil {
		t.Fatal(err)
	}
	const d = 5
	m, err := model.Zero[float32](model.Config{
		DModel: d, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 3, AttnOnly: true, NormalizationType: "none", PositionalEmbeddingType: "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	basis := rotation(1, d)
	embed, unembed := m.Weights.Get("embed.W_E").Data, m.Weights.Get("unembed.W_U").Data // (V,d) and (d,V)
	for z := range 3 {
		for a := range d {
			embed[z*d+a] = float32(basis.Row(z)[a])
			for next := range 3 {
				unembed[a*3+next] += float32(basis.Row(z)[a] * math.Log(P[z][next]))
			}
		}
	}
	return h, m, P
}

// Where a model's prediction is a linear read-out of the belief, steering is exact: the prediction is the optimal one
// of the target belief. Left alone it is that of the word's own.
func TestSteeringALinearReadOutIsExact(t *testing.T) {
	h, m, P := markovReader(t)
	p := h.Prefixes(4)
	const stage = "blocks.0.hook_resid_mid"
	pairs := DrawPairs(p, 400, 1)
	for _, c := range []Convention{Ours, {Positions: EachPosition}} {
		r := analyze(t, m, p, []Features{Stage(stage)}, []Table{{Width: 3, Data: p.Beliefs}}, c, 1).Regress(0, 0)
		got, err := Steer(t.Context(), m, p, stage, r, pairs, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		unchanged, distance := 0.0, 0.0
		for _, pair := range pairs {
			from, to := p.LastToken(pair.Word), p.LastToken(pair.Target)
			for next, q := range P[to] {
				unchanged += q * math.Log(q/P[from][next]) / float64(len(pairs))
			}
			if from != to {
				distance += math.Sqrt2 / float64(len(pairs)) // orthonormal directions
			}
		}
		if !(got.Along.Mean < 1e-10) {
			t.Errorf("KL along the regression is %v", got.Along)
		}
		wantClose(t, "KL unchanged, distance", []float64{got.Unchanged.Mean, got.Distance.Mean}, []float64{unchanged, distance}, 1e-5)
		if got.Random.Mean < unchanged/2 || got.Random.Error == 0 {
			t.Errorf("KL in random directions is %v, unchanged %v", got.Random, got.Unchanged)
		}
	}
}

// The change makes the fit read the target, and no shorter one does.
func TestLever(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, k := rapid.IntRange(3, 8).Draw(t, "d"), rapid.IntRange(2, 3).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		fit := Fit{Coef: normals(seed, d, k), Intercept: normals(seed+1, 1, k).Data}
		if d > k { // beliefs sum to one, and what is read of them, too
			for a := range d {
				row := fit.Coef.Row(a)
				row[k-1] = -floats.Sum(row[:k-1])
			}
			fit.Intercept[k-1] = 1 - floats.Sum(fit.Intercept[:k-1])
		}
		x, target := normals(seed+2, 1, d).Data, normals(seed+3, 1, k).Data
		target[k-1] = 1 - floats.Sum(target[:k-1])
		l := newLever(fit)
		if d == k { // an exact solution of a square system, whatever the target
			target = normals(seed+4, 1, k).Data
		}
		delta := l.change(x, target)
		moved, read := floats.AddTo(make([]float64, d), x, delta), make([]float64, k)
		fit.predictRow(read, moved)
		wantClose(t, "what is read", read, target, 1e-6)
		// Least norm: orthogonal to every direction that the fit does not read.
		blind := normals(seed+5, 1, d).Data
		blind = floats.SubTo(make([]float64, d), blind, l.change(make([]float64, d), floats.AddTo(make([]float64, k), fit.Intercept, readOf(fit, blind))))
		if got := floats.Dot(blind, delta); math.Abs(got) > 1e-6*(1+floats.Norm(blind, 2)*floats.Norm(delta, 2)) {
			t.Errorf("the change has a part %g along a direction that is not read", got)
		}
	})
}

// readOf returns x·Coef.
func readOf(fit Fit, x []float64) []float64 {
	read := make([]float64, fit.Coef.Width)
	fit.predictRow(read, x)
	floats.Sub(read, fit.Intercept)
	return read
}

// Words come as often as they are probable, at every length.
func TestDrawPairs(t *testing.T) {
	p := build(t, "golden_mean").Prefixes(3)
	const n = 30_000
	count := make([]float64, p.Rows())
	for _, pair := range DrawPairs(p, n, 3) {
		a, _ := p.Position(pair.Word)
		b, _ := p.Position(pair.Target)
		if a != b {
			t.Fatalf("%v is paired with %v", p.Tokens(pair.Word), p.Tokens(pair.Target))
		}
		count[pair.Word]++
		count[pair.Target]++
	}
	for row, prob := range p.Prob {
		draws := 2. * n / 3
		if got, deviation := count[row]/draws, math.Sqrt(prob*(1-prob)/draws); math.Abs(got-prob) > 5*deviation {
			t.Errorf("%v came with frequency %.4f, its probability is %.4f ± %.4f", p.Tokens(row), got, prob, deviation)
		}
	}
}

func TestSteerDoesNotDependOnTheWorkers(t *testing.T) {
	m, p := randomModel(t, models[1].config), build(t, "mess3").Prefixes(5)
	r := analyze(t, m, p, []Features{Stage(stages[0])}, beliefs(p), Ours, 1).Regress(0, 0)
	pairs := DrawPairs(p, 300, 1)
	want, err := Steer(t.Context(), m, p, stages[0], r, pairs, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{0, 3} {
		if got, err := Steer(t.Context(), m, p, stages[0], r, pairs, 1, workers); err != nil || *got != *want {
			t.Errorf("%d workers: %v, %v, want %v", workers, got, err, want)
		}
	}
	if _, err := Steer(t.Context(), m, p, "blocks.0.attn.hook_q", r, pairs, 1, 1); fmt.Sprint(err) != "probe: blocks.0.attn.hook_q is no activation of width d_model = 6: its shape is [1 1 2 3] for one token" {
		t.Errorf("error %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Steer(done, m, p, stages[0], r, pairs, 1, 1); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
