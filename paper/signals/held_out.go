package signals

import (
	"context"
	"math"
	"slices"
	"sync"

	"foretell/claim"
	"foretell/internal/random"
	"foretell/model"
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
type heldOut struct{ any, events []window }

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
	record := make([]int32, len(later))
	for i, x := range later {
		record[i] = g.token(x)
	}
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

// passWindows is the number of windows in a batch of the forward pass.
const passWindows = 32

// accuracy measures a model's accuracy on the windows.
func (h *heldOut) accuracy(
	ctx context.Context, s *claim.Study, m *model.Transformer[float32],
) (accuracy, error) {
	found := accuracy{windows: len(h.any)}
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
