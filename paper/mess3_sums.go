package paper

import (
	"fmt"
	"math"

	"foretell/figure"
	"foretell/probe"
)

// sumsWord is the example of Fig. 2D.
var sumsWord = []int{0, 1, 1, 2, 0}

// sumConditions is the model of Fig. 2.
func sumConditions(p Profile) []condition {
	return []condition{newCondition(p, 0.15, 0.6, p.Norms[0])}
}

// attentionSum is how attention builds the representation of one word, in the
// plane of the simplex: from start, what depends on the position alone, by one step
// for each token's weighted OV vector and one for the word's own embedding.
type attentionSum struct {
	start       [2]float64
	steps       [][2]float64 // one a token, first to last
	embedding   [2]float64
	end         [2]float64 // start + steps + embedding
	model       [2]float64 // the intermediate representation through f
	constrained [2]float64 // Eq. 26
}

// testSums is M7: Fig. 2D.
func testSums(s *Study, c *Claim) error {
	m := s.of(sumConditions(s.Profile))[0]
	first, err := probe.ReadFirstLayer(m.model, len(sumsWord), m.hmm.Alphabet())
	if err != nil {
		return err
	}
	ov := first.OV(m.model, 0)
	table := Table{Title: "the prefixes of 01120", Columns: []string{"prefix", "sum against the model", "model against Eq. 26", "relative to the spread", "spread of Eq. 26 over words of this length"}}
	var panels []figure.Panel
	var rows [][]float64
	worstSum, worstRelative, own := 0.0, 0.0, 0.0
	for d := 1; d <= len(sumsWord); d++ {
		word := sumsWord[:d]
		sum, err := m.attentionSum(word, first, ov)
		if err != nil {
			return err
		}
		off, apart, spread := separation(sum.end, sum.model), separation(sum.model, sum.constrained), m.spread(d)
		worstSum, worstRelative = max(worstSum, off), max(worstRelative, apart/spread)
		own = max(own, math.Hypot(sum.steps[d-1][0], sum.steps[d-1][1]))
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(word), fmt.Sprintf("%.1e", off), fmt.Sprintf("%.4f", apart), fmt.Sprintf("%.1f %%", 100*apart/spread), fmt.Sprintf("%.4f", spread),
		})
		panels = append(panels, m.sumPanel(word, sum))
		at := sum.start
		for i, step := range append(sum.steps, sum.embedding) {
			rows = append(rows, []float64{float64(d), float64(i + 1), at[0], at[1], at[0] + step[0], at[1] + step[1]})
			at = [2]float64{at[0] + step[0], at[1] + step[1]}
		}
	}
	c.Tables, c.Setting = append(c.Tables, table), s.Profile.Setting
	c.Obtained = fmt.Sprintf("sums equal the model's representation to %.0e; they end within %.1f %% of the spread from the constrained belief", worstSum, 100*worstRelative)
	switch {
	case worstSum <= 1e-4 && worstRelative <= 0.1:
		c.Verdict = Holds
	case worstSum <= 1e-4 && worstRelative <= 0.3:
		c.Verdict = Differs
	default:
		c.Verdict = Fails
	}
	c.Notes = append(c.Notes,
		fmt.Sprintf("Printed: Eq. 3 sums over s < d. True: s ≤ d, as in Eq. 4, 9 and 16, since a position attends to itself. Check: the sums of this row take it in; without it they would be off by up to %.2f.", own),
		"Each arrow is A(d, s)·v(s), the attention that this word gives to a position times what the position hands on, through f and without the part that all tokens share at s. Those parts, the bias and f's intercept make the starting point.",
		"“Spread” is the root mean square distance of the constrained beliefs of all words of the same length from π, weighted by probability.")
	err = s.addFigure(c, "sums", fmt.Sprintf("From left to right the words 0, 01, 011, 0112, 01120. Arrows follow each other from the first token to the last, coloured by token; the grey step is the last token's own embedding. "+
		"They end at the model's representation of the word; the hollow dot is the constrained belief. By Eq. 13 each new token shrinks all earlier arrows by ζ = %.2f and adds its own. Grey dots: all words of that length.", m.zeta()),
		&figure.Figure{
			Title:  "How attention adds up the word 01120",
			Desc:   "Five panels, one for each prefix: arrows for each token's contribution, head to tail, end at the representation; grey dots show all words of the same length.",
			Panels: [][]figure.Panel{panels}, Cols: []string{"0", "01", "011", "0112", "01120"},
		})
	if err != nil {
		return err
	}
	return s.addCSV(c, "sums", []string{"length", "step", "from_x", "from_y", "to_x", "to_y"}, rows)
}

