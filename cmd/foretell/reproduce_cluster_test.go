package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
	"foretell/run"
	"foretell/sweep"
)

// slurm puts commands into PATH that accept every task and have an empty queue.
func slurm(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	for name, script := range map[string]string{
		"sbatch": "echo 1", "squeue": "", "scontrol": "echo MaxArraySize = 1001", "scancel": "",
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The tasks of the script train the models of a document, each its share, and the same
// command tests the rows whose models are there. The runs are the same as after a
// reproduction without a cluster.
func TestReproduceInTasks(t *testing.T) {
	needs.Time(t, "trains the models of a document twice")
	slurm(t)
	t.Chdir(t.TempDir())
	mustCall(t, "reproduce", "abc", "--out", "alone")
	there := []string{"reproduce", "abc", "--out", "there", "--engine", "slurm", "--per-task", "40"}
	first := mustCall(t, there...)
	for _, want := range []string{"A2  holds ", "A3  corrected", "A1 waits for 100 runs\nA4 waits for 1 run\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("at first:\n%s\nwant %q", first, want)
		}
	}
	for i, want := range []string{"A1 waits for 60 runs\n", "A1 waits for 20 runs\n", "of 4\nreport: there/report.html\n"} {
		mustCall(t, "reproduce", "task", "abc", "--out", "there", "--task", string(rune('0'+i)), "--per-task", "40",
			"--attempt", "7_"+string(rune('0'+i))+".0")
		if said := mustCall(t, there...); !strings.Contains(said, want) {
			t.Errorf("after task %d:\n%s\nwant %q", i, said, want)
		}
	}
	runs, err := os.ReadDir("alone/runs")
	if err != nil || len(runs) != 101 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	for _, folder := range runs {
		want, _ := run.Fingerprint(filepath.Join("alone/runs", folder.Name()))
		if got, err := run.Fingerprint(filepath.Join("there/runs", folder.Name())); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", folder.Name(), got, err, want)
		}
	}
	if status, _, stderr := call(t, "reproduce", "coin", "--out", "there", "--engine", "slurm"); status != exitUsage ||
		!strings.HasPrefix(stderr, `foretell: --out: there holds another report: its title is "A tiny`) {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Before the first row is tested, the manifest alone says which models a folder is for,
// and a machine without Slurm makes no folder.
func TestReproduceElsewhere(t *testing.T) {
	slurm(t)
	t.Chdir(t.TempDir())
	m, err := sweep.List("the models of abc, quick profile", []sweep.Named{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Begin("begun", m, nil); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"reproduce abc --out begun --engine slurm --profile full": "begun holds another study: it trains the models of abc, " +
			"quick profile, not the models of abc, full profile; give another folder",
		"reproduce abc --out begun --engine slurm":                   "begun holds another study: it has 0 runs, not 101; give another folder",
		"reproduce task abc --out begun --task 0 --attempt 1_0.0":    "begun holds another study: it has 0 runs, not 101",
		"reproduce task coin abc --out begun --task 0 --attempt 1_0": "begun holds another study: it trains the models of abc, quick profile, not the models of coin abc, quick profile",
	} {
		status, stdout, stderr := call(t, strings.Fields(args)...)
		if status == 0 || stdout != "" || stderr != "foretell: "+want+"\n" {
			t.Errorf("%s: status %d, %s%s", args, status, stdout, stderr)
		}
	}
	t.Setenv("PATH", "")
	want := "foretell: this machine has no sbatch; give the command on a machine where Slurm jobs are submitted\n"
	if _, _, stderr := call(t, "reproduce", "abc", "--out", "new", "--engine", "slurm"); stderr != want {
		t.Errorf("%s", stderr)
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("the folder was made")
	}
}
