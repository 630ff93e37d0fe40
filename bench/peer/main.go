// Command peer times foretell's training steps and PyTorch's in turn, on the
// same machine in the same minutes, and prints their ratio.
//
//	go run ./bench/peer                          PyTorch of python3
//	go run ./bench/peer -python "chroot /srv/trixie python3" -rounds 3
//
// For each reference model and each round it runs foretell, then PyTorch in each
// of its modes (eager, sdpa, compile) with one and two threads, and takes the
// median of the rounds; PyTorch is represented by its best mode. Absolute figures
// move from minute to minute; the ratio is what counts.
//
// PyTorch from Debian: python3-torch with libopenblas0-openmp; with the pthread
// build of OpenBLAS two threads are slower than one, which is no fair peer.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	_ "embed"

	"foretell/bench"
	"foretell/internal/kernel"
)

//go:embed torch_bench.py
var script string

func main() {
	python := flag.String("python", "python3", "the command that runs PyTorch's python")
	rounds := flag.Int("rounds", 3, "how often each is run")
	seconds := flag.Float64("seconds", 3, "how long each of foretell's runs takes")
	workers := flag.Int("workers", 2, "foretell's workers, and PyTorch's most threads")
	modes := flag.String("modes", "eager,sdpa,compile", "PyTorch's modes")
	flag.Parse()
	models := flag.Args()
	if len(models) == 0 {
		models = bench.Names()
	}
	if err := compare(strings.Fields(*python), models, strings.Split(*modes, ","), *rounds, *workers, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// compare measures each model in turn and prints the table.
func compare(python, models, modes []string, rounds, workers int, seconds float64) error {
	fmt.Fprintf(os.Stderr, "foretell on %s, %d workers; PyTorch by %q\n", kernel.ISA(), workers, strings.Join(python, " "))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "model\tforetell tok/s\tPyTorch tok/s\tmode\tthreads\tratio\tGFLOP/s\tpeak\tshare\t")
	for _, name := range models {
		m, ok := bench.Named(name)
		if !ok {
			return fmt.Errorf("unknown model %q; there are %s", name, strings.Join(bench.Names(), ", "))
		}
		var ours []bench.TrainResult
		theirs := map[string][]float64{} // tokens a second, by mode and threads
		for range rounds {
			r, err := bench.Train(m, workers, time.Duration(seconds*float64(time.Second)))
			if err != nil {
				return err
			}
			ours = append(ours, r)
			for _, mode := range modes {
				for threads := 1; threads <= workers; threads++ {
					speed, err := torch(python, name, mode, threads)
					if err != nil {
						fmt.Fprintf(os.Stderr, "%s, %s, %d threads: %v\n", name, mode, threads, err)
						continue
					}
					key := fmt.Sprintf("%s\t%d", mode, threads)
					theirs[key] = append(theirs[key], speed)
				}
			}
		}
		best, speed := "none\t0", 0.0
		for key, speeds := range theirs {
			if s := median(speeds); s > speed {
				best, speed = key, s
			}
		}
		slices.SortFunc(ours, func(a, b bench.TrainResult) int { return int(a.TokensPerSecond - b.TokensPerSecond) })
		r := ours[len(ours)/2]
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%s\t%.2f\t%.1f\t%.1f\t%.0f %%\t\n",
			name, r.TokensPerSecond, speed, best, r.TokensPerSecond/speed, r.GFLOPS, r.PeakGFLOPS, 100*r.GFLOPS/r.PeakGFLOPS)
		runtime.GC()
	}
	return w.Flush()
}

// torch runs the peer's script for one model and returns its tokens a second.
func torch(python []string, name, mode string, threads int) (float64, error) {
	args := append(slices.Clone(python[1:]), "-c", script, strconv.Itoa(threads), mode, name)
	cmd := exec.Command(python[0], args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+strconv.Itoa(threads))
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("PyTorch: %w", err)
	}
	var result struct {
		Speed float64 `json:"tokens_per_second"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, fmt.Errorf("PyTorch printed %.60q: %w", out, err)
	}
	return result.Speed, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
