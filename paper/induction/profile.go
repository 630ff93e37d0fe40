package induction

import "foretell/claim"

// profile says which models a study trains, how long, and on how much it measures.
type profile struct {
	name    claim.Profile
	setting string // in words, for the report

	context int // T, tokens of a sequence
	heldOut int // sequences for each lag on which divergences are measured
}

// profiles by name: the paper's own settings, where it states them, are those of full.
var profiles = map[claim.Profile]profile{claim.Quick: quick(), claim.Full: full()}

func quick() profile {
	return profile{
		name: claim.Quick, context: 128, heldOut: 256,
		setting: "quick profile: sequences of 128 tokens over an alphabet of 5, 256 of each lag held out",
	}
}

func full() profile {
	return profile{
		name: claim.Full, context: 128, heldOut: 1024,
		setting: "full profile: sequences of 128 tokens over an alphabet of 5, 1,024 of each lag held out",
	}
}
