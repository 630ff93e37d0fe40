package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/durable"
	"foretell/model"
	"foretell/train"
)

// The name of a process is any text; a run's folder lies in runs/ all the same.
func TestDefaultDirOfAnyName(t *testing.T) {
	for name, want := range map[string]string{
		"mess3":                           "mess3",
		"switching_delay":                 "switching_delay",
		"../../../x":                      "x",
		"..":                              "process",
		"/etc/passwd":                     "etc-passwd",
		`..\..\x`:                         "x",
		`C:\x`:                            "C--x",
		"":                                "process",
		"a\nb\x1b[31m":                    "a-b--31m",
		"\u202eevil":                      "evil",
		"naïve Prozeß 8×":                 "naïve-Prozeß-8-",
		".hidden":                         "hidden",
		"-rf":                             "rf",
		"v1.2,a=3+b":                      "v1.2,a=3+b",
		strings.Repeat("é", 1000):         strings.Repeat("é", 48),
		strings.Repeat("../", 1000) + "x": "process",
		"nul\x00":                         "nul-",
	} {
		c := smallConfig()
		c.Process.Name = name
		dir, err := DefaultDir(c)
		if err != nil {
			t.Fatal(err)
		}
		parent, base := filepath.Split(dir)
		if parent != "runs"+string(filepath.Separator) || len(base) != len(want)+9 || !strings.HasPrefix(base, want+"-") {
			t.Errorf("%q: %q, want runs/%s-HASH", name, dir, want)
		}
	}
	if name := folderName("a\xffb"); name != "a-b" { // which no config.yaml can say
		t.Errorf("not UTF-8: %q", name)
	}
}

// Where a file stands in the way of a folder, the error names it.
func TestCreateWhereAFileStands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "text")
	for dir, want := range map[string]string{
		file: file + " is a file; want a folder", file + "/": file + "/ is a file; want a folder",
		filepath.Join(file, "x"):      filepath.Join(file, "x") + " cannot be a folder: " + file + " is a file",
		filepath.Join(file, "x", "y"): filepath.Join(file, "x", "y") + " cannot be a folder: " + file + " is a file",
	} {
		var folder *FolderError
		_, err := Create(t.Context(), dir, smallConfig(), Options{Workers: 1})
		if !errors.As(err, &folder) || err.Error() != want {
			t.Errorf("create: %v, want %s", err, want)
		}
		if _, err = Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1}); !errors.As(err, &folder) || err.Error() != want {
			t.Errorf("ensure: %v, want %s", err, want)
		}
	}
}

// A folder with something in it is not taken for a run.
func TestCreateTouchesNoOtherFiles(t *testing.T) {
	for _, other := range []string{
		"notes.txt", "env.json", "data/x", ".hidden", "checkpoints", "report.html", "snapshots/x", "model.safetensors",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(other))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("mine"), 0o666)); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(other, "/")
		var folder *FolderError
		_, err := Create(t.Context(), dir, smallConfig(), Options{Workers: 1})
		if !errors.As(err, &folder) || err.Error() != dir+" holds "+first+", which does not belong to a run" {
			t.Errorf("%s: error %v", other, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%s: the folder holds %v, %v", other, entries, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
			t.Errorf("%s holds %q, %v", other, data, err)
		}
	}
}

// What a kill leaves of a run that began is in nobody's way, wherever it came.
func TestCreateAfterKilledBeginning(t *testing.T) {
	want := outcome(t, uninterrupted(t, 1))
	for _, left := range [][]string{
		{},
		{"checkpoints/"},
		{"checkpoints/", ".tmp-env.json-0"},
		{"checkpoints/", "env.json"},
		{"checkpoints/", "env.json", ".tmp-config.yaml-0"},
		{"checkpoints/", "env.json", "snapshots/"},
	} {
		dir := t.TempDir()
		for _, name := range left {
			path := filepath.Join(dir, name)
			var err error
			if strings.HasSuffix(name, "/") {
				err = os.Mkdir(path, 0o777)
			} else {
				err = os.WriteFile(path, []byte("{"), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1}); err != nil {
			t.Fatalf("after %q: %v", left, err)
		}
		if got := outcome(t, dir); got != want {
			t.Errorf("after %q: ended in %s, want %s", left, got, want)
		}
	}
}

// No file of which a run is made can be written over as somebody's output.
func TestRunsFilesAreOwned(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Ensure(t.Context(), dir, smallConfig(), Options{Workers: 1, Snapshots: []int{5}}); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !errors.Is(durable.CheckOutput(path), durable.ErrOwned) {
			t.Errorf("%s can be written over", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := trainedModel(t, dir).Save(dir); err == nil || err.Error() != dir+" holds a run; give another folder for the model" {
		t.Errorf("saved over a run: %v", err)
	}
	saved := filepath.Join(t.TempDir(), "model")
	for range 2 { // it replaces itself
		if err := trainedModel(t, dir).Save(saved); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{model.ConfigFile, model.WeightsFile} {
		if err := durable.CheckOutput(filepath.Join(saved, name)); !errors.Is(err, durable.ErrOwned) {
			t.Errorf("%s of a saved model: %v", name, err)
		}
	}
}

func trainedModel(t *testing.T, dir string) *model.Transformer[float32] {
	t.Helper()
	trained, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return trained.Model
}

// A run whose rows no log could hold is refused before there is a folder, and with the
// number of steps that the message names it is not.
func TestEvaluationsThatNoLogHolds(t *testing.T) {
	c, dir := smallConfig(), filepath.Join(t.TempDir(), "run")
	c.Train.NumSteps, c.Train.EvaluateEvery = 1_000_000_000, 1
	_, err := Create(t.Context(), dir, c, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "train.evaluate_every = 1 makes 1000000001 evaluations") {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a folder: %v", err)
	}
	text := err.Error()
	if _, err := fmt.Sscanf(text[strings.LastIndex(text, "every"):], "every %d steps", &c.Train.EvaluateEvery); err != nil {
		t.Fatal(err)
	}
	if err := checkKept(c); err != nil {
		t.Error(err)
	}
	if c.Train.EvaluateEvery--; checkKept(c) == nil {
		t.Errorf("%d steps are enough, and the message wants more", c.Train.EvaluateEvery)
	}
}

// A row is no longer than it is counted as, with all that an evaluation can say.
func TestRowBytes(t *testing.T) {
	for _, positions := range []int{1, 100, 4096} {
		long := -math.MaxFloat64
		row := Row{Evaluation: train.Evaluation{Step: math.MaxInt32, Tokens: math.MaxInt64, Optimum: &train.Optimum{Memorised: true}}}
		row.LossTrain, row.LossEval, row.KL, row.Floor, row.Chance = long, long, long, long, long
		row.GapClosed, row.LR, row.GradNorm = &long, long, long
		row.Accuracy = &train.Accuracy{}
		row.Watch = map[string]float64{"score/heads/first": long, "score/heads/second": long}
		row.KLByPosition = make([]float64, positions)
		for i := range row.KLByPosition {
			row.KLByPosition[i] = long
		}
		data, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if most := rowBytes + rowPositionBytes*positions; len(data) > most {
			t.Errorf("a row of %d positions has %d bytes, more than %d", positions, len(data), most)
		}
	}
}
