package signals

import (
	"fmt"
	"math"
	"slices"

	"foretell/craft"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// subject is a hand-written model with its signal and sampled sequences.
type subject struct {
	model     *model.Transformer[float64]
	signal    *process.Symbolic
	sequences [][]int32 // writtenContext + 1 tokens each
}

func newSubject(m *model.Transformer[float64], signal *process.Symbolic) subject {
	s := subject{model: m, signal: signal}
	for n := range writtenSequences {
		tokens := make([]int32, writtenContext+1)
		signal.Sample(tokens, random.New(9, "paper/signals/written", uint64(n)))
		s.sequences = append(s.sequences, tokens)
	}
	return s
}

// eachToken calls visit for every token of every sequence, except the sequence's first.
// The arguments of visit are the sequence's index, the tokens before, the token, whether
// it is a retrieval step, and the optimal predictor's distribution.
func (s subject) eachToken(
	visit func(sequence int, before []int32, token int, retrieval bool, optimal []float64) error,
) error {
	next := make([]float64, s.signal.Alphabet())
	for n, tokens := range s.sequences {
		marked, err := s.signal.Retrievals(tokens)
		if err != nil {
			return err
		}
		predictor := s.signal.Predictor()
		for i, token := range tokens {
			if i > 0 {
				predictor.Next(next)
				if err := visit(n, tokens[:i], int(token), marked[i], next); err != nil {
					return err
				}
			}
			if err := predictor.Observe(int(token)); err != nil {
				return err
			}
		}
	}
	return nil
}

// count adds the result of guessing one token.
func (s *score) count(guess, token int, retrieval bool) {
	s.tokens++
	if guess == token {
		s.all++
	}
	if !retrieval {
		return
	}
	if s.steps++; guess == token {
		s.right++
	}
}

// scored returns the score of a model on a subject's sequences.
func scored[F model.Float](m *model.Transformer[F], s subject) (found score, err error) {
	V := s.signal.Alphabet()
	var logits []F
	at := -1
	err = s.eachToken(func(n int, before []int32, token int, retrieval bool, optimal []float64) (err error) {
		if n != at {
			at = n
			if logits, err = m.Logits(s.sequences[n][:writtenContext]); err != nil {
				return err
			}
		}
		row := logits[(len(before)-1)*V:][:V]
		found.worst = larger(found.worst, model.Divergence(optimal, row))
		found.count(slices.Index(row, slices.Max(row)), token, retrieval)
		return nil
	})
	return found, err
}

// byRule returns the score of a rule for guessing a token from the tokens before it. The
// rule is used only at retrieval steps; the guess for any other token is the optimal
// predictor's most likely token.
func byRule(s subject, guess func(before []int32) int) (found score, err error) {
	err = s.eachToken(func(_ int, before []int32, token int, retrieval bool, optimal []float64) error {
		z := slices.Index(optimal, slices.Max(optimal))
		if retrieval {
			z = guess(before)
		}
		found.count(z, token, retrieval)
		return nil
	})
	return found, err
}

// measure sets the construction's scores, by running the hand-written model, and its
// size.
func (c *construction) measure(s subject) (err error) {
	if c.double, err = scored(s.model, s); err != nil {
		return err
	}
	c.single, err = scored(model.Convert[float32](s.model), s)
	config := s.model.Config
	c.size = fmt.Sprintf("L = %d, heads %v, d = %d, %d neurons",
		config.NLayers, config.NHeads, config.DModel, config.DMLP)
	return err
}

// lookedBack is the offset of a construction that is a single head, as on the slide on
// Mackey–Glass.
const lookedBack = 25

// oneDelay returns a function that writes a head with an offset of 25. The lecture's head
// has sinusoidal positions.
func oneDelay(positions string) func() (construction, shownModel, error) {
	return func() (construction, shownModel, error) {
		c := construction{name: "offset 25, " + positions, head: &peak{there: 1}}
		d := craft.Delay{
			Delay: lookedBack + 1, Values: 28, Planes: 1, Elsewhere: 1e-18,
			Signal: craft.Signal{NCtx: writtenContext, Positions: positions},
		}
		s, design, err := written(d.Design, func() (*process.Symbolic, error) {
			return process.SwitchingDelay([]int{d.Delay}, 0, d.Values)
		})
		if err != nil {
			return c, shownModel{}, err
		}
		if err := c.measure(s); err != nil {
			return c, shownModel{}, err
		}
		turn := design.Blocks[0].Heads[0].Turns[0]
		c.given = fmt.Sprintf("one plane, ω = %.4f ≤ π/K, a gain of %.0f nats",
			design.Waves.Frequency(turn.Plane), turn.Nats)
		shown, err := show(c.name, design, s, 0, "25 back, "+positions)
		for i := lookedBack; err == nil && i < writtenContext; i++ {
			c.head.there = min(c.head.there, shown.maps[0].pattern[i][i-lookedBack])
		}
		if err != nil || positions == craft.Rotary {
			return c, shown, err
		}
		c.head.printed, c.printed = printedHead(lookedBack)
		s.model = weakened(s.model, turn.Nats)
		weak, err := show(c.name, design, s, 0, "without the gain")
		shown.maps = append(shown.maps, weak.maps...)
		return c, shown, err
	}
}

// written builds a design's model and samples sequences of its signal.
func written(
	design func() (craft.Design, error), signal func() (*process.Symbolic, error),
) (s subject, d craft.Design, err error) {
	if d, err = design(); err != nil {
		return s, d, err
	}
	m, err := d.Build()
	if err != nil {
		return s, d, err
	}
	p, err := signal()
	if err != nil {
		return s, d, err
	}
	return newSubject(m, p), d, nil
}

// printedHead returns the largest attention that the printed rotation can give to an
// offset without a gain, and a description of this result. It tries one plane, and all
// planes of the lecture's position embeddings.
func printedHead(offset int) (most float64, words string) {
	const perHead = sharpWidth / 4 // d_k
	one, omega := ungained(offset)
	all, wide := ofAllPlanes(offset, perHead), ofAllPlanes(offset, sharpWidth)
	return max(one, all, wide), fmt.Sprintf("the head has no gain. With %d sources, it then gives the offset at "+
		"most %.3f of its attention with the slide's one plane (ω = %.3f), %.3f with all %d planes of d = %d if "+
		"scores are divided by √%d, and %.3f if they are divided by √%d, the homework's √d_k",
		writtenContext, one, omega, wide, sharpWidth/2, sharpWidth, sharpWidth, all, perHead)
}

// ofAllPlanes returns the attention at an offset from the last position of the context,
// with scores Σ_k cos((m−offset)ω_k)/√width over all planes of the homework's position
// embeddings.
func ofAllPlanes(offset, width int) float64 {
	peak, total := cosines(0, sharpWidth), 0.0
	for distance := range writtenContext {
		total += math.Exp((cosines(float64(distance-offset), sharpWidth) - peak) / math.Sqrt(float64(width)))
	}
	return 1 / total
}

// ungained returns the largest attention from the last position of the context to an
// offset that one plane can give without a gain, and the frequency of that plane.
func ungained(offset int) (best, at float64) {
	const steps = 4000
	for n := 1; n <= steps; n++ {
		omega, total := math.Pi*float64(n)/steps, 0.0
		for distance := range writtenContext {
			total += math.Exp((math.Cos(float64(distance-offset)*omega) - 1) / math.Sqrt2)
		}
		if 1/total > best {
			best, at = 1/total, omega
		}
	}
	return best, at
}

// weakened returns a copy of a one-head model without the head's gain of the given number
// of nats: scores are divided by √2, as for one plane on the slides.
func weakened(m *model.Transformer[float64], nats float64) *model.Transformer[float64] {
	out := model.Convert[float64](m)
	for _, name := range []string{"W_K", "b_K"} {
		data := out.Weights.Get("blocks.0.attn." + name).Data
		for i := range data {
			data[i] /= nats * math.Sqrt2
		}
	}
	return out
}

func writeSwitching() (construction, shownModel, error) {
	c := construction{
		name: "switching delay", trained: printedBest[switching],
		printed: "heads 2–4 look 17, 29 and 41 positions back, and no head looks 53 positions back",
		given: "one layer, with a head for the key, a head for each of the four delays, and a neuron for each " +
			"delay and value",
	}
	delays := []int{17, 29, 41, 53}
	w := craft.SwitchingDelay{
		Delays: delays, Key: 0.02, Values: 28,
		Signal: craft.Signal{NCtx: writtenContext, Positions: craft.Sinusoidal},
	}
	s, design, err := written(w.Design, func() (*process.Symbolic, error) {
		return process.SwitchingDelay(w.Delays, w.Key, w.Values)
	})
	if err != nil {
		return c, shownModel{}, err
	}
	if err := c.measure(s); err != nil {
		return c, shownModel{}, err
	}
	three, err := scored(without(s.model, len(delays)), s)
	if err != nil {
		return c, shownModel{}, err
	}
	anyKey, err := scored(unordered(s.model), s)
	if err != nil {
		return c, shownModel{}, err
	}
	c.shortcuts = []shortcut{{"no head for D = 53", three}, {"keys recognised by their tokens alone", anyKey}}
	shown, err := show(c.name, design, s, int32(w.Values), "last key", "D = 17", "D = 29", "D = 41", "D = 53")
	return c, shown, err
}

// without returns a copy of a model in which one head of the first layer writes nothing.
func without(m *model.Transformer[float64], head int) *model.Transformer[float64] {
	out := model.Convert[float64](m)
	size := m.Config.DHead * m.Config.DModel
	clear(out.Weights.Get("blocks.0.attn.W_O").Data[head*size : (head+1)*size])
	return out
}

// unordered returns a copy of a model whose first head ignores positions: the head's
// query weights are cleared, so it recognises keys only by their tokens.
func unordered(m *model.Transformer[float64]) *model.Transformer[float64] {
	out := model.Convert[float64](m)
	clear(out.Weights.Get("blocks.0.attn.W_Q").Data[:m.Config.DModel*m.Config.DHead])
	return out
}

func writeRouting() (construction, shownModel, error) {
	c := construction{
		name: "routing", trained: printedBest[routing],
		printed: "the head attends to SET_OP, whose position does not have the operation: the operation is the " +
			"token after it",
		given: "two layers: the first marks the tokens after SET_OP and APPLY, the second finds the last operation " +
			"and the last number counted",
	}
	const set, apply, numbers = 0.05, 0.2, 30
	w := craft.Routing{
		Set: set, Apply: apply, Numbers: numbers,
		Signal: craft.Signal{NCtx: writtenContext, Positions: craft.Sinusoidal},
	}
	s, design, err := written(w.Design, func() (*process.Symbolic, error) {
		return process.Routing(set, apply, numbers)
	})
	if err != nil {
		return c, shownModel{}, err
	}
	if err := c.measure(s); err != nil {
		return c, shownModel{}, err
	}
	guess, err := byRule(s, func(before []int32) int {
		return likeliestResult(int(before[len(before)-1]), numbers)
	})
	if err != nil {
		return c, shownModel{}, err
	}
	c.shortcuts = []shortcut{{"best guess without the operation", guess}}
	shown, err := show(c.name, design, s, numbers, "1 back", "2 back", "last operation", "last counted")
	return c, shown, err
}

// likeliestResult returns the most likely result of an unknown operation on a number x
// below n.
func likeliestResult(x, n int) int {
	votes := map[int]int{}
	best := x
	for _, z := range []int{x, (x + 1) % n, 2 * x % n, n - 1 - x} {
		if votes[z]++; votes[z] > votes[best] {
			best = z
		}
	}
	return best
}

func writeBrackets() (construction, shownModel, error) {
	c := construction{
		name: "brackets", trained: printedBest[brackets], beyond: true,
		given: "three layers: the first marks the first position and tags, the second computes the depth as a mean, " +
			"the third finds the last tag at that depth",
	}
	w := craft.Brackets{Open: 0.1, Close: 0.1, Depth: 8, Tags: 30, NCtx: writtenContext}
	s, design, err := written(w.Design, func() (*process.Symbolic, error) {
		return process.Brackets(w.Open, w.Close, w.Depth, w.Tags)
	})
	if err != nil {
		return c, shownModel{}, err
	}
	if err := c.measure(s); err != nil {
		return c, shownModel{}, err
	}
	lastTag, err := byRule(s, func(before []int32) int {
		i := len(before) - 1
		for before[i-1] != int32(w.Tags) { // OPEN
			i--
		}
		return int(before[i])
	})
	if err != nil {
		return c, shownModel{}, err
	}
	c.shortcuts = []shortcut{{"the last tag, whichever bracket was closed", lastTag}}
	shown, err := show(c.name, design, s, int32(w.Tags+1), "1 back", "all equally", "last counted", "matching tag")
	return c, shown, err
}
