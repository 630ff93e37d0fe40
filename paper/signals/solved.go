package signals

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"foretell/claim"
	"foretell/internal/text"
	"foretell/model"
	"foretell/process"
	"foretell/run"
	"foretell/train"
)

// ofCeiling is the least share of the ceiling, the greatest possible accuracy, that
// counts as solving a signal.
const ofCeiling = 0.99

// printedBest is the lecture's best accuracy on each signal, at any depth.
var printedBest = map[signal]float64{
	sine: 1, mackeyGlass: 0.54, switching: 0.821, brackets: 0.247, routing: 0.279,
}

// solved returns row S13: settings with which transformers solve the signals.
func (p profile) solved() claim.Row {
	return texts.Fill(claim.Row{
		ID: "S13", Kind: claim.Beyond,
		RuleCommit: "c69d366", ChangedAfterResult: true,
		Trainings: p.solvingTrainings(), StandsOn: []string{"S14"},
		Setting: "width 64, three layers of four heads (4, 8 and 4 for switching delay), 64 tokens, layer norm, " +
			"rotary positions, initial weights of standard deviation 0.02; a loss on every position, with the " +
			"optimal predictor's distribution as the target; Adam with a warm-up and a cosine schedule to 0",
		Test: claim.Steps[solutions]{
			Measure: p.measureSolutions, Judge: solutions.judge, Tabulate: solutions.tabulate, Draw: solutions.draw,
		}.Test,
	}, map[string]any{"share": 100 * ofCeiling, "sequences": judgedSequences})
}

// solvingTrainings returns the training runs by signal and seed, the shortest first.
func (p profile) solvingTrainings() (list []claim.Training) {
	for _, s := range p.solvedSignals {
		for _, seed := range p.seeds(s) {
			list = append(list, s.solving(seed))
		}
	}
	slices.SortStableFunc(list, func(a, b claim.Training) int {
		return cmp.Compare(a.Config.Train.NumSteps, b.Config.Train.NumSteps)
	})
	return list
}

// solutions holds the measurements of S13.
type solutions struct{ signals []solution }

// solution holds the results of the models trained with a signal's setting.
type solution struct {
	signal
	models  claim.BySeed[learning]
	circuit circuit // what the heads of the first seed's model attend to

	// Mackey–Glass only: the accuracy of S7's best forecaster on the recording on which
	// models are judged, and the first seed's share of the ceiling on its own recording.
	forecast, memorised float64
}

// learning is a model's accuracy along a training run, as a share of the ceiling.
type learning struct {
	steps []float64
	share []float64 // at each of the steps; positions are weighted as in the loss
	end   float64   // share of the trained model; all positions have equal weight
}

// reaches returns the first step with at least the given share, or 0 if there is no such
// step.
func (l learning) reaches(share float64) float64 {
	for i, x := range l.share {
		if x >= share {
			return l.steps[i]
		}
	}
	return 0
}

// shareOf returns an evaluation's accuracy as a share of its ceiling, on retrieval steps
// if the signal has them.
func shareOf(a *train.Accuracy) float64 {
	if a.Retrieval != nil {
		return *a.Retrieval
	}
	return a.Overall / a.Ceiling
}

// learningOf returns the learning curve from a run's evaluations.
func learningOf(rows []run.Row) (l learning) {
	for _, row := range rows {
		l.steps = append(l.steps, float64(row.Step))
		l.share = append(l.share, shareOf(row.Accuracy))
	}
	l.end = l.share[len(l.share)-1]
	return l
}

// judgedSequences is the number of sequences on which a trained model is judged.
const judgedSequences = 1024

// judgedOver calls use with each of the fresh sequences on which models are judged, and
// which of its tokens are retrieval steps.
func judgedOver(p process.Process, use func(sequence []int32, marks []bool)) error {
	src := rand.NewPCG(10, 11)
	for range judgedSequences {
		sequence := make([]int32, contextLength+1)
		p.Sample(sequence, src)
		marks, err := p.(*process.Symbolic).Retrievals(sequence)
		if err != nil {
			return err
		}
		use(sequence, marks)
	}
	return nil
}

// retrieved returns a model's accuracy on the retrieval steps of held-out sequences.
func (s signal) retrieved(m *model.Transformer[float32]) (float64, error) {
	p, err := s.process()
	if err != nil {
		return 0, err
	}
	w := model.NewWorkspace[float32](m.Config, 1)
	v, right, steps := m.Config.DVocab, 0, 0
	err = judgedOver(p, func(sequence []int32, marks []bool) {
		logits := m.Forward(w, sequence[:contextLength], 1)
		before(marks, func(n int) {
			steps++
			if likeliest(logits[n*v:][:v]) == int(sequence[n+1]) {
				right++
			}
		})
	})
	return float64(right) / float64(steps), err
}

