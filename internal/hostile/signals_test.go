//go:build linux

package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"foretell/internal/needs"
)

// shortly is the time in which every command ends when it is asked to.
const shortly = time.Second

// trainings are configurations that do not come to their end, by the file's name: of
// steps that take less than a millisecond, of a context so long that one pass takes a
// good part of a second, and of wide layers.
var trainings = map[string]string{
	"steps.yaml": `process: {name: mess3}
model:   {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}
train:   {batch_size: 4, num_steps: 1000000000, lr: 1e-3, evaluate_every: 2000, checkpoint_every: 1000}
`,
	"context.yaml": `process: {name: even}
model:   {d_model: 64, n_layers: 2, n_heads: 4, n_ctx: 4096}
train:   {batch_size: 16, num_steps: 10000, lr: 1e-3, evaluate_every: 2, checkpoint_every: 1000, evaluate_sequences: 64}
`,
	"wide.yaml": `process: {name: even}
model:   {d_model: 384, n_layers: 2, n_heads: 8, n_ctx: 64}
train:   {batch_size: 64, num_steps: 1000000, lr: 1e-4, evaluate_every: 5, checkpoint_every: 5}
`,
	"slow-process.yaml": `process: {name: switching_delay}
model:   {d_model: 32, n_layers: 1, n_heads: 1, n_ctx: 512}
train:   {batch_size: 512, num_steps: 100000, lr: 1e-3, objective: optimal_targets, evaluate_every: 3}
`,
	"probed.yaml": `process: {name: mess3}
model:   {d_model: 128, n_layers: 4, n_heads: 1, n_ctx: 10}
train:   {batch_size: 4, num_steps: 1, lr: 1e-3, evaluate_sequences: 4}
`,
}

// longCommands take longer than anybody waits.
var longCommands = [][]string{
	{"train", "steps.yaml", "--out", "new"},
	{"train", "context.yaml", "--out", "new"},
	{"train", "wide.yaml", "--out", "new"},
	{"train", "slow-process.yaml", "--out", "new"},
	{"reproduce", "mess3", "--out", "new"},
	{"reproduce", "coin", "abc", "--out", "new"},
	{"reproduce", "beliefs", "--out", "new"},
	{"sweep", "steps.yaml", "--seeds", "3", "--out", "new"},
	{"probe", "probed", "--steer", "--concat"},
	{"process", "floor", "rrxor", "--positions", "1048576"},
	{"process", "sample", "mess3", "-n", "100000000", "--length", "1000"},
	{"process", "sample", "mackey_glass", "-n", "1000", "--length", "16777216", "--json"},
	{"bench", "train", "mess3", "minigpt", "--seconds", "60"},
	{"bench", "curve"},
	{"bench", "prefixes", "--seconds", "60"},
	{"bench", "sample", "mess3", "--seconds", "60", "--length", "1048576"},
	{"bench", "kernel", "--seconds", "2"},
}

// signals are what asks a program to end.
var signals = []syscall.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU,
}

// interrupted is what came of a command that was sent a signal.
type interrupted struct {
	status int
	by     syscall.Signal // that ended it where it did not end itself
	alone  bool           // it had ended by itself before
	took   time.Duration  // from the signal on
	stderr string
}

// hearSignals lets the children of a test hear signals, even if whoever started the test
// has let them be ignored, as nohup does and the background of a shell: who is told of a
// signal does not hand on that it is ignored.
func hearSignals(t *testing.T) {
	heard := make(chan os.Signal, 1)
	for _, s := range signals {
		signal.Notify(heard, s)
	}
	t.Cleanup(func() { signal.Stop(heard) })
}

// interrupt starts a command, sends it a signal when it is ready, and waits for its end.
func interrupt(t *testing.T, program string, args []string, s syscall.Signal, ready func(stderr io.Reader)) interrupted {
	t.Helper()
	cmd := exec.Command(program, args...)
	var text bytes.Buffer
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := io.TeeReader(stderr, &text)
	drained := make(chan bool)
	go func() {
		ready(read)
		sent := time.Now()
		failed := cmd.Process.Signal(s)
		_, _ = io.Copy(io.Discard, read)
		text.WriteString("\n" + time.Since(sent).String()) // until it closed its stderr, which is its end
		drained <- failed != nil
	}()
	alone := <-drained
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	messages := text.String()
	at := strings.LastIndex(messages, "\n")
	took, err := time.ParseDuration(messages[at+1:])
	if err != nil {
		t.Fatal(err)
	}
	found := interrupted{status: cmd.ProcessState.ExitCode(), alone: alone, took: took, stderr: messages[:at]}
	if ended := cmd.ProcessState.Sys().(syscall.WaitStatus); ended.Signaled() {
		found.by = ended.Signal()
	}
	return found
}

// firstLine waits for a program's first message.
func firstLine(stderr io.Reader) { bufio.NewScanner(stderr).Scan() }

