package train

import (
	"sync"
	"sync/atomic"

	"foretell/model"
)

// worker is one goroutine's own space for a pass over part of a batch.
type worker struct {
	workspace       *model.Workspace[float32]
	drawer          *drawer
	inputs, targets []int32
	weights         []float32
}

// pool runs numbered tasks on a fixed set of workers, which sleep in between.
// Who runs which task is left to chance, so a task's result must depend on its
// number alone.
type pool struct {
	workers []*worker
	wake    []chan struct{} // one for each worker but the first, which is the caller
	done    sync.WaitGroup

	task  func(w *worker, i int)
	tasks int
	next  atomic.Int64
}

func newPool(workers []*worker) *pool {
	p := &pool{workers: workers}
	for _, w := range workers[1:] {
		wake := make(chan struct{})
		p.wake = append(p.wake, wake)
		go func() {
			for range wake {
				p.work(w)
				p.done.Done()
			}
		}()
	}
	return p
}

// run calls task for each number 0 … n−1 and returns when all are done.
func (p *pool) run(n int, task func(w *worker, i int)) {
	p.task, p.tasks = task, n
	p.next.Store(0)
	helpers := min(len(p.wake), n-1)
	p.done.Add(helpers)
	for _, wake := range p.wake[:helpers] {
		wake <- struct{}{}
	}
	p.work(p.workers[0])
	p.done.Wait()
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

// close ends the workers' goroutines.
func (p *pool) close() {
	for _, wake := range p.wake {
		close(wake)
	}
	p.wake = nil
}
