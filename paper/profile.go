package paper

import "fmt"

// Profile says which models a study trains, and how long.
type Profile struct {
	Name    string
	Setting string   // of Mess3, in words, for the report
	Mess3   Training // the paper's one-layer models
	Deep    Training // those of four layers: Fig. A5 and A6
	Small   Training // those that come by the dozen: Fig. A7, the range of α, other processes
	RRXOR   Training // those of four layers that learn RRXOR: B1 and B2

	Norms []string // normalisations of the paper's models; the first is the main one
	Seeds []uint64 // the first is the main one

	// Shapes are the architectures of Fig. A7 for α = 0.6, ShapesWeak for α = 0.2.
	Shapes, ShapesWeak []Shape

	CoinSteps int // of the transformers that learn coins, C6
}

// Training is the part of a training configuration that a profile decides.
type Training struct {
	DModel     int // d_mlp is four times this
	NCtx       int // longest words; the paper's models have 10
	Steps      int
	StepsWeak  int // where α is near 1/3 and a token says little; see weak
	LR         float64
	Schedule   string
	Init       float64 // standard deviation of the initial weights
	EvaluateAt int     // steps between evaluations
}

// Shape is an architecture.
type Shape struct {
	Layers, Heads int // Heads in each layer
}

func (s Shape) String() string {
	return fmt.Sprintf("%s, %s", count(s.Layers, "layer"), count(s.Heads, "head"))
}

// describe says in words what a model's training was.
func (p Profile) describe(t Training) string {
	weak := ""
	if t.StepsWeak != t.Steps {
		weak = fmt.Sprintf(" (%d for α near 1/3)", t.StepsWeak)
	}
	return fmt.Sprintf("%s profile: d_model %d, words of up to %d tokens, %d steps of %d sequences%s, learning rate %g, %s, initial weights with a standard deviation of %g",
		p.Name, t.DModel, t.NCtx, t.Steps, batchSize, weak, t.LR, t.Schedule, t.Init)
}

// The paper's batch size and context (its App. B).
const (
	batchSize = 128
	nCtx      = 10
)

// The paper does not state its initialisation. narrowInit is GPT-2's; with more,
// the initial noise of the residual stream outlasts the training. Several layers,
// and short trainings, do not leave the plateau of the last two tokens from there:
// wideInit is 0.8/√64, TransformerLens's for the paper's width (docs/log.md,
// 2026-11-20).
const (
	narrowInit = 0.02
	wideInit   = 0.1
)

// The profiles: quick for every day, full for the paper's own settings where it
// states them, which it does for one layer.
var (
	Quick = Profile{
		Name:       "quick",
		Setting:    "quick profile: 3.8 million tokens a model for α = 0.6 and 10 million for α = 0.2, at a learning rate that falls from 1e-3, where the paper takes 15 million tokens at 1e-4",
		Mess3:      Training{DModel: 64, NCtx: nCtx, Steps: 3000, StepsWeak: 8000, LR: 1e-3, Schedule: "cosine", Init: narrowInit, EvaluateAt: 250},
		Deep:       Training{DModel: 32, NCtx: 8, Steps: 2000, StepsWeak: 3000, LR: 1e-3, Schedule: "cosine", Init: wideInit, EvaluateAt: 500},
		Small:      Training{DModel: 32, NCtx: 8, Steps: 1500, StepsWeak: 2500, LR: 3e-3, Schedule: "cosine", Init: wideInit, EvaluateAt: 500},
		RRXOR:      Training{DModel: 32, NCtx: nCtx, Steps: 3000, StepsWeak: 3000, LR: 1e-3, Schedule: "cosine", Init: wideInit, EvaluateAt: 500},
		Norms:      []string{"LN"},
		Seeds:      []uint64{1, 2, 3},
		Shapes:     []Shape{{1, 1}, {1, 2}, {2, 2}},
		ShapesWeak: []Shape{{1, 1}, {1, 2}},
		CoinSteps:  2000,
	}
	Full = Profile{
		Name:       "full",
		Setting:    "full profile: the paper's training, 11,719 steps (15 million tokens) a model with Adam at 1e-4, with layer norm and without",
		Mess3:      Training{DModel: 64, NCtx: nCtx, Steps: 11719, StepsWeak: 11719, LR: 1e-4, Schedule: "constant", Init: narrowInit, EvaluateAt: 500},
		Deep:       Training{DModel: 64, NCtx: nCtx, Steps: 6000, StepsWeak: 10000, LR: 1e-3, Schedule: "cosine", Init: wideInit, EvaluateAt: 500},
		Small:      Training{DModel: 32, NCtx: 8, Steps: 6000, StepsWeak: 12000, LR: 3e-3, Schedule: "cosine", Init: wideInit, EvaluateAt: 500},
		RRXOR:      Training{DModel: 64, NCtx: nCtx, Steps: 12000, StepsWeak: 12000, LR: 1e-3, Schedule: "cosine", Init: wideInit, EvaluateAt: 500},
		Norms:      []string{"LN", "none"},
		Seeds:      []uint64{1, 2, 3},
		Shapes:     []Shape{{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}},
		ShapesWeak: []Shape{{1, 1}, {1, 2}, {2, 2}},
		CoinSteps:  20000,
	}
)

// Profiles lists the profiles by name.
var Profiles = []Profile{Quick, Full}

// count says how many of a thing there are.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
