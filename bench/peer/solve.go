package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"foretell/bench"
	"foretell/internal/random"
	"foretell/process"
	"foretell/train"
)

//go:embed torch_solve.py
var solveScript string

// solver compares how long foretell and PyTorch take to solve problems.
type solver struct {
	python, modes []string
	workers       int
	options       bench.SolveOptions
	wait          time.Duration // how long each measurement waits for other programs to be idle
}

// solutionOfTorch is what the script's search found.
type solutionOfTorch struct {
	LR       float64 `json:"lr"`
	Schedule int     `json:"schedule"`
	Steps    []int   `json:"steps"`
}

// solveAll compares the given problems; without any, all problems.
func solveAll(from sources, ways, problems []string, steps, seeds, workers int, wait time.Duration) error {
	s, err := newSolver(from, ways, steps, seeds, workers, wait)
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		problems = bench.ProblemNames()
	}
	return s.compare(problems)
}

// newSolver returns a solver that tries the given ways to train.
func newSolver(from sources, ways []string, steps, seeds, workers int, wait time.Duration) (solver, error) {
	python := strings.Fields(from.python)
	switch {
	case len(python) == 0:
		return solver{}, errors.New("-python names no command")
	case from.isa != "":
		return solver{}, errors.New("-isa is not for -solve")
	case steps < 125:
		return solver{}, fmt.Errorf("-steps %d; give at least 125, the shortest schedule", steps)
	case seeds < 1:
		return solver{}, fmt.Errorf("-seeds %d; give at least 1", seeds)
	case workers < 2:
		return solver{}, fmt.Errorf("-workers %d; give at least 2, to compare with one worker", workers)
	}
	return solver{python, strings.Split(from.modes, ","), workers, bench.SolveOptions{
		Share: 0.99, Rates: []float64{0.001, 0.002, 0.004, 0.008, 0.016}, Seeds: seeds, Steps: steps,
		Workers: []int{workers}, Ways: ways,
		Done: func(line string) { fmt.Fprintln(os.Stderr, line) },
	}, wait}, nil
}

// compare measures each problem in each way and prints the table.
func (s solver) compare(names []string) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	if _, err := fmt.Fprintln(w, "problem\tway\tlr\tschedule\tsteps\tone worker, s\tCPU s\tworkers\ts\t"+
		"PyTorch lr\tschedule\tsteps\tmode\tthreads\ts\tCPU s\tratio\trange\t"); err != nil {
		return err
	}
	for _, name := range names {
		p, err := bench.FindProblem(name)
		if err != nil {
			return err
		}
		for _, way := range s.options.Ways {
			if err := s.row(w, p, way); err != nil {
				return fmt.Errorf("%s, %s: %w", name, way, err)
			}
		}
	}
	return w.Flush()
}

// row measures one problem in one way and prints its line.
func (s solver) row(w io.Writer, p bench.Model, way string) error {
	ctx := context.Background()
	ours, err := p.Search(ctx, way, s.options)
	if err != nil {
		return err
	}
	if ours.Steps == nil {
		return fmt.Errorf("foretell found no setting of at most %d steps", s.options.Steps)
	}
	folder, err := os.MkdirTemp("", "solve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := s.write(ctx, folder, p, ours.Config); err != nil {
		return err
	}
	mode, threads, err := s.fastest(folder, ours)
	if err != nil {
		return err
	}
	var theirs *solutionOfTorch
	if err := s.script(&theirs, mode, threads, folder, "search"); err != nil {
		return err
	}
	if theirs == nil {
		return fmt.Errorf("PyTorch found no setting of at most %d steps", s.options.Steps)
	}
	return s.time(ctx, w, p.Name, way, ours, *theirs, folder, mode, threads)
}

