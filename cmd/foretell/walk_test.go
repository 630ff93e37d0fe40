package main

import (
	"os"
	"strings"
	"testing"

	"foretell/walk"
)

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
			if string(file) != text {
				t.Errorf("%v: the file is not what stdout shows", out)
			}
		}
		if !strings.Contains(text, "2.3885") {
			t.Errorf("%s lacks a coordinate of C_2", f.Name)
		}
	}
}
