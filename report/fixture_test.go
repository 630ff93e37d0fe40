package report

import (
	"os"
	"testing"

	"foretell/claim"
	"foretell/document"
)

// run is a folder with the files that made names.
const run = "testdata/run"

// made is a report with every verdict, kind, reason and answer, and everything that a
// claim can have. Its
// numbers are made up.
func made() Report {
	return Report{
		Title:  "A made-up paper: *figures* of speech",
		Source: "Gemini 2025",
		Intro: []string{
			"Each published claim is tested here; losses are in *nats*.",
			"A probe stands beside its controls. Configuration keys such as `d_model` are those of the field.",
		},
		Profile:     "quick: 2 million tokens a model",
		Environment: []Pair{{"foretell", "0.1.0"}, {"Go", "go1.26.0 linux/amd64"}, {"Command", "foretell reproduce made-up --out out"}},
		Pending:     []string{"M7", "M8"},
		Claims:      append(madeAlone(), madeTogether()...),
	}
}

// madeAlone are claims that share nothing, with each verdict, and one without a kind.
func madeAlone() []claim.Claim {
	slope := claim.Over("slope of log attention", "nats", []float64{-0.568, -0.571, -0.574}).
		Beside("log ζ", -0.598).Against("random initialisation", -0.02)
	share := claim.NewShare(4, 5)
	left := claim.Over("KL of those that left the plateau", "nats", []float64{1e-4, 1.1e-4, 0.9e-4, 1e-4}).Against("plateau", 2.9e-4)
	left.Reached = &share
	return []claim.Claim{
		{
			ID: "M1", Kind: claim.Number, Source: "Gemini 2025, Fig. 1, Eq. 2", Statement: "Attention falls as ζⁿ, whatever the tokens",
			Quote:    "“Attention decays as ζⁿ” (Fig. 1: one model, no error bars).",
			Expected: "slope within 10 % of log ζ", Obtained: "−0.571 ± 0.004 against −0.598", Verdict: claim.Holds, Seconds: 0.42,
			Effect: slope, RuleCommit: "ab3fbce",
			Figures: []string{"figures/decay.svg", "figures/growth.svg"}, Data: []string{"data/decay.csv", "data/growth #1.csv"},
			Captions: []string{"The *slope* is that of `log ζ`.", "What would be seen otherwise."},
			Tables:   []document.Table{byProcess()},
			Notes:    []string{"The source is silent on `normalization_type`; LN is used.", "A product a*b is no emphasis, nor is 2 * 3 * 4."},
			Setting:  "quick profile, one head",
		},
		{
			ID: "M2", Kind: claim.Formula, Source: "Gemini 2025, Eq. 7", Statement: "The sum starts at 1", Expected: "equal to 1e-12",
			Quote:    "“the sum from n = 1”, Eq. 7",
			Obtained: "equal to 4e-16 if it starts at 0", Verdict: claim.Corrected, Severity: claim.Local,
			Effect:  claim.Exactly("largest difference", "", 4e-16),
			Figures: []string{"figures/growth.svg"}, Captions: []string{"Shared with another claim."},
		},
		{
			ID: "M3", Kind: claim.Number, Source: "Gemini 2025, Table 1", Statement: "The first component explains 61 % of the variance",
			Quote:    "“61 %”, Table 1; number of models not stated",
			Expected: "61 ± 1 %", Obtained: "58.3 %", Verdict: claim.Differs, Reason: claim.Size, Seconds: 12, ChangedAfterResult: true,
			FirstRule: &claim.FirstRule{
				Text: "61 %, to the digits that are printed", Commit: "c304182", Verdict: claim.Fails,
				Obtained: "58.3 %", Effect: claim.Over("variance of the first component", "%", []float64{58.3}),
			},
			Effect:  claim.Over("variance of the first component", "%", []float64{58.3}).Beside("Table 1", 61),
			Figures: []string{"figures/twin.svg"}, Captions: []string{"Another picture with the same identifiers."},
		},
		{ID: "M4", Kind: claim.Order, Source: "Gemini 2025, text", Statement: "One head suffices", Expected: "KL ≤ 1e-3", Obtained: "KL = 0.02", Verdict: claim.Fails, Seconds: 200},
		{ID: "M5", Kind: claim.Explanation, Source: "Gemini 2025, text", Statement: "The theory holds for α in [0.2, 0.6] and deviates outside", Expected: "deviation against α", Obtained: "no counterexample in [0.2, 0.6]", Verdict: claim.Open, Reason: claim.Unproved},
		{
			ID: "M6", Source: "Gemini 2025, text", Statement: "Two heads suffice", Expected: "KL ≤ 1e-3", Obtained: "KL = 0.0004", Verdict: claim.Holds, Seconds: 20,
			Before: &claim.Origin{Date: "2026-11-01", Command: "foretell reproduce made-up --only M6", Version: "0.0.9"},
		},
		{
			ID: "M12", Kind: claim.Order, Source: "Gemini 2025, App. B", Statement: "Two heads in one layer learn best of three architectures",
			Quote: "“two heads in one layer reach the lowest loss” (three models)", Expected: "the lowest KL of three",
			Obtained: "so with layer norm alone", Verdict: claim.Differs, Reason: claim.Convention, RuleCommit: "60baa0e", ChangedAfterResult: true,
			FirstRule: &claim.FirstRule{
				Text: "the lowest *loss* of three", Commit: "fe6577b", Lacks: claim.LacksModels,
			},
			Effect: left,
			Conditions: []claim.Condition{
				{Name: "one layer, two heads", Verdict: claim.Holds, Obtained: "lowest", Converged: true, Effect: left},
				{Name: "two layers", Verdict: claim.Differs, Reason: claim.Convention, Obtained: "lowest without normalisation", Converged: true},
				claim.Condition{Name: "four layers", Obtained: "KL = 0.003"}.Judged("misses 12 % of what words tell"),
			},
			Asked: []claim.Question{
				{Question: "Is it lower by 10 % (our threshold)?", Answer: claim.Yes, Obtained: "by 14 %", Effect: claim.Over("gain", "%", []float64{13, 14, 15})},
				{Question: "In 9 of 10 seeds?", Answer: claim.No, Obtained: "in 4 of 5"},
				{Question: "At twice the width?", Answer: claim.Undecided, Obtained: "not trained here"},
			},
		},
		{ID: "M13", Kind: claim.Picture, Source: "Gemini 2025, Fig. 9", Statement: "Beliefs form a fractal", Quote: "Fig. 9", Expected: "R² ≥ 0.98", Obtained: "R² = 0.7 on the plateau of the last token", Verdict: claim.Open, Reason: claim.Untrained},
	}
}

