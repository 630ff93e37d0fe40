package run

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/model"
)

// wantProblems checks what Check says of a run, in which DIR stands for its folder.
func wantProblems(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	for _, p := range Check(dir).Problems {
		got = append(got, strings.ReplaceAll(p.String(), dir, "DIR"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Each problem is a line that says which file it is in, and what is wrong.
func TestCheckSaysWhatIsWrong(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	mustEnsure(t, whole, watchedOptions(1))
	config := filepath.Join(whole, model.ConfigFile)
	other, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what string
		do   func(at func(name string) string) error
		want []string
	}{
		{"nothing", func(func(string) string) error { return nil }, nil},
		{"no run", func(at func(string) string) error { return os.Remove(at(model.ConfigFile)) }, []string{
			"DIR: holds no run: it has no config.yaml",
		}},
		{"another configuration", func(at func(string) string) error {
			return os.WriteFile(at(model.ConfigFile), append(slices.Clone(other), '\n'), 0o644)
		}, []string{
			"DIR/config.yaml: it has been changed since the checkpoints were made",
		}},
		{"missing files", func(at func(string) string) error {
			return errors.Join(os.Remove(at("env.json")), os.Remove(at("checkpoints/step-30/state.json")),
				os.Remove(at("metrics.jsonl")), os.Remove(at("snapshots/step-17.safetensors")))
		}, []string{
			"DIR/env.json: no such file or directory",
			"DIR/checkpoints/step-30/state.json: no such file or directory",
			"DIR/metrics.jsonl: no such file or directory",
			"DIR/snapshots/step-17.safetensors: no such file or directory",
		}},
		{"truncated files", func(at func(string) string) error {
			return errors.Join(os.Truncate(at("env.json"), 30), os.Truncate(at("checkpoints/step-40/optimizer.safetensors"), 30),
				os.Truncate(at("metrics.jsonl"), 1000), os.Truncate(at("snapshots/step-1.safetensors"), 0), os.Truncate(at("summary.json"), 9))
		}, []string{
			"DIR/env.json: it is damaged: unexpected end of JSON input",
			"DIR/checkpoints/step-40: optimizer.safetensors is truncated or altered: its SHA-256 is not the one in state.json",
			"DIR/metrics.jsonl: line 3 is cut off",
			"DIR/snapshots/step-1.safetensors: is truncated or altered: its SHA-256 is not the one in state.json",
			"DIR/summary.json: it exists, but there is no intact checkpoint of the last step, 40",
		}},
		{"a row missing", func(at func(string) string) error {
			return editRows("", func(l []string) []string { return slices.Delete(l, 3, 4) }).do(filepath.Dir(at("x")))
		}, []string{"DIR/metrics.jsonl: line 4 is altered, or does not follow line 3"}},
		{"the last rows missing", func(at func(string) string) error {
			return editRows("", func(l []string) []string { return l[:5] }).do(filepath.Dir(at("x")))
		}, []string{
			"DIR/checkpoints/step-40: metrics.jsonl has changed since that step: it has 5 of 9 rows",
			"DIR/checkpoints/step-30: metrics.jsonl has changed since that step: it has 5 of 7 rows",
			"DIR/metrics.jsonl: 4 rows are missing, for steps 25 to 40",
		}},
		{"snapshots missing", func(at func(string) string) error { return os.RemoveAll(at("snapshots")) }, []string{
			"DIR/snapshots/step-1.safetensors: no such file or directory",
			"DIR/snapshots/step-10.safetensors: no such file or directory",
			"DIR/snapshots/step-17.safetensors: no such file or directory",
			"DIR/snapshots/step-40.safetensors: no such file or directory",
		}},
		{"a foreign summary and a foreign snapshot", func(at func(string) string) error {
			return errors.Join(os.WriteFile(at("summary.json"), []byte("{}"), 0o644),
				copyTree(at("snapshots/step-1.safetensors"), at("snapshots/step-2.safetensors")))
		}, []string{
			"DIR/snapshots/step-2.safetensors: no checkpoint lists it",
			"DIR/summary.json: does not hold the last row of metrics.jsonl",
		}},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := copyTree(whole, dir); err != nil {
			t.Fatal(err)
		}
		if err := test.do(func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }); err != nil {
			t.Fatal(err)
		}
		t.Run(test.what, func(t *testing.T) { wantProblems(t, dir, test.want...) })
	}
}

// While a run trains, and wherever it was stopped, nothing is wrong with it, and its rows
// can be read.
func TestCheckDuringTraining(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := watchedOptions(1)
	o.OnStep = func(step int, _ float64) {
		if r := Check(dir); len(r.Problems)+len(r.Notes) > 0 || r.Step != (step-1)/10*10 || r.Steps != 40 || r.Complete {
			t.Errorf("at step %d: %+v", step, r)
		}
		if rows, err := Metrics(dir); err != nil || len(rows) != (step-1)/5+1 {
			t.Errorf("at step %d: %d rows, %v", step, len(rows), err)
		}
	}
	mustEnsure(t, dir, o)
	wantProblems(t, stopAt(t, 13))
	wantProblems(t, stopAt(t, 3))
}

// What a kill leaves, and what is not the run's, is told, and is no problem.
func TestCheckNotes(t *testing.T) {
	dir := stopAt(t, 23)
	log, err := os.OpenFile(filepath.Join(dir, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.WriteString(`{"step":30,`)
	if err := errors.Join(err, log.Close(), os.Mkdir(filepath.Join(dir, checkpointDir, ".tmp-step-30-0"), 0o755),
		os.Mkdir(filepath.Join(dir, checkpointDir, "mine"), 0o755)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".tmp-summary.json-0"), "")
	write(t, filepath.Join(dir, "notes.txt"), "")
	write(t, filepath.Join(dir, checkpointDir, "step-20", "old.json"), "")
	want := []string{
		"metrics.jsonl: line 6 is cut off, after the latest checkpoint, as a kill may leave it: those rows will be computed again",
		"notes.txt does not belong to the run",
		"checkpoints/mine does not belong to the run",
		"checkpoints/step-20/old.json does not belong to the run",
		"temporary files, being written or left by a kill; resuming the run removes them: .tmp-summary.json-0, checkpoints/.tmp-step-30-0",
	}
	if r := Check(dir); len(r.Problems) > 0 || !slices.Equal(r.Notes, want) {
		t.Errorf("%q, %q", r.Problems, r.Notes)
	}
	mustEnsureSmall(t, dir)
	if r := Check(dir); len(r.Problems) > 0 || !slices.Equal(r.Notes, want[1:3]) {
		t.Errorf("resumed: %q, %q", r.Problems, r.Notes)
	}
}

func mustEnsureSmall(t *testing.T, dir string) {
	t.Helper()
	if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
}

// A report as JSON has its lists even where they are empty.
func TestReportJSON(t *testing.T) {
	dir := uninterrupted(t, 1)
	text, err := json.Marshal(Check(dir))
	if want := `{"run":"` + dir + `","step":40,"steps":40,"rows":9,"complete":true,"problems":[],"notes":[]}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	if got, want := Check(dir).String(), dir+": step 40 of 40, all files are intact"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := Check(filepath.Join(dir, "no")).String(), dir+"/no: 1 problem"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A config.yaml that this program cannot read, though the checkpoints are of it, is one
// problem, and what depends on it is not guessed at.
func TestCheckOfOtherConfiguration(t *testing.T) {
	dir := uninterrupted(t, 1)
	path := filepath.Join(dir, model.ConfigFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "  unheard_of: 1\n"...)
	write(t, path, string(text))
	for _, step := range []int{30, 40} {
		stateAt(t, dir, step, func(s *state) { s.ConfigSHA256 = hexHash(text) })
	}
	r := Check(dir)
	if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Text, "unheard_of") || !slices.Equal(r.Notes, []string{configFirst}) {
		t.Errorf("%+v", r)
	}
	if got, want := r.String(), dir+": 1 problem"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A model's weights in a run's folder are never taken for the run's.
func TestModelBesideRun(t *testing.T) {
	dir := uninterrupted(t, 1)
	if err := copyTree(filepath.Join(dir, checkpointDir, "step-30", model.WeightsFile), filepath.Join(dir, model.WeightsFile)); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, dir, "DIR/model.safetensors: it does not belong to the run; move it away")
	want := dir + " holds a run and a model.safetensors that does not belong to it; move that file away"
	_, opened := Open(dir)
	_, resumed := Resume(t.Context(), dir, Options{Workers: 1})
	_, ensured := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1})
	for _, err := range []error{opened, resumed, ensured} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if trained := mustOpen(t, filepath.Join(dir, checkpointDir, "step-40")); trained.Step != 40 {
		t.Errorf("step %d", trained.Step)
	}
	if err := os.RemoveAll(filepath.Join(dir, checkpointDir)); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, dir, "DIR: holds a model, model.safetensors, and not a run; train in another folder")
	mustOpen(t, dir)
}

// Rows beyond the latest checkpoint that are damaged otherwise than by a kill are a
// problem.
func TestCheckBeyondCheckpoint(t *testing.T) {
	dir := stopAt(t, 23)
	log, err := os.OpenFile(filepath.Join(dir, metricsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = log.WriteString("{\"step\":25}\n")
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, dir, "DIR/metrics.jsonl: line 6 is altered, or does not follow line 5, after the latest checkpoint: those rows will be computed again")
}
