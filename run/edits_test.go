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

	"foretell/internal/durable"
	"foretell/internal/needs"
	"foretell/model"
)

// edit is something that can be done to a finished run's folder of which every single
// file, and every line of metrics.jsonl, is as some run wrote it.
type edit struct {
	what string
	do   func(dir string) error
}

// others are runs from which rows and files can come.
type others struct {
	own     string // the run that is edited
	seed    string // of another seed
	watched string // of the same configuration, with other numbers watched
}

// trainOthers trains all of these.
func trainOthers(t *testing.T) (o others) {
	t.Helper()
	parent := t.TempDir()
	o = others{filepath.Join(parent, "own"), filepath.Join(parent, "seed"), filepath.Join(parent, "watched")}
	for dir, seed := range map[string]uint64{o.own: 1, o.seed: 2, o.watched: 1} {
		c, options := smallConfig(), watchedOptions(2)
		c.Train.Seed = seed
		if dir == o.watched {
			options.Watch["first weight"] = func(*model.Transformer[float32]) (float64, error) { return 7, nil }
		}
		if _, err := Ensure(t.Context(), dir, c, options); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// editRows returns an edit that makes other lines of those of metrics.jsonl.
func editRows(what string, change func(lines []string) []string) edit {
	return edit{what, func(dir string) error {
		path := filepath.Join(dir, metricsFile)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := change(slices.Collect(strings.Lines(string(text))))
		return os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644)
	}}
}

// rowEdits drop, double, exchange and replace rows, and cut them off.
func rowEdits(t *testing.T, o others) (edits []edit) {
	t.Helper()
	rows := lines(t, filepath.Join(o.own, metricsFile))
	for i := range rows {
		edits = append(edits,
			editRows(fmt.Sprint("drop row ", i), func(l []string) []string { return slices.Delete(l, i, i+1) }),
			editRows(fmt.Sprint("double row ", i), func(l []string) []string { return slices.Insert(l, i, l[i]) }),
			editRows(fmt.Sprint("row again at the end: ", i), func(l []string) []string { return append(l, l[i]) }),
			editRows(fmt.Sprint("drop rows from ", i), func(l []string) []string { return l[:i] }),
		)
		for _, from := range []string{o.seed, o.watched} {
			foreign := lines(t, filepath.Join(from, metricsFile))
			edits = append(edits,
				editRows(fmt.Sprint("row of ", filepath.Base(from), " ", i), func(l []string) []string { l[i] = foreign[i]; return l }),
				editRows(fmt.Sprint("rows of ", filepath.Base(from), " from ", i), func(l []string) []string { return append(l[:i], foreign[i:]...) }))
		}
		for j := i + 1; j < len(rows); j++ {
			edits = append(edits, editRows(fmt.Sprint("exchange rows ", i, " and ", j),
				func(l []string) []string { l[i], l[j] = l[j], l[i]; return l }))
		}
	}
	return edits
}

// lines reads a file as its lines, each with its end.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// rechained is an edit after which whoever did it has computed all checksums of
// metrics.jsonl anew.
func rechained(e edit) edit {
	return edit{e.what + ", rechained", func(dir string) error {
		if err := e.do(dir); err != nil {
			return err
		}
		path := filepath.Join(dir, metricsFile)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var rows []json.RawMessage
		for line := range strings.Lines(string(text)) {
			rows = append(rows, json.RawMessage(line[:strings.LastIndex(line, `,"chain"`)]+"}"))
		}
		config, err := os.ReadFile(filepath.Join(dir, model.ConfigFile))
		return errors.Join(err, durable.WriteLog(path, hexHash(config), rows))
	}}
}

// fileEdits move, copy and exchange checkpoints, snapshots and other files, within the
// run and from others.
func fileEdits(o others) (edits []edit) {
	at := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	add := func(what string, do func(dir string) error) { edits = append(edits, edit{what, do}) }
	move := func(from, to string) func(dir string) error {
		return func(dir string) error {
			return errors.Join(os.RemoveAll(at(dir, to)), os.Rename(at(dir, from), at(dir, to)))
		}
	}
	copied := func(source, from, to string) func(dir string) error {
		return func(dir string) error {
			if err := os.RemoveAll(at(dir, to)); err != nil {
				return err
			}
			if source == "" {
				return copyTree(at(dir, from), at(dir, to))
			}
			return copyTree(at(source, from), at(dir, to))
		}
	}
	exchanged := func(a, b string) func(dir string) error {
		return func(dir string) error {
			return errors.Join(os.Rename(at(dir, a), at(dir, "t")), os.Rename(at(dir, b), at(dir, a)), os.Rename(at(dir, "t"), at(dir, b)))
		}
	}
	const last, before = "checkpoints/step-40", "checkpoints/step-30"
	for _, name := range []string{"30", "35", "39", "41", "80", "120"} {
		add("rename the last checkpoint to "+name, move(last, "checkpoints/step-"+name))
		add("copy the last checkpoint to "+name, copied("", last, "checkpoints/step-"+name))
	}
	for _, name := range []string{"10", "20", "40", "50"} {
		add("rename the checkpoint before to "+name, move(before, "checkpoints/step-"+name))
		add("copy the checkpoint before to "+name, copied("", before, "checkpoints/step-"+name))
	}
	add("exchange the checkpoints", exchanged(last, before))
	add("the last checkpoint is gone", func(dir string) error { return os.RemoveAll(at(dir, last)) })
	for _, name := range []string{model.WeightsFile, optimizerFile, stateFile} {
		add("exchange in the checkpoints "+name, exchanged(last+"/"+name, before+"/"+name))
		add("rename in the checkpoint "+name, move(before+"/"+name, last+"/"+name))
	}
	for _, from := range []string{o.seed, o.watched} {
		of := " of " + filepath.Base(from)
		add("last checkpoint"+of, copied(from, last, last))
		add("checkpoint before"+of, copied(from, before, before))
		add("checkpoints"+of, copied(from, "checkpoints", "checkpoints"))
		add("later checkpoint"+of, copied(from, last, "checkpoints/step-50"))
		add("summary"+of, copied(from, summaryFile, summaryFile))
	}
	for _, name := range []string{model.ConfigFile, envFile, "snapshots/step-10.safetensors", "snapshots"} {
		add(name+" of another seed", copied(o.seed, name, name))
	}
	const first, second = "snapshots/step-10.safetensors", "snapshots/step-17.safetensors"
	add("exchange snapshots", exchanged(first, second))
	add("rename a snapshot", move(first, second))
	add("rename a snapshot to a new name", move(first, "snapshots/step-11.safetensors"))
	add("copy a snapshot", copied("", first, "snapshots/step-11.safetensors"))
	add("drop a snapshot", func(dir string) error { return os.Remove(at(dir, first)) })
	add("weights for a snapshot", copied("", last+"/"+model.WeightsFile, first))
	return edits
}

// copyTree copies a file or a folder.
func copyTree(from, to string) error {
	if info, err := os.Stat(from); err != nil || info.IsDir() {
		return errors.Join(err, os.CopyFS(to, os.DirFS(from)))
	}
	data, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, data, 0o644))
}

