package lab

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"foretell/run"
)

// Progress is how far a run is.
type Progress struct {
	Path    string  `json:"path"` // of the run, as a command line names it
	State   State   `json:"state"`
	Problem string  `json:"problem,omitempty"` // why it has failed
	Step    int     `json:"step"`              // of its last evaluation
	Steps   int     `json:"steps"`
	Kept    []int   `json:"kept"`              // steps whose weights can be looked at
	Rate    float64 `json:"tokens_per_second"` // between the last evaluations; 0 if it is not training
}

// watchers look at the folders of runs while somebody wants to know.
type watchers struct {
	engine *Engine

	mu  sync.Mutex
	all map[string]*watcher // by name of the run
}

// watcher looks at one run's folder.
type watcher struct {
	mu       sync.Mutex
	users    int
	rows     []run.Row
	progress Progress
	changed  chan struct{} // closed and replaced when rows or progress have changed
	end      chan struct{} // closed when nobody wants to know any more

	size int64     // of metrics.jsonl at the last look
	seen time.Time // of the last look that found rows
}

// lookEvery is the time between two looks at a folder.
const lookEvery = 150 * time.Millisecond

// follow returns the watcher of a run; leave gives it back.
func (w *watchers) follow(name string) (one *watcher, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one = w.all[name]
	if one == nil {
		one = &watcher{changed: make(chan struct{}), end: make(chan struct{}), size: -1}
		one.look(w.engine, name)
		w.all[name] = one
		go one.run(w.engine, name)
	}
	one.users++
	return one, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(w.all, name)
			close(one.end)
		}
	}
}

func (o *watcher) run(e *Engine, name string) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-o.end:
			return
		case <-tick.C:
			o.look(e, name)
		}
	}
}

// look reads what is new in the folder. A file that is being replaced is read at the next
// look.
func (o *watcher) look(e *Engine, name string) {
	dir := filepath.Join(e.Runs, name)
	info, _ := run.Describe(dir) // before the rows, so that a run that is complete has all of them
	state, problem := e.state(name, info)
	size := int64(0)
	if info, err := os.Stat(filepath.Join(dir, "metrics.jsonl")); err == nil {
		size = info.Size()
	}
	var rows []run.Row
	if size != o.size {
		if read, err := run.Metrics(dir); err == nil {
			rows, o.size = read, size
		}
	}
	p := Progress{Path: dir, State: state, Problem: problem, Steps: info.Steps, Kept: run.Steps(dir)}

	o.mu.Lock()
	defer o.mu.Unlock()
	p.Step, p.Rate = o.progress.Step, o.progress.Rate
	if len(rows) > 0 {
		p.Rate = o.rate(rows)
		o.rows, p.Step = rows, rows[len(rows)-1].Step
	}
	if p.State != Running {
		p.Rate = 0
	}
	if len(rows) > 0 || !p.equal(o.progress) {
		o.progress = p
		close(o.changed)
		o.changed = make(chan struct{})
	}
}

// rate returns the tokens a second since the last look that found rows.
func (o *watcher) rate(rows []run.Row) float64 {
	now := time.Now()
	last, before := rows[len(rows)-1], o.seen
	o.seen = now
	if len(o.rows) == 0 || before.IsZero() {
		return 0
	}
	return float64(last.Tokens-o.rows[len(o.rows)-1].Tokens) / now.Sub(before).Seconds()
}

func (p Progress) equal(q Progress) bool {
	return p.State == q.State && p.Problem == q.Problem && p.Step == q.Step && p.Steps == q.Steps &&
		slices.Equal(p.Kept, q.Kept)
}

// now returns the rows after a step, the progress, and a channel that is closed at the
// next change.
func (o *watcher) now(after int) ([]run.Row, Progress, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := 0
	for at < len(o.rows) && o.rows[at].Step <= after {
		at++
	}
	return o.rows[at:], o.progress, o.changed
}
