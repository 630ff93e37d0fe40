package figure

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"
)

// full has a panel of each kind, with something in every list that a panel may have.
func full() map[string]Panel {
	x, lo, hi := func() []float64 { return []float64{1, 2, 4} }, func() []float64 { return []float64{0.5, 1, 3} }, func() []float64 { return []float64{2, 3, 5} }
	names := func() []string { return []string{"a", "b", "c"} }
	axis := func() Axis { return Axis{Label: "axis", Include: []float64{0.5, 6}} }
	row := func() [][]float64 { return [][]float64{{0.2, 0.3, 0.5}, {0.1, 0.8, 0.1}} }
	over := func() []Layer {
		return []Layer{
			Points{Name: "points", X: x(), Y: lo(), Radius: []float64{1, 2, 3}, Colors: make([]color.NRGBA, 3)},
			Points{Name: "one radius", X: x(), Y: lo(), Radius: []float64{2}},
			Arrows{Name: "arrows", X: x(), Y: hi(), FromX: lo(), FromY: lo()},
			Path{X: x(), Y: hi()},
		}
	}
	return map[string]Panel{
		"chart": Chart{
			X: axis(), Y: axis(), Series: []Series{{Name: "s", X: x(), Y: x(), Lo: lo(), Hi: hi(), Radius: 1}},
			Refs: []Ref{{"level", 2, false}, {"time", 3, true}}, Aspect: 0.5,
		},
		"bars": Bars{
			Y: axis(), Groups: names(), Series: []BarSeries{{Name: "s", Y: x(), Lo: lo(), Hi: hi()}},
		},
		"dots": Dots{
			X: axis(), Groups: names(), Series: []DotSeries{{Name: "s", X: x(), Lo: lo(), Hi: hi()}}, Refs: []Ref{{"level", 2, true}},
		},
		"plane":    Plane{X: "x", Y: "y", Layers: over(), IncludeX: []float64{7}, IncludeY: []float64{8}},
		"simplex":  Simplex{P: row(), Belief: row()},
		"heat map": HeatMap{Z: row(), Rows: names()[:2], Cols: names(), Range: [2]float64{0, 2}},
		"graph":    Graph{Nodes: []Node{{Label: "a"}, {Label: "b"}}, Edges: []Edge{{0, 1, names()}, {1, 0, names()}, {1, 1, names()}}},
	}
}

// changes calls try with each change of a value that one leaf of it makes possible:
// change says what becomes of a leaf.
func changes(v reflect.Value, path string, change func(leaf reflect.Value) []reflect.Value, try func(path string)) {
	for _, other := range change(v) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		v.Set(other)
		try(path)
		v.Set(before)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				changes(v.Field(i), path+"."+v.Type().Field(i).Name, change, try)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			changes(v.Index(i), fmt.Sprintf("%s[%d]", path, i), change, try)
		}
	case reflect.Interface:
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		changes(inner, path, change, func(path string) {
			before := reflect.New(v.Type()).Elem()
			before.Set(v)
			v.Set(inner)
			try(path)
			v.Set(before)
		})
	}
}

