package mess3

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/trained"
	"foretell/probe"
)

// sumOff is the threshold of M7: the largest difference between a sum and the model's
// representation that the rounding of float32 can cause.
const sumOff = 1e-4

// sumsWord is the example sequence of Fig. 2D.
var sumsWord = []int32{0, 1, 1, 2, 0}

// sums is M7: Piotrowski et al. 2025, Fig. 2D.
func (l *lab) sums() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M7", Kind: claim.Identity, StandsOn: others(onOneFit, "M7"), Setting: l.setting,
		RuleCommit: "b7cec60", ChangedAfterResult: true, Trainings: trained.Trainings(l.sumsModels()),
		First: claim.FirstBy("fe6577b", sums.first),
		Test: claim.Steps[sums]{
			Measure: l.measureSums, Judge: sums.judge, Tabulate: sums.tabulate, Draw: sums.draw,
		}.Test,
	}, map[string]any{"rounding": numerals.Scientific(sumOff), "zeta": figure2.Zeta()})
}

// sumsModels returns the model of Fig. 2.
func (l *lab) sumsModels() []trained.Condition {
	return []trained.Condition{l.paperModel(figure2)}
}

// sums is the measurement of M7: how attention builds the representations of a sequence
// and its prefixes, the shortest first.
type sums []attentionSum

// attentionSum describes how attention builds the representation of one sequence, in the
// plane of the simplex: it begins at start, the part that depends only on positions, and
// adds one step for each token's weighted OV vector and one for the last token's
// embedding.
type attentionSum struct {
	word        []int32
	start       point
	steps       []point // one for each token, first to last
	embedding   point
	end         point // start + steps + embedding
	model       point // the intermediate representation through f
	constrained point // the constrained belief, Eq. 26

	sameLength []point // the model's representations of all sequences of this length, through f
	spread     float64 // root mean square distance of their constrained beliefs from π
}

// off returns the distance between the sum and the model's representation.
func (a attentionSum) off() float64 { return separation(a.end, a.model) }

// apart returns the distance between the model's representation and the constrained
// belief.
func (a attentionSum) apart() float64 { return separation(a.model, a.constrained) }

func (l *lab) measureSums(ctx context.Context, s *claim.Study) (sums, error) {
	subjects, err := l.of(ctx, s, l.sumsModels())
	if err != nil {
		return nil, err
	}
	m := subjects[0]
	var found sums
	first, err := probe.ReadFirstLayer(m.Model, len(sumsWord), m.HMM.Alphabet())
	if err != nil {
		return found, err
	}
	ov := first.OV(m.Model, 0)
	for d := range sumsWord {
		sum, err := m.attentionSum(sumsWord[:d+1], first, ov)
		if err != nil {
			return found, err
		}
		found = append(found, sum)
	}
	return found, nil
}

// attentionSum decomposes the representation of a sequence. The argument first is the
// input of the first layer, and ov has its OV vectors for head 0.
func (s *subject) attentionSum(word []int32, first *probe.FirstLayer, ov []float64) (attentionSum, error) {
	attention, err := s.attentionOf(word)
	if err != nil {
		return attentionSum{}, err
	}
	row := s.Prefixes.Row(word)
	sum := attentionSum{
		word: word, model: project(s.mid().constrained.regressed.Row(row)),
		constrained: project(s.Prefixes.ConstrainedBelief(row)),
	}
	shared := make([]float64, first.Width) // the part that depends only on positions
	for j, b := range s.Model.Weights.Get("blocks.0.attn.b_O").Data {
		shared[j] = float64(b)
	}
	for i, z := range word {
		sum.steps = append(sum.steps, s.displacement(takeOwn(shared, ov, first.Tokens, i, int(z), attention[i])))
	}
	d := len(word)
	sum.embedding = s.displacement(takeOwn(shared, first.Resid, first.Tokens, d-1, int(word[d-1]), 1))
	sum.start = project(s.mid().constrained.fit.Intercept).plus(s.displacement(shared))
	sum.end = sum.start.plus(sum.embedding)
	for _, step := range sum.steps {
		sum.end = sum.end.plus(step)
	}
	sum.sameLength, sum.spread = s.ofLength(d)
	return sum, nil
}

// attentionOf returns the attention of head 0 from a sequence's last position to each
// position.
func (s *subject) attentionOf(word []int32) ([]float64, error) {
	const pattern = "blocks.0.attn.hook_pattern"
	_, cache, err := s.Model.RunWithCache(word, 1, pattern)
	if err != nil {
		return nil, err
	}
	d := len(word)
	weights := make([]float64, d)
	for i, a := range cache.Get(pattern).Data[(d-1)*d : d*d] {
		weights[i] = float64(a)
	}
	return weights, nil
}

// takeOwn splits one vector of a table (positions, tokens, d_model), multiplied by
// weight, into two parts. It returns the part that depends on the token, and adds the
// part that all tokens share to the argument shared.
func takeOwn(shared, table []float64, tokens, position, token int, weight float64) []float64 {
	own, width := make([]float64, len(shared)), len(shared)
	for z := range tokens {
		at := (position*tokens + z) * width
		for j, x := range table[at : at+width] {
			shared[j] += weight * x / float64(tokens)
			own[j] -= weight * x / float64(tokens)
			if z == token {
				own[j] += weight * x
			}
		}
	}
	return own
}

