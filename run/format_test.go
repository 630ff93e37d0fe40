package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"foretell/train"
)

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

// A state.json without its format or its engines is damaged, though its hash is right.
func TestIncompleteState(t *testing.T) {
	for want, change := range map[string]func(s *state){
		"its format is 0, not 2 or 3":                                     func(s *state) { s.Format = 0 },
		"its format is 1, not 2 or 3":                                     func(s *state) { s.Format = 1 },
		"it has no engines; it should list those that computed its steps": func(s *state) { s.Engines = nil },
	} {
		dir := stopAt(t, 25)
		stateAt(t, dir, 25, change)
		note := "checkpoint step-25 is not usable: state.json is damaged: " + want
		if got := mustOpen(t, dir); got.Step != 20 || !slices.Equal(got.Notes, []string{note}) {
			t.Errorf("opened at step %d, notes %q", got.Step, got.Notes)
		}
		var told notes
		trained, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1, OnNote: told.add})
		if again := "resuming from step-20 instead"; err != nil || trained.Step != 40 || !slices.Equal(told, []string{note, again}) {
			t.Errorf("%+v, %v, notes %q", trained, err, told)
		}
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
		"{}":                           "env.json: it is damaged: its format is 0, not 2; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		`{"foretell": "0.0.9", "go": "go1.26.0"}`: "env.json: it is damaged: its format is 0, not 2; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		"null": "env.json: it is damaged: the value is null; an object is expected; the history of earlier sessions is lost, and the file is kept as env.json.changed",
		"":     "env.json is missing; the history of earlier sessions is lost",
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

// Of a run that has come to its end everything that is wrong is told, and once it is
// mended nothing is.
func TestNotesOfCompleteRun(t *testing.T) {
	dir := uninterrupted(t, 1)
	write(t, filepath.Join(dir, summaryFile), "{}\n")
	if err := os.Remove(filepath.Join(dir, envFile)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []notes{
		{
			"summary.json does not hold the last row of metrics.jsonl; it will be rewritten",
			"env.json is missing; the history of the run's sessions is lost",
		},
		{"env.json is missing; the history of the run's sessions is lost"},
	} {
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
