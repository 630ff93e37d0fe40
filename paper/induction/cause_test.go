package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/craft"
	"foretell/internal/random"
	"foretell/model"
)

// causingOf is a model whose predictions follow lags with the given shares. The shares of
// the construction are 0.9, and chance is 0.3.
func causingOf(own, same, other float64) causing {
	of := func(own, same, other float64) effects {
		e := effects{own: reading{follows: own}}
		for range interventions {
			e.by = append(e.by, effect{reading{follows: same}, reading{follows: other}})
		}
		return e
	}
	return causing{of(own, same, other), builtBy{problem{example, 64, variant{}}, of(0.9, 0.9, 0.9), 0.3}}
}

// causesOf are standard transformers.
func causesOf(models ...causing) causes {
	return causes{kinds: []causedKind{{BySeed: converged(models...)}}}
}

func TestCauseRule(t *testing.T) {
	as, by, none := causingOf(0.85, 0.8, 0.8), causingOf(0.9, 0.9, 0.4), causingOf(0.4, 0.9, 0.9)
	untrained := causesOf(as, as, as)
	unfinished(untrained.kinds[0].BySeed)
	elsewhere := causesOf(by, by, by)
	elsewhere.kinds = append(elsewhere.kinds, causedKind{form: normalised, BySeed: converged(as, as, as, as, as)})
	elsewhere.kinds = append(elsewhere.kinds, causedKind{form: disentangled, BySeed: converged(as, as, as)})
	claimtest.Rule(t, causes.judge, all, []claimtest.Case[causes]{
		{Name: "all implement", M: causesOf(as, as, as), Want: claim.Holds},
		{Name: "four of five", M: causesOf(as, as, as, as, by), Want: claim.Holds},
		{Name: "three of five", M: causesOf(as, as, as, by, by), Want: claim.Differs},
		{Name: "one of five", M: causesOf(as, by, by, by, none), Want: claim.Fails},
		{Name: "none", M: causesOf(by, by, none), Want: claim.Fails},
		{Name: "only with layer norm and disentangled ones", M: elsewhere, Want: claim.Fails},
		{Name: "two models", M: causesOf(as, as), Want: claim.Open},
		{Name: "not converged", M: untrained, Want: claim.Open},
	})
	for m, want := range map[outcome]causing{implements: as, selectsOtherwise: by, neither: none} {
		if got := want.outcome(); got != m {
			t.Errorf("%s, want %s", got, m)
		}
	}
	if f := elsewhere.first(); f.Verdict != claim.Differs {
		t.Errorf("the first rule with layer norm: %s", f.Verdict)
	}
	if f := untrained.judge(); f.Reason != claim.Untrained {
		t.Errorf("not converged: reason %q", f.Reason)
	}
}

// The construction implements itself, in both kinds of transformer. A model that infers
// the lag from inverted evidence selects otherwise, and one that attends to random tokens
// does not select.
func TestOutcomes(t *testing.T) {
	l, s := newLab(tiny()), &claim.Study{Out: t.TempDir(), Workers: 2}
	for _, of := range []task{example, twoNext} {
		x, hand, err := l.exchange(t.Context(), s, problem{of, 32, variant{}}, 4)
		if err != nil {
			t.Fatal(err)
		}
		built := builtBy{chance: x.chance()}
		if built.effects, err = affect(t.Context(), s, x, hand); err != nil {
			t.Fatal(err)
		}
		ask := constructionOf(x.p, x.lags(), x.context)
		for name, test := range map[string]struct {
			model *model.Transformer[float64]
			want  outcome
		}{
			"construction":  {hand, implements},
			"standard":      {must(ask.Standard()), implements},
			"inverted":      {reversed(ask), selectsOtherwise},
			"random tokens": {asked{Induction: ask, change: shuffled}.model(), neither},
		} {
			found, err := affect(t.Context(), s, x, test.model)
			if err != nil {
				t.Fatal(err)
			}
			m := causing{found, built}
			if m.outcome() != test.want {
				t.Errorf("%s, %s: %s, want %s: %+v", of, name, m.outcome(), test.want, m)
			}
			if want := name == "inverted"; m.byInversion() != want {
				t.Errorf("%s, %s: by inverted evidence is %v: %+v", of, name, !want, m)
			}
		}
	}
}

// reversed returns a construction whose first layer attends in proportion to 1/P, and
// whose third layer selects the lag with the least of this.
func reversed(c craft.Induction) *model.Transformer[float64] {
	m := asked{Induction: c, change: func(blocks *craft.InductionMatrices) {
		for _, sum := range blocks.Sum {
			for _, row := range sum {
				for j := range row {
					row[j] = -row[j]
				}
			}
		}
	}}.model()
	d, a := m.Config.Width(0), m.Config.DVocab
	scores := m.Weights.Get("blocks.0.attn.W_A").Data
	for i := range a {
		for j := range a {
			scores[i*d+j] = -scores[i*d+j]
		}
	}
	return m
}

// shuffled lets layers 1 and 3 attend to random tokens instead of the tokens at lags.
func shuffled(blocks *craft.InductionMatrices) {
	src := random.New(1, "paper/induction/shuffled")
	for _, block := range [][][]float64{blocks.Extract, blocks.Select} {
		for i, row := range block {
			for j := i; j > 0; j-- {
				k := int(src.Float64() * float64(j+1))
				row[j], row[k] = row[k], row[j]
			}
		}
	}
}

// Sequences exchange activations with others of the same lag and of each other lag.
func TestExchanged(t *testing.T) {
	l, s := newLab(tiny()), &claim.Study{Out: t.TempDir()}
	x, _, err := l.exchange(t.Context(), s, problem{example, 32, variant{}}, 4)
	if err != nil {
		t.Fatal(err)
	}
	donors := map[[2]int]int{}
	for n, lag := range x.lag {
		if m := x.fellow(n); m == n || x.lag[m] != lag {
			t.Errorf("sequence %d has the fellow %d", n, m)
		}
		donors[[2]int{lag, x.lag[x.donor(n)]}]++
	}
	for _, lag := range x.lags() {
		for _, other := range x.lags() {
			want := 2
			if lag == other {
				want = 0
			}
			if got := donors[[2]int{lag, other}]; got != want {
				t.Errorf("lag %d has %d donors of lag %d, want %d", lag, got, other, want)
			}
		}
	}
}

// swap leaves the first columns and the second half.
func TestSwap(t *testing.T) {
	of := model.Tensor[float64]{Shape: []int{2, 2, 3}, Data: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	swap(of, 1)
	for i, want := range []float64{1, 8, 9, 4, 11, 12, 7, 8, 9, 10, 11, 12} {
		if of.Data[i] != want {
			t.Errorf("number %d is %g, want %g", i, of.Data[i], want)
		}
	}
}

// A prediction follows the lag whose row of P is nearest, and cannot where two lags have
// the same token.
func TestFollows(t *testing.T) {
	x := &exchange{chains: newChains(example, transition, 1, 32)}
	sequence := []int32{0, 1, 2, 2}
	for _, test := range []struct {
		sequence          []int32
		lag, row          int
		follows, compared bool
	}{
		{sequence[:3], 1, 2, true, true},
		{sequence[:3], 3, 0, true, true},
		{sequence[:3], 3, 1, false, true},
		{sequence, 1, 2, false, false},
		{sequence, 3, 1, true, true},
	} {
		follows, compared := x.follows(test.sequence, len(test.sequence)-1, test.lag, transition[test.row])
		if follows != test.follows || compared != test.compared {
			t.Errorf("%+v: %v, %v", test, follows, compared)
		}
	}
}
