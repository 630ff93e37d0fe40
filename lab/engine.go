package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"foretell/document"
)

// Question is something that a page can ask. The exported fields of its type are the JSON
// of the request.
type Question interface {
	// Command returns the words after foretell of the command whose --json prints the value
	// of the answer.
	Command(at Folders) []string
	// answer finds the answer.
	answer(ctx context.Context, e *Engine) (Answer, error)
}

// Answer is the answer to a question.
type Answer struct {
	Value any            // what --json prints
	Forms document.Forms // files that can be saved, by extension
}

// Folders are what the laboratory reads, as the user wrote them.
type Folders struct {
	Runs    string // folder of the runs
	Reports string // folder of the reports; it may not exist
}

// Engine answers the requests of pages. It reads runs and reports and starts processes
// that write them; a folder is written by such a process alone. Its methods may be called
// concurrently.
type Engine struct {
	Folders
	root *os.Root // the folder of the runs; names of runs cannot lead out of it

	trainings, reproductions *jobs
	looks                    *looks
	watches                  *watchers
	answers                  answers

	turns   chan struct{} // a token for each question that may compute now
	waiting atomic.Int32  // number of questions that compute or wait for their turn
}

const (
	mostWaiting = 64               // questions that may wait for their turn
	longest     = 20 * time.Second // time of a question
)

// newEngine returns an engine for runs and reports, and makes the folder of the runs if
// it does not exist. start starts the programs that train and recompute. Close ends the
// engine.
func newEngine(at Folders, start starter) (*Engine, error) {
	if err := os.MkdirAll(at.Runs, 0o777); err != nil {
		return nil, fmt.Errorf("lab: the folder of runs: %w", err)
	}
	root, err := os.OpenRoot(at.Runs)
	if err != nil {
		return nil, fmt.Errorf("lab: the folder of runs: %w", err)
	}
	e := &Engine{
		Folders: at, root: root, turns: make(chan struct{}, runtime.GOMAXPROCS(0)),
		looks:         newLooks(),
		trainings:     newJobs(start, mostTrainings, "four runs are training already; pause one of them"),
		reproductions: newJobs(start, mostReproductions, "two reports are recomputed already; stop one of them"),
	}
	e.watches = &watchers{engine: e, all: map[string]*watcher{}}
	return e, nil
}

// Close stops the processes of the engine, each with a checkpoint, and waits for them.
func (e *Engine) Close() error {
	e.reproductions.interruptAll()
	e.trainings.close()
	e.reproductions.close()
	return e.root.Close()
}

// Errors that say why a question has no answer. Other errors say what is wrong with the
// question.
var (
	// ErrBusy says that too many questions are waiting.
	ErrBusy = errors.New("the laboratory is busy; try again in a moment")
	// ErrTooLong says that the answer took too long.
	ErrTooLong = fmt.Errorf("this takes longer than %.0f seconds; ask for less, or use the command line",
		longest.Seconds())
	// ErrUnknown says that there is no such question.
	ErrUnknown = errors.New("no such question")
)

// Ask answers the question with a name, whose fields are in a JSON object. It returns
// [ErrUnknown], [ErrBusy], [ErrTooLong], or an error of one line about the question. The
// forms of the answer are for [Engine.File].
func (e *Engine) Ask(ctx context.Context, name string, fields []byte) (q Question, a Answer, err error) {
	if q, err = NewQuestion(name, fields); err != nil {
		return nil, a, err
	}
	a, err = e.answer(ctx, q)
	return q, a, err
}

// answer answers a question when it is its turn.
func (e *Engine) answer(ctx context.Context, q Question) (a Answer, err error) {
	err = e.compute(ctx, func(ctx context.Context) error {
		a, err = q.answer(ctx, e)
		return err
	})
	return a, err
}

// File answers the question with a name as a file with an ending, such as .svg. It
// returns the same errors as Ask.
func (e *Engine) File(ctx context.Context, name, ending string, fields []byte) ([]byte, error) {
	q, err := NewQuestion(name, fields)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = e.compute(ctx, func(ctx context.Context) error {
		a, err := q.answer(ctx, e)
		if err != nil {
			return err
		}
		return a.Forms.Write(&b, ending)
	})
	return b.Bytes(), err
}

// NewQuestion returns the question with a name, whose fields are in a JSON object.
func NewQuestion(name string, fields []byte) (Question, error) {
	for _, known := range questions {
		if known.name == name {
			q := known.new()
			return q, decode(fields, q)
		}
	}
	return nil, ErrUnknown
}

// decode reads a JSON object into a struct. An unknown field is an error.
func decode(fields []byte, to any) error {
	d := json.NewDecoder(strings.NewReader(string(fields)))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("the request is not valid: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("the request is not valid: it has more than one value")
	}
	return nil
}

// compute calls a function when it is its turn. The function's time is bounded.
func (e *Engine) compute(ctx context.Context, f func(context.Context) error) error {
	done, err := e.turn(ctx)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, longest, ErrTooLong)
	defer cancel()
	err = f(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// turn waits until one more computation may run. The caller calls done at its end.
func (e *Engine) turn(ctx context.Context) (done func(), err error) {
	defer func() {
		if err != nil {
			e.waiting.Add(-1)
		}
	}()
	if e.waiting.Add(1) > mostWaiting {
		return nil, ErrBusy
	}
	select {
	case e.turns <- struct{}{}:
		return func() { <-e.turns; e.waiting.Add(-1) }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// path returns the path of a run's folder, for a name relative to the folder of runs,
// such as first, study/runs/2 or first@500. A name that leads out of that folder, also by
// a symbolic link, is an error.
func (e *Engine) path(name string) (string, error) {
	dir, step, atStep := strings.Cut(name, "@")
	if name == "" || !filepath.IsLocal(dir) || strings.ContainsAny(step, `/\`) {
		return "", fmt.Errorf("%.100q is not the name of a run below %s", name, e.Runs)
	}
	if info, err := e.root.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("there is no run %.100q below %s", name, e.Runs)
	}
	path := filepath.Join(e.Runs, dir)
	if !strings.ContainsRune(path, filepath.Separator) {
		path = "." + string(filepath.Separator) + path // so that it is not the name of a process
	}
	if atStep {
		path += "@" + step
	}
	return path, nil
}

// mostTokens is the largest number of tokens of a sequence on a page.
const mostTokens = 1024
