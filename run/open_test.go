package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/model"
)

// finished returns the folder of a small run that is complete, and its model.
func finished(t *testing.T) (dir string, m *model.Transformer[float32]) {
	t.Helper()
	dir = uninterrupted(t, 2)
	run, err := Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, run.Model
}

func mustOpen(t *testing.T, path string) *Trained {
	t.Helper()
	trained, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return trained
}

// wantOpenError opens a path within dir, which must fail with the text given, in
// which DIR stands for dir.
func wantOpenError(t *testing.T, dir, path, want string) {
	t.Helper()
	trained, err := Open(filepath.Join(dir, path))
	if err == nil {
		t.Fatalf("%s was opened: %+v", path, trained)
	}
	if got := strings.ReplaceAll(err.Error(), dir, "DIR"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOpenRun(t *testing.T) {
	dir, want := finished(t)
	c := smallConfig()
	checkpoint := filepath.Join(dir, checkpointDir, stepName(c.Train.NumSteps))
	earlier := filepath.Join(dir, checkpointDir, stepName(c.Train.NumSteps-c.Train.CheckpointEvery))
	slash := string(filepath.Separator)
	for _, path := range []string{dir, dir + slash, checkpoint, checkpoint + slash, filepath.Join(checkpoint, model.WeightsFile)} {
		got := mustOpen(t, path)
		if !slices.Equal(got.Model.Weights.Data, want.Weights.Data) || got.Step != c.Train.NumSteps {
			t.Errorf("%s: other weights, or step %d", path, got.Step)
		}
		if got.Process.Name() != "mess3" || got.Seed != c.Train.Seed || len(got.Notes) != 0 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	got := mustOpen(t, earlier)
	if slices.Equal(got.Model.Weights.Data, want.Weights.Data) || got.Step != c.Train.NumSteps-c.Train.CheckpointEvery {
		t.Errorf("the checkpoint before the last: step %d", got.Step)
	}
}

// A folder that Save wrote has a model and neither process nor step; one from
// elsewhere may name a process, whose alphabet is then the vocabulary.
func TestOpenModelFolder(t *testing.T) {
	_, want := finished(t)
	dir := t.TempDir()
	if err := want.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, model.WeightsFile)} {
		got := mustOpen(t, path)
		if !slices.Equal(got.Model.Weights.Data, want.Weights.Data) || got.Process != nil || got.Step != 0 || got.Seed != 0 {
			t.Errorf("%s: %+v", path, got)
		}
	}
	write(t, filepath.Join(dir, model.ConfigFile), "process: {name: mess3}\nmodel: {d_model: 16, n_layers: 1, n_heads: 2, d_mlp: 32, n_ctx: 6}\n")
	if got := mustOpen(t, dir); got.Process == nil || got.Model.Config.DVocab != 3 {
		t.Errorf("%+v", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A damaged checkpoint is passed over, and the user is told; opened by name it is
// an error.
func TestOpenDamagedCheckpoints(t *testing.T) {
	dir, _ := finished(t)
	const last, before = "checkpoints/step-40", "checkpoints/step-30"
	const truncated = "model.safetensors is truncated or altered: its SHA-256 is not the one in state.json"
	weights := filepath.Join(dir, last, model.WeightsFile)
	if err := os.Truncate(weights, 1000); err != nil {
		t.Fatal(err)
	}
	got := mustOpen(t, dir)
	want := []string{"checkpoint step-40 is not usable: " + truncated}
	if got.Step != 30 || !slices.Equal(got.Notes, want) {
		t.Errorf("step %d, notes %q", got.Step, got.Notes)
	}
	wantOpenError(t, dir, last, "DIR/checkpoints/step-40: "+truncated)
	wantOpenError(t, dir, filepath.Join(last, model.WeightsFile), "DIR/checkpoints/step-40: "+truncated)

	write(t, filepath.Join(dir, before, stateFile), "{}\n")
	wantOpenError(t, dir, "", "DIR has no model.safetensors and no intact checkpoint; checkpoint step-40 is not usable: "+truncated+
		"; checkpoint step-30 is not usable: state.json is damaged: its format is 0, not 2 or 3")
}

func TestOpenNothing(t *testing.T) {
	dir := t.TempDir()
	wantOpenError(t, dir, "nowhere", "DIR/nowhere: no such run or model")
	wantOpenError(t, dir, "", "DIR holds no run or model: it has no config.yaml")
	const good = "model: {d_model: 16, n_layers: 1, n_heads: 2, n_ctx: 6, d_vocab: 3}\n"
	write(t, filepath.Join(dir, model.ConfigFile), good)
	wantOpenError(t, dir, "", "DIR has no model.safetensors and no intact checkpoint")
	wantOpenError(t, dir, "config.yaml", "DIR/config.yaml is not a model.safetensors; give that file or its folder")

	for _, test := range []struct{ config, want string }{
		{strings.Replace(good, "n_ctx: 6, ", "", 1), "DIR/config.yaml:1:1: model.n_ctx is missing; give a whole number in [1, 1048576]"},
		{strings.Replace(good, "n_ctx", "n_cxt", 1), `DIR/config.yaml:1:47: unknown key "n_cxt" in model; did you mean "n_ctx"?`},
		{good + "process: {name: mess3, params: {x: 7}}\n", "DIR/config.yaml:2:33: process.params.x is not possible: mess3: x = 7 is outside (0, 0.5]"},
		{good + "process: {name: mes3}\n", `DIR/config.yaml:2:11: process.name is not possible: unknown process "mes3": did you mean "mess3"?`},
	} {
		write(t, filepath.Join(dir, model.ConfigFile), test.config)
		wantOpenError(t, dir, "", test.want)
	}
	write(t, filepath.Join(dir, model.ConfigFile), good)
	write(t, filepath.Join(dir, model.WeightsFile), "no tensors")
	if _, err := Open(dir); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, model.WeightsFile)+": ") {
		t.Errorf("a file of something else: %v", err)
	}
}

// A checkpoint, a snapshot and their files carry what is needed to open them anywhere.
func TestOpenCopied(t *testing.T) {
	run, want := finished(t)
	elsewhere := t.TempDir()
	copied := filepath.Join(elsewhere, "best")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(run, checkpointDir, "step-40"))); err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(copied, model.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(elsewhere, "mess3 at 40.safetensors")
	write(t, alone, string(weights))
	for _, path := range []string{copied, filepath.Join(copied, model.WeightsFile), alone} {
		got := mustOpen(t, path)
		if !slices.Equal(got.Model.Weights.Data, want.Weights.Data) || got.Step != 40 || got.Process.Name() != "mess3" ||
			got.Seed != smallConfig().Train.Seed || got.Model.Config.NHeads[0] != want.Config.NHeads[0] {
			t.Errorf("%s: %+v", path, got)
		}
	}
	weights[len(weights)-1] ^= 1
	write(t, filepath.Join(copied, model.WeightsFile), string(weights))
	wantOpenError(t, elsewhere, "best", "DIR/best: model.safetensors is truncated or altered: its SHA-256 is not the one in state.json")
	write(t, alone, string(weights))
	wantOpenError(t, elsewhere, filepath.Base(alone),
		"DIR/mess3 at 40.safetensors: altered: its tensors do not match its checksum")
	write(t, alone, "{}")
	wantOpenError(t, elsewhere, filepath.Base(alone),
		"DIR/mess3 at 40.safetensors: truncated: 2 bytes, but the length of the header alone takes 8")
}

// A snapshot is opened as its run wrote it, and a copy of it anywhere.
func TestOpenSnapshotFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1, Snapshots: []int{7}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "snapshots", "step-7.safetensors")
	want := mustOpen(t, file)
	if want.Step != 7 || want.Process == nil {
		t.Errorf("%+v", want)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "x.safetensors")
	write(t, copied, string(data))
	if got := mustOpen(t, copied); got.Step != 7 || !slices.Equal(got.Model.Weights.Data, want.Model.Weights.Data) {
		t.Errorf("%+v", got)
	}
}