// time times both training runs of each seed in turn and prints the medians. The ratio is
// of foretell's faster number of workers.
func (s solver) time(ctx context.Context, w io.Writer, name, way string, ours bench.Solution, theirs solutionOfTorch,
	folder, mode string, threads int,
) error {
	var one, many, cpu, torch, torchCPU []float64
	for i := range ours.Steps {
		for _, workers := range []int{1, s.workers} {
			var seconds, used float64
			err := quietly(s.wait, name+": foretell", workers, func() (err error) {
				seconds, used, err = ours.Time(ctx, i+1, workers)
				return err
			})
			if err != nil {
				return err
			}
			if workers == 1 {
				one = append(one, seconds)
				cpu = append(cpu, used)
			} else {
				many = append(many, seconds)
			}
		}
		var t timeOfTorch
		err := quietly(s.wait, name+": PyTorch "+mode, threads, func() (err error) {
			t, err = s.timeTorch(theirs, i, folder, mode, threads)
			return err
		})
		if err != nil {
			return err
		}
		torch = append(torch, t.Seconds)
		torchCPU = append(torchCPU, t.CPU)
	}
	best, mid := many, bench.Median[float64]
	if mid(one) < mid(many) {
		best = one
	}
	low, high := spread(torch, best) // of the times: how many times as long PyTorch takes
	c := ours.Config.Train
	_, err := fmt.Fprintf(w, "%s\t%s\t%g\t%d\t%d\t%.2f\t%.2f\t%d\t%.2f\t",
		name, way, c.LR, c.NumSteps, bench.Median(ours.Steps), mid(one), mid(cpu), s.workers, mid(many))
	if err == nil {
		_, err = fmt.Fprintf(w, "%g\t%d\t%d\t%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f–%.2f\t\n", theirs.LR, theirs.Schedule,
			bench.Median(theirs.Steps), mode, threads, mid(torch), mid(torchCPU), mid(torch)/mid(best), low, high)
	}
	return err
}

// timeOfTorch is what the script measured.
type timeOfTorch struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
}

// timeTorch times PyTorch's training of a seed, counted from 0.
func (s solver) timeTorch(
	x solutionOfTorch, seed int, folder, mode string, threads int,
) (found timeOfTorch, err error) {
	err = s.script(&found, mode, threads, folder, "time", strconv.FormatFloat(x.LR, 'g', -1, 64),
		strconv.Itoa(x.Schedule), strconv.Itoa(seed+1), strconv.Itoa(x.Steps[seed]))
	return found, err
}

// fastest returns PyTorch's fastest mode and number of threads, by 50 steps each.
func (s solver) fastest(folder string, ours bench.Solution) (mode string, threads int, err error) {
	best := 0.0
	for _, m := range s.modes {
		for n := 1; n <= s.workers; n++ {
			few := solutionOfTorch{LR: ours.Config.Train.LR, Schedule: 50, Steps: []int{50}}
			var t timeOfTorch
			err := quietly(s.wait, "PyTorch "+m, n, func() (err error) {
				t, err = s.timeTorch(few, 0, folder, m, n)
				return err
			})
			if err != nil {
				return "", 0, err
			}
			fmt.Fprintf(os.Stderr, "PyTorch, %s, threads %d: %.1f ms a step\n", m, n, 20*t.Seconds)
			if best == 0 || t.Seconds < best {
				best, mode, threads = t.Seconds, m, n
			}
		}
	}
	if best == 0 {
		return "", 0, errors.New("-modes names no mode of PyTorch")
	}
	return mode, threads, nil
}

// script runs the script and decodes what it prints.
func (s solver) script(found any, mode string, threads int, args ...string) error {
	args = append([]string{"-c", torchModels + solveScript, strconv.Itoa(threads), mode}, args...)
	cmd := exec.Command(s.python[0], append(s.python[1:len(s.python):len(s.python)], args...)...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("PyTorch: %w", err)
	}
	if err := json.Unmarshal(lastLine(out), found); err != nil {
		return fmt.Errorf("PyTorch printed %.60q: %w", out, err)
	}
	return nil
}

// problemOfTorch is problem.json, which the script reads.
type problemOfTorch struct {
	sizes
	Init      float64   `json:"init"` // deviation of the initial matrices
	Floor     float64   `json:"floor"`
	Chance    float64   `json:"chance"`
	Share     float64   `json:"share"`
	Rates     []float64 `json:"rates"`
	Schedules []int     `json:"schedules"`
	Seeds     int       `json:"seeds"`
	Optimal   bool      `json:"optimal"` // whether targets are optimal predictions
}

