package durable

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"foretell/internal/limit"
)

// MostLog is how many bytes a log can have to be read.
const MostLog = 1 << 30

// Log is an append-only file of rows, each a JSON object on a line of its own whose last
// field is the checksum of all rows up to it. Use [OpenLog].
type Log struct {
	path      string
	file      *os.File
	text      []byte // the rows as they were written
	checksums []byte // of each of them
	chain     chain  // after the last
}

// OpenLog opens the log at path for appending, or creates it. origin is where its chain
// starts: what the log is of, so that no row of another passes for one of its own. A
// log that does not end in a whole row, as a kill may leave it, or whose chain is
// broken, is an error: cut it with [TruncateLog] first.
func OpenLog(path, origin string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, at(path, err)
	}
	log := &Log{path: path, file: file}
	if err := log.begin(origin); err != nil {
		_ = file.Close()
		return nil, at(path, err)
	}
	return log, nil
}

// begin reads the log up to its end, and makes the file's name durable.
func (l *Log) begin(origin string) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	l.text = make([]byte, info.Size())
	if _, err := l.file.ReadAt(l.text, 0); err != nil && len(l.text) > 0 {
		return err
	}
	read, last := parseLog(l.text, origin)
	if read.Damage != "" || !read.Chained {
		return fmt.Errorf("%s; truncate the log before appending to it", cmp.Or(read.Damage, "its rows are not chained"))
	}
	l.checksums, l.chain = []byte(read.Chain), last
	return syncFolder(filepath.Dir(l.path))
}

// Append writes one row, which must marshal to a JSON object, in one write call; a row
// that could not be written whole is taken back. The row survives a kill at once, and a
// power cut after [Log.Sync].
func (l *Log) Append(row any) error {
	object, err := marshalObject(row)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	line, next := l.chain.seal(object)
	if n, err := l.file.Write(line); err != nil {
		if n > 0 {
			_ = l.file.Truncate(int64(len(l.text))) // if this fails too, the checksum tells the reader
		}
		return at(l.path, err)
	}
	l.text, l.chain = append(l.text, line...), next
	l.checksums = append(l.checksums, next.String()...)
	return nil
}

// ChecksumDigits is the number of digits of each row's checksum in a chain.
const ChecksumDigits = 8

// Chain returns the checksums of all rows, [ChecksumDigits] each: what a reader needs to
// know to tell whether it has them all, and which of them are as they were written. The
// last alone vouches for all of them.
func (l *Log) Chain() string { return string(l.checksums) }

// Sync flushes the rows appended so far to the disk.
func (l *Log) Sync() error {
	if err := l.file.Sync(); err != nil {
		return at(l.path, err)
	}
	return nil
}

// Changed says what somebody else has done to the log since it was opened, as in "is
// gone"; it is empty where the log holds what was written to it and nothing else. See
// [Changed].
func (l *Log) Changed() (what string, err error) {
	if what, err := Changed(l.path, l.text); what != "" || err != nil {
		return what, err
	}
	own, err := l.file.Stat()
	if err != nil {
		return "", at(l.path, err)
	}
	there, err := os.Lstat(l.path)
	if err != nil {
		return "", at(l.path, err)
	}
	if !os.SameFile(own, there) {
		what = "is another file than the one that was opened"
	}
	return what, nil
}

// Restore writes the rows of the log to a new file at its path, and goes on there.
func (l *Log) Restore() error {
	if err := WriteFile(l.path, l.text); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return at(l.path, err)
	}
	old := l.file
	l.file = file
	return old.Close()
}

// Close closes the log without flushing it.
func (l *Log) Close() error {
	if err := l.file.Close(); err != nil {
		return at(l.path, err)
	}
	return nil
}

// ReadLog reads the log at path. That there is damage is no error: it shows in
// [Contents].
func ReadLog(path, origin string) (Contents, error) {
	data, err := limit.ReadFile(path, "a log", MostLog)
	if err != nil {
		return Contents{}, at(path, err)
	}
	read, _ := parseLog(data, origin)
	return read, nil
}

// TruncateLog cuts the log at path off after its first so many rows, and flushes it: at
// a resume, the rows after the checkpoint go, and what a kill left of one. A log of
// before rows were chained is one whose rows are chained afterwards. A log that does not
// exist is left so; one that has fewer intact rows is an error.
func TruncateLog(path, origin string, rows int) error {
	read, err := ReadLog(path, origin)
	switch {
	case errors.Is(err, os.ErrNotExist) && rows == 0:
		return nil
	case err != nil:
		return err
	case len(read.Rows) < rows:
		return fmt.Errorf("%s: it has %d intact rows and not %d", path, len(read.Rows), rows)
	case rows > 0 && !read.Chained:
		return WriteLog(path, origin, read.Rows[:rows])
	}
	if err := truncate(path, read.end(rows)); err != nil {
		return at(path, err)
	}
	return nil
}

// WriteLog replaces the log at path, or creates it, with rows that were read from one.
func WriteLog(path, origin string, rows []json.RawMessage) error {
	return WriteFile(path, chained(rows, origin))
}

func truncate(path string, size int64) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = file.Truncate(size)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
