package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/train"
)

// endedRun trains a small configuration to its end.
func endedRun(t *testing.T, change func(*train.Options)) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	c := smallConfig()
	change(&c.Train)
	if _, err := Ensure(t.Context(), dir, c, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mustExtend extends a run and trains it to its new end.
func mustExtend(t *testing.T, dir string, assignments ...string) {
	t.Helper()
	r, err := Extend(t.Context(), dir, Options{Workers: 2}, assignments...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A run that is extended after its end, or before, ends in the weights, the optimiser's
// state, the configuration and the rows of one that had the larger number from the start.
func TestExtendedRunIsTheLongerRun(t *testing.T) {
	long := endedRun(t, func(o *train.Options) { o.NumSteps = 60 })
	want, err := Metrics(long)
	if err != nil {
		t.Fatal(err)
	}
	twice := endedRun(t, func(o *train.Options) { o.NumSteps = 20 })
	mustExtend(t, twice, "train.num_steps=45")
	for name, dir := range map[string]string{
		"finished": endedRun(t, func(*train.Options) {}), "interrupted": stopAt(t, 33), "begun": stopAt(t, 1), "twice": twice,
	} {
		mustExtend(t, dir, "train.num_steps=60")
		for _, file := range []string{
			model.ConfigFile, "checkpoints/step-60/model.safetensors", "checkpoints/step-60/optimizer.safetensors", summaryFile,
		} {
			if read(t, filepath.Join(dir, file)) != read(t, filepath.Join(long, file)) {
				t.Errorf("%s: %s differs from the longer run's", name, file)
			}
		}
		if got, err := Metrics(dir); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v; rows\n%+v\nwant\n%+v", name, err, got, want)
		}
		if r := Check(dir); len(r.Problems) > 0 || !r.Complete || len(r.Notes) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if _, err := Ensure(t.Context(), dir, configOf(t, long), Options{Workers: 1}); err != nil {
			t.Errorf("%s: asked for as the longer run: %v", name, err)
		}
	}
}

func configOf(t *testing.T, dir string) train.Config {
	t.Helper()
	c, err := train.Load(filepath.Join(dir, model.ConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is evaluated and kept may change on the way, there and back; what is behind stays
// as it was, and the files say what happened.
func TestExtendingChangesWhatIsKept(t *testing.T) {
	dir := stopAt(t, 22)
	steps := func() (list []int) {
		rows, err := Metrics(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			list = append(list, row.Step)
		}
		return list
	}
	for _, stage := range []struct {
		stop        int
		assignments []string
	}{
		{31, []string{"train.evaluate_every=2", "train.checkpoints=all"}},
		{37, []string{"train.evaluate_every=5", "train.checkpoints=last"}},
		{50, []string{"train.num_steps=50", "train.checkpoint_every=3", "train.checkpoints=[41, 44]"}},
	} {
		r, err := Extend(t.Context(), dir, Options{Workers: 1}, stage.assignments...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r.OnStep = func(step int, _ float64) {
			if step == stage.stop && step < 50 {
				cancel()
			}
		}
		if err := r.Train(ctx); err != nil && !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
		cancel()
		r.Close()
		if report := Check(dir); len(report.Problems) > 0 {
			t.Errorf("at step %d: %+v", stage.stop, report.Problems)
		}
	}
	if got, want := steps(), []int{0, 5, 10, 15, 20, 24, 26, 28, 30, 35, 40, 45, 50}; !slices.Equal(got, want) {
		t.Errorf("rows of steps %v, want %v", got, want)
	}
	if got, want := keptSnapshots(dir), []int{30, 41, 44}; !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
	var env struct {
		Lives []struct {
			Step     int
			Extended int `json:"extended_from"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, envFile))), &env); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(env.Lives); got != "[{0 0} {22 40} {31 40} {37 40}]" {
		t.Errorf("lives %s", got)
	}
}

// What may not change is an error of one line, and the run is as it was.
func TestExtensionsThatAreNone(t *testing.T) {
	constant := endedRun(t, func(*train.Options) {})
	cosine := endedRun(t, func(o *train.Options) { o.LRSchedule = "cosine" })
	before := contents(t, constant)
	for _, c := range []struct{ dir, assignment, want string }{
		{constant, "train.lr=1e-3", "train.lr cannot change when a run is continued, only train.num_steps, train.evaluate_every, train.checkpoint_every, train.checkpoint_minutes, train.checkpoints; " +
			"train a new run, which can start from these weights by train.init: DIR"},
		{constant, "process.name=even", "process.name cannot change when a run is continued, only train.num_steps, train.evaluate_every, train.checkpoint_every, train.checkpoint_minutes, train.checkpoints; " +
			"train a new run"},
		{constant, "train.objective=exact", "train.objective cannot change when a run is continued, only train.num_steps, train.evaluate_every, train.checkpoint_every, train.checkpoint_minutes, train.checkpoints; " +
			"train a new run, which can start from these weights by train.init: DIR"},
		{constant, "train.num_steps=39", "train.num_steps = 39 is before step 40, which the run has reached"},
		{constant, "train.num_steps=many", `train.num_steps=many: train.num_steps: "many" is not a whole number`},
		{constant, "train.num_step=60", `train.num_step=60: unknown key "num_step" in train; did you mean "num_steps"?`},
		{constant, "train.num_steps=-1", "train.num_steps=-1: train.num_steps = -1 is outside [1, 1e+12]"},
		{constant, "train.num_steps=1e12", "train.evaluate_every = 5 makes 200000000001 evaluations, and metrics.jsonl can hold 909950; evaluate every 1098962 steps"},
		{constant, "train.checkpoints=[7]", "train.checkpoints = 7 is too late: the run has reached step 40 without keeping the weights of step 7"},
		{cosine, "train.num_steps=60", "train.num_steps cannot change with lr_schedule: cosine, which ends at step 40: " +
			"another number would change the learning rate from the first step on; train in another folder, from the beginning or from these weights by train.init: DIR"},
	} {
		r, err := Extend(t.Context(), c.dir, Options{Workers: 1}, c.assignment)
		if got := strings.ReplaceAll(fmt.Sprint(err), c.dir, "DIR"); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if err == nil {
			r.Close()
		}
	}
	wantSame(t, contents(t, constant), before)
	r, err := Extend(t.Context(), constant, Options{Workers: 1}, "train.num_steps=40") // which changes nothing
	if err != nil || r.At() != 40 {
		t.Fatalf("%v", err)
	}
	r.Close()
	wantSame(t, contents(t, constant), before)
}

// A config.yaml that somebody changes after the run was extended is noticed, and so are
// rows of which the first belong to another run.
func TestEditsOfAnExtendedRun(t *testing.T) {
	dir := endedRun(t, func(*train.Options) {})
	mustExtend(t, dir, "train.num_steps=60")
	before := contents(t, dir)
	for name, edit := range map[string]func(){
		"config.yaml": func() {
			write(t, filepath.Join(dir, model.ConfigFile), strings.Replace(before[model.ConfigFile], "num_steps: 60", "num_steps: 70", 1))
		},
		"the first config.yaml": func() {
			write(t, filepath.Join(dir, model.ConfigFile), strings.Replace(before[model.ConfigFile], "num_steps: 60", "num_steps: 40", 1))
		},
		"a row": func() {
			write(t, filepath.Join(dir, metricsFile), strings.Replace(before[metricsFile], `"step":10,`, `"step":11,`, 1))
		},
	} {
		edit()
		if r := Check(dir); len(r.Problems) == 0 {
			t.Errorf("%s: nothing noticed", name)
		}
		if _, err := Metrics(dir); err == nil {
			t.Errorf("%s: the rows are taken", name)
		}
		for _, path := range slices.Sorted(maps.Keys(before)) {
			write(t, filepath.Join(dir, path), before[path])
		}
	}
}
