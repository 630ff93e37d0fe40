package figure

import (
	"fmt"
	"math"
)

// An exhibit is a figure of the gallery, which has one of every kind, made of such
// numbers as the claims about constrained beliefs draw.
type exhibit struct {
	name string
	fig  *Figure
}

func gallery() []exhibit {
	return []exhibit{
		{"simplex", simplexFigure(8)},
		{"fractals", fractalGrid()},
		{"planes", constructionFigure()},
		{"vectors", vectorFigure()},
		{"training", trainingFigure()},
		{"stages", stagesFigure()},
		{"decay", decayFigure()},
		{"bars", barsFigure()},
		{"dots", dotsFigure()},
		{"attention", attentionFigure()},
		{"attention_large", largeAttentionFigure()},
		{"scales", scalesFigure()},
		{"graph", graphFigure()},
	}
}

// graphFigure is the even process beside the beliefs of its observer.
func graphFigure() *Figure {
	states := Graph{
		Title: "states",
		Nodes: []Node{{Label: "A"}, {Label: "B"}},
		Edges: []Edge{{0, 0, []string{"0:0.5"}}, {0, 1, []string{"1:0.5"}}, {1, 0, []string{"1:1"}}},
	}
	beliefs := Graph{
		Title: "beliefs",
		Nodes: []Node{{Label: "π", Open: true}, {Label: "1"}, {Label: "2", Open: true}, {Label: "3"}},
		Edges: []Edge{
			{0, 1, []string{"0:0.333"}},
			{0, 2, []string{"1:0.667"}},
			{1, 1, []string{"0:0.5"}},
			{1, 3, []string{"1:0.5"}},
			{2, 1, []string{"0:0.25"}},
			{2, 0, []string{"1:0.75"}},
			{3, 1, []string{"1:1"}},
		},
	}
	return Row("The even process", "Two states, and four beliefs of which two come again and again.", states, beliefs)
}

// mess3 holds all words up to a length with their exact beliefs, and their
// sums of ζ^lag over tokens, which build another fractal.
type mess3 struct {
	words  [][]int
	belief [][]float64
	sums   [][]float64
}

func newMess3(x, a float64, depth int) mess3 {
	var m mess3
	zeta := 1 - 3*x
	var walk func(word []int, b, c []float64)
	walk = func(word []int, b, c []float64) {
		m.words = append(m.words, append([]int{}, word...))
		m.belief = append(m.belief, b)
		m.sums = append(m.sums, c)
		if len(word) == depth {
			return
		}
		for z := range 3 {
			next, sum := make([]float64, 3), make([]float64, 3)
			total := 0.0
			for j := range 3 {
				emit := (1 - a) / 2
				if j == z {
					emit = a
				}
				next[j] = ((1-3*x)*b[j] + x) * emit
				total += next[j]
				sum[j] = 1.0/3 + zeta*(c[j]-1.0/3) + 0.3*(emit-1.0/3)
			}
			for j := range next {
				next[j] /= total
			}
			walk(append(word, z), next, sum)
		}
	}
	third := []float64{1.0 / 3, 1.0 / 3, 1.0 / 3}
	walk(nil, third, third)
	return m
}

func simplexFigure(depth int) *Figure {
	m := newMess3(0.15, 0.6, depth)
	return Single("Belief geometry of Mess3(0.15, 0.6)",
		"All prefixes of up to eight tokens as points of the simplex: a fractal with three corners.",
		Simplex{P: m.belief, Vertices: [3]string{"state 0", "state 1", "state 2"}})
}

// cloudOf projects rows of three and turns them, as an arbitrary PCA would.
func cloudOf(rows, belief [][]float64, angle float64) Points {
	var p Points
	sin, cos := math.Sincos(angle)
	for i, r := range rows {
		x, y := Project(r[0], r[1], r[2])
		x, y = x-0.5, y-math.Sqrt(3)/6
		p.X, p.Y = append(p.X, cos*x-sin*y), append(p.Y, sin*x+cos*y)
		p.Colors = append(p.Colors, RGB(belief[i][0], belief[i][1], belief[i][2]))
	}
	return p
}

