package abc

import (
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/figure"
)

func (m learned) draw(out *claim.Output) {
	out.Figure("steps", "How many of the seeds have reached a cross-entropy of 1e-4, by step.", m.stepsFigure())
	out.Figure("solutions", "The plane of the residual stream of the largest classes of solutions, one example "+
		"each: the final residuals of the nine contexts, coloured by the token that follows, and as arrows the "+
		"unembedding vectors of the three tokens, less their mean and to a scale of their own: directions count.",
		m.solutionsFigure())
	var rows [][]float64
	for i, r := range m.solutions {
		rows = append(rows, []float64{
			float64(r.seed), float64(r.steps), r.loss, float64(m.of[i]), float64(r.ablated),
		})
	}
	out.CSV("seeds", []string{"seed", "steps_to_1e-4", "loss", "class", "right_without_attention"}, rows)
}

func (m learned) stepsFigure() *figure.Figure {
	x, y := []float64{0}, []float64{0}
	for i, n := range m.reached {
		x, y = append(x, float64(n), float64(n)), append(y, float64(i), float64(i+1))
	}
	x, y = append(x, float64(m.profile.steps)), append(y, float64(len(m.reached)))
	return figure.Single("How fast ABC is learned",
		"A rising step function: seeds that have reached the threshold against steps of training.",
		figure.Chart{
			X:      figure.Axis{Label: "step"},
			Y:      figure.Axis{Label: "seeds at 1e-4", Include: []float64{0, float64(m.seeds)}},
			Series: []figure.Series{{X: x, Y: y}},
		})
}

// mostShown is how many classes the figure shows.
const mostShown = 4

// solutionsFigure shows an example of each of the largest classes.
func (m learned) solutionsFigure() *figure.Figure {
	var panels []figure.Panel
	for k := range min(mostShown, len(m.list)) {
		example := m.solutions[slices.Index(m.of, k)]
		panels = append(panels, example.plane(fmt.Sprintf("class %d, seed %d", k+1, example.seed)))
	}
	return figure.Row("Solutions of the tiny transformer",
		"Planes with nine points and three arrows each: final residuals and unembedding vectors.", panels...)
}

// plane draws the final residuals and, as long as the farthest of them, the unembedding
// vectors.
func (r *solution) plane(title string) figure.Plane {
	reach, longest := 0.0, 0.0
	for _, x := range r.residual {
		reach = max(reach, math.Abs(x))
	}
	for _, v := range r.unembedding {
		longest = max(longest, math.Hypot(v[0], v[1]))
	}
	plane, scale := figure.Plane{Title: title}, reach/longest
	for z, u := range r.unembedding {
		x, y := r.before(z)
		plane.Layers = append(plane.Layers,
			figure.Arrows{X: []float64{scale * u[0]}, Y: []float64{scale * u[1]}, Color: z + 1},
			figure.Points{Name: "then " + names[z], X: x, Y: y, Color: z + 1})
	}
	return plane
}

// before returns the final residuals of the contexts that a token follows.
func (r *solution) before(token int) (x, y []float64) {
	for i, last := range contexts {
		if follower(last) == token {
			x, y = append(x, r.residual[2*i]), append(y, r.residual[2*i+1])
		}
	}
	return x, y
}
