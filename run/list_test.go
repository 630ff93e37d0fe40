package run

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/needs"
	"foretell/model"
)

// infos writes what List finds below a folder, an entry a line.
func infos(t *testing.T, root string) string {
	t.Helper()
	list, err := List(root)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, info := range list {
		dir, err := filepath.Rel(root, info.Dir)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text, dir, info.Process, info.Step, info.Steps, info.Complete, info.Err != nil)
	}
	return text.String()
}

func TestList(t *testing.T) {
	root := t.TempDir()
	if got := infos(t, filepath.Join(root, "nowhere")); got != "" {
		t.Errorf("no folder holds %s", got)
	}
	complete, stopped, begun := filepath.Join(root, "b"), filepath.Join(root, "deep", "er", "stopped"), filepath.Join(root, "begun")
	for from, to := range map[string]string{uninterrupted(t, 1): complete, stopAt(t, 25): stopped} {
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	run, err := Create(t.Context(), begun, smallConfig(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	damaged, weights := filepath.Join(root, "damaged"), filepath.Join(root, "weights")
	for dir, config := range map[string]string{damaged: "process: {nam: even}\n", weights: "model: {d_model: 8}\n"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, model.ConfigFile), config)
	}
	write(t, filepath.Join(root, "file"), "")
	if err := os.Mkdir(filepath.Join(root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(complete, filepath.Join(root, "link")); err != nil {
		needs.Machine(t, "a link", err)
	}
	if err := os.Symlink(root, filepath.Join(root, "loop")); err != nil {
		t.Fatal(err)
	}
	const want = `b mess3 40 40 true false
begun mess3 0 40 false false
damaged  0 0 false true
deep/er/stopped mess3 25 40 false false
link mess3 40 40 true false
weights  0 0 false false
`
	if got := infos(t, root); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := infos(t, stopped); got != ". mess3 25 40 false false\n" {
		t.Errorf("a run lists as %s", got)
	}
	var said []string
	for _, info := range Matching(filepath.Join(root, "*")) {
		said = append(said, info.String())
	}
	if got := strings.Join(said, "; "); got != "mess3, 40 steps; mess3, step 0 of 40; its config.yaml cannot be read; mess3, 40 steps; a model" {
		t.Errorf("the runs say %s", got)
	}
	if got := Matching("["); got != nil {
		t.Errorf("no pattern fits %v", got)
	}
	if _, err := List(filepath.Join(root, "file")); err == nil {
		t.Error("a file was listed")
	}
}

// A run is described without its process being made: what its parameters are is of
// no interest here.
func TestDescribe(t *testing.T) {
	dir := stopAt(t, 25)
	got, ok := Describe(dir)
	if want := (Info{Dir: dir, Process: "mess3", Step: 25, Steps: 40}); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, ok, want)
	}
	if got, ok := Describe(filepath.Dir(dir)); ok {
		t.Errorf("a folder without a run is %+v", got)
	}
}

// The name of a folder tells the process and the configuration.
func TestDefaultDir(t *testing.T) {
	c, err := smallConfig().Resolve()
	if err != nil {
		t.Fatal(err)
	}
	first, err := DefaultDir(c)
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := filepath.Match(filepath.Join("runs", "mess3-????????"), first); !ok {
		t.Errorf("got %s", first)
	}
	c.Train.Seed++
	if second, err := DefaultDir(c); err != nil || second == first {
		t.Errorf("another seed has %s as well, %v", second, err)
	}
}
