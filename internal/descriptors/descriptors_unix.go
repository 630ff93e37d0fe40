//go:build unix

package descriptors

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// least is the number of descriptors needed to open the first file: two for the runtime's
// poller, which otherwise ends the program, and one for the file.
const least = 3

// init lets the runtime allocate the descriptors of its poller. After that, a lack of
// descriptors is an ordinary error of open.
func init() {
	if err := enough(); err != nil {
		os.Stderr.WriteString("foretell: " + err.Error() + "\n")
		os.Exit(1)
	}
	time.AfterFunc(time.Hour, func() {}).Stop() // the first timer creates the poller
}

// enough opens [least] descriptors and closes them.
func enough() error {
	for free := range least {
		fd, err := syscall.Dup(0) // descriptor 0 is open: Go opens it if it was closed
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return errors.New(err.Error() + ": the program can open " + strconv.Itoa(free) +
				" more, and needs at least " + strconv.Itoa(least) + "; raise the limit (`ulimit -n`)")
		}
		if err == nil {
			defer syscall.Close(fd)
		}
	}
	return nil
}
