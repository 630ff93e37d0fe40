package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// heldOut are the scores of a regression with a held-out R².
func heldOut(r2 float64) scores { return scores{heldOut: probe.Score{R2: r2}} }

// fitted is a model whose stages after attention and after the MLP hold their
// geometries with a held-out R², random initialisations half, and the first the other
// geometry with a little less.
func fitted(x float64, norm string, mid, final float64) *subject {
	return &subject{
		Subject: &trained.Subject{Condition: trained.Condition{Source: trained.Mess3(x, 0.6), Norm: norm}},
		stages: []stage{
			{
				constrained: fits{trained: heldOut(mid), random: heldOut(mid / 2)},
				full:        fits{trained: heldOut(mid - 0.01)},
			},
			{full: fits{trained: heldOut(final), random: heldOut(final / 2)}},
		},
	}
}

func TestFractalsRule(t *testing.T) {
	of := func(models ...*subject) fractals { return fractals{norms: []string{"LN", "none"}, models: models} }
	good := func() *subject { return fitted(0.15, "LN", 0.97, 0.999) }
	nearFull, randomMid, randomFinal := good(), good(), good()
	nearFull.mid().full.trained = heldOut(0.97)
	randomMid.mid().constrained.random = heldOut(0.97)
	randomFinal.final().full.random = heldOut(0.999)
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, fractals.judge, verdicts, []claimtest.Case[fractals]{
		{Name: "as stated", M: of(good(), good()), Want: claim.Holds},
		{Name: "the other normalisation does not count", M: of(good(), fitted(0.15, "none", 0, 0)), Want: claim.Holds},
		{Name: "at each threshold", M: of(fitted(0.5, "LN", 0.95, 0.99)), Want: claim.Holds},
		{Name: "final too low", M: of(good(), fitted(0.5, "LN", 0.97, 0.989)), Want: claim.Differs},
		{Name: "intermediate too low", M: of(good(), fitted(0.5, "LN", 0.949, 0.999)), Want: claim.Differs},
		{Name: "intermediate as near to the full beliefs", M: of(nearFull), Want: claim.Differs},
		{Name: "intermediate no better than untrained", M: of(randomMid), Want: claim.Differs},
		{Name: "final no better than untrained", M: of(randomFinal), Want: claim.Differs},
		{Name: "at the lower thresholds", M: of(fitted(0.5, "LN", 0.8, 0.9)), Want: claim.Differs},
		{Name: "final far too low", M: of(good(), fitted(0.5, "LN", 0.97, 0.899)), Want: claim.Fails},
		{Name: "intermediate far too low", M: of(good(), fitted(0.5, "LN", 0.799, 0.999)), Want: claim.Fails},
	})
}

// M2 says with which normalisation both fits are better.
func TestAgreement(t *testing.T) {
	models := []*subject{
		fitted(0.15, "LN", 0.9, 0.8), fitted(0.15, "none", 0.7, 0.6),
		fitted(0.5, "LN", 0.9, 0.8), fitted(0.5, "none", 0.7, 0.95),
	}
	const want = "The paper does not state its normalisation. Both fits are best with LN in 1, with none in 0 of 2 " +
		"conditions. The rule is about LN."
	if got := (fractals{norms: []string{"LN", "none"}, models: models}).agreement(); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (fractals{norms: []string{"LN"}, models: models[:1]}).agreement(); got != nil {
		t.Errorf("%q of one normalisation", got)
	}
}
