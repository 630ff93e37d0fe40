package main

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

// Programs of others are what is busy and not ours, wherever a name has blanks and
// brackets.
func TestReadTicks(t *testing.T) {
	all := "cpu  100 20 30 400 50 6 7 8 90 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
	own := "42 (a (b) R) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 20 0 1\n"
	want := ticks{all: 621, busy: 171, own: 11 + 12 + 13 + 14}
	if got := readTicks([]byte(all), []byte(own)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, broken := range []string{"", "cpu", "cpu x", "x"} {
		if got := readTicks([]byte(broken), []byte(broken)); got != (ticks{}) {
			t.Errorf("%q: %+v, want zeros", broken, got)
		}
	}
}

// The own time of a process that only waits is less than all time, and time runs on.
func TestClock(t *testing.T) {
	first := clock()
	if (first != ticks{}) != (runtime.GOOS == "linux") {
		t.Errorf("%+v: want times on Linux only", first)
	}
	if first.busy > first.all || first.own > first.busy {
		t.Errorf("%+v: want own <= busy <= all", first)
	}
	if later := clock(); later.all < first.all || later.busy < first.busy || later.own < first.own {
		t.Errorf("%+v after %+v", later, first)
	}
}

// After the deadline a measurement runs once, and its error is the caller's.
func TestUndisturbedEnds(t *testing.T) {
	runs, failed := 0, errors.New("failed")
	_, err := undisturbed(time.Time{}, func() error {
		runs++
		return failed
	})
	if runs != 1 || !errors.Is(err, failed) {
		t.Errorf("%d runs, %v; want 1 and %v", runs, err, failed)
	}
}
