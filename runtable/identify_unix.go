//go:build linux || openbsd || dragonfly

package runtable

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// identify returns a text that differs if a file has been changed or replaced, and the
// time of the last change. The system sets the time of a change of status (ctime) at each
// change, and no program can set it back.
func identify(info fs.FileInfo) (text string, changed time.Time) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", changed
	}
	changed = time.Unix(stat.Ctim.Unix())
	if info.ModTime().After(changed) {
		changed = info.ModTime()
	}
	return fmt.Sprint(stat.Dev, stat.Ino, info.Size(), info.ModTime().UnixNano(), stat.Ctim.Nano()), changed
}
