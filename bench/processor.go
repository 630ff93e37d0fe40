package bench

import (
	"fmt"
	"path/filepath"

	"foretell/internal/limit"
)

// processorTimes holds two times of this process's threads, in nanoseconds: how long
// they ran on a processor, and how long they were ready to run but waited for one.
type processorTimes struct{ ran, waited float64 }

// processorTime reads the times that Linux records for each thread (schedstat in
// proc(5)). On other systems it returns zeros.
func processorTime() processorTimes {
	threads, _ := filepath.Glob("/proc/self/task/*/schedstat") // the pattern is valid
	var sum processorTimes
	for _, file := range threads {
		var ran, waited float64
		text, err := limit.ReadFile(file, "a schedstat", 4096) // a thread may have ended
		if err != nil {
			continue
		}
		if _, err := fmt.Sscan(string(text), &ran, &waited); err == nil {
			sum.ran, sum.waited = sum.ran+ran, sum.waited+waited
		}
	}
	return sum
}

// since returns the difference from earlier times.
func (p processorTimes) since(earlier processorTimes) processorTimes {
	return processorTimes{p.ran - earlier.ran, p.waited - earlier.waited}
}

// share returns the fraction of the requested processor time that was granted, or 0 if
// the times are not known.
func (p processorTimes) share() float64 {
	if p.ran <= 0 || p.waited < 0 {
		return 0
	}
	return p.ran / (p.ran + p.waited)
}

// plus returns the sum of two times.
func (p processorTimes) plus(q processorTimes) processorTimes {
	return processorTimes{p.ran + q.ran, p.waited + q.waited}
}
