package report

import (
	"reflect"
	"strings"
	"testing"

	"foretell/claim"
)

func TestTally(t *testing.T) {
	claims := func(verdicts ...claim.Verdict) (all []claim.Claim) {
		for _, v := range verdicts {
			all = append(all, claim.Claim{Verdict: v})
		}
		return all
	}
	of := func(kind claim.Kind, verdicts ...claim.Verdict) []claim.Claim {
		all := claims(verdicts...)
		for i := range all {
			all[i].Kind = kind
		}
		return all
	}
	because := func(v claim.Verdict, reasons ...claim.Reason) (all []claim.Claim) {
		for _, r := range reasons {
			all = append(all, claim.Claim{Verdict: v, Reason: r})
		}
		return all
	}
	corrected := claims(claim.Corrected, claim.Corrected, claim.Corrected)
	for i, s := range []claim.Severity{claim.Cosmetic, claim.Consequential, claim.Cosmetic} {
		corrected[i].Severity = s
	}
	for want, in := range map[string][]claim.Claim{
		"3 claims: 3 corrected (1 consequential, 2 cosmetic)": corrected,
		"0 claims":                    nil,
		"1 claim: 1 fails":            claims(claim.Fails),
		"3 claims: 1 holds, 2 differ": claims(claim.Differs, claim.Holds, claim.Differs),
		"5 claims: 1 holds, 1 corrected, 1 differs, 1 fails, 1 open": claims(claim.Open, claim.Fails, claim.Differs, claim.Corrected, claim.Holds),
		"1 claim: 1 open (not converged)":                            because(claim.Open, claim.Untrained),
		"2 claims: 2 differ (size)":                                  because(claim.Differs, claim.Size, claim.Size),
		"4 claims: 4 differ (2 size, 1 convention)":                  because(claim.Differs, claim.Size, "", claim.Convention, claim.Size),
		"1 claim: 1 holds; 1 identity holds":                         append(claims(claim.Holds), of(claim.Identity, claim.Holds)...),
		"3 identities hold":                                          of(claim.Identity, claim.Holds, claim.Holds, claim.Holds),
		"2 identities: 1 holds, 1 fails":                             of(claim.Identity, claim.Holds, claim.Fails),
		"1 claim: 1 holds; 2 beyond the document: 1 holds, 1 open":   append(of(claim.Beyond, claim.Holds, claim.Open), of(claim.Picture, claim.Holds)...),
		"1 identity fails; 1 beyond the document: 1 holds":           append(of(claim.Beyond, claim.Holds), of(claim.Identity, claim.Fails)...),
	} {
		if got := Tally(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What the profile trains no model of has not failed to converge, and nothing was found.
func TestNotTrained(t *testing.T) {
	absent := claim.Condition{Name: "a", Verdict: claim.Open, Obtained: "no model"}.Judged(claim.NotTrained)
	stuck := claim.Condition{Name: "b", Verdict: claim.Open, Obtained: "0.5"}.Judged("it rests on a plateau")
	row := func(conditions ...claim.Condition) claim.Claim {
		return claim.Claim{Verdict: claim.Open, Reason: claim.Untrained, Conditions: conditions}
	}
	for want, c := range map[string]claim.Claim{
		"open: not trained":   row(absent),
		"open: not converged": row(absent, stuck),
		"open: low power":     {Verdict: claim.Open, Reason: claim.Power, Conditions: []claim.Condition{absent}},
	} {
		if got := outcome(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := Tally([]claim.Claim{row(absent), row(stuck)}), "2 claims: 2 open (1 not converged, 1 not trained)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := reasons([]claim.Claim{row(absent)}), []claim.Reason{untried}; !reflect.DeepEqual(got, want) {
		t.Errorf("the key has %q, want %q", got, want)
	}
	for _, c := range []struct {
		claim.Condition
		why, obtained string
	}{{absent, claim.NotTrained, ""}, {stuck, "Not converged: it rests on a plateau", "0.5"}} {
		if got, found := why(c.Condition), obtained(c.Condition); got != c.why || found != c.obtained {
			t.Errorf("%s: %q, %q", c.Name, got, found)
		}
	}
}

// Rows that stand on one fit are one block, whichever of them says so.
func TestFits(t *testing.T) {
	row := func(id string, on ...string) claim.Claim { return claim.Claim{ID: id, StandsOn: on} }
	for _, c := range []struct {
		claims []claim.Claim
		want   string
	}{
		{[]claim.Claim{row("M1"), row("M2", "M9")}, ""},
		{[]claim.Claim{row("M1"), row("M2", "M3"), row("M3")}, "M2 M3"},
		{[]claim.Claim{row("M1"), row("M2"), row("M3", "M1"), row("M4", "M2", "M3"), row("M5")}, "M1 M2 M3 M4"},
		{[]claim.Claim{row("M1", "M2"), row("M2"), {ID: "M3", Kind: claim.Identity, StandsOn: []string{"M1"}}}, "M1 M2"},
		{[]claim.Claim{row("M1", "M3"), row("M2", "M4"), row("M3"), row("M4")}, "M1 M3|M2 M4"},
	} {
		var got []string
		for _, ids := range fits(c.claims) {
			got = append(got, strings.Join(ids, " "))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%+v: %q, want %q", c.claims, got, c.want)
		}
	}
	if got, want := fitText([]string{"M2", "M4", "M5"}), "M2, M4 and M5 rest on one fit, so they are not 3 independent results"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the counts do not say is about the document's claims, but for fits and rules.
func TestCaveats(t *testing.T) {
	row := func(id string, kind claim.Kind, verdicts ...claim.Verdict) claim.Claim {
		c := claim.Claim{ID: id, Kind: kind, Verdict: verdicts[0], ChangedAfterResult: id != "M1"}
		for _, v := range verdicts {
			c.Conditions = append(c.Conditions, claim.Condition{Verdict: v})
		}
		return c
	}
	for _, c := range []struct {
		claims []claim.Claim
		want   []string
	}{
		{[]claim.Claim{row("M1", claim.Order, claim.Holds, claim.Holds)}, nil},
		{
			[]claim.Claim{row("M2", claim.Beyond, claim.Holds, claim.Open)},
			[]string{"Rules changed after a result was known: 1 of 1"},
		},
		{
			[]claim.Claim{
				{ID: "M5", Verdict: claim.Corrected, Severity: claim.Local, Effect: claim.Exactly("error", "", 1)},
				{
					ID: "M6", Verdict: claim.Corrected, Severity: claim.Consequential,
					Effect: claim.Exactly("divergence", "nats", 0.379),
				},
			},
			[]string{"Errors of the source with consequences: M6 (0.379 nats)"},
		},
		{[]claim.Claim{row("M1", "", claim.Open, claim.Open), row("M1", "", claim.Holds)}, nil},
		{
			[]claim.Claim{
				row("M1", claim.Order, claim.Holds, claim.Open), row("M2", claim.Order, claim.Fails, claim.Open),
				row("M3", claim.Picture, claim.Holds, claim.Open, claim.Holds), row("M4", claim.Identity, claim.Holds),
			},
			[]string{
				"Hold under some of their conditions, while the others are open: M1 (1 of 2) and M3 (2 of 3)",
				"Rules changed after a result was known: 3 of 4",
			},
		},
	} {
		if got := caveats(c.claims); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// shape is a matrix in a line: its columns, and its rows by block, each with its cells.
func shape(m matrix) string {
	var blocks []string
	for _, b := range m.Blocks {
		var rows []string
		for _, r := range b.Rows {
			text := r.ID
			for _, c := range r.Cells {
				name := c.Name
				if c.Missing {
					name = "-"
				}
				text += " " + name
			}
			rows = append(rows, text)
		}
		blocks = append(blocks, strings.Join(rows, ", "))
	}
	return strings.Join(m.Columns, "/") + ": " + strings.Join(blocks, "; ")
}

// Rows that share conditions share columns; others have cells with names of their own.
func TestGlance(t *testing.T) {
	row := func(id string, kind claim.Kind, conditions string, on ...string) claim.Claim {
		c := claim.Claim{ID: id, Kind: kind, StandsOn: on}
		for _, name := range strings.Fields(conditions) {
			c.Conditions = append(c.Conditions, claim.Condition{Name: name})
		}
		return c
	}
	for name, c := range map[string]struct {
		claims []claim.Claim
		want   []string
	}{
		"nothing": {},
		"no conditions": {
			[]claim.Claim{row("M1", "", ""), row("M2", "", "")},
			[]string{": M1 overall; M2 overall"},
		},
		"shared": {
			[]claim.Claim{row("M1", "", "a b"), row("M2", "", ""), row("M3", "", "b c")},
			[]string{"a/b/c: M1 a b -; M3 - b c", ": M2 overall"},
		},
		"each its own": {
			[]claim.Claim{row("M1", "", "a b"), row("M2", "", "c d e")},
			[]string{": M1 a b; M2 c d e"},
		},
		"two matrices": {
			[]claim.Claim{row("M1", "", "a b"), row("M2", "", "c d"), row("M3", "", "b a"), row("M4", "", "d")},
			[]string{"a/b: M1 a b; M3 a b", "c/d: M2 c d; M4 - d"},
		},
		"too many to stand side by side": {
			[]claim.Claim{row("M1", "", "a b c d"), row("M2", "", "d e f")},
			[]string{": M1 a b c d; M2 d e f"},
		},
		"most share what one has more of": {
			[]claim.Claim{row("M1", "", "a b"), row("M2", "", "b c d e f g"), row("M3", "", "b a"), row("M4", "", "a")},
			[]string{"a/b: M1 a b; M3 a b; M4 a -", ": M2 b c d e f g"},
		},
		"one fit": {
			[]claim.Claim{row("M1", "", "a b"), row("M2", "", "a"), row("M3", "", "", "M1"), row("M4", "", "z")},
			[]string{"a/b: M1 a b, M3 overall; M2 a -", ": M4 z"},
		},
		"parts": {
			[]claim.Claim{row("M1", claim.Identity, "a"), row("M2", claim.Beyond, "a"), row("M3", claim.Order, "a")},
			[]string{": M3 a", ": M1 a", ": M2 a"},
		},
	} {
		var got []string
		for _, m := range glance(c.claims) {
			got = append(got, shape(m))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Every claim and every condition is seen at a glance, once, in both documents.
func TestNothingIsLeftOut(t *testing.T) {
	conditions, whole := 0, 0
	for _, c := range made().Claims {
		conditions += len(c.Conditions)
		if len(c.Conditions) == 0 {
			whole++
		}
	}
	page := htmlOf(t, made())
	if got := strings.Count(page, `<button type="button" class="cell `); got != conditions+whole {
		t.Errorf("%d cells, want %d", got, conditions+whole)
	}
	if got := strings.Count(page, `role="tooltip"`); got != conditions+whole {
		t.Errorf("%d sentences, want %d", got, conditions+whole)
	}
	if n := strings.Count(page, " unconverged\""); n != 3 {
		t.Errorf("%d cells have not converged, want 3", n)
	}
}
