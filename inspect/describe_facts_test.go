package inspect

import (
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/random"
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
		s, err := Find("sine", test.params)
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
		s, err := Find(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Describe(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Floor(t.Context(), mustOptimum(t, s), 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{d.ChanceOf, f.ChanceOf}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		facts := d.LimitFacts()
		at := slices.IndexFunc(facts, func(f Fact) bool { return strings.HasSuffix(f.Name, "(chance)") })
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
		"mackey_glass": memorisedNote,
	} {
		got := strings.Join(TrainingNotes(t.Context(), mustFind(t, name, nil).Process, 64), "\n")
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// What a training is told of a recording: that nothing is held out, and how many
// samples are clipped; a recording that is a ring has a floor that only memorising
// reaches.
func TestRecordingSaysWhatItIs(t *testing.T) {
	s := mustFind(t, "recording", process.Params{"range": []float64{0, 4.05}, "holdout": 0.0})
	const beyond = "10 of 48 samples (20.8 %) are outside the range and were clipped"
	notes := TrainingNotes(t.Context(), s.Process, 6)
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "nothing is held out: ") || notes[1] != beyond {
		t.Errorf("%q", notes)
	}
	if notes := TrainingNotes(t.Context(), mustFind(t, "recording", nil).Process, 6); len(notes) != 0 {
		t.Errorf("%q", notes)
	}
	d, err := Describe(t.Context(), s)
	if err != nil || *d.Recording != (Recording{Samples: 48, Clipped: 10, Constant: d.Recording.Constant}) {
		t.Errorf("%+v, %v", d, err)
	}
	facts := d.LimitFacts()
	if !strings.HasPrefix(facts[1].Value, "nothing is held out, ") || facts[len(facts)-1].Value != beyond {
		t.Errorf("%+v", facts)
	}
}

// number is a number after a word that speaks of what nobody knows of a recording.
var number = regexp.MustCompile(`(?i)(entropy|floor|ceiling|gap|optimal|KL)[^a-z]*[0-9]`)

// No text, page, table or JSON value about a recording has a floor, a ceiling, an entropy
// rate or a gap: of white noise, a random walk and a sine, each with some part held out.
func TestRecordingHasNoFloorAnywhere(t *testing.T) {
	for name, sample := range map[string]func(n int, before, draw float64) float64{
		"noise": func(_ int, _, draw float64) float64 { return draw },
		"walk":  func(_ int, before, draw float64) float64 { return before + draw },
		"sine":  func(n int, _, _ float64) float64 { return math.Sin(float64(n) / 9) },
	} {
		t.Run(name, func(t *testing.T) {
			src, samples, x := random.New(1, "test/"+name), make([]float64, 400), 0.0
			for n := range samples {
				x = sample(n, x, src.Normal())
				samples[n] = x
			}
			params := process.Params{"signal": samples, "levels": 8.0, "holdout": 0.25}
			s := mustFind(t, "recording", params)
			dir := filepath.Join(t.TempDir(), "own")
			tiny(t, dir, func(c *train.Config) { c.Process = process.Spec{Name: "recording", Params: params} })
			m, err := Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			last := make([]float64, m.Config().NCtx)
			copy(last, samples[len(samples)-len(last):])
			word, _, err := m.Quantise(last)
			if err != nil {
				t.Fatal(err)
			}
			prediction, err := m.Predict(word)
			if err != nil || prediction.Optimality != nil || prediction.OptimalForecast != nil || prediction.Forecast == nil {
				t.Fatalf("%+v, %v", prediction, err)
			}
			curves, err := PlotRuns(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Describe(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			predicted := &Predicted{Prediction: prediction, Model: dir, Word: word, Names: m.Names()}
			for what, text := range map[string]func(io.Writer) error{
				"show":         func(w io.Writer) error { return document.Text(d.text)(w) },
				"show json":    func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".json") },
				"show page":    func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".html") },
				"show picture": func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".svg") },
				"plot":         func(w io.Writer) error { curves.Forms("").Print(w); return nil },
				"predict":      func(w io.Writer) error { predicted.Forms("").Print(w); return nil },
				"plot json":    func(w io.Writer) error { return curves.Forms("").Write(w, ".json") },
				"plot picture": func(w io.Writer) error { return curves.Forms("").Write(w, ".svg") },
				"plot page":    func(w io.Writer) error { return curves.Forms("").Write(w, ".html") },
				"predict json": func(w io.Writer) error { return predicted.Forms("").Write(w, ".json") },
				"predict page": func(w io.Writer) error { return predicted.Forms("").Write(w, ".html") },
			} {
				var out strings.Builder
				if err := text(&out); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				for line := range strings.Lines(plainText(out.String())) {
					if said := number.FindString(line); said != "" {
						t.Errorf("%s says %q", what, said)
					}
				}
			}
		})
	}
}

// plainText leaves the styles, scripts and tags of a page or a picture out.
func plainText(text string) string {
	for _, part := range []string{`(?s)<style.*?</style>`, `(?s)<script.*?</script>`, `<[^>]*>`} {
		text = regexp.MustCompile(part).ReplaceAllString(text, " ")
	}
	return text
}

