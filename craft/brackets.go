package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/model"
	"foretell/process"
)

// Brackets asks for a transformer of three layers that predicts process.Brackets, Signal
// 4 of EE269 2026.
type Brackets struct {
	Open, Close float64 // probabilities of OPEN and of CLOSE instead of counting
	Depth       int     // most brackets open at a time
	Tags        int     // number of tags; OPEN and CLOSE are the tokens after them
	NCtx        int     // longest context in tokens, in [1, 1024]
}

// Transformer returns a transformer of three layers, with one, two and one head, and
// sinusoidal positions.
//
// A stack need not be simulated step by step. With d brackets open after CLOSE, the one
// that it closes is the last that was opened with d open, so that it is enough to know
// the depth everywhere:
//
//   - Layer 1 looks one position back, and writes whether OPEN or CLOSE stands there: the
//     token after one is a tag, and all other numbers are counted. Two neurons mark the
//     first position, which is told by the sine of its angle.
//   - Layer 2 attends to all n tokens so far alike. Their mean of OPEN − CLOSE is d/n, d
//     being the depth, and their mean of the mark is 1/n. So the mean of OPEN − CLOSE −
//     (t−½)·mark is at least 1/(2n) where d ≥ t, and at most −1/(2n) where d < t,
//     whatever n is, and two steep neurons for each t say whether d ≥ t. (A head has
//     shares and no counts: that is what the mark is for.)
//   - Layer 3 looks, from depth d, at the last tag with depth d+1.
//
// So layers do not grow with the depth of the brackets: neurons do, four for each. This
// way takes three layers because the depth has to be known before it can be looked for,
// and the first position before that. With a position table that has 1/n in it two would
// do, and rotary positions by themselves do not tell the first from others. (EE269 2026
// trains five layers to 24.7 % of the retrieval steps, and takes it for a matter of
// depth.)
//
// The bound is that of [SwitchingDelay.Transformer].
func (c Brackets) Transformer() (*model.Transformer[float64], error) {
	return built(c.Design())
}

// Design returns the design of [Brackets.Transformer].
func (c Brackets) Design() (Design, error) {
	p, err := process.Brackets(c.Open, c.Close, c.Depth, c.Tags)
	if err != nil {
		return Design{}, err
	}
	s := Signal{c.NCtx, Sinusoidal}
	if err := s.check("brackets"); err != nil {
		return Design{}, err
	}
	return s.laid("brackets", func(w Waves) Design { return c.design(s, w, p.Tokens()) })
}

const (
	opens, closes         = "OPEN", "CLOSE"
	afterOpen, afterClose = "after OPEN", "after CLOSE"
	first                 = "first position"
)

func (c Brackets) design(s Signal, w Waves, tokens []string) Design {
	numbers := tokens[:c.Tags]
	prefixed := func(prefix string) []string { return Numbered(prefix, c.Tags) }
	counted, last, next := prefixed("counted"), prefixed("last"), prefixed("next")
	tag, popped := prefixed("tag"), prefixed("popped")
	marks := Block{
		Heads:     []Head{s.back(w, 1, []Move{{opens, afterOpen, 1}, {closes, afterClose, 1}})},
		Functions: []Apply{s.marksFirst(w)},
	}
	depth, found := c.levels(s), Block{Heads: []Head{c.matching(s, w, Copy(numbers, tag))}}
	depth.Heads = append(depth.Heads, s.last(w, counted, Copy(counted, last)))
	for x := range numbers {
		marks.Rules = append(marks.Rules, Rule{
			If: []string{numbers[x]}, Unless: []string{afterOpen, afterClose}, To: counted[x], Times: 1,
		})
		depth.Rules = append(depth.Rules, Rule{If: []string{last[x]}, Unless: []string{opens, closes}, To: next[x], Times: 1})
		found.Rules = append(found.Rules, Rule{If: []string{closes, tag[x]}, To: popped[x], Times: 1})
	}
	return Design{
		Tokens: tokens, NCtx: s.NCtx, Waves: w, Blocks: []Block{marks, depth, found},
		Logits: c.logits(tokens, next, popped),
	}
}

