package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
	"foretell/theory"
)

func TestParallelRule(t *testing.T) {
	share := func(eq26, filter, stage float64, why string) parallelShare {
		model := claim.Seeded[beliefR2]{Unconverged: why, Found: beliefR2{stage, 0.5, stage}}
		return parallelShare{
			eq26: eq26, filter: filter, models: claim.BySeed[beliefR2]{Models: []claim.Seeded[beliefR2]{model}},
		}
	}
	of := func(list ...parallelShare) parallelShares {
		for i := range list {
			list[i].Source = sources[i]
		}
		return list
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Corrected, claim.Differs, claim.Fails}
	claimtest.Rule(t, parallelShares.judge, verdicts, []claimtest.Case[parallelShares]{
		{Name: "equal", M: of(share(0.9, 0.9, 0.9, "")), Want: claim.Holds},
		{Name: "equal but for rounding", M: of(share(0.9, 0.9+1e-10, 0.9, "")), Want: claim.Holds},
		{Name: "the filter is better", M: of(share(0.9, 0.91, 0.9, ""), share(0.9, 0.9, 0.9, "")), Want: claim.Corrected},
		{Name: "whatever the models", M: of(share(0.9, 0.91, 0.2, "early")), Want: claim.Corrected},
		{Name: "the filter is worse", M: of(share(0.9, 0.89, 0.9, "")), Want: claim.Fails},
		{Name: "the filter is worse in one", M: of(share(0.9, 0.89, 0.9, ""), share(0.9, 0.9, 0.9, "")), Want: claim.Differs},
	})
	for _, test := range []struct {
		name         string
		m            parallelShares
		more, beyond claim.Answer
	}{
		{"more than Eq. 26", of(share(0.9, 0.91, 0.905, "")), claim.Yes, claim.No},
		{"less", of(share(0.9, 0.91, 0.905, ""), share(0.9, 0.91, 0.89, "")), claim.No, claim.No},
		{"less, but unconverged", of(share(0.9, 0.91, 0.905, ""), share(0.9, 0.91, 0.89, "early")), claim.Yes, claim.No},
		{"none has converged", of(share(0.9, 0.91, 0.905, "early")), claim.Undecided, claim.No},
		{"beyond the filter", of(share(0.9, 0.91, 0.92, "")), claim.Yes, claim.Yes},
	} {
		asked := test.m.judge().Asked
		if asked[0].Answer != test.more || asked[1].Answer != test.beyond {
			t.Errorf("%s: %s, %s", test.name, asked[0].Answer, asked[1].Answer)
		}
	}
}

// The shares are those of regressions over all words.
func TestExactShares(t *testing.T) {
	on := trained.Mess3(0.15, 0.6)
	p, err := exactShares(t.Context(), on, 5)
	if err != nil {
		t.Fatal(err)
	}
	h, err := process.Mess3(on.X, on.A)
	if err != nil {
		t.Fatal(err)
	}
	words := must(h.Prefixes(t.Context(), 5))
	beliefs, err := probe.Beliefs.Of(t.Context(), words)
	if err != nil {
		t.Fatal(err)
	}
	read, err := probe.Relate(t.Context(), words, probe.Table{Data: must(theory.LinearPrefixes(t.Context(), words)), Width: words.States}, beliefs,
		probe.Convention{HoldOut: probe.InSample, Cutoff: probe.Plain})
	if err != nil {
		t.Fatal(err)
	}
	if d := read.R2 - p.filter; d > 1e-9 || d < -1e-9 {
		t.Errorf("the filter explains %.12f, by regression %.12f", p.filter, read.R2)
	}
	if p.eq26 >= p.filter {
		t.Errorf("Eq. 26 explains %.6f, the filter %.6f", p.eq26, p.filter)
	}
}
