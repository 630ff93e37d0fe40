package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/run"
	"foretell/train"
)

// Runs are listed and checked; what is wrong with one is a line each, and the exit status
// tells.
func TestRuns(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "runs/first")
	mustCall(t, "train", "c.yaml", "--out", "elsewhere/second", "--set", "train.seed=2")
	var list []run.Info
	decode(t, mustCall(t, "runs", "list", "--json"), &list)
	if len(list) != 1 || list[0].Dir != filepath.Join("runs", "first") || !list[0].Complete || list[0].Process != "mess3" {
		t.Errorf("%+v", list)
	}
	both := []string{"runs", "check", "runs/first", "elsewhere/second"}
	number := fmt.Sprint(list[0].Steps)
	want := "runs/first: step N of N, all files are intact\nelsewhere/second: step N of N, all files are intact\n"
	if got := mustCall(t, both...); got != strings.ReplaceAll(want, "N", number) {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := os.Remove("elsewhere/second/env.json"); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := call(t, both...)
	want = "runs/first: step N of N, all files are intact\nelsewhere/second/env.json: no such file or directory\nelsewhere/second: step N of N, 1 problem\n"
	if status != exitFailed || stdout != strings.ReplaceAll(want, "N", number) || stderr != "foretell: problems in 1 of 2 runs\n" {
		t.Errorf("status %d, %s, %s", status, stdout, stderr)
	}
	status, stdout, _ = call(t, append(both, "--json")...)
	var reports run.Reports
	decode(t, stdout, &reports)
	if status != exitFailed || len(reports) != 2 || len(reports[0].Problems) != 0 || len(reports[1].Problems) != 1 {
		t.Errorf("status %d, %+v", status, reports)
	}
}

// What cannot be listed or checked is said, and a configuration that cannot be read is so
// in JSON too.
func TestRunsThatAreNone(t *testing.T) {
	inFolder(t)
	if got := mustCall(t, "runs", "list"); got != "" {
		t.Errorf("no run yet: %q", got)
	}
	if err := os.MkdirAll(filepath.Join("runs", "bad"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("runs", "bad", "config.yaml"), []byte("train: ["), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args, stdout, stderr string
		status               int
	}{
		{"runs list nowhere", "", "foretell: nowhere is not a folder", exitFailed},
		{"runs list c.yaml", "", "foretell: c.yaml is not a folder", exitFailed},
		{"runs list a b", "", "foretell: runs list: 2 arguments given; give at most one FOLDER; see `foretell runs list --help`", exitUsage},
		{"runs check", "", "foretell: runs check: 0 arguments given; give at least one RUN, such as runs/first; see `foretell runs check --help`", exitUsage},
		{"runs check nowhere", "nowhere: holds no run: it has no config.yaml\nnowhere: 1 problem", "foretell: problems in 1 of 1 run", exitFailed},
		{"runs list", "run       state       steps  problem\nruns/bad  unreadable  –      runs/bad/config.yaml:1:8: did not find expected node conten…", "", 0},
		{
			"runs list --json",
			`[{"run":"runs/bad","process":"","step":0,"steps":0,"complete":false,"problem":"runs/bad/config.yaml:1:8: did not find expected node content while parsing a flow node","diverged":false,"tokens":0,"settings":{},"results":{}}]`, "", 0,
		},
	} {
		status, stdout, stderr := call(t, strings.Fields(test.args)...)
		if status != test.status || strings.TrimSpace(stdout) != test.stdout || strings.TrimSpace(stderr) != test.stderr {
			t.Errorf("%s: status %d\n%s\n%s", test.args, status, stdout, stderr)
		}
	}
}

// A run of another engine goes on only with the flag that the error names.
func TestAllowOtherEngine(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	engine := &run.EngineError{Dir: "a b", Step: 3, Have: train.BitsVersion + 1}
	if text := withAdvice(engine).Error(); !strings.HasSuffix(text, "or accept a run of both engines with `foretell train --resume 'a b' --allow-other-engine`") {
		t.Error(text)
	}
	mustCall(t, "train", "--resume", "run", "--allow-other-engine")
	status, _, stderr := call(t, "train", "c.yaml", "--out", "other", "--allow-other-engine")
	if status != exitUsage || !strings.Contains(stderr, "--allow-other-engine belongs to --resume") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
