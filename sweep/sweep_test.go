package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"foretell/run"
	"foretell/sweep"
)

const base = `process: {name: periodic, params: {pattern: AB}}
model: {d_model: 4, n_layers: 1, n_heads: 1, n_ctx: 3}
train: {seed: 1, batch_size: 4, num_steps: 20, lr: 0.01, evaluate_every: 10, evaluate_sequences: 8, checkpoint_every: 5}
`

// study returns the manifest of the base configuration with a section sweep and
// assignments.
func study(t *testing.T, section string, seeds int, assignments ...string) (*sweep.Manifest, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	if err := os.WriteFile(path, []byte(base+section), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := sweep.Read(path, seeds, assignments...)
	if err != nil {
		return nil, err
	}
	m, err := p.Expand()
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), path, "study.yaml"))
	}
	return m, err
}

func begin(t *testing.T, dir string, m *sweep.Manifest) *sweep.Study {
	t.Helper()
	s, err := sweep.Begin(dir, m, []byte(base))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fingerprints(t *testing.T, s *sweep.Study) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, planned := range s.Runs {
		print, err := run.Fingerprint(s.Run(planned))
		if err != nil {
			t.Error(err)
		}
		found[planned.ID] = print
	}
	return found
}

// A study from flags is the study from a file, and the order of neither changes anything.
func TestGrid(t *testing.T) {
	const section = "sweep: {method: grid, seeds: 2, parameters: {train.lr: {values: [1e-3, 3e-3]}, model.d_model: [4, 8, 16]}}\n"
	file, err := study(t, section, 0)
	if err != nil {
		t.Fatal(err)
	}
	flags, err := study(t, "", 2, "model.d_model=4,8,16", "train.lr=0.001,0.003")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(file, flags) || file.Hash() != flags.Hash() {
		t.Errorf("the file gives\n%+v\nand the flags\n%+v", file, flags)
	}
	if got := fmt.Sprint(file.Varied); got != "[model.d_model train.lr train.seed]" || len(file.Runs) != 12 {
		t.Errorf("%d runs vary %s", len(file.Runs), got)
	}
	var rows []string
	for _, planned := range file.Runs {
		rows = append(rows, strings.Join(planned.Settings, " "))
		c, err := planned.Configuration()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.Model.DModel, c.Train.LR, c.Train.Seed); got != strings.Join(planned.Settings, " ") {
			t.Errorf("%v has the configuration %s", planned.Settings, got)
		}
	}
	if got := strings.Join(rows[:5], "; "); got != "4 0.001 1; 4 0.001 2; 4 0.003 1; 4 0.003 2; 8 0.001 1" {
		t.Errorf("the first runs are %s", got)
	}
}

// Values drawn at random are in their ranges, and the same each time.
func TestRandom(t *testing.T) {
	const section = "sweep: {method: random, run_cap: 40, parameters: {train.lr: {distribution: log_uniform_values, " +
		"min: 1e-4, max: 1e-1}, model.d_model: {distribution: int_uniform, min: 4, max: 7}, " +
		"train.weight_decay: {min: 0, max: 1}, train.batch_size: {values: [4, 8]}}}\n"
	m, err := study(t, section, 0)
	if err != nil {
		t.Fatal(err)
	}
	widths, small := map[int]bool{}, 0
	for _, planned := range m.Runs {
		c, err := planned.Configuration()
		if err != nil {
			t.Fatal(err)
		}
		widths[c.Model.DModel] = true
		if lr := c.Train.LR; lr < 1e-4 || lr > 1e-1 {
			t.Errorf("lr %g", lr)
		} else if lr < 1e-2 {
			small++
		}
		if d := c.Train.WeightDecay; d < 0 || d > 1 {
			t.Errorf("weight decay %g", d)
		}
	}
	// Two thirds of the logarithms are below 1e-2: 27 of 40, give or take 6 (two standard
	// deviations); the draw is fixed.
	if len(m.Runs) != 40 || len(widths) != 4 || widths[3] || widths[8] || small < 21 || small > 33 {
		t.Errorf("%d runs, widths %v, %d small rates", len(m.Runs), widths, small)
	}
	again, err := study(t, section, 0)
	if err != nil || again.Hash() != m.Hash() {
		t.Errorf("a second draw differs: %v", err)
	}
	few, err := study(t, "sweep: {method: random, run_cap: 9, parameters: {train.batch_size: [4, 8]}}\n", 0)
	if err != nil || len(few.Runs) != 2 || few.Repeated != 7 {
		t.Errorf("%+v, %v", few, err)
	}
}

