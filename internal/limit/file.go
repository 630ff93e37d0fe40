package limit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"
)

// Error is why a file is not read. Another file can be.
type Error struct {
	Path   string
	Reason string // such as "is a device; give a file"
}

func (e *Error) Error() string { return e.Path + " " + e.Reason }

// Unread says that an error is of a file that could not be read: an [*Error], or one of
// the system's.
func Unread(err error) bool {
	var refused *Error
	var system *fs.PathError
	return errors.As(err, &refused) || errors.As(err, &system)
}

// ReadFile returns the contents of a file, which what names in errors, as in "a
// configuration": at most most bytes. A larger one is an [*Error], of which nothing is
// read where its size tells, and so is a device, a socket, or a pipe with a name in a
// folder. A pipe that is open already, as /dev/stdin and the files that shells make
// of <(…) are, is read to its end, and to one byte beyond most. A file of the kernel that
// has no end, as /proc/kmsg, is an [*Error] once it has nothing more to read. Errors of
// the system are those of [os.ReadFile].
func ReadFile(path, what string, most int64) ([]byte, error) {
	file, size, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	most = min(most, mostBytes())
	if size > most {
		return nil, tooLarge(path, what, Size(float64(size)), most)
	}
	var from io.Reader = file
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		from = unwaiting(file)
	}
	return read(from, path, what, size, most)
}

// errWaits is the error of a regular file that has nothing more to read yet, and no end:
// /proc/kmsg and other files of the kernel are such.
var errWaits = errors.New("has no end: its next bytes may never come; give a file")

// Read is [ReadFile] of what is open already, as standard input is, under a name for
// errors.
func Read(from io.Reader, name, what string, most int64) ([]byte, error) {
	return read(from, name, what, 0, min(most, mostBytes()))
}

// read reads at most most bytes; size is how many are expected.
func read(from io.Reader, name, what string, size, most int64) ([]byte, error) {
	var data bytes.Buffer
	data.Grow(int(size) + bytes.MinRead) // what a regular file takes, without growing again
	if _, err := data.ReadFrom(io.LimitReader(from, most+1)); err != nil {
		if errors.Is(err, errWaits) {
			err = &Error{name, errWaits.Error()}
		}
		return nil, err
	}
	if int64(data.Len()) > most {
		return nil, tooLarge(name, what, "more than that", most)
	}
	return data.Bytes(), nil
}

// Open opens a regular file, to be read piece by piece where it may be larger than what
// is wanted of it, and returns its size. What [ReadFile] refuses is an [*Error], and so
// is a pipe, which has no pieces.
func Open(path string) (*os.File, int64, error) {
	file, size, err := open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &Error{path, "is a pipe; give a file"}
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, size, nil
}

func tooLarge(path, what, has string, most int64) error {
	return &Error{path, fmt.Sprintf("holds %s; %s has at most %s", has, what, Size(float64(most)))}
}

// mostBytes is the size of the largest file that fits into memory, with as much again
// for what is made of it.
func mostBytes() int64 {
	if have := Memory(); have > 0 {
		return int64(min(have, math.MaxInt) / 2)
	}
	return 1 << 30 // where the machine does not say what it has
}

// open opens what can be read to an end. size is that of a regular file, 0 of a pipe.
func open(path string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path) // before it is opened, which some devices take for an order
	if err == nil {
		err = readable(path, info)
	} else {
		err = openError(err)
	}
	if err != nil {
		return nil, 0, err
	}
	if file, err = os.OpenFile(path, os.O_RDONLY|nonblock, 0); err != nil {
		return nil, 0, err
	}
	if info, err = file.Stat(); err == nil {
		err = readable(path, info) // it may be another by now
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return file, size, nil
}

// openError is what opening a file says where looking for it failed.
func openError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		path.Op = "open"
	}
	return err
}

// readable returns an error for what has no end, or may never begin.
func readable(path string, info fs.FileInfo) error {
	mode := info.Mode()
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case mode&fs.ModeNamedPipe != 0:
		if isOpenPipe(path) {
			return nil
		}
		return &Error{path, "is a pipe that nobody may write to; give a file"}
	case mode&fs.ModeSocket != 0:
		return &Error{path, "is a socket; give a file"}
	case mode&fs.ModeDevice != 0:
		return &Error{path, "is a device; give a file"}
	}
	return &Error{path, "is no file"}
}
