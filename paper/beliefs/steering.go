package beliefs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/document"
	"foretell/figure"
	"foretell/model"
	"foretell/paper/internal/numerals"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
	"foretell/probe"
	"foretell/process"
)

// half is the threshold of claim B2: the largest share of the divergence from the
// target's prediction that may remain after steering. With a smaller share, the
// prediction is closer to the prediction from the target belief than to the original
// prediction.
const half = 0.5

// Thresholds of two further, stricter questions: is the divergence after steering at most
// 1/partOfUnchanged of the divergence without a change, and at most 1/partOfRandom of the
// divergence after an equally long change in a random direction?
const (
	partOfUnchanged = 4
	partOfRandom    = 2
)

// steering returns claim B2: a model predicts from the beliefs that a regression reads.
func (p profile) steering() claim.Row {
	return texts.Fill(claim.Row{
		ID: "B2", Kind: claim.Beyond, StandsOn: []string{"B1"}, RuleCommit: "7160d67", ChangedAfterResult: true,
		Trainings: trained.Trainings(slices.Concat(p.rrxorModels(), p.mess3Models())),
		Setting:   p.rrxor.Describe(p.name) + "; Mess3: " + p.mess3Text,
		First:     claim.FirstBy("80697b1", interventions.first),
		Test: claim.Steps[interventions]{
			Measure: p.measureSteering, Judge: interventions.judge,
			Tabulate: interventions.tabulate, Draw: interventions.draw,
		}.Test,
	}, map[string]any{
		"rrxor": rrxor, "mess3": withParameters(mess3), "seeds": numerals.Cardinal(len(p.seeds)), "half": half,
		"pairs": probe.SteeredPairs,
	})
}

// withParameters returns the name of Mess3 with its parameters.
func withParameters(s trained.Source) string { return fmt.Sprintf("Mess3(%g, %g)", s.X, s.A) }

// interventions is the measurement of B2, for two processes.
type interventions []steered

// steered holds the effect of moving activations in the models of one process, stage by
// stage. At random initialisation only the last stage is moved.
type steered struct {
	claim.BySeed[[]probe.SteeredStage]
	stages []string
}

// Divergences from the target belief's optimal prediction, in nats: without a change,
// after each kind of change, and after a change in a random direction that is as long.
func unchanged(s probe.SteeredStage) float64         { return s.Unchanged.Mean }
func afterLikeliest(s probe.SteeredStage) float64    { return s.Likeliest.Along.Mean }
func asLongAsLikeliest(s probe.SteeredStage) float64 { return s.Likeliest.Random.Mean }
func afterShortest(s probe.SteeredStage) float64     { return s.Shortest.Along.Mean }
func asLongAsShortest(s probe.SteeredStage) float64  { return s.Shortest.Random.Mean }

// Lengths of the changes, as shares of the activations' spread.
func likeliestLength(s probe.SteeredStage) float64 { return s.Likeliest.Distance.Mean / s.Spread }
func shortestLength(s probe.SteeredStage) float64  { return s.Shortest.Distance.Mean / s.Spread }

func (p profile) measureSteering(ctx context.Context, s *claim.Study) (interventions, error) {
	var found interventions
	for _, of := range []struct {
		name   string
		models []trained.Condition
	}{{rrxor.String(), p.rrxorModels()}, {withParameters(mess3), p.mess3Models()}} {
		moved, err := steer(ctx, s, of.name, of.models)
		if err != nil {
			return found, err
		}
		found = append(found, moved)
	}
	return found, nil
}

// steer intervenes at each stage of all models in the list, which have the same process
// and architecture.
func steer(ctx context.Context, s *claim.Study, name string, list []trained.Condition) (steered, error) {
	found := steered{stages: stageNames(list[0])}
	found.Name = name
	models, err := subjects(ctx, s, list)
	if err != nil {
		return found, err
	}
	for _, m := range models {
		s.Tell("steering " + m.Label())
		of, err := steerSeed(ctx, m, s.Workers)
		if err != nil {
			return found, err
		}
		found.Models = append(found.Models, of)
	}
	return found, nil
}

