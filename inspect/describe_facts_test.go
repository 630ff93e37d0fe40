package inspect

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/process"
	"foretell/train"
)

// Dense matrices are shown whole, of sparse and large ones the edges.
func TestMatrixLines(t *testing.T) {
	for _, test := range []struct {
		params process.Params
		large  bool
		want   []string // its first lines
		lines  int
	}{
		{process.Params{"period": 1.0, "levels": 2.0}, false, []string{
			"", "probability of token 0, from the state at the left to the one above (matrix T^0)", "            0", "  0  1.000000",
			"", "probability of token 1, from the state at the left to the one above (matrix T^1)", "            0", "  0  0.000000",
		}, 8},
		{process.Params{"period": 2.0, "levels": 2.0}, false, []string{
			"", "transitions, state –token:probability→ state (of 8 entries of the matrices T^z of 2 tokens " +
				"the 2 that are not 0)",
			"  0 –0:1→ 1", "  1 –0:1→ 0",
		}, 4},
		{nil, true, []string{
			"", "transitions, state –token:probability→ state (of 8192 entries of the matrices T^z of 32 tokens " +
				"the 16 that are not 0)",
			"  0 –16:1→ 1", "  1 –21:1→ 2",
		}, 18},
		{process.Params{"period": 100.0}, true, []string{
			"", "transitions, state –token:probability→ state (of 320000 entries of the matrices T^z of 32 tokens " +
				"the 100 that are not 0)",
		}, 67},
	} {
		s, err := Find("sine", test.params)
		if err != nil {
			t.Fatal(err)
		}
		d := &Description{Tokens: s.Process.Tokens()}
		d.addStates(s.Process)
		lines := d.MatrixLines()
		if d.Large() != test.large || len(lines) != test.lines || !slices.Equal(lines[:len(test.want)], test.want) {
			t.Errorf("%v: large %v, %d lines:\n%s", test.params, d.Large(), len(lines), strings.Join(lines, "\n"))
		}
		if last := lines[len(lines)-1]; test.lines == 67 && last != "  … and 36 more" {
			t.Errorf("the last line is %q", last)
		}
	}
	if lines := new(Description).MatrixLines(); lines != nil {
		t.Errorf("of no machine: %q", lines)
	}
}