// Of all edits of a finished run's folder that keep every single checksum none escapes
// Check, and none a resume; and no number of another run is ever taken for this one's.
func TestEditsAreNoticed(t *testing.T) {
	o := trainOthers(t)
	rows := rowEdits(t, o)
	for _, e := range slices.Clone(rows) {
		rows = append(rows, rechained(e))
	}
	edits := fileEdits(o)
	for i, e := range rows {
		if needs.Exhaustive() || i%6 == 0 {
			edits = append(edits, e)
		}
	}
	if r := Check(o.own); len(r.Problems)+len(r.Notes) > 0 || !r.Complete {
		t.Fatalf("the run that nobody touched: %+v", r)
	}
	want, err := Metrics(o.own)
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	for i, e := range edits {
		dir := filepath.Join(parent, fmt.Sprint(i))
		if err := errors.Join(copyTree(o.own, dir), e.do(dir)); err != nil {
			t.Fatalf("%s: %v", e.what, err)
		}
		checkEdited(t, e.what, dir, want)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d edits", len(edits))
}

// Where rows are lost for good, the checkpoints are bound to those that are left, and any
// of them can still stand in for a later one.
func TestCheckpointsAfterLostRows(t *testing.T) {
	dir := uninterrupted(t, 1)
	if err := editRows("", func(l []string) []string { return slices.Delete(l, 2, 3) }).do(dir); err != nil {
		t.Fatal(err)
	}
	resume := func() (told notes) {
		r, err := Resume(t.Context(), dir, Options{Workers: 1, OnNote: told.add})
		if err == nil {
			err = errors.Join(r.Train(t.Context()), r.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return told
	}
	lost := "metrics.jsonl is damaged or cut off: its rows for steps 10 to 35 are lost"
	if told, want := resume(), []string{lost + "; it is kept as metrics.jsonl.changed"}; !slices.Equal(told, want) {
		t.Errorf("notes %q, want %q", told, want)
	}
	wantProblems(t, dir, "DIR/metrics.jsonl: 6 rows are missing, for steps 10 to 35")
	write(t, filepath.Join(dir, checkpointDir, "step-40", model.WeightsFile), "")
	told := resume()
	if len(told) != 3 || told[1] != "resuming from step-30 instead" || told[2] != strings.Replace(lost, "35", "25", 1) {
		t.Errorf("notes %q", told)
	}
	wantProblems(t, dir, "DIR/metrics.jsonl: 4 rows are missing, for steps 10 to 25")
}

// checkEdited checks that an edit is noticed, and what comes of going on with the run.
func checkEdited(t *testing.T, what, dir string, want []Row) {
	t.Helper()
	r := Check(dir)
	if len(r.Problems) == 0 {
		t.Errorf("%s: Check finds nothing wrong: %+v", what, r)
	}
	for _, p := range r.Problems {
		if text := p.String(); strings.Contains(text, "\n") || len(text) > 400 || p.Text == "" {
			t.Errorf("%s: the problem %q", what, text)
		}
	}
	var told notes
	run, err := Resume(t.Context(), dir, Options{Workers: 1, OnNote: told.add})
	if err == nil {
		err = errors.Join(run.Train(t.Context()), run.Close())
		last, _ := run.Last()
		if err == nil && (last.Step != 40 || !reflect.DeepEqual(last.Evaluation, want[8].Evaluation)) {
			t.Errorf("%s: the run ends in %+v", what, last)
		}
	}
	if err == nil && len(told) == 0 {
		t.Errorf("%s: resumed without a word", what)
	}
	rows, err := Metrics(dir)
	for _, row := range rows {
		own := want[row.Step/5]
		if row.Watch == nil {
			own.Watch = nil // computed again by a resume that watches nothing
		}
		if err == nil && !reflect.DeepEqual(row, own) {
			t.Errorf("%s: Metrics has the row %+v", what, row)
		}
	}
}
