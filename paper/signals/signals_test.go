package signals

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

// The rows that need no training come out as the definitions say, with their files where
// they are promised.
func TestRowsAboutDefinitions(t *testing.T) {
	want := map[string]claim.Verdict{
		"S1": claim.Corrected, "S2": claim.Holds, "S8": claim.Corrected, "S9": claim.Corrected, "S11": claim.Holds,
		"S12": claim.Holds,
	}
	var ids []string
	for id := range want {
		ids = append(ids, id)
	}
	rows, err := claim.Select(Paper.Rows(claim.Quick), ids)
	if err != nil {
		t.Fatal(err)
	}
	claimtest.Verdicts(t, rows, want)
}
