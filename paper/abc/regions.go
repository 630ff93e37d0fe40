package abc

import (
	"math"

	"foretell/figure"
	"foretell/model"
)

// readout is a matrix (3,2) that maps a vector of the residual stream to logits, with one
// row for each token.
type readout [3][2]float64

// apply returns the logits of a vector.
func (out readout) apply(x [2]float64) []float64 {
	logits := make([]float64, 3)
	for z, row := range out {
		logits[z] = row[0]*x[0] + row[1]*x[1]
	}
	return logits
}

// borders returns for each token the range of angles in which its logit is the largest,
// in whole degrees.
func (out readout) borders() (list [3][2]float64) {
	at := func(degrees int) int {
		sin, cos := math.Sincos(float64(degrees) * math.Pi / 180)
		return winner(out.apply([2]float64{cos, sin}))
	}
	for degrees := range 360 {
		before, now := at(degrees-1), at(degrees)
		if before != now {
			list[before][1], list[now][0] = float64(degrees), float64(degrees)
		}
	}
	return list
}

// plane describes a model with a two-dimensional residual stream: its unembedding and the
// paths that the residual stream takes.
type plane struct {
	out   readout
	bias  [3]float64
	paths [3]path // at the last token of the contexts A, AB and ABC
}

// path is a position's residual stream before and after the only layer: the embedding
// plus position, and the layer's output.
type path struct{ from, to [2]float64 }

// planeOf runs a model and returns its plane.
func planeOf(m *model.Transformer[float32]) (*plane, error) {
	const first = "blocks.0.hook_resid_pre"
	_, cache, err := m.RunWithCache(contexts[:3], 1, first, finalHook)
	if err != nil {
		return nil, err
	}
	var p plane
	w, bias := m.Weights.Get("unembed.W_U").Data, m.Weights.Get("unembed.b_U").Data
	before, after := cache.Get(first).Data, cache.Get(finalHook).Data
	for z := range 3 {
		p.out[z] = [2]float64{float64(w[z]), float64(w[3+z])}
		p.bias[z] = float64(bias[z])
		p.paths[z] = path{
			from: [2]float64{float64(before[2*z]), float64(before[2*z+1])},
			to:   [2]float64{float64(after[2*z]), float64(after[2*z+1])},
		}
	}
	return &p, nil
}

// reach returns the largest absolute coordinate of the paths' ends.
func (p *plane) reach() float64 {
	reach := 0.0
	for _, of := range p.paths {
		for k := range 2 {
			reach = max(reach, math.Abs(of.from[k]), math.Abs(of.to[k]))
		}
	}
	return reach
}

// draw draws the regions, and the paths, each in the colour of the token that follows its
// context.
func (p *plane) draw(title string) figure.Plane {
	plane := regionsPlane(title, p.out, p.bias, 1.15*p.reach())
	for z, of := range p.paths {
		plane.Layers = append(plane.Layers, figure.Arrows{
			FromX: of.from[:1], FromY: of.from[1:], X: of.to[:1], Y: of.to[1:], Color: follower(int32(z)) + 1,
		})
	}
	return plane
}

// regionsPlane draws a grid of points, each coloured by the token that has the largest
// logit there.
func regionsPlane(title string, out readout, bias [3]float64, reach float64) figure.Plane {
	const n = 27
	var x, y [3][]float64
	for i := range n * n {
		p := [2]float64{reach * (2*float64(i%n)/(n-1) - 1), reach * (2*float64(i/n)/(n-1) - 1)}
		logits := out.apply(p)
		for z := range logits {
			logits[z] += bias[z]
		}
		z := winner(logits)
		x[z] = append(x[z], p[0])
		y[z] = append(y[z], p[1])
	}
	plane := figure.Plane{Title: title, X: "x₁", Y: "x₂"}
	for z, name := range names {
		if len(x[z]) > 0 {
			plane.Layers = append(plane.Layers, figure.Points{
				Name: "then " + name, X: x[z], Y: y[z], Color: z + 1, Radius: []float64{1.2},
			})
		}
	}
	return plane
}
