package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/needs"
	"foretell/model"
)

// change is something that another program does to a file while the run trains. other
// is a file of the same name from another run.
type change struct {
	what string
	do   func(path, other string) error
}

// renamed puts a file with a text in the place of another, as editors and rsync do.
func renamed(path string, text []byte) error {
	return errors.Join(os.WriteFile(path+"~", text, 0o644), os.Rename(path+"~", path))
}

var midRunChanges = []change{
	{"replaced by another run's", func(path, other string) error {
		text, err := os.ReadFile(other)
		return errors.Join(err, renamed(path, text))
	}},
	{"replaced by itself", func(path, _ string) error {
		text, err := os.ReadFile(path)
		return errors.Join(err, renamed(path, text))
	}},
	{"overwritten by another run's", func(path, other string) error {
		text, err := os.ReadFile(other)
		return errors.Join(err, os.WriteFile(path, text, 0o644))
	}},
	{"truncated", func(path, _ string) error {
		info, err := os.Stat(path)
		return errors.Join(err, os.Truncate(path, info.Size()/2))
	}},
	{"emptied", func(path, _ string) error { return os.Truncate(path, 0) }},
	{"flipped", func(path, _ string) error {
		text, err := os.ReadFile(path)
		text[len(text)/2] ^= 4
		return errors.Join(err, os.WriteFile(path, text, 0o644))
	}},
	{"appended to", func(path, _ string) error {
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, append(text, text...), 0o644))
	}},
	{"removed", func(path, _ string) error { return os.Remove(path) }},
	{"a folder", func(path, _ string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }},
	{"a link to nothing", func(path, _ string) error { return errors.Join(os.Remove(path), os.Symlink("nothing", path)) }},
}

// files lists the files below a folder.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			list = append(list, filepath.FromSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// trainChanged trains in a new folder and calls change after a step.
func trainChanged(t *testing.T, step int, change func(dir string)) (dir string, err error) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	o := watchedOptions(2)
	o.OnStep = func(at int, _ float64) {
		if at == step {
			change(dir)
		}
	}
	_, err = Ensure(t.Context(), dir, smallConfig(), o)
	return dir, err
}

// Whatever another program does to a file of a run that trains: it ends with one line
// that says what happened, or is not concerned; and it is kept, so that going on ends
// as if nothing had happened. Only a snapshot cannot come back: it is never taken for
// one.
func TestFilesChangedInMidRun(t *testing.T) {
	parent := t.TempDir()
	alone, other := filepath.Join(parent, "alone"), filepath.Join(parent, "other")
	mustEnsure(t, alone, watchedOptions(1))
	c := smallConfig()
	c.Train.Seed = 9
	if _, err := Ensure(t.Context(), other, c, watchedOptions(1)); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i, step := range []int{12, 26, 38} {
		existing := files(t, stopAtWatched(t, step))
		for j, change := range midRunChanges {
			for k, name := range existing {
				if needs.Exhaustive() || (i+j+k)%8 == 0 {
					tried++
					what := fmt.Sprintf("%s %s at step %d", name, change.what, step)
					changeInMidRun(t, what, name, step, func(path string) error { return change.do(path, filepath.Join(other, name)) }, alone)
				}
			}
		}
	}
	t.Logf("%d changes", tried)
}

// stopAtWatched is a run as it is on the disk after a step, before its checkpoint.
func stopAtWatched(t *testing.T, step int) (dir string) {
	t.Helper()
	left := filepath.Join(t.TempDir(), "left")
	_, err := trainChanged(t, step, func(dir string) {
		if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// changeInMidRun changes a file, and checks the run's end and what comes of going on.
func changeInMidRun(t *testing.T, what, name string, step int, change func(path string) error, alone string) {
	t.Helper()
	dir, ended := trainChanged(t, step, func(dir string) {
		if err := change(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: %v", what, err)
		}
	})
	if ended != nil {
		text := strings.ReplaceAll(ended.Error(), dir, "runs/x")
		if len(text) > 400 || strings.Contains(text, "\n") || !strings.Contains(text, filepath.Base(name)) {
			t.Errorf("%s: the run ended with %q", what, text)
		}
	}
	own := name == model.ConfigFile || name == envFile || name == metricsFile
	unnoticed := what == fmt.Sprintf("%s replaced by itself at step %d", name, step) && name != metricsFile
	if own && ended == nil && !unnoticed {
		t.Errorf("%s: the run ended without a word", what)
	}
	isSnapshot := strings.HasPrefix(name, snapshotDir)
	_, err := Ensure(t.Context(), dir, smallConfig(), watchedOptions(1))
	if err != nil && !isSnapshot {
		t.Errorf("%s: going on: %v", what, err)
	}
	if got, want := outcome(t, dir), outcome(t, alone); got != want {
		t.Errorf("%s: the run ends in %s, want %s", what, got, want)
	}
	for _, at := range snapshotSteps {
		want, err := Snapshot(alone, at)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Snapshot(dir, at)
		if err == nil && !reflect.DeepEqual(got.Weights.Data, want.Weights.Data) {
			t.Errorf("%s: the snapshot of step %d is another", what, at)
		}
		if err != nil && name != filepath.Join(snapshotDir, filepath.Base(snapshotFile(dir, at))) {
			t.Errorf("%s: the snapshot of step %d: %v", what, at, err)
		}
	}
}

// What is said of a changed file, and what is kept.
func TestChangedFilesAreKept(t *testing.T) {
	size := 0
	dir, err := trainChanged(t, 26, func(dir string) {
		config, err := os.ReadFile(filepath.Join(dir, model.ConfigFile))
		if err != nil {
			t.Fatal(err)
		}
		size = len(config)
		write(t, filepath.Join(dir, model.ConfigFile), "process: {name: even}\n")
		if err := os.Remove(filepath.Join(dir, metricsFile)); err != nil {
			t.Fatal(err)
		}
	})
	want := "somebody else changed files of " + dir + " during training: config.yaml has 22 bytes in place of " + fmt.Sprint(size) + ", " +
		"metrics.jsonl is gone; they are restored (the changed files are kept as config.yaml.changed), and step 30 is saved"
	if fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "config.yaml.changed")); string(text) != "process: {name: even}\n" {
		t.Errorf("kept %q, %v", text, err)
	}
	if r := Check(dir); len(r.Problems) > 0 || fmt.Sprint(r.Notes) != "[config.yaml.changed does not belong to the run]" {
		t.Errorf("%+v", r)
	}
}

// A folder that is moved away while its run trains, and replaced by that of another, is
// not written to, and the run can go on where it is.
func TestFolderMovedInMidRun(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		moved := filepath.Join(t.TempDir(), "moved")
		var before map[string]string
		dir, err := trainChanged(t, 26, func(dir string) {
			if err := os.Rename(dir, moved); err != nil {
				t.Fatal(err)
			}
			if replaced {
				c := smallConfig()
				c.Train.Seed = 9
				if _, err := Ensure(context.Background(), dir, c, Options{Workers: 1}); err != nil {
					t.Fatal(err)
				}
				before = contents(t, dir)
			}
		})
		want := "" + dir + " was moved, removed or replaced during training; wherever it is now, it can be resumed from step 20"
		if fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if replaced {
			wantSame(t, contents(t, dir), before)
		} else if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the run is back: %v", err)
		}
		alone := filepath.Join(t.TempDir(), "alone")
		mustEnsure(t, alone, watchedOptions(1))
		mustEnsure(t, moved, watchedOptions(1))
		wantSame(t, contents(t, moved), contents(t, alone))
	}
}
