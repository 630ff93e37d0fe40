package lab

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Clouds of a run that trains are computed for a twentieth of the time, whoever asks, and
// at once when it does not train any more. Others do not wait.
func TestCloudsLeaveTimeToTheTraining(t *testing.T) {
	e, err := New(Folders{t.TempDir(), t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	synctest.Test(t, func(t *testing.T) {
		l := newLooks()
		trains := func(name string, live bool) {
			e.trainings.mu.Lock()
			defer e.trainings.mu.Unlock()
			delete(e.trainings.live, name)
			if live {
				e.trainings.live[name] = &job{}
			}
			e.trainings.tell()
		}
		e.trainings.changed = make(chan struct{}) // one of this bubble
		trains("first", true)
		defer trains("first", false)
		begun := time.Now()
		const cost = time.Second
		look := func(ctx context.Context, model string) time.Duration {
			_, err := l.look(ctx, e, model, func() ([]byte, error) {
				time.Sleep(cost)
				return nil, nil
			})
			if err != nil && !errors.Is(err, ctx.Err()) {
				t.Error(err)
			}
			return time.Since(begun)
		}
		for i, want := range []time.Duration{1, 21, 41} {
			if got := look(t.Context(), "first@100"); got != want*cost {
				t.Errorf("cloud %d is there after %v, want %v", i, got, want*cost)
			}
		}
		if got := look(t.Context(), "other@100"); got != 42*cost {
			t.Errorf("the cloud of another run is there after %v", got)
		}
		short, cancel := context.WithTimeout(t.Context(), 2*cost)
		defer cancel()
		if got := look(short, "first@150"); got != 44*cost {
			t.Errorf("somebody who leaves waits until %v", got)
		}
		go func() {
			time.Sleep(cost)
			trains("first", false)
		}()
		if got := look(t.Context(), "first@200"); got != 46*cost {
			t.Errorf("the cloud of a run that has ended is there after %v", got)
		}
	})
}
