package inspect

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/figure"
	"foretell/internal/golden"
	"foretell/model"
	"foretell/probe"
	"foretell/process"
	"foretell/run/runtest"
	"foretell/train"
)

// portrayed is the portrait of a model.
func portrayed(t *testing.T, path string, params process.Params, q probe.Question) *Portrait {
	t.Helper()
	m, err := Open(path, params)
	if err != nil {
		t.Fatal(err)
	}
	q.Workers = 1
	p, err := Portray(t.Context(), m, q, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// trainedOn is the portrait of a tiny run.
func trainedOn(t *testing.T, changes ...func(*train.Config)) *Portrait {
	t.Helper()
	t.Chdir(t.TempDir())
	runtest.Train(t, filepath.Join("runs", "first"), changes...)
	return portrayed(t, filepath.Join("runs", "first"), nil, probe.Question{})
}

// Constrained beliefs are drawn where the page of beliefs has them, in the same triangle
// and colours, under their own name: no observer holds them.
func TestPortraitOfConstrainedBeliefs(t *testing.T) {
	t.Chdir(t.TempDir())
	path := filepath.Join("runs", "first")
	runtest.Train(t, path, func(c *train.Config) { c.Process.Params = process.Params{"x": 0.5, "a": 0.6} })
	p := portrayed(t, path, nil, probe.Question{Target: probe.Constrained})
	beside := portrayed(t, path, nil, probe.Question{Target: probe.Beliefs})
	drawn, of := p.seen.panel("", p.seen.truth), beside.seen.panel("", beside.seen.truths[1].data)
	if _, ok := drawn.(figure.Simplex); !ok || !reflect.DeepEqual(drawn, of) {
		t.Errorf("%T is not what the page of beliefs has, %T", drawn, of)
	}
	page, err := documenttest.Written(p.Forms(""), ".html")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"constrained beliefs of mess3": true, "of the constrained beliefs read": true, "constrained 0": true,
		"optimal constrained": false, "the constrained belief that the optimal observer": false,
		"colour is the belief that the optimal observer holds": true, "what the optimal observer holds": false,
	} {
		if strings.Contains(string(page), text) != want {
			t.Errorf("the page has %q: %v", text, !want)
		}
	}
}

// A run on a process of three states is drawn in their triangle; its page has each figure
// with its numbers and needs no other file; CSV has a row for each word.
func TestPortraitOfARun(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	p := trainedOn(t)
	page, err := documenttest.Written(p.Forms("foretell probe runs/first --out page.html"), ".html")
	if err != nil {
		t.Fatal(err)
	}
	documenttest.Offline(t, page)
	for _, want := range []string{
		"Inside runs/first", "What the model knows", "How well the beliefs can be read, against controls", "without a regression",
		"What each head attends to", "theory, head 1 of 1", "How far it is from the best prediction", "How it learned",
		"share of the learnable gap closed", "<code>foretell probe runs/first --out page.html</code>", "batch_size 8",
		"All 120 sequences", "constrained beliefs", "Linear beliefs are the closest sum", "untrained",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n, want := strings.Count(string(page), "<figure"), 6; n != want {
		t.Errorf("%d figures, want %d", n, want)
	}
	checkFiles(t, p, 1+120, 2+3*4)
	t.Chdir(here)
	f, err := p.figure()
	golden.Compare(t, filepath.Join("testdata", "portrait.svg"), documenttest.SVG(t, f, err))
}

// checkFiles holds the CSV of a portrait to rows and columns, and its JSON to fields.
func checkFiles(t *testing.T, p *Portrait, rows, columns int) {
	t.Helper()
	text, err := documenttest.Written(p.Forms(""), ".csv")
	if err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(table) != rows || len(table[0]) != columns {
		t.Errorf("%d rows of %d, want %d of %d, %v", len(table), len(table[0]), rows, columns, err)
	}
	if text, err = documenttest.Written(p.Forms(""), ".json"); err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model", "process", "facts", "target", "stages", "kl_by_position"} {
		if len(fields[name]) == 0 || string(fields[name]) == "null" {
			t.Errorf("JSON lacks %s", name)
		}
	}
}

// R² and its controls are those of the report of the same question.
func TestPortraitAgreesWithTheReport(t *testing.T) {
	p := trainedOn(t)
	m, err := Open(p.Model, nil)
	if err != nil {
		t.Fatal(err)
	}
	source, err := m.Process()
	if err != nil {
		t.Fatal(err)
	}
	words, err := probe.Question{}.Words(t.Context(), source, p.Length)
	if err != nil {
		t.Fatal(err)
	}
	report, err := probe.Examine(t.Context(), probe.Subject{Model: m.network.inFloat32(), Seed: m.seed}, words, probe.Question{})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range report.Stages {
		got := p.Stages[i]
		if got.Stage != s.Stage || got.R2.Mean != s.R2 || got.R2.Error != s.R2Error || got.RMSE != s.RMSE ||
			got.Shuffled.Mean != s.Shuffled || got.Random[0] != s.Random || len(got.Random) != untrainedModels ||
			p.NextToken.Mean != s.NextToken {
			t.Errorf("%+v, the report has %+v", got, s)
		}
	}
	for i, kl := range report.KLPosition {
		if p.KL[i].Mean != kl {
			t.Errorf("KL at position %d is %v, the report has %v", i+1, p.KL[i].Mean, kl)
		}
	}
	sum := 0.0
	for _, x := range p.Attention[0].Mean {
		sum += x
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("attention from the last position sums to %v", sum)
	}
}

// Every kind of process has a page: more states than three in their plane, none by its
// next tokens, two outcomes against the truth; a flat network has no attention, weights
// by hand no random initialisation, and of what does not vary nothing is read.
func TestPortraitsOfAllKinds(t *testing.T) {
	for name, test := range map[string]struct {
		change        func(*train.Config)
		want, lacking string
	}{
		"states":   {func(c *train.Config) { c.Process.Name = "z1r"; c.Model.NCtx = 5 }, "resid_post", "no_such"},
		"plane":    {func(c *train.Config) { c.Process.Name = "rrxor"; c.Model.NCtx, c.Model.NLayers = 6, 2 }, "first principal component", ">theory"},
		"signal":   {func(c *train.Config) { c.Process.Name = "sine"; c.Model.NCtx = 6 }, "beliefs of", "no_such"},
		"lags":     {func(c *train.Config) { c.Process.Name = "interleaved"; c.Model.NCtx = 5 }, "next-token distribution", "constrained"},
		"coin":     {func(c *train.Config) { c.Process.Name = "coin"; c.Model.NCtx = 6 }, "optimal Pr(", "constrained"},
		"program":  {func(c *train.Config) { c.Process.Name = "routing"; c.Model.NCtx = 3 }, "constant guess at positions 1 … 4;", "constrained"},
		"constant": {func(c *train.Config) { c.Process.Name = "iid" }, "No regression is drawn", ", against controls"},
		"flat": {func(c *train.Config) {
			c.Model = model.Config{Architecture: "flat", DModel: 4, NLayers: 1, DMLP: 8, NCtx: 4}
		}, "flat network", "What each head attends to"},
	} {
		t.Run(name, func(t *testing.T) {
			p := trainedOn(t, test.change)
			page, err := documenttest.Written(p.Forms("foretell probe"), ".html")
			if err != nil {
				t.Fatal(err)
			}
			documenttest.Offline(t, page)
			if !strings.Contains(string(page), test.want) || strings.Contains(string(page), test.lacking) {
				t.Errorf("the page has no %q, or has %q", test.want, test.lacking)
			}
		})
	}
	p := portrayed(t, "craft:coin", process.Params{"n_ctx": 6.0}, probe.Question{})
	page, err := documenttest.Written(p.Forms("foretell probe craft:coin"), ".html")
	if err != nil {
		t.Fatal(err)
	}
	documenttest.Offline(t, page)
	if text := string(page); strings.Contains(text, "How it learned") || !strings.Contains(text, "hand-written") {
		t.Error("weights written by hand are shown as a run's")
	}
	if last := p.Stages[len(p.Stages)-1]; last.R2.Mean < 0.999 || last.Random != nil {
		t.Errorf("%+v", last)
	}
}

// Where there is nothing to read there is no figure, and where words are too many to hold
// sampled ones stand for them.
func TestPortraitsWithoutPictures(t *testing.T) {
	p := trainedOn(t, func(c *train.Config) { c.Process.Name = "iid" })
	for _, ending := range []string{".svg", ".csv"} {
		if _, err := documenttest.Written(p.Forms(""), ending); err == nil || !strings.Contains(err.Error(), "the same after every sequence") {
			t.Errorf("%s: %v", ending, err)
		}
	}
	p = trainedOn(t, func(c *train.Config) { c.Model.NCtx = 20 })
	if rows := p.seen.words.Rows(); p.Sequences == 0 || rows > mostPortrayed || len(p.seen.rows) != p.seen.truth.Rows() {
		t.Errorf("%d words are drawn of %d", rows, p.Words)
	}
}

// The first sentence of a page distinguishes a trained model from one that knows no more
// than an untrained one.
func TestPortraitResult(t *testing.T) {
	stage := func(hook string, r2, half float64, random ...float64) PortraitStage {
		return PortraitStage{Stage: hook, R2: probe.Estimate{Mean: r2, Error: half}, Random: random}
	}
	one := model.Config{NLayers: 1, NHeads: model.Heads{1}, DModel: 4}
	two := model.Config{NLayers: 2, NHeads: model.Heads{1, 1}, DModel: 4, AttnOnly: true}
	for _, c := range []struct {
		config model.Config
		stages []PortraitStage
		want   string
	}{
		{one, nil, ""},
		{
			one,
			[]PortraitStage{
				stage("blocks.0.hook_resid_pre", 0.798, 0, 0.798), stage("blocks.0.hook_resid_post", 0.9982, 1e-4, 0.937, 0.941),
			},
			"After the MLP, the belief can be read with R² 0.998; from an untrained model with 0.937.",
		},
		{
			one,
			[]PortraitStage{stage("blocks.0.hook_resid_mid", 0.938, 1e-3, 0.937, 0.941)},
			"After attention, the belief can be read with R² 0.938, no better than from untrained models (up to 0.941).",
		},
		{
			two,
			[]PortraitStage{stage("blocks.1.hook_resid_mid", 0.99999, 0)},
			"In layer 1, after attention, the belief can be read with R² 0.99999.",
		},
		{one, []PortraitStage{stage("blocks.0.hook_resid_pre", 1, 0)}, "From the embedding, the belief can be read with R² 1.000."},
	} {
		p := &Portrait{Stages: c.stages, config: c.config, target: probe.Beliefs}
		if got := p.Result(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// A probe's text counts the sequences that can occur, like its page.
func TestProbesCountAlike(t *testing.T) {
	dir := t.TempDir()
	runtest.Train(t, dir, func(c *train.Config) {
		c.Process, c.Model.DVocab = process.Spec{Name: "golden_mean"}, 2
	})
	m, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := probe.Question{Target: probe.Beliefs}
	p, err := Portray(t.Context(), m, q, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, err := m.Probe(t.Context(), q, m.Config().NCtx)
	if err != nil {
		t.Fatal(err)
	}
	var page, text strings.Builder
	p.Forms("").Print(&page)
	found.Forms().Print(&text)
	want := fmt.Sprintf(" over %s\n", p.sampled())
	if p.Words >= found.Words || !strings.Contains(page.String(), want) || !strings.Contains(text.String(), want) {
		t.Errorf("want %q in\n%s\n%s", want, page.String(), text.String())
	}
}
