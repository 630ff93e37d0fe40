package inspect

import (
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/curves"
	"foretell/describe"
	"foretell/internal/random"
	"foretell/process"
	"foretell/run/runtest"
	"foretell/train"
)

// mustNamed returns a process of the catalogue.
func mustNamed(t *testing.T, name string, params process.Params) describe.Subject {
	t.Helper()
	s, err := describe.Named(name, params)
	if err != nil {
		t.Fatal(err)
	}
	return s
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
			s := mustNamed(t, "recording", params)
			s.All = true
			dir := filepath.Join(t.TempDir(), "own")
			runtest.Train(t, dir, func(c *train.Config) { c.Process = process.Spec{Name: "recording", Params: params} })
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
			set, err := curves.Read(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			d, err := describe.Process(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			predicted := &Predicted{Prediction: prediction, Model: dir, Word: word, Names: m.Names()}
			for what, text := range map[string]func(io.Writer) error{
				"show":         func(w io.Writer) error { d.Forms().Print(w); return nil },
				"show json":    func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".json") },
				"show page":    func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".html") },
				"show picture": func(w io.Writer) error { return s.Forms(t.Context(), "").Write(w, ".svg") },
				"plot":         func(w io.Writer) error { set.Forms("").Print(w); return nil },
				"predict":      func(w io.Writer) error { predicted.Forms("").Print(w); return nil },
				"plot json":    func(w io.Writer) error { return set.Forms("").Write(w, ".json") },
				"plot picture": func(w io.Writer) error { return set.Forms("").Write(w, ".svg") },
				"plot page":    func(w io.Writer) error { return set.Forms("").Write(w, ".html") },
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
	runtest.Train(t, dir, func(c *train.Config) {
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
