package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
)

// Each command has its page, whose lines groff takes without a word, and which are the
// same however often they are written.
func TestManual(t *testing.T) {
	t.Chdir(t.TempDir())
	listed := strings.Fields(mustCall(t, "man", "--out", "share/man1"))
	first := map[string]string{}
	for _, path := range listed {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first[path] = string(text)
	}
	for _, name := range []string{"foretell", "foretell-train", "foretell-process-show", "foretell-bench-curve", "foretell-man"} {
		if first[filepath.Join("share/man1", name+".1")] == "" {
			t.Errorf("no page %s among %q", name, listed)
		}
	}
	if again := mustCall(t, "man", "--out", "share/man1"); strings.Join(listed, "\n")+"\n" != again {
		t.Errorf("%q, then %q", listed, again)
	}
	for path, text := range first {
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s: %v, another text", path, err)
		}
	}
	write(t, "file", "")
	if status, _, stderr := call(t, "man", "--out", "file"); status != exitUsage || stderr != "foretell: --out: file is a file; give a folder\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
	groff := needs.Program(t, "groff", "groff")
	if said, err := exec.Command(groff, append([]string{"-man", "-ww", "-Tutf8", "-z"}, listed...)...).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("%v: %s", err, said)
	}
}