// madeTogether are claims that share conditions, two of them a fit as well, an identity
// that holds, and one of the laboratory's own.
func madeTogether() []claim.Claim {
	at := func(name string, v claim.Verdict, values ...float64) claim.Condition {
		return claim.Condition{
			Name: name, Verdict: v, Obtained: "R² as shown", Converged: true,
			Effect: claim.Over("R² of beliefs", "", values).Against("random initialisation", 0.31),
		}
	}
	slow := at("x = 0.5, α = 0.2", claim.Fails, 0.91, 0.92).Judged("within 10 % of the plateau of the last token")
	differs := at("x = 0.15, α = 0.2", claim.Differs, 0.95, 0.93, 0.96)
	differs.Reason = claim.Size
	return []claim.Claim{
		{
			ID: "M9", Kind: claim.Picture, Source: "Gemini 2025, Fig. 4", Statement: "The residual stream shows the beliefs",
			Quote: "“a striking resemblance” (Fig. 4: four models, no error bars)", Expected: "R² ≥ 0.98 under each condition",
			Obtained: "R² ≥ 0.995 under three conditions; one has not converged", Verdict: claim.Holds, StandsOn: []string{"M10", "M99"}, RuleCommit: "60baa0e",
			Conditions: []claim.Condition{
				at("x = 0.15, α = 0.6", claim.Holds, 0.9987, 0.9985, 0.9991), at("x = 0.15, α = 0.2", claim.Holds, 0.995, 0.997, 0.996),
				at("x = 0.5, α = 0.6", claim.Holds, 0.9971, 0.9979, 0.9975), slow,
			},
		},
		{
			ID: "M10", Kind: claim.Order, Source: "Gemini 2025, Fig. 5", Statement: "It is the constrained beliefs before the MLP",
			Quote: "“instead” (Fig. 5)", Expected: "R² of the constrained above that of the full", Obtained: "higher at α = 0.6",
			Verdict: claim.Differs, Reason: claim.Conditions, StandsOn: []string{"M9"},
			Conditions: []claim.Condition{at("x = 0.15, α = 0.6", claim.Holds, 0.99, 0.98), differs, slow},
		},
		{
			ID: "M11", Kind: claim.Identity, Source: "Gemini 2025, Eq. 9", Statement: "Eq. 9 is Eq. 8", Quote: "“equivalently”",
			Expected: "equal to 1e-12", Obtained: "equal to 2e-16", Verdict: claim.Holds,
		},
		{
			ID: "B1", Kind: claim.Beyond, Source: "ours", Statement: "The same holds for RRXOR", Expected: "R² ≥ 0.98",
			Obtained: "two of ten seeds", Verdict: claim.Open, Reason: claim.Power,
		},
	}
}

