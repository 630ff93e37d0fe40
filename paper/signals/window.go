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
		RuleCommit: "62dc75a", ChangedAfterResult: true,
		Setting: fmt.Sprintf("%d windows, %d steps apart, of a recording that starts from x = %g; the forecaster "+
			"counts which tokens followed their last k tokens in %s points of the recording that starts from x = 1.2",
			p.windows, apart, unseenStart, millions(p.recorded)),
		Trainings: p.windowTrainings(),
		Test: claim.Steps[windowed]{
			Measure: p.measureWindows, Judge: windowed.judge, Tabulate: windowed.tabulate, Draw: windowed.draw,
		}.Test,
	}, map[string]any{
		"tokens": lookBack, "printed": 100 * printedGPT, "period": len(period), "barely": barelyEnough,
		"comfortable": comfortable, "smooth": smoothWeight,
	})
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
	points int // number of points that the forecasters learn from
	forecast
	heart   []float64 // [k]: ceiling after k tokens, for an observer that has memorised the recording
	sine    []float64 // [k]: the same for the sine
	trained []seenBy  // transformers; empty if the profile trains no such models
	last    guesses   // from the last token alone, on the windows of the transformers
	period  []float64 // [seed]: accuracy of the sine's model after 16 tokens
}

// forecast holds the predictions of the forecasters, on windows of a recording that they
// do not know.
type forecast struct {
	unseen []guesses // [k]: from k tokens
	smooth []guesses // [k]: from the same counts, with a larger weight of shorter contexts
	pair   guesses   // from x[n] and x[n−25] alone
}

func (p profile) measureWindows(ctx context.Context, s *claim.Study) (windowed, error) {
	m := windowed{points: p.recorded}
	s.Tell("S7: predicting a recording from windows")
	var err error
	if m.forecast, err = p.forecast(ctx); err != nil {
		return m, err
	}
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

// forecast returns the predictions of the forecasters. Rows S7 and S13 share them: they
// are computed once for the rows of a paper.
func (p profile) forecast(ctx context.Context) (forecast, error) {
	return p.forecasts.Get(ctx, func(context.Context) (forecast, error) { return p.learnForecast(), nil })
}

// learnForecast trains the forecasters on one recording and judges them on another.
func (p profile) learnForecast() (m forecast) {
	_, g := recorded(lookBack, recordedPoints) // the process's quantiser
	unseen, places := unseenWindows(g, p.windows, longestWindow)
	f := newForecaster(unseen, places, longestWindow, g.levels)
	pairs := newPairs(g.levels)
	source := settled(lookBack, recordingStart)
	tokens := make([]int32, 0, chunk+longestWindow)
	for left := p.recorded; left > 0; {
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
	return forecast{f.byTokens(1), f.byTokens(smoothWeight), pairs.guess(unseen, places)}
}

// apart is the number of steps from the end of one judged window to the end of the next.
const apart = 211

// unseenWindows returns a recording that no model or forecaster has seen, and places in
// it that have at least the given number of tokens before them.
func unseenWindows(g grid, count, tokens int) (record []int32, places []int) {
	for i := range count {
		places = append(places, tokens+i*apart)
	}
	return g.tokens(settled(lookBack, unseenStart).record(places[count-1] + 1)), places
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