// steerSeed intervenes at each stage of a model, and at the last stage of its random
// initialisation.
func steerSeed(ctx context.Context, m *trained.Subject, workers int) (
	of claim.Seeded[[]probe.SteeredStage], err error,
) {
	hooks := m.Stages()
	a, stages, err := steerModel(ctx, m.Model, m.Prefixes, hooks, workers)
	if err != nil {
		return of, err
	}
	convergence, err := a.Convergence(ctx)
	if err != nil {
		return of, err
	}
	untrained, err := model.New[float32](m.Model.Config, m.Seed)
	if err != nil {
		return of, err
	}
	of.Seed, of.Unconverged, of.Found = int(m.Seed), convergence.Reason, stages
	_, of.Random, err = steerModel(ctx, untrained, m.Prefixes, hooks[len(hooks)-1:], workers)
	return of, err
}

// steerModel intervenes at some stages of one model.
func steerModel(ctx context.Context, m *model.Transformer[float32], words *process.Prefixes, hooks []string,
	workers int,
) (*probe.Analysis, []probe.SteeredStage, error) {
	a, err := probe.Analyze(ctx, m, words, probe.Plan{
		Features: probe.Stages(hooks...), Targets: []probe.Target{probe.Beliefs}, Workers: workers,
	})
	if err != nil {
		return nil, nil, err
	}
	stages, err := a.SteerEach(ctx, probe.Beliefs)
	return a, stages, err
}

// last returns a number of the stage that decides the verdict, by seed.
func (p steered) last(number func(probe.SteeredStage) float64) []float64 {
	return atStage(p.BySeed, len(p.stages)-1, number)
}

// condition returns the verdict on one process, from the models that have converged.
func (p steered) condition() claim.Condition {
	return p.Judge(func([]claim.Seeded[[]probe.SteeredStage]) (c claim.Condition) {
		c.Effect = p.AgainstRandom("remaining share of the divergence", "", func(stages []probe.SteeredStage) float64 {
			last := stages[len(stages)-1]
			return afterLikeliest(last) / unchanged(last)
		})
		_, below := claim.Mean(p.Values(func(stages []probe.SteeredStage) float64 {
			last := stages[len(stages)-1]
			return min(unchanged(last), asLongAsLikeliest(last)) - afterLikeliest(last)
		}))
		c.Verdict, c.Reason = besideHalf(c.Effect, below)
		c.Obtained = fmt.Sprintf("%.3f of the divergence remains%s, %.3f at random initialisation; %d of %d models "+
			"have converged",
			c.Effect.Estimate, seeds.Within("%.3f", c.Effect.Interval), c.Effect.Control.Value,
			c.Effect.Reached.K, c.Effect.Reached.N)
		return c
	})
}

// besideHalf returns the verdict on one process. The first argument is the share of the
// divergence that remains after steering. The second is the interval of the margin by
// which that divergence is below both controls: no change, and a random change.
func besideHalf(left *claim.Effect, below *claim.Interval) (claim.Verdict, claim.Reason) {
	verdict, reason := seeds.Above(below, 0)
	switch {
	case verdict != claim.Holds:
		return verdict, reason
	case left.Control.Value <= half:
		return claim.Open, claim.Power
	case left.Interval.High <= half:
		return claim.Holds, ""
	case left.Interval.Low > half:
		return claim.Differs, claim.Size
	}
	return claim.Open, claim.Power
}

func (m interventions) judge() claim.Finding {
	found := claim.Finding{Asked: []claim.Question{
		m.atMost("divergence without a change", partOfUnchanged, unchanged),
		m.atMost("divergence after an equally long change in a random direction", partOfRandom, asLongAsLikeliest),
	}}
	var obtained []string
	for _, p := range m {
		found.Conditions = append(found.Conditions, p.condition())
		obtained = append(obtained, p.obtained())
	}
	found.Verdict, found.Reason = claim.Conclude(found.Conditions)
	found.Effect, found.Obtained = found.Conditions[0].Effect, strings.Join(obtained, "; ")
	return found
}

