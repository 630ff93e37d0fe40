package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"foretell/internal/kernel"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// Problems are models to train with [Solve], whose configurations leave open how: Mess3
// with the reference model of Piotrowski et al. 2025, flips of a coin with a smaller one,
// and chains with lags 1 to 3 with induction64.
var Problems = []Model{
	{"mess3", problem("mess3", nil, Models[0].Config.Model, 128)},
	{"coin", problem("coin", map[string]any{"bos": 1.0}, model.Config{
		DModel: 32, NLayers: 1, NHeads: model.Heads{1}, DMLP: 128, NCtx: 64,
	}, 64)},
	{"induction", problem("random_chains", map[string]any{"lags": []float64{1, 2, 3}}, induction(64), 256)},
}

func problem(process string, params map[string]any, m model.Config, batch int) train.Config {
	return train.Config{
		Process: train.ProcessConfig{Name: process, Params: params}, Model: m,
		Train: train.Options{BatchSize: batch},
	}
}

// ProblemNames lists the names of the problems.
func ProblemNames() []string { return names(Problems) }

// FindProblem returns the problem with the given name. Its error lists the known ones.
func FindProblem(name string) (Model, error) { return find("problem", Problems, name) }

// ProblemSizes describes the problems, one line each.
func ProblemSizes() string { return sizesOf(Problems) }

// way is a way to train: what it changes in the options. With "shared" a prefix that
// several sequences of a batch share is computed once.
type way struct {
	name string
	set  func(o *train.Options)
}

var ways = []way{
	{"sampled", func(*train.Options) {}},
	{"sampled_shared", func(o *train.Options) { o.SharePrefixes = "on" }},
	{"optimal_targets", func(o *train.Options) { o.Objective = "optimal_targets" }},
	{"optimal_targets_shared", func(o *train.Options) {
		o.Objective, o.SharePrefixes = "optimal_targets", "on"
	}},
	{"exact", func(o *train.Options) { o.Objective, o.BatchSize = "exact", 0 }},
	{"exact_lbfgs", func(o *train.Options) { o.Objective, o.BatchSize, o.Optimizer = "exact", 0, "lbfgs" }},
}

// Ways lists the names of the ways to train that [Solve] knows.
func Ways() []string {
	var names []string
	for _, w := range ways {
		names = append(names, w.name)
	}
	return names
}

// SolveOptions are the settings of [Solve].
type SolveOptions struct {
	Share   float64   // of what can be learned: at least this much counts as solved
	Rates   []float64 // learning rates to choose from
	Seeds   int       // all of the seeds 1 … Seeds must reach Share
	Steps   int       // length of the longest training run that is tried
	Workers []int     // a row for each
	Ways    []string  // names of ways to train; all if nil
	// Done, if not nil, is called with a line of text after each training run.
	Done func(text string)
}

// SolveResult is one way to train a problem with one number of workers. Steps and times
// are medians over the seeds. They are 0 if no setting was found with which all
// seeds reach Share.
type SolveResult struct {
	Problem string  `json:"problem"`
	Way     string  `json:"way"`
	Workers int     `json:"workers"`
	Share   float64 `json:"share"` // of what can be learned
	// LR is the learning rate at the first step, and Schedule the number of steps after
	// which a cosine has brought it to 0. L-BFGS has neither.
	LR       float64 `json:"lr,omitempty"`
	Schedule int     `json:"schedule,omitempty"`
	Seeds    int     `json:"seeds"`
	Steps    int     `json:"steps,omitempty"`
	Seconds  float64 `json:"seconds,omitempty"`
	// Least and Most are the times in seconds of the fastest and of the slowest seed.
	Least float64 `json:"seconds_least,omitempty"`
	Most  float64 `json:"seconds_most,omitempty"`
	// CPUSeconds is the processor time of all threads; 0 if the system does not report it.
	CPUSeconds float64 `json:"cpu_seconds,omitempty"`
	// CPUShare is [TrainResult].CPUShare.
	CPUShare float64 `json:"cpu_share,omitempty"`
	ISA      string  `json:"isa"`
	// Impossible says why no model can be trained in this way; else it is "".
	Impossible string `json:"impossible,omitempty"`
}

