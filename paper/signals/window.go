package signals

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/claim"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

const (
	// printedGPT is the lecture's best accuracy on Mackey–Glass, with 64 tokens.
	printedGPT = 0.54
	// lookBack is the number of tokens in the longest window without x[n−25].
	lookBack = 25
	// inErrors is half the width of a 95 % interval, in standard errors.
	inErrors = 1.96
	// longestWindow is the largest number of tokens from which the forecaster predicts.
	longestWindow = 40
	// unseenStart is the initial value of the recording that no model or forecaster has
	// seen.
	unseenStart = 0.9
)

// contextLength returns row S7: how many tokens of context a prediction needs.
func (p profile) contextLength() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S7", Kind: claim.Explanation, Severity: claim.Local,
		RuleCommit: "1d198ca", ChangedAfterResult: true,
		Setting: fmt.Sprintf("%d windows, %d steps apart, of a recording that starts from x = %g; the forecaster "+
			"counts which tokens followed their last k tokens in %s points of the recording that starts from x = 1.2",
			p.windows, apart, unseenStart, millions(p.recorded)),
		Trainings: p.windowTrainings(),
		First:     claim.FirstBy("1d198ca", windowed.first),
		Test: claim.Steps[windowed]{
			Measure: p.measureWindows, Judge: windowed.judge, Tabulate: windowed.tabulate, Draw: windowed.draw,
		}.Test,
	}, map[string]any{"tokens": lookBack, "printed": 100 * printedGPT, "period": len(period)})
}

// sineTraining returns a training run of the smallest architecture that, according to the
// slide, is enough for the sine.
func sineTraining(seed uint64) claim.Training {
	k := len(period)
	return claim.Training{
		Name:  fmt.Sprintf("sine-k%d-l1-h1-seed%d", k, seed),
		Label: fmt.Sprintf("sine, K = %d, L = H = 1, seed %d", k, seed),
		Config: train.Config{
			Process: process.Spec{Name: sine.name},
			Model:   model.Config{DModel: 64, NLayers: 1, NHeads: model.Heads{1}, NCtx: k},
			Train: train.Options{
				Seed: seed, BatchSize: 64, NumSteps: 200, LR: 1e-3, LossPositions: []int{k}, EvaluateEvery: 100,
				EvaluateSequences: 256,
			},
		},
	}
}

// glassRecording is the number of points of the recording on which the transformers of S7
// are trained.
const glassRecording = 300_000

// glassTraining returns a training run on Mackey–Glass with the given context length.
func (p profile) glassTraining(tokens int) claim.Training {
	return claim.Training{
		Name: fmt.Sprintf("mackey-glass-long-k%d", tokens), Label: fmt.Sprintf("Mackey–Glass, K = %d", tokens),
		Config: train.Config{
			Process: process.Spec{Name: mackeyGlass.name, Params: process.Params{"points": glassRecording}},
			Model: model.Config{
				DModel: 64, NLayers: 3, NHeads: model.Heads{4}, NCtx: tokens, PositionalEmbeddingType: "rotary",
				InitializerRange: 0.02,
			},
			Train: train.Options{
				Seed: 1, BatchSize: 64, NumSteps: p.glassSteps, LR: 3e-3, LRSchedule: "cosine", WarmupSteps: 100,
				Betas: []float64{0.9, 0.95}, EvaluateEvery: max(1, p.glassSteps/4), EvaluateSequences: 256,
			},
		},
	}
}

// glassWindows are the context lengths of the transformers of S7.
var glassWindows = []int{16, 24, 25, 26, 32, 64}

// windowSeeds are the seeds of the sine's models.
var windowSeeds = []uint64{1, 2, 3}

func (p profile) windowTrainings() (list []claim.Training) {
	for _, seed := range windowSeeds {
		list = append(list, sineTraining(seed))
	}
	if p.glassSteps > 0 {
		for _, k := range glassWindows {
			list = append(list, p.glassTraining(k))
		}
	}
	return list
}

// windowed holds the measurements of S7: accuracies by the number of tokens in the
// window.
type windowed struct {
	points, places int       // number of points that the forecasters learn from, and number of windows to judge them on
	unseen         []guesses // [k]: the forecaster's from k tokens of a recording that it does not know
	pair           guesses   // from x[n] and x[n−25] alone, on the same recording
	heart          []float64 // [k]: ceiling after k tokens, for an observer that has memorised the recording
	sine           []float64 // [k]: the same for the sine
	trained        []seenBy  // transformers; empty if the profile trains no such models
	period         []float64 // [seed]: accuracy of the sine's model after 16 tokens
}

// seenBy is the accuracy of a transformer with the given context length on a recording
// that it has not seen.
type seenBy struct {
	tokens    int
	share, se float64
}

