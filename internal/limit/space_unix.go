//go:build linux || darwin || freebsd

package limit

import (
	"math"
	"syscall"
)

// addressSpace returns the limit set by `ulimit -v`, or 0 for no limit.
func addressSpace() float64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || float64(limit.Cur) >= math.MaxInt64 {
		return 0
	}
	return float64(limit.Cur)
}
