package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
)

// A file that the command line names is written where it leads to, and nothing there is
// made into something else.
func TestOutputs(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	mustCall(t, "walk", "run", "--tokens", "0", "--out", "want.html")
	want, err := os.ReadFile("want.html")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "private.html", "old")
	if err := errors.Join(os.Chmod("private.html", 0o600), os.Symlink("private.html", "link.html"), os.Symlink("new.html", "dangling.html")); err != nil {
		needs.Machine(t, "a link", err)
	}
	for path, file := range map[string]string{"link.html": "private.html", "dangling.html": "new.html", "run/walk.html": "run/walk.html"} {
		mustCall(t, "walk", "run", "--tokens", "0", "--out", path)
		got, err := os.ReadFile(file) // which names the command that made it, and so its path
		if err != nil || madeBy.ReplaceAllString(string(got), "") != madeBy.ReplaceAllString(string(want), "") {
			t.Errorf("%s is not the walk: %v", file, err)
		}
	}
	if info, err := os.Stat("private.html"); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat("link.html"); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		mustCall(t, "walk", "run", "--tokens", "0", "--out", os.DevNull)
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
		}
	}
}

// What belongs to a run is no output, and that is said before anything is computed.
func TestOutputsOwned(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	if err := os.Symlink(filepath.Join("run", "config.yaml"), "link.svg"); err != nil {
		needs.Machine(t, "a link", err)
	}
	before := files(t, ".")
	for _, path := range []string{
		"run/config.yaml", "run/metrics.jsonl", "run/checkpoints/step-40/model.safetensors", "link.svg", "run/../run/env.json",
	} {
		const args = "walk run --tokens 0 --format html"
		status, stdout, stderr := call(t, append(strings.Fields(args), "--out", path)...)
		wantError := "foretell: --out: " + path + " belongs to the run or report in its folder; give another name\n"
		if status != exitUsage || stdout != "" || stderr != wantError {
			t.Errorf("%s --out %s: status %d, %q", args, path, status, stderr)
		}
	}
	for path, contents := range files(t, ".") {
		if before[path] != contents {
			t.Errorf("%s was written", path)
		}
	}
	if status, _, stderr := call(t, "bench", "curve", "--out", "no/x.svg"); status != exitFailed || stderr != "foretell: --out: no/x.svg: no such file or directory\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// A run goes into no folder that holds something else, and no name leads out of runs/.
func TestTrainTouchesNobodysFiles(t *testing.T) {
	inFolder(t)
	if err := os.MkdirAll("other/data", 0o755); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := call(t, "train", "c.yaml", "--out", "other")
	if status != exitFailed || stderr != "foretell: other holds data, which does not belong to a run; give another folder with --out\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
	write(t, "away.yaml", trainingOf(strings.Replace(lazy, "name: mine", "name: ../../../x", 1)))
	mustCall(t, "train", "away.yaml")
	runs, err := filepath.Glob("runs/x-*/config.yaml")
	if err != nil || len(runs) != 1 {
		t.Errorf("runs are %q, %v", runs, err)
	}
}

// A command of some rows adds them to the report that is there; another document and
// another profile ask for another folder.
func TestReproduceAddsRows(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "reproduce", "coin", "--only", "C2", "--out", "r")
	status, stdout, stderr := call(t, "reproduce", "coin", "--only", "C1", "--out", "r", "--json")
	if status != exitDone || !strings.Contains(stderr, "note: r/report.html keeps the rows of earlier commands: C2\n") {
		t.Errorf("status %d, %q", status, stderr)
	}
	var printed, kept struct {
		Claims []struct {
			ID     string
			Before *struct{ Command string }
		}
	}
	decode(t, stdout, &printed)
	ledger, err := os.ReadFile("r/claims.json")
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(ledger), &kept)
	if len(printed.Claims) != 1 || printed.Claims[0].ID != "C1" || printed.Claims[0].Before != nil {
		t.Errorf("printed %+v", printed)
	}
	if c := kept.Claims; len(c) != 2 || c[0].ID != "C1" || c[0].Before != nil || c[1].Before.Command != "foretell reproduce coin --only C2 --out r" {
		t.Errorf("the ledger has %+v", kept)
	}
	before := files(t, "r")
	for args, want := range map[string]string{
		"reproduce abc --only A2 --out r":                 `--out: r holds another report: its title is "Bayesian coin flips in a transformer", not "A tiny`,
		"reproduce coin --only C1 --profile full --out r": `--out: r holds another report: its profile is "quick`,
	} {
		status, _, stderr := call(t, strings.Fields(args)...)
		if status != exitUsage || !strings.HasPrefix(stderr, "foretell: "+want) || !strings.HasSuffix(stderr, "; give another folder for the report\n") {
			t.Errorf("%s: status %d, %q", args, status, stderr)
		}
	}
	for path, contents := range files(t, "r") {
		if before[path] != contents {
			t.Errorf("%s was written", path)
		}
	}
}

// With --ensure a command can be given again: it begins a run, continues it, and keeps a
// finished one. A process in a file is the same run as its text. A folder of another
// configuration is refused.
func TestTrainEnsure(t *testing.T) {
	inFolder(t)
	write(t, "byfile.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "./m.yaml", 1))
	write(t, "m.yaml", "name: mess3\nparams: {x: 0.15, a: 0.6}\n")
	first := mustCall(t, "train", "c.yaml", "--ensure", "--out", "run")
	weights, err := os.ReadFile("run/summary.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range []string{"c.yaml", "byfile.yaml"} {
		if got := mustCall(t, "train", config, "--ensure", "--out", "run"); got != first {
			t.Errorf("%s again prints\n%s\nand at first\n%s", config, got, first)
		}
	}
	if again, _ := os.ReadFile("run/summary.json"); !bytes.Equal(weights, again) {
		t.Error("summary.json has changed")
	}
	if status, _, stderr := call(t, "train", "c.yaml", "--ensure", "--out", "run", "--set", "train.seed=99"); status != exitFailed ||
		!strings.Contains(stderr, "run holds a run of another configuration") {
		t.Errorf("another configuration: %d, %s", status, stderr)
	}
}
