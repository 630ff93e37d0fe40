package train

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"foretell/model"
)

// ErrClosed is returned by methods of a [Trainer] after its Close.
var ErrClosed = errors.New("train: the trainer is closed")

// worker holds one goroutine's buffers for a pass over part of a batch.
type worker struct {
	workspace *model.Workspace[float32]
	batch     *batch
	terms     [][]float32 // [shards]: the slice of each shard's gradient that is being added
}

// pool runs numbered tasks on a fixed set of workers, which sleep between rounds. Which
// worker runs which task is arbitrary, so a task's result must depend on its number
// alone.
type pool struct {
	workers []*worker
	helpers []*helper // one for each worker, except the first if the caller is that worker
	apart   bool      // the caller is not a worker
	closed  bool

	ctx   context.Context // context of the current round
	task  func(w *worker, i int)
	tasks int
	next  atomic.Int64 // next task to be taken
	round atomic.Int64 // increases with each call of run, so that a helper notices a new round
	busy  atomic.Int64 // number of helpers still working on the round
	cut   atomic.Bool  // a worker has left tasks of the round undone
	done  gate         // where the caller waits for the helpers
}

// helper is a goroutine that runs tasks.
type helper struct {
	gate gate
	stop atomic.Bool
}

// newPool starts the helpers. If apart is set, every worker has a helper, and the caller
// only waits for them. The caller can then stop waiting while they are in the middle of a
// task. This is for long tasks, for which the time of handing them over is negligible.
func newPool(workers []*worker, apart bool) *pool {
	p := &pool{workers: workers, apart: apart, ctx: context.Background(), done: newGate(len(workers))}
	helped := workers[1:]
	if apart {
		helped, p.done.looks = workers, 0
	}
	for _, w := range helped {
		h := &helper{gate: newGate(len(workers))}
		p.helpers = append(p.helpers, h)
		go p.help(h, w)
	}
	return p
}

// help works in each round until the pool is closed.
func (p *pool) help(h *helper, w *worker) {
	for round := int64(1); ; round++ {
		h.gate.wait(nil, func() bool { return p.round.Load() >= round })
		if h.stop.Load() {
			return
		}
		p.work(w)
		if p.busy.Add(-1) == 0 {
			p.done.open()
		}
	}
}

// run calls the function `task` for each number 0 … n−1 and returns when all calls are
// done. If ctx ends first, it returns ctx's error; the results are then of no use, and
// some tasks may still be running. The next round waits for them.
func (p *pool) run(ctx context.Context, n int, task func(w *worker, i int)) error {
	if err := p.ready(ctx); err != nil {
		return err
	}
	p.ctx, p.task, p.tasks = ctx, task, n
	p.next.Store(0)
	p.cut.Store(false)
	p.begin()
	if p.apart {
		if !p.idle(ctx.Done()) {
			return ctx.Err()
		}
	} else {
		p.work(p.workers[0])
		p.idle(nil)
	}
	if p.cut.Load() {
		return ctx.Err()
	}
	return nil
}

// finish does the same as [pool.run] for tasks that must not be interrupted.
func (p *pool) finish(n int, task func(w *worker, i int)) {
	if err := p.run(context.Background(), n, task); err != nil {
		panic("train: " + err.Error()) // the background context never ends and the pool is open
	}
}

// ready waits until no task is running. It returns ctx's error if ctx ends first, and
// [ErrClosed] if the pool is closed.
func (p *pool) ready(ctx context.Context) error {
	switch {
	case p.closed:
		return ErrClosed
	case !p.idle(ctx.Done()):
		return ctx.Err()
	}
	return nil
}

// idle waits until no helper is working or the channel `over` is closed, and reports
// whether no helper is working.
func (p *pool) idle(over <-chan struct{}) bool {
	return p.done.wait(over, func() bool { return p.busy.Load() == 0 })
}

// stopped reports whether the round has been cancelled, and records that its work is
// incomplete.
func (p *pool) stopped() bool {
	if p.ctx.Err() == nil {
		return false
	}
	p.cut.Store(true)
	return true
}

// begin starts a round.
func (p *pool) begin() {
	p.busy.Store(int64(len(p.helpers)))
	p.wake()
}

// wake notifies the helpers that a new round has begun or that the pool is closed.
func (p *pool) wake() {
	p.round.Add(1)
	for _, h := range p.helpers {
		h.gate.open()
	}
}

func (p *pool) work(w *worker) {
	for {
		i := int(p.next.Add(1)) - 1
		if i >= p.tasks || p.stopped() {
			return
		}
		p.task(w, i)
	}
}

// close ends the helpers' goroutines; a helper in the middle of a task ends after it. It
// does nothing if the pool is closed.
func (p *pool) close() {
	if p.closed {
		return
	}
	p.closed = true
	for _, h := range p.helpers {
		h.stop.Store(true)
	}
	p.wake()
}

// gate is where one goroutine waits for others to make a condition true. It first polls
// for about 20 µs, the time it takes to wake a sleeping core, and then sleeps: the parts
// of a step follow each other within that time.
type gate struct {
	looks  int // number of polls before sleeping
	asleep *atomic.Bool
	wake   chan struct{}
}

// newGate returns a gate for a pool with a number of workers. If there are more workers
// than processors, the gate does not poll, which would take time from working goroutines.
func newGate(workers int) gate {
	g := gate{asleep: new(atomic.Bool), wake: make(chan struct{}, 1)}
	if workers <= runtime.GOMAXPROCS(0) {
		g.looks = 20_000
	}
	return g
}

// wait waits until the function `ready` returns true, and returns true. If the channel
// `over` is closed first, it returns false.
func (g gate) wait(over <-chan struct{}, ready func() bool) bool {
	for range g.looks {
		if ready() {
			return true
		}
	}
	for !ready() {
		g.asleep.Store(true)
		if ready() && g.asleep.CompareAndSwap(true, false) {
			return true // no other goroutine has seen this one asleep
		}
		select {
		case <-g.wake:
		case <-over:
			if !g.asleep.CompareAndSwap(true, false) {
				<-g.wake // another goroutine has seen this one asleep and sends
			}
			return false
		}
	}
	return true
}

// open wakes the waiting goroutine; the condition must have become true before.
func (g gate) open() {
	if g.asleep.CompareAndSwap(true, false) {
		g.wake <- struct{}{}
	}
}
