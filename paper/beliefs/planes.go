package beliefs

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// planes holds the beliefs after each sequence, and the beliefs that regressions read
// from a model, all projected onto the plane in which the exact beliefs vary most.
type planes struct {
	words *process.Prefixes
	views []view
	share [2]float64 // each axis's share of the beliefs' variance
}

// view is one set of beliefs in the plane.
type view struct {
	title string
	at    probe.Table // coordinates of each sequence, (rows, 2)
}

// measurePlanes reads the beliefs from a model's last stage, and from all its stages
// together.
func measurePlanes(ctx context.Context, m *trained.Subject, workers int) (planes, error) {
	found := planes{words: m.Prefixes}
	beliefs, err := probe.Beliefs.Of(ctx, m.Prefixes)
	if err != nil {
		return found, err
	}
	hooks := m.Stages()
	itself, last := probe.TableFeatures("beliefs", beliefs), probe.Stage(hooks[len(hooks)-1])
	all := probe.SideBySide(sideBySide, hooks)
	a, err := probe.Analyze(ctx, m.Model, m.Prefixes, probe.Plan{
		Features: []probe.Features{itself, last, all},
		Targets:  []probe.Target{probe.Beliefs}, Keep: true, Workers: workers,
	})
	if err != nil {
		return found, err
	}
	plane := a.Principal(itself)
	found.views = []view{{"beliefs", plane.Project(beliefs, 2)}}
	for i := range found.share {
		found.share[i] = plane.Variance[i] / floats.Sum(plane.Variance)
	}
	for i, title := range []string{"read from the last stage", "read from all stages"} {
		read, err := a.Predict(ctx, probe.Beliefs, []probe.Features{last, all}[i])
		if err != nil {
			return found, err
		}
		found.views = append(found.views, view{title, plane.Project(read, 2)})
	}
	return found, nil
}

// draw draws the planes on a common scale.
func (p planes) draw(out *claim.Output) {
	var scale []float64
	for _, v := range p.views {
		scale = append(scale, v.at.Data...)
	}
	ends := []float64{slices.Min(scale), slices.Max(scale)}
	var panels []figure.Panel
	for _, v := range p.views {
		panels = append(panels, figure.Plane{
			Title: v.title, X: p.axis(0), Y: p.axis(1), Layers: []figure.Layer{points(p.words, v.at)},
			IncludeX: ends, IncludeY: ends,
		})
	}
	out.Figure("geometry", figure.Row("Beliefs of RRXOR, and their readings from the residual stream",
		"Three planes: the optimal observer's beliefs, and their readings from the last stage and from all stages "+
			"together.", panels...))
}

// axis returns the label of an axis, with its share of the variance.
func (p planes) axis(i int) string {
	return fmt.Sprintf("principal component %d, %.0f %%", i+1, 100*p.share[i])
}

// points returns a point for each sequence that can occur, at the given coordinates,
// (rows, 2). Its colour mixes three probabilities: of RRXOR's state S, of its states 0
// and 1, and of its states T and F.
func points(p *process.Prefixes, coordinates probe.Table) figure.Points {
	points := figure.Points{Colors: []color.NRGBA{}}
	for row, prob := range p.Prob {
		if prob == 0 {
			continue
		}
		b := p.Belief(row)
		points.X = append(points.X, coordinates.Row(row)[0])
		points.Y = append(points.Y, coordinates.Row(row)[1])
		points.Colors = append(points.Colors, figure.RGB(b[0], b[1]+b[2], b[3]+b[4]))
		points.Radius = append(points.Radius, 1+6*math.Sqrt(prob))
	}
	return points
}
