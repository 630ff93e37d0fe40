package curves

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/figure"
	"foretell/internal/golden"
	"foretell/process"
	"foretell/run"
	"foretell/run/runtest"
	"foretell/settings"
	"foretell/train"
)

// madeUp are curves whose numbers are written here: a loss that comes down to its floor.
func madeUp(process string, lr float64, steps int, given ...[2]string) Run {
	r := Run{
		Dir: "runs/" + process, Process: process, Steps: 40, Complete: steps == 40,
		KLByPosition: []float64{0.01 * lr, 0.02 * lr, 0.08 * lr},
		settings:     settings.Of(append([][2]string{{settings.Process, process}, {"train.lr", fmt.Sprint(lr)}}, given...)...),
	}
	for step := 0; step <= steps; step += 10 {
		kl := 0.4 / (1 + lr*float64(step))
		share := (0.25 - kl) / 0.25
		r.Evaluations = append(r.Evaluations, run.Row{
			Evaluation: train.Evaluation{
				Step: step, Optimum: &train.Optimum{Floor: 0.75, KL: kl}, Chance: 1, LossEval: 0.75 + kl, GapClosed: &share,
			},
			Watch: map[string]float64{"norm": float64(step)},
		})
	}
	return r
}

// The caption says over what losses are means.
func TestCurvesSayOverWhat(t *testing.T) {
	sampled, exact := madeUp("mess3", 1, 40), madeUp("mess3", 1, 40, [2]string{"train.objective", "exact"})
	for want, runs := range map[string][]Run{
		"Losses on held-out sequences, in nats":                                                          {sampled},
		"Losses averaged over all sequences by their probabilities (objective: exact), in nats":          {exact, exact},
		"Losses on held-out sequences, or averaged over all sequences where objective is exact, in nats": {sampled, exact},
	} {
		c := &Set{Runs: runs, SameFloor: true}
		c.label()
		f, err := c.figure()
		noted := strings.Contains(fmt.Sprint(f.Notes), strings.TrimPrefix(strings.TrimSuffix(want, ", in nats"), "Losses "))
		if err != nil || noted != strings.Contains(want, "exact") {
			t.Errorf("%v; the figure's notes are %q", err, f.Notes)
		}
		if got := c.caption(); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The figure of two runs of one process has a loss between floor and chance; where floors
// differ it is measured from each run's own.
func TestCurvesFigure(t *testing.T) {
	c := &Set{Runs: []Run{madeUp("mess3", 1, 40), madeUp("mess3", 3, 30)}}
	c.label()
	c.SameFloor = c.sameFloor()
	f, err := c.figure()
	golden.Compare(t, filepath.Join("testdata", "curves.svg"), documenttest.SVG(t, f, err))
	other := madeUp("even", 2, 40)
	for i := range other.Evaluations {
		other.Evaluations[i].Floor = 0.5
	}
	c.Runs = append(c.Runs, other)
	c.label()
	if c.SameFloor = c.sameFloor(); c.SameFloor {
		t.Error("runs with different floors pass for runs with one")
	}
	f, err = c.figure()
	text := documenttest.SVG(t, f, err)
	if strings.Contains(text, ">chance<") || !strings.Contains(text, "own floor") {
		t.Error("losses with different floors stand on one axis")
	}
	for len(c.Runs) <= mostCurves {
		c.Runs = append(c.Runs, other)
	}
	if _, err := c.figure(); err == nil || !strings.Contains(err.Error(), "57 runs are too many") {
		t.Errorf("%v", err)
	}
}

// Steps are on a logarithmic axis where it is asked for, and where the longest run has
// ten times the steps of the shortest; there is no step 0 on it.
func TestCurvesAlong(t *testing.T) {
	runs := func(last ...int) *Set {
		c := &Set{}
		for _, step := range last {
			r := madeUp("mess3", 1, 40)
			r.Evaluations = []run.Row{r.Evaluations[0], r.Evaluations[1]}
			r.Steps, r.Evaluations[1].Step, r.Evaluations[1].Tokens = 40, step, int64(8*step)
			c.Runs = append(c.Runs, r)
		}
		c.label()
		c.SameFloor = true
		return c
	}
	for _, test := range []struct {
		along Along
		last  []int
		label string
		from  float64 // the first place
	}{
		{"", []int{10, 99}, "step", 0},
		{AutoSteps, []int{10, 100}, "step", 10},
		{AutoSteps, []int{0, 100}, "step", 0},
		{LinearSteps, []int{10, 100}, "step", 0},
		{LogSteps, []int{10}, "step", 10},
		{ShareSteps, []int{30, 40}, "share of the run's steps, %", 0},
		{Tokens, []int{30, 40}, "tokens", 0},
		{LogTokens, []int{30, 40}, "tokens", 30 * 8},
	} {
		c := runs(test.last...)
		c.Along = test.along
		f, err := c.figure()
		if err != nil {
			t.Fatal(err)
		}
		chart := f.Panels[1][0].(figure.Chart) // KL, of all evaluations
		x := chart.Series[0].X
		if chart.X.Label != test.label || x[0] != test.from || chart.X.Log != (test.from > 0) {
			t.Errorf("along %q, of %v steps: %+v from %v", test.along, test.last, chart.X, x[0])
		}
		if said := strings.Contains(fmt.Sprint(f.Notes), "cannot show step 0"); said != chart.X.Log {
			t.Errorf("along %q, of %v steps: notes %q", test.along, test.last, f.Notes)
		}
		if test.along == ShareSteps && x[1] != 75 {
			t.Errorf("step 30 of 40 stands at %v %%", x[1])
		}
	}
	unlike := runs(30, 40)
	unlike.Runs[1].Evaluations[1].Tokens = 4000
	for along, want := range map[Along]bool{LinearSteps: true, LogSteps: true, ShareSteps: true, Tokens: false} {
		unlike.Along = along
		f, err := unlike.figure()
		if said := strings.Contains(fmt.Sprint(f.Notes), "A step has 8 to 100 tokens, depending on the run."); err != nil || said != want {
			t.Errorf("along %q: %v, notes %q", along, err, f.Notes)
		}
	}
	c := runs(10, 0)
	c.Along = LogSteps
	if _, err := c.figure(); err == nil || err.Error() != "runs/mess3 has no evaluation after step 0, and a logarithmic axis cannot show step 0" {
		t.Errorf("%v", err)
	}
}

// Losses that are not drawn are told, in the figure and beside it on a page.
func TestLossesLeftOut(t *testing.T) {
	const said = "The first, very high losses are off the chart."
	c := &Set{Runs: []Run{madeUp("mess3", 1, 40)}, SameFloor: true}
	c.label()
	for _, far := range []bool{false, true} {
		if far {
			c.Runs[0].Evaluations[0].LossEval = 3
		}
		f, err := c.figure()
		if notes := strings.Join(f.Notes, ""); err != nil || strings.Contains(notes, said) != far {
			t.Errorf("far above chance: %v, notes %q", far, notes)
		}
		html, err := documenttest.Written(c.Forms(""), ".html")
		if err != nil || strings.Contains(string(html), said) != far {
			t.Errorf("far above chance: %v, and the page does not agree: %v", far, err)
		}
	}
}

// Runs are named by their folder and what differs: not by what follows from it, and
// where much does, by what tells them apart.
func TestCurvesLabels(t *testing.T) {
	width := func(d string) [][2]string {
		return [][2]string{{"model.d_model", d}, {"model.d_head", d}}
	}
	many := func(layers, seed string) (list [][2]string) {
		for _, name := range []string{"n_ctx", "n_layers", "d_model", "n_heads"} {
			list = append(list, [2]string{"model." + name, layers})
		}
		return append(list, [2]string{"train.seed", seed})
	}
	ones := func(but int) [2]string {
		text := strings.Repeat("1, ", 40) + fmt.Sprint(but) + strings.Repeat(", 1", 19)
		return [2]string{"process.params.signal", "[" + text + "]"}
	}
	for want, runs := range map[string][]Run{
		"runs/mess3":                          {madeUp("mess3", 1, 40)},
		"runs/mess3: lr=1 | runs/mess3: lr=3": {madeUp("mess3", 1, 40), madeUp("mess3", 3, 40)},
		"runs/mess3: d_model=4 | runs/mess3: d_model=8": {
			madeUp("mess3", 1, 40, width("4")...), madeUp("mess3", 1, 40, width("8")...),
		},
		"runs/mess3: mess3, lr=1 | runs/mess3: mess3, lr=2 | runs/even: even": {
			madeUp("mess3", 1, 40), madeUp("mess3", 2, 40), madeUp("even", 1, 40),
		},
		"runs/mess3 | runs/mess3": {
			madeUp("mess3", 1, 40, [2]string{"train.checkpoints", "all"}), madeUp("mess3", 1, 40),
		},
		"runs/mess3: attn_only=true | runs/mess3: attn_only=default": {
			madeUp("mess3", 1, 40, [2]string{"model.attn_only", "true"}), madeUp("mess3", 1, 40),
		},
		"runs/mess3: share_prefixes=on | runs/mess3: share_prefixes=off | runs/mess3: share_prefixes=off": {
			madeUp("mess3", 1, 40, [2]string{"train.share_prefixes", "on"}),
			madeUp("mess3", 1, 40, [2]string{"train.share_prefixes", "off"}), madeUp("mess3", 1, 40),
		},
		"runs/mess3: init=runs/tide | runs/mess3: init=none": {
			madeUp("mess3", 1, 40, [2]string{"train.init", "runs/tide"}),
			madeUp("mess3", 1, 40, [2]string{"train.share_prefixes", "off"}),
		},
		"runs/mess3: signal=[…, 9, 1, 1, 1, 1, 1, 1, 1, 1, …] (60 numbers, shown from number 41) | " +
			"runs/mess3: signal=[…, 8, 1, 1, 1, 1, 1, 1, 1, 1, …] (60 numbers, shown from number 41)": {
			madeUp("mess3", 1, 40, ones(9)), madeUp("mess3", 1, 40, ones(8)),
		},
		"runs/mess3: n_ctx=1, n_layers=1, d_model=1, seed=1, … | " +
			"runs/mess3: n_ctx=1, n_layers=1, d_model=1, seed=2, … | " +
			"runs/mess3: n_ctx=2, n_layers=2, d_model=2, seed=1, …": {
			madeUp("mess3", 1, 40, many("1", "1")...), madeUp("mess3", 1, 40, many("1", "2")...),
			madeUp("mess3", 1, 40, many("2", "1")...),
		},
	} {
		c := &Set{Runs: runs}
		c.Name(ByBoth)
		var got []string
		for _, r := range c.Runs {
			got = append(got, r.Label)
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
}

// What is learned comes first in a label and the size of a batch last, which a run on all
// words has none of; runs can be named by their folders, or by their settings alone.
func TestCurvesNaming(t *testing.T) {
	made := func(dir string, batch, objective, optimizer string) Run {
		r := madeUp("mess3", 1, 40)
		r.Dir = dir
		given := [][2]string{{settings.Process, "mess3"}, {"train.lr", "1"}, {"train.batch_size", batch}, {"train.optimizer", optimizer}, {"train.objective", objective}}
		r.settings = settings.Of(slices.DeleteFunc(given, func(s [2]string) bool { return s[1] == "" })...)
		return r
	}
	runs := func() []Run {
		return []Run{
			made("runs/a", "64", "", "adam"), made("runs/b", "128", "", "adam"),
			made("runs/c/", "", "exact", "adam"), made("more/a", "", "exact", "lbfgs"),
		}
	}
	for by, want := range map[Naming]string{
		ByBoth: "runs/a: objective=sampled, optimizer=adam, batch_size=64 | runs/b: objective=sampled, " +
			"optimizer=adam, batch_size=128 | runs/c/: objective=exact, optimizer=adam | more/a: objective=exact, optimizer=lbfgs",
		ByFolder: "runs/a | b | c | more/a",
		BySettings: "objective=sampled, optimizer=adam, batch_size=64 | objective=sampled, optimizer=adam, batch_size=128 | " +
			"objective=exact, optimizer=adam | objective=exact, optimizer=lbfgs",
	} {
		c := &Set{Runs: runs()}
		c.Name(by)
		var got []string
		for _, r := range c.Runs {
			got = append(got, r.Label)
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("%s: %s, want %s", by, text, want)
		}
	}
	c := &Set{Runs: []Run{made("runs/a", "64", "", "adam"), made("runs/b", "", "exact", "adam")}}
	if c.label(); strings.Contains(c.Runs[0].Label, "batch_size") {
		t.Errorf("%s: the other run has no batch size", c.Runs[0].Label)
	}
}

// Runs of a folder are read, complete or not, and written as each kind of file.
func TestPlotRuns(t *testing.T) {
	dir := t.TempDir()
	runtest.Train(t, filepath.Join(dir, "a"))
	runtest.Train(t, filepath.Join(dir, "b"), func(c *train.Config) { c.Train.LR = 2e-2 })
	c, err := Read(t.Context(), filepath.Join(dir, "a"), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Runs) != 2 || !strings.HasSuffix(c.Runs[0].Label, "a: lr=0.01") ||
		!strings.HasSuffix(c.Runs[1].Label, "b: lr=0.02") || !c.SameFloor ||
		c.Runs[0].Process != "mess3 (a = 0.6, x = 0.15)" && c.Runs[0].Process != "mess3" {
		t.Errorf("%+v", c)
	}
	files := map[string][]byte{}
	for _, ending := range []string{".svg", ".html", ".csv", ".json"} {
		if files[ending], err = documenttest.Written(c.Forms("foretell plot"), ending); err != nil {
			t.Fatal(err)
		}
	}
	documenttest.Offline(t, files[".html"])
	rows, err := csv.NewReader(strings.NewReader(string(files[".csv"]))).ReadAll()
	if err != nil || len(rows) != 1+2*3 ||
		!slices.Equal(rows[0][len(rows[0])-2:], []string{"norm of W_U", "train.lr"}) || rows[1][len(rows[1])-2] != "2" {
		t.Errorf("%d rows, %v, %v", len(rows), rows[0], err)
	}
	var read Set
	if err := json.Unmarshal(files[".json"], &read); err != nil || len(read.Runs[1].Evaluations) != 3 ||
		len(read.Runs[1].KLByPosition) != 4 {
		t.Errorf("%+v, %v", read, err)
	}
	if _, err := documenttest.Written(c.Forms(""), ".png"); err == nil {
		t.Error("a picture of pixels is written")
	}
	stopped := filepath.Join(dir, "a")
	err = errors.Join(os.RemoveAll(filepath.Join(stopped, "checkpoints", "step-6")), os.Remove(filepath.Join(stopped, "summary.json")))
	if err != nil {
		t.Fatal(err)
	}
	c, err = Read(t.Context(), stopped)
	if err != nil || c.Runs[0].Complete || !strings.Contains(c.Runs[0].Title(), ", step ") {
		t.Errorf("%+v, %v", c, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ended, stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}
}

// What is no run is said in a line.
func TestPlotRunsThatAreNone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	runtest.Train(t, filepath.Join(dir, "new"))
	if err := os.Remove(filepath.Join(dir, "new", "metrics.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "new", "checkpoints")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such run",
		file:                       "is a file; give a run's folder",
		t.TempDir():                "has no run; give a run's folder",
		filepath.Join(dir, "new"):  "no evaluation yet, so there is nothing to plot",
	} {
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), path+" "+want) &&
			!strings.Contains(err.Error(), path+": "+want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// Beneath the curves of what learned a ring stands whose floor that is: in text, figure
// and page.
func TestMemorisedStandsUnderCurves(t *testing.T) {
	dir := t.TempDir()
	runtest.Train(t, filepath.Join(dir, "glass"), func(c *train.Config) { c.Process = process.Spec{Name: "mackey_glass"} })
	one, err := Read(t.Context(), filepath.Join(dir, "glass"))
	if err != nil || one.memorisedNote() != process.MemorisedNote {
		t.Fatalf("%+v, %v", one, err)
	}
	var text strings.Builder
	if one.Forms("").Print(&text); !strings.Contains(text.String(), process.MemorisedNote) || !strings.Contains(one.caption(), process.MemorisedNote) {
		t.Errorf("%s\n%s", text.String(), one.caption())
	}
	runtest.Train(t, filepath.Join(dir, "mess3"))
	both, err := Read(t.Context(), dir)
	if err != nil || !strings.Contains(both.memorisedNote(), "glass: "+process.MemorisedNote) ||
		strings.Contains(both.memorisedNote(), "mess3") {
		t.Errorf("%q, %v", both.memorisedNote(), err)
	}
	if drawn, err := both.figure(); err != nil || !strings.Contains(strings.Join(drawn.Notes, " "), process.MemorisedNote) {
		t.Errorf("%v, %v", drawn, err)
	}
}

// Runs on a recording and on a process stand side by side, and those on recordings alone.
func TestCurvesWithoutAFloor(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"first", "second"} {
		runtest.Train(t, filepath.Join(dir, "own", name), func(c *train.Config) {
			c.Process = process.Spec{Name: "recording"}
			if name == "second" {
				c.Process.Params = process.Params{"levels": 4.0}
			}
		})
	}
	runtest.Train(t, filepath.Join(dir, "known"))
	for path, titles := range map[string][]string{
		"own":       {"loss minus chance", "loss on training windows", "accuracy", "norm of W_U"},
		"own/first": {"held-out loss", "loss on training windows", "accuracy", "norm of W_U"},
		".": {
			"loss above the run's own floor", "share of the learnable gap closed", "KL by position, last evaluation",
			"loss on training windows", "accuracy", "norm of W_U",
		},
	} {
		c, err := Read(t.Context(), filepath.Join(dir, path))
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
		if _, err := documenttest.Written(c.Forms(""), ".csv"); err != nil {
			t.Error(err)
		}
		if _, err := f.SVG(); err != nil {
			t.Error(err)
		}
	}
}

// Of a run that has stopped early, the text, the figure and the page name the step of the
// model, which is not the last one.
func TestCurvesOfARunThatStopped(t *testing.T) {
	r := madeUp("mess3", 1, 40)
	r.Stop = &run.Chosen{Last: 40, Early: true, Step: 20, Loss: 0.8}
	c := &Set{Runs: []Run{r}, SameFloor: true}
	c.label()
	const want = "runs/mess3 stopped early by train.stop at step 40; the model is from step 20 (loss by which it was chosen: 0.80000 nats)."
	f, err := c.figure()
	if err != nil || !slices.Contains(f.Notes, want) {
		t.Errorf("%v, notes %q", err, f.Notes)
	}
	if notes := c.text()[0].Notes; !slices.Equal(notes, []string{want}) {
		t.Errorf("notes %q", notes)
	}
	if got := r.Result().Step; got != 20 || madeUp("mess3", 1, 40).Result().Step != 40 {
		t.Errorf("the model is that of step %d", got)
	}
}
