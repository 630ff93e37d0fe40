package describe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/document"
	"foretell/document/documenttest"
	"foretell/figure"
	"foretell/internal/golden"
	"foretell/process"
)

// Typical pictures are those of testdata: a signal, a coin, lags, retrieval steps,
// states, and a floor.
func TestGoldenPictures(t *testing.T) {
	floor := func(_ context.Context, s Subject) (*figure.Figure, error) {
		f, err := Floor(t.Context(), s, 10)
		if err != nil {
			return nil, err
		}
		return f.Figure(), nil
	}
	for _, c := range []struct {
		what, process string
		draw          func(context.Context, Subject) (*figure.Figure, error)
	}{
		{"show", "sine", Picture},
		{"show", "coin", Picture},
		{"show", "interleaved", Picture},
		{"show", "routing", Picture},
		{"show", "rrxor", Picture},
		{"floor", "mess3", floor},
	} {
		f, err := c.draw(t.Context(), mustNamed(t, c.process, nil))
		golden.Compare(t, filepath.Join("testdata", c.what+"-"+c.process+".svg"), documenttest.SVG(t, f, err))
	}
}

// plain is a process without any of what a picture asks for, die one of them.
type plain struct{ process.Process }

// What fits a process is found by what it can do, whatever its type.
func TestPictureAsksForCapabilities(t *testing.T) {
	for name, want := range map[string]string{
		"sine":            "what the optimal predictor expects",
		"mackey_glass":    "what a predictor that has memorised the recording expects",
		"recording":       "a recording",
		"coin":            "what its flips say about its bias",
		"random_chains":   "which lag?",
		"switching_delay": "its retrieval steps",
		"mess3":           "the geometry of its beliefs",
		"even":            "its states",
		"bloch_walk":      "the geometry of its beliefs",
	} {
		s := mustNamed(t, name, nil)
		f, err := Picture(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(f.Heading, name+": ") || !strings.Contains(f.Heading, want) {
			t.Errorf("%s: %q, want %q in it", name, f.Heading, want)
		}
		if name == "recording" {
			continue // it is no process
		}
		f, err = Picture(t.Context(), Subject{Process: plain{mustOptimum(t, s)}})
		if err != nil || !strings.Contains(f.Heading, "a sequence and its optimal prediction") {
			t.Errorf("%s without its capabilities: %+v, %v", name, f, err)
		}
	}
}

// Many nodes have tokens alone at their arrows, few the probabilities, too.
func TestGraphOfManyNodesHasTokensAlone(t *testing.T) {
	for name, want := range map[string]string{"sine": "16", "even": "0:0.5"} {
		f, err := Draw(t.Context(), mustNamed(t, name, nil), DrawBeliefs)
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, e := range f.Panels[0][0].(figure.Graph).Edges {
			labels = append(labels, e.Labels...)
		}
		if !slices.Contains(labels, want) {
			t.Errorf("%s: no %q among %q", name, want, labels)
		}
	}
}

// A sample of a signal is drawn by its values, one of few tokens in a colour each, which
// the legend tells; a table has the values, too.
func TestSampleOfASignalHasValues(t *testing.T) {
	sample := func(name string, number int) Sample {
		return Sample{Subject: mustNamed(t, name, nil), Number: number, Length: 20, Seed: 1}
	}
	one := sample("sine", 2)
	f, err := one.figure()
	if err != nil {
		t.Fatal(err)
	}
	chart := f.Panels[0][0].(figure.Chart)
	var table strings.Builder
	if err := one.writeCSV(t.Context(), &table); err != nil || len(chart.Series) != 2 {
		t.Fatalf("%v, %d lines", err, len(chart.Series))
	}
	rows := strings.Split(table.String(), "\n")
	last := strings.Split(rows[20], ",")
	if rows[0] != "sequence,position,token,name,value" || last[4] != exact(chart.Series[0].Y[19]) {
		t.Errorf("%s, %v, drawn %g", rows[0], last, chart.Series[0].Y[19])
	}
	if f, err := sample("sine", 9).figure(); err != nil || f.Panels[0][0].(figure.HeatMap).Label != "signal" {
		t.Errorf("%v, %v", f, err)
	}
	f, err = sample("mess3", 9).figure()
	if want := []string{"token 0", "token 1", "token 2"}; err != nil || !slices.Equal(f.Panels[0][0].(figure.HeatMap).Classes, want) {
		t.Errorf("%+v, %v", f, err)
	}
}

// Along a sequence of one lag the one who knows it has P's entries, and the optimal
// predictor comes to them.
func TestLagsPictureTendsToTheOneWhoKnows(t *testing.T) {
	f, err := Picture(t.Context(), mustNamed(t, "interleaved", nil))
	if err != nil {
		t.Fatal(err)
	}
	series := f.Panels[1][0].(figure.Chart).Series
	optimal, knows := series[0], series[1]
	n := len(optimal.Y)
	if len(knows.Y) != n-3 || knows.X[0] != 4 {
		t.Fatalf("%d of %d tokens, from %g", len(knows.Y), n, knows.X[0])
	}
	if d := optimal.Y[n-1] - knows.Y[n-4]; d < -0.01 || d > 0.01 {
		t.Errorf("at the end %g and %g", optimal.Y[n-1], knows.Y[n-4])
	}
}

// Of two states the strips of beliefs have one axis, which reaches all of them, lines
// where a probability ends, and what is believed before any token.
func TestStripsShareTheirAxis(t *testing.T) {
	f, err := Geometry(t.Context(), mustOptimum(t, mustNamed(t, "fractal2", nil)))
	if err != nil || len(f.Panels) != 3 {
		t.Fatalf("%+v, %v", f, err)
	}
	lo, hi := 0.0, 1.0
	for _, row := range f.Panels {
		x := row[0].(figure.Chart).Series[0].X
		lo, hi = min(lo, slices.Min(x)), max(hi, slices.Max(x))
	}
	for _, row := range f.Panels {
		c := row[0].(figure.Chart)
		if !slices.Equal(c.X.Include, []float64{lo, hi}) || c.X.Label != "belief in state A" {
			t.Errorf("%s: %+v, want %g to %g", c.Title, c.X, lo, hi)
		}
		if len(c.Refs) != 2 || c.Refs[0].Value != 0 || c.Refs[1].Value != 1 || !c.Refs[0].Vertical || !c.Refs[1].Vertical {
			t.Errorf("%s: %+v", c.Title, c.Refs)
		}
		if s := c.Series[0]; s.Y[0] != 0 || s.Y[1] != 1 {
			t.Errorf("%s: begins with %g tokens, then %g", c.Title, s.Y[0], s.Y[1])
		}
	}
}

// Along a sequence no two lines of the legend look alike, and what the text has a column
// of has a panel.
func TestBeliefsAlongASequence(t *testing.T) {
	s := mustNamed(t, "fractal2", nil)
	trace, err := Beliefs(t.Context(), s, []int32{0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := trace.figure()
	if err != nil {
		t.Fatal(err)
	}
	meaning := map[int]string{}
	var labels []string
	for _, row := range f.Panels {
		c := row[0].(figure.Chart)
		labels = append(labels, c.Y.Label)
		for _, line := range c.Series {
			if before, ok := meaning[line.Color]; ok && before != line.Name {
				t.Errorf("%s and %s look alike", before, line.Name)
			}
			meaning[line.Color] = line.Name
		}
	}
	if want := []string{
		"probability of the state", "entry of the state", "entry of the state", "probability of the token",
	}; !slices.Equal(labels, want) || len(meaning) != 4 {
		t.Errorf("%q, %v", labels, meaning)
	}
}

// described returns what a process is, and the page that says it.
func described(t *testing.T, s Subject) (*Description, string) {
	t.Helper()
	d, err := Process(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	page, err := d.page(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return d, string(html)
}

// What a program does is said with its picture, in the text, on the page and as JSON.
func TestRulesAreSaid(t *testing.T) {
	for name, rule := range map[string]string{"routing": "3 is n − 1 − x", "brackets": "CLOSE is followed by the tag on top"} {
		s := mustNamed(t, name, nil)
		d, page := described(t, s)
		var text bytes.Buffer
		_ = document.Text(d.text)(&text)
		f, err := Picture(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		value, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		plain := regexp.MustCompile(`</?var>`).ReplaceAllString(page, "")
		for where, said := range map[string]string{
			"text": text.String(), "page": plain, "JSON": string(value), "notes": strings.Join(f.Notes, " "), "description": f.Desc,
		} {
			if !strings.Contains(said, rule) {
				t.Errorf("%s: %q is not in its %s", name, rule, where)
			}
		}
	}
}

// Chance is another over other positions, and a figure says over which.
func TestFloorPictureNamesItsChance(t *testing.T) {
	for name, want := range map[string]string{"routing": "chance at 1 … 10: 3.238", "mess3": "chance 1.099"} {
		s := mustNamed(t, name, nil)
		f, err := Floor(t.Context(), s, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Figure().Panels[0][0].(figure.Chart).Refs[0].Label; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A page holds the picture, the floor and what else can be drawn, and no figure twice.
func TestPage(t *testing.T) {
	figures := regexp.MustCompile(`<svg[^>]* class="([^"]+)"`)
	for name, want := range map[string]int{"coin": 2, "mess3": 4, "even": 5, "routing": 2} {
		s := mustNamed(t, name, nil)
		_, page := described(t, s)
		found := figures.FindAllStringSubmatch(page, -1)
		classes := map[string]bool{}
		for _, f := range found {
			classes[f[1]] = true
		}
		if len(found) != want || len(classes) != want {
			t.Errorf("%s: %d figures of %d classes, want %d", name, len(found), len(classes), want)
		}
		for _, p := range s.Entry.Params {
			if !strings.Contains(page, "<dt>"+p.Name+"</dt>") {
				t.Errorf("%s: no %s", name, p.Name)
			}
		}
	}
}

// A page has what the text says of the long run, the spectrum, the heads and the linear
// filter, and numbers that a person reads.
func TestPageHasWhatTheTextHas(t *testing.T) {
	for name, want := range map[string][]string{
		"mess3": {
			"stationary distribution", "0.333333", "<td class=\"n\">0.550000</td>", "heads needed", "0.466606",
			"0.247500</td>", "linear filter", ">0.14</td>",
		},
		"moon": {"right vector", "0.947232", "0.442695 ± 0.087156i"},
	} {
		s := mustNamed(t, name, nil)
		_, page := described(t, s)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s: no %q", name, text)
			}
		}
		if strings.Contains(page, "0.13999") {
			t.Errorf("%s: a number that is not rounded", name)
		}
	}
}

// The entries of a generalised process's matrices are no probabilities, and its picture
// calls them none; those between beliefs, and of hidden states, are some.
func TestPictureSaysWhatIsAtItsArrows(t *testing.T) {
	for name, want := range map[string]string{
		"moon": "the entry of its matrix T^z, which is not a probability", "bloch_walk": "the entry of its matrix T^z, which is not a probability",
		"even": "the probability of emitting it and moving there",
	} {
		f, err := Draw(t.Context(), mustNamed(t, name, nil), DrawStates)
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(f.Notes, " "); !strings.Contains(notes, want) {
			t.Errorf("%s: %q", name, notes)
		}
	}
}

// Tables of what is shown read back as they are.
func TestCSV(t *testing.T) {
	s := mustNamed(t, "even", nil)
	trace, err := Beliefs(t.Context(), s, []int32{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := trace.Forms().Write(&text, ".csv"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	const header = "seen,token,belief_A,belief_B,constrained_A,constrained_B,linear_A,linear_B,next_0,next_1"
	if len(lines) != 5 || lines[0] != header || !strings.HasPrefix(lines[1], "0,,0.66666") || !strings.HasPrefix(lines[3], "2,1,") {
		t.Errorf("%s", text.String())
	}
	text.Reset()
	if err := (Sample{Subject: s, Number: 2, Length: 2, Seed: 1}).writeCSV(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(text.String(), "\n"); len(lines) != 6 || lines[0] != "sequence,position,token,name" ||
		!slices.IsSorted(lines[1:5]) || !strings.HasPrefix(lines[4], "1,1,") {
		t.Errorf("%s", text.String())
	}
	text.Reset()
	floors := Floors{Chance: 1, EntropyRate: 0.5, EntropyRateError: 1e-9, Floor: []float64{1, 0.75}, FloorExact: true, ExactPositions: 2}
	if err := floors.Forms().Write(&text, ".csv"); err != nil {
		t.Fatal(err)
	}
	if want := "position,floor,chance,entropy_rate,entropy_rate_error,floor_error\n1,1,1,0.5,1e-09,0\n2,0.75,1,0.5,1e-09,0\n"; text.String() != want {
		t.Errorf("%s", text.String())
	}
}

// What is too much for a picture says so.
func TestTooMuchForAPicture(t *testing.T) {
	s := mustNamed(t, "mess3", nil)
	for _, sample := range []Sample{{Subject: s, Number: 65, Length: 2}, {Subject: s, Number: 1, Length: 513}} {
		if _, err := sample.figure(); err == nil || !strings.Contains(err.Error(), "want at most 64 of 512") {
			t.Errorf("%v", err)
		}
	}
	trace, err := Beliefs(t.Context(), s, make([]int32, 513))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trace.figure(); err == nil || err.Error() != "513 tokens are too many for a picture, want at most 512" {
		t.Errorf("%v", err)
	}
	if _, err := Draw(t.Context(), mustNamed(t, "sine", process.Params{"period": 201}), DrawStates); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
	if _, err := GraphOf(t.Context(), mustOptimum(t, s), DrawGeometry); err == nil {
		t.Error("a graph of the geometry")
	}
}

// What is long or large is drawn, too: lags beyond the tokens of a picture, more levels
// and tokens than have a mark of their own, an arrow of thousands.
func TestPicturesOfLargeProcesses(t *testing.T) {
	for _, c := range []struct {
		name   string
		params process.Params
	}{
		{"interleaved", process.Params{"lags": []float64{1024}}},
		{"interleaved", process.Params{"lags": []float64{1, 2, 3, 4, 5, 6, 7, 30}}},
		{"iid", process.Params{"n": 3000}},
		{"iid", process.Params{"n": 1}},
		{"sine", process.Params{"period": 1, "levels": 2}},
		{"sine", process.Params{"levels": 1024}},
		{"coin", process.Params{"a": 0.01, "b": 0.02, "bos": 1}},
		{"brackets", process.Params{"tags": 4096}},
		{"mackey_glass", process.Params{"points": 2}},
		{"random_chains", process.Params{"tokens": 100}},
	} {
		f, err := Picture(t.Context(), mustNamed(t, c.name, c.params))
		if picture := documenttest.SVG(t, f, err); len(picture) > 400_000 {
			t.Errorf("%s, %v: %d bytes", c.name, c.params, len(picture))
		}
	}
}
