package signals

import (
	"fmt"
	"math/rand/v2"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/run"
)

// look is a rule that selects, for an attending position, the source positions that a
// head may need in order to predict the next token.
type look struct {
	name string
	// at appends to pairs each attending position of a sequence with its source positions.
	// retrieval[n] is true if the token at n is a retrieval step.
	at func(pairs []sight, tokens []int32, retrieval []bool) []sight
}

// sight is an attending position and its source positions, counted from 0.
type sight struct {
	from int
	to   []int
}

// drawnLooks is how many rules in looks the figure shows for each signal, from the first.
var drawnLooks = map[signal]int{sine: 3, mackeyGlass: 3, switching: 3, brackets: 4, routing: 4}

// looks holds, for each signal, the rules by which the circuits on the slides attend, and
// other rules to compare them with. The first rule is the one whose attention pattern a
// figure shows.
var looks = map[signal][]look{
	sine: {
		{"16, 32, … before the next token", fixed(16-1, 16)},
		{"1 to 9 positions back", nearby},
		{"the position itself", fixed(0, 0)},
	},
	mackeyGlass: {
		{"x[n − 25]", fixed(25, 0)},
		{"the position itself", fixed(0, 0)},
		{"1 to 9 positions back", nearby},
	},
	switching: {
		{"x[n − D]", delayed(true, 0)},
		{"the other delays", delayed(false, 0)},
		{"the last key", lastKey},
		{"x[n − 17], if D = 17", delayed(true, 17)},
		{"x[n − 29], if D = 29", delayed(true, 29)},
		{"x[n − 41], if D = 41", delayed(true, 41)},
		{"x[n − 53], if D = 53", delayed(true, 53)},
	},
	brackets: {
		{"the matching tag", matching(1)},
		{"the matching OPEN", matching(0)},
		{"the last tag, if not matching", lastTag},
		{"from a tag to its OPEN", tagsOpen},
	},
	routing: {
		{"the last operation", operationFrom(0)},
		{"the last SET_OP", operationFrom(-1)},
		{"APPLY", appliedBy},
		{"from an operation to its SET_OP", tagsOpen},
	},
}

// fixed returns a rule that selects, for each position in the second half of a sequence,
// the source a fixed distance before it. If the period is positive, the rule also selects
// every earlier position that is a whole number of periods before that source.
func fixed(distance, period int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, _ []bool) []sight {
		for n := len(tokens) / 2; n < len(tokens); n++ {
			to := []int{n - distance}
			for at := n - distance - period; period > 0 && at >= 0; at -= period {
				to = append(to, at)
			}
			pairs = append(pairs, sight{n, to})
		}
		return pairs
	}
}

// nearby selects, for each position in the second half of a sequence, the 9 positions
// before it as sources.
func nearby(pairs []sight, tokens []int32, _ []bool) []sight {
	for n := len(tokens) / 2; n < len(tokens); n++ {
		pairs = append(pairs, sight{n, []int{n - 1, n - 2, n - 3, n - 4, n - 5, n - 6, n - 7, n - 8, n - 9}})
	}
	return pairs
}

// before calls f for the position before each retrieval step.
func before(retrieval []bool, f func(n int)) {
	for n := 1; n < len(retrieval); n++ {
		if retrieval[n] {
			f(n - 1)
		}
	}
}

// lastOf returns the last position, up to and including n, whose token is in the range
// [least, most], or −1 if there is no such position.
func lastOf(tokens []int32, n int, least, most int32) int {
	for n >= 0 && (tokens[n] < least || tokens[n] > most) {
		n--
	}
	return n
}

const firstKey, lastKeyToken = 28, 31

var delays = []int{17, 29, 41, 53}

// delayed returns a rule that selects, for the position before each retrieval step, the
// token at the last key's delay (byKey is true) or the tokens at the other delays (byKey
// is false). If delay is not 0, the rule applies only to steps at which the last key
// stands for this delay.
func delayed(byKey bool, delay int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, retrieval []bool) []sight {
		before(retrieval, func(n int) {
			selected := delays[tokens[lastOf(tokens, n, firstKey, lastKeyToken)]-firstKey]
			if delay != 0 && delay != selected {
				return
			}
			var to []int
			for _, d := range delays {
				if at := n + 1 - d; at >= 0 && (d == selected) == byKey {
					to = append(to, at)
				}
			}
			pairs = append(pairs, sight{n, to})
		})
		return pairs
	}
}

