// Package durable writes files that survive a kill, a power failure and a full disk: at
// any moment the path holds either the complete old contents or the complete new
// contents.
//
// [WriteFile], [Output] and [Dir] write to a temporary file or folder next to the target,
// flush it to the disk, and rename it; a rename replaces one directory entry and is
// atomic. The folder is flushed last, which makes the rename itself survive a power
// failure. A kill can leave a temporary behind, which [CleanTemporaries] removes.
//
// [Output] is for paths given by users, which may be links, devices or files that the
// user may not write; the other functions are for the program's own files.
//
// [Log] is for data that grows row by row. It is a file of JSON objects, one on each
// line. Each ends with a checksum of all rows up to it, starting from the identity of the
// log. Therefore a reader can detect where a kill, a full disk or a damaged sector
// truncated the file, and whether a row is missing, repeated, swapped or from another
// log:
//
//	{"step":500,"loss":0.93,"chain":"5f0a31c7"}
//
// Callers that also store the checksums elsewhere ([Log.Chain]) can detect missing rows
// at the end. [Changed] and [Log.Changed] detect modifications by other processes;
// [SetAside] preserves them.
//
// [Lock] keeps a second process from writing to the same folder, or reports that the file
// system has no locks.
//
// Errors name the path that was to be written and wrap the cause for [errors.Is]:
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

// ErrLocked is the error of [Lock] if another process holds the lock.
var ErrLocked = errors.New("in use by another process")

// unprotected returns the warning for a folder that cannot be locked.
func unprotected(dir string, cause error) string {
	return fmt.Sprintf("%s cannot be locked (%v): two processes could write to it at once; start only one", dir, cause)
}

// at rewords an error of package os so that it names path instead of the operation and a
// temporary file. It keeps nil.
func at(path string, err error) error {
	var (
		pathError *fs.PathError
		linkError *os.LinkError
		refused   *limit.Error // this error names the path already
	)
	switch {
	case err == nil || errors.As(err, &refused):
		return err
	case errors.As(err, &pathError):
		err = pathError.Err
	case errors.As(err, &linkError):
		err = linkError.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
