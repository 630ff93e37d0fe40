//go:build !cgo

package limit

// leastSpace is the address space that the program needs, in bytes. Go's runtime reserves
// most of it without using it.
const leastSpace = 1e9

const spaceNeeded = "the program needs 1.0 GB"
