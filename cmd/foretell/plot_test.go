package main

import (
	"os"
	"strings"
	"testing"
)

// A run is drawn into plot.svg, several into what the ending of --out says; a page says
// by which command it was made.
func TestPlot(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "runs/first")
	mustCall(t, "train", "c.yaml", "--out", "runs/a b", "--set", "train.seed=2")
	status, stdout, stderr := call(t, "plot", "runs/first")
	if status != exitDone || stderr != "wrote plot.svg\n" || !strings.HasPrefix(stdout, "run ") || !strings.Contains(stdout, "runs/first") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	for file, want := range map[string]string{
		"plot.svg": "</svg>", "out.html": "foretell plot runs/first 'runs/a b' --out out.html", "out.csv": "run,label,process,step",
		"out.json": `"same_floor": true`,
	} {
		if file != "plot.svg" {
			mustCallQuiet(t, "plot", "runs/first", "runs/a b", "--out", file)
		}
		text, err := os.ReadFile(file)
		text = []byte(strings.ReplaceAll(string(text), "&#39;", "'"))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v", file, want, err)
		}
	}
}
