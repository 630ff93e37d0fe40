package report

import (
	"os"
	"testing"

	"foretell/claim"
)

// run is a folder with the files that made names.
const run = "testdata/run"

// made is a report with every verdict and everything that a claim can have. Its
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
		Claims: []claim.Claim{
			{
				ID: "M1", Source: "Gemini 2025, Fig. 1, Eq. 2", Statement: "Attention falls as ζⁿ, whatever the tokens",
				Expected: "slope within 10 % of log ζ", Obtained: "−0.571 ± 0.004 against −0.598", Verdict: claim.Holds, Seconds: 0.42,
				Figures: []string{"figures/decay.svg", "figures/growth.svg"}, Data: []string{"data/decay.csv", "data/growth #1.csv"},
				Captions: []string{"The *slope* is that of `log ζ`.", "What would be seen otherwise."},
				Tables: []claim.Table{{
					Title: "R² by process", Columns: []string{"x", "trained", "random", "KL, nats", "word"},
					Rows: [][]string{{"0.15", "0.9991", "0.91", "1.2e-4", "good"}, {"0.5", "1", "–", "≤ 3e-5", "a|b"}},
				}},
				Notes:   []string{"The source is silent on `normalization_type`; LN is used.", "A product a*b is no emphasis, nor is 2 * 3 * 4."},
				Setting: "quick profile, one head",
			},
			{
				ID: "M2", Source: "Gemini 2025, Eq. 7", Statement: "The sum starts at 1", Expected: "equal to 1e-12",
				Obtained: "equal to 4e-16 if it starts at 0", Verdict: claim.Corrected,
				Figures: []string{"figures/growth.svg"}, Captions: []string{"Shared with another claim."},
			},
			{
				ID: "M3", Source: "Gemini 2025, Table 1", Statement: "The first component explains 61 % of the variance",
				Expected: "61 ± 1 %", Obtained: "58.3 %", Verdict: claim.Differs, Seconds: 12,
				Figures: []string{"figures/twin.svg"}, Captions: []string{"Another picture with the same identifiers."},
			},
			{ID: "M4", Source: "Gemini 2025, text", Statement: "One head suffices", Expected: "KL ≤ 1e-3", Obtained: "KL = 0.02", Verdict: claim.Fails, Seconds: 200},
			{ID: "M5", Source: "Gemini 2025, text", Statement: "The theory holds for α in [0.2, 0.6] and deviates outside", Expected: "deviation against α", Obtained: "needs the full profile", Verdict: claim.Open},
			{ID: "M6", Source: "Gemini 2025, text", Statement: "Two heads suffice", Expected: "KL ≤ 1e-3", Obtained: "KL = 0.0004", Verdict: claim.Holds, Seconds: 20},
		},
	}
}

// hostile is a report whose every text is meant to break out of the page.
func hostile() Report {
	const text = "<script>alert(\"1\")</script> & ']]> --> </style></title><img src=x onerror=alert(2)> `</code>*` *<b>* \x1b[31m\x00\xff \u202e"
	var claims []claim.Claim
	for _, id := range []string{text, "M 4", "M_20_4", `"`, "'"} {
		claims = append(claims, claim.Claim{
			ID: id, Source: text, Statement: text, Expected: text, Obtained: text, Verdict: claim.Open,
			Figures: []string{"figures/decay.svg"}, Captions: []string{text}, Data: []string{"data/growth #1.csv"},
			Tables:  []claim.Table{{Title: text, Columns: []string{text, text}, Rows: [][]string{{text, text}}}},
			Notes:   []string{text},
			Setting: text,
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