func TestStudyErrors(t *testing.T) {
	for _, c := range []struct{ section, assignments, want string }{
		{"", "train.lrr=1,2", `run 1 of 2: train.lrr=1: unknown key "lrr" in train; did you mean "lr"?`},
		{"", "train.lr=0.1,-1", "run 2 of 2: train.lr=-1: train.lr "},
		{"", "train.lr=", "train.lr=: no value; write key=value, or key=value,value"},
		{"", "train.lr", `train.lr: no "="; write key=value, or key=value,value`},
		{"", "train.lr=1,null", "study.yaml: sweep: train.lr: value 2 is missing"},
		{"", "train.lr=1e-3,0.001", "study.yaml: sweep: train.lr: values 1 and 2 are the same, 0.001"},
		{"", "model.n_heads=1,[1]", "study.yaml: sweep: runs 1 and 2 are the same: model.n_heads=1 and model.n_heads=[1]"},
		{"sweep: {parameters: {train.lr: {}}}\n", "", "study.yaml: sweep: train.lr: has no values; give values: [1e-3, 3e-3], or " +
			"min and max with method: random"},
		{"sweep: {parameters: {train.lr: []}}\n", "", "study.yaml: sweep: train.lr: values is empty; give at least one value"},
		{"sweep: {parameters: {train.lr: {min: 1, max: 2}}}\n", "", "study.yaml: sweep: train.lr: has a distribution, " +
			"which method: random draws from; for method: grid give values"},
		{"sweep: {method: random, parameters: {train.lr: {min: 1, max: 2}}}\n", "", "study.yaml: sweep: method: random " +
			"draws run_cap combinations; give run_cap"},
		{"sweep: {method: random, run_cap: 2, parameters: {train.lr: {min: 2, max: 1}}}\n", "", "study.yaml: sweep: " +
			"train.lr: min 2 is not less than max 1"},
		{
			"sweep: {method: random, run_cap: 2, parameters: {train.lr: {min: 0, max: 1, distribution: log_uniform_values}}}\n",
			"", "study.yaml: sweep: train.lr: min 0 is not positive, as log_uniform_values needs it",
		},
		{"sweep: {method: bayes}\n", "", `sweep.method`},
		{"sweep: {seeds: 2, parameters: {train.seed: [1, 2]}}\n", "", "study.yaml: sweep: train.seed has its own values; leave out seeds"},
		{"sweep: {seeds: 2, run_cap: 3, parameters: {train.lr: [1, 2]}}\n", "", "study.yaml: sweep: the grid has 4 runs, more than run_cap, 3"},
		{"sweep: {seed: 2}\n", "", `unknown key "seed"; did you mean "seeds"?`},
	} {
		var assignments []string
		if c.assignments != "" {
			assignments = append(assignments, c.assignments)
		}
		_, err := study(t, c.section, 0, assignments...)
		text := fmt.Sprint(err)
		if at := strings.Index(text, "study.yaml: "); at > 0 {
			text = text[at:] // without the folder
		}
		if !strings.HasPrefix(text, c.want) && !(err != nil && strings.Contains(text, c.want)) || strings.Contains(text, "\n") {
			t.Errorf("%s%s:\ngot  %s\nwant %s", c.section, c.assignments, text, c.want)
		}
	}
	many := "train.lr="
	for i := range 1000 {
		many += fmt.Sprintf("%d,", i+1)
	}
	many = strings.TrimSuffix(many, ",")
	_, err := study(t, "", 0, many, strings.Replace(many, "train.lr", "model.d_model", 1))
	if want := "study.yaml: sweep: the grid has 1000000 runs, more than run_cap, 100000"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A study that is interrupted again and again ends with the bits of the undisturbed one,
// and a complete one trains nothing.
func TestTrainGoesOn(t *testing.T) {
	m, err := study(t, "", 3, "train.lr=0.01,0.02")
	if err != nil {
		t.Fatal(err)
	}
	whole, disturbed := begin(t, t.TempDir(), m), begin(t, t.TempDir(), m)
	if _, err := whole.Train(t.Context(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	interruptions := 0
	for {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		states, err := disturbed.Train(ctx, sweep.Options{Workers: 2, Advance: func(int, int) {
			if steps++; steps == 11 {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			if c := sweep.Count(states); c.Complete != 6 {
				t.Errorf("%+v", c)
			}
			break
		}
		if !errors.Is(err, run.ErrInterrupted) {
			t.Fatal(err)
		}
		if interruptions++; interruptions > 40 {
			t.Fatal("it makes no progress")
		}
		if disturbed, err = sweep.Open(disturbed.Dir); err != nil {
			t.Fatal(err)
		}
	}
	if interruptions < 5 {
		t.Errorf("only %d interruptions", interruptions)
	}
	if got, want := fingerprints(t, disturbed), fingerprints(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("the disturbed study has\n%v\nwant\n%v", got, want)
	}
	again := begin(t, whole.Dir, m)
	if _, err := again.Train(t.Context(), sweep.Options{Advance: func(int, int) { t.Error("a complete study is trained") }}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(disturbed.Dir, "attempts", "*"))
	if len(left) > 0 || err != nil {
		t.Errorf("attempts are left: %v, %v", left, err)
	}
}

// Of runs that diverge the others are trained, and they are not tried again; other
// failures are.
func TestFailures(t *testing.T) {
	m, err := study(t, "", 0, "train.lr=0.01,100", "train.optimizer=sgd", "train.momentum=0.999", "train.num_steps=400")
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, t.TempDir(), m)
	states := func(notices int) string {
		t.Helper()
		var told []string
		list, err := s.Train(t.Context(), sweep.Options{Notice: func(text string) { told = append(told, text) }})
		if err != nil || len(told) != notices {
			t.Errorf("%v, notices %q, want %d", err, told, notices)
		}
		return fmt.Sprintf("%s %s", list[0].State, list[1].State)
	}
	blocked := s.Run(m.Runs[0]) // a file where the run's folder belongs
	attempt := filepath.Join(s.Dir, "attempts", m.Runs[0].ID)
	if err := os.WriteFile(attempt, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := states(3); got != "failed diverged" {
		t.Errorf("with a file in the way: %s", got)
	}
	if err := os.Remove(attempt); err != nil {
		t.Fatal(err)
	}
	if got := states(0); got != "complete diverged" {
		t.Errorf("without it: %s", got)
	}
	if _, err := run.Fingerprint(blocked); err != nil {
		t.Error(err)
	}
}

// Programs on several machines train the same runs: each in a folder of its own, from the
// furthest attempt, and a run that was hidden for several looks is not trained again.
func TestAttemptsOfSeveralMachines(t *testing.T) {
	m, err := study(t, "", 0, "train.lr=0.01,0.02")
	if err != nil {
		t.Fatal(err)
	}
	whole, s := begin(t, t.TempDir(), m), begin(t, t.TempDir(), m)
	if _, err := whole.Train(t.Context(), sweep.Options{}); err != nil {
		t.Fatal(err)
	}
	// The first machine is lost after some steps: its attempt stays behind.
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	first := sweep.Options{Last: 1, Attempt: "7_0.1", Wait: noWait, Advance: func(int, int) {
		if steps++; steps == 10 {
			cancel()
		}
	}}
	if _, err := s.Train(ctx, first); !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	lost := filepath.Join(s.Dir, "attempts", m.Runs[0].ID+".7_0.1")
	kept := filepath.Join(t.TempDir(), "kept")
	if err := run.Copy(lost, kept); err != nil {
		t.Fatal(err)
	}
	steps = 0
	second := sweep.Options{Last: 1, Attempt: "7_0.2", Wait: noWait, Advance: func(int, int) { steps++ }}
	if _, err := s.Train(t.Context(), second); err != nil || steps != 10 {
		t.Errorf("%v; the second machine took %d steps, want 10", err, steps)
	}
	// The first machine was not lost at all: it goes on, and finds the same run complete.
	if err := run.Copy(kept, lost); err != nil {
		t.Fatal(err)
	}
	c, err := m.Runs[0].Configuration()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Ensure(t.Context(), lost, c, run.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := run.Publish(lost, s.Run(m.Runs[0])); err != nil {
		t.Error(err)
	}
	if _, err := s.Train(t.Context(), sweep.Options{First: 1, Attempt: "7_1.1", Wait: noWait}); err != nil {
		t.Fatal(err)
	}
	if got, want := fingerprints(t, s), fingerprints(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	_, err = s.Train(t.Context(), sweep.Options{First: 1, Last: 3})
	if want := "sweep: there are no runs 1 to 3; the study has 2"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// noWait looks again at once.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestFolderOfAnotherStudy(t *testing.T) {
	m, err := study(t, "", 0, "train.lr=0.01,0.02")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	begin(t, dir, m)
	for assignments, want := range map[string]string{
		"train.lr=0.01,0.03":                 " holds another study: its run 2 has train.lr=0.02, which the other study has as train.lr=0.03; give another folder",
		"train.lr=0.01":                      " holds another study: it varies [train.lr], not []; give another folder",
		"train.lr=0.01,0.02,0.03":            " holds another study: it has 2 runs, not 3; give another folder",
		"train.lr=0.01,0.02 model.d_model=8": " holds another study: its run 1 has model.d_model=4, which the other study has as model.d_model=8; give another folder",
	} {
		other, err := study(t, "", 0, strings.Fields(assignments)...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sweep.Begin(dir, other, nil); fmt.Sprint(err) != dir+want {
			t.Errorf("%s:\ngot  %v\nwant %s", assignments, err, dir+want)
		}
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = sweep.Begin(full, m, nil)
	if want := full + " holds thesis.tex, which does not belong to a study; give a new folder"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := sweep.Open(full); err == nil || !strings.Contains(err.Error(), "holds no study") {
		t.Errorf("%v", err)
	}
	path := filepath.Join(dir, "manifest.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"0.02"`, `"0.05"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Open(dir); fmt.Sprint(err) != path+" does not match its own hash: it has been changed" {
		t.Errorf("%v", err)
	}
}
