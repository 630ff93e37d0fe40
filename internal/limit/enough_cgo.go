//go:build cgo

package limit

// leastSpace is the address space that the program needs, in bytes. With cgo, the C
// library reserves about 128 MB for each thread.
const leastSpace = 2e9

const spaceNeeded = "a program built with cgo needs 2.0 GB, one built with CGO_ENABLED=0 needs 1.0 GB"
