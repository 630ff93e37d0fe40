package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"foretell/internal/limit"
)

// disturbance is the share of all processors' time from which on other programs disturb a
// measurement. Threads that wait for each other by polling, as OpenMP's do, are several
// times slower if another program takes one of their processors now and then.
const disturbance = 0.05

// undisturbed calls run when no other program works, and again if one has worked
// meanwhile, until the deadline. It reports whether the last call was undisturbed. The
// system must report processor times in /proc, as Linux does; elsewhere each call is
// taken for undisturbed.
func undisturbed(deadline time.Time, run func() error) (calm bool, err error) {
	for {
		for time.Now().Before(deadline) {
			start := clock()
			time.Sleep(500 * time.Millisecond)
			if start.others() <= disturbance {
				break
			}
		}
		start := clock()
		err = run()
		calm = start.others() <= disturbance
		if err != nil || calm || !time.Now().Before(deadline) {
			return calm, err
		}
	}
}

// quietly runs a measurement while no other program works, for which it waits, and
// reports it if that could not be had.
func quietly(wait time.Duration, what string, threads int, run func() error) error {
	calm, err := undisturbed(time.Now().Add(wait), run)
	if !calm {
		fmt.Fprintf(os.Stderr, "%s, %d threads: other programs ran meanwhile\n", what, threads)
	}
	return err
}

// ticks are processor times since the system started, summed over all processors.
type ticks struct {
	all  float64 // with idle time
	busy float64 // without
	own  float64 // of this program and those that it has run
}

// clock returns the times now, or zeros where the system does not report them.
func clock() ticks {
	all, err := limit.ReadFile("/proc/stat", "processor times", 1<<20)
	if err != nil {
		return ticks{}
	}
	own, err := limit.ReadFile("/proc/self/stat", "processor times", 4096)
	if err != nil {
		return ticks{}
	}
	return readTicks(all, own)
}

// readTicks reads the first lines of /proc/stat and of /proc/self/stat (proc(5)).
func readTicks(all, own []byte) ticks {
	var t ticks
	line, _, _ := bytes.Cut(all, []byte("\n"))
	for i, x := range numbers(strings.TrimPrefix(string(line), "cpu")) {
		const idle, iowait, steal = 3, 4, 7
		if i <= steal { // guests' times, which follow, are part of others
			t.all += x
		}
		if i <= steal && i != idle && i != iowait {
			t.busy += x
		}
	}
	// After the name, in brackets: the state, and 10 numbers before four processor times.
	_, rest, _ := strings.Cut(string(own[bytes.LastIndexByte(own, ')')+1:]), " ")
	if fields := numbers(strings.TrimLeft(rest, "RSDZTtXI ")); len(fields) >= 14 {
		for _, x := range fields[10:14] {
			t.own += x
		}
	}
	return t
}

// numbers reads numbers between spaces, up to the first word that is not a number.
func numbers(text string) []float64 {
	var all []float64
	for _, word := range strings.Fields(text) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			break
		}
		all = append(all, x)
	}
	return all
}

// others returns the share of the processors' time since t that other programs used.
func (t ticks) others() float64 {
	now := clock()
	if now.all <= t.all {
		return 0
	}
	return ((now.busy - t.busy) - (now.own - t.own)) / (now.all - t.all)
}
