package runtable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/internal/text"
	"foretell/run"
)

// RemoveOptions control [Remove].
type RemoveOptions struct {
	// DryRun checks everything, and removes nothing.
	DryRun bool
	// Lossy also removes runs that could not be trained again to the same bits by this
	// program, and runs from whose weights others begin.
	Lossy bool
	// Discard does not keep the configurations.
	Discard bool
	// Notice, if not nil, is called with what limits the checks.
	Notice func(text string)
}

// Removed is a run that was removed, or would be.
type Removed struct {
	Run   string `json:"run"`
	State string `json:"state"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"` // freed
	// Config is the file that keeps the run's configuration, from which training makes the
	// same bits again; "" if it is not kept.
	Config string `json:"config,omitempty"`
}

// Removals are runs that were removed.
type Removals []Removed

// Remove removes runs. Before anything is removed, each must be the folder of a run, and
// no link; nobody may train there; the folder may hold nothing that the run did not
// write; and this program must be able to train the run again to the same bits. So all
// that is lost is time. The configuration is kept next to the folder, as RUN.yaml, unless
// the run belongs to a study, whose manifest has it. If one run cannot be removed, none
// is.
func Remove(dirs []string, o RemoveOptions) (Removals, error) {
	notice := o.Notice
	if notice == nil {
		notice = func(string) {}
	}
	var plans []*run.Removal
	defer func() {
		for _, r := range plans {
			r.Close()
		}
	}()
	for _, dir := range dirs {
		r, err := run.PrepareRemoval(dir, notice)
		if err == nil {
			plans = append(plans, r)
			err = o.checkLoss(r, dirs)
		}
		if err != nil {
			return nil, err
		}
	}
	list := make(Removals, 0, len(plans))
	for _, r := range plans {
		row, _ := readRow(r.Dir)
		removed := Removed{Run: r.Dir, State: row.State(), Files: r.Files, Bytes: r.Bytes}
		if !o.Discard && !ofStudy(r.Dir) {
			removed.Config = filepath.Clean(r.Dir) + ".yaml"
		}
		if !o.DryRun {
			if err := keep(removed.Config, r.Config); err != nil {
				return list, err
			}
			if err := r.Remove(); err != nil {
				return list, err
			}
		}
		list = append(list, removed)
	}
	return list, nil
}

// checkLoss returns an error if more than time would be lost.
func (o RemoveOptions) checkLoss(r *run.Removal, removed []string) error {
	if o.Lossy {
		return nil
	}
	if r.Lost != "" {
		return &LossError{r.Dir, "could not be trained again to the same bits by this program: " + r.Lost}
	}
	if from := beginning(r.Dir, removed); from != "" {
		return &LossError{r.Dir, "is the beginning of " + from + " (train.init), which could then not be trained again"}
	}
	if path := filepath.Clean(r.Dir) + ".yaml"; !o.Discard && !ofStudy(r.Dir) {
		return checkKept(path, r.Config)
	}
	return nil
}

// LossError reports that removing a run would lose more than time.
type LossError struct{ Dir, Reason string }

func (e *LossError) Error() string { return e.Dir + " " + e.Reason }

// beginning returns a run next to a run, or below its parent, that begins from its
// weights and is not removed as well; "" without such a run.
func beginning(dir string, removed []string) string {
	own, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	going := map[string]bool{}
	for _, path := range removed {
		if path, err := filepath.Abs(path); err == nil {
			going[path] = true
		}
	}
	others, _ := run.Folders(filepath.Dir(own))
	for _, other := range others {
		if going[other] {
			continue
		}
		if from := run.BeginsFrom(other); from == own || strings.HasPrefix(from, own+string(filepath.Separator)) {
			return other
		}
	}
	return ""
}

// ofStudy reports whether a run belongs to a study, which package sweep has put into one
// of two folders next to its manifest.
func ofStudy(dir string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, "..", "..", "manifest.jsonl"))
	return err == nil
}

// checkKept returns an error if a file exists that is not the configuration.
func checkKept(path string, config []byte) error {
	have, err := limit.ReadFile(path, "a configuration", 64<<20)
	if errors.Is(err, os.ErrNotExist) || err == nil && bytes.Equal(have, config) {
		return nil
	}
	return fmt.Errorf("%s exists; the configuration would be kept there, so move it away", path)
}

// keep writes a configuration to a file, unless the path is empty.
func keep(path string, config []byte) error {
	if path == "" {
		return nil
	}
	if err := checkKept(path, config); err != nil {
		return err
	}
	return durable.WriteFile(path, config)
}

// Print writes a line for each run and, for several, one for all.
func (l Removals) Print(out io.Writer) {
	total := int64(0)
	for _, r := range l {
		total += r.Bytes
		kept := ""
		if r.Config != "" {
			kept = "; " + r.Config + " keeps its configuration"
		}
		text.Fprintf(out, "%s (%s): %s, %s%s\n", r.Run, r.State, text.Count(r.Files, "file"), text.Bytes(r.Bytes), kept)
	}
	if len(l) > 1 {
		text.Fprintf(out, "%s, %s\n", text.Count(len(l), "run"), text.Bytes(total))
	}
}
