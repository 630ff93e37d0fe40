// Package durable writes files that survive a kill, a power cut and a full disk: at any
// moment the path holds either all of the old contents or all of the new.
//
// [WriteFile], [Output] and [Dir] write beside the target, flush to the disk, and
// rename; a rename replaces one directory entry and so cannot be half done. The folder is
// flushed last, for the rename itself to survive a power cut. What a kill leaves behind
// is a temporary, which [CleanTemporaries] removes.
//
// [Output] is for the paths that users name, which may be links, devices, or files that
// are not theirs to write; the rest is for files of the program's own.
//
// [Log] is for what grows by a row at a time. It is a file of JSON objects, one a line,
// each ending in a checksum of all rows up to it, which starts from what the log is of,
// so that a reader knows where a kill, a full disk or a damaged sector cut it off, and
// whether a row is missing, doubled, exchanged or another log's:
//
//	{"step":500,"loss":0.93,"chain":"5f0a31c7"}
//
// Whoever keeps the checksums elsewhere as well ([Log.Chain]) notices when rows are
// missing at the end. What somebody else does to a file that is being written shows in
// [Changed] and [Log.Changed]; [SetAside] keeps what they wrote.
//
// [Lock] keeps a second process from writing to the same folder, or reports that the
// filesystem has no locks.
//
// Errors name the path that was to be written and keep the cause for [errors.Is]:
//
//	runs/x/metrics.jsonl: no space left on device
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"foretell/internal/limit"
)

// ErrLocked is the error of [Lock] where somebody else has the folder.
var ErrLocked = errors.New("in use by another process")

// unprotected says that a folder cannot be locked, for a cause, and what follows.
func unprotected(dir string, cause error) string {
	return fmt.Sprintf("%s cannot be locked (%v): two processes could write to it at once; start only one", dir, cause)
}

// at puts path before the cause of an error of package os, in place of the operation
// and of the temporary's name.
func at(path string, err error) error {
	var (
		pathError *fs.PathError
		linkError *os.LinkError
		refused   *limit.Error // which names the path
	)
	switch {
	case errors.As(err, &refused):
		return err
	case errors.As(err, &pathError):
		err = pathError.Err
	case errors.As(err, &linkError):
		err = linkError.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
