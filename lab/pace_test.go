package lab

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"foretell/run"
	"foretell/train"
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

// A step of a run is opened before its cloud waits, because the training may remove its
// weights meanwhile.
func TestCloudOfAStepThatIsRemoved(t *testing.T) {
	runs := t.TempDir()
	e, err := New(Folders{runs, t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	c, err := train.Parse("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(runs, "first")
	if _, err := run.Ensure(t.Context(), dir, c, run.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	e.trainings.live["first"] = &job{}
	e.looks.rest = time.Now().Add(time.Hour)
	done := make(chan error)
	go func() {
		_, err := e.Points(t.Context(), &Cloud{Model: "first@20"})
		done <- err
	}()
	for len(e.looks.turn) == 0 {
		runtime.Gosched()
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	e.trainings.mu.Lock()
	delete(e.trainings.live, "first")
	e.trainings.tell()
	e.trainings.mu.Unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Whoever asks for a step of a run too late gets no answer, which is not an error. A step
// that does not come yet is one.
func TestStepsThatAreGone(t *testing.T) {
	s := serve(t)
	c, err := train.Parse("small.yaml", []byte(strings.Replace(small, ", checkpoints: all", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Ensure(t.Context(), filepath.Join(s.runs, "first"), c, run.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]int{"first": 200, "first@40": 200, "first@5": 204, "first@70": 400} {
		for path, body := range map[string]string{
			"/points": `{"model": "` + model + `"}`, "/ask/look": `{"model": "` + model + `", "tokens": "0,1"}`,
		} {
			r, err := http.NewRequestWithContext(t.Context(), "POST", s.address+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.AddCookie(s.cookie)
			r.Header.Set("Content-Type", "application/json")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("%s of %s answers %s, want %d", path, model, response.Status, want)
			}
		}
	}
}
