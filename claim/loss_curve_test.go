package claim

import (
	"slices"
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
	if band := c.panel("two").Series[0]; band.Style != figure.BandedLine || !slices.Equal(band.Hi, c.high) {
		t.Errorf("two models are drawn as %+v", band)
	}
	if alone := late.panel("one").Series[0]; alone.Style == figure.BandedLine || alone.Hi != nil {
		t.Errorf("one model has a band: %+v", alone)
	}
}
