package entropy

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestTexts(t *testing.T) {
	for _, profile := range claim.Profiles {
		claimtest.Published(t, Paper.Rows(profile))
	}
}

// tinyRows are all rows on a few sources and short sequences.
func tinyRows() []claim.Row {
	l := &lab{
		profile: profile{lengths: []int{200, 400}, seeds: 3, fitted: 400},
		only:    []string{"golden_mean", "even", "markov", "z1r"},
	}
	return l.rows()
}

// Rows on short sequences come out in words, numbers and files.
func TestTinyRows(t *testing.T) { claimtest.Golden(t, "tiny.golden", tinyRows()) }
