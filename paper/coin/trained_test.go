package coin

import (
	"context"
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
	"foretell/model"
	"foretell/process"
)

// drawn is how many sequences measure the models of these tests.
const drawn = 512

// A model that is the posterior predictive has no divergence by the measure of C6,
// and its attention is as far from uniform as the weight of BOS makes it.
func TestCoinIsMeasured(t *testing.T) {
	built, err := craft.Make("coin", process.Params{"a": 2.0, "b": 2.0, "n_ctx": 33.0, "error": 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	r, err := learner{prior{2, 2}, "none", true}.predict(model.Convert[float32](built.Model), built.Process, drawn)
	if err != nil {
		t.Fatal(err)
	}
	for n, kl := range r.kl {
		if math.Abs(kl) > 1e-6 {
			t.Errorf("after %d flips: %v nats", n, kl)
		}
		// BOS has the weight 4 among n flips of weight 1.
		if want := 4/float64(4+n) - 1/float64(1+n); math.Abs(r.uniform[n]-want) > 1e-3 {
			t.Errorf("after %d flips attention is %v from uniform, want %v", n, r.uniform[n], want)
		}
	}
}

// A model that ignores the flips misses all that they tell.
func TestCoinMissesAll(t *testing.T) {
	m, err := model.Zero[float32](model.Config{
		DModel: 2, NLayers: 1, NHeads: model.Heads{1}, NCtx: 40, DVocab: 3, AttnOnly: true,
		PositionalEmbeddingType: "none", NormalizationType: "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Weights.Get("unembed.b_U").Data[process.BOS] = -1000
	p, err := process.NewCoin(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := learner{prior{1, 1}, "none", true}.predict(m, p.WithBOS(), drawn)
	if err != nil {
		t.Fatal(err)
	}
	if r.information[0] != 0 {
		t.Errorf("no flips tell %v nats", r.information[0])
	}
	if missed := r.missed(0, 39); math.Abs(missed-1) > 0.1 { // measured on 512 sequences
		t.Errorf("%v is missed", missed)
	}
}

// A short training of C6's kind approaches the posterior.
func TestCoinIsTrained(t *testing.T) {
	p, l := profile{steps: 60, sequences: drawn}, learner{prior{1, 1}, "none", true}
	var r predictions
	row := claim.Row{
		Trainings: []claim.Training{p.training(l)},
		Test: func(_ context.Context, s *claim.Study, _ *claim.Claim) (err error) {
			of := s.Trained(p.training(l))
			r, err = l.predict(of.Model, of.Process, p.sequences)
			return err
		},
	}
	s := &claim.Study{Out: t.TempDir(), Workers: 2}
	if _, err := s.Reproduce(t.Context(), []claim.Row{row}); err != nil {
		t.Fatal(err)
	}
	if kl := r.within(0, trainedFlips); !(kl < 0.05) {
		t.Errorf("%v nats after 60 steps", kl)
	}
}

func TestLearnersAreJudged(t *testing.T) {
	of := func(l learner, kl float64) predictions {
		r := predictions{learner: l}
		for range longestFlips + 1 {
			r.kl = append(r.kl, kl)
		}
		return r
	}
	judged := func(worst float64) learners {
		return learners{trained: []predictions{
			of(learner{priors[0], "none", true}, 1e-4), of(learner{priors[1], "none", true}, worst),
			of(learner{priors[0], "learned", true}, 1), of(learner{priors[0], "none", false}, 1), // decide nothing
		}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, learners.judge, verdicts, []claimtest.Case[learners]{
		{Name: "as the posterior", M: judged(0), Want: claim.Holds},
		{Name: "just so", M: judged(0.999 * trainedHolds), Want: claim.Holds},
		{Name: "nearly", M: judged(1.001 * trainedHolds), Want: claim.Differs},
		{Name: "far", M: judged(0.999 * trainedDiffers), Want: claim.Differs},
		{Name: "off", M: judged(1.001 * trainedDiffers), Want: claim.Fails},
	})
}

// What C6 takes from a training is of a model with BOS from N = 0 on, without from N = 1.
func TestPlacesByFlips(t *testing.T) {
	r := predictions{learner: learner{priors[0], "none", false}, kl: []float64{1, 2, 4}} // N = 1, 2, 3
	if got := r.within(0, 2); got != 1.5 {
		t.Errorf("without BOS, N ≤ 2: %v", got)
	}
	r.bos = true // N = 0, 1, 2
	if got := r.within(1, 2); got != 3 {
		t.Errorf("with BOS, 1 ≤ N ≤ 2: %v", got)
	}
}
