package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/process"
	"foretell/train"
)

// initConfig is the small configuration, begun with the weights of another run after a
// step.
func initConfig(t *testing.T) (c train.Config, source string) {
	t.Helper()
	source = endedRun(t, func(o *train.Options) { o.Seed, o.Checkpoints = 5, train.Checkpoints{Rule: "log"} })
	c = smallConfig()
	c.Train.Init = source + "@8"
	return c, source
}

// A run begins with the weights that it is told, keeps them, and needs their source no
// more: stopped at the beginning or later it ends in the same files.
func TestInitialWeightsAreKept(t *testing.T) {
	c, source := initConfig(t)
	p, err := c.Process.Build()
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.Resolve(); err != nil {
		t.Fatal(err)
	}
	t.Run("by name", func(t *testing.T) { keepInitialWeights(t, c, nil, source) })
	c.Process = process.Spec{}
	t.Run("by code", func(t *testing.T) { keepInitialWeights(t, c, renamedProcess{p}, source) })
}

func keepInitialWeights(t *testing.T, c train.Config, p process.Process, source string) {
	alone := filepath.Join(t.TempDir(), "alone")
	if _, err := Ensure(t.Context(), alone, c, Options{Workers: 1, ByCode: p}); err != nil {
		t.Fatal(err)
	}
	begun := filepath.Join(t.TempDir(), "begun")
	begin(t, begun, c, p, 0)
	if _, err := Snapshot(begun, 0); err != nil {
		t.Errorf("before the first checkpoint: %v", err)
	}
	first, err := Snapshot(alone, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := mustOpen(t, source+"@8"); !slices.Equal(first.Weights.Data, want.Model.Weights.Data) {
		t.Error("the run began with other weights")
	}
	if r := Check(alone); len(r.Problems) > 0 || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	for _, stop := range []int{0, 3, 25} {
		dir := filepath.Join(t.TempDir(), "run")
		begin(t, dir, c, p, stop)
		if err := os.Rename(source, source+"-moved"); err != nil {
			t.Fatal(err)
		}
		if _, err := Ensure(t.Context(), dir, c, Options{Workers: 2, ByCode: p}); err != nil {
			t.Errorf("stopped at %d: %v", stop, err)
		}
		wantSame(t, contents(t, dir), contents(t, alone))
		if err := os.Rename(source+"-moved", source); err != nil {
			t.Fatal(err)
		}
	}
}

// begin trains in a new folder up to a step, and leaves the run as a kill would where
// that is 0. p is the process if Go code makes it, else nil.
func begin(t *testing.T, dir string, c train.Config, p process.Process, stop int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Create(t.Context(), dir, c, Options{Workers: 1, ByCode: p, OnStep: func(step int, _ float64) {
		if step == stop {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if stop == 0 {
		return
	}
	if err := r.Train(ctx); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
}

// Where the run's own copy is damaged before the first checkpoint the source is read, and
// must be what it was.
func TestInitialWeightsThatHaveChanged(t *testing.T) {
	c, source := initConfig(t)
	dir := filepath.Join(t.TempDir(), "run")
	begin(t, dir, c, nil, 0)
	write(t, snapshotFile(dir, 0), "damaged")
	if r, err := Resume(t.Context(), dir, Options{Workers: 1}); err != nil {
		t.Errorf("from the source: %v", err)
	} else {
		r.Close()
	}
	write(t, snapshotFile(dir, 0), "damaged")
	other := mustOpen(t, source+"@16")
	var weights strings.Builder
	if err := other.Model.Write(&weights); err != nil {
		t.Fatal(err)
	}
	write(t, snapshotFile(source, 8), weights.String())
	if _, err := Resume(t.Context(), dir, Options{Workers: 1}); err == nil || !strings.Contains(err.Error(), "has changed since this configuration was written") {
		t.Errorf("%v", err)
	}
}
