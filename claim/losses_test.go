package claim_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/figure"
	"foretell/run"
)

// Models of other seeds are one curve; what has no complete run is left out, and the
// files are the same whenever they are written.
func TestLosses(t *testing.T) {
	dir := t.TempDir()
	wide := tiny(9)
	wide.Name, wide.Config.Model.DModel = "wide-seed9", 8
	untrained, list := tiny(4), []claim.Training{tiny(1), tiny(2), wide, tiny(3), tiny(1)}
	for _, training := range list {
		folder := filepath.Join(dir, "runs", training.Name)
		if _, err := run.Ensure(t.Context(), folder, training.Config, run.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	longer := tiny(3)
	longer.Config.Train.NumSteps = 2 * tinySteps // of which the folder has half
	l := claim.ReadLosses(dir, append(list[:3:3], untrained, longer, tiny(1)))
	if got := l.Models(); got != 3 {
		t.Errorf("%d models, want 3: seeds 1 and 2, and the wide one", got)
	}
	table, content, err := l.CSV("data/loss.csv")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(content.Columns[0].Codes, " "), "tiny wide-seed9"; got != want {
		t.Errorf("curves %q, want %q", got, want)
	}
	if want := "group,models,step,loss,loss_lowest,loss_highest,floor,chance\n0,2,"; !strings.HasPrefix(string(table), want) {
		t.Errorf("the table is\n%s", table)
	}
	for _, want := range []string{"the band holds all", "on held-out sequences, between"} {
		if !strings.Contains(l.Caption(), want) {
			t.Errorf("the caption does not say %q: %s", want, l.Caption())
		}
	}
	if title := l.Figures()[0].Title; title != "How the models learned" {
		t.Errorf("the only figure is called %q", title)
	}
	drawn, err := l.Figures()[0].SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">tiny (2)<", ">wide-seed9<", ">floor<", ">chance<"} {
		if strings.Count(string(drawn), want) != 1 {
			t.Errorf("the figure has not one %s", want)
		}
	}
	if caption := claim.ReadLosses(dir, list[1:3]).Caption(); strings.Contains(caption, "share a panel") {
		t.Errorf("models without a second seed have the caption %s", caption)
	}
	if again, err := claim.ReadLosses(dir, list[:3]).Figures()[0].SVG(); err != nil || !bytes.Equal(drawn, again) {
		t.Errorf("the same models are drawn otherwise (%v)", err)
	}
	if l := claim.ReadLosses(t.TempDir(), list); l != nil {
		t.Errorf("%d models without a run", l.Models())
	}
}

// trainedKinds trains n models of different widths, named by a format of their number, in
// the runs of a folder.
func trainedKinds(t *testing.T, n int, name string) (dir string, list []claim.Training) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		training := tiny(1)
		training.Name, training.Config.Model.DModel = fmt.Sprintf(name, i), 4+2*i
		folder := filepath.Join(dir, "runs", training.Name)
		if _, err := run.Ensure(t.Context(), folder, training.Config, run.Options{}); err != nil {
			t.Fatal(err)
		}
		list = append(list, training)
	}
	return dir, list
}

// Many kinds of models are several figures, each of which fits on a page, and each kind
// is in one.
func TestManyLossesAreSeveralFigures(t *testing.T) {
	const kinds = 26
	dir, list := trainedKinds(t, kinds, "kind%02d")
	figures := claim.ReadLosses(dir, list).Figures()
	if len(figures) != 3 || figures[2].Title != "How the models learned, 3 of 3" {
		t.Fatalf("%d figures, the last %q, want 3", len(figures), figures[len(figures)-1].Title)
	}
	var all strings.Builder
	for _, f := range figures {
		drawn, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(drawn)
		const page = 960 // points, where one is 680 wide
		if h := heightOf(t, drawn); h > page {
			t.Errorf("%s is %g points high, want at most %d", f.Title, h, page)
		}
	}
	for i := range kinds {
		if n := strings.Count(all.String(), fmt.Sprintf(">kind%02d<", i)); n != 1 {
			t.Errorf("kind %d is drawn %d times", i, n)
		}
	}
}

// Only the first panel of a row names the vertical axis, only one with no panel below it
// the horizontal one, and only the last of a row the floor and chance.
func TestPanelsAreLabelledOnce(t *testing.T) {
	dir, list := trainedKinds(t, 7, "kind-%d")
	rows := claim.ReadLosses(dir, list).Figures()[0].Panels
	if len(rows) != 2 || len(rows[0]) != 4 || len(rows[1]) != 3 {
		t.Fatalf("%d rows, want one of 4 panels and one of 3", len(rows))
	}
	for r, row := range rows {
		for c, panel := range row {
			chart := panel.(figure.Chart)
			if want := fmt.Sprint(4*r + c); chart.Title != want {
				t.Errorf("panel %d of row %d has the title %q, want %q", c, r, chart.Title, want)
			}
			if got, want := chart.Y.Label != "", c == 0; got != want {
				t.Errorf("panel %d of row %d names its vertical axis: %v", c, r, got)
			}
			below := r+1 < len(rows) && c < len(rows[r+1])
			if got := chart.X.Label != ""; got == below {
				t.Errorf("panel %d of row %d names its horizontal axis: %v", c, r, got)
			}
			last := c == len(row)-1
			if got := chart.Refs[0].Label != "" && chart.Refs[1].Label != ""; got != last {
				t.Errorf("panel %d of row %d names floor and chance: %v", c, r, got)
			}
		}
	}
	alone := claim.ReadLosses(dir, list[:1]).Figures()[0].Panels[0][0].(figure.Chart)
	if alone.Title != "kind-0" {
		t.Errorf("the only panel has the title %q", alone.Title)
	}
}

func heightOf(t *testing.T, svg []byte) float64 {
	t.Helper()
	found := regexp.MustCompile(`height="([0-9.]+)pt"`).FindSubmatch(svg)
	if found == nil {
		t.Fatalf("no height in %.200s", svg)
	}
	h, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The caption says over what the loss of objective: exact is a mean.
func TestLossesOfTheExactObjective(t *testing.T) {
	dir, exact := t.TempDir(), tiny(1)
	exact.Config.Train.Objective, exact.Config.Train.BatchSize = "exact", 0
	if _, err := run.Ensure(t.Context(), filepath.Join(dir, "runs", exact.Name), exact.Config, run.Options{}); err != nil {
		t.Fatal(err)
	}
	got := claim.ReadLosses(dir, []claim.Training{exact}).Caption()
	if want := "Loss by step, averaged over all sequences by their probabilities (objective: exact), between"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