// atMost asks whether, for every process, the divergence after steering is at most 1/part
// of another divergence, both averaged over seeds.
func (m interventions) atMost(what string, part int, of func(probe.SteeredStage) float64) claim.Question {
	q := claim.Question{
		Question: fmt.Sprintf("Is the divergence at most %s of the %s, averaged over all seeds? (The laboratory's "+
			"own threshold, which has no source. It was part of the rule until the rule had intervals)",
			numerals.OneIn(part), what),
		Answer: claim.Yes,
	}
	var texts []string
	for _, p := range m {
		share := seeds.Mean(p.last(afterLikeliest)) / seeds.Mean(p.last(of))
		if share > 1/float64(part) {
			q.Answer = claim.No
		}
		texts = append(texts, fmt.Sprintf("%s: %.3f", p.Name, share))
	}
	q.Obtained = strings.Join(texts, "; ")
	return q
}

func (p steered) obtained() string {
	nats := func(of func(probe.SteeredStage) float64) float64 { return seeds.Mean(p.last(of)) }
	return fmt.Sprintf("%s, last stage: %.4f nats without a change, %.4f after the likeliest change, %.4f after an "+
		"equally long change in a random direction, %.4f after the shortest change",
		p.Name, nats(unchanged), nats(afterLikeliest), nats(asLongAsLikeliest), nats(afterShortest))
}

func (m interventions) tabulate(c *claim.Claim) {
	for _, p := range m {
		c.Tables = append(c.Tables, p.frame().Table())
	}
}

func (p steered) frame() document.Frame {
	f := document.Frame{
		Title: fmt.Sprintf("%s: divergence from the optimal prediction of the target belief, in nats, mean over %d "+
			"seeds; in brackets the length of the change as a share of the activations' spread", p.Name, len(p.Models)),
		Columns: document.Headed("%.4f", "stage moved", "no change", "likeliest change",
			"random direction, equally long", "shortest change", "random direction, equally long"),
	}
	for i, stage := range p.stages {
		mean := func(of func(probe.SteeredStage) float64) float64 { return seeds.Mean(atStage(p.BySeed, i, of)) }
		moved := func(divergence, length float64) document.Formatted {
			return document.Formatted{Format: fmt.Sprintf("%%.4f (%.2f)", length), Value: divergence}
		}
		f.Row(stage, mean(unchanged),
			moved(mean(afterLikeliest), mean(likeliestLength)), mean(asLongAsLikeliest),
			moved(mean(afterShortest), mean(shortestLength)), mean(asLongAsShortest))
	}
	return f
}

func (m interventions) draw(out *claim.Output) {
	var charts []figure.Panel
	for _, p := range m {
		charts = append(charts, p.chart())
	}
	out.Figure("steering", figure.Grid(1, "Steering along a probed belief",
		"Two charts, one for each process: divergence from the target's prediction by stage, without a "+
			"change, after the likeliest change, after an equally long change in a random direction, and after the "+
			"shortest change.", charts...))
	out.CSV("steering", m.data())
}

// data returns the measurements of each process, at each stage and seed.
func (m interventions) data() document.Frame {
	f := document.Frame{Columns: document.Named(
		"mess3", "seed", "stage", "kl_unchanged", "kl_likeliest", "kl_likeliest_random", "likeliest_length",
		"kl_shortest", "kl_shortest_random", "shortest_length",
	)}
	f.Columns[2].Codes = m[0].stages
	for process, p := range m {
		f.Columns[0].Codes = append(f.Columns[0].Codes, p.Name)
		for i := range p.stages {
			for _, of := range p.Models {
				s := of.Found[i]
				f.Row(process, of.Seed, i, unchanged(s),
					afterLikeliest(s), asLongAsLikeliest(s), likeliestLength(s),
					afterShortest(s), asLongAsShortest(s), shortestLength(s))
			}
		}
	}
	return f
}

// chart draws the divergence against the stage that is moved.
func (p steered) chart() figure.Panel {
	series := func(style figure.Series, of func(probe.SteeredStage) float64) figure.Series {
		return along(style, p.BySeed, len(p.stages), of)
	}
	return figure.Chart{
		Title: p.Name,
		X:     figure.Axis{Names: p.stages},
		Y:     figure.Axis{Label: "KL to the target (nats)", Include: []float64{0}},
		Series: []figure.Series{
			series(figure.Series{Name: "no change", Color: 1, Open: true}, unchanged),
			series(figure.Series{Name: "likeliest change", Color: 2}, afterLikeliest),
			series(figure.Series{Name: "equally long, random direction", Color: 3, Open: true}, asLongAsLikeliest),
			series(figure.Series{Name: "shortest change", Color: 4}, afterShortest),
		},
	}
}
