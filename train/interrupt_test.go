package train

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"foretell/internal/fuse"
)

// stateText is all that a training goes on from.
func stateText(trainer *Trainer) string {
	s := trainer.State()
	text := fmt.Sprint(s.Step, s.Loss, s.GradNorm, weightsHash(trainer.Model))
	for _, kind := range slices.Sorted(maps.Keys(s.Moments)) {
		text += fmt.Sprint(s.Moments[kind].Data)
	}
	return text
}

// A step or an evaluation that is interrupted, wherever that is, leaves the trainer as it
// was before, and what follows has the bits of a training that was left alone; whether
// the caller works or stands apart.
func TestInterruptedAnywhere(t *testing.T) {
	plain, shared, exact := smallConfig(), smallConfig(), exactConfig()
	plain.Train.MaxGradNorm, shared.Train.SharePrefixes = 0.1, shareOn
	for name, c := range map[string]Config{"plain": plain, "shared prefixes": shared, "exact": exact} {
		c.Train.NumSteps, c.Train.EvaluateSequences = 3, 100
		t.Run(name, func(t *testing.T) { interruptedAnywhere(t, c) })
	}
}

func interruptedAnywhere(t *testing.T, c Config) {
	alone := newTrainer(t, c, 1)
	var states, evaluations []string
	for range c.Train.NumSteps {
		step(t, alone)
		states, evaluations = append(states, stateText(alone)), append(evaluations, evaluationText(t, alone))
	}
	for _, apart := range []bool{false, true} {
		trainer := newTrainer(t, c, 2)
		trainer.Close()
		trainer.pool = newPool(trainer.pool.workers, apart)
		before, stopped := stateText(trainer), 0
		for n := range c.Train.NumSteps {
			for asked := 1; trainer.At() == n; asked++ {
				if _, err := trainer.Step(fuse.New(asked)); err == nil {
					break
				}
				stopped++
				if stateText(trainer) != before {
					t.Fatalf("step %d, interrupted at the %d. question, left a trace", n+1, asked)
				}
			}
			if before = stateText(trainer); before != states[n] {
				t.Fatalf("after interruptions step %d went elsewhere", n+1)
			}
			for asked := 1; ; asked++ {
				e, err := trainer.Evaluate(fuse.New(asked))
				if err == nil {
					if got := jsonText(t, e); got != evaluations[n] {
						t.Fatalf("after interruptions the evaluation of step %d is %s", n+1, got)
					}
					break
				}
				stopped++
			}
		}
		if stopped < 3*c.Train.NumSteps {
			t.Errorf("apart %v: only %d interruptions", apart, stopped)
		}
	}
}

// A pool that stands apart leaves tasks that are in the middle of something, and the next
// round waits for them.
func TestPoolIsLeft(t *testing.T) {
	p := newPool([]*worker{{}, {}}, true)
	defer p.close()
	ctx, cancel := context.WithCancel(t.Context())
	begun, goOn := make(chan bool, 2), make(chan bool)
	left := make(chan error)
	go func() {
		left <- p.run(ctx, 9, func(*worker, int) { begun <- true; <-goOn })
	}()
	<-begun
	<-begun
	cancel()
	if err := <-left; err != context.Canceled {
		t.Errorf("error %v", err)
	}
	if err := p.run(ctx, 1, nil); err != context.Canceled { // the first two still work
		t.Errorf("error %v", err)
	}
	after := make(chan error)
	tasks := make([]bool, 5)
	go func() { after <- p.run(t.Context(), len(tasks), func(_ *worker, i int) { tasks[i] = true }) }()
	goOn <- true
	goOn <- true
	if err := <-after; err != nil {
		t.Error(err)
	}
	for i, done := range tasks {
		if !done {
			t.Errorf("task %d was not done", i)
		}
	}
}

// A gate that gives up takes the wake-up of whoever has seen it asleep, so that none is
// left for the next wait.
func TestGateLeavesNoWakeUp(t *testing.T) {
	over := make(chan struct{})
	close(over)
	for range 100 { // a wake-up and the end come together, and either may be seen first
		g := gate{asleep: new(atomic.Bool), wake: make(chan struct{}, 1)}
		asked := 0
		opened := func() bool {
			if asked++; asked == 2 { // the gate counts as asleep
				g.open()
			}
			return false
		}
		if g.wait(over, opened) || len(g.wake) != 0 || g.asleep.Load() {
			t.Fatalf("the gate gave up with %d wake-ups left, asleep: %v", len(g.wake), g.asleep.Load())
		}
	}
}

// Long passes are those of a long context or a large model.
func TestLongPasses(t *testing.T) {
	for _, c := range []struct {
		width, nCtx int
		long        bool
	}{{8, 6, false}, {64, 10, false}, {64, 4096, true}, {512, 16, true}} {
		config := smallConfig()
		config.Model.DModel, config.Model.DMLP, config.Model.DHead, config.Model.NCtx = c.width, 0, 0, c.nCtx
		products := mustPlan(t, config).passProducts()
		if long := products > longPass; long != c.long {
			t.Errorf("width %d, n_ctx %d: %v products, long %v", c.width, c.nCtx, products, long)
		}
	}
}

