package probe

import (
	"context"
	"math"
	"slices"
	"testing"

	"foretell/model"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// markovReader returns a process whose belief is its last token, z → P(·|z), and a
// model that reads its prediction linearly from the embedding of that token: in a
// random basis, one direction a token, unembedded as ln P(·|z).
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

// Where a model's prediction is a linear read-out of the belief, steering is exact: the
// prediction is the optimal one of the target belief. Left alone it is that of the
// word's own.
func TestSteeringALinearReadOutIsExact(t *testing.T) {
	h, m, P := markovReader(t)
	p := must(h.Prefixes(t.Context(), 4))
	const stage = "blocks.0.hook_resid_mid"
	pairs := drawPairs(p, 400, 1)
	for _, c := range []Convention{Ours, {Positions: EachPosition}} {
		plan := Plan{Features: Stages(stage), Targets: both, Convention: c, Workers: 2}
		got, err := analyze(t, m, p, plan).steer(t.Context(), Beliefs, Stage(stage), pairs, 1)
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
		wantClose(t, "KL unchanged", []float64{got.Unchanged.Mean}, []float64{unchanged}, 1e-5)
		for _, moved := range []Moved{got.Shortest, got.Likeliest} {
			if !(moved.Along.Mean < 1e-10) {
				t.Errorf("KL along the regression is %v", moved.Along)
			}
			wantClose(t, "distance", []float64{moved.Distance.Mean}, []float64{distance}, 1e-5)
			if moved.Random.Mean < unchanged/2 || moved.Random.Error == 0 {
				t.Errorf("KL in random directions is %v, unchanged %v", moved.Random, got.Unchanged)
			}
		}
	}
}

// The change makes the fit read the target; no other one that does is shorter, or in
// units of the spread for the likeliest one.
func TestLevers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, d, k = 200, 6, 3
		seed := rapid.Uint64().Draw(t, "seed")
		x := times(normals(seed, n, d), normals(seed+1, d, d))
		y := times(x, normals(seed+2, d, k))
		for i := range n { // beliefs sum to one, and what is read of them, too
			y.Row(i)[k-1] = 1 - floats.Sum(y.Row(i)[:k-1])
		}
		v := newValidation([]*moments{momentsOf([]Table{x, y}, make([]float64, d+k), checkWeights(nil, n))}, d)
		fit := v.fit(-1, columns{0, k}, Plain)
		shortest, likeliest := newLevers(fit, v.leaving(-1, -1))
		from, target := x.Row(0), y.Row(1)
		for name, l := range map[string]lever{"shortest": shortest, "likeliest": likeliest} {
			delta, read := l.change(from, target), make([]float64, k)
			fit.predictor()(read, floats.AddTo(make([]float64, d), from, delta))
			wantClose(t, name+": what is read", read, target, 1e-6)
			// Orthogonal, in its metric, to every direction that the fit does not read.
			blind := normals(seed+3, 1, d).Data
			blind = floats.AddTo(blind, blind, l.change(blind, fit.Intercept))
			conjugate := slices.Clone(delta)
			if name == "likeliest" {
				if err := solve(conjugate, v.total, d); err != nil {
					t.Fatal(err)
				}
			}
			if got := floats.Dot(blind, conjugate); math.Abs(got) > 1e-6*(1+floats.Norm(blind, 2)*floats.Norm(conjugate, 2)) {
				t.Errorf("%s: the change has a part %g along a direction that is not read", name, got)
			}
		}
	})
}

// solve makes x Σ⁻¹x, with the covariance Σ of the first d columns.
func solve(x []float64, m *moments, d int) error {
	covariance := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			covariance.SetSym(i, j, m.covariance(i, j))
		}
	}
	var solution mat.VecDense
	err := solution.SolveVec(covariance, mat.NewVecDense(d, slices.Clone(x)))
	copy(x, solution.RawVector().Data)
	return err
}

// Words come as often as they are probable, at every length.
func TestDrawPairs(t *testing.T) {
	p := must(build(t, "golden_mean").Prefixes(t.Context(), 3))
	const n = 30_000
	count := make([]float64, p.Rows())
	for _, pair := range drawPairs(p, n, 3) {
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
	m, p := randomModel(t, models[1].config), must(build(t, "mess3").Prefixes(t.Context(), 5))
	features := []Features{Stage(stages[0]), SideBySide("both", stages)}
	pairs := drawPairs(p, 300, 1)
	want, err := analyze(t, m, p, Plan{Features: features, Targets: both, Workers: 1}).steer(t.Context(), Beliefs, features[0], pairs, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{0, 3} {
		a := analyze(t, m, p, Plan{Features: features, Targets: both, Workers: workers})
		if got, err := a.steer(t.Context(), Beliefs, features[0], pairs, 1); err != nil || *got != *want {
			t.Errorf("%d workers: %v, %v, want %v", workers, got, err, want)
		}
		wantPanic(t, "two stages", func() { _, _ = a.steer(t.Context(), Beliefs, features[1], pairs, 1) })
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.steer(done, Beliefs, features[0], pairs, 1); err != context.Canceled {
			t.Errorf("error %v", err)
		}
	}
}

// The random control of a lever moves as far as the lever, each pair in a direction of
// its own.
func TestRandomMovesAreAsLong(t *testing.T) {
	for pair, length := range []float64{0.01, 1, 37.5} {
		move := randomMove(3, pair, 16, length)
		if math.Abs(floats.Norm(move, 2)-length) > 1e-12*length {
			t.Errorf("a move of %v, want %v", floats.Norm(move, 2), length)
		}
		other := randomMove(3, pair+1, 16, length)
		if cosine := floats.Dot(move, other) / (length * length); math.Abs(cosine) > 0.9 {
			t.Errorf("pairs %d and %d: directions of cosine %v", pair, pair+1, cosine)
		}
	}
}
