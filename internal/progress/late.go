package progress

import (
	"sync"
	"time"
)

// Timer calls f in another goroutine after the time d, unless stop is called before.
type Timer func(d time.Duration, f func()) (stop func())

// Clock is the Timer of the system clock.
func Clock(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// lateAfter is the time after which work without a progress bar is announced.
const lateAfter = time.Second

// Late announces work that takes long: it calls the function say once, unless the caller
// calls done within a second. After done has returned, say is not called any more.
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
