package claim

import (
	"context"
	"strings"
	"testing"
)

// A first rule judges what the row measures now.
func TestFirstRuleOfARow(t *testing.T) {
	texts := MustTexts("# X1\n## source\np. 1\n## first rule\nat least 2\n")
	row := Row{
		ID: "X1", ChangedAfterResult: true,
		First: FirstBy("60baa0e", func(m int) Finding {
			return Finding{Verdict: HoldsIf(m >= 2), Obtained: "a number"}
		}),
		Test: Steps[int]{
			Measure: func(context.Context, *Study) (int, error) { return 3, nil },
			Judge:   func(m int) Finding { return Finding{Verdict: HoldsIf(m >= 4), Obtained: "3"} },
		}.Test,
	}
	s := &Study{Out: t.TempDir()}
	claims, err := s.Reproduce(t.Context(), []Row{texts.Fill(row, nil)})
	if err != nil {
		t.Fatal(err)
	}
	want := FirstRule{Text: "at least 2", Commit: "60baa0e", Verdict: Holds, Obtained: "a number"}
	if c := claims[0]; c.Verdict != Fails || c.FirstRule == nil || *c.FirstRule != want {
		t.Errorf("%s, first rule %+v, want %+v", c.Verdict, c.FirstRule, want)
	}
}

// A first rule either judges or says what it lacks.
func TestFirstRuleIsChecked(t *testing.T) {
	judge := func(int) Finding { return Finding{Verdict: Holds, Obtained: "a number"} }
	of := func(f First) First { f.Text = "at least 2"; return f }
	if f := (First{}); f.On(1) != nil {
		t.Errorf("no first rule says %+v", f.On(1))
	}
	for _, f := range []First{of(FirstBy("60baa0e", judge)), of(FirstLacks("60baa0e", LacksModels))} {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
		if err := f.On(1).Check(); err != nil {
			t.Error(err)
		}
	}
	for want, f := range map[string]First{
		"no text":       FirstLacks("60baa0e", LacksBound),
		"no commit":     of(FirstLacks("", LacksBound)),
		"neither":       of(First{Commit: "60baa0e"}),
		"want one of [": of(FirstLacks("60baa0e", "time")),
	} {
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}
	for want, r := range map[string]FirstRule{
		"no text":         {Commit: "60baa0e", Verdict: Holds, Obtained: "a number"},
		"lacks":           {Text: "t", Commit: "60baa0e", Verdict: Holds, Lacks: LacksModels},
		"nothing":         {Text: "t", Commit: "60baa0e", Verdict: Holds},
		"verdict \"\"":    {Text: "t", Commit: "60baa0e", Obtained: "a number"},
		"reason \"none\"": {Text: "t", Commit: "60baa0e", Verdict: Open, Reason: "none", Obtained: "a number"},
	} {
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", r, err, want)
		}
	}
}
