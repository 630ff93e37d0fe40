package figure

import (
	"math"
	"strings"
	"testing"
)

func TestBadDataIsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ok := []float64{1, 2, 3}
	series := func(s Series) Panel { return Chart{Title: "C", Series: []Series{s}} }
	third := []float64{0.2, 0.3, 0.5}
	for _, c := range []struct {
		panel Panel
		want  string
	}{
		{series(Series{Name: "loss", X: ok, Y: []float64{1, nan, 3}}), `chart "C": series "loss": y[1] is NaN`},
		{series(Series{X: []float64{1, 2, inf}, Y: ok}), `series 0: x[2] is +Inf`},
		{series(Series{X: ok, Y: ok[:2]}), `y has 2 values, x has 3`},
		{series(Series{}), `x is empty`},
		{series(Series{X: ok, Y: ok, Lo: ok}), `hi has 0 values, y has 3`},
		{series(Series{X: ok, Y: ok, Lo: ok, Hi: []float64{1, 1, 3}}), `y[1] = 2 is outside its interval [2, 1]`},
		{series(Series{X: ok, Y: ok, Lo: ok, Hi: []float64{1, inf, 3}}), `hi[1] is +Inf`},
		{series(Series{X: ok, Y: ok, Color: -1}), `color = -1`},
		{series(Series{X: ok, Y: ok, Dash: -1}), `dash = -1 is negative, want at least 0`},
		{series(Series{X: ok, Y: ok, Radius: -1}), `radius = -1 is not a length`},
		{series(Series{X: ok, Y: ok, Style: 5}), `style = 5 is not a style of a series`},
		{series(Series{X: ok, Y: ok, Style: Band}), `a band needs lo and hi`},
		{series(Series{X: ok, Y: ok, Lo: ok, Hi: ok, Style: Band, Open: true}), `a band cannot be open`},
		{series(Series{X: ok, Y: ok, Dash: 2, Open: true}), `dash = 2 is for a line that is not open`},
		{series(Series{X: ok, Y: ok, Dash: 2, Style: Scatter}), `dash = 2 is for a line that is not open`},
		{series(Series{X: ok, Y: ok, Radius: 2, Style: Curve}), `radius = 2 is for markers`},
		{series(Series{X: ok, Y: ok, Upon: 2}), `upon = 2 is for a band`},
		{Chart{Series: []Series{{X: ok, Y: ok}}, Aspect: nan}, `aspect = NaN is not a ratio`},
		{Chart{}, `no series`},
		{Chart{Y: Axis{Log: true}, Series: []Series{{X: ok, Y: []float64{1, 0, 1}}}}, `y[1] = 0 cannot be shown on a logarithmic axis`},
		{Chart{Series: []Series{{X: ok, Y: ok}}, Refs: []Ref{{Label: "floor", Value: nan}}}, `reference "floor"[0] is NaN`},
		{Chart{X: Axis{Include: []float64{inf}}, Series: []Series{{X: ok, Y: ok}}}, `x axis: include[0] is +Inf`},
		{Chart{X: Axis{Log: true, Names: []string{"a"}}, Series: []Series{{X: ok, Y: ok}}}, `an axis with names cannot be logarithmic`},
		{series(Series{X: ok, Y: []float64{1, -1e300, 3}}), `y[1] = -1e+300 is beyond 1e+290`},
		{Plane{}, `no layers`},
		{Plane{Layers: []Layer{nil}}, `layer 0 is nil`},
		{Plane{Layers: []Layer{Points{Name: "p", X: ok, Y: []float64{nan, 0, 0}}}}, `series "p": y[0] is NaN`},
		{Plane{Layers: []Layer{Points{X: ok, Y: ok, Radius: ok[:2]}}}, `radius has 2 values, x has 3`},
		{Plane{Layers: []Layer{Points{X: ok, Y: ok, Colors: hues(2)}}}, `colors has 2 values, x has 3`},
		{Plane{Layers: []Layer{Arrows{X: ok, Y: ok, FromX: ok}}}, `from y has 0 values, x has 3`},
		{Plane{Layers: []Layer{Arrows{X: ok, Y: ok, FromX: ok, FromY: []float64{0, nan, 0}}}}, `from y[1] is NaN`},
		{Plane{Layers: []Layer{Path{}}}, `x is empty`},
		{Simplex{}, `p is empty`},
		{Simplex{P: [][]float64{third, {0.5, 0.5}}}, `p[1] has 2 components`},
		{Simplex{P: [][]float64{third, {0.5, 0.5, 0.5}}}, `p[1] sums to 1.5`},
		{Simplex{P: [][]float64{third, {0, 0, 0}}}, `p[1] is all zeros, like the belief after an impossible sequence: leave it out`},
		{Simplex{P: [][]float64{{nan, 0, 0}}}, `p[0][0] is NaN`},
		{Simplex{P: [][]float64{third}, Belief: [][]float64{third, third}}, `belief has 2 values, p has 1`},
		{Bars{}, `no groups`},
		{Bars{Groups: []string{"a"}, Series: []BarSeries{{Name: "s", Y: ok}}}, `series "s": y has 3 values, groups has 1`},
		{Bars{Y: Axis{Log: true}, Groups: []string{"a"}, Series: []BarSeries{{Y: ok[:1]}}}, `bars start at 0 and need a linear axis`},
		{Dots{}, `no groups`},
		{Dots{Groups: []string{"a"}, Series: []DotSeries{{Name: "s", X: ok}}}, `series "s": x has 3 values, groups has 1`},
		{Dots{Groups: []string{"a"}, Series: []DotSeries{{X: ok[:1]}}, Refs: []Ref{{Label: "chance"}}}, `reference "chance": dots take vertical`},
		{Dots{X: Axis{Log: true}, Groups: []string{"a"}, Series: []DotSeries{{X: []float64{-1}}}}, `x[0] = -1 cannot be shown`},
		{Dots{Groups: []string{"a"}, Series: []DotSeries{{X: ok[:1], Lo: []float64{9}, Hi: []float64{9}}}}, `x[0] = 1 is outside its interval [9, 9]`},
		{HeatMap{Title: "H"}, `heat map "H": z is empty`},
		{HeatMap{Z: [][]float64{ok, ok[:2]}}, `z[1] has 2 values`},
		{HeatMap{Z: [][]float64{ok, {1, nan, 2}}}, `z[1][1] is NaN`},
		{HeatMap{Z: [][]float64{ok}, Rows: []string{"a", "b"}}, `2 names for 1 rows`},
		{HeatMap{Z: [][]float64{ok}, Range: [2]float64{0, inf}}, `range[1] is +Inf`},
	} {
		doc, err := Single("T", "D", c.panel).SVG()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%#v: error %v, want %q", c.panel, err, c.want)
		}
		if doc != nil {
			t.Errorf("%#v: drawn in spite of %v", c.panel, err)
		}
	}
}