// marksFirst is 1 at the first position and 0 at all others.
func (s Signal) marksFirst(w Waves) Apply {
	k := w.latest(s.NCtx)
	second := math.Sin(w.Frequency(k))
	curve := Step(second/2, second/2).times(-1)
	curve.Offset = 1
	return Apply{curve, Sine(k), first}
}

// times returns a curve times a factor.
func (c Curve) times(factor float64) Curve {
	ramps := slices.Clone(c.Ramps)
	for i := range ramps {
		ramps[i].Slope *= factor
	}
	return Curve{c.Offset * factor, ramps}
}

// levels is the part of layer 2 that tells how many brackets are open: "level d" is 1
// where d are.
func (c Brackets) levels(s Signal) Block {
	b := Block{Rules: []Rule{{To: "level 0", Times: 1}}}
	count := Head{Attend: Uniform()}
	atLeast := Step(0, 1/(2*float64(s.NCtx)))
	for t := 1; t <= c.Depth; t++ {
		excess := fmt.Sprintf("excess over %d", t)
		count.Move = append(count.Move,
			Move{opens, excess, 1}, Move{closes, excess, -1}, Move{first, excess, 0.5 - float64(t)})
		b.Functions = append(b.Functions, Apply{atLeast, excess, level(t)}, Apply{atLeast.times(-1), excess, level(t - 1)})
	}
	b.Heads = []Head{count}
	return b
}

func level(d int) string { return fmt.Sprintf("level %d", d) }

// matching is the head of layer 3: from level d it looks at the last tag of an OPEN with
// level d+1. Each of both marks outweighs all that distance makes.
func (c Brackets) matching(s Signal, w Waves, move []Move) Head {
	h := s.last(w, []string{afterOpen}, move)
	for d := range c.Depth {
		h.Attend = append(h.Attend, Score{level(d), level(d + 1), h.Attend[0].Nats})
	}
	return h
}

func (c Brackets) logits(tokens, next, popped []string) []Move {
	numbers, left := tokens[:c.Tags], 1-(c.Open+c.Close)
	number := func(p float64) float64 { return math.Log(p / float64(c.Tags)) }
	out := newOutput(tokens, logs(c.Tags, left, c.Open, c.Close), number(left+c.Close), number(left+c.Open))
	out.becomes(level(0), closes, math.Inf(-1))
	out.becomes(level(c.Depth), opens, math.Inf(-1))
	for _, z := range numbers {
		out.becomes(level(0), z, number(left+c.Close))
		out.becomes(level(c.Depth), z, number(left+c.Open))
	}
	out.lifts(opens, out.choose(), numbers...)
	out.counts(numbers, next)
	for x, direction := range popped {
		out.lifts(direction, out.choose(), numbers[x])
	}
	return out.logits()
}

// bracketsConstruction is craft:brackets.
func bracketsConstruction() Construction {
	return Construction{
		Name:   "brackets",
		Params: signalParams(entryOf("brackets").Params),
		Summary: "three layers mark tags, count how many brackets are open, and look at the last tag " +
			"that was opened where CLOSE leads",
		New: newBrackets,
	}
}

func newBrackets(p process.Params) (*Crafted, error) {
	c := Brackets{Open: p.Number("open"), Close: p.Number("close")}
	for name, field := range map[string]*int{"depth": &c.Depth, "tags": &c.Tags} {
		var err error
		if *field, err = p.Whole("brackets", name, math.MinInt, math.MaxInt); err != nil {
			return nil, err
		}
	}
	s, err := signalOf("brackets", p)
	if err != nil {
		return nil, err
	}
	c.NCtx = s.NCtx
	m, err := c.Transformer()
	if err != nil {
		return nil, err
	}
	source, err := process.Brackets(c.Open, c.Close, c.Depth, c.Tags)
	return &Crafted{m, source}, err
}