// lastKey selects, for the position before each retrieval step, the last key.
func lastKey(pairs []sight, tokens []int32, retrieval []bool) []sight {
	before(retrieval, func(n int) {
		key := lastOf(tokens, n, firstKey, lastKeyToken)
		pairs = append(pairs, sight{n, []int{key}})
	})
	return pairs
}

const opening, closing = 30, 31 // OPEN and CLOSE; in routing SET_OP and APPLY

// opened returns the position of the OPEN that matches the CLOSE at n.
func opened(tokens []int32, n int) int {
	depth := 0
	for at := n; ; at-- {
		switch tokens[at] {
		case closing:
			depth++
		case opening:
			if depth--; depth == 0 {
				return at
			}
		}
	}
}

// matching returns a rule that selects, for each CLOSE, the OPEN that matches it (offset
// 0) or the tag after that OPEN (offset 1).
func matching(offset int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, retrieval []bool) []sight {
		before(retrieval, func(n int) { pairs = append(pairs, sight{n, []int{opened(tokens, n) + offset}}) })
		return pairs
	}
}

// lastTag selects, for each CLOSE, the tag after the last OPEN, if the CLOSE matches
// another OPEN.
func lastTag(pairs []sight, tokens []int32, retrieval []bool) []sight {
	before(retrieval, func(n int) {
		if last := lastOf(tokens, n, opening, opening); last != opened(tokens, n) {
			pairs = append(pairs, sight{n, []int{last + 1}})
		}
	})
	return pairs
}

// tagsOpen selects, for each tag, the OPEN before it; in routing, for each operation, the
// SET_OP before it.
func tagsOpen(pairs []sight, tokens []int32, _ []bool) []sight {
	for n := 1; n < len(tokens); n++ {
		if tokens[n-1] == opening {
			pairs = append(pairs, sight{n, []int{n - 1}})
		}
	}
	return pairs
}

// operationFrom returns a rule that selects, for the position before each retrieval step,
// the operation after the last SET_OP (offset 0) or that SET_OP (offset −1).
func operationFrom(offset int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, retrieval []bool) []sight {
		before(retrieval, func(n int) {
			pairs = append(pairs, sight{n, []int{lastOf(tokens, n, opening, opening) + 1 + offset}})
		})
		return pairs
	}
}

// appliedBy selects, for the argument of each operation, the APPLY before it.
func appliedBy(pairs []sight, _ []int32, retrieval []bool) []sight {
	before(retrieval, func(n int) { pairs = append(pairs, sight{n, []int{n - 1}}) })
	return pairs
}

// circuit holds how much the heads of a model attend, during training, to the positions
// that each look selects.
type circuit struct {
	steps []float64
	looks []look
	// attention is indexed [look][layer][step][head]: a head's total attention to the source
	// positions, averaged over the attending positions.
	attention [][][][]float64
	pattern   [][]float64 // [destination][source]: attention of the first look's strongest head, on one sequence
}

// lookedAtSequences is the number of sequences over which attention is averaged.
const lookedAtSequences = 64

// circuit measures how much the heads of a training run's model attend to each look, at
// each snapshot.
func (s signal) circuit(study *claim.Study, t claim.Training) (circuit, error) {
	c := circuit{looks: looks[s]}
	p, err := s.process()
	if err != nil {
		return c, err
	}
	tokens := make([]int32, lookedAtSequences*t.Config.Model.NCtx)
	sights, err := s.sights(p, tokens)
	if err != nil {
		return c, err
	}
	for range c.looks {
		c.attention = append(c.attention, make([][][]float64, t.Config.Model.NLayers))
	}
	for _, step := range append([]int{0}, t.Snapshots...) {
		m, err := run.Snapshot(study.Dir(t), step)
		if err != nil {
			return c, err
		}
		if err := c.add(m, tokens, sights); err != nil {
			return c, err
		}
		c.steps = append(c.steps, float64(step))
	}
	return c, c.show(study.Trained(t).Model, tokens[:t.Config.Model.NCtx])
}

