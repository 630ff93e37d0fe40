package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/golden"
	"foretell/internal/limit"
)

// setMemory sets the memory that the machine has, in bytes.
func setMemory(t *testing.T, bytes float64) {
	t.Helper()
	memory := limit.Memory
	limit.Memory = func() float64 { return bytes }
	t.Cleanup(func() { limit.Memory = memory })
}

// The plan of a run as text. Nothing is written: no file and no folder.
func TestDryRun(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	setMemory(t, 16e9)
	for _, c := range []struct{ name, args string }{
		{"train-dry-run", "train c.yaml --workers 2 --out run --dry-run"},
		{"train-dry-run-auto", "train c.yaml --workers 2 --dry-run --set train.share_prefixes=auto --set train.checkpoints=log"},
		{"train-dry-run-exact", "train c.yaml --workers 2 --dry-run --set train.objective=exact --set train.batch_size=0"},
	} {
		status, stdout, stderr := call(t, strings.Fields(c.args)...)
		if status != exitDone || stderr != "" {
			t.Errorf("%s: status %d, %q", c.name, status, stderr)
		}
		golden.Compare(t, filepath.Join(testdata, c.name+".txt"), rounded(stdout))
	}
	if found, err := os.ReadDir("."); err != nil || len(found) != 1 || found[0].Name() != "c.yaml" {
		t.Errorf("the folder holds %v, %v", found, err)
	}
}

// A configuration that training refuses is refused in the same words.
func TestDryRunRefuses(t *testing.T) {
	inFolder(t)
	setMemory(t, 1e4)
	for _, args := range []string{"train c.yaml", "train c.yaml --set train.share_prefixes=on", "train c.yaml --set train.lr=-1"} {
		words := strings.Fields(args)
		status, _, want := call(t, words...)
		dry, stdout, stderr := call(t, append(words, "--dry-run")...)
		if status == exitDone || dry != status || stdout != "" || stderr != want {
			t.Errorf("%s: status %d, %q; with --dry-run %d, %q", args, status, want, dry, stderr)
		}
	}
	if _, _, stderr := call(t, "train", "c.yaml", "--dry-run"); !strings.Contains(stderr, " of memory with ") || !strings.HasSuffix(stderr, " or --workers\n") {
		t.Errorf("%q", stderr)
	}
	status, _, stderr := call(t, "train", "--resume", "run", "--dry-run")
	if status != exitUsage || !strings.Contains(stderr, "--dry-run is for a new run; leave out --resume") {
		t.Errorf("--resume: status %d, %q", status, stderr)
	}
}
