package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"foretell/run"
	"foretell/train"
)

// NewInTab returns an engine for a browser, where there are no other processes: a run
// trains in a goroutine, and one thread does everything. pause lets the thread answer
// what has arrived meanwhile; a training run calls it between steps, many times a second.
// Close ends the engine.
func NewInTab(at Folders, pause func()) (*Engine, error) { return newEngine(at, threads(pause)) }

// slice is for how long a training run keeps the thread.
const slice = 20 * time.Millisecond

// threads returns a starter of goroutines that train. It takes the arguments of
// `foretell train FILE --ensure --out DIR` or `foretell train --resume DIR`.
func threads(pause func()) starter {
	return func(args []string, said io.Writer) (worker, error) {
		dir, file := args[len(args)-1], args[1]
		if file == "--resume" {
			file = dir + "/" + Configuration
		}
		c, err := train.Load(file)
		if err != nil {
			return nil, err
		}
		ctx, stop := context.WithCancel(context.Background())
		t := &thread{stop: stop, done: make(chan error, 1)}
		until := time.Now().Add(slice)
		options := run.Options{Workers: 1, OnStep: func(int, float64) {
			if time.Now().After(until) {
				pause()
				until = time.Now().Add(slice)
			}
		}}
		go func() {
			_, err := run.Ensure(ctx, dir, c, options)
			if err != nil && !errors.Is(err, run.ErrInterrupted) {
				fmt.Fprintln(said, err)
			}
			t.done <- err
		}()
		return t, nil
	}
}

// thread is a goroutine that trains.
type thread struct {
	stop context.CancelFunc
	done chan error
}

func (t *thread) wait() error {
	err := <-t.done
	if errors.Is(err, run.ErrInterrupted) {
		return errInterrupted
	}
	return err
}

func (t *thread) interrupt() error {
	t.stop()
	return nil
}
