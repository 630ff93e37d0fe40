package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/internal/needs"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// childEnsures says, in a child process, to call [Ensure], and childNotes to print the
// run's notes on stderr.
const (
	childEnsures = "FORETELL_TEST_ENSURE"
	childNotes   = "FORETELL_TEST_NOTES"
)

// snapshotSteps are not all steps of checkpoints or evaluations.
var snapshotSteps = []int{0, 1, 10, 17, 40}

// watchedOptions ask for snapshots and for two numbers at each evaluation.
func watchedOptions(workers int) Options {
	return Options{
		Workers: workers, Snapshots: snapshotSteps,
		Watch: map[string]func(*model.Transformer[float32]) (float64, error){
			"first logit": func(m *model.Transformer[float32]) (float64, error) {
				logits, err := m.Logits([]int32{0, 1, 2})
				return float64(logits[0]), err
			},
			"first weight": func(m *model.Transformer[float32]) (float64, error) {
				return float64(m.Weights.Data[0]), nil
			},
		},
	}
}

func ensureInChild(dir string) error {
	o := watchedOptions(1 + len(dir)%2)
	o.OnStep = func(step int, _ float64) { fmt.Println("step", step) }
	if os.Getenv(childNotes) != "" {
		o.OnNote = func(note string) { fmt.Fprintln(os.Stderr, "note:", note) }
	}
	o.OnEvaluation = func(e Row) { fmt.Println("evaluation", e.Step) }
	trained, err := extendAndEnsure(context.Background(), dir, o)
	if err == nil && trained.Step != childConfig().Train.NumSteps && trained.Step != bestAt {
		err = fmt.Errorf("a model of step %d", trained.Step)
	}
	return err
}

// extendAndEnsure is Ensure of the small configuration, to which a shorter run is
// extended before.
func extendAndEnsure(ctx context.Context, dir string, o Options) (*Trained, error) {
	c := childConfig()
	path := filepath.Join(dir, model.ConfigFile)
	have, err := train.Load(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err == nil && have.Train.NumSteps < c.Train.NumSteps {
		r, err := Extend(ctx, dir, o, fmt.Sprintf("train.num_steps=%d", c.Train.NumSteps))
		if err != nil {
			return nil, err
		}
		err = r.Train(ctx)
		r.Close()
		if err != nil {
			return nil, err
		}
	}
	return Ensure(ctx, dir, c, o)
}

func mustEnsure(t *testing.T, dir string, o Options) *Trained {
	t.Helper()
	trained, err := extendAndEnsure(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return trained
}

// contents are the files of a run but env.json, by their path in it.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == envFile {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// wantSame checks that two runs hold the same files.
func wantSame(t *testing.T, got, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if other, ok := got[path]; !ok {
			t.Errorf("%s is missing", path)
		} else if other != text {
			t.Errorf("%s has other bytes", path)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s is one too many", path)
		}
	}
}

// A new folder gets the run that Create and Train make there.
func TestEnsureTrains(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "run")
	steps := 0
	trained := mustEnsure(t, dir, Options{OnStep: func(step int, _ float64) { steps = step }})
	want := uninterrupted(t, 1)
	wantSame(t, contents(t, dir), contents(t, want))
	opened := mustOpen(t, want)
	if !slices.Equal(trained.Model.Weights.Data, opened.Model.Weights.Data) || trained.Step != opened.Step || trained.Seed != opened.Seed {
		t.Errorf("trained %+v, opened %+v", trained, opened)
	}
	if steps != 40 || trained.Process.(*process.HMM).Name() != "mess3" {
		t.Errorf("%d steps of %s", steps, trained.Process.Name())
	}
}

// A run that is killed in mid-training ends, when it is asked for again, with the
// same weights, snapshots and watched numbers as one that is left alone.
func TestEnsureAfterAKill(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, alone, watchedOptions(3))
	want := contents(t, alone)
	random := rand.New(rand.NewPCG(3, 4))
	killed := 0
	trials := 10
	if needs.Exhaustive() {
		trials = 200
	}
	for trial := range trials {
		dir := filepath.Join(t.TempDir(), strings.Repeat("x", 1+trial))
		killed += killAndResume(t, dir, random, childEnsures+"=yes")
		wantSame(t, contents(t, dir), want)
	}
	if killed < trials {
		t.Errorf("only %d kills met a living run", killed)
	}
}

