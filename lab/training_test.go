package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/run"
	"foretell/train"
)

// A name of a run is a name and no path, and belongs to one configuration.
func TestNamesOfRuns(t *testing.T) {
	runs, outside := t.TempDir(), t.TempDir()
	e, err := New(Folders{runs, t.TempDir()}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, err := train.Parse("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Create(t.Context(), filepath.Join(runs, "first"), c, run.Options{})
	if err == nil {
		err = r.Train(t.Context())
		r.Close()
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(runs, "file"), nil, 0o666)
	}
	if err == nil {
		err = os.Symlink(outside, filepath.Join(runs, "link"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if s, err := e.Train(Training{YAML: small, Name: "first"}); err != nil || s.Run != "first" || s.State != Complete {
		t.Errorf("%+v, %v", s, err)
	}
	other := strings.Replace(small, "seed: 1", "seed: 2", 1)
	for _, wrong := range []struct{ yaml, name, want string }{
		{other, "first", "another configuration"},
		{small, "file", "something else"},
		{small, "link", "something else"},
		{small, "..", "cannot be the name"},
		{small, "../first", "cannot be the name"},
		{small, "a/b", "cannot be the name"},
		{small, ".hidden", "cannot be the name"},
		{small, "--out", "cannot be the name"},
		{small, strings.Repeat("a", 65), "cannot be the name"},
		{small, "a\nb", "cannot be the name"},
	} {
		if s, err := e.Train(Training{YAML: wrong.yaml, Name: wrong.name}); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%q: %+v, %v", wrong.name, s, err)
		}
	}
	if left, err := os.ReadDir(outside); len(left) > 0 || err != nil {
		t.Errorf("outside are %v, %v", left, err)
	}
}