// After the last tokens of a recording that is a ring nothing was recorded, so there is
// no optimum; before them there is one, and it says that it has memorised the
// recording.
func TestNothingFollowsARecording(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "glass")
	tiny(t, dir, func(c *train.Config) {
		c.Process = process.Spec{Name: "mackey_glass", Params: process.Params{"points": 300.0}}
	})
	m, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Process()
	if err != nil {
		t.Fatal(err)
	}
	record, n := p.(process.Recorder).Record(), m.Config().NCtx
	for at := range record {
		word := make([]int32, n)
		for k := range word {
			word[k] = record[(at+k)%len(record)]
		}
		found, err := m.Predict(word)
		if err != nil {
			t.Fatal(err)
		}
		crosses := at+n >= len(record) // the tokens alone tell the offset, but for the few that repeat
		if !crosses && (found.Optimality == nil || !found.Memorised) {
			t.Errorf("from %d on: %+v", at, found)
		}
		if crosses && found.Optimality != nil && !repeats(record, word) {
			t.Errorf("from %d on, across the end, there is an optimum", at)
		}
	}
}

// repeats says whether a word stands in a recording with a token after it.
func repeats(record, word []int32) bool {
	for at := 0; at+len(word) < len(record); at++ {
		if slices.Equal(record[at:at+len(word)], word) {
			return true
		}
	}
	return false
}

// A noisy signal has a ceiling, which is estimated where it is far; that of a ring says
// who reaches it.
func TestFactsOfSignals(t *testing.T) {
	for name, want := range map[string]bool{"mackey_glass": true, "sine": false, "brackets": false} {
		d, err := Describe(t.Context(), mustFind(t, name, nil))
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
	d, err := Describe(t.Context(), mustFind(t, "noisy", process.Params{"process": process.Spec{Name: "sine"}}))
	if err != nil || d.Ceiling == nil || d.Ceiling.Error == 0 || !(d.Ceiling.Accuracy > 0.85 && d.Ceiling.Accuracy < 0.91) {
		t.Errorf("%+v, %v", d.Ceiling, err)
	}
}

// Beneath the floor of a ring, and beneath the curves of what learned it, stands whose
// floor that is: in text, figure and page.
func TestMemorisedStandsUnderFloorAndCurves(t *testing.T) {
	for _, name := range []string{"mackey_glass", "sine"} {
		want := name == "mackey_glass"
		s := mustFind(t, name, nil)
		f, err := Floor(t.Context(), mustOptimum(t, s), 10)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if f.Forms(s).Print(&text); strings.Contains(text.String(), memorisedNote) != want {
			t.Errorf("%s: %s", name, text.String())
		}
		if drawn := f.Figure(s); strings.Contains(strings.Join(drawn.Notes, " "), memorisedNote) != want {
			t.Errorf("%s: %q", name, drawn.Notes)
		}
	}
	dir := t.TempDir()
	tiny(t, filepath.Join(dir, "glass"), func(c *train.Config) { c.Process = process.Spec{Name: "mackey_glass"} })
	one, err := PlotRuns(t.Context(), filepath.Join(dir, "glass"))
	if err != nil || one.memorisedNote() != memorisedNote {
		t.Fatalf("%+v, %v", one, err)
	}
	var text strings.Builder
	if one.Forms("").Print(&text); !strings.Contains(text.String(), memorisedNote) || !strings.Contains(one.caption(), memorisedNote) {
		t.Errorf("%s\n%s", text.String(), one.caption())
	}
	tiny(t, filepath.Join(dir, "mess3"), func(*train.Config) {})
	both, err := PlotRuns(t.Context(), dir)
	if err != nil || !strings.Contains(both.memorisedNote(), "glass: "+memorisedNote) ||
		strings.Contains(both.memorisedNote(), "mess3") {
		t.Errorf("%q, %v", both.memorisedNote(), err)
	}
	if drawn, err := both.figure(); err != nil || !strings.Contains(strings.Join(drawn.Notes, " "), memorisedNote) {
		t.Errorf("%v, %v", drawn, err)
	}
}

// Runs on a recording and on a process stand side by side, and those on recordings alone.
func TestCurvesWithoutAFloor(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"first", "second"} {
		tiny(t, filepath.Join(dir, "own", name), func(c *train.Config) {
			c.Process = process.Spec{Name: "recording"}
			if name == "second" {
				c.Process.Params = process.Params{"levels": 4.0}
			}
		})
	}
	tiny(t, filepath.Join(dir, "known"), func(*train.Config) {})
	for path, titles := range map[string][]string{
		"own":       {"loss minus chance", "loss on training windows", "accuracy", "norm of W_U"},
		"own/first": {"held-out loss", "loss on training windows", "accuracy", "norm of W_U"},
		".": {
			"loss above the run's own floor", "share of the learnable gap closed", "KL by position, last evaluation",
			"loss on training windows", "accuracy", "norm of W_U",
		},
	} {
		c, err := PlotRuns(t.Context(), filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		f, err := c.figure()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, panel := range slices.Concat(f.Panels...) {
			got = append(got, panel.(figure.Chart).Title)
		}
		if !slices.Equal(got, titles) {
			t.Errorf("%s: %q, want %q", path, got, titles)
		}
		if _, err := written(c.Forms(""), ".csv"); err != nil {
			t.Error(err)
		}
		if _, err := f.SVG(); err != nil {
			t.Error(err)
		}
	}
}