// SolveResults are the results of one problem.
type SolveResults []SolveResult

// Solve measures how long it takes, from initial weights, until a model has learned the
// given share of what can be learned ([train.Evaluation].GapClosed on held-out
// sequences), for each way to train. The learning rate falls to 0 along a cosine. Its
// first value and the length of the cosine are chosen on the same seeds: the shortest
// schedule with which all of them reach the share, of 125, 250, 500 steps and so on, and
// of several rates the one with the fewest steps. Steps depend on no clock, so the choice
// is the same on every machine. The steps are then timed alone, with each number of
// workers in turn. If ctx ends, Solve returns ctx's error.
func Solve(ctx context.Context, problem Model, o SolveOptions) (SolveResults, error) {
	var results SolveResults
	for _, w := range ways {
		if o.Ways != nil && !slices.Contains(o.Ways, w.name) {
			continue
		}
		rows, err := problem.solve(ctx, w, o)
		if err != nil {
			return nil, err
		}
		results = append(results, rows...)
	}
	return results, nil
}

// solve returns the rows of one way.
func (m Model) solve(ctx context.Context, w way, o SolveOptions) (SolveResults, error) {
	rows := make(SolveResults, len(o.Workers))
	for i, workers := range o.Workers {
		rows[i] = SolveResult{
			Problem: m.Name, Way: w.name, Workers: workers, Share: o.Share, Seeds: o.Seeds, ISA: kernel.ISA(),
		}
	}
	if err := m.possible(w, o); err != nil {
		for i := range rows {
			rows[i].Impossible = err.Error()
		}
		return rows, nil
	}
	s, err := m.search(ctx, w, o)
	if err != nil || s.Steps == nil {
		return rows, err
	}
	return rows, rows.time(ctx, s)
}

// under returns the problem's configuration with what a way changes.
func (m Model) under(w way, o SolveOptions) train.Config {
	c := m.Config
	w.set(&c.Train)
	c.Train.NumSteps, c.Train.LR = o.Steps, 1
	return c
}

// possible returns an error if the problem cannot be trained in a way.
func (m Model) possible(w way, o SolveOptions) error {
	_, err := train.NewPlan(m.under(w, o), train.Setup{})
	return err
}

// Solution is a setting with which all seeds solve a problem. The configuration is
// complete but for the seed.
type Solution struct {
	Config train.Config
	Steps  []int // the steps that the seeds 1, 2, … need; nil if no setting was found
}

// Search returns the setting that [Solve] times for one of the [Ways].
func (m Model) Search(ctx context.Context, name string, o SolveOptions) (Solution, error) {
	for _, w := range ways {
		if w.name == name {
			if err := m.possible(w, o); err != nil {
				return Solution{}, err
			}
			return m.search(ctx, w, o)
		}
	}
	return Solution{}, fmt.Errorf("unknown way to train %q: %s", name, strict.Choice(name, Ways()))
}

func (m Model) search(ctx context.Context, w way, o SolveOptions) (best Solution, err error) {
	c := m.under(w, o)
	schedules, rates := []int{o.Steps}, []float64{1}
	if c.Train.Optimizer != "lbfgs" {
		schedules, rates, c.Train.LRSchedule = o.Schedules(), o.Rates, "cosine"
	}
	for _, c.Train.NumSteps = range schedules {
		for _, c.Train.LR = range rates {
			steps, err := m.try(ctx, w, c, o)
			if err != nil {
				return Solution{}, err
			}
			if steps != nil && (best.Steps == nil || sum(steps) < sum(best.Steps)) {
				best = Solution{c, steps}
			}
		}
		if best.Steps != nil {
			break
		}
	}
	return best, nil
}

// Schedules are the lengths of schedules that a search tries.
func (o SolveOptions) Schedules() []int {
	var list []int
	for n := 125; n <= o.Steps; n *= 2 {
		list = append(list, n)
	}
	return list
}

