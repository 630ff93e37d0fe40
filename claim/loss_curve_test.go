package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"foretell/figure"
	"foretell/run"
	"foretell/train"
)

// rowsOf returns evaluations at steps 0, 1, … with these losses.
func rowsOf(floor, chance float64, losses ...float64) (rows []run.Row) {
	for step, loss := range losses {
		rows = append(rows, run.Row{Evaluation: train.Evaluation{
			Step: step, LossEval: loss, Chance: chance, Optimum: &train.Optimum{Floor: floor},
		}})
	}
	return rows
}

// A curve begins where all runs are near chance, ends with the shortest, and has the
// median, the range, the floor and chance of its runs.
func TestLossCurve(t *testing.T) {
	group := []Training{{Name: "tiny-seed1"}, {Name: "tiny-seed2"}}
	c := newLossCurve(group, [][]run.Row{rowsOf(0.5, 1, 1, 0.9, 0.8), rowsOf(0.7, 1.2, 1.2, 1, 0.8, 0.75)})
	if c.name != "tiny" || c.models != 2 || !slices.Equal(c.steps, []float64{0, 1, 2}) {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.low, []float64{1, 0.9, 0.8}) || !slices.Equal(c.high, []float64{1.2, 1, 0.8}) ||
		!slices.Equal(c.median, []float64{1.1, 0.95, 0.8}) {
		t.Errorf("from %v over %v to %v", c.low, c.median, c.high)
	}
	if c.floor != 0.6 || c.chance != 1.1 {
		t.Errorf("floor %v, chance %v", c.floor, c.chance)
	}
	late := newLossCurve(group[:1], [][]run.Row{rowsOf(0.5, 1, 9, 1, 0.8)})
	if late.name != "tiny-seed1" || !slices.Equal(late.steps, []float64{1, 2}) {
		t.Errorf("a run that begins far above chance: %+v", late)
	}
	if half := c.panel("two").Aspect; half != 0.5 {
		t.Errorf("a panel is %v as high as wide, want 0.5", half)
	}
	if band := c.panel("two").Series[0]; band.Style != figure.BandedLine || !slices.Equal(band.Hi, c.high) {
		t.Errorf("two models are drawn as %+v", band)
	}
	if alone := late.panel("one").Series[0]; alone.Style == figure.BandedLine || alone.Hi != nil {
		t.Errorf("one model has a band: %+v", alone)
	}
}

// Panels fill the figures but the last, and names that are long are in fewer columns.
func TestPanelsOfAFigure(t *testing.T) {
	for _, c := range []struct {
		width  int // of a name
		curves int
		want   []int // panels of each figure
	}{
		{10, 12, []int{12}},
		{10, 13, []int{12, 1}},
		{10, 24, []int{12, 12}},
		{10, 25, []int{12, 12, 1}},
		{200, 5, []int{2, 2, 1}},
	} {
		l := &Losses{}
		for i := range c.curves {
			name := strings.Repeat(string(rune('a'+i)), c.width)
			l.curves = append(l.curves, lossCurve{name: name, models: 1, steps: []float64{0, 1}, median: []float64{1, 0}})
		}
		figures := l.Figures()
		var got []int
		for i, f := range figures {
			n := 0
			for _, row := range f.Panels {
				n += len(row)
			}
			got = append(got, n)
			title := lossTitle
			if len(figures) > 1 {
				title = fmt.Sprintf("%s, %d of %d", lossTitle, i+1, len(c.want))
			}
			if f.Title != title {
				t.Errorf("%d curves: the figure %q, want %q", c.curves, f.Title, title)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d curves of names of %d letters: panels %v, want %v", c.curves, c.width, got, c.want)
		}
	}
}
