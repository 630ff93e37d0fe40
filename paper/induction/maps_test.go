package induction

import (
	"math"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestMapsRule(t *testing.T) {
	like := func(overlap float64, scores tokenScores) mappedModel {
		return mappedModel{overlap: [3]float64{overlap, overlap, overlap}, scores: scores}
	}
	wanted := logP(transition)
	of := func(models ...mappedModel) mapped {
		return mapped{{
			cell: cell{spread, "1,3,1", false}, BySeed: converged(models...), wanted: wanted,
			untrained: claim.Seeded[mappedModel]{Found: like(0.2, wanted.transposed())}, ignorant: [3]float64{0.5, 0.5, 0.5},
		}}
	}
	weak := like(0.95, wanted)
	weak.behind = 0.1
	learned, other := like(0.95, wanted), like(0.95, wanted)
	learned.output, other.output = centredOutput(transition), centredOutput(transition).transposed()
	disentangled := func(models ...mappedModel) mapped {
		m := of(models...)
		m[0].disentangled, m[0].wantedOutput = true, centredOutput(transition)
		m[0].untrained.Found.output = centredOutput(transition).transposed()
		return m
	}
	alone := like(0.5, wanted.transposed())
	alone.behind = 0.1
	resting := of(like(0.95, wanted))
	resting[0].Models[0].Unconverged = "rests"
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, mapped.judge, verdicts, []claimtest.Case[mapped]{
		{Name: "as constructed", M: of(like(0.95, wanted), like(0.9, wanted)), Want: claim.Holds},
		{Name: "scores of something else", M: of(like(0.95, wanted.transposed())), Want: claim.Differs},
		{Name: "no better than the lags alone", M: of(alone), Want: claim.Fails},
		{Name: "as constructed, but weak", M: of(weak), Want: claim.Differs},
		{Name: "its output layer is P", M: disentangled(learned), Want: claim.Holds},
		{Name: "its output layer is another", M: disentangled(other), Want: claim.Differs},
		{Name: "one of two seeds", M: of(like(0.95, wanted), alone), Want: claim.Open},
		{Name: "on a plateau", M: resting, Want: claim.Open},
		{Name: "not trained", M: of(), Want: claim.Open},
	})
}

// Overlaps are matched by the best assignment.
func TestMatched(t *testing.T) {
	o := overlaps{
		{{0.9, 0.8}, {0.85, 0.1}},
		{{0.3}, {0.5}},
		{{0.1, 0.7, 0.2}},
	}
	for layer, want := range []float64{(0.8 + 0.85) / 2, 0.4, 0.7} {
		if got := o.matched(layer); math.Abs(got-want) > 1e-12 {
			t.Errorf("layer %d: %v, want %v", layer, got, want)
		}
	}
}

// The scores of the construction's first layer are log P.
func TestConstructedScoresAreLogP(t *testing.T) {
	p := tiny()
	p.heldOut = 64
	l := newLab(p)
	s := &claim.Study{Out: t.TempDir()}
	hand, err := l.constructed(t.Context(), s, handwritten{l.of(spread), 0})
	if err != nil {
		t.Fatal(err)
	}
	c := l.chains(l.of(spread))
	scores, err := firstScores(c, hand.model)
	if err != nil {
		t.Fatal(err)
	}
	if r := scores.correlation(logP(transition)); math.Abs(r-1) > 1e-9 {
		t.Errorf("the correlation is %v", r)
	}
	output := outputScores(hand.model)
	for next := range transition {
		for copied, row := range transition {
			want := row[next] - 1./5
			if got := output[next][copied]; math.Abs(got-want) > 1e-12 {
				t.Errorf("output of %d after %d: %v, want %v", next, copied, got, want)
			}
		}
	}
	all, err := overlap(t.Context(), s, c, looking(hand.model), ignorant(c.lags()), looking(hand.model))
	if err != nil {
		t.Fatal(err)
	}
	if o := byLayer(all[0]); o[0] < 0.4 || o[0] > 0.95 {
		t.Errorf("the lags alone have %v", o)
	}
	for layer, o := range byLayer(all[1]) {
		if math.Abs(o-1) > 1e-6 {
			t.Errorf("layer %d overlaps with itself by %v", layer+1, o)
		}
	}
}
