package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
	"foretell/model"
)

// write writes a file of the run, in its folder and no other.
func (r *Run) write(name string, text []byte) error {
	if err := r.checkFolder(); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(r.Dir, name), text)
}

// checkFolder returns an error if somebody has moved the run's folder, or put another
// in its place: nothing must be written there.
func (r *Run) checkFolder() error {
	there, err := os.Stat(r.Dir)
	if err == nil && os.SameFile(there, r.folder) {
		return nil
	}
	saved := "it had no checkpoint yet"
	if r.saved >= 0 {
		saved = fmt.Sprintf("wherever it is now, it can be resumed from step %d", r.saved)
	}
	return fmt.Errorf("somebody has moved, removed or replaced %s during the training; %s", r.Dir, saved)
}

// changes are what somebody else has done to the run's files, as in "config.yaml is
// gone", and the names under which what was found is kept.
type changes struct {
	found, kept []string
	err         error // why files could not be looked at or put back
}

// guard puts back the run's own files where somebody else has changed them since they
// were written: the run knows what they should hold, and goes by that alone. What was
// found is kept beside them.
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

// putBack sets what stands in a changed file's place aside and restores the file.
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

// changedError is the error that ends a training after changes; nil where there are
// none.
func (r *Run) changedError(c changes) error {
	if len(c.found) == 0 {
		return c.err
	}
	kept := ""
	if len(c.kept) > 0 {
		kept = fmt.Sprintf(" (what was found is kept as %s)", strings.Join(c.kept, ", "))
	}
	text := fmt.Sprintf("somebody else has changed files of %s during the training: %s",
		r.Dir, strings.Join(c.found, ", "))
	if c.err != nil {
		return fmt.Errorf("%s; they cannot be put back%s: %w", text, kept, c.err)
	}
	return fmt.Errorf("%s; they are put back%s, and step %d is saved", text, kept, r.saved)
}
