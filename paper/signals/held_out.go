package signals

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"

	"gonum.org/v1/gonum/floats"
)

// window is a model's input, with the best possible prediction of the token after it.
type window struct {
	tokens    []int32   // the 64 tokens of the input
	next      []float64 // [token]: the optimal predictor's probability of each of the 32 tokens
	retrieves []bool    // [token]: whether it would be a retrieval step; may be nil if no token would
}

// retrieval returns the probability that the next token is a retrieval step.
func (w window) retrieval() (p float64) {
	for z, steps := range w.retrieves {
		if steps {
			p += w.next[z]
		}
	}
	return p
}

// heldOut holds windows that no training run has seen. The list any holds arbitrary
// windows. The list events holds windows after which a retrieval step is possible, which
// are rare among arbitrary windows.
type heldOut struct {
	any, events []window
	guess       *float64 // the result of [heldOut.oneToken], once it is known
}

// oneToken returns the accuracy, on retrieval steps if the signal has them, of the best
// guess from a single token of the window: the token at one distance, and for each of its
// values the most likely next token. Both are chosen on half of the windows and tried on
// the other half, and the other way round. A model that is no better shows nothing that
// needs a rule or several tokens.
func (h *heldOut) oneToken() float64 {
	if h.guess == nil {
		windows, wanted := h.events, window.steps
		if len(windows) == 0 {
			windows, wanted = h.any, func(w window) []float64 { return w.next }
		}
		half := len(windows) / 2
		hit, all := oneTokenOf(windows[:half], windows[half:], wanted)
		hit2, all2 := oneTokenOf(windows[half:], windows[:half], wanted)
		h.guess = new((hit + hit2) / (all + all2))
	}
	return *h.guess
}

// oneTokenOf chooses a guess from one token on some windows. It returns its expected
// number of hits on others, and the expected number of tokens to guess there. The
// function wanted returns the probability of each token that is to be guessed.
func oneTokenOf(chosen, tried []window, wanted func(window) []float64) (hit, all float64) {
	best, least := followers{}, -1.0
	for distance := range contextLength {
		c := followers{distance: distance, next: map[int32][]float64{}}
		for _, w := range chosen {
			c.add(w, wanted(w))
		}
		sum := 0.0
		for _, next := range c.next {
			sum += slices.Max(next)
		}
		if sum > least {
			best, least = c, sum
		}
	}
	for _, w := range tried {
		next := wanted(w)
		all += floats.Sum(next)
		if of := best.next[w.tokens[contextLength-1-best.distance]]; of != nil {
			hit += next[floats.MaxIdx(of)]
		}
	}
	return hit, all
}

// followers holds how often tokens follow windows, by the token at a distance from the
// window's end.
type followers struct {
	distance int
	next     map[int32][]float64
}

func (c followers) add(w window, next []float64) {
	z := w.tokens[contextLength-1-c.distance]
	if c.next[z] == nil {
		c.next[z] = make([]float64, len(next))
	}
	floats.Add(c.next[z], next)
}

// steps returns the probability of each token as a retrieval step after the window.
func (w window) steps() []float64 {
	next := make([]float64, len(w.next))
	for z, steps := range w.retrieves {
		if steps {
			next[z] = w.next[z]
		}
	}
	return next
}

// sampled samples n windows of each kind, each the beginning of a sequence.
func sampled(s signal, n int) (*heldOut, error) {
	p, err := s.process()
	if err != nil {
		return nil, err
	}
	found, predictor := new(heldOut), p.Predictor()
	for i := uint64(0); len(found.any) < n || s.symbolic() && len(found.events) < n; i++ {
		w := window{tokens: make([]int32, contextLength)}
		p.Sample(w.tokens, random.New(1, "signals/held out/"+s.name, i))
		if w.next, w.retrieves, err = s.after(predictor, p.Alphabet(), w.tokens); err != nil {
			return nil, err
		}
		if len(found.any) < n {
			found.any = append(found.any, w)
		}
		if len(found.events) < n && w.retrieval() > 0 {
			found.events = append(found.events, w)
		}
	}
	return found, nil
}

// gapSteps is the number of steps between two parts of the Mackey–Glass signal: the
// recording on which all models are trained, and the held-out recording after it. Both
// are quantised in the same way.
const gapSteps = 1000

// ahead draws windows of the held-out Mackey–Glass recording.
func ahead(n int) *heldOut {
	recorded, later := recordings()
	g := gridOf(recorded)
	record := g.tokens(later)
	found := new(heldOut)
	for i := range n {
		from := random.New(1, "signals/held out/ahead", uint64(i)).IntN(len(record) - contextLength)
		next := make([]float64, g.levels)
		next[record[from+contextLength]] = 1
		found.any = append(found.any, window{tokens: record[from : from+contextLength], next: next})
	}
	return found
}

