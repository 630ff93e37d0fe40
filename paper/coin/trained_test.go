package coin

import (
	"context"
	"maps"
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
	r, err := learner{prior{2, 2}, "none", true, 1}.predict(t.Context(), model.Convert[float32](built.Model), built.Process, drawn)
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
	r, err := learner{prior{1, 1}, "none", true, 1}.predict(t.Context(), m, p.WithBOS(), drawn)
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
	p, l := profile{steps: 60, sequences: drawn}, learner{prior{1, 1}, "none", true, 1}
	var r predictions
	row := claim.Row{
		Trainings: []claim.Training{p.training(l)},
		Test: func(_ context.Context, s *claim.Study, _ *claim.Claim) (err error) {
			of := s.Trained(p.training(l))
			coin, err := process.OptimumOf(of.Process)
			if err != nil {
				return err
			}
			r, err = l.predict(t.Context(), of.Model, coin, p.sequences)
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

// judgedLearners are models of every prior: those of the first diverge by kl, one a
// seed.
func judgedLearners(t *testing.T, untrained float64, kl ...float64) learners {
	t.Helper()
	m := learners{}
	add := func(l learner, kl float64) {
		p, err := process.NewCoin(l.a, l.b)
		if err != nil {
			t.Fatal(err)
		}
		r := predictions{learner: l}
		if r.information, err = informationOf(t.Context(), p.WithBOS(), longestFlips+1); err != nil {
			t.Fatal(err)
		}
		for range longestFlips + 1 {
			r.kl = append(r.kl, kl)
		}
		m.measured, m.untrained = append(m.measured, r), append(m.untrained, untrained)
	}
	for i, x := range kl {
		add(learner{priors[0], "none", true, uint64(i + 1)}, x)
	}
	add(learner{priors[1], "none", true, 1}, 1e-4)
	add(learner{priors[2], "none", true, 1}, 1e-4)
	add(learner{priors[0], "learned", true, 1}, 1) // decides nothing
	add(learner{priors[0], "none", false, 1}, 1)   // nor does this
	return m
}

func TestLearnersAreJudged(t *testing.T) {
	cost, _ := priors[0].nearest(trainedFlips)
	of := func(kl ...float64) learners { return judgedLearners(t, 0.3, kl...) }
	verdicts := []claim.Verdict{claim.Holds, claim.Fails, claim.Open}
	claimtest.Rule(t, learners.judge, verdicts, []claimtest.Case[learners]{
		{Name: "as the posterior", M: of(0, 0, 1e-5), Want: claim.Holds},
		{Name: "just so", M: of(0.98*cost, 0.98*cost, 0.981*cost), Want: claim.Holds},
		{Name: "as another's", M: of(1.1*cost, 1.1*cost, 1.11*cost), Want: claim.Fails},
		{Name: "not sure", M: of(0.5*cost, 1.4*cost, 0.9*cost), Want: claim.Open},
		{Name: "one model", M: of(1e-5), Want: claim.Open},
		{Name: "one has converged", M: of(1e-5, 0.1, 0.1), Want: claim.Open},
		{Name: "none has converged", M: of(0.1, 0.1), Want: claim.Open},
		{Name: "those that have", M: of(1e-5, 1.1e-5, 0.1), Want: claim.Holds},
		{Name: "untrained ones are as good", M: judgedLearners(t, 0.5*cost, 1e-5, 1.1e-5), Want: claim.Open},
	})
	for _, test := range []struct {
		m      learners
		reason claim.Reason
	}{{of(0.1, 0.1), claim.Untrained}, {of(1e-5), claim.Power}} {
		if found := test.m.judge(); found.Reason != test.reason {
			t.Errorf("open for the reason %s, want %s: %s", found.Reason, test.reason, found.Obtained)
		}
	}
	if share := of(1e-5, 1.1e-5, 0.1).judge().Effect.Reached; share.K != 2 || share.N != 3 {
		t.Errorf("%d of %d have converged", share.K, share.N)
	}
}

// What is asked of C6 beside the verdict has each of its answers.
func TestLearnersAreAsked(t *testing.T) {
	for _, test := range []struct {
		first, other float64 // divergence of the models of the first prior, and of the second's
		want         [2]claim.Answer
	}{
		{0.9 * closeBound, 1e-4, [2]claim.Answer{claim.Yes, claim.Yes}},
		{1.1 * closeBound, 1e-4, [2]claim.Answer{claim.Yes, claim.No}},
		{1e-4, 4e-3, [2]claim.Answer{claim.No, claim.No}},
		{1e-4, 0.1, [2]claim.Answer{claim.Undecided, claim.No}},
	} {
		m := judgedLearners(t, 0.3, test.first, test.first)
		for n := range m.measured[2].kl {
			m.measured[2].kl[n] = test.other
		}
		asked := m.judge().Asked
		if got := [2]claim.Answer{asked[0].Answer, asked[1].Answer}; got != test.want {
			t.Errorf("%v and %v nats: %v, want %v", test.first, test.other, got, test.want)
		}
	}
}

// What a mistaken prior costs is what sequences show, and nothing if it is the right
// one.
func TestMistakenPrior(t *testing.T) {
	const flips = 6
	right, wrong := priors[2], priors[0]
	if cost := right.mistaken(right, flips); cost != 0 {
		t.Errorf("the right prior costs %v", cost)
	}
	want := 0.0
	for tokens := range everySequence(flips) { // the last flip has no part
		prob, heads := 1.0, 0
		for n, token := range tokens[1:] {
			q, w := right.predictive(heads, n), wrong.predictive(heads, n)
			want += math.Ldexp(1, n-flips) * prob * (q*math.Log(q/w) + (1-q)*math.Log((1-q)/(1-w))) / flips
			if heads += int(token); token == 1 {
				prob *= q
			} else {
				prob *= 1 - q
			}
		}
	}
	if got := right.mistaken(wrong, flips-1); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v nats, want %v", got, want)
	}
}

// What the last flips tell is what as many flips tell after BOS.
func TestLearnableOfFlips(t *testing.T) {
	r := predictions{learner: learner{priors[0], "none", true, 1}, information: []float64{0, 1, 3, 4, 6}}
	l := r.learnable(0, 4)
	if l.Information != 14./5 || l.Plateaus[0] != (2+3+5)/5. || l.Plateaus[1] != (1+3)/5. || math.Abs(l.Plateaus[2]-2./5) > 1e-15 {
		t.Errorf("%+v", l)
	}
}

// What C6 takes from a training is of a model with BOS from N = 0 on, without from N = 1.
func TestPlacesByFlips(t *testing.T) {
	r := predictions{learner: learner{priors[0], "none", false, 1}, kl: []float64{1, 2, 4}} // N = 1, 2, 3
	if got := r.within(0, 2); got != 1.5 {
		t.Errorf("without BOS, N ≤ 2: %v", got)
	}
	r.bos = true // N = 0, 1, 2
	if got := r.within(1, 2); got != 3 {
		t.Errorf("with BOS, 1 ≤ N ≤ 2: %v", got)
	}
}

// A learner is trained at each position that 64 flips reach, from 1 on, whether or not
// BOS is before them, and has positions for all flips that it is measured on. No two
// learners are the same.
func TestLearnersAreTrainedAtEachPosition(t *testing.T) {
	seen := map[learner]bool{}
	for _, l := range (profile{kinds: []string{"rotary"}}).models() {
		if seen[l] {
			t.Errorf("%+v is trained twice", l)
		}
		seen[l] = true
		c := l.config(8)
		bos := 0
		if l.bos {
			bos = 1
		}
		for i, position := range c.Train.LossPositions {
			if position != i+1 {
				t.Errorf("%s: loss position %d is %d", l.kind(), i, position)
			}
		}
		if n := len(c.Train.LossPositions); n != trainedFlips+bos || c.Model.NCtx != longestFlips+bos {
			t.Errorf("%s: %d loss positions and a context of %d", l.kind(), n, c.Model.NCtx)
		}
	}
}

// Each prior has a learner with BOS and without positions. The first prior has one for
// each kind of positions, one without BOS, and one for each other seed.
func TestLearners(t *testing.T) {
	want := map[learner]bool{
		{prior{1, 1}, "none", true, 1}: true, {prior{0.5, 0.5}, "none", true, 1}: true, {prior{2, 5}, "none", true, 1}: true,
		{prior{1, 1}, "sinusoidal", true, 1}: true, {prior{1, 1}, "rotary", true, 1}: true,
		{prior{1, 1}, "none", false, 1}: true,
	}
	for _, seed := range []uint64{2, 3, 4, 5} {
		want[learner{prior{1, 1}, "none", true, seed}] = true
	}
	got := map[learner]bool{}
	for _, l := range (profile{kinds: []string{"sinusoidal", "rotary"}}).models() {
		got[l] = true
	}
	if !maps.Equal(got, want) {
		t.Errorf("the learners are %v, want %v", got, want)
	}
}
