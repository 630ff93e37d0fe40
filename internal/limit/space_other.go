//go:build !(linux || darwin || freebsd)

package limit

// addressSpace is 0: the system sets no such limit, or none that Go knows of.
func addressSpace() float64 { return 0 }
