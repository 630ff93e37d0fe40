package run

import (
	"os"
	"path/filepath"
	"testing"

	"foretell/train"
)

// A record has the configuration, the engine of all sessions and their number, and the
// times of the last session; an incomplete run has none.
func TestReadRecord(t *testing.T) {
	c := smallConfig()
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := Ensure(t.Context(), dir, c, Options{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadRecord(dir)
	if err != nil || string(r.Config) != string(text) || r.Engine != train.BitsVersion || r.Sessions != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	summary, err := os.Stat(filepath.Join(dir, summaryFile))
	if err != nil || !r.Ended.Equal(summary.ModTime()) || r.Began.IsZero() || r.Began.After(r.Ended) {
		t.Errorf("began %v, ended %v, %v, want the time of the summary", r.Began, r.Ended, err)
	}
	if err := os.Remove(filepath.Join(dir, summaryFile)); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadRecord(dir); err == nil {
		t.Errorf("a run without a summary has the record %+v", r)
	}
}

// A run of several engines has the engine 0.
func TestRecordOfSeveralEngines(t *testing.T) {
	for _, test := range []struct {
		lives string
		want  int
	}{
		{`[{"engine": 1}]`, 1},
		{`[{"engine": 2}, {"engine": 2}]`, 2},
		{`[{"engine": 1}, {"engine": 2}]`, 0},
		{`[{"engine": 1}, {"engine": 2}, {"engine": 2}]`, 0},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"config.yaml": "", envFile: `{"format": 2, "lives": ` + test.lives + `}`, summaryFile: "{}",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := ReadRecord(dir); err != nil || r.Engine != test.want {
			t.Errorf("%s: engine %d, %v, want %d", test.lives, r.Engine, err, test.want)
		}
	}
}