// show sets c.pattern to the attention pattern, on one sequence, of the head that attends
// most to the first look.
func (c *circuit) show(m *model.Transformer[float32], sequence []int32) error {
	h, n := c.strongest(0), len(sequence)
	name := patternName(h.layer)
	_, cache, err := m.RunWithCache(sequence, 1, name)
	if err != nil {
		return err
	}
	for i := range n {
		row := make([]float64, n)
		for j, x := range cache.Get(name).Row(0, h.head, i) {
			row[j] = float64(x)
		}
		c.pattern = append(c.pattern, row)
	}
	return nil
}

// patternName returns the hook name of a layer's attention pattern.
func patternName(layer int) string { return fmt.Sprintf("blocks.%d.attn.hook_pattern", layer) }

// sights fills tokens with sampled sequences. It returns, for each look and each
// sequence, the attending positions with their sources.
func (s signal) sights(p process.Process, tokens []int32) ([][][]sight, error) {
	list := make([][][]sight, len(looks[s]))
	t := len(tokens) / lookedAtSequences
	src := rand.NewPCG(6, 7)
	for b := range lookedAtSequences {
		sequence := make([]int32, t+1) // the last token to predict is beyond the context
		p.Sample(sequence, src)
		copy(tokens[b*t:], sequence[:t])
		retrieval := make([]bool, t+1)
		if marks, ok := p.(*process.Symbolic); ok {
			var err error
			if retrieval, err = marks.Retrievals(sequence); err != nil {
				return nil, err
			}
		}
		for i, l := range looks[s] {
			list[i] = append(list[i], l.at(nil, sequence[:t], retrieval))
		}
	}
	return list, nil
}

// add measures the model of one snapshot.
func (c *circuit) add(m *model.Transformer[float32], tokens []int32, sights [][][]sight) error {
	var names []string
	for layer := range m.Config.NLayers {
		names = append(names, patternName(layer))
	}
	_, cache, err := m.RunWithCache(tokens, lookedAtSequences, names...)
	if err != nil {
		return err
	}
	for i := range sights {
		for layer, name := range names {
			c.attention[i][layer] = append(c.attention[i][layer], lookedAt(cache.Get(name), sights[i]))
		}
	}
	return nil
}

// lookedAt returns the total attention of each head to the sources, averaged over the
// attending positions.
func lookedAt(pattern model.Tensor[float32], sights [][]sight) []float64 {
	heads := pattern.Shape[1]
	sums, count := make([]float64, heads), 0
	for b, list := range sights {
		count += len(list)
		for h := range heads {
			for _, s := range list {
				row := pattern.Row(b, h, s.from)
				for _, to := range s.to {
					sums[h] += float64(row[to])
				}
			}
		}
	}
	for h := range sums {
		sums[h] /= float64(max(1, count))
	}
	return sums
}

// headAt is a head, with its attention during training to the positions that one look
// selects.
type headAt struct {
	layer, head int
	along       []float64 // attention at each of the circuit's steps
}

// strongest returns the head, of all layers, that at the end of training attends most to
// the positions that looks[look] selects.
func (c circuit) strongest(look int) headAt {
	var best headAt
	for layer, steps := range c.attention[look] {
		for head, x := range steps[len(steps)-1] {
			if best.along != nil && x <= best.along[len(best.along)-1] {
				continue
			}
			best = headAt{layer: layer, head: head}
			for _, values := range steps {
				best.along = append(best.along, values[head])
			}
		}
	}
	return best
}

// appeared returns the first step at which the head's attention is at least half of its
// attention at the end.
func (h headAt) appeared(steps []float64) float64 {
	for i, x := range h.along {
		if x >= h.along[len(h.along)-1]/2 {
			return steps[i]
		}
	}
	return steps[len(steps)-1]
}