func fractalGrid() *Figure {
	f := &Figure{
		Title: "Representations and theory at four settings of Mess3",
		Desc:  "Four rows of four fractals: constrained belief, intermediate activations, belief and final activations.",
		Cols:  []string{"constrained belief", "after attention", "belief", "final"},
	}
	for _, s := range [][2]float64{{0.15, 0.2}, {0.15, 0.6}, {0.5, 0.2}, {0.5, 0.6}} {
		m := newMess3(s[0], s[1], 8)
		f.Rows = append(f.Rows, fmt.Sprintf("x = %.2f, α = %.1f", s[0], s[1]))
		plane := func(rows [][]float64, angle float64) Panel {
			p := Plane{Layers: []Layer{cloudOf(rows, m.belief, angle)}}
			if angle != 0 {
				p.Ruler, p.X = true, "93 % of the variance"
			}
			return p
		}
		f.Panels = append(f.Panels, []Panel{plane(m.sums, 0), plane(m.sums, 0.5), plane(m.belief, 0), plane(m.belief, 0.5)})
	}
	return f
}

func constructionFigure() *Figure {
	m := newMess3(0.15, 0.6, 5)
	f := &Figure{
		Title: "Sums that build the fractal for 01120",
		Desc:  "Five panels, one a position: coloured vectors add up to the point of the prefix among grey points of all prefixes.",
		Cols:  []string{"0", "01", "011", "0112", "01120"},
	}
	word := []int{0, 1, 1, 2, 0}
	var row []Panel
	for n := 1; n <= len(word); n++ {
		var grey Points
		for i, w := range m.words {
			if len(w) == n {
				x, y := Project(m.sums[i][0], m.sums[i][1], m.sums[i][2])
				grey.X, grey.Y = append(grey.X, x-0.5), append(grey.Y, y-math.Sqrt(3)/6)
			}
		}
		grey.Color, grey.Radius = Grey, []float64{0.8}
		if n == 1 {
			grey.Name = "all prefixes"
		}
		layers := []Layer{grey}
		x, y := 0.0, 0.0
		for s := range n {
			var e [3]float64
			for j := range e {
				e[j] = 0.3 * (0.2 - 1.0/3)
			}
			e[word[s]] += 0.3 * 0.4
			dx, dy := Project(e[0], e[1], e[2])
			scale := math.Pow(0.55, float64(n-1-s))
			layers = append(layers, Arrows{
				Name: fmt.Sprintf("token %d", word[s]), Color: word[s] + 1,
				X: []float64{x + scale*dx}, Y: []float64{y + scale*dy}, FromX: []float64{x}, FromY: []float64{y},
			})
			x, y = x+scale*dx, y+scale*dy
		}
		row = append(row, Plane{Layers: layers, IncludeX: []float64{-0.12, 0.12}, IncludeY: []float64{-0.08, 0.14}})
	}
	f.Panels = [][]Panel{row}
	return f
}

func vectorFigure() *Figure {
	panel := Plane{Title: "OV vectors", X: "PC 1", Y: "PC 2"}
	beside := Plane{Title: "Measured and predicted", X: "PC 1", Y: "PC 2"}
	for z := range 3 {
		var arrows Arrows
		var measured, predicted, embedded Points
		angle := 2*math.Pi*float64(z)/3 + 0.4
		for m := range 10 {
			length := 3 + 0.5*float64(m)
			wobble := 0.03 * math.Sin(float64(7*m+3*z))
			arrows.X = append(arrows.X, length*math.Cos(angle+wobble))
			arrows.Y = append(arrows.Y, length*math.Sin(angle+wobble))
			predicted.X = append(predicted.X, length*math.Cos(angle))
			predicted.Y = append(predicted.Y, length*math.Sin(angle))
			embedded.X = append(embedded.X, 0.7*math.Cos(angle+9*wobble))
			embedded.Y = append(embedded.Y, 0.7*math.Sin(angle+9*wobble))
		}
		measured.X, measured.Y = arrows.X, arrows.Y
		arrows.Name, arrows.Color = fmt.Sprintf("OV, token %d", z), z+1
		embedded.Name, embedded.Color = fmt.Sprintf("embedding, token %d", z), z+1
		measured.Color, predicted.Color = z+1, z+1
		predicted.Name, predicted.Open, predicted.Radius = fmt.Sprintf("predicted, token %d", z), true, []float64{4.5}
		panel.Layers = append(panel.Layers, arrows, embedded)
		beside.Layers = append(beside.Layers, measured, predicted)
	}
	return Row("OV vectors and embeddings in the plane of the intermediate representation",
		"Arrows of three tokens at the corners of a triangle, embeddings near the origin; predictions as open markers over measurements.", panel, beside)
}

