package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"foretell/internal/durable"
	"foretell/internal/parallel"
	"foretell/model"
	"foretell/run"
	"foretell/train"
)

// Named is a run with a name, such as a model of a document.
type Named struct {
	Name      string       // of its folder in runs
	Config    train.Config // optional fields may be left out
	Snapshots []int        // see [run.Options]
	Watch     run.Watch    // see [run.Options]; the numbers are measured by Go code
}

// List makes the manifest of a study whose runs are listed one by one. title says what
// lists them; studies with different titles are different studies. The names must be
// different, and names of folders. If a run watches numbers, only a study from [Begin] or
// [Study.With] can train it, because a folder does not contain Go code.
func List(title string, list []Named) (*Manifest, error) {
	m := &Manifest{Title: title, Engine: train.BitsVersion, Runs: make([]Planned, len(list))}
	err := parallel.Each(context.Background(), runtime.GOMAXPROCS(0), len(list), func(i int) (err error) {
		m.Runs[i], err = list[i].planned()
		return err
	})
	return m, err
}

// planned returns the run with its configuration resolved.
func (n Named) planned() (p Planned, err error) {
	c, err := n.Config.Resolve()
	if err == nil {
		p.Config, err = c.JSON()
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", n.Name, err)
	}
	p.Name, p.Snapshots, p.Watched = n.Name, n.Snapshots, slices.Sorted(maps.Keys(n.Watch))
	line, err := json.Marshal(p)
	p.ID, p.resolved, p.watch = idOf(line), &c, n.Watch
	return p, err
}

// adoptBegun makes the runs that another command has begun in runs attempts of the study,
// so that the study continues them. It does nothing in a study of settings, where no
// other command trains. The error is about a run that another program is training now, or
// that has another configuration.
func (s *Study) adoptBegun() error {
	if s.Title == "" {
		return nil
	}
	for _, planned := range s.Runs {
		dir := s.Run(planned)
		info, begun := run.Describe(dir)
		if !begun {
			continue
		}
		if err := planned.sameConfig(dir); err != nil {
			return err
		}
		if !info.Complete {
			if err := s.adopt(planned, dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameConfig returns an error if the run in a folder has another configuration.
func (p Planned) sameConfig(dir string) error {
	have, err := train.Load(filepath.Join(dir, model.ConfigFile))
	if err != nil {
		return err
	}
	text, err := have.JSON()
	if err == nil && !bytes.Equal(text, p.Config) {
		err = &run.FolderError{Dir: dir, Err: run.ErrOtherConfig}
	}
	return err
}

// adopt moves a run that has not ended from runs to attempts.
func (s *Study) adopt(p Planned, dir string) error {
	unlock, err := durable.Lock(dir, func(string) {})
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("%s: %w", dir, run.ErrInUse)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if err := durable.Folder(filepath.Join(s.Dir, attemptsFolder)); err != nil {
		return err
	}
	names, err := s.names(attemptsFolder)
	for n := 0; err == nil; n++ {
		if name := fmt.Sprintf("%s.begun%d", p.ID, n); !names[name] {
			return durable.Rename(dir, filepath.Join(s.Dir, attemptsFolder, name))
		}
	}
	return err
}
