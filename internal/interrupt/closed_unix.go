//go:build unix

package interrupt

import (
	"os"

	"golang.org/x/sys/unix"
)

// closed reports whether a standard stream was closed when the program began. Go then
// opens the null device for reading and writing in its place, before any other code runs;
// a shell's redirection to /dev/null opens it for writing only.
func closed(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil || f.Fd() > 2 {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return true
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return os.SameFile(null, info) && err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
