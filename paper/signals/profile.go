package signals

import (
	"foretell/claim"
	"foretell/internal/kept"
)

// profile determines which models a study trains, for how many steps, and how much data
// it measures on.
type profile struct {
	name    claim.Profile
	setting string // the profile in words, for the report

	work map[string]int // [row id]: duration of the row's test; see claim.Row

	forecasting
	lastOnly // rows S3–S6, on the lecture's three models
	quantising

	solvedSignals []signal // signals on which S13 trains models
	solvedSeeds   []uint64 // seeds that were not used to choose the settings

	flatSignals []signal    // signals on which S14 trains flat models
	flats       []flatModel // the flat models
	lessers     []lesser    // the lesser GPTs

	changedSignals []signal // signals on which S13b trains models
	changes        []change // changes that S13b compares; the first is unchanged
}

// forecasting holds the sizes of the measurements of row S7.
type forecasting struct {
	recorded   int // points of the recording from which a forecaster learns
	windows    int // windows on which a forecaster is judged
	glassSteps int // training steps of each Mackey–Glass transformer; 0: no such models

	forecasts *kept.Result[forecast] // what the forecasters predict; see [profile.forecast]
}

// lastOnly holds the sizes of the rows on models that learn only the token after a
// window.
type lastOnly struct {
	steps     int // training steps
	sineSteps int // training steps on the sine, which needs fewer
	judgedOn  int // number of arbitrary held-out windows, and number of windows before a possible retrieval step
}

// quantising holds the sizes of the measurements of row S10.
type quantising struct {
	samples      int // samples of each signal to fit on; the same number again to measure on
	learnedSteps int // training steps of each learned quantiser
}

// profiles holds each profile by its name. The full profile uses the lecture's own
// settings where the lecture states them.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full(), claim.Deep: deep()}

func quick() profile {
	return profile{
		name: claim.Quick, setting: "quick profile",
		work: map[string]int{
			"S1": 140, "S8": 30, "S9": 1100, "S10": 620, "S13": 300, "S13b": 50, "S14": 60, "S7": 50, "S3": 790,
			"S4": 700, "S5": 550, "S6": 20,
		},
		forecasting:   forecasting{recorded: 3_000_000, windows: 4000},
		lastOnly:      lastOnly{steps: 800, sineSteps: 200, judgedOn: 2048},
		solvedSignals: []signal{sine, switching, routing}, solvedSeeds: []uint64{1},
		flatSignals: []signal{sine, switching, routing}, flats: flatModels[:2],
		changedSignals: []signal{routing}, changes: []change{unchanged, everyPosition},
		quantising: quantising{samples: 1 << 15, learnedSteps: 2000},
	}
}

func full() profile {
	return profile{
		name: claim.Full, setting: "full profile",
		work: map[string]int{
			"S1": 140, "S8": 30, "S9": 1100, "S10": 2500, "S13": 1500, "S13b": 750, "S14": 2600, "S7": 2000, "S3": 790,
			"S4": 700, "S5": 550, "S6": 20,
		},
		forecasting:   forecasting{recorded: 100_000_000, windows: 10_000, glassSteps: 3000},
		lastOnly:      lastOnly{steps: 1400, sineSteps: 400, judgedOn: 4096},
		solvedSignals: allSignals, solvedSeeds: []uint64{1, 2, 3},
		flatSignals: allSignals, flats: flatModels,
		changedSignals: []signal{switching, brackets, routing},
		changes:        []change{unchanged, everyPosition, rotary, exactTargets, ourRate},
		quantising:     quantising{samples: 1 << 17, learnedSteps: 8000},
	}
}

// deep is the full profile with more models in S14.
func deep() profile {
	p := full()
	p.name, p.setting = claim.Deep, "deep profile"
	p.flats, p.lessers = append(p.flats[:len(p.flats):len(p.flats)], widerModel), lessers
	return p
}
