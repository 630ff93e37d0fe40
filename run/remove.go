package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
	"foretell/train"
)

// Removal is a run's folder that is ready to be removed. Until Remove or Close nobody
// else can train there.
type Removal struct {
	Info
	Files int   // number of files
	Bytes int64 // their size
	// Lost says why the run could not be trained again to the same bits by this program; ""
	// if it could.
	Lost   string
	Config []byte // config.yaml, from which training makes the same bits again

	unlock func()
}

// PrepareRemoval checks that a folder can be removed without loss of anything but time:
// that it is the folder of a run, not a link to one, that nobody trains there, and that
// it holds nothing that the run did not write. note is called with what limits the check.
func PrepareRemoval(dir string, note func(text string)) (*Removal, error) {
	info, err := checkRemovable(dir)
	if err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(dir, note)
	if errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("%s: %w; end its training first", dir, err)
	}
	if err != nil {
		return nil, err
	}
	r := &Removal{Info: info, unlock: unlock}
	r.Config, err = strict.ReadFile(filepath.Join(dir, model.ConfigFile))
	if err == nil {
		err = r.measure()
	}
	if err != nil {
		unlock()
		return nil, err
	}
	r.Lost = lost(dir)
	return r, nil
}

// checkRemovable describes the run in a folder, and returns an error unless the path
// names a run's own folder.
func checkRemovable(dir string) (Info, error) {
	at, err := os.Lstat(filepath.Clean(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist) && IsStep(dir):
		return Info{}, fmt.Errorf("%s is one step of a run; give the run's folder", dir)
	case errors.Is(err, fs.ErrNotExist):
		return Info{}, fmt.Errorf("%s: no such run%s", dir, Meant(dir))
	case err != nil:
		return Info{}, err
	case at.Mode()&fs.ModeSymlink != 0:
		return Info{}, fmt.Errorf("%s is a link; give the folder to which it leads", dir)
	case !at.IsDir():
		return Info{}, fmt.Errorf("%s is a file; give a run's folder", dir)
	case holdsWorkingFolder(dir):
		return Info{}, fmt.Errorf("%s is or contains the current folder; leave it first", dir)
	}
	info, ok := Describe(dir)
	switch {
	case !ok:
		return info, fmt.Errorf("%s holds no run: it has no %s; folders that contain runs are not removed",
			dir, model.ConfigFile)
	case info.Err != nil:
		return info, fmt.Errorf("%w; a folder whose configuration cannot be read is not removed", info.Err)
	case info.Steps == 0:
		return info, fmt.Errorf("%s holds a model and not a run", dir)
	}
	return info, nil
}

// holdsWorkingFolder reports whether the current folder is dir or below it.
func holdsWorkingFolder(dir string) bool {
	here, err := os.Getwd()
	if err != nil {
		return false
	}
	there, err := os.Stat(dir)
	for err == nil {
		if at, failed := os.Stat(here); failed == nil && os.SameFile(at, there) {
			return true
		}
		if here == filepath.Dir(here) {
			return false
		}
		here = filepath.Dir(here)
	}
	return false
}

// measure counts the files of the folder. It returns an error if one does not belong to
// the run.
func (r *Removal) measure() error {
	return filepath.WalkDir(r.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == r.Dir {
			return err
		}
		name, err := filepath.Rel(r.Dir, path)
		if err != nil {
			return err
		}
		folder := filepath.Dir(name)
		if folder == "." {
			folder = ""
		}
		if durable.IsTemporary(entry.Name()) || isRuns(folder, entry) && (entry.IsDir() || entry.Type().IsRegular()) {
			info, err := entry.Info()
			if err == nil && !entry.IsDir() {
				r.Files++
				r.Bytes += info.Size()
			}
			return err
		}
		return fmt.Errorf("%s holds %s, which the run did not write; move it away", r.Dir, name)
	})
}

// lost says why this program could not train a run again to the same bits, or returns "".
func lost(dir string) string {
	c, config, err := readConfig(dir, nil)
	switch {
	case errors.As(err, new(*ByCodeError)):
		return "its process is made by Go code"
	case err != nil:
		return "its configuration cannot be resolved here: " + text.Error(err, nil)
	}
	if c.Train.Init != "" {
		if start, err := Open(c.Train.Init); err != nil || start.Model.Checksum() != c.Train.InitSHA256 {
			return "its initial weights, " + c.Train.Init + ", are not there any more"
		}
	}
	s, _, err := newestState(dir, hexHash(config))
	if err == nil && slices.ContainsFunc(s.Engines, func(engine int) bool { return engine != train.BitsVersion }) {
		return s.otherEngines()
	}
	return ""
}

// Remove removes the folder in one step, so that a kill leaves the whole run or none of
// it under its name.
func (r *Removal) Remove() error {
	defer r.Close()
	return durable.Remove(r.Dir)
}

// Close gives the folder up.
func (r *Removal) Close() {
	if r.unlock != nil {
		r.unlock()
		r.unlock = nil
	}
}

// BeginsFrom returns the absolute path of the run or model from whose weights a run
// begins, or "" if it draws its own. A path that is not absolute is one from the current
// folder.
func BeginsFrom(dir string) string {
	path := filepath.Join(dir, model.ConfigFile)
	data, err := strict.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "init") {
		return ""
	}
	c, err := decodeConfig(path, data)
	if err != nil || c.Train.Init == "" {
		return ""
	}
	from := c.Train.Init
	if _, err := os.Stat(from); err != nil && IsStep(from) {
		from = from[:strings.LastIndexByte(from, '@')]
	}
	from, err = filepath.Abs(from)
	if err != nil {
		return ""
	}
	return from
}
