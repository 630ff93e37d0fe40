package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/needs"
)

// The lines of NumPy in docs/python.md compute probe's R² from the arrays of cache.
func TestCachedActivationsGiveProbesR2(t *testing.T) {
	interpreter := needs.Python(t, "numpy")
	text, err := os.ReadFile("../../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```python\n")
	lines, _, _ := strings.Cut(rest, "```")
	t.Chdir(t.TempDir())
	write(t, "c.yaml", config)
	mustCall(t, "train", "c.yaml", "--out", "runs/first")
	mustCall(t, "cache", "runs/first", "--hook", "resid_post,pattern", "--words", "all", "--out", "acts.npz")
	var found struct {
		Stages []struct {
			Stage string
			R2    float64
		}
	}
	report := mustCall(t, "probe", "runs/first", "--convention", "in-sample,plain", "--json")
	if err := json.Unmarshal([]byte(report), &found); err != nil {
		t.Fatal(err)
	}
	check := "\nassert numpy.allclose(acts['predictions'].sum(1), 1, atol=1e-6) and numpy.isclose(acts['probabilities'][acts['lengths'] == 1].sum(), 1)" +
		"\npattern = acts['blocks.0.attn.hook_pattern']; assert numpy.allclose(pattern.sum(-1), 1, atol=1e-6)" +
		"\nassert not pattern[acts['words'][:, None, :].repeat(pattern.shape[1], 1) < 0].any()"
	out, err := exec.Command(interpreter, "-c", lines+check).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r2, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	for _, s := range found.Stages {
		if s.Stage == "blocks.0.hook_resid_post" {
			if err != nil || math.Abs(r2-s.R2) > 1e-6 {
				t.Errorf("NumPy's R² is %v, %v; probe's is %v", r2, err, s.R2)
			}
			return
		}
	}
	t.Errorf("probe has no stage after the first layer: %s", report)
}

// Words from a file are the file's sequences and their beginnings, and a file whose
// sequences differ in length is refused by its line.
func TestCacheWordsOfAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "c.yaml", config)
	mustCall(t, "train", "c.yaml", "--out", "run")
	write(t, "words.txt", "0,1,2\n\n0 1 1\n")
	out := mustCall(t, "cache", "run", "--words", "words.txt", "--out", "a.npz", "--json")
	var found struct{ Words, Length, Sequences int }
	if err := json.Unmarshal([]byte(out), &found); err != nil || found.Words != 4 || found.Length != 3 || found.Sequences != 2 {
		t.Errorf("%s, %v", out, err)
	}
	write(t, "words.txt", "0,1,2\n\n0,1\n")
	status, _, stderr := call(t, "cache", "run", "--words", "words.txt", "--out", "a.npz")
	const want = "--words: words.txt: line 3 has 2 tokens, and line 1 has 3; give sequences of the same length"
	if status == 0 || !strings.Contains(stderr, want) {
		t.Errorf("%d %s", status, stderr)
	}
}

// An exported file keeps the process of its run, and an imported model can be probed.
func TestExportAndImport(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "c.yaml", config)
	mustCall(t, "train", "c.yaml", "--out", "run")
	mustCall(t, "export", "run", "--format", "safetensors", "--out", "copy.safetensors")
	mustCall(t, "export", "run", "--format", "transformerlens", "--out", "lens")
	mustCall(t, "import", "lens", "--process", "mess3", "--param", "x=0.15", "--param", "a=0.6", "--out", "imported")
	want := mustCall(t, "predict", "run", "--tokens", "0,1,2")
	for _, m := range []string{"copy.safetensors", "imported"} {
		if got := mustCall(t, "predict", m, "--tokens", "0,1,2"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", m, got, want)
		}
	}
	mustCall(t, "probe", "imported")
}
