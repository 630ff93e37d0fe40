//go:build linux && !riscv64 && !loong64

package fault

import "golang.org/x/sys/unix"

const callRenameat = unix.SYS_RENAMEAT