// Every number that a panel has is looked at: none may be NaN, infinite or too large for
// its axis. A list that is too short or too long for the others is refused, and so is a
// class below 0.
func TestEveryNumberIsLookedAt(t *testing.T) {
	panels := full()
	for name, panel := range panels {
		if err := panel.check(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := Single("T", "D", panel).SVG(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		numbers, lists := 0, 0
		v := reflect.New(reflect.TypeOf(panel)).Elem()
		v.Set(reflect.ValueOf(panel))
		changes(v, name, func(leaf reflect.Value) (others []reflect.Value) {
			if leaf.Kind() == reflect.Float64 {
				for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
					others = append(others, reflect.ValueOf(x))
				}
			}
			return others
		}, func(path string) {
			numbers++
			if c, ok := v.Interface().(Chart); ok && (c.Aspect == 1e300 || c.Series[0].Radius == 1e300) {
				return // these are on no axis
			}
			if v.Interface().(Panel).check() == nil {
				t.Errorf("%s is not looked at", path)
			}
		})
		changes(v, name, func(leaf reflect.Value) (others []reflect.Value) {
			if leaf.Kind() == reflect.Slice && leaf.Len() > 1 {
				longer := reflect.AppendSlice(reflect.MakeSlice(leaf.Type(), 0, 9), leaf)
				others = append(others, leaf.Slice(0, leaf.Len()-1), reflect.Append(longer, leaf.Index(0)))
			}
			return others
		}, func(path string) {
			for _, free := range []string{
				".Include", ".Refs", ".Layers", ".Edges", ".Nodes", ".Labels",
			} { // which may be as long as they like
				if strings.HasSuffix(path, free) {
					return
				}
			}
			lists++
			if v.Interface().(Panel).check() == nil {
				t.Errorf("%s may have another length", path)
			}
		})
		changes(v, name, func(leaf reflect.Value) (others []reflect.Value) {
			if leaf.Kind() == reflect.Int {
				others = append(others, reflect.ValueOf(-1).Convert(leaf.Type()), reflect.ValueOf(math.MinInt).Convert(leaf.Type()))
			}
			return others
		}, func(path string) {
			if v.Interface().(Panel).check() == nil {
				t.Errorf("%s may be below 0", path)
			}
		})
		if name != "graph" && (numbers < 30 || lists < 4) {
			t.Errorf("%s: only %d numbers and %d lists", name, numbers, lists)
		}
	}
}

// A number that is as large as an axis takes, or its negative, is drawn; the ends of an
// interval may be the value itself.
func TestBoundsOfNumbers(t *testing.T) {
	for _, y := range [][]float64{{largest, -largest}, {smallest, -smallest}, {0, 0}, {-1, -1}, {largest, smallest}} {
		for what, panel := range map[string]Panel{
			"chart":    Chart{Series: []Series{{X: []float64{1, 2}, Y: y, Lo: y, Hi: y}}},
			"bars":     Bars{Groups: []string{"a", "b"}, Series: []BarSeries{{Y: y, Lo: y, Hi: y}}},
			"dots":     Dots{Groups: []string{"a", "b"}, Series: []DotSeries{{X: y, Lo: y, Hi: y}}},
			"heat map": HeatMap{Z: [][]float64{y, y}},
			"plane":    Plane{Layers: []Layer{Points{X: y, Y: y}}},
		} {
			doc, err := Single("T", "D", panel).SVG()
			if err != nil {
				t.Errorf("%s of %v: %v", what, y, err)
			}
			if text := string(doc); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%s of %v has numbers that are none", what, y)
			}
		}
	}
	for _, y := range []float64{0, -1, smallest / 2} {
		c := Chart{Y: Axis{Log: true}, Series: []Series{{X: []float64{1, 2}, Y: []float64{1, y}}}}
		if c.check() == nil {
			t.Errorf("%g is on a logarithmic axis", y)
		}
	}
	c := Chart{Y: Axis{Log: true}, Series: []Series{{X: []float64{1, 2}, Y: []float64{1, smallest}}}}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

// Edges join nodes that there are, each pair once in each direction. Nodes may be apart.
func TestGraphIsChecked(t *testing.T) {
	nodes := []Node{{Label: "a"}, {Label: "b"}}
	for what, g := range map[string]Graph{
		"no nodes":        {},
		"a node too many": {Nodes: nodes, Edges: []Edge{{0, 2, nil}}},
		"a source":        {Nodes: nodes, Edges: []Edge{{2, 0, nil}}},
		"a node below 0":  {Nodes: nodes, Edges: []Edge{{0, -1, nil}}},
		"an edge twice":   {Nodes: nodes, Edges: []Edge{{0, 1, nil}, {1, 0, nil}, {0, 1, nil}}},
		"a loop twice":    {Nodes: nodes, Edges: []Edge{{1, 1, nil}, {1, 1, nil}}},
	} {
		if g.check() == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for what, g := range map[string]Graph{
		"alone": {Nodes: nodes[:1]}, "apart": {Nodes: nodes}, "both ways": {Nodes: nodes, Edges: []Edge{{0, 1, nil}, {1, 0, nil}}},
		"a part that the first does not reach": {Nodes: append(nodes, Node{Label: "c"}), Edges: []Edge{{0, 1, nil}, {2, 2, nil}}, Rings: true},
	} {
		if _, err := Single("T", "D", g).SVG(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
