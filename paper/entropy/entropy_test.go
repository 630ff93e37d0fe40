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

