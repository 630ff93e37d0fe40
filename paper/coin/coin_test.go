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

// The rows that need no training come out as the document's formulas say, in words,
// numbers and files.
func TestRowsAboutPrintedFormulas(t *testing.T) {
	rows, err := claim.Select(Paper.Rows(claim.Quick), []string{"C1", "C2", "C3", "C4"})
	if err != nil {
		t.Fatal(err)
	}
	claimtest.Golden(t, "printed.golden", rows)
}

// So does the row about trained models, on models that learn next to nothing.
func TestRowAboutTrainedModels(t *testing.T) {
	claimtest.Golden(t, "trained.golden", tinyRows())
}
