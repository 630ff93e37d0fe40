package run

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/model"
)

// litter puts into a run's folder, and into folders there, what kills leave.
func litter(t *testing.T, dir string, folders ...string) {
	t.Helper()
	for _, folder := range append(folders, ".") {
		if err := os.MkdirAll(filepath.Join(dir, folder, ".tmp-step-30-0"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{".tmp-env.json-0", ".tmp-step-30-0/" + model.WeightsFile} {
			if err := os.WriteFile(filepath.Join(dir, folder, file), []byte("cut off"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func wantNoLitter(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, ".tmp-") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a kill leaves is gone after the next resume, and what it leaves before there is a
// run after the next beginning.
func TestLitterIsCleaned(t *testing.T) {
	dir := stopAt(t, 23)
	litter(t, dir, checkpointDir, snapshotDir)
	r, err := Resume(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	wantNoLitter(t, dir)
	steps, err := checkpoints(filepath.Join(dir, checkpointDir))
	if err != nil || len(steps) != 2 || steps[0] != 23 || steps[1] != 20 {
		t.Errorf("checkpoints %v, %v", steps, err)
	}

	begun := filepath.Join(t.TempDir(), "run")
	litter(t, begun, checkpointDir)
	if r, err = Create(t.Context(), begun, smallConfig(), Options{}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	wantNoLitter(t, begun)
}

// Of a checkpoint that lacks a file nothing is removed where it may be all there is.
func TestRemainsAreKept(t *testing.T) {
	dir := stopAt(t, 23)
	latest, before := filepath.Join(dir, checkpointDir, stepName(23)), filepath.Join(dir, checkpointDir, stepName(20))
	for _, path := range []string{filepath.Join(latest, stateFile), filepath.Join(before, optimizerFile)} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Resume(t.Context(), dir, Options{}); err == nil {
		t.Fatal("the run was resumed")
	}
	for _, path := range []string{latest, before} {
		if _, err := os.Stat(filepath.Join(path, model.WeightsFile)); err != nil {
			t.Error(err)
		}
	}
}
