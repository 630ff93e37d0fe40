package runtable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/run"
	"foretell/train"

	"github.com/parquet-go/parquet-go"
)

// study trains three small runs below runs in a new current folder: with rates 0.01 and
// 0.02, and one with another seed.
func study(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache")) // of the index
	for name, set := range map[string][]string{
		"a": nil, "b": {"train.lr=0.02"}, "c": {"train.seed=2", "train.num_steps=20"},
	} {
		c, err := train.Parse("c.yaml", []byte("process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}\n"+
			"train: {seed: 1, batch_size: 8, num_steps: 10, lr: 0.01, evaluate_every: 5}\n"), set...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Ensure(t.Context(), filepath.Join("runs", name), c, run.Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// names returns the names of a table's runs.
func names(table *Table) (list []string) {
	for _, r := range table.Rows {
		list = append(list, filepath.Base(r.Dir))
	}
	return list
}

func read(t *testing.T, root string) *Table {
	t.Helper()
	table, err := Read(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A condition keeps the runs for which it is true, however it is written.
func TestWhereOfRuns(t *testing.T) {
	study(t)
	for condition, want := range map[string][]string{
		"train.lr = 0.02":                             {"b"},
		"lr==2e-2":                                    {"b"},
		"lr != 0.02":                                  {"a", "c"},
		"seed=2 or lr>0.01":                           {"b", "c"},
		"not (seed = 2 or lr > 0.01)":                 {"a"},
		"not seed = 2 and not lr > 0.01":              {"a"},
		"seed = 1 and lr = 0.01 or seed = 2":          {"a", "c"},
		"complete":                                    {"a", "b", "c"},
		"not complete":                                nil,
		"complete = true and process = mess3":         {"a", "b", "c"},
		`"process" = "mess3"`:                         {"a", "b", "c"},
		"steps >= 20":                                 {"c"},
		"kl > 0 and kl < 100":                         {"a", "b", "c"},
		"process != mess3":                            nil,
		"((((seed = 2))))":                            {"c"},
		"num_steps<=10 and num_steps<10 or seed >= 2": {"c"},
	} {
		table := read(t, "runs")
		if err := table.Where(condition); err != nil {
			t.Errorf("%s: %v", condition, err)
			continue
		}
		if got := names(table); !slices.Equal(got, want) {
			t.Errorf("%s keeps %q, want %q", condition, got, want)
		}
	}
}

// What is wrong with a condition is said in one line, with its column.
func TestWrongConditions(t *testing.T) {
	study(t)
	for condition, want := range map[string]string{
		"":                     "column 1",
		"kl <":                 "column 5",
		"kl < x":               "column 6",
		"lkl < 1":              "did you mean",
		"kl < 1 and":           "column 11",
		"(kl < 1":              "column",
		"kl < 1)":              "column 7",
		"kl ~ 1":               "column 4",
		"process < mess3":      "column",
		"process = 3":          "column",
		"complete = 1":         "column",
		`process = "mess3`:     "column",
		"kl < 1 kl < 2":        "column 8",
		"and":                  "column 1",
		"kl":                   "column",
		"kl < 1e999":           "column",
		"seed = 1 or nonsense": "column 13",
	} {
		err := read(t, "runs").Where(condition)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", condition, err, want)
		}
	}
}

// Any text is a condition or an error in one line, and a condition reads back as itself.
func FuzzParseCondition(f *testing.F) {
	for _, seed := range []string{"kl < 0.01 and model.d_model >= 32", `not "a b" = "c"`, "((x))", "a=1or b=2", "\x00", "é > 1", `"\""`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %q has several lines", text, err)
			}
			return
		}
		again, err := ParseCondition(c.String())
		if err != nil || again.String() != c.String() {
			t.Errorf("%q is %s, which reads as %v, %v", text, c, again, err)
		}
	})
}

// Rows are sorted by columns; runs without a value are last in both directions.
func TestSortOfRuns(t *testing.T) {
	study(t)
	table := read(t, "runs")
	for _, one := range []struct {
		reverse bool
		by      []string
		want    string
	}{
		{false, []string{"lr", "seed"}, "a c b"},
		{true, []string{"lr"}, "b a c"},
		{false, []string{"steps"}, "a b c"},
		{true, []string{"seed", "lr"}, "c b a"},
	} {
		if err := table.Sort(false, "run"); err != nil {
			t.Fatal(err)
		}
		if err := table.Sort(one.reverse, one.by...); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(names(table), " "); got != one.want {
			t.Errorf("sorted by %v, reverse %v: %s, want %s", one.by, one.reverse, got, one.want)
		}
	}
	if err := table.Sort(false, "lrr"); err == nil || !strings.Contains(err.Error(), "lr") {
		t.Errorf("a column that is not there: %v", err)
	}
}

// A run that cannot be read is a row with its error, and the others are there.
func TestUnreadableRunIsARow(t *testing.T) {
	study(t)
	if err := os.WriteFile("runs/b/config.yaml", []byte("process: [\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	table := read(t, "runs")
	if got := names(table); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Fatalf("the runs are %q", got)
	}
	if bad := table.Unreadable(); len(bad) != 1 || bad[0].Dir != filepath.Join("runs", "b") {
		t.Errorf("unreadable are %v", bad)
	}
	var b bytes.Buffer
	if err := table.Forms().Write(&b, ".csv"); err != nil || !strings.Contains(b.String(), "config.yaml") {
		t.Errorf("the file does not say why: %v\n%s", err, &b)
	}
}

// A change of a run is seen at the next look, whatever the index holds, and an index that
// is damaged or gone is made again.
func TestIndexIsNeverTheTruth(t *testing.T) {
	study(t)
	first, err := json.Marshal(read(t, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string) {
		t.Helper()
		again, err := json.Marshal(read(t, "runs"))
		if err != nil || string(again) != string(first) {
			t.Errorf("%s: %v\n%s\nwant\n%s", what, err, again, first)
		}
	}
	same("read again")
	err = filepath.WalkDir(os.Getenv("XDG_CACHE_HOME"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		return os.WriteFile(path, []byte("damaged"), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	same("with a damaged index")
	if err := os.RemoveAll("runs/a"); err != nil {
		t.Fatal(err)
	}
	if got := names(read(t, "runs")); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("after a run was removed: %q", got)
	}
	if err := os.Rename("runs/c", "runs/d"); err != nil {
		t.Fatal(err)
	}
	if got := names(read(t, "runs")); !slices.Equal(got, []string{"b", "d"}) {
		t.Errorf("after a run was renamed: %q", got)
	}
}

// Runs of one configuration have equal metrics and weights, and runs that differ say
// where.
func TestCompare(t *testing.T) {
	study(t)
	if err := os.CopyFS("copy", os.DirFS("runs/a")); err != nil {
		t.Fatal(err)
	}
	found, err := Compare(t.Context(), "runs/a", "copy", "runs/b")
	if err != nil {
		t.Fatal(err)
	}
	if found.SameBits || found.Weights[0].SHA256 != found.Weights[1].SHA256 || found.Weights[0].SHA256 == found.Weights[2].SHA256 {
		t.Errorf("weights: %+v", found.Weights)
	}
	if len(found.Differ) != 1 || found.Differ[0].Setting != "train.lr" || !slices.Equal(found.Differ[0].Values, []string{"0.01", "0.01", "0.02"}) {
		t.Errorf("settings that differ: %+v", found.Differ)
	}
	if m := found.Metrics; len(m) != 2 || m[0].Step != nil || m[0].Common != 3 || m[1].Step == nil || *m[1].Step != 5 && *m[1].Step != 0 {
		t.Errorf("metrics: %+v", found.Metrics)
	}
	for _, r := range found.Results {
		if *r.Values[0] != *r.Values[1] || *r.Differences[2] != *r.Values[2]-*r.Values[0] {
			t.Errorf("%s: %v, differences %v", r.Name, r.Values, r.Differences)
		}
	}
	if _, err := Compare(t.Context(), "runs/a", "nothing"); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a run that is not there: %v", err)
	}
}

// Remove refuses what would lose more than time, and then removes nothing; what it
// removes can be trained again to the same bits.
func TestRemove(t *testing.T) {
	study(t)
	before, err := run.Fingerprint("runs/a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("runs/b/notes.txt", []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("runs", "c"), "link"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"runs/b", "empty", "link", "nothing", "runs", "."} {
		if list, err := Remove([]string{"runs/a", dir}, RemoveOptions{}); err == nil || len(list) > 0 {
			t.Errorf("%s was removed: %v, %v", dir, list, err)
		}
	}
	if list, err := Remove([]string{"runs/a"}, RemoveOptions{DryRun: true}); err != nil || len(list) != 1 || list[0].Bytes == 0 {
		t.Errorf("a dry run: %v, %v", list, err)
	}
	if got := names(read(t, "runs")); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Fatalf("the refusals left %q", got)
	}
	list, err := Remove([]string{"runs/a"}, RemoveOptions{})
	if err != nil || len(list) != 1 || list[0].Config != filepath.Join("runs", "a.yaml") {
		t.Fatalf("removed %+v, %v", list, err)
	}
	if _, err := os.Stat("runs/a"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
	c, err := train.Load(list[0].Config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Ensure(t.Context(), "runs/a", c, run.Options{}); err != nil {
		t.Fatal(err)
	}
	if after, err := run.Fingerprint("runs/a"); err != nil || after != before {
		t.Errorf("trained again it has the fingerprint %s, %v, want %s", after, err, before)
	}
}

// A Parquet file has typed columns with the exact numbers.
func TestParquet(t *testing.T) {
	study(t)
	table := read(t, "runs")
	var b bytes.Buffer
	if err := table.Forms().Write(&b, ".parquet"); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[any](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, r := range table.Rows {
		row, ok := rows[i].(map[string]any)
		if !ok {
			t.Fatalf("a row is %T", rows[i])
		}
		if row["run"] != r.Dir || row["complete"] != true || row["kl"] != r.Results["kl"] {
			t.Errorf("row %d is %v, want %s with kl %v", i, row, r.Dir, r.Results["kl"])
		}
		if want := map[string]float64{"a": 0.01, "b": 0.02, "c": 0.01}[filepath.Base(r.Dir)]; row["train.lr"] != want {
			t.Errorf("%s: train.lr = %v", r.Dir, row["train.lr"])
		}
	}
}

// What one run is: settings, results, files and the processes that trained it.
func TestOpen(t *testing.T) {
	study(t)
	found, err := Open("runs/c")
	if err != nil || len(found.Sessions) != 1 || found.Sessions[0].Step != 0 || found.Sessions[0].Engine != train.BitsVersion {
		t.Fatalf("%+v, %v", found, err)
	}
	var b strings.Builder
	found.Forms().Print(&b)
	for _, want := range []string{"complete", "num_steps 20", "mess3", "seed 2"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

func ExampleTable_Where() {
	table := &Table{Rows: []Row{
		{Info: run.Info{Dir: "runs/first", Complete: true}, Results: map[string]float64{"kl": 0.02}},
		{Info: run.Info{Dir: "runs/second", Complete: true}, Results: map[string]float64{"kl": 0.001}},
	}}
	if err := table.Where("complete and kl < 0.01"); err != nil {
		fmt.Println(err)
	}
	for _, r := range table.Rows {
		fmt.Println(r.Dir)
	}
	// Output: runs/second
}
