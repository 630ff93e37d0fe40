package describe

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/process"
)

// A floor beyond the budget says from where on it is estimated, and with which error, in
// every form.
func TestFloorIsEstimatedBeyondItsBudget(t *testing.T) {
	s := mustNamed(t, "random_chains", nil)
	f, err := Floor(t.Context(), s, 11)
	if err != nil {
		t.Fatal(err)
	}
	if f.FloorExact || f.ExactPositions != 9 || len(f.Floor) != 11 || f.FloorError[8] != 0 || !(f.FloorError[9] > 0 && f.FloorError[9] < 0.02) {
		t.Fatalf("%+v", f)
	}
	const note = "Positions 10 to 11 are estimated: the mean entropy of the optimal prediction over 4096 sampled sequences, " +
		"± two standard errors. The exact value would take too long."
	if f.EstimateNote() != note || f.ErrorText(8) != "" || !strings.HasSuffix(f.ErrorText(9), ", estimated)") {
		t.Errorf("%s, %q", f.EstimateNote(), f.ErrorText(9))
	}
	if drawn := documenttest.SVG(t, f.Figure(), nil); !strings.Contains(drawn, "estimated, ± two standard errors") {
		t.Error("not in the picture")
	}
	html, err := documenttest.Written(f.Forms(), ".html")
	if err != nil || !strings.Contains(string(html), ", estimated)") {
		t.Errorf("not in the page, %v", err)
	}
	text, err := json.Marshal(f)
	if err != nil || !strings.Contains(string(text), `"floor_exact":false,"exact_positions":9,"floor_error":[0,`) {
		t.Errorf("%s, %v", text, err)
	}
	if f, err = Floor(t.Context(), s, 3); err != nil || !f.FloorExact || f.EstimateNote() != "" || f.FloorError != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

// The floor of a stationary process bounds its entropy rate; that of a program in time
// may be above chance, which is a mean.
func TestFloorBounds(t *testing.T) {
	f := Floors{EntropyRate: 0.6, EntropyRateError: 0.01, Floor: []float64{1, 0.5955}, FloorError: []float64{0, 0.001}, Chance: 1}
	f.boundRate()
	if f.EntropyRate != 0.5955 || f.EntropyRateFrom != 2 || math.Abs(f.EntropyRateError-0.0055) > 1e-12 {
		t.Errorf("%+v", f)
	}
	var text strings.Builder
	f.Forms().Print(&text)
	if !strings.Contains(text.String(), "0.595500 nats (± 0.005, at most the floor at position 2)") &&
		!strings.Contains(text.String(), "0.595500 nats (± 0.006, at most the floor at position 2)") {
		t.Error(text.String())
	}
	if f = (Floors{EntropyRate: 0.5, Floor: []float64{1, 0.5955}, Chance: 1}); f.AboveChance() != "" {
		t.Error(f.AboveChance())
	}
	if f.boundRate(); f.EntropyRate != 0.5 || f.EntropyRateFrom != 0 {
		t.Errorf("%+v", f)
	}
	routing, err := Floor(t.Context(), mustNamed(t, "routing", nil), 10)
	if err != nil || !strings.Contains(routing.AboveChance(), "at a single position, such as 3,") || routing.EntropyRateFrom != 0 {
		t.Errorf("%q, %v", routing.AboveChance(), err)
	}
}

// Floors show what follows the longest delay.
func TestFloorPositions(t *testing.T) {
	for name, want := range map[string]int{
		"mess3": 10, "coin": 10, "brackets": 10, "interleaved": 11, "random_chains": 11, "switching_delay": 61, "mackey_glass": 10,
	} {
		if got := FloorPositions(mustOptimum(t, mustNamed(t, name, nil))); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// Tokens that never occur stand in one line, where the first of them stood.
func TestUnusedTokensAreOneLine(t *testing.T) {
	found, err := Check(t.Context(), mustNamed(t, "sine", nil))
	if err != nil {
		t.Fatal(err)
	}
	const want = "23 tokens never occur: 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 17, 18, 19, 20, 22, 23, 24, 25, 27, 28, 29"
	lines := problemLines(found.Problems)
	if lines[0] != want || len(lines) != len(found.Problems)-22 {
		t.Errorf("%q", lines)
	}
	one := process.Problem{Kind: process.UnusedToken, Token: "a", Text: "token a never occurs"}
	other := process.Problem{Kind: process.DuplicateStates, Text: "more"}
	if got := problemLines([]process.Problem{other, one}); !slices.Equal(got, []string{"more", one.Text}) {
		t.Errorf("%q", got)
	}
	many := slices.Repeat([]process.Problem{one}, 30)
	if got := problemLines(many); len(got) != 1 || !strings.HasPrefix(got[0], "30 tokens never occur: a, ") ||
		!strings.HasSuffix(got[0], ", a and 6 more") {
		t.Errorf("%q", got)
	}
}
