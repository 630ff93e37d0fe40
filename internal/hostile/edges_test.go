//go:build linux

package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"foretell/internal/needs"
)

// What every command keeps to, however much it is asked for. Times are the child's
// processor time, which depends little on the machine's other work.
const (
	silence   = 2 * time.Second // until the first output, or the end
	worked    = 3 * time.Second // until it is interrupted
	enduring  = 9 * time.Second // until it is interrupted, in the whole campaign
	farewell  = time.Second     // from the interruption to the end
	mostBytes = 4 << 30         // of memory
)

// slack allows for the granularity of the kernel's clock of processor time, and for the
// time between two looks at it.
const slack = 300 * time.Millisecond

// course is how a command went.
type course struct {
	spoke       time.Duration // processor time at the first output; negative if there was none
	interrupted time.Duration // processor time at the interruption; negative if there was none
	took        time.Duration // processor time
	memory      int64         // the peak, in bytes
	status      int           // -1 if a signal ended it
	killed      string        // why the test ended it; empty if it did not
	stderr      string
}

// voice takes the output of a command, and remembers the first bytes.
type voice struct {
	mu    sync.Mutex
	text  bytes.Buffer
	spoke bool
}

func (v *voice) Write(data []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.spoke = v.spoke || len(data) > 0
	if room := 1<<16 - v.text.Len(); room > 0 {
		v.text.Write(data[:min(room, len(data))])
	}
	return len(data), nil
}

func (v *voice) hasSpoken() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.spoke
}

// usage returns the processor time and the resident memory of a process; ok is false
// when it is gone.
func usage(pid int) (spent time.Duration, memory int64, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, false
	}
	// See proc(5): the fields after the name in parentheses begin with the third.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const user, system, resident, ticks = 14 - 3, 15 - 3, 24 - 3, 100
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	spent = time.Duration(number(user)+number(system)) * time.Second / ticks
	return spent, number(resident) * int64(os.Getpagesize()), true
}

// follow runs a command on one processor, interrupts it where it has not ended after a
// processor time, and kills it where it breaks a bound.
func follow(t *testing.T, program string, args []string, until time.Duration) course {
	t.Helper()
	var stdout, stderr voice
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	c := course{spoke: -1, interrupted: -1}
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	last, changed := time.Duration(0), time.Now()
	for {
		select {
		case err := <-done:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			state := cmd.ProcessState
			c.took, c.status, c.stderr = state.UserTime()+state.SystemTime(), state.ExitCode(), stderr.text.String()
			c.memory = state.SysUsage().(*syscall.Rusage).Maxrss << 10
			return c
		case <-look.C:
		}
		spent, memory, ok := usage(cmd.Process.Pid)
		if !ok {
			continue
		}
		if spent != last {
			last, changed = spent, time.Now()
		}
		if c.spoke < 0 && (stdout.hasSpoken() || stderr.hasSpoken()) {
			c.spoke = spent
		}
		switch {
		case c.killed != "":
		case memory > mostBytes:
			c.killed = "too much memory"
		case c.interrupted >= 0 && spent > c.interrupted+farewell+slack:
			c.killed = "does not end when interrupted"
		case time.Since(changed) > patience: // a guard against a child that never ends
			c.killed = "waits for nothing"
		}
		if c.killed != "" {
			_ = cmd.Process.Kill() // it may have ended
		} else if c.interrupted < 0 && spent >= until {
			c.interrupted = spent
			_ = cmd.Process.Signal(syscall.SIGINT)
		}
	}
}

// faults returns what is wrong with a course.
func (c course) faults() (list []string) {
	if c.killed != "" {
		list = append(list, c.killed)
	}
	if c.spoke > silence+slack || c.spoke < 0 && c.took > silence+slack {
		list = append(list, "silent for more than two seconds")
	}
	if c.memory > mostBytes {
		list = append(list, fmt.Sprintf("%d MB of memory", c.memory>>20))
	}
	if c.interrupted >= 0 && c.took > c.interrupted+farewell+slack && c.killed == "" {
		list = append(list, "slow to end when interrupted")
	}
	for _, trace := range traces {
		if strings.Contains(c.stderr, trace) {
			list = append(list, "a trace of Go's runtime")
			break
		}
	}
	messages := strings.Count("\n"+c.stderr, "\nforetell: ")
	switch {
	case c.killed != "" || c.status == 0:
	case c.status == 130 && c.interrupted >= 0 && strings.Contains(c.stderr, "foretell: interrupted"):
	case c.status != 1 && c.status != 2 || messages != 1:
		list = append(list, fmt.Sprintf("status %d with %d errors", c.status, messages))
	}
	return list
}