// An interrupted call leaves a checkpoint from which the next goes on.
func TestEnsureGoesOn(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, alone, watchedOptions(1))
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	o := watchedOptions(2)
	o.OnStep = func(step int, _ float64) {
		if step == 23 {
			cancel()
		}
	}
	if _, err := Ensure(ctx, dir, smallConfig(), o); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("got %v, want %v", err, ErrInterrupted)
	}
	first := 0
	o.OnStep = func(step int, _ float64) {
		if first == 0 {
			first = step
		}
	}
	mustEnsure(t, dir, o)
	if first != 24 {
		t.Errorf("went on with step %d, want 24", first)
	}
	got := contents(t, dir)
	for path := range got { // kept beside the last, where the other has step 30
		if strings.HasPrefix(path, checkpointDir) && !strings.Contains(path, stepName(40)) {
			delete(got, path)
		}
	}
	want := contents(t, alone)
	for path := range want {
		if strings.HasPrefix(path, checkpointDir) && !strings.Contains(path, stepName(40)) {
			delete(want, path)
		}
	}
	wantSame(t, got, want)
}

// A run that is complete is taken as it is, without a step and without a write, even
// where somebody else has it open.
func TestEnsureTakesACompleteRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	want := mustEnsure(t, dir, watchedOptions(1))
	before := contents(t, dir)
	owner, err := Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	o := watchedOptions(1)
	o.OnStep = func(step int, _ float64) { t.Errorf("step %d was taken", step) }
	o.OnEvaluation = func(e Row) { t.Errorf("step %d was evaluated", e.Step) }
	o.OnNote = func(note string) { t.Errorf("noted %q", note) }
	got := mustEnsure(t, dir, o)
	if !slices.Equal(got.Model.Weights.Data, want.Model.Weights.Data) || got.Step != want.Step || got.Seed != want.Seed {
		t.Errorf("got %+v, want %+v", got, want)
	}
	wantSame(t, contents(t, dir), before)
}

// A complete run whose last checkpoint is damaged, or which lacks its summary, is
// mended.
func TestEnsureMendsACompleteRun(t *testing.T) {
	for _, remove := range []string{filepath.Join(checkpointDir, stepName(40), model.WeightsFile), summaryFile} {
		dir := filepath.Join(t.TempDir(), "run")
		mustEnsure(t, dir, watchedOptions(1))
		want := contents(t, dir)
		if err := os.Remove(filepath.Join(dir, remove)); err != nil {
			t.Fatal(err)
		}
		var told notes
		o := watchedOptions(1)
		o.OnNote = told.add
		mustEnsure(t, dir, o)
		wantSame(t, contents(t, dir), want)
		if damaged := remove != summaryFile; damaged != (len(told) == 2) {
			t.Errorf("without %s: notes %q", remove, told)
		}
	}
}

// A run of another configuration is not touched, complete or not.
func TestEnsureRefusesAnotherConfiguration(t *testing.T) {
	c := smallConfig()
	c.Train.LR /= 2
	for _, dir := range []string{uninterrupted(t, 1), stopAt(t, 25)} {
		before := contents(t, dir)
		_, err := Ensure(t.Context(), dir, c, Options{Workers: 1})
		var folder *FolderError
		if !errors.Is(err, ErrOtherConfig) || !errors.As(err, &folder) || err.Error() != dir+" holds a run of another configuration" {
			t.Errorf("got %v", err)
		}
		wantSame(t, contents(t, dir), before)
	}
}

// What the configuration leaves out or says in another way makes no other run.
func TestEnsureComparesResolvedConfigurations(t *testing.T) {
	dir := uninterrupted(t, 1)
	c, err := smallConfig().Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(t.Context(), dir, c, Options{Workers: 1}); err != nil {
		t.Error(err)
	}
}

func TestEnsureRefusesAnImpossibleConfiguration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := smallConfig()
	c.Train.LR = -1
	var field *strict.FieldError
	if _, err := Ensure(t.Context(), dir, c, Options{}); !errors.As(err, &field) || field.Path != "train.lr" {
		t.Errorf("got %v", err)
	}
	o := Options{Snapshots: []int{41}}
	if _, err := Ensure(t.Context(), dir, smallConfig(), o); fmt.Sprint(err) != "run: the snapshot of step 41 is outside [0, num_steps = 40]" {
		t.Errorf("got %v", err)
	}
	if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: -1}); fmt.Sprint(err) != "train: -1 workers; give at least 1" {
		t.Errorf("got %v", err)
	}
}

