package bench

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"foretell/internal/kernel"
)

// timing is the result of timing calls, interleaved with measurements of the machine's
// peak.
type timing struct {
	n        int // number of calls
	median   time.Duration
	allocs   float64 // allocations per call
	peak     float64 // peak rate in operations per second, to compare with the median call
	cpuShare float64 // granted fraction of the requested processor time; 0 if the system does not report it
}

// inTurn times calls for a duration. Before each window of calls it measures the peak of
// the given number of cores, because the speed of a shared machine changes over time. It
// stops at the first error of a call.
func inTurn(duration, window time.Duration, cores int, call func() error) (timing, error) {
	times, windows := make([]time.Duration, 0, 1<<20), []float64(nil)
	allocs, before := uint64(0), processorTime()
	for start := time.Now(); len(times) == 0 || time.Since(start) < duration && len(times) < cap(times); {
		peak, first, had := peakNow(cores, 20_000), len(times), mallocs()
		took := time.Duration(0)
		for len(times) == first || took < min(window, duration) && len(times) < cap(times) {
			began := time.Now()
			if err := call(); err != nil {
				return timing{}, err
			}
			times = append(times, time.Since(began))
			took += times[len(times)-1]
		}
		windows = append(windows, peak*took.Seconds()/float64(len(times)-first))
		allocs += mallocs() - had
	}
	share := processorTime().since(before).share()
	slices.Sort(times)
	slices.Sort(windows)
	median := times[len(times)/2]
	return timing{
		n: len(times), median: median, allocs: float64(allocs) / float64(len(times)),
		peak: windows[len(windows)/2] / median.Seconds(), cpuShare: share,
	}, nil
}

// mallocs returns the number of allocations so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// peakCores returns the largest number of cores that the given number of workers can use
// at once.
func peakCores(workers int) int { return min(workers, runtime.GOMAXPROCS(0)) }

// peakNow runs the given number of rounds of multiply-adds in registers on several cores
// at once, and returns the total number of operations per second.
func peakNow(cores, rounds int) float64 {
	var group sync.WaitGroup
	rates := make([]float64, cores)
	for w := range rates {
		group.Go(func() {
			start := time.Now()
			flops := kernel.PeakLoop(rounds)
			rates[w] = float64(flops) / time.Since(start).Seconds()
		})
	}
	group.Wait()
	total := 0.0
	for _, r := range rates {
		total += r
	}
	return total
}