// The columns of a matrix stand below each other under their states.
func TestMatrixRows(t *testing.T) {
	want := []string{
		"              fair     loaded",
		"  fair    0.450000  -0.050000",
		"  loaded  0.090000   0.810000",
	}
	if got := matrixRows([]string{"fair", "loaded"}, [][]float64{{0.45, -0.05}, {0.09, 0.81}}); !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// Chance says over which positions it is, where that makes it another.
func TestChanceSaysOverWhichPositions(t *testing.T) {
	for name, want := range map[string][2]string{
		"mess3":           {"", ""},
		"sine":            {"", ""},
		"switching_delay": {" (of the tokens' frequencies at positions 1 … 65)", " (of the tokens' frequencies at positions 1 … 10)"},
		"routing":         {" (of the tokens' frequencies at positions 1 … 65)", " (of the tokens' frequencies at positions 1 … 10)"},
	} {
		s, err := Find(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Describe(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Floor(t.Context(), s.Process, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{d.ChanceOf, f.ChanceOf}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		facts := d.LimitFacts()
		at := slices.IndexFunc(facts, func(f Fact) bool { return strings.HasSuffix(f.Name, "(chance)") })
		if at < 0 || !strings.HasSuffix(facts[at].Text, " nats"+want[0]) {
			t.Errorf("%s: %+v", name, facts)
		}
	}
}

// A training says over which positions its chance is, where that is another over others,
// and whose floor that of a recording is.
func TestTrainingNotes(t *testing.T) {
	const over = "chance is the loss of the best constant guess at positions 1 … 65; over others it is another"
	for name, want := range map[string]string{
		"mess3": "", "coin": "", "sine": "", "switching_delay": over, "routing": over, "brackets": over,
		"mackey_glass": "floor and accuracy ceiling are those of who knows the recording by heart",
	} {
		got := strings.Join(TrainingNotes(t.Context(), mustFind(t, name, nil).Process, 64), "\n")
		got, _, _ = strings.Cut(got, "\na window that passes the recording's end goes on at its beginning: ")
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A recording says how many windows wrap around its end, or that all do, and how many
// samples are clipped.
func TestRecordingSaysWhatItDoes(t *testing.T) {
	p := mustFind(t, "recording", process.Params{"range": []float64{0, 4.05}}).Process
	for nCtx, want := range map[int]string{
		6: "a window that passes the recording's end goes on at its beginning: of those of 7 tokens 25 % do",
		24: "each window, of 25 tokens, is longer than the recording, of 24, and goes on at its beginning: " +
			"what a model can learn beyond the first 24 is to repeat them",
	} {
		notes := TrainingNotes(t.Context(), p, nCtx)
		const beyond = "6 of 24 samples (25 %) are beyond the range, and clipped to it"
		if len(notes) != 3 || notes[1] != want || notes[2] != beyond {
			t.Errorf("%q, want %q and %q", notes, want, beyond)
		}
	}
	d, err := Describe(t.Context(), Subject{Process: p})
	if err != nil || d.Clipped == "" || d.Wrapped == "" || len(d.recordingFacts()) != 3 {
		t.Errorf("%+v, %v", d, err)
	}
}

// A recording's floor says whose it is, and a noisy signal has a ceiling, which is
// estimated where it is far.
func TestFactsOfSignals(t *testing.T) {
	for name, want := range map[string]string{
		"recording": "those of who knows the recording by heart",
		"sine":      "",
		"brackets":  "",
	} {
		d, err := Describe(t.Context(), mustFind(t, name, nil))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(d.ByHeart, want) || (d.ByHeart == "") != (want == "") {
			t.Errorf("%s: %q", name, d.ByHeart)
		}
		told := slices.ContainsFunc(d.LimitFacts(), func(f Fact) bool { return strings.Contains(f.Text, holdOut) })
		if told != (want != "") {
			t.Errorf("%s: %+v", name, d.LimitFacts())
		}
	}
	d, err := Describe(t.Context(), mustFind(t, "noisy", process.Params{"process": process.Spec{Name: "sine"}}))
	if err != nil || d.Ceiling == nil || d.Ceiling.Error == 0 || !(d.Ceiling.Accuracy > 0.85 && d.Ceiling.Accuracy < 0.91) {
		t.Errorf("%+v, %v", d.Ceiling, err)
	}
}

// Beneath the floor of a recording, and beneath the curves of what learned it, stands
// whose floor that is: in text, figure and page.
func TestByHeartStandsUnderFloorAndCurves(t *testing.T) {
	const heart = "loor and accuracy ceiling are those of who knows the recording by heart"
	for _, name := range []string{"recording", "sine"} {
		want := name == "recording"
		s := mustFind(t, name, nil)
		f, err := Floor(t.Context(), s.Process, 10)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if f.WriteText(&text); strings.Contains(text.String(), heart) != want {
			t.Errorf("%s: %s", name, text.String())
		}
		if drawn := f.Figure(s); strings.Contains(strings.Join(drawn.Notes, " "), heart) != want {
			t.Errorf("%s: %q", name, drawn.Notes)
		}
	}
	dir := t.TempDir()
	tiny(t, filepath.Join(dir, "tide"), func(c *train.Config) { c.Process = process.Spec{Name: "recording"} })
	one, err := PlotRuns(context.Background(), filepath.Join(dir, "tide"))
	if err != nil || !strings.HasPrefix(one.byHeart(), "F"+heart) {
		t.Fatalf("%+v, %v", one, err)
	}
	var text strings.Builder
	if one.Print(&text); !strings.Contains(text.String(), heart) || !strings.Contains(one.caption(), heart) {
		t.Errorf("%s\n%s", text.String(), one.caption())
	}
	tiny(t, filepath.Join(dir, "mess3"), func(*train.Config) {})
	both, err := PlotRuns(context.Background(), dir)
	if err != nil || !strings.Contains(both.byHeart(), "tide f"+heart) || strings.Contains(both.byHeart(), "mess3 ") {
		t.Errorf("%q, %v", both.byHeart(), err)
	}
	if drawn, err := both.Figure(); err != nil || !strings.Contains(strings.Join(drawn.Notes, " "), heart) {
		t.Errorf("%v, %v", drawn, err)
	}
}
