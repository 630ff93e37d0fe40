package progress

import (
	"sync"
	"time"
)

// Timer calls f in another goroutine after d, unless it is stopped before.
type Timer func(d time.Duration, f func()) (stop func())

// Clock is the Timer of the system clock.
func Clock(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// lateAfter is the time after which work without a progress bar is announced.
const lateAfter = time.Second

// Late calls say once if the work is not done within a second. After done returns, say is
// not called any more.
func Late(timer Timer, say func()) (done func()) {
	var mu sync.Mutex
	over := false
	stop := timer(lateAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			say()
		}
	})
	return func() {
		stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
	}
}
