package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/run"
	"foretell/train"
)

// Training asks to train a model: to begin the run of a configuration, to continue it, or
// to keep it if it is complete. It is the command
//
//	foretell train config.yaml --ensure --out RUN
//
// Name is the name of the run, or empty for one that follows from the configuration. A
// run may begin with the weights of another: Init is its name and a step, first@500.
type Training struct {
	YAML string   `json:"yaml"`
	Name string   `json:"name,omitempty"`
	Set  []string `json:"set,omitempty"` // assignments such as train.lr=0.001
	Init string   `json:"init,omitempty"`
}

// Configuration is the name of a file with the configuration of a training run, in
// commands and errors.
const Configuration = "config.yaml"

// assignable matches the beginning of an assignment to one key. Sections as a whole could
// name files.
var assignable = regexp.MustCompile(`^(train|model)\.[a-z_]+=`)

// mostMemory is the share of the machine's memory that a training run of a page may need.
const mostMemory = 0.5

// config reads the configuration and checks that it reads no file and fits the machine.
func (t Training) config(e *Engine) (c train.Config, err error) {
	document, err := strict.Parse(Configuration, []byte(t.YAML))
	if err != nil {
		return c, err
	}
	if err := document.Decode(&c); err != nil {
		return c, err
	}
	set := t.Set
	for _, assignment := range set {
		if key := assignable.FindString(assignment); key == "" || key == "train.init=" {
			return c, fmt.Errorf("%.80q cannot be set on a page, only a key of train or model, as in train.lr=0.1",
				assignment)
		}
	}
	switch {
	case c.Train.Init != "":
		return c, document.Explain(strict.Fieldf("train.init", "names a file; on a page, branch from a run instead"))
	case t.Init != "":
		path, err := e.path(t.Init)
		if err != nil {
			return c, err
		}
		set = append(set, "train.init="+path)
	}
	if c, err = train.Parse(Configuration, []byte(t.YAML), set...); err != nil {
		return c, err
	}
	p, err := c.Process.BuildSampler()
	if err == nil {
		err = checkSize(p)
	}
	if err != nil {
		return c, err
	}
	plan, err := train.NewPlan(c, train.Setup{})
	if err == nil && plan.Machine > 0 && plan.Bytes > mostMemory*plan.Machine {
		err = fmt.Errorf("this needs %.1f GB of memory; a page trains with at most %.1f GB",
			plan.Bytes/1e9, mostMemory*plan.Machine/1e9)
	}
	return c, err
}

// Started is a training run that a page has begun or continued.
type Started struct {
	Run     string `json:"run"` // its name below the folder of runs
	Command string `json:"command"`
	State   State  `json:"state"`
}

// Train begins, continues or keeps the run of a configuration. The run trains in a
// separate process; Train does not wait for it.
func (e *Engine) Train(t Training) (s Started, err error) {
	c, err := t.config(e)
	if err != nil {
		return s, err
	}
	data, err := c.YAML()
	if err == nil {
		s.Run, err = t.folder(e, c, data)
	}
	if err != nil {
		return s, err
	}
	path := filepath.Join(e.Runs, s.Run)
	s.Command = "foretell train " + text.ShellLine(Configuration, "--ensure", "--out", path)
	if info, ok := run.Describe(path); ok && info.Complete {
		s.State = Complete
		return s, nil
	}
	s.State = Running
	return s, begin(e.trainings, s.Run, data, path)
}

// runName matches what a page may call a run.
var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// folder returns the name of the run of a configuration, which is also given as YAML. No
// run of another configuration has this name.
func (t Training) folder(e *Engine, c train.Config, yaml []byte) (string, error) {
	if t.Name == "" {
		dir, err := run.DefaultDir(c)
		return filepath.Base(dir), err
	}
	if !runName.MatchString(t.Name) {
		return "", fmt.Errorf("%.80q cannot be the name of a run; give at most 64 letters, digits, "+
			"dots and dashes, such as first", t.Name)
	}
	has, err := e.root.ReadFile(filepath.Join(t.Name, Configuration))
	switch {
	case err == nil && !bytes.Equal(has, yaml):
		return "", fmt.Errorf("%s is a run of another configuration; give another name", t.Name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s cannot be the name of a run: something else has it", t.Name)
	}
	return t.Name, nil
}

// Pause asks the training of a run to write a checkpoint and to end.
func (e *Engine) Pause(name string) error { return e.trainings.interrupt(name) }

// Resume continues a run that was interrupted.
func (e *Engine) Resume(name string) error {
	path, err := e.path(name)
	if err != nil {
		return err
	}
	if info, ok := run.Describe(path); !ok || info.Complete {
		return fmt.Errorf("%s has nothing to continue", name)
	}
	return e.trainings.start(name, "", "train", "--resume", path)
}

// State says what a run does.
type State string

// The states of a run.
const (
	Running  State = "training" // a process of this laboratory trains it
	Paused   State = "paused"   // it has steps left, and no process of this laboratory trains it
	Complete State = "complete"
	Failed   State = "failed" // its process has ended with an error
)

// mostTrainings is the largest number of runs that train at the same time.
const mostTrainings = 4

// begin starts a process for the configuration of a run. The file with the configuration
// is removed when the process ends.
func begin(t *jobs, name string, config []byte, path string) error {
	file, err := os.CreateTemp("", "foretell-*.yaml")
	if err != nil {
		return err
	}
	_, err = file.Write(config)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = t.start(name, file.Name(), "train", file.Name(), "--ensure", "--out", path)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// state returns what a run does, and why if it has failed.
func (e *Engine) state(name string, info run.Info) (State, string) {
	live, failed := e.trainings.find(name)
	switch {
	case live:
		return Running, ""
	case info.Complete:
		return Complete, ""
	case failed != "":
		return Failed, failed
	}
	return Paused, ""
}
