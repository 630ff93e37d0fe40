package durable

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"foretell/internal/limit"
)

// MostLog is the largest size in bytes of a log that can be read.
const MostLog = 1 << 30

// Log is an append-only file of rows. Each row is a JSON object on one line; its last
// field is the checksum of all rows up to it. Open a Log with [OpenLog].
type Log struct {
	path      string
	file      *os.File
	text      []byte // all rows as they were written
	checksums []byte // the checksums of all rows, as text
	chain     chain  // the chain after the last row
}

// OpenLog opens the log at path for appending, or creates it. origin identifies the log
// and starts its chain, which makes rows of other logs invalid in it. OpenLog returns an
// error for a log that does not end in a complete row, as after a kill, or whose chain is
// broken; cut such a log with [TruncateLog] first.
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

// begin reads the log to its end, and makes the file's name durable.
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
	if read.Damage != "" {
		return fmt.Errorf("%s; truncate the log before appending to it", read.Damage)
	}
	l.checksums, l.chain = []byte(read.Chain), last
	return syncFolder(filepath.Dir(l.path))
}

// Append writes one row, which must marshal to a JSON object, with one write call. A
// partially written row is removed. The row survives a kill immediately, and a power
// failure after [Log.Sync].
func (l *Log) Append(row any) error {
	object, err := marshalObject(row)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	line, next := l.chain.seal(object)
	if n, err := l.file.Write(line); err != nil {
		if n > 0 {
			_ = l.file.Truncate(int64(len(l.text))) // if this fails too, readers notice the wrong checksum
		}
		return at(l.path, err)
	}
	l.text, l.chain = append(l.text, line...), next
	l.checksums = append(l.checksums, next.String()...)
	return nil
}

// ChecksumDigits is the number of digits of each row's checksum in a chain.
const ChecksumDigits = 8

// Chain returns the checksums of all rows, [ChecksumDigits] each. With these checksums a
// reader can check whether all rows are present, and which of them are unmodified. The
// last checksum alone covers all rows.
func (l *Log) Chain() string { return string(l.checksums) }

// Sync flushes all rows appended so far to the disk.
func (l *Log) Sync() error {
	return at(l.path, l.file.Sync())
}

// Changed describes a modification of the log by another process since it was opened,
// such as "is gone". It returns "" if the log contains exactly the rows written to it.
// See [Changed].
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
		what = "is not the file that was opened"
	}
	return what, nil
}

// Restore writes the rows of the log to a new file at the log's path, to which later rows
// are appended.
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
	return at(l.path, l.file.Close())
}

// ReadLog reads the log at path. Damage is not an error; it is described in [Contents].
func ReadLog(path, origin string) (Contents, error) {
	data, err := limit.ReadFile(path, "a log", MostLog)
	if err != nil {
		return Contents{}, at(path, err)
	}
	read, _ := parseLog(data, origin)
	return read, nil
}

// TruncateLog cuts off the log at path after the given number of rows, and flushes it.
// Resuming a run uses it to remove the rows after the checkpoint, and partial rows. A log
// that does not exist stays so; a log with fewer intact rows is an error.
func TruncateLog(path, origin string, rows int) error {
	read, err := ReadLog(path, origin)
	switch {
	case errors.Is(err, os.ErrNotExist) && rows == 0:
		return nil
	case err != nil:
		return err
	case len(read.Rows) < rows:
		return fmt.Errorf("%s: it has %d intact rows, want %d", path, len(read.Rows), rows)
	}
	if err := os.Truncate(path, read.end(rows)); err != nil {
		return at(path, err)
	}
	return syncPath(path)
}

// WriteLog creates or replaces the log at path with rows that were read from a log.
func WriteLog(path, origin string, rows []json.RawMessage) error {
	return WriteFile(path, chained(rows, origin))
}
