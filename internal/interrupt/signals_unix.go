//go:build unix

package interrupt

import (
	"os"
	"syscall"
)

// requests lists the signals that ask a program to end. Batch systems send SIGUSR1,
// SIGUSR2 or SIGXCPU some time before they kill a job.
var requests = []os.Signal{
	os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU,
}
