package describe

import (
	"slices"
	"strings"
	"testing"

	"foretell/document"
	"foretell/process"
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
			"", "matrix T^0: probability of token 0 and next state (column) from state (row)", "            0", "  0  1.000000",
			"", "matrix T^1: probability of token 1 and next state (column) from state (row)", "            0", "  0  0.000000",
		}, 8},
		{process.Params{"period": 2.0, "levels": 2.0}, false, []string{
			"", "transitions, state –token:probability→ state (2 of 8 entries of the matrices T^z)",
			"  0 –0:1→ 1", "  1 –0:1→ 0",
		}, 4},
		{nil, true, []string{
			"", "transitions, state –token:probability→ state (16 of 8192 entries of the matrices T^z)",
			"  0 –16:1→ 1", "  1 –21:1→ 2",
		}, 18},
		{process.Params{"period": 100.0}, true, []string{
			"", "transitions, state –token:probability→ state (100 of 320000 entries of the matrices T^z)",
		}, 67},
	} {
		s, err := Named("sine", test.params)
		if err != nil {
			t.Fatal(err)
		}
		d := &Description{Tokens: s.Process.Tokens()}
		d.addStates(s.Process)
		lines := matrixLines(d)
		if d.Large() != test.large || len(lines) != test.lines || !slices.Equal(lines[:len(test.want)], test.want) {
			t.Errorf("%v: large %v, %d lines:\n%s", test.params, d.Large(), len(lines), strings.Join(lines, "\n"))
		}
		if last := lines[len(lines)-1]; test.lines == 67 && last != "  … and 36 more" {
			t.Errorf("the last line is %q", last)
		}
	}
	if lines := matrixLines(new(Description)); lines != nil {
		t.Errorf("of no machine: %q", lines)
	}
}

// matrixLines returns the matrices as a terminal shows them, each after an empty line.
func matrixLines(d *Description) (lines []string) {
	for _, s := range d.matrices() {
		lines = append(append(lines, ""), s.Text...)
	}
	return lines
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
		"switching_delay": {" (from token frequencies at positions 1 … 65)", " (from token frequencies at positions 1 … 10)"},
		"routing":         {" (from token frequencies at positions 1 … 65)", " (from token frequencies at positions 1 … 10)"},
	} {
		s, err := Named(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Process(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Floor(t.Context(), s, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{d.ChanceOf, f.ChanceOf}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		facts := d.LimitFacts()
		at := slices.IndexFunc(facts, func(f document.Fact) bool { return strings.HasSuffix(f.Name, "(chance)") })
		if at < 0 || !strings.HasSuffix(facts[at].Value, " nats"+want[0]) {
			t.Errorf("%s: %+v", name, facts)
		}
	}
}

// A training says over which positions its chance is, where that is another over others,
// and whose floor that of a recording is.
func TestTrainingNotes(t *testing.T) {
	const over = "chance is the loss of the best constant guess at positions 1 … 65; it differs at other positions"
	for name, want := range map[string]string{
		"mess3": "", "coin": "", "sine": "", "switching_delay": over, "routing": over, "brackets": over,
		"mackey_glass": process.MemorisedNote,
	} {
		got := strings.Join(TrainingNotes(t.Context(), mustNamed(t, name, nil).Process, 64), "\n")
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// What a training is told of a recording: that nothing is held out, and how many
// samples are clipped; a recording that is a ring has a floor that only memorising
// reaches.
func TestRecordingSaysWhatItIs(t *testing.T) {
	s := mustNamed(t, "recording", process.Params{"range": []float64{0, 4.05}, "holdout": 0.0})
	const beyond = "10 of 48 samples (20.8 %) are outside the range and were clipped"
	notes := TrainingNotes(t.Context(), s.Process, 6)
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "nothing is held out: ") || notes[1] != beyond {
		t.Errorf("%q", notes)
	}
	if notes := TrainingNotes(t.Context(), mustNamed(t, "recording", nil).Process, 6); len(notes) != 0 {
		t.Errorf("%q", notes)
	}
	d, err := Process(t.Context(), s)
	if err != nil || *d.Recording != (Recording{Samples: 48, Clipped: 10, Constant: d.Recording.Constant}) {
		t.Errorf("%+v, %v", d, err)
	}
	facts := d.LimitFacts()
	if !strings.HasPrefix(facts[1].Value, "nothing is held out, ") || facts[len(facts)-1].Value != beyond {
		t.Errorf("%+v", facts)
	}
}

// A noisy signal has a ceiling, which is estimated where it is far; that of a ring says
// who reaches it.
func TestFactsOfSignals(t *testing.T) {
	for name, want := range map[string]bool{"mackey_glass": true, "sine": false, "brackets": false} {
		d, err := Process(t.Context(), mustNamed(t, name, nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.LimitFacts() {
			known := strings.HasSuffix(f.Name, "(chance)") || strings.HasPrefix(f.Value, "not defined") ||
				strings.HasPrefix(f.Name, "tokens that are looked up")
			if !known && strings.Contains(f.Value, "memorised") != want {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	d, err := Process(t.Context(), mustNamed(t, "noisy", process.Params{"process": process.Spec{Name: "sine"}}))
	if err != nil || d.Ceiling == nil || d.Ceiling.Error == 0 || !(d.Ceiling.Accuracy > 0.85 && d.Ceiling.Accuracy < 0.91) {
		t.Errorf("%+v, %v", d.Ceiling, err)
	}
}

// Beneath the floor of a ring stands whose floor that is, in text and figure.
func TestMemorisedStandsUnderFloor(t *testing.T) {
	for _, name := range []string{"mackey_glass", "sine"} {
		want := name == "mackey_glass"
		s := mustNamed(t, name, nil)
		f, err := Floor(t.Context(), s, 10)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if f.Forms().Print(&text); strings.Contains(text.String(), process.MemorisedNote) != want {
			t.Errorf("%s: %s", name, text.String())
		}
		if drawn := f.Figure(); strings.Contains(strings.Join(drawn.Notes, " "), process.MemorisedNote) != want {
			t.Errorf("%s: %q", name, drawn.Notes)
		}
	}
}
