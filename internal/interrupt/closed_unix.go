//go:build unix

package interrupt

import (
	"os"

	"golang.org/x/sys/unix"
)

// closed says of a standard stream that it was closed when the program began. Go then
// opens the null device in its place, for reading and writing, before anything else runs;
// who wants to write nowhere opens it for writing alone, as a shell does.
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
