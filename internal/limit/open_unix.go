//go:build unix

package limit

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock is the flag that opens a pipe without waiting for a writer.
const nonblock = syscall.O_NONBLOCK

// isOpenPipe reports whether a path refers to the reading end of an unnamed pipe that
// this process was given: /dev/stdin, or /dev/fd/63 for a shell's <(…). For any other
// pipe there may be no writer, or the writer may be this process.
func isOpenPipe(path string) bool {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	if own, err := filepath.EvalSymlinks("/dev/fd"); err == nil && folder == own {
		_, unnamed := filepath.EvalSymlinks(path)
		return isReader(filepath.Base(path)) && (unnamed != nil || folder == "/dev/fd")
	}
	target, err := os.Readlink(path)
	if err != nil {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(folder, target)
	}
	return isOpenPipe(target)
}

// isReader reports whether a descriptor of this process, given as a number, is open for
// reading only.
func isReader(number string) bool {
	n, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDONLY
}

// unwaiting returns a reader of a file opened with nonblock. If a read would block, it
// returns errWaits; an [os.File] would block indefinitely.
func unwaiting(file *os.File) io.Reader { return unwaitingFile{file} }

type unwaitingFile struct{ file *os.File }

func (u unwaitingFile) Read(data []byte) (n int, err error) {
	raw, err := u.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) (done bool) {
		n, failed = unix.Read(int(fd), data)
		for failed == syscall.EINTR {
			n, failed = unix.Read(int(fd), data)
		}
		return true
	})
	switch {
	case err != nil:
		return 0, err
	case errors.Is(failed, syscall.EAGAIN):
		return 0, errWaits
	case failed != nil:
		return 0, &os.PathError{Op: "read", Path: u.file.Name(), Err: failed}
	case n == 0 && len(data) > 0:
		return 0, io.EOF
	}
	return n, nil
}
