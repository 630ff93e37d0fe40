package signals

import "foretell/claim"

// profile says which models a study trains, how long, and on how much it measures.
type profile struct {
	name    claim.Profile
	setting string // in words, for the report

	work map[string]int // see claim.Row, by row

	forecasting
	lastOnly // the lecture's three models, S3–S6
	quantising

	solvedSignals []signal // those whose settings S13 trains
	solvedSeeds   []uint64 // none of them those of the trials

	changedSignals []signal // those of S13b
	changes        []change // the first is none
}

// forecasting is how much S7 takes.
type forecasting struct {
	recorded   int // points of the recording from which a forecaster learns
	windows    int // on which it is judged
	glassSteps int // of transformers on Mackey–Glass by their context, 0 for none
}

// lastOnly is the effort for models that learn the token after a window.
type lastOnly struct {
	steps     int // of each training
	sineSteps int // on the sine, which all learn soon
	judgedOn  int // windows held out, of any and of those before a retrieval step
}

// quantising is how much S10 takes.
type quantising struct {
	samples      int // of each signal to fit on, and as many to measure
	learnedSteps int // of each learned quantiser
}

// profiles by name: the lecture's own settings, where it states them, are those of full.
var profiles = map[claim.Profile]profile{
	claim.Quick: {
		name: claim.Quick, setting: "quick profile",
		work: map[string]int{
			"S1": 140, "S8": 30, "S9": 1100, "S10": 620, "S13": 300, "S13b": 50, "S7": 50, "S3": 790, "S4": 700,
			"S5": 350, "S6": 20,
		},
		forecasting:   forecasting{recorded: 3_000_000, windows: 4000},
		lastOnly:      lastOnly{steps: 800, sineSteps: 200, judgedOn: 2048},
		solvedSignals: []signal{sine, switching, routing}, solvedSeeds: []uint64{1},
		changedSignals: []signal{routing}, changes: []change{unchanged, everyPosition},
		quantising: quantising{samples: 1 << 15, learnedSteps: 2000},
	},
	claim.Full: {
		name: claim.Full, setting: "full profile",
		work: map[string]int{
			"S1": 140, "S8": 30, "S9": 1100, "S10": 2500, "S13": 1500, "S13b": 750, "S7": 2000, "S3": 790, "S4": 700,
			"S5": 350, "S6": 20,
		},
		forecasting:   forecasting{recorded: 100_000_000, windows: 10_000, glassSteps: 3000},
		lastOnly:      lastOnly{steps: 1400, sineSteps: 400, judgedOn: 4096},
		solvedSignals: allSignals, solvedSeeds: []uint64{1, 2, 3},
		changedSignals: []signal{switching, brackets, routing},
		changes:        []change{unchanged, everyPosition, rotary, exactTargets, ourRate},
		quantising:     quantising{samples: 1 << 17, learnedSteps: 8000},
	},
}
