//go:build !unix

package limit

import (
	"io"
	"os"
)

// nonblock is 0: this system has no named pipes in folders.
const nonblock = 0

// isOpenPipe returns false: paths do not refer to open pipes on this system.
func isOpenPipe(string) bool { return false }

// unwaiting returns the file itself: reading a file does not block on this system.
func unwaiting(file *os.File) io.Reader { return file }