// Snapshots are the model as it was after their steps.
func TestSnapshots(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, dir, watchedOptions(2))
	trainer, err := train.NewTrainer(t.Context(), smallConfig(), train.Setup{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	for _, step := range snapshotSteps {
		for trainer.At() < step {
			if _, err := trainer.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		m, err := Snapshot(dir, step)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Weights.Data, trainer.Model.Weights.Data) {
			t.Errorf("the snapshot of step %d has other weights", step)
		}
	}
}

// Watched numbers are those of the model at the step of their row, and take nothing
// away from it.
func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := watchedOptions(1)
	var seen []Row
	o.OnEvaluation = func(e Row) { seen = append(seen, e) }
	mustEnsure(t, dir, o)
	rows, err := Metrics(dir)
	if err != nil || !reflect.DeepEqual(rows, seen) {
		t.Errorf("%v, rows\n%+v\nwhere\n%+v\nwere told", err, rows, seen)
	}
	plain, err := Metrics(uninterrupted(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if len(row.Watch) != 2 || !reflect.DeepEqual(row.Evaluation, plain[i].Evaluation) || plain[i].Watch != nil {
			t.Errorf("row %d is %+v, without a watch %+v", i, row, plain[i])
		}
	}
	last, err := Snapshot(dir, 40)
	if err != nil {
		t.Fatal(err)
	}
	for name, measure := range o.Watch {
		if want, err := measure(last); err != nil || rows[8].Watch[name] != want {
			t.Errorf("%s is %v at the end, want %v, %v", name, rows[8].Watch[name], want, err)
		}
	}
}

// A watch that fails, or measures what a row cannot hold, ends the run with an error
// that names it; put right, the run goes on.
func TestWatchFails(t *testing.T) {
	zero := 0.0
	for value, want := range map[float64]string{
		1 / zero: "run: odd at step 0 is +Inf, which metrics.jsonl cannot hold",
		1:        "odd at step 0: cause",
	} {
		dir := filepath.Join(t.TempDir(), "run")
		watch := func(m *model.Transformer[float32]) (float64, error) {
			if value == 1 {
				return 0, errors.New("cause")
			}
			return value, nil
		}
		o := Options{Workers: 1, Watch: map[string]func(*model.Transformer[float32]) (float64, error){"odd": watch}}
		if _, err := Ensure(t.Context(), dir, smallConfig(), o); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
		mustEnsure(t, dir, watchedOptions(1))
	}
}

// A run that has come past a snapshot or a row without what is asked for cannot give
// it: that is an error that says what to do, and nothing is trained.
func TestEnsureMissesWhatWasNotKept(t *testing.T) {
	for _, dir := range []string{uninterrupted(t, 1), stopAt(t, 25)} {
		before := contents(t, dir)
		metrics, snapshot := filepath.Join(dir, metricsFile), filepath.Join(dir, snapshotDir, "step-10.safetensors")
		for want, o := range map[string]Options{
			metrics + ` has no "first weight" for step 0; remove ` + dir + " to train this model again": {
				Watch: map[string]func(*model.Transformer[float32]) (float64, error){"first weight": watchedOptions(1).Watch["first weight"]},
			},
			"a snapshot of the run is missing; remove " + dir + " to train this model again: open " + snapshot + ": no such file or directory": {
				Snapshots: []int{0, 10},
			},
		} {
			if _, err := Ensure(t.Context(), dir, smallConfig(), o); fmt.Sprint(err) != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
		wantSame(t, contents(t, dir), before)
	}
	// What lies ahead can still be kept.
	dir := stopAt(t, 25)
	mustEnsure(t, dir, Options{Workers: 1, Snapshots: []int{30}})
	if _, err := Snapshot(dir, 30); err != nil {
		t.Error(err)
	}
}

// Rows that damage took from a run which was watched are missed as well.
func TestEnsureMissesLostRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, dir, watchedOptions(1))
	path := filepath.Join(dir, metricsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(string(data), `"step":10,`, `"step":11,`, 1))
	if _, err := Ensure(t.Context(), dir, smallConfig(), watchedOptions(1)); err == nil || !strings.HasSuffix(err.Error(), "for step 10; remove "+dir+" to train this model again") {
		t.Errorf("got %v", err)
	}
	mustEnsure(t, dir, Options{Workers: 1}) // who asks for the model alone gets it
}

// Of processes that begin the same run at once one trains it; the others say that it
// is in use, or find it complete. The end is the same.
func TestEnsureBesideItself(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, alone, watchedOptions(1))
	dir := filepath.Join(t.TempDir(), "run")
	var children []*exec.Cmd
	var complaints [4]strings.Builder
	for i := range complaints {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir, childEnsures+"=yes")
		cmd.Stderr = &complaints[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	done := 0
	for i, cmd := range children {
		if cmd.Wait() == nil {
			done++
		} else if text := complaints[i].String(); text != dir+": in use by another process\n" {
			t.Errorf("child %d: %q", i, text)
		}
	}
	if done == 0 {
		t.Error("nobody trained the run")
	}
	wantSame(t, contents(t, dir), contents(t, alone))
}

// The run of a configuration is found again, whether its defaults are filled in or not.
func TestCreateOrResumeFindsItsRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, step := range []int{0, smallConfig().Train.NumSteps} {
		r, err := CreateOrResume(t.Context(), dir, smallConfig(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.At() != step {
			t.Errorf("the run is at step %d, want %d", r.At(), step)
		}
		if err := r.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	other := smallConfig()
	other.Train.LR *= 2
	var folder *FolderError
	if _, err := CreateOrResume(t.Context(), dir, other, Options{}); !errors.As(err, &folder) {
		t.Errorf("another configuration: %v", err)
	}
}
