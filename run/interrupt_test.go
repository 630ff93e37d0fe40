package run

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/fuse"
)

// A run that is interrupted again and again, wherever that is, ends in the bits of one
// that was left alone.
func TestInterruptedAnywhere(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "run")
	mustEnsure(t, alone, watchedOptions(1))
	want := contents(t, alone)
	before := asksToBegin(t) // of the steps
	random := rand.New(rand.NewPCG(11, 7))
	for workers := 1; workers <= 2; workers++ {
		dir, stopped := filepath.Join(t.TempDir(), "run"), 0
		for {
			_, err := Ensure(fuse.New(before+20+random.IntN(100)), dir, smallConfig(), watchedOptions(workers))
			if err == nil {
				break
			}
			if !errors.Is(err, ErrInterrupted) {
				t.Fatal(err)
			}
			stopped++
		}
		if stopped < 5 {
			t.Errorf("%d workers: interrupted only %d times", workers, stopped)
		}
		got := contents(t, dir)
		for path, text := range want {
			if earlier := strings.HasPrefix(path, checkpointDir) && !strings.Contains(path, stepName(40)); !earlier && got[path] != text {
				t.Errorf("%d workers: %s is not that of a run left alone", workers, path)
			}
		}
	}
}

// asksToBegin returns how often a run asks its context whether it has ended before it
// takes its first step.
func asksToBegin(t *testing.T) int {
	t.Helper()
	endless := fuse.New(1 << 30)
	r, err := Create(endless, filepath.Join(t.TempDir(), "run"), smallConfig(), watchedOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return endless.Asked()
}
