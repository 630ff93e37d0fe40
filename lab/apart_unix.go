//go:build unix

package lab

import "syscall"

// apart starts a process in a group of its own, so that a terminal's Ctrl-C reaches it
// through the laboratory alone, and once.
var apart = &syscall.SysProcAttr{Setpgid: true}
