package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/bench"
	"foretell/process"
)

func TestCheck(t *testing.T) {
	good := peer{python: []string{"python3"}, modes: []string{"eager"}, rounds: 1, workers: 2, seconds: 1}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(p *peer){
		"-python names no command":                                func(p *peer) { p.python = nil },
		"-rounds 0; give at least 1":                              func(p *peer) { p.rounds = 0 },
		"-workers 1; give at least 2, to compare with one worker": func(p *peer) { p.workers = 1 },
		"-seconds 0; give more than 0":                            func(p *peer) { p.seconds = 0 },
	} {
		p := good
		change(&p)
		if err := p.check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSpreadPassesOverFailedRounds(t *testing.T) {
	if low, high := spread([]float64{6, 8, 9}, []float64{2, 0, 4}); low != 2.25 || high != 3 {
		t.Errorf("%v to %v, want 2.25 to 3", low, high)
	}
}

// A peer that does not run is an error, not an infinite ratio.
func TestNoPeerNoRatio(t *testing.T) {
	m, _ := bench.Named("mess3")
	m.Config.Train.BatchSize = 1
	p := peer{python: []string{"false"}, modes: []string{"eager"}, rounds: 1, workers: 2, seconds: 1e-9}
	if err := p.row(io.Discard, m); err == nil || !strings.HasPrefix(err.Error(), "mess3: PyTorch failed in all modes") {
		t.Errorf("got %v", err)
	}
}

// What PyTorch reads is what foretell drew: tokens of the process, and after each the
// optimal prediction of the next.
func TestDraw(t *testing.T) {
	p, err := process.Build("golden_mean", nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := draw(folder, "tokens", "targets", p.(process.Process), 1, 5, 4, 3); err != nil {
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
	s := newSolver(peer{python: []string{"false"}, modes: []string{"eager"}, rounds: 1, workers: 2, seconds: 1},
		[]string{"sampled"}, 125, 1)
	s.options.Rates = s.options.Rates[:1]
	if err := s.compare([]string{"coin"}); err == nil || !strings.HasSuffix(err.Error(), "found no setting of at most 125 steps") {
		t.Error(err)
	}
	s.options.Share, s.options.Rates = 0.5, []float64{0.008}
	if err := s.compare([]string{"coin"}); err == nil || err.Error() != "coin, sampled: PyTorch: exit status 1" {
		t.Error(err)
	}
}
