// Command peer times the training steps of foretell and of other engines alternately, on
// the same machine in the same minutes, and prints the ratios of their speeds.
//
//	go run ./bench/peer                          PyTorch as installed for python3
//	go run ./bench/peer -python "chroot /srv/trixie python3" -rounds 3
//	go run ./bench/peer -peers torch,gomlx,llmc -llmc ../llm.c
//	go run ./bench/peer -isa avx2                all limited to AVX2
//	go run ./bench/peer -solve sampled,optimal_targets mess3
//
// For each reference model and each round it runs foretell, then each peer in each of its
// modes with one and more threads, and takes the median of the rounds. The ratio compares
// foretell with the peer's best mode; it is printed with the range over single rounds.
// Absolute numbers change from minute to minute; only the ratio is meaningful. While
// other programs run, a measurement waits, and is repeated, for up to -wait. Foretell
// runs its plain pass, without shared prefixes. A peer computes the same steps: a run
// counts only if the peer has as many parameters as foretell, begins with the loss of a
// uniform guess, and lowers it.
//
//   - torch: PyTorch on the CPU, in the modes eager, sdpa and compile. For PyTorch from
//     Debian, install python3-torch with libopenblas0-openmp. With the pthread build of
//     OpenBLAS two threads are slower than one, which would not be a fair comparison.
//   - gomlx: GoMLX with its backend in pure Go, built with GOEXPERIMENT=simd where that
//     exists, from the module in bench/peer/gomlx, with its operations one after another
//     (ops) and at once (graph).
//   - llmc: the C of llm.c (Karpathy) in a checkout that -llmc names, compiled by gcc. It
//     trains only a GPT-2: its GELU is the tanh form, and its output matrix is the token
//     embedding. Its vocabulary is not padded.
//
// With -solve it compares not rates but ends: the time until 99 % of what can be learned
// of a problem of bench.Solve, in PyTorch's fastest mode and with the same search for the
// learning rate. PyTorch reads sequences from a temporary folder and draws none itself. A
// Python in a chroot needs that folder bound into it: mount --bind /tmp /srv/trixie/tmp.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"foretell/bench"
	"foretell/internal/kernel"
	"foretell/internal/strict"
)

func main() {
	var from sources
	flag.StringVar(&from.python, "python", "python3", "the command of a Python with PyTorch")
	flag.StringVar(&from.modes, "modes", "eager,sdpa,compile", "PyTorch's modes")
	flag.StringVar(&from.gomlx, "gomlx", "bench/peer/gomlx", "the folder of the module that uses GoMLX")
	flag.StringVar(&from.llmc, "llmc", "", "the folder of a checkout of github.com/karpathy/llm.c")
	flag.StringVar(&from.isa, "isa", "", "instruction set for all: avx2, or empty for the best")
	peers := flag.String("peers", "torch", "the peers, of "+strings.Join(peerNames(), ","))
	rounds := flag.Int("rounds", 3, "number of rounds")
	seconds := flag.Float64("seconds", 3, "seconds for each measurement")
	workers := flag.Int("workers", 2, "foretell's workers, and the largest number of the peers' threads")
	solve := flag.String("solve", "", "compare times until 99 % is learned, in these `ways`: sampled,optimal_targets")
	steps := flag.Int("steps", 4000, "longest schedule for -solve")
	seeds := flag.Int("seeds", 3, "seeds for -solve, all of which must learn it")
	wait := flag.Duration("wait", time.Minute, "how long each measurement waits for other programs to be idle")
	flag.Parse()
	models := flag.Args()
	var err error
	if *solve != "" {
		err = solveAll(from, strings.Split(*solve, ","), models, *steps, *seeds, *workers, *wait)
	} else {
		c := comparison{rounds: *rounds, workers: *workers, seconds: *seconds, wait: *wait}
		err = c.run(from, strings.Split(*peers, ","), models)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// comparison holds the settings of a comparison, and what foretell is compared with.
type comparison struct {
	engines         []engine
	rounds, workers int
	seconds         float64
	wait            time.Duration
}

// run builds the peers, measures each model and prints the table.
func (c comparison) run(from sources, peers, models []string) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(models) == 0 {
		models = bench.Names()
	}
	found, err := bench.Find(models...)
	if err != nil {
		return err
	}
	if err := kernel.Select(from.isa); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peer")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, name := range peers {
		e, err := from.engine(name, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.engines = append(c.engines, e)
	}
	fmt.Fprintf(os.Stderr, "foretell on %s, %d workers, %d rounds\n", kernel.ISA(), c.workers, c.rounds)
	return c.table(os.Stdout, found)
}

// check returns an error if a setting has a value with which nothing can be compared.
func (c comparison) check() error {
	switch {
	case c.rounds < 1:
		return fmt.Errorf("-rounds %d; give at least 1", c.rounds)
	case c.workers < 2:
		return fmt.Errorf("-workers %d; give at least 2, to compare with one worker", c.workers)
	case !(c.seconds > 0):
		return fmt.Errorf("-seconds %g; give more than 0", c.seconds)
	}
	return nil
}

// table prints one row for each model and each peer that can express it. A peer that
// fails has no row; the others do, and the error names it.
func (c comparison) table(out io.Writer, models []bench.Model) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "model\tforetell tok/s\tpeer\tpeer tok/s\tmode\tthreads\tratio\trange\t"+
		"one worker\tscaling\tGFLOP/s\tpeak\tshare\t")
	var errs []error
	for _, m := range models {
		errs = append(errs, c.rows(w, m))
	}
	return errors.Join(append(errs, w.Flush())...)
}

