package run

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/fuse"
	"foretell/train"

	"pgregory.net/rapid"
)

// A checkpoint is written at the last step, at multiples of checkpoint_every, and
// whenever checkpoint_minutes have passed; never otherwise.
func TestSaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := train.Options{
			NumSteps:          rapid.IntRange(1, 50).Draw(t, "num_steps"),
			CheckpointEvery:   rapid.IntRange(1, 60).Draw(t, "checkpoint_every"),
			CheckpointMinutes: rapid.SampledFrom([]float64{0, 0.5, 10, 1e6}).Draw(t, "checkpoint_minutes"),
		}
		step := rapid.IntRange(1, o.NumSteps).Draw(t, "step")
		passed := time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(t, "passed"))
		last := time.Unix(1e9, 0)
		bySteps := step == o.NumSteps || step%o.CheckpointEvery == 0
		byTime := o.CheckpointMinutes > 0 && passed.Minutes() >= o.CheckpointMinutes
		if got := (schedule{now: o}).saves(step, last, last.Add(passed)); got != (bySteps || byTime) {
			t.Errorf("%v, by steps %v, by time %v", got, bySteps, byTime)
		}
	})
	last := time.Unix(1e9, 0)
	s := schedule{now: train.Options{NumSteps: 50, CheckpointEvery: 60, CheckpointMinutes: 10}}
	if s.saves(7, last, last.Add(10*time.Minute-1)) || !s.saves(7, last, last.Add(10*time.Minute)) {
		t.Error("ten minutes are not ten minutes")
	}
}

// minutesConfig is smallConfig with a checkpoint every ten minutes.
func minutesConfig() train.Config {
	c := smallConfig()
	c.Train.CheckpointMinutes = 10
	c.Train.CheckpointEvery = 15
	return c
}

// clock is a clock that a test sets.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

// The checkpoint of minute 10 is written at the first step that ends after it; one by
// steps starts the ten minutes again.
func TestCheckpointMinutes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	at, written := &clock{time.Unix(1e9, 0)}, []int{}
	o := Options{Workers: 1, Clock: at.now}
	latest := func() int {
		steps, err := checkpoints(filepath.Join(dir, checkpointDir))
		if err != nil || len(steps) == 0 {
			return 0
		}
		return steps[0]
	}
	o.OnStep = func(step int, _ float64) {
		if saved := latest(); saved > 0 && !slices.Contains(written, saved) {
			written = append(written, saved)
		}
		at.Time = at.Add(4 * time.Minute) // so that steps 3 and 6 end 12 minutes after the one before
		if step > 20 {
			at.Time = at.Add(-4 * time.Minute)
		}
	}
	if _, err := Ensure(t.Context(), dir, minutesConfig(), o); err != nil {
		t.Fatal(err)
	}
	if want := []int{3, 6, 9, 12, 15, 18, 30}; !slices.Equal(written, want) {
		t.Errorf("checkpoints of steps %v, want %v", written, want)
	}
	if got, err := checkpoints(filepath.Join(dir, checkpointDir)); err != nil || !slices.Equal(got, []int{40, 30}) {
		t.Errorf("%v are left, %v", got, err)
	}
}

// Whatever the clock says, and wherever the run is interrupted, it ends in the bits of a
// run whose clock stands still.
func TestMinutesChangeNoBit(t *testing.T) {
	still := filepath.Join(t.TempDir(), "run")
	stopped := &clock{time.Unix(1e9, 0)}
	if _, err := Ensure(t.Context(), still, minutesConfig(), Options{Workers: 1, Clock: stopped.now}); err != nil {
		t.Fatal(err)
	}
	want := contents(t, still)
	before := asksToBegin(t) // of the steps
	random := rand.New(rand.NewPCG(5, 8))
	for range 3 {
		dir := filepath.Join(t.TempDir(), "run")
		at := &clock{time.Unix(1e9, 0)}
		o := Options{Workers: 2, Clock: func() time.Time {
			at.Time = at.Add(time.Duration(random.Int64N(int64(8*time.Minute))) - time.Minute)
			return at.Time
		}}
		for err := ErrInterrupted; err != nil; {
			if _, err = Ensure(fuse.New(before+20+random.IntN(100)), dir, minutesConfig(), o); err != nil && !errors.Is(err, ErrInterrupted) {
				t.Fatal(err)
			}
		}
		got := contents(t, dir)
		for path, text := range want {
			if earlier := strings.HasPrefix(path, checkpointDir) && !strings.Contains(path, stepName(40)); !earlier && got[path] != text {
				t.Errorf("%s is not that of a run whose clock stands still", path)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d files, want %d", len(got), len(want))
		}
		if report := Check(dir); len(report.Problems) > 0 {
			t.Errorf("%+v", report.Problems)
		}
	}
}

// The interval may change while a run goes on, like checkpoint_every, and the run's
// earlier config.yaml is still known by its hash.
func TestMinutesMayChange(t *testing.T) {
	dir := stopAt(t, 22)
	for _, assignment := range []string{"train.checkpoint_minutes=10", "train.checkpoint_minutes=0.5", "train.checkpoint_minutes=0"} {
		r, err := Extend(t.Context(), dir, Options{Workers: 1}, assignment)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if report := Check(dir); len(report.Problems) > 0 {
			t.Errorf("%s: %+v", assignment, report.Problems)
		}
	}
	if _, err := Resume(t.Context(), dir, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "config.yaml")); err != nil || strings.Contains(string(text), "minutes") {
		t.Errorf("%s, %v", text, err)
	}
}
