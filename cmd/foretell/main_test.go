package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/progress"
)

// config is a training configuration of a fraction of a second.
const config = `process: {name: mess3, params: {x: 0.15, a: 0.6}}
model:   {d_model: 8, n_heads: 1, n_layers: 1, d_mlp: 16, n_ctx: 4, act_fn: gelu, normalization_type: LN}
train:   {seed: 1, batch_size: 8, num_steps: 40, optimizer: adam, lr: 1e-3, evaluate_every: 20, checkpoint_every: 20}
`

// lazy defines a process.
const lazy = `name: mine
states: [A, B]
tokens: [heads, tails]
transitions:
  - {from: A, to: A, token: heads, p: 0.9}
  - {from: A, to: B, token: tails, p: 0.1}
  - {from: B, to: A, token: heads, p: 0.5}
  - {from: B, to: B, token: heads, p: 0.5}
`

// call runs the program in this process.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = execute(context.Background(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// mustCall is call for what has to succeed.
func mustCall(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	status, stdout, stderr := call(t, args...)
	if status != exitDone {
		t.Fatalf("foretell %s: status %d, stderr %q", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// Tests tell nothing by the clock: timers go off at once where a test wants it, else
// never.
func TestMain(m *testing.M) {
	timer = func(time.Duration, func()) (stop func()) { return func() {} }
	os.Exit(m.Run())
}

// What takes longer than a second says what it is doing, on stderr.
func TestLate(t *testing.T) {
	inFolder(t)
	defer func(before progress.Timer) { timer = before }(timer)
	timer = func(_ time.Duration, f func()) (stop func()) {
		f()
		return func() {}
	}
	const floor = "reading the process mess3 …\ncomputing the floor of mess3 at 3 positions …\n"
	if _, _, stderr := call(t, "process", "floor", "mess3", "--positions", "3"); stderr != floor {
		t.Errorf("%q", stderr)
	}
	const training = "computing the floor and the optimal predictions to compare the model with …\n"
	for _, args := range []string{"train c.yaml --out run", "train --resume run"} {
		if _, _, stderr := call(t, strings.Fields(args)...); !strings.HasPrefix(stderr, training) {
			t.Errorf("%s: %q", args, stderr)
		}
	}
	_, _, stderr := call(t, "train", "c.yaml", "--out", "another")
	if evaluating, step := strings.Index(stderr, "evaluating"), strings.Index(stderr, "step 0 "); evaluating < 0 || evaluating > step {
		t.Errorf("the first evaluation is silent: %q", stderr)
	}
	for line, want := range map[string]string{
		"bench sample mess3 --seconds 0.001":         "bench sample: measuring for 0.001 seconds …\nreading the process mess3 …\n",
		"generate craft:coin --tokens 2 -n 3":        "opening the model craft:coin …\ngenerating up to 3 tokens …\n",
		"bench kernel --seconds 0.00001":             "bench kernel: measuring each kernel for 1e-05 seconds …\n",
		"craft show craft:induction --param n_ctx=8": "opening the model craft:induction …\ncomputing the blocks of craft:induction …\n",
	} {
		if _, _, stderr := call(t, strings.Fields(line)...); stderr != want {
			t.Errorf("%s: %q", line, stderr)
		}
	}
}

// inFolder makes a new folder with config.yaml-like files and goes there.
func inFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "c.yaml", config)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// decode reads exactly one JSON value.
func decode(t *testing.T, text string, value any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(value); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one JSON value in %q", text)
	}
}

// files returns the contents of every file below a folder with its time of change.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = info.ModTime().String() + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var decimals = regexp.MustCompile(`-?\d+\.\d+(e[-+]\d+)?`)

// rounded writes every decimal number of a text with three digits: the last bits
// of an eigenvalue or of a trained weight are no part of the contract.
func rounded(text string) string {
	return decimals.ReplaceAllStringFunc(text, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(x, 'g', 3, 64)
	})
}

// Words come from files and from stdin as from the command line.
func TestWordsFromFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "word", "0 1\n1 2\n")
	write(t, "word.csv", "heads,tails\nheads\n")
	write(t, "lazy.yaml", lazy)
	for _, same := range [][2]string{
		{"process beliefs mess3 --tokens @word", "process beliefs mess3 --tokens 0,1,1,2"},
		{"process beliefs lazy.yaml --tokens @word.csv", "process beliefs lazy.yaml --tokens 0,1,0"},
		{"generate craft:induction --param n_ctx=16 --tokens @word -n 3", "generate craft:induction --param n_ctx=16 --tokens 0,1,1,2 -n 3"},
	} {
		got, want := mustCall(t, strings.Fields(same[0])...), mustCall(t, strings.Fields(same[1])...)
		if got != want {
			t.Errorf("%s\n%s\nwant\n%s", same[0], got, want)
		}
	}
	word, err := os.Open("word")
	if err != nil {
		t.Fatal(err)
	}
	defer word.Close()
	stdin := os.Stdin
	os.Stdin = word
	defer func() { os.Stdin = stdin }()
	want := mustCall(t, "predict", "craft:induction", "--param", "n_ctx=16", "--tokens", "0,1,1,2")
	if got := mustCall(t, "predict", "craft:induction", "--param", "n_ctx=16", "--tokens", "-"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