// heldOut is the number of held-out sequences, as in a training run.
const heldOut = 512

// write writes what the script reads: the problem, held-out sequences with their optimal
// predictions, and the sequences of each seed's training.
func (s solver) write(ctx context.Context, folder string, p bench.Model, c train.Config) error {
	c, err := c.Resolve()
	if err != nil {
		return err
	}
	t, err := train.NewTrainer(ctx, c, train.Setup{Workers: s.workers})
	if err != nil {
		return err
	}
	defer t.Close()
	e, err := t.Evaluate(ctx)
	if err != nil {
		return err
	}
	m := c.Model
	size, err := sizesOf(bench.Model{Name: p.Name, Config: c})
	if err != nil {
		return err
	}
	text, err := json.Marshal(problemOfTorch{
		sizes: size, Init: m.InitializerRange, Floor: e.Floor, Chance: e.Chance, Share: s.options.Share,
		Rates: s.options.Rates, Schedules: s.options.Schedules(), Seeds: s.options.Seeds,
		Optimal: c.Train.Objective != "",
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "problem.json"), text, 0o600); err != nil {
		return err
	}
	source := t.Process.(process.Process)
	if err := draw(folder, "held", "optimal", source, 0, heldOut, m.NCtx, m.NCtx); err != nil {
		return err
	}
	for seed := 1; seed <= s.options.Seeds; seed++ {
		targets := ""
		if c.Train.Objective != "" {
			targets = fmt.Sprintf("targets-%d", seed)
		}
		n := s.options.Steps * c.Train.BatchSize
		if err := draw(folder, fmt.Sprintf("tokens-%d", seed), targets, source, seed, n, m.NCtx+1, m.NCtx); err != nil {
			return err
		}
	}
	return nil
}

// draw writes n sequences of the given length, a byte for each token, and, unless
// `optimal` is "", float32 predictions after each of their first `predicted` tokens.
func draw(folder, tokens, optimal string, p process.Process, seed, n, length, predicted int) error {
	file, err := create(folder, tokens)
	if err != nil {
		return err
	}
	defer file.Close()
	answers, err := create(folder, optimal)
	if err != nil {
		return err
	}
	defer answers.Close()
	predictor, sequence, row := p.Predictor(), make([]int32, length), make([]byte, length)
	next, narrow := make([]float64, p.Alphabet()), make([]float32, p.Alphabet())
	var stream random.Stream
	for i := range n {
		stream.Reset(uint64(seed), random.Purpose("bench/peer"), uint64(i))
		p.Sample(sequence, &stream)
		predictor.Reset()
		for at, token := range sequence {
			row[at] = byte(token)
			if optimal == "" || at >= predicted {
				continue
			}
			if err := predictor.Observe(int(token)); err != nil {
				return err
			}
			predictor.Next(next)
			for k, x := range next {
				narrow[k] = float32(x)
			}
			if err := binary.Write(answers, binary.LittleEndian, narrow); err != nil {
				return err
			}
		}
		if _, err := file.Write(row); err != nil {
			return err
		}
	}
	return errors.Join(file.Close(), answers.Close())
}

// output is a file that is written through a buffer; without a file it accepts nothing.
type output struct {
	*bufio.Writer
	file *os.File
}

// create creates a file, none if the name is "".
func create(folder, name string) (*output, error) {
	if name == "" {
		return &output{Writer: bufio.NewWriter(io.Discard)}, nil
	}
	file, err := os.Create(filepath.Join(folder, name))
	return &output{bufio.NewWriterSize(file, 1<<20), file}, err
}

// Close writes the buffer and closes the file. A second call does nothing.
func (o *output) Close() error {
	if o.file == nil {
		return nil
	}
	err := errors.Join(o.Flush(), o.file.Close())
	o.file = nil
	return err
}
