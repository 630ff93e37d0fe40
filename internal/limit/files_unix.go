//go:build unix

package limit

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// leastFiles is the number of descriptors that opening a file takes for the first time:
// two for the runtime's poller, without which it ends the program, and the file's own.
const leastFiles = 3

// enoughFiles returns an error if fewer than [leastFiles] descriptors are free, and lets
// the runtime take those of its poller otherwise. From then on an open that finds none
// free is an error like any other.
func enoughFiles() error {
	if err := checkFree(); err != nil {
		return err
	}
	time.AfterFunc(time.Hour, func() {}).Stop() // the first timer makes the poller
	return nil
}

// checkFree opens [leastFiles] descriptors and closes them again.
func checkFree() error {
	for free := range leastFiles {
		fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0) // 0 is open: Go opens it where it was closed
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
