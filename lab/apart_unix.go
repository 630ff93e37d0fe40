//go:build unix

package lab

import "syscall"

// apart starts a process in a new process group, so that a terminal's Ctrl-C reaches it
// through the laboratory alone, and once.
var apart = &syscall.SysProcAttr{Setpgid: true}