// evaluated returns the windows on which [lossAhead] measures models, the same at every
// evaluation.
var evaluated = sync.OnceValue(func() *heldOut { return ahead(evaluatedOn) })

// recordings returns the values of the recording that models are trained on, and the
// values of the held-out recording after it.
func recordings() (recorded, later []float64) {
	m := settled(lectureDelay, recordingStart)
	recorded = m.record(recordedPoints)
	m.record(gapSteps)
	return recorded, m.record(recordedPoints)
}

// accuracy is the probability that a model's most likely token follows, according to the
// optimal predictor.
type accuracy struct {
	global, ceiling float64 // on any tokens: the model's, and the greatest possible
	conditional     float64 // on retrieval steps; 0 if the signal has no such steps
	guess           float64 // of the accuracy that the lecture uses: see [heldOut.oneToken]
	windows         int     // number of windows for each accuracy
}

// either returns the accuracy that the lecture uses for a signal: conditional for the
// symbolic signals, global for the others.
func (a accuracy) either(s signal) float64 {
	if s.symbolic() {
		return a.conditional
	}
	return a.global
}

// atGuess says that a model has learned no more than a guess from one token, by more than
// noise, and is empty if it has. Such a model may be on a plateau, so that its order with
// others shows nothing.
func atGuess(name string, of, guess float64, windows int) string {
	if of-guess > noise(of, guess, windows) {
		return ""
	}
	return fmt.Sprintf("%s has %.1f %%, and a guess from one token %.1f %%: it may be on a plateau",
		name, 100*of, 100*guess)
}

// passWindows is the number of windows in a batch of the forward pass.
const passWindows = 32

// accuracy measures a model's accuracy on the windows.
func (h *heldOut) accuracy(
	ctx context.Context, s *claim.Study, m *model.Transformer[float32],
) (accuracy, error) {
	found := accuracy{windows: len(h.any), guess: h.oneToken()}
	guesses, err := guess(ctx, s, m, h.any)
	if err != nil {
		return found, err
	}
	for i, w := range h.any {
		found.global += w.next[guesses[i]] / float64(len(h.any))
		found.ceiling += slices.Max(w.next) / float64(len(h.any))
	}
	if guesses, err = guess(ctx, s, m, h.events); err != nil {
		return found, err
	}
	hit, all := 0.0, 0.0
	for i, w := range h.events {
		all += w.retrieval()
		if w.retrieves[guesses[i]] {
			hit += w.next[guesses[i]]
		}
	}
	if all > 0 {
		found.conditional = hit / all
	}
	return found, nil
}

// guess returns a model's most likely token after each window.
func guess(
	ctx context.Context, s *claim.Study, m *model.Transformer[float32], windows []window,
) ([]int, error) {
	found := make([]int, len(windows))
	passes := (len(windows) + passWindows - 1) / passWindows
	err := s.Each(ctx, passes, func(_ context.Context, i int) error {
		of := windows[i*passWindows : min((i+1)*passWindows, len(windows))]
		for k, logits := range predict(m, of) {
			found[i*passWindows+k] = likeliest(logits)
		}
		return nil
	})
	return found, err
}

// predict returns a model's logits after each of a few windows.
func predict(m *model.Transformer[float32], windows []window) [][]float32 {
	var tokens []int32
	for _, w := range windows {
		tokens = append(tokens, w.tokens...)
	}
	logits := m.ForwardLast(model.NewWorkspace[float32](m.Config, len(windows)), tokens, len(windows))
	return slices.Collect(slices.Chunk(logits, m.Config.DVocab))
}

// likeliest returns the index of the largest logit, the first if several are equal.
func likeliest(logits []float32) int { return slices.Index(logits, slices.Max(logits)) }

// heldOutLoss is the name under which training runs on Mackey–Glass log [lossAhead].
const heldOutLoss = "loss after the recording"

// lossAhead returns the mean loss of a model on windows after the recording, in nats.
func lossAhead(m *model.Transformer[float32]) (float64, error) {
	sum := 0.0
	for few := range slices.Chunk(evaluated().any, passWindows) {
		for k, logits := range predict(m, few) {
			sum += model.Divergence(few[k].next, logits)
		}
	}
	return sum / evaluatedOn, nil
}

// noise returns twice the standard error of the difference between two accuracies, each
// measured on n windows.
func noise(a, b float64, n int) float64 {
	return 2 * math.Sqrt((a*(1-a)+b*(1-b))/float64(n))
}
