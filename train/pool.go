package train

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"foretell/model"
)

// ErrClosed is the error of what is asked of a [Trainer] after its Close.
var ErrClosed = errors.New("train: the trainer is closed")

// worker is one goroutine's own space for a pass over part of a batch.
type worker struct {
	workspace *model.Workspace[float32]
	batch     *batch
	terms     [][]float32 // [shards]: the part of each shard's gradient that is being added
}

// pool runs numbered tasks on a fixed set of workers, which sleep in between.
// Who runs which task is left to chance, so a task's result must depend on its
// number alone.
type pool struct {
	workers []*worker
	helpers []*helper // one for each worker, but for the first where that is the caller
	apart   bool      // the caller is no worker
	closed  bool

	ctx   context.Context // of the round
	task  func(w *worker, i int)
	tasks int
	next  atomic.Int64 // task to be taken
	round atomic.Int64 // of run, so that a helper sees a new one
	busy  atomic.Int64 // helpers that have not ended the round
	cut   atomic.Bool  // somebody has left work of the round undone
	done  gate         // where the caller waits for them
}

// helper is a goroutine that runs tasks.
type helper struct {
	gate gate
	stop atomic.Bool
}

// newPool starts the helpers. In a pool that stands apart all workers have one, and the
// caller waits for them, which it can cease to do while they are in the middle of a task:
// for tasks so long that handing them over takes no time.
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

// help takes part in each round until the pool is closed.
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

// run calls task for each number 0 … n−1 and returns when all are done, or with ctx's
// error when that ends before. What was done then is of no use, and some of it may still
// be under way; the next round waits for that.
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

// finish is run for what must not be left half done.
func (p *pool) finish(n int, task func(w *worker, i int)) {
	if err := p.run(context.Background(), n, task); err != nil {
		panic("train: " + err.Error()) // there is none
	}
}

// ready waits until nothing is under way any more. It returns ctx's error when that ends
// before, and [ErrClosed] of a closed pool.
func (p *pool) ready(ctx context.Context) error {
	switch {
	case p.closed:
		return ErrClosed
	case !p.idle(ctx.Done()):
		return ctx.Err()
	}
	return nil
}

// idle waits until no helper works, or until over is closed, and says whether none does.
func (p *pool) idle(over <-chan struct{}) bool {
	return p.done.wait(over, func() bool { return p.busy.Load() == 0 })
}

// stopped says that what a worker is about to do is wanted no more.
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

// wake lets the helpers see that there is something new.
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

// close ends the helpers' goroutines, those in the middle of a task after it. Of a closed
// pool it does nothing.
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

// gate is where one goroutine waits for others to make a condition true. It first
// looks for some 20 µs, which is what waking a sleeping core takes, and then sleeps:
// the parts of a step follow each other within that, and a pool without work does
// not.
type gate struct {
	looks  int // before it sleeps
	asleep *atomic.Bool
	wake   chan struct{}
}

// newGate returns a gate of a pool of a number of workers. Where there are more of
// them than processors, looking would take time from those that work.
func newGate(workers int) gate {
	g := gate{asleep: new(atomic.Bool), wake: make(chan struct{}, 1)}
	if workers <= runtime.GOMAXPROCS(0) {
		g.looks = 20_000
	}
	return g
}

// wait returns true when ready is true, or false when over is closed before that.
func (g gate) wait(over <-chan struct{}, ready func() bool) bool {
	for range g.looks {
		if ready() {
			return true
		}
	}
	for !ready() {
		g.asleep.Store(true)
		if ready() && g.asleep.CompareAndSwap(true, false) {
			return true // nobody has seen it asleep
		}
		select {
		case <-g.wake:
		case <-over:
			if !g.asleep.CompareAndSwap(true, false) {
				<-g.wake // somebody has
			}
			return false
		}
	}
	return true
}

// open wakes who waits, after the condition has become true.
func (g gate) open() {
	if g.asleep.CompareAndSwap(true, false) {
		g.wake <- struct{}{}
	}
}
