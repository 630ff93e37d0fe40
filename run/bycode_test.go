package run

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/process"
	"foretell/train"
)

// renamedProcess is a process of Go code's own type.
type renamedProcess struct{ process.Process }

func (renamedProcess) Name() string { return "mine" }

func lazy(t *testing.T) *process.HMM {
	t.Helper()
	h, err := process.New("lazy", []string{"h", "t"}, []string{"A", "B"},
		[][][]float64{{{0.9, 0}, {0, 0.3}}, {{0, 0.1}, {0.7, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// codeConfig is the small configuration without its process.
func codeConfig() train.Config {
	c := smallConfig()
	c.Process = process.Spec{}
	return c
}

// A hidden Markov model that Go code has made stands in config.yaml: its run opens, is
// resumed and checked as any other.
func TestRunOnAnHMM(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	trained, err := Ensure(t.Context(), dir, codeConfig(), Options{Workers: 1, ByCode: lazy(t)})
	if err != nil {
		t.Fatal(err)
	}
	mustExtend(t, dir, "train.num_steps=50")
	again := mustOpen(t, dir)
	if again.Process == nil || again.Process.Name() != "lazy" || !slices.Equal(again.Process.Tokens(), []string{"h", "t"}) {
		t.Errorf("%+v", again.Process)
	}
	if again.Model.Checksum() == trained.Model.Checksum() {
		t.Error("nothing was learned")
	}
	if r := Check(dir); len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
}

// Of another process config.yaml has the name: the program that makes it goes on to the
// same bits, and without it one line says so, while the model opens and is checked.
func TestRunOnAProcessByCode(t *testing.T) {
	mess3, err := process.Build("mess3", nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := renamedProcess{mess3}
	alone, dir := filepath.Join(t.TempDir(), "alone"), filepath.Join(t.TempDir(), "run")
	if _, err := Ensure(t.Context(), alone, codeConfig(), Options{Workers: 1, ByCode: mine}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Workers: 1, ByCode: mine, OnStep: func(step int, _ float64) {
		if step == 25 {
			cancel()
		}
	}}
	if _, err := Ensure(ctx, dir, codeConfig(), o); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	const elsewhere = " learns go:mine, a process made by Go code: continue it in the program that makes the process, by run.Ensure with Options.ByCode"
	var byCode *ByCodeError
	if _, err := Resume(t.Context(), dir, Options{Workers: 1}); !errors.As(err, &byCode) || err.Error() != dir+elsewhere {
		t.Errorf("%v", err)
	}
	if _, err := Resume(t.Context(), dir, Options{Workers: 1, ByCode: lazy(t)}); err == nil || !strings.HasSuffix(err.Error(), " learns go:mine, not lazy") {
		t.Errorf("%v", err)
	}
	trained, err := Ensure(t.Context(), dir, codeConfig(), Options{Workers: 2, ByCode: mine})
	if err != nil || trained.Process.Name() != "mine" {
		t.Fatalf("%+v, %v", trained, err)
	}
	wantSame(t, contents(t, dir), contents(t, alone))
	if again, err := Ensure(t.Context(), dir, codeConfig(), Options{ByCode: mine}); err != nil || again.Process == nil {
		t.Errorf("%v", err)
	}
	opened := mustOpen(t, dir)
	if r := Check(dir); len(r.Problems) > 0 || opened.Process != nil || opened.ByCode != "go:mine" || opened.Model.Config.DVocab != 3 {
		t.Errorf("%+v, %+v", r, opened)
	}
	if rows, err := Metrics(dir); err != nil || len(rows) != 9 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A configuration that names a process and one that is given are two.
func TestProcessGivenTwice(t *testing.T) {
	_, err := Create(t.Context(), filepath.Join(t.TempDir(), "run"), smallConfig(), Options{Workers: 1, ByCode: lazy(t)})
	if err == nil || !strings.HasPrefix(err.Error(), `process is given twice: the configuration names "mess3", and the caller gives lazy`) {
		t.Errorf("%v", err)
	}
}

// Another process of the same name is none: neither a finished run nor one that was
// stopped is taken for its own.
func TestRunOnAnotherProcessOfTheSameName(t *testing.T) {
	signal := func(last float64) process.Sampler {
		samples := make([]float64, 300)
		for i := range samples {
			samples[i] = float64(i % 7)
		}
		samples[len(samples)-1] = last
		p, err := process.NewSignal("tide", samples, 4)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	finished, stopped := filepath.Join(t.TempDir(), "finished"), filepath.Join(t.TempDir(), "stopped")
	o := Options{Workers: 1, ByCode: signal(0)}
	if _, err := Ensure(t.Context(), finished, codeConfig(), o); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.OnStep = func(step int, _ float64) {
		if step == 25 {
			cancel()
		}
	}
	if _, err := Ensure(ctx, stopped, codeConfig(), o); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	for _, dir := range []string{finished, stopped} {
		if _, err := Ensure(t.Context(), dir, codeConfig(), Options{Workers: 1, ByCode: signal(6)}); err == nil ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("another signal is learned: %v", err)
		}
		if _, err := Ensure(t.Context(), dir, codeConfig(), Options{Workers: 1, ByCode: signal(0)}); err != nil {
			t.Error(err)
		}
	}
}
