package lab

import (
	"context"
	"strings"
	"time"
)

// looks bounds how much processor time the clouds of runs that train take from the
// training: they are computed one after the other, and after each there is a rest.
// Pages ask for one cloud at a time, so that what comes too late is left out.
type looks struct {
	turn chan struct{} // a token for the computation that runs or rests
	rest time.Time     // the end of the last rest
}

// pause is how many times as long as the computation the rest after it is. On two
// processors clouds then take a fortieth of both.
const pause = 19

func newLooks() *looks { return &looks{turn: make(chan struct{}, 1)} }

// look calls compute now if a model does not train in this laboratory, or else when it is
// its turn.
func (l *looks) look(ctx context.Context, e *Engine, model string, compute func() ([]byte, error)) ([]byte, error) {
	name, _, _ := strings.Cut(model, "@")
	trains := func() bool {
		live, _ := e.trainings.find(name)
		return live
	}
	if !trains() {
		return compute()
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for wait := time.Until(l.rest); wait > 0; wait = time.Until(l.rest) {
		changed := e.trainings.change()
		if !trains() {
			break
		}
		select {
		case <-time.After(wait):
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	begun := time.Now()
	defer func() { l.rest = time.Now().Add(pause * time.Since(begun)) }()
	return compute()
}
