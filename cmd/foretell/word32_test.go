package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"foretell/internal/needs"
)

// Pointers and ints of 32 bits train to the same bits: the program is built for 386, runs
// on this machine's processor, and ends in the files that this one ends in.
func TestTrainsOn32Bits(t *testing.T) {
	needs.Time(t, "builds the program for another architecture")
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		needs.Machine(t, "to run 386", errors.ErrUnsupported)
	}
	program := filepath.Join(t.TempDir(), "foretell")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	needs.Machine(t, "to run 386", exec.Command(program, "--version").Run())
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "wide")
	want := mustCall(t, "predict", "wide", "--tokens", "0,1,2")
	if text, err := exec.Command(program, "train", "c.yaml", "--out", "narrow").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, file := range []string{"metrics.jsonl", "checkpoints/step-40/model.safetensors", "checkpoints/step-40/optimizer.safetensors"} {
		a, err := os.ReadFile(filepath.Join("wide", file))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join("narrow", file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", file)
		}
	}
	if got, err := exec.Command(program, "predict", "narrow", "--tokens", "0,1,2").Output(); err != nil || string(got) != want {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}
