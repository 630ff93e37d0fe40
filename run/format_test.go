package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/model"
	"foretell/train"
)

// oldConfig is the configuration of the runs in testdata/format1, which the program of
// before format 2 wrote: one that came to its end, and one that was interrupted at step
// 13.
func oldConfig() train.Config {
	return train.Config{
		Process: train.ProcessConfig{Name: "mess3"},
		Model:   model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, DMLP: 4, NCtx: 3},
		Train: train.Options{
			Seed: 5, BatchSize: 8, NumSteps: 20, LR: 1e-2,
			EvaluateEvery: 4, EvaluateSequences: 16, CheckpointEvery: 5,
		},
	}
}

// oldRun copies a run of format 1.
func oldRun(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "format1", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

const oldNote = "predates format 2: rows from another run, or steps of another engine, cannot be detected"

// Runs of format 1 open, with a note of what they lack.
func TestOldRunsOpen(t *testing.T) {
	dir := oldRun(t, "complete")
	trained := mustOpen(t, dir)
	if want := []string{"checkpoint step-20 " + oldNote}; trained.Step != 20 || !slices.Equal(trained.Notes, want) {
		t.Errorf("step %d, notes %q", trained.Step, trained.Notes)
	}
	rows, err := Metrics(dir)
	if err != nil || len(rows) != 6 || rows[5].Step != 20 {
		t.Errorf("rows %+v, %v", rows, err)
	}
	if m, err := Snapshot(dir, 7); err != nil || m.Config.DModel != 4 {
		t.Errorf("snapshot %v, %v", m, err)
	}
	var told notes
	before := contents(t, dir)
	trained, err = Ensure(t.Context(), dir, oldConfig(), Options{Workers: 1, Snapshots: []int{7}, OnNote: told.add})
	if err != nil || trained.Step != 20 || len(told) != 1 {
		t.Errorf("%+v, %v, notes %q", trained, err, told)
	}
	wantSame(t, contents(t, dir), before)
	r := Check(dir)
	want := []string{"checkpoint step-20 " + oldNote, "checkpoint step-15 " + oldNote, "metrics.jsonl predates format 2: its rows have no checksums"}
	if len(r.Problems) > 0 || !slices.Equal(r.Notes, want) || !r.Complete {
		t.Errorf("%+v", r)
	}
}

// A run of format 1 goes on with a note, and is bound by a chain from there. While
// BitsVersion is the one of these runs, its end is that of a run of today.
func TestOldRunsGoOn(t *testing.T) {
	dir := oldRun(t, "stopped")
	var told notes
	o := Options{Workers: 1, Snapshots: []int{7}, OnNote: told.add}
	if _, err := Ensure(t.Context(), dir, oldConfig(), o); err != nil {
		t.Fatal(err)
	}
	if want := (notes{"checkpoint step-13 " + oldNote}); !reflect.DeepEqual(told, want) {
		t.Errorf("notes %q", told)
	}
	s, err := readState(filepath.Join(dir, checkpointDir, "step-20"))
	if err != nil || s.Format != 2 || !slices.Equal(s.Engines, []int{0, train.BitsVersion}) || s.rows() != 6 || len(s.Snapshots) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if r := Check(dir); len(r.Problems) > 0 || len(r.Notes) > 0 {
		t.Errorf("%+v", r)
	}
	p, err := readProvenance(dir, s.ConfigSHA256, nil)
	if err != nil || len(p.Lives) != 2 || !strings.Contains(string(p.Lives[0]), "foretell") {
		t.Errorf("%+v, %v", p, err)
	}
	if train.BitsVersion != 1 {
		return
	}
	alone := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(alone, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(t.Context(), alone, oldConfig(), Options{Workers: 1, Snapshots: []int{7}}); err != nil {
		t.Fatal(err)
	}
	got, want := contents(t, dir), contents(t, alone)
	const last = "checkpoints/step-20/model.safetensors"
	if got[last] != want[last] || want[last] == "" {
		t.Errorf("%s is another", last)
	}
	snapshot, err := Snapshot(dir, 7)
	if same, err2 := Snapshot(alone, 7); err != nil || err2 != nil || !slices.Equal(snapshot.Weights.Data, same.Weights.Data) {
		t.Errorf("the snapshot is another: %v, %v", err, err2)
	}
	again, err := Metrics(alone)
	if rows, err2 := Metrics(dir); err != nil || err2 != nil || !reflect.DeepEqual(rows, again) {
		t.Errorf("rows %+v, %v, want %+v, %v", rows, err2, again, err)
	}
}

// Without a chain, the steps of the rows still tell of most edits.
func TestEditsOfOldRuns(t *testing.T) {
	for what, e := range map[string]edit{
		"drop":     editRows("", func(l []string) []string { return slices.Delete(l, 2, 3) }),
		"double":   editRows("", func(l []string) []string { return slices.Insert(l, 2, l[2]) }),
		"exchange": editRows("", func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }),
		"cut":      editRows("", func(l []string) []string { return l[:4] }),
		"damage":   editRows("", func(l []string) []string { l[3] = strings.Replace(l[3], "0", "1", 1); return l }),
	} {
		dir := oldRun(t, "complete")
		if err := e.do(dir); err != nil {
			t.Fatal(err)
		}
		if r := Check(dir); len(r.Problems) == 0 {
			t.Errorf("%s: Check finds nothing: %+v", what, r)
		}
		if rows, err := Metrics(dir); err == nil {
			t.Errorf("%s: rows %+v", what, rows)
		}
		var told notes
		if _, err := Ensure(t.Context(), dir, oldConfig(), Options{Workers: 1, OnNote: told.add}); err != nil || len(told) < 2 {
			t.Errorf("%s: %v, notes %q", what, err, told)
		}
	}
}

// stateAt changes a checkpoint's state.json as a program would have written it.
func stateAt(t *testing.T, dir string, step int, change func(s *state)) {
	t.Helper()
	path := filepath.Join(dir, checkpointDir, stepName(step))
	s, err := readState(path)
	if err != nil {
		t.Fatal(err)
	}
	change(&s)
	text, err := s.text()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(path, stateFile), string(text))
}

