//go:build unix

package limit

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// leastFiles is the number of descriptors needed to open the first file: two for the
// runtime's poller, which otherwise ends the program, and one for the file.
const leastFiles = 3

// enoughFiles returns an error if fewer than [leastFiles] descriptors are free. Otherwise
// it lets the runtime allocate the descriptors of its poller; after that, a lack of
// descriptors is an ordinary error of open.
func enoughFiles() error {
	if err := checkFree(); err != nil {
		return err
	}
	time.AfterFunc(time.Hour, func() {}).Stop() // the first timer creates the poller
	return nil
}

// checkFree opens [leastFiles] descriptors and closes them.
func checkFree() error {
	for free := range leastFiles {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0) // descriptor 0 is open: Go opens it if it was closed
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return fmt.Errorf("%w: the program can open %d more, and needs at least %d; raise the limit (`ulimit -n`)",
				err, free, leastFiles)
		}
		if err == nil {
			defer unix.Close(fd)
		}
	}
	return nil
}
