package curves_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/curves"
	"foretell/run/runtest"
	"foretell/train"
)

// trainGrid trains two rates with two widths and two seeds, without one of the runs, and
// takes the summary of another away, as if it was still training.
func trainGrid(t *testing.T) *curves.Set {
	t.Helper()
	dir := t.TempDir()
	for _, lr := range []float64{0.01, 0.002} {
		for _, width := range []int{4, 8} {
			for seed := range uint64(2) {
				if lr == 0.002 && width == 8 && seed == 1 {
					continue
				}
				runtest.Train(t, filepath.Join(dir, fmt.Sprint(lr, width, seed)), func(c *train.Config) {
					c.Train.LR, c.Model.DModel, c.Train.Seed = lr, width, seed
				})
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, fmt.Sprint(0.01, 8, 0), "summary.json")); err != nil {
		t.Fatal(err)
	}
	set, err := curves.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A grid has the mean and the standard deviation of the complete runs of each cell.
func TestGrid(t *testing.T) {
	set := trainGrid(t)
	if got := fmt.Sprint(set.Differing()); got != "[model.d_model train.lr train.seed]" {
		t.Errorf("the runs differ in %s", got)
	}
	if got := fmt.Sprint(set.Results()); got != "[loss floor chance kl gap norm of W_U]" {
		t.Errorf("the results are %s", got)
	}
	g, err := set.NewGrid("train.lr", "model.d_model", curves.KL)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Xs, g.Ys, g.Over); got != "[0.002 0.01] [4 8] [train.seed]" {
		t.Errorf("the grid is over %s", got)
	}
	shape := ""
	for i, row := range g.Cells {
		for k, cell := range row {
			shape += fmt.Sprintf(" %d/%d/%d", len(cell.Values), cell.Complete, cell.Runs)
			var sum, squares, n float64
			for _, r := range set.Runs {
				if x, _ := r.ResultOf(curves.KL); r.Complete && r.Setting(g.X) == g.Xs[k] && r.Setting(g.Y) == g.Ys[i] {
					sum, squares, n = sum+x, squares+x*x, n+1
				}
			}
			if math.Abs(*cell.Mean-sum/n) > 1e-12 {
				t.Errorf("row %d, column %d: mean %g, want %g", i, k, *cell.Mean, sum/n)
			}
			if (cell.SD == nil) != (n < 2) {
				t.Errorf("row %d, column %d: a deviation of %g values", i, k, n)
			} else if sd := math.Sqrt((squares - sum*sum/n) / (n - 1)); cell.SD != nil && math.Abs(*cell.SD-sd) > 1e-9 {
				t.Errorf("row %d, column %d: deviation %g, want %g", i, k, *cell.SD, sd)
			}
		}
	}
	if shape != " 2/2/2 2/2/2 1/1/1 1/1/2" {
		t.Errorf("the cells have %s results, complete runs and runs", shape)
	}
	var text strings.Builder
	g.Forms("").Print(&text)
	for _, want := range []string{"model.d_model \\ train.lr\t0.002\t0.01\n", "(1 of 2)", "1 run without this result"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
	for _, ending := range []string{".svg", ".html", ".csv", ".json"} {
		var out strings.Builder
		if err := g.Forms("").Write(&out, ending); err != nil || out.Len() == 0 {
			t.Errorf("%s: %v", ending, err)
		}
	}
	if line, err := set.NewGrid("train.lr", "", "norm of W_U"); err != nil || len(line.Cells) != 1 ||
		*line.Cells[0][0].Mean != 2 || *line.Cells[0][0].SD != 0 || len(line.Over) != 2 {
		t.Errorf("%+v, %v", line, err)
	}
}

func TestGridRefuses(t *testing.T) {
	set := trainGrid(t)
	for _, c := range [][4]string{
		{"train.lrr", "", "kl", `no run has the setting train.lrr; did you mean "train.lr"?`},
		{"lr", "d_modle", "kl", `no run has the setting d_modle; the names are`},
		{"train.lr", "", "los", `no run has the result los; did you mean "loss"?`},
	} {
		if _, err := set.NewGrid(c[0], c[1], c[2]); !strings.HasPrefix(fmt.Sprint(err), c[3]) {
			t.Errorf("got  %v\nwant %s", err, c[3])
		}
	}
}

// A mean over a setting that nobody named is refused, and the CSV of the curves has a
// column for each setting that differs.
func TestSettingsAreNamed(t *testing.T) {
	set := trainGrid(t)
	g, err := set.NewGrid("train.lr", "", "loss")
	if err != nil {
		t.Fatal(err)
	}
	if err := set.CheckOver(g, g.Over); err != nil {
		t.Error(err)
	}
	want := "the runs also differ in " + g.Over[1] + "; make it the second setting, or name it among those to average over"
	if err := set.CheckOver(g, g.Over[:1]); fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var table strings.Builder
	if err := set.Forms("").Write(&table, ".csv"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	if !strings.HasSuffix(lines[0], ",model.d_model,train.lr,train.seed") {
		t.Errorf("columns %s", lines[0])
	}
	last := set.Runs[len(set.Runs)-1]
	if values := "," + last.Setting("model.d_model") + "," + last.Setting("train.lr") + "," + last.Setting("train.seed"); !strings.HasSuffix(lines[len(lines)-2], values) {
		t.Errorf("the last row is %s, want the settings %s", lines[len(lines)-2], values)
	}
}