// What a newer program wrote is left alone, with one line that says so: nothing of it is
// taken for damage.
func TestNewerFormatIsRefused(t *testing.T) {
	dir := stopAt(t, 25)
	stateAt(t, dir, 25, func(s *state) { s.Format = 4 })
	before := contents(t, dir)
	want := filepath.Join(dir, checkpointDir, "step-25") + ": state.json has format 4, written by a newer program; this program reads formats up to 3"
	_, resumed := Resume(t.Context(), dir, Options{Workers: 1})
	_, opened := Open(dir)
	_, ensured := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1})
	for _, err := range []error{resumed, opened, ensured} {
		if fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	wantSame(t, contents(t, dir), before)

	dir = stopAt(t, 25)
	write(t, filepath.Join(dir, envFile), `{"format": 4, "lives": []}`)
	if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1}); fmt.Sprint(err) != dir+": env.json has format 4, written by a newer program; this program reads formats up to 3" {
		t.Errorf("got %v", err)
	}
}

// A checkpoint under another's name is neither gone on from nor opened.
func TestRenamedCheckpointIsRefused(t *testing.T) {
	dir := stopAt(t, 25)
	from, to := filepath.Join(dir, checkpointDir, "step-25"), filepath.Join(dir, checkpointDir, "step-120")
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	want := to + ": state.json belongs to step-25: the folder has been renamed or copied; give it that name, or remove it"
	_, resumed := Resume(t.Context(), dir, Options{Workers: 1})
	_, opened := Open(dir)
	_, named := Open(to)
	for _, err := range []error{resumed, opened, named} {
		if fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	wantSame(t, contents(t, dir), before)
}

// Steps of this engine are added to those of another only where that is allowed, and
// then the run says so for good.
func TestOtherEngine(t *testing.T) {
	const other = train.BitsVersion + 1
	dir := stopAt(t, 25)
	for _, step := range []int{20, 25} {
		stateAt(t, dir, step, func(s *state) { s.Engines = []int{other} })
	}
	before := contents(t, dir)
	_, err := Resume(t.Context(), dir, Options{Workers: 1})
	var engine *EngineError
	want := fmt.Sprintf("%s: its 25 steps were computed by engine %d, and this program has engine %d, which computes other bits; "+
		"finish it with the program that began it, train again in another folder, or accept a run of both engines", dir, other, train.BitsVersion)
	if !errors.As(err, &engine) || engine.Step != 25 || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	wantSame(t, contents(t, dir), before)

	trained, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1, AllowOtherEngine: true})
	if err != nil || trained.Step != 40 {
		t.Fatalf("%+v, %v", trained, err)
	}
	s, err := readState(filepath.Join(dir, checkpointDir, "step-40"))
	if err != nil || !slices.Equal(s.Engines, []int{other, train.BitsVersion}) {
		t.Errorf("engines %v, %v", s.Engines, err)
	}
	p, err := readProvenance(dir, s.ConfigSHA256, nil)
	if err != nil || len(p.Lives) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	var first, second life
	if err := errors.Join(json.Unmarshal(p.Lives[0], &first), json.Unmarshal(p.Lives[1], &second)); err != nil {
		t.Fatal(err)
	}
	if first.OtherEngine || !second.OtherEngine || second.Step != 25 || second.Engine != train.BitsVersion {
		t.Errorf("lives %+v and %+v", first, second)
	}
	note := fmt.Sprintf("its steps were computed by engines %d, %d, one after another; no single engine can reproduce them", other, train.BitsVersion)
	if got := mustOpen(t, dir).Notes; !slices.Equal(got, []string{note}) {
		t.Errorf("notes %q", got)
	}
	if r := Check(dir); len(r.Problems) > 0 || !slices.Equal(r.Notes, []string{note}) {
		t.Errorf("%+v", r)
	}
	var told notes
	if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1, OnNote: told.add}); err != nil || !slices.Equal(told, []string{note}) {
		t.Errorf("%v, notes %q", err, told)
	}
}

