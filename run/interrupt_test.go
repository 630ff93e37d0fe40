package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fuse is a context that ends when it has been asked so many times whether it has: in the
// middle of a batch or of an evaluation as well as between them.
type fuse struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func newFuse(asked int) *fuse {
	return &fuse{Context: context.Background(), left: asked, done: make(chan struct{})}
}

func (f *fuse) Done() <-chan struct{} { return f.done }

func (f *fuse) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left == 0 {
		close(f.done)
	}
	if f.left <= 0 {
		return context.Canceled
	}
	return nil
}

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
			_, err := Ensure(newFuse(before+20+random.IntN(100)), dir, smallConfig(), watchedOptions(workers))
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
	const many = 1 << 30
	fuse := newFuse(many)
	r, err := Create(fuse, filepath.Join(t.TempDir(), "run"), smallConfig(), watchedOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return many - fuse.left
}
