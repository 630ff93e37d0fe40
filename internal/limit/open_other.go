//go:build !unix

package limit

import (
	"io"
	"os"
)

// nonblock is not needed where pipes have no names in folders.
const nonblock = 0

// isOpenPipe is false: no path stands for a pipe that is open.
func isOpenPipe(string) bool { return false }

// unwaiting is the file itself: no file waits here.
func unwaiting(file *os.File) io.Reader { return file }