func (p profile) measureSolutions(ctx context.Context, s *claim.Study) (solutions, error) {
	m := solutions{signals: make([]solution, len(allSignals))}
	err := s.Each(ctx, len(allSignals), func(ctx context.Context, i int) (err error) {
		m.signals[i], err = p.measureSolution(ctx, s, allSignals[i])
		return err
	})
	return m, err
}

func (p profile) measureSolution(ctx context.Context, s *claim.Study, of signal) (solution, error) {
	found := solution{signal: of, models: claim.BySeed[learning]{Name: of.title}}
	if !slices.Contains(p.solvedSignals, of) {
		return found, nil
	}
	for _, seed := range p.seeds(of) {
		rows, err := s.Metrics(of.solving(seed))
		if err != nil {
			return found, err
		}
		l := learningOf(rows)
		if readers[of] != nil {
			if l.end, err = of.retrieved(s.Trained(of.solving(seed)).Model); err != nil {
				return found, err
			}
		}
		found.models.Models = append(found.models.Models, claim.Seeded[learning]{Seed: int(seed), Found: l})
	}
	if of == mackeyGlass {
		if err := p.measureUnseen(ctx, s, &found); err != nil {
			return found, err
		}
	}
	var err error
	found.circuit, err = of.circuit(s, of.solving(p.seeds(of)[0]))
	return found, err
}

// measureUnseen sets the end of each learning curve to the model's accuracy on a
// recording that it has not seen, as a share of the accuracy of S7's best forecaster on
// this recording. On its own recording a model may have memorised what follows.
func (p profile) measureUnseen(ctx context.Context, s *claim.Study, found *solution) error {
	s.Tell("S13: predicting a recording that was not trained on")
	all, err := p.forecast(ctx)
	if err != nil {
		return err
	}
	for k := range all.unseen {
		found.forecast = max(found.forecast, all.accuracy(k))
	}
	found.memorised = found.models.Models[0].Found.end
	_, g := recorded(lookBack, recordedPoints)
	for i, of := range found.models.Models {
		m := s.Trained(found.solving(uint64(of.Seed))).Model
		record, places := unseenWindows(g, p.windows, m.Config.NCtx)
		share, _ := guesses{hits: hitsAt(m, record, places)}.accuracy()
		found.models.Models[i].Found.end = share / found.forecast
	}
	return nil
}

func (m solutions) judge() claim.Finding {
	found := claim.NewFinding(claim.ConditionsOf(m.signals, solution.condition))
	for _, s := range m.signals {
		if s.signal == mackeyGlass && s.forecast > 0 {
			found.Asked = append(found.Asked, s.byHeart())
		}
	}
	return found
}

func (s solution) condition() claim.Condition {
	end := func(l learning) float64 { return l.end }
	c, _ := s.models.Each("share of the greatest accuracy on "+s.judgedOn(), "", end,
		func(l learning) bool { return l.end >= ofCeiling })
	if c.Effect == nil {
		return c
	}
	c.Effect.Beside("the lecture's best", printedBest[s.signal]).Against("random initialisation", s.first().share[0])
	ends := s.models.Values(end)
	c.Obtained = fmt.Sprintf("of %s, the worst reaches %.1f %% of the ceiling on %s",
		text.Count(len(ends), "seed"), 100*slices.Min(ends), s.judgedOn())
	if s.signal != mackeyGlass {
		c.Obtained += fmt.Sprintf(", and the fastest reaches %g %% after %.0f steps", 100*ofCeiling, s.soonest())
	}
	return c
}

// first returns the learning curve of the first seed.
func (s solution) first() learning { return s.models.Models[0].Found }

// judgedOn returns the tokens on which the signal is judged, such as "retrieval steps".
func (s signal) judgedOn() string {
	switch {
	case s == mackeyGlass:
		return "a recording not trained on"
	case readers[s] == nil:
		return "all tokens"
	}
	return "retrieval steps"
}

// soonest returns the first step at which any seed solved the signal, or 0 if no seed
// did.
func (s solution) soonest() float64 {
	least := 0.0
	for _, m := range s.models.Models {
		if at := m.Found.reaches(ofCeiling); at > 0 && (least == 0 || at < least) {
			least = at
		}
	}
	return least
}

// byHeart answers the question of whether a model has memorised the recording on which it
// was trained.
func (s solution) byHeart() claim.Question {
	return claim.Question{
		Question: fmt.Sprintf("Mackey–Glass: has the model memorised the recording that it was trained on, with at "+
			"least %g %% of the accuracy of an observer that knows it? (The laboratory's own question)", 100*ofCeiling),
		Answer: claim.AnswerIf(s.memorised >= ofCeiling),
		Obtained: fmt.Sprintf("%.1f %% there; on the other recording, %.1f %% of the forecaster's accuracy, which "+
			"is %.1f %%",
			100*s.memorised, 100*s.first().end, 100*s.forecast),
	}
}
