package induction

import "foretell/claim"

// profile sets which models a study trains, for how many steps, and the amount of data on
// which it measures them.
type profile struct {
	name    claim.Profile
	setting string // description for the report

	standard     recipe // for standard transformers whose divergence is judged
	disentangled recipe // for disentangled transformers
	plain        recipe // for standard transformers whose heads are examined
	paper        recipe // as in Sec. 5
	heldOut      int    // sequences for each lag on which divergences are measured

	effort // how much of App. F is repeated

	seeds   []uint64 // seeds of models whose order is judged
	atFive  []uint64 // of such models for five lags, which take longest to train
	few     []uint64 // seeds of other models
	printed []uint64 // seeds of models with the recipe paper

	work map[string]int // by the row's ID; see claim.Row

	lookedAt    []cell // conditions of rows I8 and I12 for which models are trained
	oneHotCells []cell // conditions of row I7 with disentangled transformers

	variants []variant // in which rows I7, I8, I10 and I12 are repeated; of the deep profile alone
}

// profiles by name; the full profile uses the paper's own settings where it states them.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full(), claim.Deep: deep()}

// The recipes without their sizes (docs/log.md, 2026-11-22).
var (
	// fast learns fastest: layer norm, a small initialisation, optimiser moments with a
	// short memory, and the optimal predictor's distribution as the target.
	fast = recipe{
		width: 64, lr: 6e-3, schedule: "cosine", warmup: 100, beta1: 0.8, beta2: 0.95, norm: "LN", init: 0.02,
		objective: "optimal_targets", evaluated: 256,
	}
	// bare follows Sec. 5 except for its targets and its batch size. At this rate and
	// without normalisation, layer 3 learned to attend as in the construction on {1, 2} and
	// {1, 2, 3}; with the recipe fast it learns other heads.
	bare = recipe{
		name: "bare", width: 64, lr: 1e-3, schedule: "constant", beta1: 0.9, beta2: 0.999, norm: "none", init: 0.1,
		objective: "optimal_targets", evaluated: 256,
	}
	// oneHot is for disentangled transformers, whose matrices act on one-hot positions.
	oneHot = recipe{
		lr: 1e-2, schedule: "constant", warmup: 100, beta1: 0.9, beta2: 0.999, init: 0.01, objective: "optimal_targets",
		evaluated: 256,
	}
	// theirs is the paper's own recipe (Sec. 5): Adam at a constant rate on sampled tokens.
	// The paper does not state the initialisation.
	theirs = recipe{
		name: "paper", width: 64, lr: 1e-3, schedule: "constant", beta1: 0.9, beta2: 0.999, norm: "none", init: 0.1,
		evaluated: 256,
	}
)

// sized returns the recipe for a context length, a number of steps and a batch size.
func (r recipe) sized(context, steps, batch int) recipe {
	r.context, r.steps, r.batch, r.evaluate = context, steps, batch, steps/4
	return r
}

func quick() profile {
	return profile{
		name: claim.Quick, heldOut: 256, effort: part,
		standard: fast.sized(64, 2000, 64), disentangled: oneHot.sized(32, 5000, 16),
		plain: bare.sized(32, 8000, 32), paper: theirs.sized(64, 4000, 64),
		seeds: []uint64{1}, few: []uint64{1}, atFive: []uint64{1}, printed: []uint64{1},
		lookedAt: []cell{
			{example, oneHead, true},
			{example, oneHead, false},
			{twoNext, oneHead, false},
			{spread, secondLayer(spread.enoughHeads()), false},
			{spread, secondLayer(spread.enoughHeads()), true},
		},
		oneHotCells: []cell{
			{example, oneHead, true}, {example, threeHeads, true}, {twoApart, oneHead, true},
		},
		work: map[string]int{
			"I13": 130, "I14": 430, "I17": 1000, "I3": 300, "I4": 350, "I5": 400, "I6": 90, "I9": 200, "I16": 300,
			"I18": 30, "I10": 200, "I11": 200, "I22": 300, "I7": 600, "I12": 60, "I19": 200, "I8": 300, "I20": 6000,
			"I21": 16_000,
		},
		setting: "quick profile: sequences of 64 tokens, or 32; one seed",
	}
}

func full() profile {
	p := profile{
		name: claim.Full, heldOut: 512, effort: whole,
		standard: fast.sized(128, 3200, 64), disentangled: oneHot.sized(64, 5000, 16),
		plain: bare.sized(64, 12000, 32), paper: theirs.sized(128, 4000, 256),
		seeds: []uint64{1, 2, 3, 4, 5}, few: []uint64{1, 2, 3}, atFive: []uint64{1, 2, 3}, printed: []uint64{1},
		work: map[string]int{
			"I13": 580, "I14": 210, "I17": 8300, "I3": 310, "I4": 320, "I5": 440, "I6": 100, "I9": 220, "I16": 240,
			"I18": 20, "I10": 950, "I11": 790, "I22": 4600, "I7": 20_000, "I12": 210, "I19": 690, "I8": 4600,
			"I20": 25_000, "I21": 60_000,
		},
		setting: "full profile: sequences of 128 tokens, or 64; five seeds where an order is claimed on fewer than " +
			"five lags, one with the paper's own recipe, otherwise three",
	}
	for _, of := range panelTasks {
		p.oneHotCells = append(p.oneHotCells, of.panelCells()...)
	}
	for _, of := range []task{example, twoNext, nonContiguous} {
		p.lookedAt = append(p.lookedAt, cell{of, oneHead, true}, cell{of, oneHead, false})
	}
	heads := secondLayer(spread.enoughHeads())
	p.lookedAt = append(p.lookedAt, cell{spread, heads, false}, cell{spread, heads, true})
	return p
}

// deep is the full profile with more seeds, and with its rows repeated in the variants.
func deep() profile {
	p := full()
	p.name, p.variants = claim.Deep, variants
	p.atFive, p.printed = p.seeds, p.few
	p.setting = "deep profile: sequences of 128 tokens, or 64; five seeds where an order is claimed, otherwise " +
		"three; one seed in other settings"
	return p
}
