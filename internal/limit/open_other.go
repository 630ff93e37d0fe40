//go:build !unix

package limit

// nonblock is not needed where pipes have no names in folders.
const nonblock = 0