// try returns the number of steps that each seed needs, or nil as soon as one fails.
func (m Model) try(ctx context.Context, w way, c train.Config, o SolveOptions) ([]int, error) {
	var steps []int
	for seed := 1; seed <= o.Seeds; seed++ {
		c.Train.Seed = uint64(seed)
		n, share, err := trainUntil(ctx, c, o.Share, slices.Max(o.Workers))
		if err != nil {
			return nil, err
		}
		if o.Done != nil {
			o.Done(fmt.Sprintf("%s, %s, lr %g falling over %d steps, seed %d: %.1f %% after %d steps",
				m.Name, w.name, c.Train.LR, c.Train.NumSteps, seed, 100*share, n))
		}
		if !(share >= o.Share) {
			return nil, nil
		}
		steps = append(steps, n)
	}
	return steps, nil
}

// trainUntil trains until an evaluation finds at least the given share of what can be
// learned, or until c.Train.NumSteps. It returns the number of steps and the share at the
// last evaluation. Evaluations are at most 2 % of the steps apart.
func trainUntil(
	ctx context.Context, c train.Config, share float64, workers int,
) (steps int, learned float64, err error) {
	t, err := train.NewTrainer(ctx, c, train.Setup{Workers: workers})
	if err != nil {
		return 0, 0, err
	}
	defer t.Close()
	for t.At() < c.Train.NumSteps && !(learned >= share) && !t.Rests() {
		if err := take(ctx, t, min(max(1, t.At()/50), c.Train.NumSteps-t.At())); err != nil {
			return 0, 0, err
		}
		e, err := t.Evaluate(ctx)
		if err != nil {
			return 0, 0, err
		}
		if e.GapClosed == nil {
			return 0, 0, fmt.Errorf("%s: nothing to learn", c.Process.Name)
		}
		learned = *e.GapClosed
	}
	return t.At(), learned, nil
}

// take takes n steps.
func take(ctx context.Context, t *train.Trainer, n int) error {
	for range n {
		if _, err := t.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// time times a solution and fills in the rows. The rows have different numbers of
// workers, which take turns.
func (r SolveResults) time(ctx context.Context, s Solution) error {
	seconds, cpu := make([][]float64, len(r)), make([][]float64, len(r))
	spent := make([]processorTimes, len(r))
	for seed := 1; seed <= len(s.Steps); seed++ {
		for i, row := range r {
			took, times, err := s.time(ctx, seed, row.Workers)
			if err != nil {
				return err
			}
			seconds[i] = append(seconds[i], took.Seconds())
			cpu[i] = append(cpu[i], times.ran/1e9)
			spent[i] = spent[i].plus(times)
		}
	}
	for i := range r {
		x := &r[i]
		if c := s.Config.Train; c.Optimizer != "lbfgs" {
			x.LR, x.Schedule = c.LR, c.NumSteps
		}
		x.Steps, x.Seconds, x.CPUSeconds = Median(s.Steps), Median(seconds[i]), Median(cpu[i])
		x.Least, x.Most, x.CPUShare = slices.Min(seconds[i]), slices.Max(seconds[i]), spent[i].share()
	}
	return nil
}

// Time times the training of one of the seeds, without its preparation and without
// evaluations. cpu is the processor time in seconds of all threads, 0 if the system does
// not report it.
func (s Solution) Time(ctx context.Context, seed, workers int) (seconds, cpu float64, err error) {
	took, times, err := s.time(ctx, seed, workers)
	return took.Seconds(), times.ran / 1e9, err
}

func (s Solution) time(ctx context.Context, seed, workers int) (took time.Duration, times processorTimes, err error) {
	c := s.Config
	c.Train.Seed = uint64(seed)
	t, err := train.NewTrainer(ctx, c, train.Setup{Workers: workers})
	if err != nil {
		return 0, times, err
	}
	defer t.Close()
	began, before := time.Now(), processorTime()
	err = take(ctx, t, s.Steps[seed-1])
	return time.Since(began), processorTime().since(before), err
}

// Median returns the median; of an even number of values, the lower of the two in the
// middle.
func Median[N cmp.Ordered](x []N) N {
	sorted := slices.Sorted(slices.Values(x))
	return sorted[(len(sorted)-1)/2]
}

func sum(x []int) (total int) {
	for _, v := range x {
		total += v
	}
	return total
}
