package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/needs"
)

// What looks at a model or measures the engine writes it to --out, too, in the form of
// its ending, says so on stderr, and in JSON writes what --json prints.
func TestOut(t *testing.T) {
	gpt2, err := filepath.Abs("../../model/testdata/gpt2-tied")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	for _, c := range []struct {
		args    string
		endings string
		prints  bool // the text on stdout, too
		clocks  bool // so that it is never the same twice
	}{
		{"predict run --tokens 0,1", ".svg .html .csv .json", true, false},
		{"predict GPT2 --tokens 1,2,3", ".svg .csv", true, false},
		{"predict craft:induction --param n_ctx=8 --tokens 0,1,2,0", ".svg .html", true, false},
		{"craft show craft:induction --param n_ctx=8", ".svg .html .csv .json", false, false},
		{"generate run --tokens 0,1 -n 2", ".csv .json", false, false},
		{"bench train --seconds 0.01", ".svg .csv .json", true, true},
		{"bench train mess3 minigpt --seconds 0.001", ".csv .json", true, true},
		{"bench kernel --seconds 0.0001", ".svg .csv .json", true, true},
		{"bench solve coin --way sampled --share 0.5 --seeds 1", ".svg .csv .json", true, true},
		{"bench sample mess3 --seconds 0.001", ".csv .json", true, true},
		{"bench prefixes --seconds 0.001", ".csv .json", true, true},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "GPT2", gpt2))
		for _, ending := range strings.Fields(c.endings) {
			path := "new" + ending
			status, stdout, stderr := call(t, append(args, "--out", path)...)
			if status != exitDone || (stdout != "") != c.prints || !strings.HasSuffix(stderr, "wrote "+path+"\n") {
				t.Errorf("%s %s: status %d, %q, %q", c.args, ending, status, stdout, stderr)
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if ending == ".json" && !c.clocks {
				sameValue(t, c.args, string(text), mustCall(t, append(args, "--json")...))
			}
			checkForm(t, c.args, path, string(text))
		}
	}
}

// A figure is written as PNG or PDF where Chromium is, and without it the error, before
// anything is computed, says what to install.
func TestOutPicture(t *testing.T) {
	inFolder(t)
	args := []string{"process", "show", "coin", "--out"}
	path := os.Getenv("PATH")
	t.Setenv("PATH", "")
	const missing = "foretell: --out: coin.png: to write .png or .pdf install Chromium (Debian: apt install chromium), or write .svg\n"
	if status, _, stderr := call(t, append(args, "coin.png")...); status != exitFailed || stderr != missing {
		t.Errorf("status %d, %q", status, stderr)
	}
	t.Setenv("PATH", path)
	needs.Program(t, "chromium", "chromium")
	for file, start := range map[string]string{"coin.png": "\x89PNG", "coin.pdf": "%PDF-"} {
		mustCall(t, append(args, file)...)
		if data, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(data), start) {
			t.Errorf("%s: %.20q, %v", file, data, err)
		}
	}
}

// sameValue compares two texts of JSON.
func sameValue(t *testing.T, args, got, want string) {
	t.Helper()
	var values [2]any
	decode(t, got, &values[0])
	decode(t, want, &values[1])
	a, _ := json.Marshal(values[0])
	b, _ := json.Marshal(values[1])
	if string(a) != string(b) {
		t.Errorf("%s: the file has %s, --json prints %s", args, a, b)
	}
}

// A continuation as a text is read back as a prompt, and has a row for each token.
func TestGenerateOut(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	printed := mustCall(t, "generate", "run", "--tokens", "0,1", "-n", "2")
	mustCall(t, "generate", "run", "--tokens", "0,1", "-n", "2", "--out", "next.txt")
	mustCall(t, "generate", "run", "--tokens", "0,1", "-n", "2", "--out", "next.jsonl")
	if text, err := os.ReadFile("next.txt"); err != nil || string(text) != printed {
		t.Errorf("%q, %v; printed %q", text, err, printed)
	}
	mustCall(t, "predict", "run", "--tokens", "@next.txt")
	lines, err := os.ReadFile("next.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(lines)), "\n")
	if len(rows) != 4 || !strings.HasPrefix(rows[1], `{"position":1,"token":1,"name":"1","prompt":true,"model":null`) {
		t.Errorf("%q", rows)
	}
	for i, row := range rows {
		var got struct {
			Position       int
			Model, Optimal *float64
		}
		decode(t, row, &got)
		if got.Position != i || (got.Model == nil) != (i < 2) || (got.Optimal == nil) != (i < 2) {
			t.Errorf("row %d: %s", i, row)
		}
	}
}

// The curve's --out is checked before anything is timed.
func TestCurveOut(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"bench curve --out a.gif", "--out: a.gif: the ending sets the format; give one of .svg, .csv, .json, .png, .pdf"},
		{"bench curve --json --out a.svg", "--json prints on stdout; leave out --out, or --json for a file"},
	} {
		if status, _, stderr := call(t, strings.Fields(c.args)...); status != exitUsage || stderr != "foretell: "+c.want+"\n" {
			t.Errorf("%s: status %d, %q", c.args, status, stderr)
		}
	}
}
