package mess3

import "foretell/paper/internal/trained"

// tinySteps are those of each model of the tiny profile.
const tinySteps = 20

// tiny trains next to nothing, on short words: what comes out is no claim about
// the paper but goes through the same rows.
func tiny() profile {
	p := quick()
	p.name, p.setting = "tiny", "tiny profile"
	p.oneLayer = trained.Settings{
		DModel: 16, NCtx: 7, Steps: tinySteps, StepsWeak: tinySteps, LR: 1e-3, Schedule: "cosine",
		Init: trained.NarrowInit, EvaluateAt: 10,
	}
	p.deep, p.small = p.oneLayer, p.oneLayer
	p.deep.DModel, p.deep.NCtx = 8, 4
	p.small.DModel, p.small.NCtx = 12, 4
	p.seeds, p.headline, p.twice, p.variants = []uint64{1}, []uint64{1, 2}, true, variants[2:3]
	p.needs, p.limit, p.need = aroundThird[2:4], exactSizes{4, tinySteps}, exactSizes{4, tinySteps}
	return p
}
