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

// Error explains why a file is not read.
type Error struct {
	Path   string
	Reason string // such as "is a device; give a file"
}

func (e *Error) Error() string { return e.Path + " " + e.Reason }

// Unread reports whether err is an error of reading a file: an [*Error], or an error of
// the system.
func Unread(err error) bool {
	var refused *Error
	var system *fs.PathError
	return errors.As(err, &refused) || errors.As(err, &system)
}

// ReadFile returns the contents of a file, whose largest allowed size in bytes is the
// argument most. The argument what describes the contents in errors, such as "a
// configuration". The error is an [*Error] for a larger file (nothing is read if the size
// is known), a device, a socket, or a named pipe. An open pipe, such as /dev/stdin or a
// shell's <(…), is read to its end, but at most one byte beyond this size. A kernel file
// without an end, such as /proc/kmsg, is an [*Error] when it has no more data. A file on
// a network filesystem that another machine replaces meanwhile is opened again. Other
// errors are those returned by [os.ReadFile].
func ReadFile(path, what string, most int64) ([]byte, error) {
	data, err := readFile(path, what, most)
	for tries := 1; errors.Is(err, syscall.ESTALE) && tries < mostTries; tries++ {
		data, err = readFile(path, what, most)
	}
	return data, err
}

// mostTries is how often a file is opened.
const mostTries = 3

func readFile(path, what string, most int64) ([]byte, error) {
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

// errWaits is the error for a regular file that has no more data yet and no end, such as
// /proc/kmsg.
var errWaits = errors.New("has no end: its next bytes may never come; give a file")

// Read is [ReadFile] for an open file such as standard input; name is its name in errors.
func Read(from io.Reader, name, what string, most int64) ([]byte, error) {
	return read(from, name, what, 0, min(most, mostBytes()))
}

// read reads all data. It returns an error if the number of bytes exceeds the limit most;
// size is the expected number.
func read(from io.Reader, name, what string, size, most int64) ([]byte, error) {
	var data bytes.Buffer
	data.Grow(int(size) + bytes.MinRead) // enough for a regular file, so the buffer need not grow again
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

// Open opens a regular file that is read piece by piece because it may be large, and
// returns its size. A file that [ReadFile] refuses, and a pipe, is an [*Error].
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

// mostBytes returns the size of the largest file that fits in memory together with an
// equal amount for its parsed form.
func mostBytes() int64 {
	if have := Memory(); have > 0 {
		return int64(min(have, math.MaxInt) / 2)
	}
	return 1 << 30 // the limit if the available memory is unknown
}

// open opens a file that has an end. size is the size of a regular file, and 0 for a
// pipe.
func open(path string) (file *os.File, size int64, err error) {
	info, err := os.Stat(path) // stat first: merely opening some devices triggers an action
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
		err = readable(path, info) // check again: the file may have been replaced
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return file, size, nil
}

// openError makes an error of stat look like an error of open.
func openError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		path.Op = "open"
	}
	return err
}

// readable returns an error for a file that has no end or may never have data.
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
		return &Error{path, "is a pipe that may have no writer; give a file"}
	case mode&fs.ModeSocket != 0:
		return &Error{path, "is a socket; give a file"}
	case mode&fs.ModeDevice != 0:
		return &Error{path, "is a device; give a file"}
	}
	return &Error{path, "is not a file"}
}