// furnish makes the files that the edges name, in the current folder.
func furnish(t *testing.T, program string) {
	t.Helper()
	for name, text := range edgeFiles() {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(program, "train", "small.yaml", "--out", "run").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// edgeFiles returns the contents of files by name.
func edgeFiles() map[string]string {
	const configuration = `process: {name: mess3}
model:   {d_model: 16, n_layers: 1, n_heads: 1, n_ctx: %d}
train:   {batch_size: 4, num_steps: 2, lr: 1e-3, evaluate_sequences: 4}
`
	row := "[" + strings.Repeat("0.00390625, ", 255) + "0.00390625]"
	files := map[string]string{
		"small.yaml":      fmt.Sprintf(configuration, 12),
		"long.yaml":       fmt.Sprintf(configuration, 256),
		"word.txt":        strings.Repeat("0,0,1,", 1000) + "0",
		"pattern.txt":     `"` + strings.Repeat("AABABB", 500) + `"`,
		"signal.csv":      strings.Repeat("1.25\n2.5\n-3.125\n0.0625\n", 16<<20/23),
		"short.csv":       strings.Repeat("1.25\n2.5\n-3.125\n0.0625\n", 25_000),
		"components.json": "[" + strings.Repeat(`"mess3", `, 63) + `"mess3"]`,
		"weights.json":    "[" + strings.Repeat("0.015625, ", 63) + "0.015625]",
		"matrix.json":     "[" + strings.Repeat(row+", ", 255) + row + "]",
	}
	for _, states := range []int{64, 512, 1024} {
		files[fmt.Sprintf("ring-%d.yaml", states)] = ring(states)
	}
	return files
}

// ring is a process that steps around a ring of states, by one or two on the token 0, and
// stays where it is on the token 1, the more often the later the state.
func ring(states int) string {
	var text strings.Builder
	name := func(i int) string { return fmt.Sprint("s", i%states) }
	var names []string
	for i := range states {
		names = append(names, name(i))
	}
	fmt.Fprintf(&text, "name: ring\nstates: [%s]\ntokens: [\"0\", \"1\"]\ntransitions:\n", strings.Join(names, ", "))
	for i := range states {
		stays := float64(1+i%7) / 16
		for _, step := range []struct {
			to    string
			token int
			p     float64
		}{{name(i), 1, stays}, {name(i + 1), 0, (1 - stays) * 0.75}, {name(i + 2), 0, (1 - stays) * 0.25}} {
			fmt.Fprintf(&text, "  - {from: %s, to: %s, token: \"%d\", p: %v}\n", name(i), step.to, step.token, step.p)
		}
	}
	return text.String()
}

// A command that is asked for as much as it accepts says something or ends within two
// seconds of work, keeps to its memory, ends when it is interrupted, and
// leaves no part of a file. The ordinary test runs some of the commands.
func TestEdges(t *testing.T) {
	lines := slices.Collect(Edges())
	if len(lines) < 170 {
		t.Errorf("only %d lines", len(lines))
	}
	until := enduring
	if !needs.Exhaustive() {
		until = worked
		needs.Time(t, "builds the program and lets some twenty commands run for seconds")
		some := lines[:0]
		for i := 3; i < len(lines); i += 9 {
			some = append(some, lines[i])
		}
		lines = some
	}
	hearSignals(t)
	program := build(t)
	t.Chdir(t.TempDir())
	furnish(t, program)
	before := entries(t)
	for _, args := range lines {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			c := follow(t, program, args, until)
			faults := c.faults()
			for name := range entries(t) {
				if before[name] {
					continue
				}
				if c.status != 0 && name != "new" { // the folder of a run is kept
					faults = append(faults, "leaves "+name)
				}
				if err := os.RemoveAll(name); err != nil {
					t.Fatal(err)
				}
			}
			report := fmt.Sprintf("first output at %v, %v in all, %d MB, status %d\n%.300s",
				c.spoke, c.took.Round(time.Millisecond), c.memory>>20, c.status, c.stderr)
			if faults != nil {
				t.Errorf("%s: %s", strings.Join(faults, ", "), report)
			} else {
				t.Log(report)
			}
		})
	}
	if after := entries(t); !maps.Equal(before, after) {
		t.Errorf("the folder holds %v, and held %v", after, before)
	}
}

// entries are the names in the current folder.
func entries(t *testing.T) map[string]bool {
	t.Helper()
	list, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range list {
		found[entry.Name()] = true
	}
	return found
}
