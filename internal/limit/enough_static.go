//go:build !cgo

package limit

// leastSpace is the address space that the program needs, in bytes, most of which Go's
// runtime reserves and never uses.
const leastSpace = 1e9

const spaceNeeded = "the program needs 1.0 GB"