func TestBadGridIsRefused(t *testing.T) {
	p := Chart{Series: []Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}}
	for want, f := range map[string]*Figure{
		"title and description":        {Panels: [][]Panel{{p}}},
		"no panels":                    {Title: "T", Desc: "D", Panels: [][]Panel{{nil}}},
		"1 row labels for 2 rows":      {Title: "T", Desc: "D", Panels: [][]Panel{{p}, {p}}, Rows: []string{"a"}},
		"1 column titles for 2":        {Title: "T", Desc: "D", Panels: [][]Panel{{p, p}}, Cols: []string{"a"}},
		"width = -1":                   {Title: "T", Desc: "D", Panels: [][]Panel{{p}}, Width: -1},
		`row 0, column 1: chart: no s`: {Title: "T", Desc: "D", Panels: [][]Panel{{p, Chart{}}}},
	} {
		if _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// What is masked is not looked at.
func TestLowerTriangleIgnoresTheRest(t *testing.T) {
	z := [][]float64{{1, math.NaN()}, {0.5, 0.5}}
	if _, err := Single("T", "D", HeatMap{Z: z, Lower: true}).SVG(); err != nil {
		t.Error(err)
	}
}

// A grid fills its rows from the left.
func TestGrid(t *testing.T) {
	f := Grid(2, "three", "Three bars.", Bars{}, Bars{}, Bars{})
	if len(f.Panels) != 2 || len(f.Panels[0]) != 2 || len(f.Panels[1]) != 1 {
		t.Errorf("three panels are in the rows %v", f.Panels)
	}
}
