//go:build !unix && !js

package interrupt

import (
	"os"
	"syscall"
)

// requests lists the signals that ask a program to end.
var requests = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
