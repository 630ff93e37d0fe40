package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/model"
	"foretell/process"
)

// Brackets has the parameters of a three-layer transformer that predicts
// process.Brackets, Signal 4 of EE269 2026.
type Brackets struct {
	Open, Close float64 // probabilities of OPEN and of CLOSE at a step where the signal would otherwise count
	Depth       int     // largest number of open brackets
	Tags        int     // number of tags, which are tokens 0 to Tags−1; OPEN and CLOSE are the next two
	NCtx        int     // longest context in tokens, in [1, 1024]
}

// Transformer returns a transformer of three layers, with one, two and one head, and
// sinusoidal positions.
//
// A stack need not be simulated step by step. If d brackets are open after CLOSE, the
// bracket that CLOSE closes is the last bracket that was opened while d were open. So it
// is enough to know the depth at every position:
//
//   - Layer 1 reads the token one position back, and records whether it is OPEN or CLOSE.
//     A number after either of them is a tag; all other numbers belong to the count. Two
//     neurons mark the first position, which they recognise by the sine of its angle.
//   - Layer 2 attends uniformly to all n tokens so far. The average of OPEN − CLOSE is
//     d/n, where d is the depth, and the average of the mark is 1/n. So the average of
//     OPEN − CLOSE − (t−½)·mark is at least 1/(2n) if d ≥ t, and at most −1/(2n) if
//     d < t, for every n, and two steep neurons for each t decide whether d ≥ t. (A
//     head computes averages and not counts; the mark makes up for that.)
//   - Layer 3 attends, from depth d, to the last tag with depth d+1.
//
// So the number of layers does not grow with the depth of the brackets, but the number of
// neurons does, by four for each level. Three layers are needed because the depth must be
// known before a tag with that depth can be searched for, and the first position must be
// known before the depth. A position table that contains 1/n would allow two layers.
// Rotary positions by themselves do not distinguish the first position from others. (In
// EE269 2026 a trained transformer of five layers predicts 24.7 % of the retrieval steps
// (the tags after CLOSE) correctly, which the lecture attributes to the depth.)
//
// [SwitchingDelay.Transformer] states the bound on the error.
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
		depth.Rules = append(depth.Rules, Rule{
			If: []string{last[x]}, Unless: []string{opens, closes}, To: next[x], Times: 1,
		})
		found.Rules = append(found.Rules, Rule{If: []string{closes, tag[x]}, To: popped[x], Times: 1})
	}
	return Design{
		Tokens: tokens, NCtx: s.NCtx, Waves: w, Blocks: []Block{marks, depth, found},
		Logits: c.logits(tokens, next, popped),
	}
}

// marksFirst returns a function that is 1 at the first position and 0 at all others.
func (s Signal) marksFirst(w Waves) Apply {
	k := w.latest(s.NCtx)
	second := math.Sin(w.Frequency(k))
	curve := Step(second/2, second/2).times(-1)
	curve.Offset = 1
	return Apply{curve, Sine(k), first}
}

// times returns a curve multiplied by a factor.
func (c Curve) times(factor float64) Curve {
	ramps := slices.Clone(c.Ramps)
	for i := range ramps {
		ramps[i].Slope *= factor
	}
	return Curve{c.Offset * factor, ramps}
}

// levels returns the part of layer 2 that computes the number of open brackets: "level d"
// is 1 if d are open.
func (c Brackets) levels(s Signal) Block {
	b := Block{Rules: []Rule{{To: "level 0", Times: 1}}}
	count := Head{Attend: Uniform()}
	atLeast := Step(0, 1/(2*float64(s.NCtx)))
	for t := 1; t <= c.Depth; t++ {
		excess := fmt.Sprintf("excess over %d", t)
		count.Move = append(count.Move,
			Move{opens, excess, 1}, Move{closes, excess, -1}, Move{first, excess, 0.5 - float64(t)})
		b.Functions = append(b.Functions,
			Apply{atLeast, excess, level(t)}, Apply{atLeast.times(-1), excess, level(t - 1)})
	}
	b.Heads = []Head{count}
	return b
}

func level(d int) string { return fmt.Sprintf("level %d", d) }

// matching returns the head of layer 3: from level d it attends to the last tag of an
// OPEN with level d+1. Each of the two matches, of the tag and of the level, outweighs
// any difference in distance.
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

// bracketsConstruction returns the construction craft:brackets.
func bracketsConstruction() Construction {
	return Construction{
		Name:   "brackets",
		Params: signalParams(entryOf("brackets").Params),
		Summary: "three layers mark tags, count open brackets, and attend to the tag of the bracket " +
			"that CLOSE closes",
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