// env.json has an entry for each life that took steps, and for no other.
func TestProvenance(t *testing.T) {
	dir := stopAt(t, 13)
	for range 2 { // the second time there is nothing to do
		if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
	}
	run, err := Resume(t.Context(), dir, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run.Train(t.Context()), run.Close()); err != nil {
		t.Fatal(err)
	}
	p, err := readProvenance(dir, run.configHash, nil)
	if err != nil || p.Format != 2 || len(p.Lives) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	for i, step := range []int{0, 13} {
		var l life
		if err := json.Unmarshal(p.Lives[i], &l); err != nil {
			t.Fatal(err)
		}
		if l.Step != step || l.Engine != train.BitsVersion || l.Go == "" || l.Machine.CPUs < 1 || !slices.Equal(l.Command, os.Args) || l.Started.IsZero() {
			t.Errorf("life %d is %+v", i, l)
		}
	}
}

// An env.json that is damaged or gone does not keep a run from going on; what was there
// is kept.
func TestDamagedProvenance(t *testing.T) {
	for text, want := range map[string]string{
		"{":                            "env.json: it is damaged: unexpected end of JSON input; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		`{"format": 2, "sha256": "x"}`: "env.json: it does not match its own hash; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		"{}":                           "env.json: it is damaged: it has no entry for a session; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		"null":                         "env.json: it is damaged: the value is null; an object is expected; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		"":                             "env.json is missing; the history of earlier sessions is lost",
	} {
		dir := stopAt(t, 13)
		path := filepath.Join(dir, envFile)
		if write(t, path, text); text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		var told notes
		if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1, OnNote: told.add}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(told, []string{want}) {
			t.Errorf("notes %q, want %q", told, want)
		}
		if kept, err := os.ReadFile(path + ".changed"); err == nil && string(kept) != text {
			t.Errorf("kept %q", kept)
		}
	}
}

// Of a run that has come to its end everything that is wrong is told, in any format, and
// once it is mended nothing is.
func TestNotesOfCompleteRun(t *testing.T) {
	const summary, env = "summary.json does not hold the last row of metrics.jsonl; it will be rewritten",
		"env.json is missing; the history of the run's sessions is lost"
	for dir, want := range map[string]notes{
		oldRun(t, "complete"): {"checkpoint step-20 " + oldNote, summary, env},
		uninterrupted(t, 1):   {summary, env},
	} {
		write(t, filepath.Join(dir, summaryFile), "{}\n")
		if err := os.Remove(filepath.Join(dir, envFile)); err != nil {
			t.Fatal(err)
		}
		var told notes
		r, err := Resume(t.Context(), dir, Options{Workers: 1, OnNote: told.add})
		if err == nil {
			err = errors.Join(r.Train(t.Context()), r.Close())
		}
		if err != nil || !slices.Equal(told, want) {
			t.Errorf("%v, notes %q, want %q", err, told, want)
		}
	}
}
