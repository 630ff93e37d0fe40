// Command peer times foretell's training steps and PyTorch's alternately, on the same
// machine in the same minutes, and prints the ratio of their speeds.
//
//	go run ./bench/peer                          PyTorch as installed for python3
//	go run ./bench/peer -python "chroot /srv/trixie python3" -rounds 3
//	go run ./bench/peer -isa avx2                both limited to AVX2
//
// For each reference model and each round it runs foretell, then PyTorch in each of its
// modes (eager, sdpa, compile) with one and two threads, and takes the median of the
// rounds. The ratio compares foretell with PyTorch's best mode; it is printed with the
// range over single rounds. Absolute numbers change from minute to minute; only the ratio
// is meaningful.
//
// For PyTorch from Debian, install python3-torch with libopenblas0-openmp. With the
// pthread build of OpenBLAS two threads are slower than one, which would not be a fair
// comparison.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"foretell/bench"
	"foretell/internal/kernel"
	"foretell/internal/strict"

	"gonum.org/v1/gonum/stat"
)

//go:embed torch_bench.py
var script string

func main() {
	python := flag.String("python", "python3", "the command of a Python with PyTorch")
	rounds := flag.Int("rounds", 3, "number of rounds")
	seconds := flag.Float64("seconds", 3, "seconds for each of foretell's measurements")
	workers := flag.Int("workers", 2, "foretell's workers, and the largest number of PyTorch's threads")
	modes := flag.String("modes", "eager,sdpa,compile", "PyTorch's modes")
	isa := flag.String("isa", "", "instruction set for both: avx2, or empty for the best")
	solve := flag.String("solve", "", "instead compare the time until 99 % is learned, in these ways: sampled,optimal_targets")
	steps := flag.Int("steps", 4000, "longest schedule for -solve")
	seeds := flag.Int("seeds", 3, "seeds for -solve")
	flag.Parse()
	models := flag.Args()
	if len(models) == 0 {
		models = bench.Names()
		if *solve != "" {
			models = bench.ProblemNames()
		}
	}
	p := peer{
		python: strings.Fields(*python), modes: strings.Split(*modes, ","), rounds: *rounds,
		workers: *workers, seconds: *seconds,
	}
	if *isa != "" {
		p.env = limits[*isa]
	}
	err := p.check()
	if err == nil {
		err = kernel.Select(*isa)
	}
	if err == nil && *isa != "" && p.env == nil {
		err = fmt.Errorf("-isa %s: PyTorch can only be limited to avx2", *isa)
	}
	if err == nil && *solve != "" {
		err = newSolver(p, strings.Split(*solve, ","), *steps, *seeds).compare(models)
	} else if err == nil {
		err = p.compare(models)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// limits are the environment variables that limit PyTorch, and the libraries that
// multiply its matrices, to an instruction set.
var limits = map[string][]string{
	"avx2": {
		"ATEN_CPU_CAPABILITY=avx2", "OPENBLAS_CORETYPE=Haswell", "ONEDNN_MAX_CPU_ISA=AVX2",
		"MKL_ENABLE_INSTRUCTIONS=AVX2",
	},
}

// peer holds the settings of a comparison.
type peer struct {
	python, modes, env []string
	rounds, workers    int
	seconds            float64
}

// check returns an error if a flag has a value with which nothing can be compared.
func (p peer) check() error {
	switch {
	case len(p.python) == 0:
		return errors.New("-python names no command")
	case p.rounds < 1:
		return fmt.Errorf("-rounds %d; give at least 1", p.rounds)
	case p.workers < 2:
		return fmt.Errorf("-workers %d; give at least 2, to compare with one worker", p.workers)
	case !(p.seconds > 0):
		return fmt.Errorf("-seconds %g; give more than 0", p.seconds)
	}
	return nil
}

// compare measures each model and prints the table.
func (p peer) compare(models []string) error {
	fmt.Fprintf(os.Stderr, "foretell on %s, %d workers, %d rounds; PyTorch run by %q %s\n",
		kernel.ISA(), p.workers, p.rounds, strings.Join(p.python, " "), strings.Join(p.env, " "))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "model\tforetell tok/s\tPyTorch tok/s\tmode\tthreads\tratio\trange\t"+
		"one worker\tscaling\tGFLOP/s\tpeak\tshare\t")
	for _, name := range models {
		m, ok := bench.Named(name)
		if !ok {
			return fmt.Errorf("unknown model %q: %s", name, strict.Choice(name, bench.Names()))
		}
		if err := p.row(w, m); err != nil {
			return err
		}
	}
	return w.Flush()
}

// row measures one model and prints its line.
func (p peer) row(w io.Writer, m bench.Model) error {
	var ours, single, shares, gflops, peaks []float64
	theirs := map[string][]float64{} // tokens per second, by mode and threads
	for range p.rounds {
		for _, workers := range []int{1, p.workers} {
			r, err := bench.Train(context.Background(), m, workers, time.Duration(p.seconds*float64(time.Second)))
			if err != nil {
				return err
			}
			if workers != p.workers {
				single = append(single, r.TokensPerSecond)
				continue
			}
			ours = append(ours, r.TokensPerSecond)
			shares = append(shares, r.GFLOPS/r.PeakGFLOPS)
			gflops = append(gflops, r.GFLOPS)
			peaks = append(peaks, r.PeakGFLOPS)
		}
		for _, mode := range p.modes {
			for threads := 1; threads <= p.workers; threads++ {
				key := fmt.Sprintf("%s\t%d", mode, threads)
				speed, err := p.torch(m.Name, mode, threads)
				if err != nil {
					fmt.Fprintf(os.Stderr, "%s, %s, %d threads: %v\n", m.Name, mode, threads, err)
				}
				theirs[key] = append(theirs[key], speed)
			}
		}
	}
	best, speed := "", 0.0
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		speeds := theirs[key]
		fmt.Fprintf(os.Stderr, "%s: PyTorch %s: %.0f\n", m.Name, strings.ReplaceAll(key, "\t", ", threads "), speeds)
		if s := median(speeds); s > speed {
			best, speed = key, s
		}
	}
	if best == "" {
		return fmt.Errorf("%s: PyTorch failed in all modes, so there is nothing to compare with", m.Name)
	}
	low, high := spread(ours, theirs[best])
	tokens := median(ours)
	_, err := fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%s\t%.2f\t%.2f–%.2f\t%.0f\t%.2f\t%.1f\t%.1f\t%.0f %%\t\n",
		m.Name, tokens, speed, best, tokens/speed, low, high,
		median(single), tokens/median(single), median(gflops), median(peaks), 100*median(shares))
	return err
}

