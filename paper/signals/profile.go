package signals

import "foretell/claim"

// profile says which models a study trains, how long, and on how much it measures.
type profile struct {
	name    claim.Profile
	setting string // in words, for the report

	forecasting

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

// profiles by name: the lecture's own settings, where it states them, are those of full.
var profiles = map[claim.Profile]profile{
	claim.Quick: {
		name: claim.Quick, setting: "quick profile",
		forecasting:   forecasting{recorded: 3_000_000, windows: 4000},
		solvedSignals: []signal{sine, switching, routing}, solvedSeeds: []uint64{1},
		changedSignals: []signal{routing}, changes: []change{unchanged, everyPosition},
	},
	claim.Full: {
		name: claim.Full, setting: "full profile",
		forecasting:   forecasting{recorded: 100_000_000, windows: 10_000, glassSteps: 3000},
		solvedSignals: allSignals, solvedSeeds: []uint64{1, 2, 3},
		changedSignals: []signal{switching, brackets, routing},
		changes:        []change{unchanged, everyPosition, rotary, exactTargets, ourRate},
	},
}