// rows measures one model with all engines in turn and prints its lines.
func (c comparison) rows(w io.Writer, m bench.Model) error {
	s, err := sizesOf(m)
	if err != nil {
		return err
	}
	var ours own
	theirs := make([]speeds, len(c.engines))
	for range c.rounds {
		if err := ours.measure(m, c); err != nil {
			return err
		}
		for i, e := range c.engines {
			if theirs[i] == nil {
				theirs[i] = speeds{}
			}
			theirs[i].measure(e, s, c)
		}
	}
	fmt.Fprintf(os.Stderr, "%s: foretell: %.0f\n", m.Name, ours.tokens)
	var errs []error
	for i, e := range c.engines {
		if e.misses(s) == "" {
			errs = append(errs, row(w, m.Name, e.name, ours, theirs[i]))
		} else {
			fmt.Fprintf(os.Stderr, "%s: %s has %s\n", m.Name, e.name, e.misses(s))
		}
	}
	return errors.Join(errs...)
}

// row prints the line of one model and one peer.
func row(w io.Writer, model, peer string, ours own, theirs speeds) error {
	best, speed := "", 0.0
	for _, key := range slices.Sorted(maps.Keys(theirs)) {
		found := theirs[key]
		fmt.Fprintf(os.Stderr, "%s: %s %s: %.0f\n", model, peer, strings.ReplaceAll(key, "\t", ", threads "), found)
		if s := bench.Median(found); s > speed {
			best, speed = key, s
		}
	}
	if best == "" {
		return fmt.Errorf("%s: %s failed in all modes, so there is nothing to compare with", model, peer)
	}
	low, high := spread(ours.tokens, theirs[best])
	tokens, single := bench.Median(ours.tokens), bench.Median(ours.single)
	_, err := fmt.Fprintf(w, "%s\t%.0f\t%s\t%.0f\t%s\t%.2f\t%.2f–%.2f\t%.0f\t%.2f\t%.1f\t%.1f\t%.0f %%\t\n",
		model, tokens, peer, speed, best, tokens/speed, low, high,
		single, tokens/single, bench.Median(ours.gflops), bench.Median(ours.peaks), 100*bench.Median(ours.shares))
	return err
}

// own has foretell's measurements of one model, by round: tokens per second with all
// workers and with one, and with all workers the operations per second, the peak and the
// share of it.
type own struct {
	tokens, single, gflops, peaks, shares []float64
}

// measure adds a round.
func (o *own) measure(m bench.Model, c comparison) error {
	m.Config.Train.SharePrefixes = "off"
	for _, n := range []int{1, c.workers} {
		var r bench.TrainResult
		err := quietly(c.wait, m.Name+": foretell", n, func() (err error) {
			r, err = bench.Train(context.Background(), m, n, time.Duration(c.seconds*float64(time.Second)))
			return err
		})
		if err != nil {
			return err
		}
		if n == 1 {
			o.single = append(o.single, r.TokensPerSecond)
			continue
		}
		o.tokens = append(o.tokens, r.TokensPerSecond)
		o.gflops = append(o.gflops, r.GFLOPS)
		o.peaks = append(o.peaks, r.PeakGFLOPS)
		o.shares = append(o.shares, r.GFLOPS/r.PeakGFLOPS)
	}
	return nil
}

// speeds are a peer's tokens per second of one model by round, for each mode and number
// of threads. The speed of a round in which the peer failed is 0.
type speeds map[string][]float64

// measure adds a round. A failure is reported, and does not end the comparison.
func (found speeds) measure(e engine, s sizes, c comparison) {
	if e.misses(s) != "" {
		return
	}
	for _, mode := range e.modes {
		for threads := 1; threads <= c.workers; threads++ {
			key, what := fmt.Sprintf("%s\t%d", mode, threads), fmt.Sprintf("%s: %s %s", s.Model, e.name, mode)
			speed := 0.0
			err := quietly(c.wait, what, threads, func() (err error) {
				speed, err = e.speed(s, mode, threads, c.seconds)
				return err
			})
			if err != nil {
				fmt.Fprintf(os.Stderr, "%s, %d threads: %v\n", what, threads, err)
			}
			found[key] = append(found[key], speed)
		}
	}
}

// spread returns the smallest and the largest ratio of foretell's speed to the peer's in
// a single round. A round in which the peer failed has speed 0 and is ignored.
func spread(ours, theirs []float64) (low, high float64) {
	low = math.Inf(1)
	for i, x := range theirs {
		if x > 0 {
			low, high = min(low, ours[i]/x), max(high, ours[i]/x)
		}
	}
	return low, high
}

// peerNames lists the names of the peers.
func peerNames() []string { return slices.Sorted(maps.Keys(builders)) }

// unknown returns the error for a name that is not a peer's.
func unknown(name string) error {
	return fmt.Errorf("unknown peer: %s", strict.Choice(name, peerNames()))
}
