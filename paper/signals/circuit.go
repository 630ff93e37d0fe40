package signals

import (
	"fmt"
	"math/rand/v2"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/run"
)

// look is where a position may look to foretell the token after it.
type look struct {
	name string
	// at appends pairs of a position that looks and the ones that it may look at, in a
	// sequence whose token at retrieval[n] is computed by the rule.
	at func(pairs []sight, tokens []int32, retrieval []bool) []sight
}

// sight is a position with those that it may look at, counted from 0.
type sight struct {
	from int
	to   []int
}

// drawnLooks is how many looks of a signal, the first ones, are drawn.
var drawnLooks = map[signal]int{sine: 3, mackeyGlass: 3, switching: 3, brackets: 4, routing: 4}

// looks are those of the circuits that the slides draw, and their rivals.
var looks = map[signal][]look{
	sine: {
		{"the same phase, 16, 32, … before", fixed(16-1, 16)},
		{"1 to 9 before", nearby},
		{"itself", fixed(0, 0)},
	},
	mackeyGlass: {
		{"x[n − 25]", fixed(25, 0)},
		{"itself", fixed(0, 0)},
		{"1 to 9 before", nearby},
	},
	switching: {
		{"x[n − D]", delayed(true, 0)},
		{"the other delays", delayed(false, 0)},
		{"the last key", lastKey},
		{"x[n − 17], where D is", delayed(true, 17)},
		{"x[n − 29], where D is", delayed(true, 29)},
		{"x[n − 41], where D is", delayed(true, 41)},
		{"x[n − 53], where D is", delayed(true, 53)},
	},
	brackets: {
		{"the tag of the bracket", matching(1)},
		{"its OPEN", matching(0)},
		{"the last tag, where it is another", lastTag},
		{"from tags: their OPEN", tagsOpen},
	},
	routing: {
		{"the operation", operationFrom(0)},
		{"its SET_OP", operationFrom(-1)},
		{"APPLY", appliedBy},
		{"from operations: their SET_OP", operationsSet},
	},
}

// fixed is a distance back from positions of the sequence's second half, and its repeats
// at every so many more.
func fixed(distance, every int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, _ []bool) []sight {
		for n := len(tokens) / 2; n < len(tokens); n++ {
			to := []int{n - distance}
			for at := n - distance - every; every > 0 && at >= 0; at -= every {
				to = append(to, at)
			}
			pairs = append(pairs, sight{n, to})
		}
		return pairs
	}
}

func nearby(pairs []sight, tokens []int32, _ []bool) []sight {
	for n := len(tokens) / 2; n < len(tokens); n++ {
		pairs = append(pairs, sight{n, []int{n - 1, n - 2, n - 3, n - 4, n - 5, n - 6, n - 7, n - 8, n - 9}})
	}
	return pairs
}

// before calls f for each position before a retrieval step.
func before(retrieval []bool, f func(n int)) {
	for n := 1; n < len(retrieval); n++ {
		if retrieval[n] {
			f(n - 1)
		}
	}
}

// lastOf is the last place up to n of a token from least on, −1 for none.
func lastOf(tokens []int32, n int, least, most int32) int {
	for n >= 0 && (tokens[n] < least || tokens[n] > most) {
		n--
	}
	return n
}

const firstKey, lastKeyToken = 28, 31

var delays = []int{17, 29, 41, 53}

// delayed is the token that the last key's delay selects, or those that the others would;
// of that delay alone, if it is not 0.
func delayed(own bool, only int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, retrieval []bool) []sight {
		before(retrieval, func(n int) {
			selected := delays[tokens[lastOf(tokens, n, firstKey, lastKeyToken)]-firstKey]
			if only != 0 && only != selected {
				return
			}
			var to []int
			for _, d := range delays {
				if at := n + 1 - d; at >= 0 && (d == selected) == own {
					to = append(to, at)
				}
			}
			pairs = append(pairs, sight{n, to})
		})
		return pairs
	}
}

func lastKey(pairs []sight, tokens []int32, retrieval []bool) []sight {
	before(retrieval, func(n int) { pairs = append(pairs, sight{n, []int{lastOf(tokens, n, firstKey, lastKeyToken)}}) })
	return pairs
}

const opening, closing = 30, 31 // SET_OP and APPLY, too

// opened is the place of the OPEN that the CLOSE at n closes.
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

// matching is the bracket's OPEN or so many after it.
func matching(after int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, retrieval []bool) []sight {
		before(retrieval, func(n int) { pairs = append(pairs, sight{n, []int{opened(tokens, n) + after}}) })
		return pairs
	}
}

// lastTag is that of the last OPEN, where the CLOSE closes another.
func lastTag(pairs []sight, tokens []int32, retrieval []bool) []sight {
	before(retrieval, func(n int) {
		if last := lastOf(tokens, n, opening, opening); last != opened(tokens, n) {
			pairs = append(pairs, sight{n, []int{last + 1}})
		}
	})
	return pairs
}

func tagsOpen(pairs []sight, tokens []int32, _ []bool) []sight {
	for n := 1; n < len(tokens); n++ {
		if tokens[n-1] == opening {
			pairs = append(pairs, sight{n, []int{n - 1}})
		}
	}
	return pairs
}

// operationFrom is the operation in force, or so many after it.
func operationFrom(after int) func([]sight, []int32, []bool) []sight {
	return func(pairs []sight, tokens []int32, retrieval []bool) []sight {
		before(retrieval, func(n int) {
			pairs = append(pairs, sight{n, []int{lastOf(tokens, n, opening, opening) + 1 + after}})
		})
		return pairs
	}
}

func appliedBy(pairs []sight, _ []int32, retrieval []bool) []sight {
	before(retrieval, func(n int) { pairs = append(pairs, sight{n, []int{n - 1}}) })
	return pairs
}

func operationsSet(pairs []sight, tokens []int32, retrieval []bool) []sight {
	return tagsOpen(pairs, tokens, retrieval)
}

// circuit is where the heads of a model look, along its training.
type circuit struct {
	steps []float64
	looks []look
	// attention is by look, layer and head, at each of the steps: the mean over the
	// positions that look.
	attention [][][][]float64
	pattern   [][]float64 // [destination][source]: of the head of the first look, on one sequence
}

// lookedAtSequences is how many sequences show where heads look.
const lookedAtSequences = 64

// circuit follows where the heads of a training look.
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

// show keeps the pattern of the head that does the first look most, on a sequence.
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

// patternName is the hook name of a layer's attention.
func patternName(layer int) string { return fmt.Sprintf("blocks.%d.attn.hook_pattern", layer) }

// sights fills in sequences, and returns for each look what may be looked at in each.
func (s signal) sights(p process.Process, tokens []int32) ([][][]sight, error) {
	list := make([][][]sight, len(looks[s]))
	t := len(tokens) / lookedAtSequences
	src := rand.NewPCG(6, 7)
	for b := range lookedAtSequences {
		sequence := make([]int32, t+1) // the last step to foretell is beyond the context
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

// add adds a step.
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

// lookedAt is the mean attention of each head in what may be looked at.
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

// headAt is the head that looks there most at the end.
type headAt struct {
	layer, head int
	along       []float64 // attention at each of the steps
}

// strongest is the head that looks somewhere most at the end, of all layers.
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

// appeared is the first of the steps at which a head looks there half as much as at the
// end.
func (h headAt) appeared(steps []float64) float64 {
	for i, x := range h.along {
		if x >= h.along[len(h.along)-1]/2 {
			return steps[i]
		}
	}
	return steps[len(steps)-1]
}