func trainingFigure() *Figure {
	steps, curve, lo, hi := []float64{}, []float64{}, []float64{}, []float64{}
	var other []float64
	for i := range 240 {
		t := float64(i) * 50
		steps = append(steps, t)
		v := 1.0889 + 0.012*math.Exp(-t/1800) + 0.0006*math.Sin(float64(i)*0.9)*math.Exp(-t/4000)
		curve, lo, hi = append(curve, v), append(lo, v-0.0012), append(hi, v+0.0012)
		other = append(other, 1.0893+0.011*math.Exp(-t/3500))
	}
	return Single("Loss against the exact floor", "Two falling curves that end at the entropy rate; chance is the upper line.", Chart{
		X: Axis{Label: "step"}, Y: Axis{Label: "loss (nats a token)"},
		Series: []Series{
			{Name: "two heads", X: steps, Y: curve, Lo: lo, Hi: hi, Style: BandedLine},
			{Name: "one head", X: steps, Y: other},
		},
		Refs: []Ref{
			{Label: "chance", Value: math.Log(3)},
			{Label: "floor", Value: 1.088888},
			{Label: "checkpoint", Value: 4000, Vertical: true},
		},
	})
}

func stagesFigure() *Figure {
	names := []string{"L0 mid", "L0 post", "L1 mid", "L1 post", "L2 mid", "L2 post", "L3 mid", "L3 post"}
	f := &Figure{Title: "Fit by stage of the residual stream", Desc: "Four panels of errors by stage: the constrained belief fits best after the first attention, the full one at the end."}
	for r, a := range []float64{0.2, 0.6} {
		var row []Panel
		for c, x := range []float64{0.15, 0.5} {
			var at, constrained, full, randomC, randomF []float64
			for i := range names {
				at = append(at, float64(i))
				k := float64(i + r + c)
				constrained = append(constrained, 1e-5*math.Exp(0.5*k))
				full = append(full, 3e-3*math.Exp(-0.8*k))
				randomC = append(randomC, 0.011+0.001*k)
				randomF = append(randomF, 0.02+0.002*k)
			}
			row = append(row, Chart{
				Title: fmt.Sprintf("x = %.2f, α = %.1f", x, a),
				X:     Axis{Names: names}, Y: Axis{Label: "mean squared error", Log: true},
				Series: []Series{
					{Name: "to constrained belief", X: at, Y: constrained, Color: 3},
					{Name: "to belief", X: at, Y: full, Color: 2},
					{Name: "to constrained belief, random", X: at, Y: randomC, Color: 3, Open: true},
					{Name: "to belief, random", X: at, Y: randomF, Color: 2, Open: true},
				},
			})
		}
		f.Panels = append(f.Panels, row)
	}
	return f
}

func decayFigure() *Figure {
	var lag, theory, mean, lo, hi, predicted, actual []float64
	for n := range 10 {
		v := 0.45 * math.Pow(0.55, float64(n))
		lag, theory = append(lag, float64(n)), append(theory, v)
		m := v * (1 + 0.06*math.Sin(float64(3*n)))
		mean, lo, hi = append(mean, m), append(lo, m*0.8-0.0005), append(hi, m*1.25)
		predicted, actual = append(predicted, v), append(actual, m)
	}
	return Row("Attention falls with distance as powers of ζ",
		"Left: attention against distance on a logarithmic axis, dots on a straight line. Right: measured against predicted, on the diagonal.",
		Chart{
			X: Axis{Label: "distance"}, Y: Axis{Label: "attention", Log: true},
			Series: []Series{
				{Name: "ζⁿ", Shared: true, X: lag, Y: theory, Open: true, Color: 1},
				{Name: "trained, all words", X: lag, Y: mean, Lo: lo, Hi: hi, Style: Scatter, Color: 1},
			},
		},
		Plane{X: "predicted", Y: "measured", Layers: []Layer{
			Path{X: []float64{0, 0.45}, Y: []float64{0, 0.45}},
			Points{Name: "position 10", X: predicted, Y: actual, Color: 2},
		}})
}