func (p profile) measureWindows(ctx context.Context, s *claim.Study) (windowed, error) {
	m := windowed{points: p.recorded, places: p.windows}
	s.Tell("S7: predicting a recording from windows")
	m.forecast()
	for _, c := range []struct {
		signal
		to *[]float64
	}{{mackeyGlass, &m.heart}, {sine, &m.sine}} {
		ceiling, err := c.ceiling(ctx)
		if err != nil {
			return m, err
		}
		*c.to = ceiling.byPosition
	}
	for _, seed := range windowSeeds {
		rows, err := s.Metrics(sineTraining(seed))
		if err != nil {
			return m, err
		}
		m.period = append(m.period, rows[len(rows)-1].Accuracy.Overall)
	}
	if p.glassSteps == 0 {
		return m, nil
	}
	return m, m.measureTrained(ctx, s, p)
}

// chunk is the number of points that a forecaster learns from at a time.
const chunk = 1 << 16

// forecast trains the forecasters on one recording and judges them on another.
func (m *windowed) forecast() {
	_, g := recorded(lookBack, recordedPoints) // the process's quantiser
	unseen, places := unseenWindows(g, m.places, longestWindow)
	f := newForecaster(unseen, places, longestWindow, g.levels)
	pairs := newPairs(g.levels)
	source := settled(lookBack, recordingStart)
	tokens := make([]int32, 0, chunk+longestWindow)
	for left := m.points; left > 0; {
		old := len(tokens)
		for len(tokens) < cap(tokens) && left > 0 {
			tokens = append(tokens, g.token(source.now()))
			source.step()
			left--
		}
		f.learn(tokens, max(old, longestWindow))
		pairs.learn(tokens, max(old, longestWindow))
		tokens = append(tokens[:0], tokens[len(tokens)-longestWindow:]...)
	}
	m.unseen, m.pair = f.byTokens(), pairs.guess(unseen, places)
}

// apart is the number of steps from the end of one judged window to the end of the next.
const apart = 211

// unseenWindows returns a recording that no model or forecaster has seen, and places in
// it that have at least the given number of tokens before them.
func unseenWindows(g grid, count, tokens int) (record []int32, places []int) {
	for i := range count {
		places = append(places, tokens+i*apart)
	}
	record = make([]int32, places[count-1]+1)
	for n, x := range settled(lookBack, unseenStart).record(len(record)) {
		record[n] = g.token(x)
	}
	return record, places
}

// pairs predicts from only two tokens, the last and the one 25 positions before it, which
// are the two that the recurrence uses.
type pairs struct {
	levels int
	after  [][]uint32 // [last token, token 25 before it][token]: how often the token followed
}

func newPairs(levels int) *pairs {
	p := &pairs{levels: levels, after: make([][]uint32, levels*levels)}
	for i := range p.after {
		p.after[i] = make([]uint32, levels)
	}
	return p
}

func (p *pairs) of(record []int32, n int) []uint32 {
	return p.after[int(record[n-1])*p.levels+int(record[n-1-lookBack])]
}

func (p *pairs) learn(record []int32, first int) {
	for n := first; n < len(record); n++ {
		p.of(record, n)[record[n]]++
	}
}

func (p *pairs) guess(record []int32, places []int) guesses {
	found := guesses{known: 1}
	for _, n := range places {
		after, best, total := p.of(record, n), 0, 1.0
		for z, c := range after {
			total += float64(c)
			if c > after[best] {
				best = z
			}
		}
		found.hits = append(found.hits, best == int(record[n]))
		came := (float64(after[record[n]]) + 1/float64(p.levels)) / total
		found.loss -= math.Log(came) / float64(len(places))
	}
	return found
}

// measureTrained measures the transformers on a recording that they have not seen,
// quantised like the recording that they were trained on.
func (m *windowed) measureTrained(ctx context.Context, s *claim.Study, p profile) error {
	_, g := recorded(lookBack, glassRecording)
	m.trained = make([]seenBy, len(glassWindows))
	return s.Each(ctx, len(glassWindows), func(_ context.Context, i int) error {
		k := glassWindows[i]
		record, places := unseenWindows(g, m.places, k)
		hits := hitsAt(s.Trained(p.glassTraining(k)).Model, record, places)
		share, se := guesses{hits: hits}.accuracy()
		m.trained[i] = seenBy{k, share, se}
		return nil
	})
}

// hitsAt reports, for each place in a recording, whether the token at the place is the
// model's most likely token after the window before it.
func hitsAt(m *model.Transformer[float32], record []int32, places []int) []bool {
	hits := make([]bool, 0, len(places))
	for few := range slices.Chunk(places, passWindows) {
		windows := make([]window, len(few))
		for i, n := range few {
			windows[i].tokens = record[n-m.Config.NCtx : n]
		}
		for i, logits := range predict(m, windows) {
			hits = append(hits, likeliest(logits) == int(record[few[i]]))
		}
	}
	return hits
}
