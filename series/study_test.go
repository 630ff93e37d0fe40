package series

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/random"
	"foretell/process"
)

// examined returns the report on a series with one forecaster of each kind.
func examined(t *testing.T, s *Series, r Request) *Report {
	t.Helper()
	report, err := Examine(t.Context(), s, r)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A monthly series with a season is described, forecast by the season ahead, and found to
// be foreseeable where its shuffled copy is not; the folder has what Write promises.
func TestExamine(t *testing.T) {
	s, err := Read("testdata/nottem.csv", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r := examined(t, s, Request{Seed: 1})
	if r.Season != 12 || len(r.Skills) != 2 || r.Skills[1].Horizon != 12 || len(r.Forecast) != 12 {
		t.Errorf("season %d, skills %v, %d values ahead", r.Season, r.Skills, len(r.Forecast))
	}
	if !strings.HasPrefix(r.Verdict, "At least 3") || !strings.Contains(r.Verdict, "about the next month") {
		t.Errorf("verdict %q", r.Verdict)
	}
	if r.Forecast[0].Time != "1940-01" || !slices.IsSorted(r.Forecast[0].Quantiles) {
		t.Errorf("the first value ahead is %+v", r.Forecast[0])
	}
	if len(r.Copies) != 2 || r.Copies[0].Skill.Foreseen() {
		t.Errorf("copies %+v", r.Copies)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := r.Write(dir, "foretell series nottem.csv"); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "forecast.csv hmm.yaml series.html series.json series.svg" {
		t.Errorf("wrote %s", got)
	}
	if p, err := process.Load(filepath.Join(dir, "hmm.yaml")); err != nil || p.Alphabet() != 16 {
		t.Errorf("the model reads back as %v, %v", p, err)
	}
}

// The text has a row for each forecaster, and facts that are beyond chance: the Nile fell
// in 1899.
func TestTextOfAReport(t *testing.T) {
	s, err := Read("testdata/nile.csv", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	examined(t, s, Request{Seed: 1}).Forms("foretell series nile.csv").Print(&b)
	for _, line := range []string{
		"length\t100 values, one each year, 1871 to 1970",
		"change of level\tat 1899, from 1098 to 850",
		"last value\t2.7185", "theta *\t2.5424",
		"left out: seasonal naive: the series has no season",
		"Nothing here shows that the next year can be foreseen.",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no line begins with %q in\n%s", line, b.String())
		}
	}
	if strings.Contains(b.String(), "trend") {
		t.Error("it names a trend that is not beyond chance")
	}
}

// Of noise nothing is said to be foreseen, in every form.
func TestExamineNoise(t *testing.T) {
	var b bytes.Buffer
	r := examined(t, &Series{Source: "noise", Values: noise(3, 500)}, Request{Seed: 1})
	r.Forms("foretell series noise").Print(&b)
	if !strings.Contains(b.String(), "Nothing here shows that the next value can be foreseen.") {
		t.Error(b.String())
	}
	for _, word := range []string{"entropy rate", "floor 0", "ceiling"} {
		if strings.Contains(b.String(), word) {
			t.Errorf("the text says %q", word)
		}
	}
}

// The numbers of symbols are those of the references: R's BCT on pewee, and Baum–Welch on
// geyser from the best of ten starts.
func TestExamineSymbols(t *testing.T) {
	read := func(file string) *Series {
		s, err := Read(filepath.Join("testdata", file), ReadOptions{Symbols: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	r := examined(t, read("pewee.txt"), Request{})
	if got := fmt.Sprintf("%.6f %.8f %d", r.Tree.LogLikelihood, r.Tree.Map.LogPosterior, len(r.Tree.Map.Leaves)); got !=
		"-375.038989 -2.52883923 13" {
		t.Errorf("pewee: %s", got)
	}
	checkOdds(t, r)
	r = examined(t, read("geyser.txt"), Request{States: 2})
	if got := fmt.Sprintf("%.4f", r.HMM.LogLikelihood); got != "-126.7078" {
		t.Errorf("geyser: %s", got)
	}
}

// Symbols have no mean, no error and no quantile: they are forecast by their
// probabilities, in every form.
func checkOdds(t *testing.T, r *Report) {
	t.Helper()
	for _, row := range r.Forecasters {
		if row.Errors != nil || row.Name == (UnconditionalNormal{}).Name() {
			t.Errorf("%s of symbols has the scores %+v", row.Name, row.Errors)
		}
	}
	if a := r.Forecast[0]; a.Number != nil || len(a.Probabilities) != 3 ||
		math.Abs(a.Probabilities[0]+a.Probabilities[1]+a.Probabilities[2]-1) > 1e-12 {
		t.Errorf("the next symbol is forecast as %+v", a)
	}
	var csv, page, numbers bytes.Buffer
	forms := r.Forms("foretell series pewee.txt")
	for ending, b := range map[string]*bytes.Buffer{".csv": &csv, ".html": &page, ".json": &numbers} {
		if err := forms.Write(b, ending); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasPrefix(csv.String(), "time,0,1,2\n") || strings.Contains(numbers.String(), `"mean":`) {
		t.Errorf("forecast.csv begins with %.20q, or the JSON has a mean", csv.String())
	}
	if !strings.Contains(page.String(), "Probability that each symbol comes next") {
		t.Error("the page has no figure of probabilities")
	}
}

// A context tree and a hidden Markov model forecast a known chain: after a cell, the
// probabilities of the next cells, and far ahead the stationary ones.
func TestForecastersOfCells(t *testing.T) {
	const n, stay = 20_000, 0.9
	stream, values := random.New(7, "test/chain"), make([]float64, n)
	for i := range values[1:] {
		if values[i+1] = values[i]; stream.Float64() > stay {
			values[i+1] = 1 - values[i]
		}
	}
	values[n/2] = math.NaN()
	o := Options{Levels: 2, symbols: 2}
	cells, err := o.cells(values)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Forecaster{ContextTree{Depth: 3}, HiddenMarkov{States: 2}} {
		m, err := f.Fit(t.Context(), Past{Values: values, Cells: cells})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			m.Observe(1)
		}
		ahead := m.Forecast(3)
		for h, want := range []float64{0.9, 0.82, 0.756} {
			if got := 1 - ahead[h].CDF(0.5); math.Abs(got-want) > 0.05 {
				t.Errorf("%s, %d ahead: %.3f, want %.3f", m.Name(), h+1, got, want)
			}
		}
		m.Observe(math.NaN())
		if d := m.Forecast(1)[0]; f == (ContextTree{Depth: 3}) && d != nil {
			t.Error("a context tree forecasts after a missing value")
		} else if d != nil && math.Abs(1-d.CDF(0.5)-0.82) > 0.05 {
			t.Errorf("%s after a missing value: %.3f", m.Name(), 1-d.CDF(0.5))
		}
	}
}

// A report says which forecasters saw only the end, and a tree forecasts only so far.
func TestLongSeries(t *testing.T) {
	r := &Report{Comparison: &Comparison{
		Parts:       Parts{Train: mostFitted},
		Forecasters: []Row{{Name: "ETS(A,N,N)"}, {Name: "hidden Markov(2)"}, {Name: "AR(2)"}},
	}}
	if got := strings.Join(r.shortened(), " "); got != "ETS is fitted to the last 4000 values alone." {
		t.Error(got)
	}
	r.Parts.Train++
	if got := r.shortened(); len(got) != 2 || got[1] != "hidden Markov is fitted to the last 20000 values alone." {
		t.Error(got)
	}
	values := noise(2, 50)
	cells, err := FitCells(values, 4)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ContextTree{Depth: 1}.Fit(t.Context(), Past{Values: values, Cells: cells})
	if err != nil {
		t.Fatal(err)
	}
	if ahead := m.Forecast(farthest + 1); ahead[farthest-1] == nil || ahead[farthest] != nil {
		t.Errorf("the last forecasts are %v", ahead[farthest-1:])
	}
}

// The context tree's forecasts of one step are the tree's, so a sequence's nats are its
// code length.
func TestForecastsAreTheTrees(t *testing.T) {
	values, o := noise(5, 400), Options{Levels: 4}
	cells, err := o.cells(values)
	if err != nil {
		t.Fatal(err)
	}
	model, err := ContextTree{Depth: 2}.Fit(t.Context(), Past{Values: values[:2], Cells: cells})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, x := range values[2:] {
		_, low, high := cells.cell(x)
		d := model.Forecast(1)[0]
		p := d.CDF(math.Min(high, 1e9)) - d.CDF(math.Max(low, -1e9))
		sum += math.Log(p)
		model.Observe(x)
	}
	if want := model.(*branching).tree.LogLikelihood(); math.Abs(sum-want) > 1e-6 {
		t.Errorf("sum of logarithms %.8f, want %.8f", sum, want)
	}
}