// spread returns the smallest and the largest ratio of foretell's speed to PyTorch's in a
// single round. A round in which PyTorch failed has speed 0 and is ignored.
func spread(ours, theirs []float64) (low, high float64) {
	low = math.Inf(1)
	for i, x := range theirs {
		if x > 0 {
			low, high = min(low, ours[i]/x), max(high, ours[i]/x)
		}
	}
	return low, high
}

// torch runs the PyTorch script for one model and returns its tokens per second.
func (p peer) torch(name, mode string, threads int) (float64, error) {
	out, err := p.python3(modelScript+script, threads, mode, name)
	if err != nil {
		return 0, err
	}
	var result struct {
		Speed float64 `json:"tokens_per_second"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, fmt.Errorf("PyTorch printed %.60q: %w", out, err)
	}
	return result.Speed, nil
}

// python3 runs a script with PyTorch and returns what it prints.
func (p peer) python3(script string, threads int, args ...string) ([]byte, error) {
	args = append(append(slices.Clone(p.python[1:]), "-c", script, strconv.Itoa(threads)), args...)
	cmd := exec.Command(p.python[0], args...)
	cmd.Env = append(append(os.Environ(), p.env...), "OMP_NUM_THREADS="+strconv.Itoa(threads))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("PyTorch: %w", err)
	}
	return out, nil
}

// median returns the median of the rounds; of an even number of rounds, the lower of the
// two middle values.
func median(x []float64) float64 {
	return stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(x)), nil)
}
