package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/train"
)

// easy is a problem that a tiny model solves within some steps.
func easy() Model {
	return Model{"easy", problem("mess3", nil, model.Config{
		DModel: 8, NLayers: 1, NHeads: model.Heads{1}, DMLP: 16, NCtx: 3,
	}, 16)}
}

var quickly = SolveOptions{Share: 0.5, Rates: []float64{1e-3, 1e-2}, Seeds: 2, Steps: 300, Workers: []int{1, 2}}

// Each result is what its definition says: with the rate and the schedule that were
// chosen, a trainer reaches the share at that step and at no earlier evaluation, and no
// shorter schedule or other rate does it in fewer steps.
func TestSolveIsItsDefinition(t *testing.T) {
	p, o := easy(), quickly
	o.Ways = []string{"sampled", "optimal_targets"}
	results, err := Solve(t.Context(), p, o)
	if err != nil || len(results) != 4 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		c := p.Config
		if r.Way == "optimal_targets" {
			c.Train.Objective = r.Way
		}
		c.Train.LRSchedule = "cosine"
		totals := map[float64]int{}
		for _, c.Train.LR = range o.Rates {
			for seed := 1; seed <= o.Seeds; seed++ {
				c.Train.Seed, c.Train.NumSteps = uint64(seed), r.Schedule
				n := firstAbove(t, c, o.Share)
				if totals[c.Train.LR] += n; n == 0 {
					totals[c.Train.LR] = math.MinInt
				}
				if c.Train.LR == r.LR && n == 0 {
					t.Errorf("%+v: seed %d fails", r, seed)
				}
			}
		}
		for rate, total := range totals {
			if total > 0 && total < totals[r.LR] {
				t.Errorf("%+v: lr %g needs %d steps, the chosen one %d", r, rate, total, totals[r.LR])
			}
		}
		if r.Steps < 1 || r.Steps > r.Schedule || r.Least > r.Seconds || r.Seconds > r.Most || r.Least <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if results[0].Steps != results[1].Steps || results[0].Workers != 1 || results[1].Workers != 2 {
		t.Errorf("the number of workers changes the steps: %+v", results[:2])
	}
	if results[2].Steps >= results[0].Steps {
		t.Errorf("optimal targets need %d steps, sampled tokens %d", results[2].Steps, results[0].Steps)
	}
}

// firstAbove returns the step of the first evaluation of at least the share, 0 if there
// is none. Evaluations are at every step up to 100, then at every second one.
func firstAbove(t *testing.T, c train.Config, share float64) int {
	t.Helper()
	trainer, err := train.NewTrainer(t.Context(), c, train.Setup{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer trainer.Close()
	for trainer.At() < c.Train.NumSteps {
		if _, err := trainer.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := trainer.At(); n > 100 && n%2 == 1 {
			continue
		}
		e, err := trainer.Evaluate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if *e.GapClosed >= share {
			return trainer.At()
		}
	}
	return 0
}

// Sharing prefixes and L-BFGS are ways like the others. What cannot be done says why.
func TestSolveEachWay(t *testing.T) {
	p, o := easy(), quickly
	o.Seeds, o.Workers = 1, []int{1}
	told := 0
	o.Done = func(string) { told++ }
	results, err := Solve(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range results {
		names = append(names, r.Way)
		if r.Steps == 0 || r.Impossible != "" || (r.LR == 0) != (r.Way == "exact_lbfgs") {
			t.Errorf("%+v", r)
		}
	}
	if !slices.Equal(names, Ways()) || told < len(names) {
		t.Errorf("%q, %d reports", names, told)
	}
	if results[0].Steps != results[1].Steps {
		t.Errorf("the same gradient needs %d and %d steps", results[0].Steps, results[1].Steps)
	}

	p.Config.Model.NCtx = 64
	o.Ways = []string{"exact"}
	results, err = Solve(t.Context(), p, o)
	if err != nil || results[0].Impossible == "" || results[0].Steps != 0 {
		t.Errorf("%+v, %v", results, err)
	}
}

func TestSolveFails(t *testing.T) {
	p, o := easy(), quickly
	o.Ways, o.Share, o.Seeds, o.Steps = []string{"sampled"}, 1, 1, 125
	results, err := Solve(t.Context(), p, o)
	if err != nil || results[0].Steps != 0 || results[0].Impossible != "" {
		t.Errorf("%+v, %v", results, err)
	}
	const want = "sampled: no setting with which all seeds learn 100 %\n" +
		"Until 100 % of what can be learned, medians and ranges of 1 seed."
	var text strings.Builder
	if results.Forms().Print(&text); !strings.Contains(text.String(), want) {
		t.Errorf("%s", &text)
	}
	if err := results.Forms().Write(&text, ".svg"); err == nil || !strings.Contains(err.Error(), "nothing to draw") {
		t.Error(err)
	}
	p.Config.Process = train.ProcessConfig{Name: "iid"}
	if _, err := Solve(t.Context(), p, o); err == nil || err.Error() != "iid: nothing to learn" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Solve(ctx, easy(), quickly); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSolveText(t *testing.T) {
	results := SolveResults{
		{
			Problem: "mess3", Way: "sampled", Workers: 1, Share: 0.99, LR: 0.002, Schedule: 4000, Seeds: 3, Steps: 2625,
			Seconds: 12.125, Least: 12, Most: 13.5, CPUSeconds: 12.06, CPUShare: 0.5, ISA: "avx2",
		},
		{
			Problem: "mess3", Way: "sampled", Workers: 2, Share: 0.99, LR: 0.002, Schedule: 4000, Seeds: 3, Steps: 2625,
			Seconds: 6.5, Least: 6, Most: 7, ISA: "avx2",
		},
		{Problem: "mess3", Way: "exact", Workers: 1, Share: 0.99, Seeds: 3, ISA: "avx2", Impossible: "too large"},
		{Problem: "mess3", Way: "exact", Workers: 2, Share: 0.99, Seeds: 3, ISA: "avx2", Impossible: "too large"},
	}
	const want = "problem\tway\tlr\tschedule\tsteps\tworkers\tseconds\trange\tCPU seconds\t\n" +
		"mess3\tsampled\t0.002\t4000\t2625\t1\t12.12\t12.00–13.50\t12.06\t\n" +
		"mess3\tsampled\t0.002\t4000\t2625\t2\t6.50\t6.00–7.00\t–\t\n" +
		"exact: too large\n" +
		"Until 99 % of what can be learned, medians and ranges of 3 seeds. ISA: avx2.\n" +
		"sampled, 1 worker, got 50 % of the processor time that it requested: other work shares the machine, and the " +
		"times are too long; measure again when it is idle.\n"
	var text strings.Builder
	if results.Forms().Print(&text); text.String() != want {
		t.Errorf("%s", &text)
	}
	var drawing strings.Builder
	if err := results.Forms().Write(&drawing, ".svg"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"1 worker", "2 workers", "sampled"} {
		if !strings.Contains(drawing.String(), part) {
			t.Errorf("the figure lacks %q", part)
		}
	}
}

func TestFindProblem(t *testing.T) {
	for _, name := range ProblemNames() {
		p, err := FindProblem(name)
		if err != nil || p.Name != name {
			t.Errorf("%+v, %v", p, err)
		}
		if c, err := p.Config.Process.Build(); err != nil || c == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	const want = `unknown problem "coins": did you mean "coin"?`
	if _, err := FindProblem("coins"); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