// attentionSum takes the word's representation apart. first and ov are the
// tables of the first layer for head 0.
func (s *subject) attentionSum(word []int, first *probe.FirstLayer, ov []float64) (attentionSum, error) {
	const pattern = "blocks.0.attn.hook_pattern"
	tokens := make([]int32, len(word))
	for i, z := range word {
		tokens[i] = int32(z)
	}
	_, cache, err := s.model.RunWithCache(tokens, 1, pattern)
	if err != nil {
		return attentionSum{}, err
	}
	d, width := len(word), s.model.Config.DModel
	weights := cache.Get(pattern).Data[(d-1)*d : d*d] // of the last destination
	var sum attentionSum
	rest := make([]float64, width) // what depends on positions alone
	for j, b := range s.model.Weights.Get("blocks.0.attn.b_O").Data {
		rest[j] = float64(b)
	}
	// own returns the part of a table's vector that depends on the token, and
	// adds the rest to rest, both weighted.
	own := func(table []float64, position, token int, weight float64) [2]float64 {
		vector := make([]float64, width)
		for z := range first.Tokens {
			at := (position*first.Tokens + z) * width
			for j, x := range table[at : at+width] {
				rest[j] += weight * x / float64(first.Tokens)
				vector[j] -= weight * x / float64(first.Tokens)
				if z == token {
					vector[j] += weight * x
				}
			}
		}
		return s.displacement(vector)
	}
	for i, z := range word {
		sum.steps = append(sum.steps, own(ov, i, z, float64(weights[i])))
	}
	sum.embedding = own(first.Resid, d-1, word[d-1], 1)
	row := s.prefixes.Row(word)
	sum.model[0], sum.model[1] = project(s.mid().constrained.regressed.Row(row))
	sum.constrained[0], sum.constrained[1] = project(s.prefixes.ConstrainedBelief(row))
	sum.start[0], sum.start[1] = project(s.mid().constrained.Trained.Intercept)
	moved := s.displacement(rest)
	for k := range 2 {
		sum.start[k] += moved[k]
		sum.end[k] = sum.start[k] + sum.embedding[k]
		for _, step := range sum.steps {
			sum.end[k] += step[k]
		}
	}
	return sum, nil
}

// spread is the root mean square distance of the constrained beliefs of one
// length from π, weighted by probability.
func (s *subject) spread(length int) float64 {
	from, to := s.prefixes.Range(length)
	var pi [2]float64
	pi[0], pi[1] = project(s.hmm.Stationary())
	square := 0.0
	for row := from; row < to; row++ {
		var r [2]float64
		r[0], r[1] = project(s.prefixes.ConstrainedBelief(row))
		square += s.prefixes.Prob[row] * math.Pow(separation(r, pi), 2)
	}
	return math.Sqrt(square)
}

// separation is the distance of two points of the plane.
func separation(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

func (s *subject) sumPanel(word []int, sum attentionSum) figure.Panel {
	from, to := s.prefixes.Range(len(word))
	all := figure.Points{Color: figure.Grey, Radius: []float64{1}}
	for row := from; row < to; row++ {
		x, y := project(s.mid().constrained.regressed.Row(row))
		all.X, all.Y = append(all.X, x), append(all.Y, y)
	}
	outline := figure.Path{Closed: true}
	for _, corner := range [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		x, y := project(corner)
		outline.X, outline.Y = append(outline.X, x), append(outline.Y, y)
	}
	p := figure.Plane{Layers: []figure.Layer{outline, all}}
	at := sum.start
	arrow := func(name string, color int, step [2]float64) {
		tip := [2]float64{at[0] + step[0], at[1] + step[1]}
		p.Layers = append(p.Layers, figure.Arrows{
			Name: name, Color: color,
			FromX: []float64{at[0]}, FromY: []float64{at[1]}, X: []float64{tip[0]}, Y: []float64{tip[1]},
		})
		at = tip
	}
	for i, z := range word {
		arrow(fmt.Sprintf("token %d", z), z+1, sum.steps[i])
	}
	arrow("own embedding", figure.Grey, sum.embedding)
	p.Layers = append(p.Layers, figure.Points{Name: "constrained belief", Color: 4, Open: true, X: sum.constrained[:1], Y: sum.constrained[1:]})
	return p
}
