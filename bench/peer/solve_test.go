package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"foretell/process"
)

// What PyTorch reads is what foretell drew: tokens of the process, and after each the
// optimal prediction of the next.
func TestDraw(t *testing.T) {
	p, err := process.Build("golden_mean", nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := draw(folder, "tokens", "targets", p, 1, 5, 4, 3); err != nil {
		t.Fatal(err)
	}
	tokens, err := os.ReadFile(filepath.Join(folder, "tokens"))
	if err != nil || len(tokens) != 5*4 {
		t.Fatalf("%v, %v", tokens, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "targets"))
	if err != nil || len(text) != 5*3*2*4 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	targets := make([]float32, 5*3*2)
	if err := binary.Read(bytes.NewReader(text), binary.LittleEndian, targets); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		for at := range 3 {
			row := targets[(3*i+at)*2:][:2]
			after, next := tokens[4*i+at], tokens[4*i+at+1]
			if row[next] == 0 || after == 1 && row[0] != 1 || math.Abs(float64(row[0]+row[1])-1) > 1e-6 {
				t.Errorf("%v after token %d, before %d", row, after, next)
			}
		}
	}
}

func TestSolverNeedsASolution(t *testing.T) {
	s, err := newSolver(sources{python: "false", modes: "eager"}, []string{"sampled"}, 125, 1, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.options.Rates = s.options.Rates[:1]
	const want = "coin, sampled: foretell found no setting of at most 125 steps"
	if err := s.compare([]string{"coin"}); err == nil || err.Error() != want {
		t.Error(err)
	}
	s.options.Share, s.options.Rates = 0.5, []float64{0.008}
	if err := s.compare([]string{"coin"}); err == nil || err.Error() != "coin, sampled: PyTorch: exit status 1" {
		t.Error(err)
	}
}
