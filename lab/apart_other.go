//go:build !unix && !js

package lab

import "syscall"

// apart starts a process as any other.
var apart *syscall.SysProcAttr
