package sweep_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/model"
	"foretell/run"
	"foretell/sweep"
	"foretell/train"
)

// named returns runs like a document's: with names, snapshots, and numbers that Go code
// measures. Two of them have the same configuration.
func named(t *testing.T) []sweep.Named {
	t.Helper()
	c, err := train.Parse("base", []byte(base))
	if err != nil {
		t.Fatal(err)
	}
	other := c
	other.Train.Seed = 2
	first := run.Watch{"first": func(m *model.Transformer[float32]) (float64, error) {
		return float64(m.Weights.Get("embed.W_E").Data[0]), nil
	}}
	return []sweep.Named{
		{Name: "seed 1", Config: c, Snapshots: []int{5}},
		{Name: "seed 2.0", Config: other, Watch: first},
		{Name: "seed 2", Config: other},
	}
}

// list returns the study of the runs in a folder.
func list(t *testing.T, dir string, runs []sweep.Named) *sweep.Study {
	t.Helper()
	m, err := sweep.List("a test", runs)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sweep.Begin(dir, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The runs of a list are the runs that Ensure trains: the same bits, the same watched
// numbers, the same snapshots. So are runs that another command had begun in runs, and
// runs whose training was interrupted again and again.
func TestListIsEnsure(t *testing.T) {
	runs, alone, dir := named(t), t.TempDir(), t.TempDir()
	options := func(n sweep.Named) run.Options { return run.Options{Snapshots: n.Snapshots, Watch: n.Watch} }
	for _, n := range runs {
		if _, err := run.Ensure(t.Context(), filepath.Join(alone, n.Name), n.Config, options(n)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun := options(runs[1])
	begun.OnStep = func(step int, _ float64) {
		if step == 7 {
			cancel()
		}
	}
	_, err := run.Ensure(ctx, filepath.Join(dir, "runs", runs[1].Name), runs[1].Config, begun)
	if !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	s := list(t, dir, runs)
	states, err := s.States()
	if err != nil || states[1].State != sweep.Begun || states[1].Step != 7 || states[1].Name != "seed 2.0" {
		t.Fatalf("the begun run is %+v, %v", states[1], err)
	}
	for at := 0; ; {
		ctx, cancel := context.WithCancel(t.Context())
		states, err = list(t, dir, runs).Train(ctx, sweep.Options{Workers: 1, Advance: func(done, _ int) {
			if at++; done > 0 && at%9 == 0 {
				cancel()
			}
		}})
		if cancel(); !errors.Is(err, run.ErrInterrupted) {
			break
		}
	}
	if c := sweep.Count(states); err != nil || c.Complete != 3 {
		t.Fatalf("%v, %v", c, err)
	}
	for i, planned := range s.Runs {
		there := filepath.Join(alone, runs[i].Name)
		want, _ := run.Fingerprint(there)
		if got, err := run.Fingerprint(s.Run(planned)); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", runs[i].Name, got, err, want)
		}
		got, _ := run.Metrics(s.Run(planned))
		if want, err := run.Metrics(there); !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", runs[i].Name, got, err, want)
		}
	}
	if _, err := run.Snapshot(s.Run(s.Runs[0]), 5); err != nil {
		t.Error(err)
	}
	if rows, _ := run.Metrics(s.Run(s.Runs[1])); len(rows) == 0 || rows[0].Watch["first"] == 0 {
		t.Errorf("nothing was watched: %+v", rows)
	}
}

// A run in runs that has not ended is not complete, though its folder is there.
func TestBegunIsNotComplete(t *testing.T) {
	runs, dir := named(t), t.TempDir()
	s := list(t, dir, runs)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := run.Ensure(ctx, s.Run(s.Runs[0]), runs[0].Config, run.Options{
		Snapshots: runs[0].Snapshots, OnStep: func(int, float64) { cancel() },
	})
	if !errors.Is(err, run.ErrInterrupted) {
		t.Fatal(err)
	}
	states, err := s.States()
	if err != nil || states[0].State == sweep.Complete {
		t.Errorf("%+v, %v", states[0], err)
	}
}

func TestListErrors(t *testing.T) {
	runs := named(t)
	dir := t.TempDir()
	list(t, dir, runs)
	begin := func(title string, change func(list []sweep.Named)) error {
		changed := named(t)
		change(changed)
		m, err := sweep.List(title, changed)
		if err == nil {
			_, err = sweep.Begin(dir, m, nil)
		}
		return err
	}
	settings, err := study(t, "", 2)
	if err != nil {
		t.Fatal(err)
	}
	_, ofSettings := sweep.Begin(dir, settings, []byte(base))
	opened, err := sweep.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, withoutCode := opened.Train(t.Context(), sweep.Options{})
	later := *opened.Manifest
	later.Engine++
	_, otherEngine := (&sweep.Study{Manifest: &later, Dir: dir}).Train(t.Context(), sweep.Options{})
	_, otherEngineHere := sweep.Begin(dir, &later, nil)
	taken := t.TempDir()
	if _, err := run.Ensure(t.Context(), filepath.Join(taken, "runs", "seed 1"), runs[1].Config, run.Options{}); err != nil {
		t.Fatal(err)
	}
	m, err := sweep.List("a test", runs)
	if err != nil {
		t.Fatal(err)
	}
	_, otherConfig := sweep.Begin(taken, m, nil)
	for _, c := range []struct {
		want string
		err  error
	}{
		{"holds another study: it trains a test, not another; give another folder", begin("another", func([]sweep.Named) {})},
		{"holds another study: it trains a test, not a study file", ofSettings},
		{"its run seed 2.0 has other settings in this program", begin("a test", func(l []sweep.Named) { l[1].Watch = nil })},
		{"its run seed 1 has other settings in this program", begin("a test", func(l []sweep.Named) { l[0].Snapshots = nil })},
		{"seed 2: model.d_model", begin("a test", func(l []sweep.Named) { l[2].Config.Model.DModel = -1 })},
		{"the run seed 2.0 logs first, which only the command that made the study can measure", withoutCode},
		{"have the bits of engine 2, and this program has engine 1", otherEngine},
		{"its runs have the bits of engine 1, and this program has engine 2", otherEngineHere},
		{"holds a run of another configuration", otherConfig},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}
