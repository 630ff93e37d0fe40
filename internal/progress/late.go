package progress

import (
	"sync"
	"time"
)

// Timer calls f once d has passed, from elsewhere, unless it is stopped before.
type Timer func(d time.Duration, f func()) (stop func())

// Clock is the Timer of the clock.
func Clock(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// lateAfter is how long work without a bar goes on before something is said.
const lateAfter = time.Second

// Late says something once, if work is not done within a second. After done nothing is
// said any more.
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