// ofLength returns the model's representations of all sequences of a length, and the root
// mean square distance of their constrained beliefs from π, weighted by probability.
func (s *subject) ofLength(length int) (model []point, spread float64) {
	from, to := s.Prefixes.Range(length)
	pi, square := project(s.HMM.Stationary()), 0.0
	for row := from; row < to; row++ {
		model = append(model, project(s.mid().constrained.regressed.Row(row)))
		square += s.Prefixes.Prob[row] * math.Pow(separation(project(s.Prefixes.ConstrainedBelief(row)), pi), 2)
	}
	return model, math.Sqrt(square)
}

func (m sums) judge() claim.Finding {
	off, apart := 0.0, 0.0
	for _, a := range m {
		off, apart = max(off, a.off()), max(apart, a.apart()/a.spread)
	}
	return claim.Finding{
		Verdict: claim.HoldsIf(off <= sumOff),
		Obtained: fmt.Sprintf("sums equal the model's representation to %.0e; this representation is at most %.1f %% "+
			"of the spread away from the constrained belief, which is the subject of M2", off, 100*apart),
		Effect: claim.Exactly("largest difference between a sum and the model's representation", "", off).
			Beside("Eq. 9", 0),
	}
}

func (m sums) tabulate(c *claim.Claim) {
	f := document.Frame{
		Title: "the prefixes of 01120",
		Columns: slices.Concat(document.Headed("", "prefix"), document.Headed("%.1e", "sum against the model"),
			document.Headed("%.4f", "model against Eq. 26"), document.Headed("%.1f %%", "relative to the spread"),
			document.Headed("%.4f", "spread of Eq. 26 over sequences of this length")),
	}
	own := 0.0 // the length of the largest step in which a position attends to itself
	for _, a := range m {
		own = max(own, a.steps[len(a.steps)-1].length())
		f.Row(fmt.Sprint(a.word), a.off(), a.apart(), a.apart()/a.spread, a.spread)
	}
	c.Tables = append(c.Tables, f.Table())
	c.Notes = append(c.Notes, fmt.Sprintf("Printed: Eq. 3 sums over s < d. True: s ≤ d, as in Eq. 4, 9 and 16, "+
		"because a position attends to itself. Check: the sums of this row include s = d; without it they would be "+
		"off by up to %.2f.", own))
}

func (m sums) draw(out *claim.Output) {
	var panels []figure.Panel
	for _, a := range m {
		panels = append(panels, a.panel())
	}
	out.Figure("sums", &figure.Figure{
		Title: "How attention adds up the sequence 01120",
		Desc: "Five panels, one for each prefix: arrows for each token's contribution, head to tail, end at " +
			"the representation; grey dots show all sequences of the same length.",
		Panels: [][]figure.Panel{panels}, Cols: []string{"0", "01", "011", "0112", "01120"},
	})
	out.CSV("sums", m.steps())
}

// steps returns the steps of each prefix, from start to end.
func (m sums) steps() document.Frame {
	f := document.Frame{Columns: document.Named("length", "step", "from_x", "from_y", "to_x", "to_y")}
	f.Columns[0].Meaning = "number of tokens in the prefix"
	for _, a := range m {
		at := a.start
		for i, step := range append(a.steps[:len(a.steps):len(a.steps)], a.embedding) {
			to := at.plus(step)
			f.Row(len(a.word), i+1, at[0], at[1], to[0], to[1])
			at = to
		}
	}
	return f
}

// panel draws the steps head to tail, over the simplex and the sequences of the same
// length.
func (a attentionSum) panel() figure.Panel {
	p := figure.Plane{Layers: []figure.Layer{outline(), grey(a.sameLength)}}
	at := a.start
	arrow := func(name string, color int, step point) {
		to := at.plus(step)
		p.Layers = append(p.Layers, figure.Arrows{
			Name: name, Color: color,
			FromX: []float64{at[0]}, FromY: []float64{at[1]}, X: []float64{to[0]}, Y: []float64{to[1]},
		})
		at = to
	}
	for i, z := range a.word {
		arrow(fmt.Sprintf("token %d", z), int(z)+1, a.steps[i])
	}
	arrow("own embedding", figure.Grey, a.embedding)
	p.Layers = append(p.Layers, figure.Points{
		Name: "constrained belief", Color: 4, Open: true, X: a.constrained[:1], Y: a.constrained[1:],
	})
	return p
}

// outline returns the outline of the simplex.
func outline() figure.Path {
	path := figure.Path{Closed: true}
	for _, corner := range [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		at := project(corner)
		path.X = append(path.X, at[0])
		path.Y = append(path.Y, at[1])
	}
	return path
}

// grey draws points as a background.
func grey(points []point) figure.Points {
	layer := figure.Points{Color: figure.Grey, Radius: []float64{1}}
	for _, at := range points {
		layer.X = append(layer.X, at[0])
		layer.Y = append(layer.Y, at[1])
	}
	return layer
}
