package main

import (
	"io"
	"strings"
	"testing"

	"foretell/bench"
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
