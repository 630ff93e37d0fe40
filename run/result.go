package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"foretell/internal/exactjson"
	"foretell/internal/limit"
)

// ReadResult returns the evaluation of a complete run's model as summary.json has it, or
// the last evaluation so far of another run. ok is false without an evaluation. Rows of
// metrics.jsonl are verified; summary.json is not, which [Check] does.
func ReadResult(info Info) (row Row, ok bool, err error) {
	if !info.Complete {
		rows, err := Metrics(info.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if len(rows) > 0 {
			row = rows[len(rows)-1]
		}
		return row, len(rows) > 0, err
	}
	path := filepath.Join(info.Dir, summaryFile)
	data, err := limit.ReadFile(path, "a "+summaryFile, mostJSON)
	if err != nil {
		return row, false, err
	}
	var s summary
	if err := exactjson.Unmarshal(data, &s); err != nil {
		return row, false, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return s.Row, true, nil
}

// copied is the difference between a file's time and the time written in it above which
// the folder counts as copied.
const copied = time.Minute

// Duration returns the time that the training of a complete run took. ok is false if it
// took several sessions, because only the last is recorded, or if the folder was copied
// without the times of its files.
func Duration(dir string) (d time.Duration, ok bool) {
	r, err := ReadRecord(dir)
	if err != nil || r.Sessions != 1 || r.Ended.Before(r.Began) {
		return 0, false
	}
	env, err := os.Stat(filepath.Join(dir, envFile))
	if err != nil || env.ModTime().Sub(r.Began).Abs() > copied {
		return 0, false
	}
	return r.Ended.Sub(r.Began), true
}
