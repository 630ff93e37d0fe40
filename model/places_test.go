package model

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A run's weights after a step lie among its snapshots or its checkpoints, the former
// first; steps that it has are listed in order, each once, and nothing else is.
func TestWeightsOfSteps(t *testing.T) {
	run := filepath.Join(t.TempDir(), "a@b")
	write := func(c Config, parts ...string) *Transformer[float64] {
		path := filepath.Join(append([]string{run}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		m := jittered[float64](t, c)
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(m.Write(file), file.Close()); err != nil {
			t.Fatal(err)
		}
		return m
	}
	c := small[0].config
	other := c
	other.NCtx++
	if len(keptSteps(run)) != 0 {
		t.Error("a run that is not there has kept steps")
	}
	write(c, "snapshots", "step-7.safetensors")
	write(c, "snapshots", "step-20.safetensors")
	write(other, checkpointDir, "step-20", WeightsFile)
	write(other, checkpointDir, "step-100", WeightsFile)
	for _, name := range []string{"step-x.safetensors", "step-8", "9.safetensors", "step-.safetensors", "steps"} {
		write(c, "snapshots", name)
	}
	if got := keptSteps(run); !slices.Equal(got, []int{7, 20, 100}) {
		t.Errorf("the steps are %v", got)
	}
	for step, want := range map[string]Config{"7": c, "20": c, "100": other} {
		m, err := Load[float64](run + "@" + step)
		if err != nil || m.Config.NCtx != want.NCtx {
			t.Errorf("step %s: %v", step, err)
		}
	}
	if m, err := Load[float64](run); err != nil || m.Config.NCtx != other.NCtx {
		t.Errorf("the run itself: %v", err)
	}
	for _, step := range []string{"8", "0", "-7", "y", "7.0", "1e2"} {
		if _, err := Load[float64](run + "@" + step); err == nil {
			t.Errorf("there are weights of step %q", step)
		}
		_, _, ok := cutStep(run + "@" + step)
		if want := step == "8" || step == "0"; ok != want {
			t.Errorf("%q is a step: %v", step, ok)
		}
	}
	for _, path := range []string{"", "@", "@7", "7", filepath.Dir(run), filepath.Dir(run) + "@7"} {
		if _, ok := atStep(path); ok {
			t.Errorf("%q has weights", path)
		}
		if _, _, ok := cutStep(path); ok {
			t.Errorf("%q is a run's", path)
		}
	}
	if _, err := Load[float64](filepath.Join(run, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no run: %v", err)
	}
}

// A model is not saved into a run's folder, nor where there is a file, and what is there
// stays.
func TestSaveKeepsRuns(t *testing.T) {
	m := jittered[float64](t, small[0].config)
	for _, name := range []string{"metrics.jsonl", "summary.json", "checkpoints"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(dir); err == nil {
			t.Errorf("a model replaces a run that has %s", name)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("beside %s lie %v (%v)", name, entries, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if err := m.Save(dir); err == nil {
			t.Errorf("a model is saved in %s", dir)
		}
	}
	for _, name := range []string{ConfigFile, WeightsFile} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, name, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(dir); err == nil {
			t.Errorf("%s replaces a folder", name)
		}
	}
}

// Every parameter of every kind of model is looked at, wherever it is.
func TestEveryParameterIsLookedAt(t *testing.T) {
	for _, s := range small {
		m := jittered[float64](t, s.config)
		if err := m.Weights.CheckFinite(); err != nil {
			t.Fatal(err)
		}
		for _, tensor := range m.Weights.Tensors {
			for _, i := range []int{0, len(tensor.Data) / 2, len(tensor.Data) - 1} {
				for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					before := tensor.Data[i]
					tensor.Data[i] = bad
					var found *NotFiniteError
					if err := m.Weights.CheckFinite(); !errors.As(err, &found) || !errors.Is(err, ErrNotFinite) ||
						fmt.Sprint(found.Value) != fmt.Sprint(bad) {
						t.Errorf("%s: %v in %s: %v", s.name, bad, tensor.Name, err)
					}
					tensor.Data[i] = before
				}
			}
		}
	}
}

// The stages of a flat network are activations of its pass, in their order.
func TestStagesOfFlatNetworks(t *testing.T) {
	for _, layers := range []int{0, 1, 3} {
		c := Config{Architecture: "flat", DModel: 3, NLayers: layers, NCtx: 5, DVocab: 4}
		if layers > 0 {
			c.DMLP, c.ActFn = 6, "relu"
		}
		m := jittered[float64](t, c)
		_, cache, err := m.RunWithCache([]int32{0, 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		stages, at := m.Config.ResidualStages(), -1
		if len(stages) != 1+layers {
			t.Errorf("%d layers have the stages %q", layers, stages)
		}
		for _, stage := range stages {
			next := slices.Index(cache.Names(), stage)
			if next <= at {
				t.Errorf("%d layers: %s is activation %d, after %d", layers, stage, next, at)
			}
			at = next
		}
	}
}
