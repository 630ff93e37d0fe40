package sweep_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/document"
	"foretell/run"
	"foretell/sweep"
)

// trained returns the results of a study of two rates, two widths and two seeds.
func trained(t *testing.T, section string) (*sweep.Study, *sweep.Results) {
	t.Helper()
	m, err := study(t, section, 2, "train.lr=0.001,0.1", "model.d_model=4,8")
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, filepath.Join(t.TempDir(), "rates"), m)
	states, err := s.Train(t.Context(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Results(t.Context(), states)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// The results are the numbers of the runs' summaries, and the best value is the best one.
func TestResults(t *testing.T) {
	s, r := trained(t, "")
	for _, p := range r.Runs {
		rows, err := run.Metrics(p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		last := rows[len(rows)-1]
		if p.Results["kl"] != last.KL || p.Results["loss"] != last.LossEval || p.Step != 20 || p.Steps != 20 {
			t.Errorf("%+v, want the numbers of %+v", p, last)
		}
	}
	if r.Result != "kl" || r.Goal != "minimize" || r.Grid.X != "train.lr" || r.Grid.Y != "model.d_model" {
		t.Errorf("%s is to %s, by %s and %s", r.Result, r.Goal, r.Grid.X, r.Grid.Y)
	}
	for i, b := range r.Best {
		if b.X != "0.1" || b.Mean != *r.Grid.Cells[i][1].Mean || b.Mean >= *r.Grid.Cells[i][0].Mean {
			t.Errorf("the best rate of row %d is %+v", i, b)
		}
	}
	if _, most := trained(t, "sweep: {metric: {name: gap, goal: maximize}}\n"); most.Best[0].X != "0.1" || most.Result != "gap" {
		t.Errorf("the largest gap is at %+v", most.Best)
	}
	if err := r.Write("foretell sweep"); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(s.Dir, "report.html"))
	if err != nil || strings.Count(string(page), "<figure") < 3 {
		t.Errorf("the page has %d figures, %v", strings.Count(string(page), "<figure"), err)
	}
	table, err := os.ReadFile(filepath.Join(s.Dir, "runs.csv"))
	if rows := strings.Count(string(table), "\n"); err != nil || rows != 9 {
		t.Errorf("runs.csv has %d lines, %v", rows, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "grid.svg")); err != nil {
		t.Error(err)
	}
}

// Results of a study of which nothing or only a part is there.
func TestResultsOfAPart(t *testing.T) {
	s, _ := trained(t, "")
	for i := range 3 {
		if err := os.RemoveAll(s.Run(s.Runs[i])); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		states, err := s.States()
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Results(t.Context(), states)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := r.Forms("").Write(&out, document.Terminal); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: got\n%s\nwant %s", err, out.String(), want)
		}
		if err := r.Write(""); err != nil {
			t.Error(err)
		}
	}
	check(": 5 of 8 runs are complete.")
	for _, planned := range s.Runs {
		if err := os.RemoveAll(s.Run(planned)); err != nil {
			t.Fatal(err)
		}
	}
	check(": 0 of 8 runs are complete.")
}

// A metric that no run has is an error that names the nearest.
func TestUnknownMetric(t *testing.T) {
	m, err := study(t, "sweep: {metric: {name: los}}\n", 0, "train.lr=0.001,0.1")
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, t.TempDir(), m)
	states, err := s.Train(t.Context(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Results(t.Context(), states)
	if want := filepath.Join(s.Dir, "study.yaml") + `: metric: no run has the result los; did you mean "loss"?`; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
