package lab

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"foretell/internal/text"
)

// starter starts a process of the foretell program with arguments. The process says on
// said how far it is, and at last why it has failed.
type starter func(args []string, said io.Writer) (worker, error)

// worker is a process that has been started.
type worker interface {
	// wait waits for its end. It returns errInterrupted if the process was interrupted and
	// can continue.
	wait() error
	// interrupt asks the process to write what it has and to end.
	interrupt() error
}

var errInterrupted = errors.New("interrupted")

// jobs are processes of the foretell program, by the name of the folder that each writes:
// of a run or of a report.
type jobs struct {
	begin starter
	most  int    // largest number that run at the same time
	full  string // what to do if there are as many

	mu      sync.Mutex
	live    map[string]*job
	failed  map[string]string // the last message of a process that has failed
	changed chan struct{}     // closed and replaced when a process begins, says something or ends
	closed  bool
	all     sync.WaitGroup
}

// job is a process.
type job struct {
	worker
	args        []string // of the program
	said        lastLines
	interrupted bool // a second interrupt would end it without what it has
}

// mostReproductions is the largest number of reports recomputed at the same time.
const mostReproductions = 2

func newJobs(begin starter, most int, full string) *jobs {
	return &jobs{
		begin: begin, most: most, full: full, live: map[string]*job{}, failed: map[string]string{},
		changed: make(chan struct{}),
	}
}

// hear says that a process has said something.
func (j *jobs) hear() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tell()
}

// change returns a channel that is closed when a process begins, says something or ends.
func (j *jobs) change() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.changed
}

// tell says that something has changed. The caller holds the lock.
func (j *jobs) tell() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// find returns whether a folder has a process, or the last message of one that failed.
func (j *jobs) find(name string) (live bool, failed string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.live[name] != nil, j.failed[name]
}

// start starts a process unless the folder has one, and removes a file when it ends.
func (j *jobs) start(name, file string, args ...string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return errors.New("the laboratory is closing")
	case j.live[name] != nil:
		return nil
	case len(j.live) >= j.most:
		return errors.New(j.full)
	}
	one := &job{args: args}
	one.said.heard = j.hear
	var err error
	if one.worker, err = j.begin(args, &one.said); err != nil {
		return err
	}
	delete(j.failed, name)
	j.live[name] = one
	j.tell()
	j.all.Add(1)
	go j.wait(name, file, one)
	return nil
}

// wait waits for the end of a process.
func (j *jobs) wait(name, file string, one *job) {
	defer j.all.Done()
	err := one.worker.wait()
	if file != "" {
		os.Remove(file)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.live, name)
	if err != nil && !errors.Is(err, errInterrupted) {
		j.failed[name] = cmp.Or(one.said.last(), "the process ended without a message")
	}
	j.tell()
}

// interrupt interrupts the process of a folder.
func (j *jobs) interrupt(name string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	one := j.live[name]
	if one == nil {
		return fmt.Errorf("%.100q has no process that could be interrupted", name)
	}
	return one.interrupt()
}

// interrupt interrupts the process, once. The caller holds the lock.
func (one *job) interrupt() error {
	if one.interrupted {
		return nil
	}
	one.interrupted = true
	return one.worker.interrupt()
}

// interruptAll interrupts all processes; no other begins.
func (j *jobs) interruptAll() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	for _, one := range j.live {
		_ = one.interrupt() // a process that has ended needs none
	}
}

// close interrupts all processes and waits for them.
func (j *jobs) close() {
	j.interruptAll()
	j.all.Wait()
}

// lastLines keeps the end of the text that a process writes.
type lastLines struct {
	heard func() // called after each write

	mu   sync.Mutex
	kept []byte
}

const mostKeptBytes = 4096

// Write implements [io.Writer].
func (l *lastLines) Write(p []byte) (int, error) {
	l.keep(p)
	l.heard()
	return len(p), nil
}

func (l *lastLines) keep(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if extra := len(l.kept) - mostKeptBytes; extra > 0 {
		l.kept = l.kept[extra:]
	}
}

// last returns the last line that is not empty, or "".
func (l *lastLines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.FieldsFunc(string(l.kept), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	return text.Escape(lines[len(lines)-1])
}
