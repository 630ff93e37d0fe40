package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/model"
	"foretell/run"
	"foretell/run/runtest"
	"foretell/train"
)

// Two runs of one configuration have one fingerprint, and other runs another.
func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	runtest.Train(t, at("a"))
	runtest.Train(t, at("b"))
	runtest.Train(t, at("other"), func(c *train.Config) { c.Train.Seed = 2 })
	prints := map[string]string{}
	for _, name := range []string{"a", "b", "other"} {
		found, err := run.Fingerprint(at(name))
		if err != nil {
			t.Fatal(err)
		}
		prints[name] = found
	}
	if prints["a"] != prints["b"] || prints["a"] == prints["other"] {
		t.Errorf("%v", prints)
	}
	if err := os.Remove(at("b/summary.json")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "none"} {
		_, err := run.Fingerprint(at(name))
		if want := at(name) + " holds no complete run"; fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A run that is interrupted at each of its steps, the last one too, has the fingerprint
// of the undisturbed one. An interruption at the step of an evaluation prevents the
// evaluation.
func TestFingerprintOfInterrupted(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	c := train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4},
		Train:   train.Options{Seed: 1, BatchSize: 8, NumSteps: 6, LR: 1e-2, EvaluateEvery: 3, EvaluateSequences: 16},
	}
	if _, err := run.Ensure(t.Context(), at("whole"), c, run.Options{}); err != nil {
		t.Fatal(err)
	}
	want, err := run.Fingerprint(at("whole"))
	if err != nil {
		t.Fatal(err)
	}
	for last := 1; last <= c.Train.NumSteps; last++ {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := run.Ensure(ctx, at("interrupted"), c, run.Options{OnStep: func(step int, _ float64) {
			if step == last {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, run.ErrInterrupted) {
			t.Fatalf("step %d: %v", last, err)
		}
	}
	if _, err := run.Ensure(t.Context(), at("interrupted"), c, run.Options{}); err != nil {
		t.Fatal(err)
	}
	if got, err := run.Fingerprint(at("interrupted")); got != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// A copy of a run that was stopped goes on to the bits of the undisturbed run, and the
// original goes on, too.
func TestCopyGoesOn(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	c := train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4},
		Train: train.Options{
			Seed: 1, BatchSize: 8, NumSteps: 40, LR: 1e-2, EvaluateEvery: 5, EvaluateSequences: 16, CheckpointEvery: 10,
			Checkpoints: train.Checkpoints{Rule: "log"},
		},
	}
	runEnsure := func(name string, ctx context.Context, o run.Options) error {
		o.Workers = 1
		_, err := run.Ensure(ctx, at(name), c, o)
		return err
	}
	if err := runEnsure("whole", t.Context(), run.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := runEnsure("stopped", ctx, run.Options{OnStep: func(step int, _ float64) {
		if step == c.Train.NumSteps/2 {
			cancel()
		}
	}})
	if !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	if err := run.Copy(at("stopped"), at("below/copied")); err != nil {
		t.Fatal(err)
	}
	steps := 0
	if err := runEnsure("below/copied", t.Context(), run.Options{OnStep: func(int, float64) { steps++ }}); err != nil {
		t.Fatal(err)
	}
	if want := c.Train.NumSteps - c.Train.NumSteps/2; steps != want {
		t.Errorf("the copy took %d steps, want %d", steps, want)
	}
	if err := runEnsure("stopped", t.Context(), run.Options{}); err != nil {
		t.Fatal(err)
	}
	want, err := run.Fingerprint(at("whole"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stopped", "below/copied"} {
		if got, err := run.Fingerprint(at(name)); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	if err := run.Copy(at("none"), at("new")); err == nil {
		t.Error("a folder that does not exist is copied")
	}
	if err := run.Copy(at("whole"), at("stopped")); !errors.Is(err, os.ErrExist) {
		t.Errorf("a copy over another run: %v", err)
	}
}

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	runtest.Train(t, at("a"))
	runtest.Train(t, at("b"))
	runtest.Train(t, at("other"), func(c *train.Config) { c.Train.Seed = 2 })
	print, err := run.Fingerprint(at("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"a", "b"} {
		if err := run.Publish(at(from), at("runs/final")); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(at(from)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", from, err)
		}
	}
	if got, err := run.Fingerprint(at("runs/final")); got != print || err != nil {
		t.Errorf("%s, %v; want %s", got, err, print)
	}
	err = run.Publish(at("other"), at("runs/final"))
	if err == nil || !strings.Contains(err.Error(), "different results") {
		t.Errorf("another result: %v", err)
	}
	if _, err := run.Fingerprint(at("other")); err != nil {
		t.Errorf("it was not kept: %v", err)
	}
	if report := run.Check(at("runs/final")); len(report.Problems) > 0 {
		t.Errorf("%v", report.Problems)
	}
	if err := run.Publish(at("a"), at("runs/final")); err == nil {
		t.Error("a run that does not exist is published")
	}
}
