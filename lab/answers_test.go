package lab

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// An answer that stays the same is computed once, whoever asks. One that may change is
// shared while it is computed, or not at all, and an error is not kept.
func TestAnswersAreShared(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		life  life
		err   error
		calls int32 // by ten who ask one after the other
		there bool  // others can wait for the answer while it is computed
	}{{passing, nil, 10, false}, {shared, nil, 10, true}, {lasting, nil, 1, true}, {lasting, failed, 10, true}} {
		var a answers
		var calls atomic.Int32
		ask := func() {
			data, err := a.find(t.Context(), "question", c.life, func(context.Context) ([]byte, error) {
				calls.Add(1)
				a.mu.Lock()
				defer a.mu.Unlock()
				if there := a.all["question"] != nil; there != c.there {
					t.Errorf("%+v: the computation can be waited for: %v", c, there)
				}
				return []byte("answer"), c.err
			})
			if !errors.Is(err, c.err) || string(data) != "answer" {
				t.Errorf("%+v: %q, %v", c, data, err)
			}
		}
		for range 10 {
			ask()
		}
		if got := calls.Load(); got != c.calls {
			t.Errorf("%+v: %d computations", c, got)
		}
		if c.life == lasting {
			continue
		}
		if len(a.all) > 0 || a.bytes > 0 {
			t.Errorf("%+v: an answer is kept", c)
		}
	}
	var a answers
	var calls atomic.Int32
	var asking sync.WaitGroup
	for range 20 {
		asking.Go(func() {
			_, err := a.find(t.Context(), "question", lasting, func(context.Context) ([]byte, error) {
				calls.Add(1)
				return nil, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	if got := calls.Load(); got != 1 {
		t.Errorf("20 who ask together cost %d computations", got)
	}
}

// Somebody who goes away while his question is answered leaves it to the next.
func TestInterruptedAnswerIsFoundByTheNext(t *testing.T) {
	var a answers
	gone, leave := context.WithCancel(t.Context())
	_, err := a.find(gone, "question", lasting, func(ctx context.Context) ([]byte, error) {
		leave()
		return nil, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	data, err := a.find(t.Context(), "question", lasting, func(context.Context) ([]byte, error) { return []byte("answer"), nil })
	if string(data) != "answer" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

// The answers that are kept are bounded, and one that is too large is not kept.
func TestKeptAnswersAreBounded(t *testing.T) {
	var a answers
	for i, size := range []int{1 << 20, mostAnswers, 3 << 20, 2 << 20, 3 << 20, 1, 1, 4<<20 - 1} {
		_, err := a.find(t.Context(), fmt.Sprint(i), lasting, func(context.Context) ([]byte, error) { return make([]byte, size), nil })
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, one := range a.all {
			sum += one.bytes
		}
		if sum != a.bytes || sum > mostAnswers || len(a.all) != len(a.order) {
			t.Errorf("%d bytes are kept in %d answers; %d and %d are counted", sum, len(a.all), a.bytes, len(a.order))
		}
	}
	if a.all["7"] == nil || a.all["1"] != nil || a.all["0"] != nil {
		t.Errorf("kept are %v", a.order)
	}
}

// Only what is in no folder of a run or a report stays the same.
func TestLife(t *testing.T) {
	for _, name := range Names() {
		q, err := NewQuestion(name, []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		want := passing
		switch name {
		case "processes", "crafts", "process", "check", "floor", "beliefs", "sample":
			want = lasting
		}
		if got := lifeOf(q); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"process", "check", "floor", "beliefs", "sample"} {
		q, err := NewQuestion(name, []byte(`{"run":"first"}`))
		if got := lifeOf(q); err != nil || got != passing {
			t.Errorf("%s of a run: %v, %v", name, got, err)
		}
	}
	for model, want := range map[string]life{"": lasting, "first": passing, "first@500": shared, "craft:coin": passing} {
		if got := lifeOf(&Cloud{Model: model}); got != want {
			t.Errorf("points of %q: %v, want %v", model, got, want)
		}
	}
}
