package mess3

import (
	"fmt"
	"slices"

	"foretell/claim"
	"foretell/paper/internal/trained"
)

// profile says which models a study trains, and how long.
type profile struct {
	name     claim.Profile
	setting  string           // in words, for the report
	work     map[string]int   // see claim.Row, by row
	oneLayer trained.Settings // the paper's models of one layer
	deep     trained.Settings // those of four layers: Fig. A5 and A6
	small    trained.Settings // those that come by the dozen: Fig. A7, the range of α, other processes

	norm  string   // normalisation, on which the paper is silent
	seeds []uint64 // the first is the main one

	// processes are those of the paper's figures whose models are trained; conditions of
	// the others are open. Their one-layer models, on which the headline rests, come with
	// several seeds, the first of which figures show.
	processes []trained.Source
	headline  []uint64
	twice     bool      // those of the first seed are trained once more, for twice the steps, where α = 0.6
	variants  []variant // settings that the paper leaves open; nil for none

	// shapes are the architectures of Fig. A7 for α = 0.6, shapesWeak for α = 0.2, of
	// the full profile.
	shapes, shapesWeak []trained.Shape
}

// profiles by name: the paper's own settings, where it states them, are those of full;
// it does for one layer.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full()}

// work is how long rows take in a study of all of them, in steps of training: M2 is the
// first to read the beliefs of models, which others then have. Timed in the quick
// profile, but for headBounds (M15), which depends on it most.
func work(headBounds int) map[string]int {
	return map[string]int{
		"M1": 300, "M3": 850, "M2": 15000, "M12": 1400, "M9": 950, "M10": 670, "M11": 200, "M14": 760, "M6b": 300,
		"M15": headBounds, "M16": 4200, "M17c": 400,
	}
}

func quick() profile {
	p := profile{
		name: claim.Quick,
		deep: trained.Settings{
			DModel: 32, NCtx: 8, Steps: 2000, StepsWeak: 3000, LR: 1e-3, Schedule: "cosine",
			Init: trained.WideInit, EvaluateAt: 500,
		},
		small: trained.Settings{
			DModel: 32, NCtx: 8, Steps: 1500, StepsWeak: 2500, LR: 3e-3, Schedule: "cosine",
			Init: trained.WideInit, EvaluateAt: 500,
		},
		norm:      "LN",
		seeds:     []uint64{1, 2, 3},
		processes: []trained.Source{trained.Mess3(0.15, 0.6), trained.Mess3(0.5, 0.6)},
		headline:  []uint64{1, 2, 3, 4, 5},
	}
	p.oneLayer, p.setting = trained.OneLayer(claim.Quick)
	p.setting += "; five seeds a condition, α = 0.6 alone"
	p.work = work(300)
	return p
}

func full() profile {
	p := profile{
		name: claim.Full,
		deep: trained.Settings{
			DModel: 64, NCtx: trained.NCtx, Steps: 6000, StepsWeak: 10000, LR: 1e-3, Schedule: "cosine",
			Init: trained.WideInit, EvaluateAt: 500,
		},
		small: trained.Settings{
			DModel: 32, NCtx: 8, Steps: 6000, StepsWeak: 12000, LR: 3e-3, Schedule: "cosine",
			Init: trained.WideInit, EvaluateAt: 500,
		},
		norm:      "LN",
		seeds:     []uint64{1, 2, 3},
		processes: sources,
		headline:  []uint64{1, 2, 3, 4, 5},
		twice:     true,
		variants:  variants,
		shapes: []trained.Shape{
			{Layers: 1, Heads: 1},
			{Layers: 1, Heads: 2},
			{Layers: 1, Heads: 4},
			{Layers: 2, Heads: 1},
			{Layers: 2, Heads: 2},
		},
		shapesWeak: []trained.Shape{{Layers: 1, Heads: 1}, {Layers: 1, Heads: 2}, {Layers: 2, Heads: 2}},
	}
	p.oneLayer, p.setting = trained.OneLayer(claim.Full)
	p.work = work(20000)
	p.setting += "; five seeds a condition, the first once more for twice the steps, and three seeds for α = 0.2"
	return p
}

// describe says in words what a model's training was.
func (p profile) describe(s trained.Settings) string { return s.Describe(p.name) }

// sources are the four processes of the paper's figures.
var sources = []trained.Source{
	trained.Mess3(0.15, 0.2), trained.Mess3(0.15, 0.6), trained.Mess3(0.5, 0.2), trained.Mess3(0.5, 0.6),
}

// paperModel is one of the paper's models, of the first seed, whose curve is shown (M9):
// one layer, one head for x < 1/3, two for x beyond, where ζ is negative.
func (p profile) paperModel(on trained.Source) trained.Condition {
	heads := 1
	if on.Zeta() < 0 {
		heads = 2
	}
	return trained.Condition{
		Source: on, Shape: trained.Shape{Layers: 1, Heads: heads},
		Norm: p.norm, Seed: p.headline[0], Settings: p.oneLayer, Curve: true,
	}
}

// weakSeeds is how many seeds a condition has at most where tokens say little, and models
// train for twice as long.
const weakSeeds = 3

// seededModels are the paper's models of a process, one a seed. Those of the first have a
// curve (M9).
func (p profile) seededModels(on trained.Source) []trained.Condition {
	seeds := p.headline
	if on.Weak() {
		seeds = seeds[:min(len(seeds), weakSeeds)]
	}
	list := make([]trained.Condition, len(seeds))
	for i, seed := range seeds {
		list[i] = p.paperModel(on)
		list[i].Seed, list[i].Curve = seed, i == 0
	}
	return list
}

// longer is the paper's model of the first seed, trained for twice the steps.
func (p profile) longer(on trained.Source) trained.Condition {
	c := p.paperModel(on)
	c.Curve, c.Settings.Variant = false, "twice"
	c.Settings.Steps, c.Settings.StepsWeak = 2*c.Settings.Steps, 2*c.Settings.StepsWeak
	return c
}

// onProcesses are the models that rows about some of the paper's processes look at:
// those that the profile trains.
func (p profile) onProcesses(of ...trained.Source) (list []trained.Condition) {
	for _, on := range of {
		if !slices.Contains(p.processes, on) {
			continue
		}
		list = append(list, p.seededModels(on)...)
		if p.twice && !on.Weak() {
			list = append(list, p.longer(on))
		}
	}
	return list
}

// smallModels are some of the many: an architecture on a process, with each seed.
func (p profile) smallModels(on trained.Source, shape trained.Shape) []trained.Condition {
	list := make([]trained.Condition, len(p.seeds))
	for i, seed := range p.seeds {
		list[i] = trained.Condition{Source: on, Shape: shape, Norm: p.norm, Seed: seed, Settings: p.small}
	}
	return list
}

// mainModels are the paper's models of the first seed, which figures show.
func (p profile) mainModels() []trained.Condition {
	list := make([]trained.Condition, len(p.processes))
	for i, on := range p.processes {
		list[i] = p.paperModel(on)
	}
	return list
}

// percent prints a share that a rule names.
func percent(share float64) string { return fmt.Sprintf("%.10g %%", 100*share) }
