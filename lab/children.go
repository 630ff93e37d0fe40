//go:build !js

package lab

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// New returns an engine for runs and reports, and makes the folder of the runs if it does
// not exist. program is the path of the foretell program, which trains in a separate
// process, so that a training run that fails, for example for lack of memory, does not
// end the pages. Close ends the engine.
func New(at Folders, program string) (*Engine, error) { return newEngine(at, children(program)) }

// children returns a starter of processes of the system.
func children(program string) starter {
	return func(args []string, said io.Writer) (worker, error) {
		c := &command{exec.Command(program, args...)}
		c.cmd.SysProcAttr = apart
		c.cmd.Stderr = said
		return c, c.cmd.Start()
	}
}

// command is a process of the system.
type command struct{ cmd *exec.Cmd }

// exitInterrupted is the exit status of a process that ended on a signal and can
// continue.
const exitInterrupted = 130

func (c *command) wait() error {
	err := c.cmd.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == exitInterrupted {
		return errInterrupted
	}
	return err
}

// interrupt implements worker. On a system without signals the process ends at once, and
// continues later from the checkpoint before.
func (c *command) interrupt() error {
	if runtime.GOOS == "windows" {
		return c.cmd.Process.Kill()
	}
	err := c.cmd.Process.Signal(syscall.SIGTERM) // it may ignore SIGINT, as below nohup
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
