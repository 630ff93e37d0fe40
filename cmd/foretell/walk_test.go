package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"foretell/walk"
)

// madeBy is what a page says of the command that made it.
var madeBy = regexp.MustCompile(` Made by <code>foretell walk [^<]*</code>`)

// TestWalkNames holds that a walk has the names of the process's tokens beside their
// numbers, in each format, and takes tokens by their names.
func TestWalkNames(t *testing.T) {
	inFolder(t)
	coin := []string{"walk", "craft:coin", "--param", "n_ctx=4", "--param", "error=0.001", "--tokens"}
	for _, f := range walk.Formats {
		text := mustCall(t, append(coin, "BOS,heads,heads,tails", "--format", f.Name)...)
		if madeBy.ReplaceAllString(text, "") !=
			madeBy.ReplaceAllString(mustCall(t, append(coin, "2,1,1,0", "--format", f.Name)...), "") {
			t.Errorf("%s: by name and by number it is not the same", f.Name)
		}
		for _, want := range []string{"2, 1, 1, 0 (BOS, heads, heads, tails)", "token 1 (heads) with probability 0.6"} {
			if words := strings.Join(strings.Fields(text), " "); !strings.Contains(words, want) {
				t.Errorf("%s lacks %q", f.Name, want)
			}
		}
		if strings.Contains(text, "norm") && strings.Contains(text, "×") {
			t.Errorf("%s: a matrix of so small a model is not shown in full", f.Name)
		}
	}
	mustCall(t, "train", "c.yaml", "--out", "run")
	if text := mustCall(t, "walk", "run", "--tokens", "0,1"); !strings.Contains(text, "over the tokens 0, 1\n") {
		t.Errorf("names that are numbers are repeated:\n%.200s", text)
	}
}

// TestWalkFormats holds that --out and stdout hold the same, in the format that is
// named or that the file's ending says, also for a model without a process.
func TestWalkFormats(t *testing.T) {
	inFolder(t)
	if err := walk.ABC().Save("abc"); err != nil {
		t.Fatal(err)
	}
	for _, f := range walk.Formats {
		args := []string{"walk", "abc", "--tokens", "0,1,2"}
		text := mustCall(t, append(args, "--format", f.Name)...)
		for _, out := range [][]string{{"--format", f.Name, "--out", "named"}, {"--out", "walk" + f.Extension}} {
			if stdout := mustCall(t, append(args, out...)...); stdout != "" {
				t.Errorf("%v: stdout %q", out, stdout)
			}
			file, err := os.ReadFile(out[len(out)-1])
			if err != nil {
				t.Fatal(err)
			}
			if madeBy.ReplaceAllString(string(file), "") != madeBy.ReplaceAllString(text, "") {
				t.Errorf("%v: the file is not what stdout shows", out)
			}
		}
		if !strings.Contains(text, "2.3885") {
			t.Errorf("%s lacks a coordinate of C_2", f.Name)
		}
	}
}
