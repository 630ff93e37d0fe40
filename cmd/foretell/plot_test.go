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
		"plot.svg": "</svg>", "out.html": "foretell plot runs/first 'runs/a b' --along share --out out.html", "out.csv": "run,label,process,step",
		"out.json": `"same_floor": true`,
	} {
		if file != "plot.svg" {
			mustCallQuiet(t, "plot", "runs/first", "runs/a b", "--along", "share", "--out", file)
		}
		text, err := os.ReadFile(file)
		text = []byte(strings.ReplaceAll(string(text), "&#39;", "'"))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v", file, want, err)
		}
	}
}

// What is seen of a run goes to the file of --out, as its ending says, with a summary on
// stdout; weights written by hand have a page, too.
func TestProbeOut(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	status, stdout, stderr := call(t, "probe", "run", "--length", "3", "--out", "page.html")
	if status != exitDone || stderr != "wrote page.html\n" || !strings.Contains(stdout, "after attention (resid_mid)") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	mustCallQuiet(t, "probe", "run", "--length", "3", "--target", "next", "--out", "fig.svg")
	mustCallQuiet(t, "probe", "run", "--length", "3", "--out", "words.csv")
	mustCallQuiet(t, "probe", "craft:coin", "--param", "n_ctx=5", "--out", "coin.html")
	for file, want := range map[string]string{
		"page.html": "foretell probe run --length 3 --out page.html", "fig.svg": "optimal next tokens",
		"words.csv": "word,probability,optimal 0", "coin.html": "optimal Pr(",
	} {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v", file, want, err)
		}
	}
}
