package coin

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestMain(m *testing.M) { claimtest.Main(m, tinyRows) }

// tinyRows are C6 on models that learn next to nothing.
func tinyRows() []claim.Row {
	rows, err := claim.Select(profile{steps: 16, sequences: passSequences}.rows(), []string{"C6"})
	if err != nil {
		panic(err)
	}
	return rows
}

// C6 goes on where its training was stopped, by whatever, and finds the same.
func TestTrainingIsResumed(t *testing.T) {
	t.Run("interrupted", func(t *testing.T) { claimtest.Interrupted(t, tinyRows) })
	t.Run("killed", func(t *testing.T) { claimtest.Killed(t, tinyRows) })
}

func TestTexts(t *testing.T) {
	for _, profile := range claim.Profiles {
		claimtest.Published(t, Paper.Rows(profile))
	}
}

// The rows that need no training come out as the document's formulas say, with their
// files where they are promised.
func TestRowsAboutPrintedFormulas(t *testing.T) {
	want := map[string]claim.Verdict{
		"C1": claim.Holds, "C2": claim.Corrected, "C3": claim.Corrected, "C4": claim.Corrected,
	}
	rows, err := claim.Select(Paper.Rows(claim.Quick), []string{"C1", "C2", "C3", "C4"})
	if err != nil {
		t.Fatal(err)
	}
	claimtest.Verdicts(t, rows, want)
}
