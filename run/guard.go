package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
	"foretell/model"
)

// write writes a file in the run's folder, after checking that the folder has not been
// moved or replaced.
func (r *Run) write(name string, text []byte) error {
	if err := r.checkFolder(); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(r.Dir, name), text)
}

// checkFolder returns an error if somebody has moved or replaced the run's folder.
// Nothing may then be written to its path.
func (r *Run) checkFolder() error {
	there, err := os.Stat(r.Dir)
	if err == nil && os.SameFile(there, r.folder) {
		return nil
	}
	saved := "it had no checkpoint yet"
	if r.saved >= 0 {
		saved = fmt.Sprintf("wherever it is now, it can be resumed from step %d", r.saved)
	}
	return fmt.Errorf("%s was moved, removed or replaced during training; %s", r.Dir, saved)
}

// changes records what somebody else has done to the run's files, such as "config.yaml is
// gone", and the names under which the changed files are kept.
type changes struct {
	found, kept []string
	err         error // why files could not be read or restored
}

// guard restores the run's own files if somebody else has changed them since they were
// written. The run keeps their contents in memory and relies on nothing else. Changed
// files are kept next to the restored ones.
func (r *Run) guard() (c changes) {
	for _, file := range []struct {
		name string
		text []byte
	}{{model.ConfigFile, r.config}, {envFile, r.provenance}} {
		if file.text == nil {
			continue
		}
		what, err := durable.Changed(filepath.Join(r.Dir, file.name), file.text)
		c.putBack(r.Dir, file.name, what, err, func() error { return r.write(file.name, file.text) })
	}
	what, err := r.log.Changed()
	c.putBack(r.Dir, metricsFile, what, err, r.log.Restore)
	return c
}

// putBack sets a file aside and restores the original if `what`, the description of the
// change, is not empty. err is the error of looking for changes.
func (c *changes) putBack(dir, name, what string, err error, restore func() error) {
	if what != "" {
		c.found = append(c.found, name+" "+what)
		var aside string
		if aside, err = durable.SetAside(filepath.Join(dir, name)); err == nil {
			err = restore()
		}
		if aside != "" {
			c.kept = append(c.kept, filepath.Base(aside))
		}
	}
	if c.err == nil {
		c.err = err
	}
}

// changedError returns the error that ends training after changes; nil without changes.
func (r *Run) changedError(c changes) error {
	if len(c.found) == 0 {
		return c.err
	}
	kept := ""
	if len(c.kept) > 0 {
		kept = fmt.Sprintf(" (the changed files are kept as %s)", strings.Join(c.kept, ", "))
	}
	text := fmt.Sprintf("somebody else changed files of %s during training: %s", r.Dir, strings.Join(c.found, ", "))
	if c.err != nil {
		return fmt.Errorf("%s; they cannot be restored%s: %w", text, kept, c.err)
	}
	return fmt.Errorf("%s; they are restored%s, and step %d is saved", text, kept, r.saved)
}