// late is a context that ends at the first question whether it has, and answers that one
// no, after that: whoever asks is left at work.
type late struct {
	context.Context
	asked   atomic.Bool
	done    chan struct{}
	release chan struct{}
}

func newLate() *late {
	l := &late{Context: context.Background(), done: make(chan struct{}), release: make(chan struct{})}
	go func() {
		<-l.done
		close(l.release) // by one who knows nothing of what the trainer does meanwhile
	}()
	return l
}

func (l *late) Done() <-chan struct{} { return l.done }

func (l *late) Err() error {
	if l.asked.Swap(true) {
		return context.Canceled
	}
	close(l.done)
	<-l.release
	return nil
}

// Nothing that work which was left still reads or writes is touched before it has ended;
// the race detector sees to that. What comes after has the bits of a trainer that was
// left alone.
func TestInterruptedWorkIsWaitedFor(t *testing.T) {
	shared, adam := smallConfig(), exactConfig()
	shared.Train.SharePrefixes = shareOn
	adam.Train.Optimizer, adam.Train.LR = "", 1e-2
	configs := map[string]Config{"plain": smallConfig(), "shared prefixes": shared, "exact": adam, "lbfgs": exactConfig()}
	calls := map[string]func(trainer *Trainer, ctx context.Context) error{
		"Step":     func(trainer *Trainer, ctx context.Context) error { _, err := trainer.Step(ctx); return err },
		"Evaluate": func(trainer *Trainer, ctx context.Context) error { _, err := trainer.Evaluate(ctx); return err },
	}
	for name, c := range configs {
		alone := newTrainer(t, c, 1)
		step(t, alone)
		step(t, alone)
		for left, leave := range calls {
			for next, then := range calls {
				trainer := apartTrainer(t, c)
				step(t, trainer)
				if err := leave(trainer, newLate()); err != context.Canceled {
					t.Fatalf("%s, %s: %v", name, left, err)
				}
				if err := then(trainer, t.Context()); err != nil {
					t.Fatal(err)
				}
				if next != "Step" {
					step(t, trainer)
				}
				if stateText(trainer) != stateText(alone) {
					t.Errorf("%s: %s after %s that was left went elsewhere", name, next, left)
				}
			}
		}
	}
}

// apartTrainer is a trainer of two workers whose caller stands apart.
func apartTrainer(t *testing.T, c Config) *Trainer {
	trainer := newTrainer(t, c, 2)
	trainer.pool.close()
	trainer.pool = newPool(trainer.pool.workers, true)
	return trainer
}

// A step of any optimiser leaves the weights where they are while work that was left
// reads them, and gives up when it may wait no longer.
func TestInterruptedWorkKeepsItsWeights(t *testing.T) {
	for name, c := range map[string]Config{"adam": smallConfig(), "lbfgs": exactConfig()} {
		trainer := apartTrainer(t, c)
		step(t, trainer)
		ctx, cancel := context.WithCancel(t.Context())
		hold := make(chan struct{})
		if err := trainer.pool.run(ctx, 1, func(*worker, int) { cancel(); <-hold }); err != context.Canceled {
			t.Fatal(err)
		}
		before := stateText(trainer)
		err := soon(t, func() error { _, err := trainer.Step(ctx); return err })
		if err != context.Canceled || stateText(trainer) != before {
			t.Errorf("%s: %v, or the step moved weights that were being read", name, err)
		}
		close(hold)
		step(t, trainer)
	}
}

// What a closed trainer is asked to do it refuses at once, whether a step was left in the
// middle or not, and however often it is closed.
func TestClosedTrainer(t *testing.T) {
	calls := map[string]func(trainer *Trainer) error{
		"Step":     func(trainer *Trainer) error { _, err := trainer.Step(t.Context()); return err },
		"Train":    func(trainer *Trainer) error { return trainer.Train(t.Context()) },
		"Evaluate": func(trainer *Trainer) error { _, err := trainer.Evaluate(t.Context()); return err },
		"Restore":  func(trainer *Trainer) error { return trainer.Restore(trainer.State()) },
	}
	for name, c := range map[string]Config{"adam": smallConfig(), "lbfgs": exactConfig()} {
		for _, apart := range []bool{false, true} {
			trainer := newTrainer(t, c, 3)
			trainer.Close()
			trainer.pool = newPool(trainer.pool.workers, apart)
			step(t, trainer)
			if _, err := trainer.Step(fuse.New(3)); err == nil {
				t.Fatal("the step was not interrupted")
			}
			before := stateText(trainer)
			for range 2 {
				trainer.Close()
				for call, run := range calls {
					if err := soon(t, func() error { return run(trainer) }); err != ErrClosed {
						t.Errorf("%s, apart %v: %s after Close: %v", name, apart, call, err)
					}
				}
			}
			if stateText(trainer) != before {
				t.Errorf("%s, apart %v: what was refused left a trace", name, apart)
			}
		}
	}
}

// soon returns what a function returns, and fails where it takes more than seconds.
func soon(t *testing.T, run func() error) error {
	t.Helper()
	result := make(chan error, 1)
	go func() { result <- run() }()
	select {
	case err := <-result:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it does not come back")
		return nil
	}
}