func barsFigure() *Figure {
	b := Bars{Title: "Mean squared error", Y: Axis{Label: "MSE"}, Groups: []string{"A", "B", "C", "D"}}
	for i, n := range []string{"mid", "post"} {
		trained, random := BarSeries{Name: n + ", trained", Color: i + 1}, BarSeries{Name: n + ", random", Color: i + 1, Open: true}
		for g := range 4 {
			v := 0.002 * float64(g+1+i)
			trained.Y, trained.Lo, trained.Hi = append(trained.Y, v), append(trained.Lo, v*0.7), append(trained.Hi, v*1.35)
			random.Y = append(random.Y, 0.02+0.004*float64(g*i))
		}
		b.Series = append(b.Series, trained, random)
	}
	return Single("Errors before and after training", "Errors fall by an order of magnitude.", b)
}

func dotsFigure() *Figure {
	byShape := Dots{
		Title: "x = 0.5, α = 0.6", X: Axis{Label: "KL to the optimum (nats)", Log: true}, Label: "layers × heads",
		Groups: []string{"1 × 1", "1 × 2", "2 × 1", "2 × 2"},
		Refs:   []Ref{{Label: "no context", Value: 0.03, Vertical: true}},
		Series: []DotSeries{{X: []float64{8e-3, 7e-4, 2e-3, 6e-4}, Lo: []float64{6e-3, 0, 1e-3, 4e-4}, Hi: []float64{9e-3, 2e-3, 5e-3, 9e-4}}},
	}
	read := Dots{
		Title: "R² of the beliefs", X: Axis{Label: "R²"},
		Groups: []string{"embed", "blocks.0.hook_resid_mid", "blocks.0.hook_resid_post"},
		Series: []DotSeries{
			{Name: "trained", X: []float64{0.5, 0.93, 0.99}, Lo: []float64{0.45, 0.92, 0.985}, Hi: []float64{0.55, 0.94, 0.995}},
			{Name: "random initialisation", X: []float64{0.45, 0.8, 0.85}, Lo: []float64{0.4, 0.7, 0.8}, Hi: []float64{0.5, 0.9, 0.9}, Open: true},
			{Name: "shuffled targets", X: []float64{0, -0.02, 0.01}, Color: Grey},
		},
	}
	return Row("Divergence by architecture, and what stages tell",
		"Two heads do where one does not. The last stage tells the beliefs, and shuffled ones are told by none.", byShape, read)
}

func attention(n int, zeta float64) [][]float64 {
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, n)
		sum := 0.0
		for j := range i + 1 {
			z[i][j] = math.Pow(zeta, float64(i-j))
			sum += math.Abs(z[i][j])
		}
		for j := range z[i] {
			z[i][j] /= sum
		}
	}
	return z
}

func attentionFigure() *Figure {
	return Row("Attention patterns", "Left: attention falls with distance. Right: the signed sum of two heads alternates.",
		HeatMap{Title: "one head", Z: attention(10, 0.55), Lower: true, X: "source", Y: "destination", Label: "attention"},
		HeatMap{Title: "two heads, signed", Z: attention(5, -0.5), Lower: true, Diverging: true, X: "source", Y: "destination", Cols: []string{"A", "B", "C", "D", "E"}})
}

// scalesFigure is a row of maps of one scale, which the last shows for all.
func scalesFigure() *Figure {
	f := Row("Two heads and what they make", "Four maps on one scale of colours.")
	f.Rows, f.Cols = []string{"x = 0.5, α = 0.6"}, []string{"positive head", "negative head", "both", "ζⁿ"}
	rows := make([]string, 10)
	for i := range rows {
		rows[i] = fmt.Sprint(i + 1)
	}
	for _, zeta := range []float64{0.7, -0.7, -0.6, -0.5} {
		f.Panels[0] = append(f.Panels[0], HeatMap{
			Z: attention(10, zeta), Lower: true, Rows: rows, Cols: rows, X: "source", Y: "destination", Diverging: true,
			Range: [2]float64{-1, 1}, Label: "signed weight",
		})
	}
	return f
}

func largeAttentionFigure() *Figure {
	return Single("Attention over 128 positions", "A lower triangle that falls off from its diagonal.",
		HeatMap{Z: attention(128, 0.95), Lower: true, X: "source", Y: "destination", Label: "attention"})
}
