package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"foretell/inspect"
	"foretell/internal/needs"
)

// watcher is a stderr that acts once, when it sees a text for the first time.
type watcher struct {
	bytes.Buffer
	text string
	act  func()
}

func (w *watcher) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if w.act != nil && strings.Contains(w.String(), w.text) {
		w.act()
		w.act = nil
	}
	return n, err
}

// callUntil runs the program with a context that ends when stderr shows a text.
func callUntil(text string, args ...string) (status int, stdout, stderr string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out bytes.Buffer
	errs := &watcher{text: text, act: cancel}
	status = execute(ctx, args, &out, errs)
	return status, out.String(), errs.String()
}

// TestInterruptedTraining holds that a run that was interrupted and resumed ends in
// the same bits as one that was left alone.
func TestInterruptedTraining(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "alone")
	for _, c := range []struct{ at, step string }{{"step 0 ", "0"}, {"step 20 ", "20"}} {
		folder := "cut at " + c.step
		status, stdout, stderr := callUntil(c.at, "train", "c.yaml", "--out", folder, "--json")
		want := "foretell: interrupted at step " + c.step + "; continue with `foretell train --resume 'cut at " + c.step + "'`\n"
		if status != exitInterrupted || stdout != "" || !strings.HasSuffix(stderr, want) {
			t.Fatalf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
		mustCall(t, "train", "--resume", folder)
		for _, file := range []string{
			"config.yaml", "metrics.jsonl", "summary.json",
			"checkpoints/step-40/model.safetensors", "checkpoints/step-40/optimizer.safetensors", "checkpoints/step-40/state.json",
		} {
			a, err := os.ReadFile(filepath.Join("alone", file))
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %s differs from the run's that was left alone", folder, file)
			}
		}
	}
}

// endless trains for so many steps, each evaluated, that it does not end by itself soon.
var endless = []string{
	"train", "c.yaml", "--out", "run", "--set", "train.num_steps=900000",
	"--set", "train.checkpoint_every=1000000000", "--set", "train.evaluate_every=1",
}

// TestInterruptSignal sends this process a Ctrl-C, and what systems send, while it
// trains.
func TestInterruptSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		needs.Machine(t, "to send itself an interrupt", errors.ErrUnsupported)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // by nohup, or as what runs in the background of a shell
			t.Logf("whoever started the test has %s ignored", s)
			continue
		}
		inFolder(t)
		var out bytes.Buffer
		errs := &watcher{text: "step 1 ", act: func() {
			if err := self.Signal(s); err != nil {
				t.Error(err)
			}
		}}
		if status := execute(context.Background(), endless, &out, errs); status != exitInterrupted {
			t.Fatalf("status %d, %s", status, errs.String())
		}
		mustCall(t, "predict", "run", "--tokens", "0")
	}
}

// TestClosedStderr holds that a training whose messages nobody can read any more, as when
// a terminal is gone, ends with a checkpoint.
func TestClosedStderr(t *testing.T) {
	inFolder(t)
	reader, writer := io.Pipe()
	go func() {
		lines := bufio.NewScanner(reader)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "step 3 ") {
		}
		reader.Close()
	}()
	if status := execute(context.Background(), endless, io.Discard, writer); status != exitInterrupted {
		t.Errorf("status %d", status)
	}
	mustCall(t, "predict", "run", "--tokens", "0")
}

// TestInterruptedComputation holds that what keeps nothing is not waited for.
func TestInterruptedComputation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	status := execute(ctx, []string{"bench", "sample", "mess3", "--seconds", "2"}, &out, &errs)
	if status != exitInterrupted || errs.String() != "foretell: interrupted\n" || out.Len() > 0 {
		t.Errorf("status %d, %q, %q", status, out.String(), errs.String())
	}
}

// TestInterruptedReproduction holds that a reproduction goes on where it was
// interrupted: its next step of training is the one after. (M7 has one model;
// several would train side by side.)
func TestInterruptedReproduction(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"reproduce", "mess3", "--only", "M7", "--out", "my report"}
	for _, line := range []string{": 1 of ", ": 2 of "} {
		status, stdout, stderr := callUntil(line, args...)
		want := "foretell: interrupted; the models trained so far are in my report; continue with `foretell reproduce mess3 --only M7 --out 'my report'`\n"
		if status != exitInterrupted || stdout != "" || !strings.HasSuffix(stderr, want) || !strings.Contains(stderr, line) {
			t.Fatalf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	}
	latest, err := filepath.Glob("my report/runs/*/checkpoints/step-2/model.safetensors")
	if err != nil || len(latest) != 1 {
		t.Fatalf("%v, %v", latest, err)
	}
	write(t, latest[0], "")
	_, _, stderr := callUntil(": 2 of ", args...)
	if !strings.HasPrefix(stderr, "note: my report/runs/") || !strings.Contains(stderr, "resuming from step-1 instead") {
		t.Errorf("no note of the damaged checkpoint in %q", stderr)
	}
}

// TestDamagedCheckpoint holds that the checkpoint before is taken, with a note on
// stderr, and that without any intact one nothing is written.
func TestDamagedCheckpoint(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	weights := filepath.Join("run", "checkpoints", "step-40", "model.safetensors")
	whole, err := os.ReadFile(weights)
	if err != nil {
		t.Fatal(err)
	}
	write(t, weights, string(whole[:len(whole)/2]))
	const note = "note: checkpoint step-40 is not usable: model.safetensors is truncated or altered: its SHA-256 is not the one in state.json\n"
	if status, _, stderr := call(t, "predict", "run", "--tokens", "0"); status != exitDone || stderr != note {
		t.Errorf("predict: status %d, %q", status, stderr)
	}
	var found inspect.Prediction
	decode(t, mustCall(t, "predict", "run", "--tokens", "0", "--json"), &found)
	if c := found.Checkpoint; c == nil || c.Step != 20 || !c.FellBack {
		t.Errorf("predict: checkpoint %+v", c)
	}
	if status, _, stderr := call(t, "train", "--resume", "run"); status != exitDone || !strings.HasPrefix(stderr, note+"note: resuming from step-20 instead\n") {
		t.Errorf("train: status %d, %q", status, stderr)
	}
	if again, err := os.ReadFile(weights); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("the checkpoint that was damaged is not the same again: %v", err)
	}

	write(t, weights, "")
	write(t, filepath.Join("run", "checkpoints", "step-20", "model.safetensors"), "")
	before := files(t, "run")
	for _, args := range [][]string{{"predict", "run", "--tokens", "0"}, {"train", "--resume", "run"}} {
		status, stdout, stderr := call(t, args...)
		if status != exitFailed || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "no intact checkpoint") {
			t.Errorf("%v: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
	if !maps.Equal(before, files(t, "run")) {
		t.Error("a file was changed")
	}
}
