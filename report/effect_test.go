package report

import (
	"strings"
	"testing"

	"foretell/claim"
)

func TestAmounts(t *testing.T) {
	within := func(low, high float64) *claim.Interval { return &claim.Interval{Low: low, High: high} }
	for _, c := range []struct {
		x    float64
		i    *claim.Interval
		want string
	}{
		{0.55, nil, "0.55"},
		{0, nil, "0"},
		{58.3, nil, "58.3"},
		{-0.02, nil, "−0.02"},
		{0.99912, nil, "0.9991"},
		{12346, nil, "12350"},
		{0.00029, nil, "2.9e-4"},
		{-4e-16, nil, "−4e-16"},
		{1234567, nil, "1.235e6"},
		{158272, nil, "158,272"},
		{-100001, nil, "−100,001"},
		{158272.5, nil, "1.583e5"},
		{0.5512, within(0.5472, 0.5552), "0.551 ± 0.004"},
		{0.5512, within(0.5392, 0.5632), "0.551 ± 0.012"},
		{-0.571, within(-0.578, -0.564), "−0.571 ± 0.007"},
		{1e-4, within(0.7e-4, 1.3e-4), "(1.00 ± 0.30)e-4"},
		{0.55, within(0.526, 0.574), "0.550 ± 0.024"},
		{1e-4, within(0.1e-4, 1.9e-4), "(1.0 ± 0.9)e-4"},
		{123, within(83, 163), "123 ± 40"},
		{2.5e6, within(2.4e6, 2.6e6), "(2.50 ± 0.10)e6"},
		{0, within(-0.3, 0.3), "0.00 ± 0.30"},
		{0.5, within(0.5, 0.5), "0.5 ± 0"},
		{0, within(0, 0), "0 ± 0"},
		{0.5, within(0.5-1e-9, 0.5+1e-9), "0.5 ± 1e-9"},
		{0.8, within(0.28, 0.99), "0.8 (0.28 to 0.99)"},
	} {
		if got := withInterval(c.x, c.i); got != c.want {
			t.Errorf("%v in %v: %q, want %q", c.x, c.i, got, c.want)
		}
	}
}

func TestEffectText(t *testing.T) {
	share := claim.NewShare(4, 5)
	full := claim.Over("decay", "nats", []float64{0.5, 0.52, 0.54}).Beside("ζ", 0.55).Against("untrained", 0.1)
	full.Reached = &share
	for want, e := range map[string]*claim.Effect{
		"decay: 0.52 ± 0.05 nats (95 %, 3 models); 4 of 5 models have the effect (95 %: 28 to 99 %); document 0.55 nats (ζ); control 0.1 nats (untrained)": full,
		"gain: 3 % (one model)":                         claim.Over("gain", "%", []float64{3}),
		"sum: 4e-16 (exact)":                            claim.Exactly("sum", "", 4e-16),
		"cost: 0.374 ± 0.004 nats (95 %, over samples)": claim.Measured("cost", "nats", 0.374, 0.002),
		"share: 0 (0 to 0.03622) (95 %, over samples)":  claim.Shared("share", claim.NewShare(0, 100)),
		"nearest: 0.2 nats (2 models)":                  claim.Pooled("nearest", "nats", []float64{0.1, 0.3}),
	} {
		if got := strings.ReplaceAll(effectText(e), "\u00a0", " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := strings.ReplaceAll(brief(full), "\u00a0", " "); got != "4 of 5: 0.52 ± 0.05 nats" {
		t.Errorf("in brief %q", got)
	}
}

// A scale has a mark for each number, and is not drawn where there is nothing to compare.
func TestScale(t *testing.T) {
	full := claim.Over("", "", []float64{1, 2, 3}).Beside("", 5).Against("", -1)
	drawn := string(scale(full))
	for _, class := range []string{"found", "document", "control", "interval"} {
		if strings.Count(drawn, `class="`+class+`"`) != 1 {
			t.Errorf("no %s in %s", class, drawn)
		}
	}
	if !strings.Contains(drawn, `translate(270.0 0)`) || !strings.Contains(drawn, `translate(10.0 0)`) {
		t.Errorf("the ends are not used: %s", drawn)
	}
	for name, e := range map[string]*claim.Effect{
		"alone": claim.Over("", "", []float64{1, 2, 3}), "equal": claim.Exactly("", "", 2).Beside("", 2),
	} {
		if got := scale(e); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Every kind and reason has its words, and the fixture has each of them, and each answer.
func TestWords(t *testing.T) {
	page := htmlOf(t, made())
	for _, k := range claim.Kinds {
		if kinds[k] == "" || !strings.Contains(page, kinds[k]+" · ") {
			t.Errorf("kind %s is %q", k, kinds[k])
		}
	}
	for _, r := range claim.Reasons {
		if b := because[r]; b.word == "" || b.meaning == "" || !strings.Contains(page, `<dt class="reason">`+b.word) {
			t.Errorf("reason %s is %q", r, b)
		}
	}
	for _, a := range claim.Answers {
		if !strings.Contains(page, `<b class="answer">`+string(a)+"<") {
			t.Errorf("no answer %s", a)
		}
	}
}

func TestRuleText(t *testing.T) {
	for want, c := range map[string]claim.Claim{
		"": {},
		"rule of commit ab3fbce, set before any result was known":  {RuleCommit: "ab3fbce"},
		"rule of commit ab3fbce, changed after a result was known": {RuleCommit: "ab3fbce", ChangedAfterResult: true},
		"changed after a result was known":                         {ChangedAfterResult: true},
	} {
		if got := ruleText(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
