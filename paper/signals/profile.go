package signals

import "foretell/claim"

// profile says which models a study trains, how long, and on how much it measures.
type profile struct {
	name    claim.Profile
	setting string // in words, for the report
}

// profiles by name: the lecture's own settings, where it states them, are those of full.
var profiles = map[claim.Profile]profile{
	claim.Quick: {name: claim.Quick, setting: "quick profile"},
	claim.Full:  {name: claim.Full, setting: "full profile"},
}