// hostile is a report whose every text is meant to break out of the page.
func hostile() Report {
	const text = "<script>alert(\"1\")</script> & ']]> --> </style></title><img src=x onerror=alert(2)> `</code>*` *<b>* \x1b[31m\x00\xff \u202e"
	effect := claim.Exactly(text, text, 1).Beside(text, 2).Against(text, 3)
	var claims []claim.Claim
	for _, id := range []string{text, "M 4", "M_20_4", `"`, "'"} {
		claims = append(claims, claim.Claim{
			ID: id, Source: text, Statement: text, Expected: text, Obtained: text, Verdict: claim.Open, Reason: claim.Untrained,
			Figures: []string{"figures/decay.svg"}, Captions: []string{text}, Data: []string{"data/growth #1.csv"},
			Tables:  []document.Table{document.Texts(text, []string{text, text}, []string{text, text})},
			Notes:   []string{text},
			Setting: text,
			Kind:    claim.Beyond, Quote: text, StandsOn: []string{text, id}, RuleCommit: text,
			Effect:     effect,
			Conditions: []claim.Condition{claim.Condition{Name: text, Obtained: text, Effect: effect}.Judged(text)},
			Asked:      []claim.Question{{Question: text, Answer: claim.No, Obtained: text, Effect: effect}},
		})
	}
	return Report{
		Title: text, Source: text, Intro: []string{text, text}, Profile: text, Environment: []Pair{{text, text}},
		Claims: claims, Pending: []string{text + "2"},
	}
}

func htmlOf(t *testing.T, r Report) string {
	t.Helper()
	page, err := r.HTML(run)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func markdownOf(t *testing.T, r Report) string {
	t.Helper()
	text, err := r.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// byProcess is a table with numbers, texts in their place, and a missing number.
func byProcess() document.Table {
	f := document.Frame{Title: "R² by process", Columns: document.Headed("%v", "x", "trained", "random", "KL, nats", "word")}
	f.Row(0.15, 0.9991, 0.91, document.Shown{Text: "1.2e-4", Value: 1.2e-4}, "good")
	f.Row(0.5, 1, "–", "≤ 3e-5", "a|b")
	return f.Table()
}
