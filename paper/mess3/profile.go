package mess3

import (
	"fmt"
	"slices"
	"strings"

	"foretell/claim"
	"foretell/paper/internal/trained"
)

// profile defines the models that a study trains, and for how long.
type profile struct {
	name     claim.Profile
	whole    bool             // has the models of the full profile, as the deep one does
	setting  string           // for the report
	work     map[string]int   // Work of each row; see claim.Row
	oneLayer trained.Settings // the paper's models of one layer
	deep     trained.Settings // models of four layers: Fig. A5 and A6
	small    trained.Settings // models trained in large numbers: Fig. A7, the range of α, other processes

	norm  string   // normalisation, which the paper does not state
	seeds []uint64 // of all but the paper's models; figures show the first

	// processes are the processes of the paper's figures for which models are trained;
	// conditions on the paper's other processes are open. For each process, the paper's
	// one-layer models have the seeds in headline, because the main results depend on
	// them. Figures show the first seed.
	processes []trained.Source
	headline  []uint64
	twice     bool             // train the models of the first seed again for twice the steps, where α = 0.6
	variants  []variant        // changes of settings that M18 tries; may be nil
	needs     []trained.Source // processes of M20; may be nil
	limit     exactSizes       // of M19
	need      exactSizes       // of M20

	// shapes are the architectures of Fig. A7 for α = 0.6 in the full profile, and
	// shapesWeak those for α = 0.2.
	shapes, shapesWeak []trained.Shape
}

// profiles holds the profiles by name. The full profile has the paper's own settings
// where it states them, which it does for one layer.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full(), claim.Deep: deep()}

// work returns the duration of each row's test in a study of all rows, in training steps.
// M2 takes long because it measures models that later rows use again. The numbers were
// timed in the quick profile. The argument is the duration of M15, which differs most
// between profiles.
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
		limit:     exactSizes{6, 2000},
	}
	p.oneLayer, p.setting = trained.OneLayer(claim.Quick)
	p.setting += "; five seeds per condition, only α = 0.6"
	p.work = work(300)
	return p
}

func full() profile {
	p := profile{
		name: claim.Full, whole: true,
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
		needs:     aroundThird,
		limit:     exactSizes{6, 2000},
		need:      exactSizes{6, 4000},
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
	p.setting += "; five seeds per condition, the first also for twice the steps; three seeds for α = 0.2"
	return p
}

// deep is the full profile with longer sequences and more steps in M19.
func deep() profile {
	p := full()
	p.name, p.limit = claim.Deep, exactSizes{8, 4000}
	p.setting = strings.Replace(p.setting, string(claim.Full), string(claim.Deep), 1)
	return p
}

// describe returns a description of how models with these settings are trained.
func (p profile) describe(s trained.Settings) string { return s.Describe(p.name) }

// sources are the four processes of the paper's figures.
var sources = []trained.Source{
	trained.Mess3(0.15, 0.2), trained.Mess3(0.15, 0.6), trained.Mess3(0.5, 0.2), trained.Mess3(0.5, 0.6),
}

// paperModel returns the paper's model of a process with the first seed, whose training
// curve M9 shows. It has one layer, with one head for x < 1/3 and two for larger x, where
// ζ is negative.
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

// weakSeeds is the largest number of seeds of a condition whose tokens carry little
// information. It is small because the models of such a condition train for twice as
// long.
const weakSeeds = 3

// seededModels returns the paper's models of a process, one for each seed. The first has
// a training curve (M9).
func (p profile) seededModels(on trained.Source) []trained.Condition {
	seeds := p.headline
	if on.Weak() {
		seeds = seeds[:min(len(seeds), weakSeeds)]
	}
	list := p.paperModel(on).Seeded(seeds...)
	for i := range list {
		list[i].Curve = i == 0
	}
	return list
}

// longer returns the paper's model of the first seed, trained for twice the steps.
func (p profile) longer(on trained.Source) trained.Condition {
	c := p.paperModel(on)
	c.Curve, c.Settings.Variant = false, "twice"
	c.Settings.Steps, c.Settings.StepsWeak = 2*c.Settings.Steps, 2*c.Settings.StepsWeak
	return c
}

// onProcesses returns the paper's models of the listed processes, for those processes
// that the profile trains. It includes the models trained for twice the steps, if the
// profile has them.
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

// smallModels returns the small models of one architecture on a process, one for each
// seed.
func (p profile) smallModels(on trained.Source, shape trained.Shape) []trained.Condition {
	return trained.Condition{Source: on, Shape: shape, Norm: p.norm, Settings: p.small}.Seeded(p.seeds...)
}

// mainModels returns the paper's models of the first seed, which figures show.
func (p profile) mainModels() []trained.Condition {
	list := make([]trained.Condition, len(p.processes))
	for i, on := range p.processes {
		list[i] = p.paperModel(on)
	}
	return list
}

// percent formats a share, given as a constant of a rule, as a percentage.
func percent(share float64) string { return fmt.Sprintf("%.10g %%", 100*share) }
