package train

import (
	"runtime"
	"sync/atomic"

	"foretell/model"
)

// worker is one goroutine's own space for a pass over part of a batch.
type worker struct {
	workspace *model.Workspace[float32]
	batch     *batch
}

// pool runs numbered tasks on a fixed set of workers, which sleep in between.
// Who runs which task is left to chance, so a task's result must depend on its
// number alone.
type pool struct {
	workers []*worker
	helpers []*helper // one for each worker but the first, which is the caller

	task  func(w *worker, i int)
	tasks int
	next  atomic.Int64 // task to be taken
	round atomic.Int64 // of run, so that a helper sees a new one
	busy  atomic.Int64 // helpers that have not ended the round
	done  gate         // where the caller waits for them
}

// helper is a goroutine that runs tasks.
type helper struct {
	gate gate
	stop atomic.Bool
}

func newPool(workers []*worker) *pool {
	p := &pool{workers: workers, done: newGate(len(workers))}
	for _, w := range workers[1:] {
		h := &helper{gate: newGate(len(workers))}
		p.helpers = append(p.helpers, h)
		go p.help(h, w)
	}
	return p
}

// help takes part in each round until the pool is closed.
func (p *pool) help(h *helper, w *worker) {
	for round := int64(1); ; round++ {
		h.gate.wait(func() bool { return p.round.Load() >= round })
		if h.stop.Load() {
			return
		}
		p.work(w)
		if p.busy.Add(-1) == 0 {
			p.done.open()
		}
	}
}

// run calls task for each number 0 … n−1 and returns when all are done.
func (p *pool) run(n int, task func(w *worker, i int)) {
	p.task, p.tasks = task, n
	p.next.Store(0)
	p.begin()
	p.work(p.workers[0])
	p.done.wait(func() bool { return p.busy.Load() == 0 })
}

// begin starts a round.
func (p *pool) begin() {
	p.busy.Store(int64(len(p.helpers)))
	p.round.Add(1)
	for _, h := range p.helpers {
		h.gate.open()
	}
}

func (p *pool) work(w *worker) {
	for {
		i := int(p.next.Add(1)) - 1
		if i >= p.tasks {
			return
		}
		p.task(w, i)
	}
}

// close ends the helpers' goroutines.
func (p *pool) close() {
	for _, h := range p.helpers {
		h.stop.Store(true)
	}
	p.begin()
	p.helpers = nil
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

// wait returns when ready is true.
func (g gate) wait(ready func() bool) {
	for range g.looks {
		if ready() {
			return
		}
	}
	for !ready() {
		g.asleep.Store(true)
		if ready() && g.asleep.CompareAndSwap(true, false) {
			return // nobody has seen it asleep
		}
		<-g.wake
	}
}

// open wakes who waits, after the condition has become true.
func (g gate) open() {
	if g.asleep.CompareAndSwap(true, false) {
		g.wake <- struct{}{}
	}
}
