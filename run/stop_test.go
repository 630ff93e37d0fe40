package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/fuse"
	"foretell/model"
	"foretell/train"
)

// stopsAlone is the folder of a run that stops early, undisturbed.
func stopsAlone(t *testing.T, workers int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Ensure(t.Context(), dir, stopConfig(), Options{Workers: workers}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// stopsInterrupted begins a run that stops early and interrupts it after a step.
func stopsInterrupted(t *testing.T, step int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Workers: 2, OnStep: func(at int, _ float64) {
		if at == step {
			cancel()
		}
	}}
	if _, err := Ensure(ctx, dir, stopConfig(), o); !errors.Is(err, ErrInterrupted) {
		t.Fatal(err)
	}
	return dir
}

// wantStopped checks that a run has the files of one left alone, but perhaps an earlier
// checkpoint of another step.
func wantStopped(t *testing.T, what, dir string, want map[string]string) {
	t.Helper()
	got := contents(t, dir)
	for path, text := range want {
		if earlier := strings.HasPrefix(path, checkpointDir) && !strings.Contains(path, stepName(stopsAt)); !earlier && got[path] != text {
			t.Errorf("%s: %s is not that of a run left alone", what, path)
		}
	}
	if r := Check(dir); len(r.Problems) > 0 || !r.Complete {
		t.Errorf("%s: %+v", what, r)
	}
}

// A run that stops ends in the weights of the best evaluation, those of a run that has
// so many steps, and everybody who asks gets these and is told so.
func TestStoppedRunIsItsBestEvaluation(t *testing.T) {
	dir := stopsAlone(t, 1)
	c := stopConfig()
	c.Train.Stop, c.Train.NumSteps = nil, bestAt
	short := filepath.Join(t.TempDir(), "short")
	want, err := Ensure(t.Context(), short, c, Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	for what, open := range map[string]func() (*Trained, error){
		"Open":   func() (*Trained, error) { return Open(dir) },
		"@":      func() (*Trained, error) { return Open(fmt.Sprint(dir, "@", bestAt)) },
		"Ensure": func() (*Trained, error) { return Ensure(t.Context(), dir, stopConfig(), Options{}) },
		"new": func() (*Trained, error) {
			return Ensure(t.Context(), filepath.Join(t.TempDir(), "run"), stopConfig(), Options{Workers: 3})
		},
	} {
		if got, err := open(); err != nil || got.Step != bestAt || got.Model.Checksum() != want.Model.Checksum() || len(got.Notes) > 0 {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
	last := mustOpen(t, filepath.Join(dir, checkpointDir, stepName(stopsAt)))
	if last.Step != stopsAt || last.Model.Checksum() == want.Model.Checksum() {
		t.Errorf("the last checkpoint is of step %d", last.Step)
	}
	rows, err := Metrics(dir)
	if err != nil || len(rows) != 1+stopsAt/4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	shorter, err := Metrics(short)
	if err != nil || !reflect.DeepEqual(rows[:len(shorter)], shorter) {
		t.Errorf("%v: the rows differ from those without a rule", err)
	}
	best := rows[bestAt/4]
	chosen := Chosen{stopsAt, true, bestAt, best.LossEval}
	if s := (Summary{best, &chosen}); true {
		text, err := s.text()
		if err != nil || read(t, filepath.Join(dir, summaryFile)) != string(text) {
			t.Errorf("%v, summary.json is %s", err, read(t, filepath.Join(dir, summaryFile)))
		}
		var out bytes.Buffer
		s.Print(&out, "run")
		if want := fmt.Sprintf("\n  stopped early by train.stop at step 24; the model is from step 12 (loss by which it was chosen: %.5f nats)\n", best.LossEval); !strings.HasSuffix(out.String(), want) {
			t.Errorf("%q, want … %q", &out, want)
		}
	}
	if info, _ := Describe(dir); !info.Complete || info.Step != stopsAt || !reflect.DeepEqual(info.Stop, &chosen) ||
		info.String() != "mess3, "+chosen.String() {
		t.Errorf("%+v", info)
	}
	if r := Check(dir); len(r.Problems) > 0 || len(r.Notes) > 0 || !r.Complete || r.Steps != 60 || !reflect.DeepEqual(r.Stop, &chosen) ||
		r.String() != dir+": "+chosen.String()+"; all files are intact" {
		t.Errorf("%+v", r)
	}
	if r, err := ReadRecord(dir); err != nil || !reflect.DeepEqual(r.Stop, &chosen) {
		t.Errorf("%+v, %v", r, err)
	}
	if got := Steps(dir); !reflect.DeepEqual(got, []int{0, bestAt, 18, stopsAt}) {
		t.Errorf("weights of steps %v", got)
	}
}

// A run that stops early and is interrupted after any step ends in the same files.
func TestStopsAlikeInterruptedAtAnyStep(t *testing.T) {
	want := contents(t, stopsAlone(t, 3))
	for step := 1; step < stopsAt; step++ {
		dir := stopsInterrupted(t, step)
		if r := Check(dir); len(r.Problems) > 0 || r.Complete || r.Stop != nil {
			t.Errorf("step %d: %+v", step, r)
		}
		if got := mustOpen(t, dir); got.Step != step {
			t.Errorf("step %d: an unfinished run opens at step %d", step, got.Step)
		}
		if _, err := Ensure(t.Context(), dir, stopConfig(), Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		wantStopped(t, fmt.Sprint("step ", step), dir, want)
	}
}

// The same wherever it is interrupted, also within evaluations, the last among them.
func TestStopsAlikeInterruptedAnywhere(t *testing.T) {
	want := contents(t, stopsAlone(t, 1))
	endless := fuse.New(1 << 30)
	if _, err := Ensure(endless, filepath.Join(t.TempDir(), "run"), stopConfig(), Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	inLast, stride := 0, 7
	for asked := endless.Asked() - 1; asked > 0; asked -= stride {
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := Ensure(fuse.New(asked), dir, stopConfig(), Options{Workers: 1}); !errors.Is(err, ErrInterrupted) {
			t.Fatalf("asked %d times: %v", asked, err)
		}
		if !holdsRun(dir) { // it has not begun
			break
		}
		if s, at, err := newestState(dir, hexHash([]byte(read(t, filepath.Join(dir, model.ConfigFile))))); err == nil && at == stopsAt && s.Stop.Last < at {
			inLast++
			if _, err := Ensure(fuse.New(asked/4), dir, stopConfig(), Options{Workers: 1}); err == nil {
				t.Error("not interrupted again")
			}
		} else {
			stride = 13
		}
		if _, err := Ensure(t.Context(), dir, stopConfig(), Options{Workers: 2}); err != nil {
			t.Fatal(err)
		}
		wantStopped(t, fmt.Sprint("asked ", asked, " times"), dir, want)
	}
	if inLast == 0 {
		t.Error("no interruption met the last evaluation")
	}
}

// Damaged rows, a damaged checkpoint and damaged weights of the best evaluation change
// neither the step at which a run stops nor its model, and are reported.
func TestStopSurvivesDamage(t *testing.T) {
	alone := stopsAlone(t, 1)
	want := mustOpen(t, alone).Model.Checksum()
	for what, damages := range map[string]struct {
		path string
		do   func(data []byte) []byte
	}{
		"rows":              {metricsFile, func(data []byte) []byte { data[bytes.Index(data, []byte(`"step":12,`))] ^= 1; return data }},
		"all rows":          {metricsFile, func([]byte) []byte { return nil }},
		"best weights":      {"checkpoints/step-22/" + bestFile, damage["altered"]},
		"best weights, cut": {"checkpoints/step-22/" + bestFile, damage["truncated"]},
		"state":             {"checkpoints/step-22/" + stateFile, damage["emptied"]},
	} {
		dir := stopsInterrupted(t, 22)
		path := filepath.Join(dir, damages.path)
		write(t, path, string(damages.do([]byte(read(t, path)))))
		if r := Check(dir); len(r.Problems) == 0 {
			t.Errorf("%s: the check finds nothing", what)
		}
		var told notes
		got, err := Ensure(t.Context(), dir, stopConfig(), Options{Workers: 2, OnNote: told.add})
		if err != nil || len(told) == 0 {
			t.Fatalf("%s: %v, notes %q", what, err, told)
		}
		if got.Step != bestAt || got.Model.Checksum() != want || mustOpen(t, dir).Model.Checksum() != want {
			t.Errorf("%s: the model is that of step %d", what, got.Step)
		}
		if read(t, filepath.Join(dir, summaryFile)) != read(t, filepath.Join(alone, summaryFile)) {
			t.Errorf("%s: another summary.json", what)
		}
	}
}

// What somebody has done to a run that has stopped is found.
func TestCheckOfAStoppedRun(t *testing.T) {
	last := "checkpoints/step-24/"
	for what, change := range map[string]func(dir string) error{
		"best weights gone":  func(dir string) error { return os.Remove(filepath.Join(dir, last+bestFile)) },
		"the last weights":   func(dir string) error { return copyFile(dir, last+model.WeightsFile, last+bestFile) },
		"summary of the row": func(dir string) error { return copyFile(dir, "24.json", summaryFile) },
		"another row": func(dir string) error {
			return rechained(editRows("", func(l []string) []string {
				return append(l, strings.Replace(l[len(l)-1], `"step":24`, `"step":28`, 1))
			})).do(dir)
		},
	} {
		dir := stopsAlone(t, 1)
		rows, err := Metrics(dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Summary{Row: rows[len(rows)-1]}.text()
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "24.json"), string(text))
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		if r := Check(dir); len(r.Problems) == 0 {
			t.Errorf("%s: %+v", what, r)
		}
		if _, err := Ensure(t.Context(), dir, stopConfig(), Options{Workers: 1}); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		os.Remove(filepath.Join(dir, "24.json"))
		if r := Check(dir); len(r.Problems) > 0 || !r.Complete {
			t.Errorf("%s: then %+v", what, r)
		}
	}
}

func copyFile(dir, from, to string) error {
	data, err := os.ReadFile(filepath.Join(dir, from))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, to), data, 0o644)
}

// A run whose rule has not ended it is extended to the longer run. Where the longer run
// would be another, one line says so.
func TestExtendWithStop(t *testing.T) {
	want := contents(t, stopsAlone(t, 1))
	shorter := func(steps int) string {
		dir, c := filepath.Join(t.TempDir(), "run"), stopConfig()
		c.Train.NumSteps = steps
		if _, err := Ensure(t.Context(), dir, c, Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for _, dir := range []string{shorter(16), stopsInterrupted(t, 14)} {
		mustExtend(t, dir, "train.num_steps=60")
		got := contents(t, dir)
		for _, path := range []string{model.ConfigFile, summaryFile, "checkpoints/step-24/model.safetensors", "checkpoints/step-24/best.safetensors"} {
			if got[path] != want[path] {
				t.Errorf("%s differs from that of the longer run", path)
			}
		}
		if r := Check(dir); len(r.Problems) > 0 || !r.Complete || r.Stop.Step != bestAt {
			t.Errorf("%+v", r)
		}
	}
	const start = "; train in another folder, from the beginning or from these weights by train.init: "
	for _, test := range []struct{ dir, set, want string }{
		{stopsAlone(t, 1), "train.num_steps=90", "train.num_steps cannot change: train.stop has ended the run at step 24, and a longer run would end there, too"},
		{shorter(18), "train.num_steps=90", "train.num_steps cannot change: train.stop has counted the evaluation of the last step, 18, " +
			"which a longer run would not make, as it evaluates every 4 steps"},
		{stopsInterrupted(t, 9), "train.evaluate_every=5", "train.evaluate_every cannot change with train.stop, which counts evaluations"},
	} {
		before := contents(t, test.dir)
		r, err := Extend(t.Context(), test.dir, Options{Workers: 1}, test.set)
		if fmt.Sprint(err) != test.want+start+test.dir {
			t.Errorf("%v, %v", r, err)
		}
		wantSame(t, contents(t, test.dir), before)
	}
	dir := stopsAlone(t, 1)
	mustExtend(t, dir, "train.checkpoint_every=7")
	if r := Check(dir); len(r.Problems) > 0 || !r.Complete || r.Stop == nil {
		t.Errorf("%+v", r)
	}
}

// A run says before its first step how it may stop; a run without the rule has none of
// its words in its files.
func TestStopInWords(t *testing.T) {
	r, err := Create(t.Context(), filepath.Join(t.TempDir(), "run"), stopConfig(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if want := "at most 60 steps of 24 sequences of 6 tokens, ends early, when 3 evaluations in a row are not better than the best one"; !strings.HasSuffix(r.Beginning(), want) {
		t.Errorf("%q, want … %q", r.Beginning(), want)
	}
	dir := uninterrupted(t, 1)
	for path, text := range contents(t, dir) {
		if strings.Contains(path, bestFile) || !strings.HasSuffix(path, "safetensors") && (strings.Contains(text, `"stop"`) || strings.Contains(text, "stop:")) {
			t.Errorf("%s of a run without the rule: %s", path, text)
		}
	}
	never := Chosen{40, false, 35, 1.25}
	text, err := json.Marshal(never)
	if err != nil || string(text) != `{"last_step":40,"early":false,"model_step":35,"model_loss":1.25}` ||
		never.String() != "ended at its last step, 40; the model is from step 35 (loss by which it was chosen: 1.25000 nats)" {
		t.Errorf("%v, %s, %s", err, text, never)
	}
	s := state{Stop: &stopping{Last: 36}, Step: 40}
	if o := (train.Options{NumSteps: 40, Stop: &train.Stop{Patience: 2}}); s.complete(o) || s.stoppedAt(o) != 0 {
		t.Error("a run is complete before its last evaluation")
	}
}
