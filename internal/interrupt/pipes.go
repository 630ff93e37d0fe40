//go:build !js

package interrupt

import (
	"os"
	"os/signal"
	"syscall"
)

// keepPipes makes a write to a pipe without a reader an error instead of the end of the
// program.
func keepPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
