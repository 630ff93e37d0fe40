package progress

import (
	"testing"
	"time"
)

// Work that takes longer than a second says so, and says nothing once it is done,
// whenever the timer goes off.
func TestLate(t *testing.T) {
	for _, test := range []struct {
		before, after bool // whether the timer goes off before the work is done, and after it
		want          int
	}{{false, false, 0}, {true, false, 1}, {false, true, 0}} {
		said, stopped := 0, false
		var fire func()
		done := Late(func(d time.Duration, f func()) func() {
			if d != time.Second {
				t.Errorf("the timer is set to %v", d)
			}
			fire = f
			return func() { stopped = true }
		}, func() { said++ })
		if test.before {
			fire()
		}
		done()
		if test.after {
			fire()
		}
		if said != test.want || !stopped {
			t.Errorf("%+v: said %d times, stopped %v", test, said, stopped)
		}
	}
}

// The clock's timer goes off, and not once it is stopped.
func TestClock(t *testing.T) {
	rung := make(chan bool)
	stop := Clock(time.Hour, func() { t.Error("a stopped timer goes off") })
	stop()
	Clock(0, func() { close(rung) })
	<-rung
}
