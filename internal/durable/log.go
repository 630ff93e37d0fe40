package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"foretell/internal/limit"
)

// mostLog bounds the bytes of a log.
const mostLog = 1 << 30

// Log is an append-only file of rows, each a JSON object on a line of its own with a
// checksum as its last field. Use [OpenLog].
type Log struct {
	path string
	file *os.File
	size int64 // of the rows wholly written
}

// OpenLog opens the log at path for appending, or creates it. A log that ends in the
// middle of a row, as a kill may leave it, is an error: cut it with [TruncateLog]
// first.
func OpenLog(path string) (*Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, at(path, err)
	}
	log := &Log{path: path, file: file}
	if err := log.begin(); err != nil {
		_ = file.Close()
		return nil, at(path, err)
	}
	return log, nil
}

// begin finds the log's size, checks its end, and makes the file's name durable.
func (l *Log) begin() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	l.size = info.Size()
	if l.size > 0 {
		var last [1]byte
		if _, err := l.file.ReadAt(last[:], l.size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			return errors.New("the last row is cut off; truncate the log before appending to it")
		}
	}
	return syncFolder(filepath.Dir(l.path))
}

// Append writes one row, which must marshal to a JSON object, in one write call; a row
// that could not be written whole is taken back. The row survives a kill at once, and a
// power cut after [Log.Sync].
func (l *Log) Append(row any) error {
	line, err := seal(row)
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if n, err := l.file.Write(line); err != nil {
		if n > 0 {
			_ = l.file.Truncate(l.size) // if this fails too, the checksum tells the reader
		}
		return at(l.path, err)
	}
	l.size += int64(len(line))
	return nil
}

// Sync flushes the rows appended so far to the disk.
func (l *Log) Sync() error {
	if err := l.file.Sync(); err != nil {
		return at(l.path, err)
	}
	return nil
}

// Close closes the log without flushing it.
func (l *Log) Close() error {
	if err := l.file.Close(); err != nil {
		return at(l.path, err)
	}
	return nil
}

// ReadLog returns the rows of the log at path without their checksums, up to the first
// that is damaged or cut off, and the number of bytes that these rows take in the file.
// That there is damage is no error: it shows in intact, which is then less than the
// file's size.
func ReadLog(path string) (rows []json.RawMessage, intact int64, err error) {
	data, err := limit.ReadFile(path, "a log", mostLog)
	if err != nil {
		return nil, 0, at(path, err)
	}
	rest := data
	for {
		line, after, complete := bytes.Cut(rest, []byte("\n"))
		if !complete {
			return rows, intact, nil
		}
		row, ok := unseal(line)
		if !ok {
			return rows, intact, nil
		}
		rows, rest = append(rows, row), after
		intact += int64(len(line)) + 1
	}
}

// TruncateLog cuts the log at path off before the first row that is damaged or that
// keep refuses, and flushes it: at a resume, the rows after the checkpoint go. A log
// that does not exist is left so.
func TruncateLog(path string, keep func(row json.RawMessage) bool) error {
	rows, end, err := ReadLog(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, row := range rows {
		if keep(row) {
			continue
		}
		for _, dropped := range rows[i:] {
			end -= int64(len(sealBytes(dropped)))
		}
		break
	}
	if err := truncate(path, end); err != nil {
		return at(path, err)
	}
	return nil
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

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal marshals a row and adds its checksum and the end of the line.
func seal(row any) ([]byte, error) {
	object, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	if object[0] != '{' {
		return nil, fmt.Errorf("a row is a JSON object, not %.40s", object)
	}
	return sealBytes(object), nil
}

// sealBytes puts into a JSON object, as its last field, the CRC-32C of the bytes before
// it.
func sealBytes(object []byte) []byte {
	open := object[:len(object)-1] // without the last brace
	line := bytes.Clone(open)
	return append(line, checksum(open)...)
}

// checksum returns what follows the open object: the field, the brace, and the end of
// the line.
func checksum(open []byte) []byte {
	comma := ","
	if len(open) == 1 {
		comma = ""
	}
	return fmt.Appendf(nil, "%s\"crc\":\"%08x\"}\n", comma, crc32.Checksum(open, castagnoli))
}

// unseal returns the row of a line without its checksum, or false when it is damaged.
func unseal(line []byte) (json.RawMessage, bool) {
	field := bytes.LastIndex(line, []byte(`"crc":"`))
	if field < 1 {
		return nil, false
	}
	open := bytes.TrimSuffix(line[:field], []byte(","))
	row := append(bytes.Clone(open), '}')
	if !bytes.Equal(append(bytes.Clone(line), '\n'), sealBytes(row)) || !json.Valid(row) {
		return nil, false
	}
	return row, true
}