// prepare makes the files that the long commands name, in a new folder.
func prepare(t *testing.T, program string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range trainings {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(program, "train", "probed.yaml", "--out", "probed").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// wantKept checks that a training can be gone on with, and that nothing is left then that
// nobody needs.
func wantKept(t *testing.T, program string) {
	t.Helper()
	if _, err := os.Stat("new/config.yaml"); errors.Is(err, fs.ErrNotExist) {
		return // it had not begun
	}
	if again := interrupt(t, program, []string{"train", "--resume", "new"}, syscall.SIGINT, firstLine); again.status != 130 {
		t.Errorf("the resume: status %d, %q", again.status, again.stderr)
	}
	err := filepath.WalkDir("new", func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, ".tmp-") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A training that is interrupted as soon as it says anything ends with the status of an
// interruption and goes on; whatever its steps are like.
func TestInterruptedTrainings(t *testing.T) {
	needs.Time(t, "builds the program")
	hearSignals(t)
	program := build(t)
	prepare(t, program)
	for i, args := range longCommands[:3] {
		found := interrupt(t, program, args, signals[i], firstLine)
		if found.status != 130 || !strings.Contains(found.stderr, "foretell: interrupted at step ") {
			t.Errorf("%q: status %d, %q", args, found.status, found.stderr)
		}
		wantKept(t, program)
		if err := os.RemoveAll("new"); err != nil {
			t.Fatal(err)
		}
	}
}

// short is a training that comes to its end in some seconds.
const short = `process: {name: mess3}
model:   {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}
train:   {batch_size: 4, num_steps: 3000, lr: 1e-3, evaluate_every: 500, checkpoint_every: 1000}
`

// A training that a batch system interrupts, resumed, ends in the bits of one that was
// left alone.
func TestResumedAfterBatchSignals(t *testing.T) {
	needs.Time(t, "builds the program")
	hearSignals(t)
	program := build(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("short.yaml", []byte(short), 0o666); err != nil {
		t.Fatal(err)
	}
	train := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(program, append([]string{"train"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	train("short.yaml", "--out", "alone")
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU} {
		dir := fmt.Sprint("by ", s)
		found := interrupt(t, program, []string{"train", "short.yaml", "--out", dir}, s, firstLine)
		if found.status != 130 || !strings.Contains(found.stderr, "foretell: interrupted at step ") {
			t.Errorf("%v: status %d, %q", s, found.status, found.stderr)
			continue
		}
		train("--resume", dir)
		for _, file := range []string{
			"metrics.jsonl", "summary.json",
			"checkpoints/step-3000/model.safetensors", "checkpoints/step-3000/optimizer.safetensors",
		} {
			want, err := os.ReadFile(filepath.Join("alone", file))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v: %s differs from that of a training that was left alone: %v", s, file, err)
			}
		}
	}
}

// A study that a batch system interrupts, begun again by the same command, has the same
// runs as a study that was left alone.
func TestStudyAfterBatchSignals(t *testing.T) {
	needs.Time(t, "builds the program")
	hearSignals(t)
	program := build(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("short.yaml", []byte(short), 0o666); err != nil {
		t.Fatal(err)
	}
	sweep := func(dir string) []string { return []string{"sweep", "short.yaml", "--seeds", "2", "--out", dir} }
	complete := func(dir string) {
		t.Helper()
		if out, err := exec.Command(program, sweep(dir)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	complete("alone")
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU} {
		dir := fmt.Sprint("by ", s)
		found := interrupt(t, program, sweep(dir), s, firstLine)
		if found.status != 130 || !strings.HasSuffix(found.stderr, "foretell: interrupted; the same command continues\n") {
			t.Errorf("%v: status %d, %q", s, found.status, found.stderr)
			continue
		}
		complete(dir)
		runs, err := filepath.Glob("alone/runs/*")
		if err != nil || len(runs) != 2 {
			t.Fatalf("%q, %v", runs, err)
		}
		for _, run := range runs {
			want, err := os.ReadFile(filepath.Join(run, "summary.json"))
			if err != nil {
				t.Fatal(err)
			}
			there := filepath.Join(dir, "runs", filepath.Base(run), "summary.json")
			if got, err := os.ReadFile(there); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v: %s differs from that of a study that was left alone: %v", s, there, err)
			}
		}
	}
}

// TestInterruptedAtAnyMoment sends each of the long commands signals at fifty random
// moments of its first seconds: it has ended a second later, and a training goes on.
func TestInterruptedAtAnyMoment(t *testing.T) {
	needs.Soak(t, "takes half an hour")
	hearSignals(t)
	program := build(t)
	for _, args := range longCommands {
		t.Run(strings.Join(args, " "), func(t *testing.T) { interruptAnywhere(t, program, args) })
	}
}

// interruptAnywhere interrupts a command at random moments.
func interruptAnywhere(t *testing.T, program string, args []string) {
	const moments, seconds = 50, 4
	random := rand.New(rand.NewPCG(11, 8))
	prepare(t, program)
	var took []time.Duration
	for i := range moments {
		line := args
		if _, err := os.Stat("new/config.yaml"); err == nil && args[0] == "train" {
			line = []string{"train", "--resume", "new"}
		}
		s, moment := signals[i%len(signals)], time.Duration(random.Float64()*seconds*float64(time.Second))
		found := interrupt(t, program, line, s, func(io.Reader) { time.Sleep(moment) })
		if found.alone || found.status == 0 {
			continue
		}
		took = append(took, found.took)
		early := found.by == s && moment < seconds*time.Second/10 // before it listens
		ended := found.status == 130 && strings.Contains(found.stderr, "foretell: interrupted")
		if found.took > shortly || !early && !ended {
			t.Errorf("%q, %v after %v: status %d, %v, after %v, %q",
				line, s, moment, found.status, found.by, found.took, found.stderr)
		}
		if args[0] == "train" {
			wantKept(t, program)
		}
		if i%5 == 4 { // else the next goes on with what is there
			if err := os.RemoveAll("new"); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(took)
	if len(took) == 0 {
		t.Errorf("%q is not long", args)
		return
	}
	t.Logf("%q: %d interruptions, half of them within %v, all within %v", args, len(took),
		took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
}
