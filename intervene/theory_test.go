package intervene

import (
	"context"
	"slices"
	"sync"
	"testing"

	"foretell/model"
	"foretell/process"
	"foretell/theory"
	"foretell/train"
)

// The theory's process: Mess3, whose tokens are forgotten as ζⁿ, ζ = 1 − 3x.
const (
	mess3X, mess3A = 0.15, 0.6
	zeta           = 1 - 3*mess3X
	trainedLength  = 6
)

// trained is a small one-layer model of Mess3, made once in about a second.
func trained(t *testing.T) (*model.Transformer[float64], *process.HMM) {
	t.Helper()
	m, err := trainOnce()
	if err != nil {
		t.Fatal(err)
	}
	source, err := process.Mess3(mess3X, mess3A)
	if err != nil {
		t.Fatal(err)
	}
	return m, source
}

var trainOnce = sync.OnceValues(func() (*model.Transformer[float64], error) {
	trainer, err := train.NewTrainer(context.Background(), train.Config{
		Process: train.ProcessConfig{Name: "mess3", Params: process.Params{"x": mess3X, "a": mess3A}},
		Model:   model.Config{DModel: 16, NLayers: 1, NHeads: model.Heads{1}, NCtx: trainedLength, InitializerRange: 0.02},
		Train: train.Options{
			Seed: 1, BatchSize: 64, NumSteps: 600, LR: 5e-3, LRSchedule: "cosine", Objective: "optimal_targets",
		},
	}, train.Setup{Workers: 2})
	if err != nil {
		return nil, err
	}
	defer trainer.Close()
	if err := trainer.Train(context.Background()); err != nil {
		return nil, err
	}
	return model.Convert[float64](trainer.Model), nil
})

// one is the one row of a map of a model of one layer.
func one(t *testing.T, m *model.Transformer[float64], source process.Process, pairs Pairs, plan Patching) ([]float64, *Map) {
	t.Helper()
	found, err := Patch(t.Context(), m, source, pairs, plan)
	if err != nil {
		t.Fatal(err)
	}
	return found.Rows[0].Recovered, found
}

// The map of one layer is what theory says. What is computed after attention at earlier
// positions is read by nothing: it recovers zero, to the bit, and the last position
// everything. What attention reads recovers by its lag, less the farther back, as much as
// the same token does in the optimal predictor.
func TestMapOfOneLayerIsTheTheorys(t *testing.T) {
	m, source := trained(t)
	pairs, err := PairsOf(t.Context(), source, trainedLength, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	const last = trainedLength - 1
	for _, hook := range []string{"resid_mid", "resid_post", "mlp_out", "attn_out", "z", "q", "pattern"} {
		recovered, _ := one(t, m, source, pairs, Patching{Hook: hook})
		for position, x := range recovered[:last] {
			if x != 0 {
				t.Errorf("%s at position %d recovers %g, which nothing reads", hook, position, x)
			}
		}
		if whole := hook == "resid_mid" || hook == "resid_post"; whole && recovered[last] != 1 {
			t.Errorf("%s at the last position recovers %v, want 1", hook, recovered[last])
		}
	}
	recovered, found := one(t, m, source, pairs, Patching{Hook: "resid_pre"})
	want := replaced(t, source, pairs, func(word []int32) []float64 { return optimum(t, source, word) })
	t.Logf("KL %.2g and %.3g; recovered %.4f ± %.4f, of the optimum %.4f",
		found.KLClean, found.KLCorrupt, recovered, found.Rows[0].RecoveredError, want)
	wantNear(t, "resid_pre", recovered, want, 0.01)
	for position := 2; position < last; position++ { // what is farther back is below its error
		if recovered[position] >= recovered[position+1] {
			t.Errorf("resid_pre recovers %.3f by position, not less farther back", recovered)
		}
	}
}

func optimum(t *testing.T, source process.Process, word []int32) []float64 {
	t.Helper()
	next, err := optima(source, word)
	if err != nil {
		t.Fatal(err)
	}
	return next[len(word)-1]
}

// replaced returns what a predictor recovers when a token of the corrupt word is replaced
// by the clean one, by position.
func replaced(t *testing.T, source process.Process, pairs Pairs, predict func(word []int32) []float64) []float64 {
	t.Helper()
	above, below := make([]float64, trainedLength), 0.0
	for _, pair := range pairs.Pairs {
		best := optimum(t, source, pair.Clean)
		kl := func(word []int32) float64 { return model.Divergence(best, logarithms(predict(word))) }
		below += kl(pair.Corrupt) - kl(pair.Clean)
		for position := range above {
			word := slices.Clone(pair.Corrupt)
			word[position] = pair.Clean[position]
			above[position] += kl(pair.Corrupt) - kl(word)
		}
	}
	for position := range above {
		above[position] /= below
	}
	return above
}

// Over words of independent tokens, of which none tells of another, a token n back
// recovers about the square of what it adds to the belief. By Eq. 26 of Piotrowski et al.
// 2025 that is ζⁿ, and by the best sum of functions of (position, token) less: the model
// falls faster than the one, and as the other and the optimum do.
func TestRecoveryFallsWithLag(t *testing.T) {
	m, source := trained(t)
	iid, err := process.IID(3)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := PairsOf(t.Context(), iid, trainedLength, 2000, 1)
	if err != nil {
		t.Fatal(err)
	}
	read := func(belief func([]int32) ([]float64, error)) func([]int32) []float64 {
		return func(word []int32) []float64 {
			b, err := belief(word)
			if err != nil {
				t.Fatal(err)
			}
			return source.Next(b)
		}
	}
	recovered, _ := one(t, m, source, pairs, Patching{Hook: "resid_pre"})
	constrained := replaced(t, source, pairs, read(source.Constrained))
	linear := replaced(t, source, pairs, read(func(word []int32) ([]float64, error) {
		return theory.Of(source).Linear(t.Context(), word)
	}))
	t.Logf("recovered %.4f, constrained %.4f, linear %.4f", recovered, constrained, linear)
	wantNear(t, "linear", recovered, linear, 0.015)
	for lag := range 3 {
		at := trainedLength - 1 - lag
		if fall := recovered[at-1] / recovered[at]; fall > zeta*zeta || at > 3 && fall < zeta*zeta/2 {
			t.Errorf("from lag %d to %d recovery falls to %.3f, ζ² is %.3f", lag, lag+1, fall, zeta*zeta)
		}
		if at < trainedLength-1 && recovered[at] >= constrained[at] {
			t.Errorf("lag %d recovers %.4f, the constrained belief %.4f", lag, recovered[at], constrained[at])
		}
	}
}

// With a pattern that is fixed, and zero at a position, that position recovers nothing at
// all, and the others go on.
func TestPositionThatIsNotReadRecoversNothing(t *testing.T) {
	m, source := trained(t)
	const last, blind = trainedLength - 1, trainedLength - 2
	pair := OnePair([]int32{0, 1, 2, 0, 0, 1}, []int32{1, 2, 0, 2, 1, 0})
	row := []float64{0.1, 0.1, 0.1, 0.2, 0, 0.5}
	recovered, _ := one(t, m, source, pair, Patching{
		Hook: "resid_pre", Fixed: []Fixed{{Site: Site{"pattern", 0, 0, last}, Values: row}},
	})
	free, _ := one(t, m, source, pair, Patching{Hook: "resid_pre"})
	for position, x := range recovered {
		if (x == 0) != (position == blind) || free[position] == 0 {
			t.Errorf("position %d recovers %g, and %g with attention as it is", position, x, free[position])
		}
	}
}
