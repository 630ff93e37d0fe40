//go:build !(linux || darwin || freebsd)

package limit

// addressSpace returns 0: the system has no such limit, or Go does not support it.
func addressSpace() float64 { return 0 }
