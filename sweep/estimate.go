package sweep

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"foretell/internal/text"
	"foretell/train"
)

// Estimate is what training a study would take.
type Estimate struct {
	Runs     int      `json:"runs"`
	Repeated int      `json:"repeated,omitempty"` // see [Manifest.Repeated]
	Varied   []string `json:"varied"`             // paths of the settings that differ between runs
	Values   []Values `json:"values"`
	Steps    float64  `json:"steps"`   // of all runs
	Workers  int      `json:"workers"` // number of runs that train at the same time
	// Seconds is the time that the steps would take on this machine, without evaluations,
	// from the speed of three of the runs, which was measured now.
	Seconds float64 `json:"seconds"`
}

// Values are the different values of a setting in a study.
type Values struct {
	Path   string   `json:"setting"`
	Values []string `json:"values"` // in order of first use
}

const (
	mostTimed = 30                     // steps of a run that are timed
	longTimed = 400 * time.Millisecond // time after which the timing of a run ends
)

// Estimate times some steps of the cheapest run, of the most expensive one and of one
// between them, and estimates the time of all runs from them.
func (m *Manifest) Estimate(ctx context.Context, workers int) (*Estimate, error) {
	e := &Estimate{Runs: len(m.Runs), Repeated: m.Repeated, Varied: m.Varied, Workers: min(workers, len(m.Runs))}
	for i, path := range m.Varied {
		e.Values = append(e.Values, Values{path, m.values(i)})
	}
	jobs, err := newJobs(m.Runs)
	if err != nil {
		return nil, err
	}
	perStep := func(j job) float64 { return j.cost / float64(j.config.Train.NumSteps) }
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(perStep(a), perStep(b)) })
	var costs, times []float64
	for _, i := range slices.Compact([]int{0, len(jobs) / 2, len(jobs) - 1}) {
		seconds, err := timeSteps(ctx, jobs[i].config)
		if err != nil {
			return nil, err
		}
		costs = append(costs, math.Log(perStep(jobs[i])))
		times = append(times, math.Log(seconds))
	}
	for _, j := range jobs {
		e.Steps += float64(j.config.Train.NumSteps)
		e.Seconds += float64(j.config.Train.NumSteps) * math.Exp(interpolate(costs, times, math.Log(perStep(j))))
	}
	e.Seconds /= float64(max(1, e.Workers))
	return e, nil
}

// values lists the different values of the setting Varied[i], in order of first use.
func (m *Manifest) values(i int) (list []string) {
	seen := map[string]bool{}
	for _, planned := range m.Runs {
		if value := planned.Settings[i]; !seen[value] {
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}

// timeSteps returns the time of a step of one worker, in seconds.
func timeSteps(ctx context.Context, c train.Config) (float64, error) {
	trainer, err := train.NewTrainer(ctx, c, train.Setup{Workers: 1})
	if err != nil {
		return 0, err
	}
	defer trainer.Close()
	best := math.Inf(1)
	began := time.Now()
	for range min(mostTimed, c.Train.NumSteps) {
		start := time.Now()
		if _, err := trainer.Step(ctx); err != nil {
			return 0, err
		}
		best = min(best, time.Since(start).Seconds())
		if time.Since(began) > longTimed {
			break
		}
	}
	return best, nil
}

// interpolate returns the value at x of the line through the two nearest points. The
// points are in ascending order of their first coordinates.
func interpolate(xs, ys []float64, x float64) float64 {
	i := 1
	for i < len(xs)-1 && x > xs[i] {
		i++
	}
	if len(xs) == 1 || xs[i] == xs[i-1] {
		return ys[len(ys)-1]
	}
	return ys[i-1] + (ys[i]-ys[i-1])*(x-xs[i-1])/(xs[i]-xs[i-1])
}

// Print writes the number of runs, the values of each setting, and the estimated time.
func (e *Estimate) Print(out io.Writer) {
	text.Fprintf(out, "%s, %.0f steps in total", text.Count(e.Runs, "run"), e.Steps)
	if e.Repeated > 0 {
		text.Fprintf(out, " (%d drawn again and left out)", e.Repeated)
	}
	text.Fprintf(out, "\n")
	for _, v := range e.Values {
		shown := v.Values
		if len(shown) > 12 {
			shown = append(slices.Clone(shown[:10]), "…", shown[len(shown)-1])
		}
		text.Fprintf(out, "  %s: %s\n", v.Path, strings.Join(shown, ", "))
	}
	text.Fprintf(out, "about %s on %s, by the speed of a few steps measured now; evaluations come on top\n",
		duration(e.Seconds), text.Count(e.Workers, "processor"))
}

// duration returns a time with two units at most, such as 3 h 20 min.
func duration(seconds float64) string {
	switch s := math.Ceil(seconds); {
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", math.Ceil(s/60))
	default:
		return fmt.Sprintf("%.1f h", s/3600)
	}
}
