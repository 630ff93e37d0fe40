package beliefs

import (
	"context"

	"foretell/claim"
	"foretell/figure"
	"foretell/paper/internal/seeds"
	"foretell/paper/internal/trained"
)

// profile defines the models that a study trains, and for how long.
type profile struct {
	name      claim.Profile
	rrxor     trained.Settings // for the models of RRXOR
	oneLayer  trained.Settings // for the models of Mess3
	mess3Text string           // oneLayer as text

	norm  string // normalization_type of all models
	seeds []uint64
}

// profiles holds each profile by its name.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full()}

func quick() profile {
	return newProfile(claim.Quick, trained.Settings{
		DModel: 32, NCtx: trained.NCtx, Steps: 3000, StepsWeak: 3000, LR: 1e-3, Schedule: "cosine",
		Init: trained.WideInit, EvaluateAt: 500,
	})
}

func full() profile {
	return newProfile(claim.Full, trained.Settings{
		DModel: 64, NCtx: trained.NCtx, Steps: 12000, StepsWeak: 12000, LR: 1e-3, Schedule: "cosine",
		Init: trained.WideInit, EvaluateAt: 500,
	})
}

func newProfile(name claim.Profile, rrxor trained.Settings) profile {
	p := profile{name: name, rrxor: rrxor, norm: "LN", seeds: []uint64{1, 2, 3, 4, 5}}
	p.oneLayer, p.mess3Text = trained.OneLayer(name)
	return p
}

// The processes. In RRXOR, many different beliefs predict the same next token, so a model
// has to remember more than it predicts. In Mess3 the prediction determines the belief.
var (
	rrxor = trained.Source{Name: trained.RRXOR}
	mess3 = trained.Mess3(0.15, 0.6)
)

// layers is the depth of the models of RRXOR.
const layers = 4

// rrxorModels returns models of RRXOR with one head in each layer, by seed.
func (p profile) rrxorModels() []trained.Condition {
	shape := trained.Shape{Layers: layers, Heads: 1}
	return trained.Condition{Source: rrxor, Shape: shape, Norm: p.norm, Settings: p.rrxor}.Seeded(p.seeds...)
}

// mess3Models returns models of Mess3 with one layer, by seed. The first is one of the
// models whose training curve package mess3 shows, and keeps snapshots of its weights for
// that curve.
func (p profile) mess3Models() []trained.Condition {
	shape := trained.Shape{Layers: 1, Heads: 1}
	list := trained.Condition{Source: mess3, Shape: shape, Norm: p.norm, Settings: p.oneLayer}.Seeded(p.seeds...)
	list[0].Curve = true
	return list
}

// subjects returns the models that the study has trained for a list of conditions.
func subjects(ctx context.Context, s *claim.Study, list []trained.Condition) ([]*trained.Subject, error) {
	found := make([]*trained.Subject, len(list))
	for i, c := range list {
		var err error
		if found[i], err = trained.NewSubject(ctx, s, c); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// stageNames returns the names of the stages of the residual stream, beginning with the
// embeddings.
func stageNames(c trained.Condition) []string {
	names := []string{"embedding"}
	for i := range len(c.Stages()) - 1 {
		names = append(names, trained.StageName(i))
	}
	return names
}

// atStage returns a number of the stage with an index, for each model.
func atStage[S any](g claim.BySeed[[]S], index int, number func(S) float64) []float64 {
	return g.All(func(stages []S) float64 { return number(stages[index]) })
}

// along returns the series with one more point for each of the first n stages, which
// shows the mean and the range over seeds.
func along[S any](series figure.Series, g claim.BySeed[[]S], n int, number func(S) float64) figure.Series {
	for i := range n {
		seeds.AddPoint(&series, float64(i), atStage(g, i, number))
	}
	return series
}
