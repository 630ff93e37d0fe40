package run

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"foretell/internal/needs"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// childDir names, in a child process, the folder of the run to go on with.
const childDir = "FORETELL_TEST_RUN"

// childLimit is the size in bytes beyond which the child may write no file.
const childLimit = "FORETELL_TEST_FILE_LIMIT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child creates or resumes the run in dir and says on stdout when it takes a
// step or evaluates.
func child(dir string) error {
	if limit, err := strconv.ParseUint(os.Getenv(childLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // so that a write beyond the limit is an error
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	if os.Getenv(childEnsures) != "" {
		return ensureInChild(dir)
	}
	run, err := Create(context.Background(), dir, childConfig(), Options{Workers: 2})
	if errors.Is(err, ErrHoldsRun) {
		run, err = Resume(context.Background(), dir, Options{Workers: 1})
	}
	if err != nil {
		return err
	}
	run.OnStep = func(step int, _ float64) { fmt.Println("step", step) }
	run.OnEvaluation = func(e Row) { fmt.Println("evaluation", e.Step) }
	return run.Train(context.Background())
}

// startChild runs [child] in a process of its own.
func startChild(t *testing.T, dir string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childDir+"="+dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// outcome is the SHA-256 of a finished run's weights, optimiser state and
// metrics.
func outcome(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	steps, err := checkpoints(filepath.Join(dir, checkpointDir))
	if err != nil || len(steps) == 0 {
		t.Fatalf("checkpoints of steps %v, %v", steps, err)
	}
	last := filepath.Join(checkpointDir, stepName(steps[0]))
	names := []string{
		filepath.Join(last, model.WeightsFile), filepath.Join(last, optimizerFile), filepath.Join(last, stateFile), metricsFile, summaryFile,
	}
	if configOf(t, dir).Train.Stop != nil {
		names = append(names, filepath.Join(last, bestFile))
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(h, name, len(data))
		h.Write(data)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// uninterrupted runs to the end in this process.
func uninterrupted(t *testing.T, workers int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	run, err := Create(t.Context(), dir, childConfig(), Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// killAndResume runs the child, kills it (SIGKILL) once or twice, each time after a
// random number of events and whatever the kill takes to arrive, and then lets it
// end. It returns how many kills met a living run.
func killAndResume(t *testing.T, dir string, random *rand.Rand, env ...string) (killed int) {
	t.Helper()
	for kills := 1 + random.IntN(2); kills > 0; kills-- {
		cmd, events := startChild(t, dir, env...)
		for after := random.IntN(40); after >= 0 && events.Scan(); after-- {
			continue
		}
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		if cmd.Wait() != nil {
			killed++
		}
	}
	cmd, events := startChild(t, dir, env...)
	for events.Scan() {
		continue
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the resumed run failed: %v", err)
	}
	return killed
}

// A run that is killed at a random moment and resumed, perhaps with another number
// of workers, ends in the same bits as one that is left alone: 20 of 20 times.
func TestKillAndResume(t *testing.T) { killsAndResumes(t, 20) }

// The same of a run that stops early.
func TestKillAndResumeARunThatStops(t *testing.T) {
	t.Setenv(childStops, "yes")
	killsAndResumes(t, 10) // it is shorter
}

// killsAndResumes expects that so many kills of twenty meet a living run.
func killsAndResumes(t *testing.T, alive int) {
	want := outcome(t, uninterrupted(t, 3))
	random := rand.New(rand.NewPCG(1, 2))
	killed := 0
	trials := 20
	if needs.Exhaustive() {
		trials = 300
	}
	for trial := range trials {
		dir := filepath.Join(t.TempDir(), "run")
		killed += killAndResume(t, dir, random)
		if got := outcome(t, dir); got != want {
			t.Errorf("trial %d ended in %s, an uninterrupted run in %s", trial, got, want)
		}
	}
	if killed < trials*alive/20 {
		t.Errorf("only %d kills met a living run", killed)
	}
}

// damage is something that can happen to a checkpoint's file.
var damage = map[string]func(data []byte) []byte{
	"truncated": func(data []byte) []byte { return data[:len(data)/2] },
	"altered":   func(data []byte) []byte { data[len(data)-20] ^= 1; return data },
	"emptied":   func([]byte) []byte { return nil },
}

// A damaged checkpoint is noticed, whichever file and however, the one before
// it is taken, the run says so, and the end is the same.
func TestResumeFallsBackFromADamagedCheckpoint(t *testing.T) {
	want := outcome(t, uninterrupted(t, 1))
	for _, file := range []string{model.WeightsFile, optimizerFile, stateFile} {
		for name, change := range damage {
			t.Run(file+" "+name, func(t *testing.T) {
				dir := stopAt(t, 30)
				path := filepath.Join(dir, checkpointDir, stepName(30), file)
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, change(data), 0o644); err != nil {
					t.Fatal(err)
				}
				var told notes
				run, err := Resume(t.Context(), dir, Options{Workers: 2, OnNote: told.add})
				if err != nil {
					t.Fatal(err)
				}
				defer run.Close()
				notes := strings.Join(told, "\n")
				if run.At() != 20 || !strings.Contains(notes, "step-30 is not usable") || !strings.Contains(notes, "resuming from step-20 instead") {
					t.Errorf("resumed at step %d with notes %q", run.At(), notes)
				}
				if err := run.Train(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := outcome(t, dir); got != want {
					t.Errorf("ended in %s, want %s", got, want)
				}
			})
		}
	}
}

// stopAt runs in a new folder and interrupts at a step.
func stopAt(t *testing.T, step int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	run, err := Create(context.Background(), dir, smallConfig(), Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	ctx, cancel := context.WithCancel(t.Context())
	run.OnStep = func(at int, _ float64) {
		if at == step {
			cancel()
		}
	}
	if err := run.Train(ctx); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("got %v, want %v", err, ErrInterrupted)
	}
	return dir
}

// A run of a model whose heads are concatenated, or of one without any, is interrupted,
// resumed with another number of workers, and opened as any other.
func TestRunsOfOtherArchitecturesGoOn(t *testing.T) {
	for name, architecture := range map[string]model.Config{
		"concatenated": {Residual: "concat", NLayers: 2, NHeads: model.Heads{1, 2}, NCtx: 6},
		"flat":         {Architecture: "flat", DModel: 4, NLayers: 1, DMLP: 9, NCtx: 6},
		"linear":       {Architecture: "flat", DModel: 4, NCtx: 6},
	} {
		t.Run(name, func(t *testing.T) { goesOn(t, architecture) })
	}
}

func goesOn(t *testing.T, architecture model.Config) {
	c := smallConfig()
	c.Model = architecture
	var ended []string
	for _, stop := range []int{0, 17} {
		dir := filepath.Join(t.TempDir(), "run")
		run, err := Create(t.Context(), dir, c, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		run.OnStep = func(at int, _ float64) {
			if at == stop {
				cancel()
			}
		}
		err = run.Train(ctx)
		run.Close()
		if stop > 0 {
			if !errors.Is(err, ErrInterrupted) {
				t.Fatalf("got %v, want %v", err, ErrInterrupted)
			}
			if run, err = Resume(t.Context(), dir, Options{Workers: 3}); err != nil {
				t.Fatal(err)
			}
			err = run.Train(t.Context())
			run.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		ended = append(ended, outcome(t, dir))
		opened, err := Open(dir)
		if err != nil || opened.Model.Config.Concatenates() != (architecture.Residual != "") ||
			opened.Model.Config.Flat() != (architecture.Architecture != "") {
			t.Errorf("%v of %+v", err, opened)
		}
	}
	if ended[0] != ended[1] {
		t.Errorf("resumed it ends in %s, left alone in %s", ended[1], ended[0])
	}
}

func TestInterruptedRunWritesACheckpoint(t *testing.T) {
	steps, err := checkpoints(filepath.Join(stopAt(t, 13), checkpointDir))
	if err != nil || !reflect.DeepEqual(steps, []int{13, 10}) {
		t.Errorf("checkpoints of steps %v, %v", steps, err)
	}
}

func TestNoIntactCheckpointIsAnError(t *testing.T) {
	dir := stopAt(t, 25)
	for _, step := range []int{20, 25} {
		if err := os.Remove(filepath.Join(dir, checkpointDir, stepName(step), model.WeightsFile)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Resume(t.Context(), dir, Options{Workers: 1}); err == nil || !strings.Contains(err.Error(), "no intact checkpoint") {
		t.Errorf("got %v", err)
	}
}

// A damaged row of the metrics is dropped and written again.
func TestResumeMendsTheMetrics(t *testing.T) {
	want := outcome(t, uninterrupted(t, 1))
	dir := stopAt(t, 25)
	path := filepath.Join(dir, metricsFile)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, `{"step":25,"tokens":`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	run, err := Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := outcome(t, dir); got != want {
		t.Errorf("ended in %s, want %s", got, want)
	}
	rows, err := Metrics(dir)
	if err != nil || len(rows) != 9 {
		t.Errorf("%d rows, want 9 (steps 0, 5 … 40); %v", len(rows), err)
	}
	for i, row := range rows {
		if row.Step != 5*i {
			t.Errorf("row %d is of step %d", i, row.Step)
		}
	}
}

// Rows that were damaged before the checkpoint cannot come again: the user is
// told, and the checkpoint's own row is what it was.
func TestResumeTellsOfLostMetrics(t *testing.T) {
	whole, err := Metrics(uninterrupted(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	dir := stopAt(t, 30)
	path := filepath.Join(dir, metricsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[bytes.Index(data, []byte(`"step":10,`))] ^= 1
	write(t, path, string(data))
	var told notes
	run, err := Resume(t.Context(), dir, Options{Workers: 1, OnNote: told.add})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if want := (notes{"metrics.jsonl is damaged or cut off: its rows for steps 10 to 25 are lost; it is kept as metrics.jsonl.changed"}); !reflect.DeepEqual(told, want) {
		t.Errorf("notes %q, want %q", told, want)
	}
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := Metrics(dir)
	if want := append(whole[:2:2], whole[6:]...); err != nil || !reflect.DeepEqual(rows, want) {
		t.Errorf("%v, rows\n%+v\nwant\n%+v", err, rows, want)
	}
}

// A run that comes past a damaged checkpoint again keeps two that are intact.
func TestDamagedCheckpointsMakeRoom(t *testing.T) {
	dir := stopAt(t, 30)
	if err := os.Remove(filepath.Join(dir, checkpointDir, stepName(30), stateFile)); err != nil {
		t.Fatal(err)
	}
	run, err := Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	ctx, cancel := context.WithCancel(t.Context())
	run.OnStep = func(at int, _ float64) {
		if at == 23 {
			cancel()
		}
	}
	if err := run.Train(ctx); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	if steps, err := checkpoints(filepath.Join(dir, checkpointDir)); err != nil || !reflect.DeepEqual(steps, []int{23, 20}) {
		t.Errorf("checkpoints of steps %v, %v", steps, err)
	}
}

// A run that diverges ends with an error that says so, and neither a row nor a
// checkpoint has a number that is none.
func TestDivergedRunSaysSo(t *testing.T) {
	for _, evaluateEvery := range []int{5, 40} {
		c := smallConfig()
		c.Train.Optimizer, c.Train.LR, c.Train.EvaluateEvery, c.Train.CheckpointEvery = "sgd", 100, evaluateEvery, 1
		c.Model.NormalizationType = "none"
		dir := filepath.Join(t.TempDir(), "run")
		run, err := Create(t.Context(), dir, c, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		var diverged *train.DivergedError
		ended := run.Train(t.Context())
		if !errors.As(ended, &diverged) || !strings.HasPrefix(ended.Error(), "train: diverged: at step ") {
			t.Fatalf("the run ended with %v", ended)
		}
		last := filepath.Join(dir, checkpointDir, stepName(diverged.Step-1))
		if !strings.HasSuffix(ended.Error(), "; its last good checkpoint is "+last+", from which a new run can start by train.init") {
			t.Errorf("the run ended with %v", ended)
		}
		mustOpen(t, last)
		trained := mustOpen(t, dir)
		for _, x := range trained.Model.Weights.Data {
			if x != x {
				t.Fatalf("the checkpoint of step %d holds NaN", trained.Step)
			}
		}
	}
}

// Weights that are no finite numbers though the loss is are kept in no checkpoint, and
// the run says which parameter it is.
func TestDivergedWeights(t *testing.T) {
	c := smallConfig()
	c.Train.EvaluateEvery, c.Train.CheckpointEvery = 15, 6
	dir := filepath.Join(t.TempDir(), "run")
	var run *Run
	run, err := Create(t.Context(), dir, c, Options{Workers: 1, OnStep: func(step int, _ float64) {
		if step == 12 {
			run.Model.Weights.Data[5] = float32(math.Inf(1))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	want := "train: diverged: at step 12 parameter embed.W_E at [0 5] is +Inf; lower train.lr, or set train.max_grad_norm; its last good checkpoint is " +
		filepath.Join(dir, "checkpoints", "step-6") + ", from which a new run can start by train.init"
	if err := run.Train(t.Context()); fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if trained := mustOpen(t, dir); trained.Step != 6 || len(trained.Notes) > 0 {
		t.Errorf("%+v", trained)
	}
}

// A loss that comes to ten times chance is told once, a beginning above that is not.
func TestLossFarAboveChance(t *testing.T) {
	c := smallConfig()
	c.Train.Optimizer, c.Train.LR, c.Train.NumSteps, c.Train.EvaluateEvery = "sgd", 30, 8, 1
	var told notes
	run, err := Create(t.Context(), filepath.Join(t.TempDir(), "run"), c, Options{Workers: 1, OnNote: told.add})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "more than ten times chance, 1.099: training may be diverging") {
		t.Errorf("notes %q", told)
	}
	for _, row := range []Row{row(1, 5, 2), row(2, 21, 2), row(3, 30, 2)} {
		r := Run{rows: []Row{{}}, Options: Options{OnNote: told.add}}
		r.rows[0].LossEval = 25
		r.warn(row)
	}
	if len(told) != 2 || !strings.HasPrefix(told[1], "at step 3 ") {
		t.Errorf("notes %q", told)
	}
}

func row(step int, loss, chance float64) (r Row) {
	r.Step, r.LossEval, r.Chance = step, loss, chance
	return r
}

// A run that is open can not be resumed beside that: the two would write to the
// same files.
func TestRunsHaveOneOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	run, err := Create(t.Context(), dir, smallConfig(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if other, err := Resume(t.Context(), dir, Options{Workers: 1}); !errors.Is(err, ErrInUse) {
		t.Errorf("resumed %v beside the first: %v", other, err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	run, err = Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Error(err)
	}
}

func TestCreateTouchesNoExistingRun(t *testing.T) {
	dir := uninterrupted(t, 1)
	before := outcome(t, dir)
	_, err := Create(t.Context(), dir, smallConfig(), Options{Workers: 1})
	if want := dir + " already holds a run"; !errors.Is(err, ErrHoldsRun) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if outcome(t, dir) != before {
		t.Error("the run has changed")
	}
}

func TestResumeWhereThereIsNoRun(t *testing.T) {
	dir := t.TempDir()
	if _, err := Resume(t.Context(), dir, Options{Workers: 1}); fmt.Sprint(err) != dir+" holds no run: it has no config.yaml" {
		t.Errorf("got %v", err)
	}
}

// A disk that takes no more ends the run with one line that says so, and the
// run can be resumed when there is room again. The child may write no file
// beyond a size, at which some checkpoint or row fails half-way.
func TestFullDisk(t *testing.T) {
	want := outcome(t, uninterrupted(t, 1))
	limits := []int{300, 2000, 6000, 15000}
	if needs.Exhaustive() {
		for limit := 400; len(limits) < 100; limit += 197 {
			limits = append(limits, limit)
		}
	}
	for _, limit := range limits {
		dir := filepath.Join(t.TempDir(), "run")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir, childLimit+"="+strconv.Itoa(limit))
		var complaint strings.Builder
		cmd.Stderr = &complaint
		if err := cmd.Run(); err == nil {
			t.Fatalf("a run with files of at most %d bytes succeeded", limit)
		}
		if text := complaint.String(); !strings.Contains(text, "file too large") || strings.Count(text, "\n") != 1 {
			t.Errorf("limit %d: the run ended with %q", limit, text)
		}
		again, events := startChild(t, dir)
		for events.Scan() {
			continue
		}
		if err := again.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := outcome(t, dir); got != want {
			t.Errorf("limit %d: ended in %s, want %s", limit, got, want)
		}
	}
}

// A folder with what a run leaves, though without its config.yaml, is nobody's
// to write over.
func TestCreateTouchesNoTraces(t *testing.T) {
	for _, remove := range [][]string{{model.ConfigFile}, {model.ConfigFile, summaryFile}, {model.ConfigFile, summaryFile, metricsFile}} {
		dir := uninterrupted(t, 1)
		for _, name := range remove {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Create(t.Context(), dir, smallConfig(), Options{Workers: 1})
		var folder *FolderError
		if !errors.As(err, &folder) || !strings.HasSuffix(err.Error(), "but no config.yaml") {
			t.Errorf("without %v: %v", remove, err)
		}
	}
}

// A checkpoint under another configuration is not taken for the run's, neither
// to go on nor to look into.
func TestChangedConfigurationIsNoticed(t *testing.T) {
	dir := uninterrupted(t, 1)
	path := filepath.Join(dir, model.ConfigFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), `name: "mess3"`, "name: mess3\n  params: {x: 0.2}", 1)
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	want := path + " has been changed since the checkpoints of " + dir + " were made; undo the change, or train with a copy of the file in another folder"
	if run, err := Resume(t.Context(), dir, Options{Workers: 1}); err == nil || err.Error() != want {
		t.Errorf("resumed %v, %v", run, err)
	}
	if _, err := Open(dir); err == nil || err.Error() != want {
		t.Errorf("opened: %v", err)
	}
	last := filepath.Join(dir, checkpointDir, "step-40")
	if _, err := Open(last); err == nil || !strings.Contains(err.Error(), "belongs to another config.yaml") {
		t.Errorf("opened: %v", err)
	}
}

// A run that lost its empty folder of checkpoints makes a new one.
func TestResumeMakesTheCheckpointFolder(t *testing.T) {
	dir := stopAt(t, 25)
	if err := os.RemoveAll(filepath.Join(dir, checkpointDir)); err != nil {
		t.Fatal(err)
	}
	run, err := Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if outcome(t, dir) != outcome(t, uninterrupted(t, 1)) {
		t.Error("the end differs")
	}
}

// A configuration that no config.yaml can say is refused before there is a folder.
func TestUnwritableConfigurationIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := smallConfig()
	c.Process = process.Spec{Name: "a\xff", Definition: process.Definition{
		States: []string{"A"}, Tokens: []string{"z"}, Transitions: []process.Transition{{From: "A", To: "A", Token: "z", P: 1}},
	}}
	_, err := Create(t.Context(), dir, c, Options{Workers: 1})
	if want := `process.name = "a\xff" is not UTF-8 text`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}
