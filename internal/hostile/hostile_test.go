//go:build linux

package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"foretell/internal/needs"
)

// Limits of a line.
const (
	longestMessage = 400              // characters
	longestTime    = 10 * time.Second // of a processor
	mostMemory     = 1 << 30
	mostOutput     = 1 << 20 // what the reader of a pipe takes before it closes it

	// patience is how long the campaign waits by the clock, which says little about a
	// machine that has other things to do, before it asks the program to end.
	patience = 60 * time.Second
)

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "foretell")
	if out, err := exec.Command("go", "build", "-o", program, "foretell/cmd/foretell").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// outcome is what came of a line.
type outcome struct {
	status         int
	signal         syscall.Signal // that ended it; 0 if none did
	took           time.Duration  // of a processor
	asked          bool           // to end, because it took too long
	memory         int64          // bytes
	stdout, stderr string
}

// run runs the program until it has had the clock for too long, when it is asked to end,
// with a reader of its output that has enough after a while.
func run(t *testing.T, program string, args []string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var stderr bytes.Buffer
	asked := false
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = &stderr
	cmd.Cancel = func() error {
		asked = true
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = 5 * time.Second
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cmd.Stdout = writer
	err = cmd.Start()
	writer.Close()
	if err != nil {
		t.Fatalf("foretell %s: %v", show(args), err)
	}
	stdout, err := io.ReadAll(io.LimitReader(reader, mostOutput))
	reader.Close()
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("foretell %s: %v", show(args), err)
	}
	state := cmd.ProcessState
	found := outcome{
		took: state.UserTime() + state.SystemTime(), asked: asked, stdout: string(stdout), stderr: stderr.String(),
	}
	found.memory = state.SysUsage().(*syscall.Rusage).Maxrss << 10
	found.status = state.ExitCode()
	if ended := state.Sys().(syscall.WaitStatus); ended.Signaled() {
		found.signal = ended.Signal()
	}
	return found
}

// long says of a line that what it asks for may take as long as it likes, if it ends when
// it is asked to.
func long(args []string) bool { return is(args, "reproduce") || is(args, "bench") }

// is says whether a line is of a command.
func is(args []string, command string) bool { return len(args) > 0 && args[0] == command }

// wrong says what is wrong with the outcome of a line, nothing if all is well.
func (o outcome) wrong(args []string) string {
	messages := strings.Split(strings.TrimSuffix(o.stderr, "\n"), "\n")
	last := messages[len(messages)-1]
	failures := 0
	for _, line := range messages {
		if utf8.RuneCountInString(line) > longestMessage && !is(args, "__complete") { // which nobody reads
			return fmt.Sprintf("a message of %d characters", utf8.RuneCountInString(line))
		}
		if strings.HasPrefix(line, "foretell: ") {
			failures++
		}
		if strings.HasPrefix(line, "panic") || strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "fatal error") {
			return "a trace"
		}
	}
	switch {
	case long(args) && o.asked && o.status == 130:
		return ""
	case o.took >= longestTime && !long(args) || o.asked:
		return "too slow"
	case o.memory > mostMemory:
		return fmt.Sprintf("%d MB of memory", o.memory>>20)
	case o.signal == syscall.SIGPIPE && len(o.stdout) == mostOutput:
		return "" // the reader had enough
	case o.signal != 0:
		return "ended by " + o.signal.String()
	case o.status == 0 && failures > 0:
		return "done, with a failure"
	case o.status == 0:
		return ""
	case o.status > 2:
		return "a strange status"
	case failures != 1 || !strings.HasPrefix(last, "foretell: "):
		return "not refused in one line"
	case strings.TrimSpace(strings.TrimPrefix(last, "foretell: ")) == "":
		return "refused without a word"
	case o.stdout != "" && !json.Valid([]byte(o.stdout)):
		return "refused, and has printed something"
	}
	return ""
}

// show is a line for people.
func show(args []string) string {
	text := fmt.Sprintf("%q", args)
	if len(text) > 300 {
		text = fmt.Sprintf("%s… (%d bytes)", text[:300], len(text))
	}
	return text
}

// TestLines runs the command lines, all or some that a stride picks.
func TestLines(t *testing.T) {
	lines := slices.Collect(Lines())
	if len(lines) < 7000 {
		t.Errorf("only %d lines", len(lines))
	}
	if !needs.Exhaustive() {
		needs.Time(t, "builds the program and runs it some hundred times")
		some := lines[:0]
		for i := 5; i < len(lines); i += 71 {
			some = append(some, lines[i])
		}
		lines = some
	}
	program := build(t)
	var names []string
	for _, c := range commands {
		names = append(names, strings.Fields(c.words)...)
	}
	byCommand := map[string][][]string{}
	for _, args := range lines {
		first := "no command"
		if len(args) > 0 && slices.Contains(names, args[0]) {
			first = args[0]
		}
		byCommand[first] = append(byCommand[first], args)
	}
	for _, first := range slices.Sorted(maps.Keys(byCommand)) {
		t.Run(first, func(t *testing.T) { runLines(t, program, byCommand[first]) })
	}
}

// runLines runs command lines in a folder with all that they name.
func runLines(t *testing.T, program string, lines [][]string) {
	t.Chdir(t.TempDir())
	fill(t, program)
	before := inventory(t)
	refused, done, faults := 0, 0, 0
	slowest, most := time.Duration(0), int64(0)
	for _, args := range lines {
		if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "\x00") || len(arg) >= 128<<10 }) {
			continue // which no system hands on
		}
		o := run(t, program, args)
		if wrong := o.wrong(args); wrong != "" {
			faults++
			t.Errorf("foretell %s: %s: status %d after %v, %d MB\n%.600s",
				show(args), wrong, o.status, o.took, o.memory>>20, o.stderr)
		}
		if changed := tidy(t, before); changed != nil {
			if resumes(args) { // which mends what it can
				t.Chdir(t.TempDir())
				fill(t, program)
				before = inventory(t)
				continue
			}
			faults++
			t.Errorf("foretell %s: changed %q", show(args), changed)
			before = inventory(t)
		}
		if o.status == 0 {
			done++
		} else {
			refused++
		}
		slowest, most = max(slowest, o.took), max(most, o.memory)
	}
	t.Logf("%d lines: %d done, %d refused, %d faults; the slowest took %v, the greatest %d MB",
		done+refused, done, refused, faults, slowest.Round(time.Millisecond), most>>20)
}

// resumes says whether a line asks for a run to go on, in either form of the flag.
func resumes(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--resume" || strings.HasPrefix(arg, "--resume=")
	})
}
