package report

import (
	"testing"

	"foretell/claim"
)

func TestChangedText(t *testing.T) {
	row := func(id string, v claim.Verdict, first *claim.FirstRule) claim.Claim {
		return claim.Claim{ID: id, Verdict: v, ChangedAfterResult: true, FirstRule: first}
	}
	said := func(v claim.Verdict, r claim.Reason) *claim.FirstRule { return &claim.FirstRule{Verdict: v, Reason: r} }
	same := row("S1", claim.Holds, said(claim.Holds, ""))
	other := row("S3", claim.Fails, said(claim.Open, claim.Power))
	lacking := row("S4", claim.Holds, &claim.FirstRule{Lacks: claim.LacksQuantity})
	unchanged := claim.Claim{ID: "S2", Verdict: claim.Holds}
	for want, claims := range map[string][]claim.Claim{
		"":                         {unchanged},
		"1 of 1":                   {row("S7", claim.Holds, nil)}, // of an earlier version
		"1 of 2; not computed: S4": {unchanged, lacking},
		"2 of 2; the first rules would say the same of 1; not computed: S4": {same, lacking},
		"2 of 3; the first rules would say: S3 open: low power (now fails), and the other 1 the same": {
			same, other, unchanged,
		},
		"1 of 1; the first rules would say: S3 open: low power (now fails)": {other},
	} {
		got := changedText(claims)
		if want != "" {
			want = "Rules changed after a result was known: " + want
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFirstText(t *testing.T) {
	first := claim.FirstRule{
		Text: "at least 0.99", Commit: "c304182", Verdict: claim.Fails, Obtained: "R² 0.91",
	}
	lacking := claim.FirstRule{Text: "visible", Commit: "c304182", Lacks: claim.LacksBound}
	for want, c := range map[string]claim.Claim{
		"": {},
		"fails. First rule, of commit c304182: at least 0.99": {
			Verdict: claim.Fails, Obtained: "R² 0.91", FirstRule: &first,
		},
		"fails: R² 0.91. First rule, of commit c304182: at least 0.99": {Verdict: claim.Fails, FirstRule: &first},
		"fails (now open: low power): R² 0.91. First rule, of commit c304182: at least 0.99": {
			Verdict: claim.Open, Reason: claim.Power, FirstRule: &first,
		},
		"not computed, as it had no bound. First rule, of commit c304182: visible": {FirstRule: &lacking},
	} {
		if got := firstText(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, lack := range claim.Lacks {
		if missing[lack] == "" {
			t.Errorf("no words for the lack of %s", lack)
		}
	}
}
