package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

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
// A run may begin with the weights of another: Init is its name and a step, first@500.
type Training struct {
	YAML string   `json:"yaml"`
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
			return c, fmt.Errorf("%.80q cannot be set on a page, only one key of train or model, such as train.lr=0.001",
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
// process of its own; Train does not wait for it.
func (e *Engine) Train(_ context.Context, t Training) (s Started, err error) {
	c, err := t.config(e)
	if err != nil {
		return s, err
	}
	dir, err := run.DefaultDir(c)
	if err != nil {
		return s, err
	}
	s.Run = filepath.Base(dir)
	path := filepath.Join(e.runs, s.Run)
	s.Command = "foretell train " + text.ShellLine(Configuration, "--ensure", "--out", path)
	if info, ok := run.Describe(path); ok && info.Complete {
		s.State = Complete
		return s, nil
	}
	data, err := c.YAML()
	if err != nil {
		return s, err
	}
	s.State = Running
	return s, e.trainings.begin(s.Run, data, path)
}

// Pause asks the training of a run to write a checkpoint and to end.
func (e *Engine) Pause(name string) error { return e.trainings.pause(name) }

// Resume continues a run that was interrupted.
func (e *Engine) Resume(name string) error {
	path, err := e.path(name)
	if err != nil {
		return err
	}
	if info, ok := run.Describe(path); !ok || info.Complete {
		return fmt.Errorf("%s has nothing to continue", name)
	}
	return e.trainings.resume(name, path)
}

// State says what a run does.
type State string

// The states of a run.
const (
	Running State = "training" // a process of this laboratory trains it
	Paused    State = "paused"   // it has steps left, and no process of this laboratory trains it
	Complete  State = "complete"
	Failed    State = "failed" // its process has ended with an error
)

// trainings are the processes that train.
type trainings struct {
	program string

	mu     sync.Mutex
	live   map[string]*training // by name of the run
	failed map[string]string    // the last message of a process that has failed, by name of the run
	closed bool
	all    sync.WaitGroup
}

// training is a process that trains a run.
type training struct {
	cmd  *exec.Cmd
	said lastLines
	done chan struct{} // closed when the process has ended
}

func newTrainings(program string) *trainings {
	return &trainings{program: program, live: map[string]*training{}, failed: map[string]string{}}
}

// mostTrainings is the largest number of runs that train at the same time.
const mostTrainings = 4

// begin starts a process for a configuration. The file with the configuration is removed
// when the process ends.
func (t *trainings) begin(name string, config []byte, path string) error {
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

func (t *trainings) resume(name, path string) error { return t.start(name, "", "train", "--resume", path) }

// start starts a process unless the run has one, and removes a file when it ends.
func (t *trainings) start(name, file string, args ...string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return errors.New("the laboratory is closing")
	case t.live[name] != nil:
		return nil
	case len(t.live) >= mostTrainings:
		return fmt.Errorf("%d runs are training already; pause one of them", len(t.live))
	}
	one := &training{cmd: exec.Command(t.program, args...), done: make(chan struct{})}
	one.cmd.Stderr = &one.said
	if err := one.cmd.Start(); err != nil {
		return err
	}
	delete(t.failed, name)
	t.live[name] = one
	t.all.Add(1)
	go t.wait(name, file, one)
	return nil
}

// wait waits for the end of a process.
func (t *trainings) wait(name, file string, one *training) {
	defer t.all.Done()
	err := one.cmd.Wait()
	if file != "" {
		os.Remove(file)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, name)
	var ended *exec.ExitError
	if interrupted := errors.As(err, &ended) && ended.ExitCode() == exitInterrupted; err != nil && !interrupted {
		t.failed[name] = one.said.last()
	}
	close(one.done)
}

// exitInterrupted is the exit status of a training run that wrote a checkpoint on a
// signal.
const exitInterrupted = 130

// pause interrupts the process of a run.
func (t *trainings) pause(name string) error {
	t.mu.Lock()
	one := t.live[name]
	t.mu.Unlock()
	if one == nil {
		return fmt.Errorf("%s is not training", name)
	}
	return one.interrupt()
}

// interrupt asks the process to write a checkpoint and to end. On a system without
// signals it ends at once, and continues later from the checkpoint before.
func (one *training) interrupt() error {
	if runtime.GOOS == "windows" {
		return one.cmd.Process.Kill()
	}
	err := one.cmd.Process.Signal(os.Interrupt)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// runs reports whether a process trains a run, whose folder it may not have made yet.
func (t *trainings) runs(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live[name] != nil || t.failed[name] != ""
}

// state returns what a run does, and why if it has failed.
func (t *trainings) state(name string, info run.Info) (State, string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.live[name] != nil:
		return Running, ""
	case info.Complete:
		return Complete, ""
	case t.failed[name] != "":
		return Failed, t.failed[name]
	}
	return Paused, ""
}

// close interrupts all processes and waits for them.
func (t *trainings) close() {
	t.mu.Lock()
	t.closed = true
	for _, one := range t.live {
		_ = one.interrupt() // a process that has ended needs none
	}
	t.mu.Unlock()
	t.all.Wait()
}

// lastLines keeps the end of what a process writes.
type lastLines struct {
	mu   sync.Mutex
	kept []byte
}

const mostKeptBytes = 4096

// Write implements [io.Writer].
func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if extra := len(l.kept) - mostKeptBytes; extra > 0 {
		l.kept = l.kept[extra:]
	}
	return len(p), nil
}

// last returns the last line that is not empty.
func (l *lastLines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.FieldsFunc(string(l.kept), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return "the training process ended without a message"
	}
	return text.Escape(lines[len(lines)-1])
}
