package induction

import "foretell/claim"

// profile says which models a study trains, how long, and on how much it measures.
type profile struct {
	name    claim.Profile
	setting string // in words, for the report

	standard     recipe // of standard transformers whose divergence counts
	disentangled recipe // of disentangled ones
	plain        recipe // of standard ones whose heads are looked at
	paper        recipe // as Sec. 5 has it
	heldOut      int    // sequences for each lag on which divergences are measured

	seeds []uint64 // of the models of which an order is claimed
	few   []uint64 // of the others
}

// profiles by name: the paper's own settings, where it states them, are those of full.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full()}

// The recipes but for their sizes (docs/log.md, 2026-11-22).
var (
	// fast learns soonest: layer norm, a small initialisation, short-lived moments and the
	// optimal predictor's distribution as the target.
	fast = recipe{
		width: 64, lr: 6e-3, schedule: "cosine", warmup: 100, beta1: 0.8, beta2: 0.95, norm: "LN", init: 0.02,
		targets: "optimal", evaluated: 256,
	}
	// bare has no normalisation, as the paper's formulas have none.
	bare = recipe{
		name: "bare", width: 64, lr: 3e-3, schedule: "cosine", warmup: 100, beta1: 0.8, beta2: 0.95, norm: "none",
		init: 0.1, targets: "optimal", evaluated: 256,
	}
	// oneHot is for disentangled transformers, whose matrices act on one-hot positions.
	oneHot = recipe{
		lr: 3e-2, schedule: "cosine", warmup: 100, beta1: 0.8, beta2: 0.95, init: 0.01, targets: "optimal", evaluated: 256,
	}
	// theirs is that of Sec. 5: Adam at a constant rate on sampled tokens. It is silent on
	// the initialisation.
	theirs = recipe{
		name: "paper", width: 64, lr: 1e-3, schedule: "constant", beta1: 0.9, beta2: 0.999, norm: "none", init: 0.1,
		evaluated: 256,
	}
)

// sized is the recipe for sequences of a length, with so many steps of a batch.
func (r recipe) sized(context, steps, batch int) recipe {
	r.context, r.steps, r.batch, r.evaluate = context, steps, batch, steps/4
	return r
}

func quick() profile {
	return profile{
		name: claim.Quick, heldOut: 256,
		standard: fast.sized(64, 2000, 64), disentangled: oneHot.sized(64, 1600, 16),
		plain: bare.sized(64, 4000, 32), paper: theirs.sized(64, 2000, 64),
		seeds: []uint64{1}, few: []uint64{1},
		setting: "quick profile: sequences of 64 tokens, one seed",
	}
}

func full() profile {
	return profile{
		name: claim.Full, heldOut: 512,
		standard: fast.sized(128, 4000, 64), disentangled: oneHot.sized(128, 3000, 16),
		plain: bare.sized(128, 8000, 32), paper: theirs.sized(128, 4000, 256),
		seeds: []uint64{1, 2, 3, 4, 5}, few: []uint64{1, 2, 3},
		setting: "full profile: sequences of 128 tokens, five seeds where an order is claimed, else three",
	}
}
