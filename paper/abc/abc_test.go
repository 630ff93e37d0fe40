package abc

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestMain(m *testing.M) { claimtest.Main(m, fewRows) }

// few are so few of the tiny transformers that a test can train them several times.
var few = profile{seeds: 5, enough: 5, steps: 1000}

func fewRows() []claim.Row {
	rows, err := claim.Select(few.rows(), []string{"A1", "A4"})
	if err != nil {
		panic(err)
	}
	return rows
}

// A1 and A4 go on where their training was stopped, by whatever, and find the same: the
// step after which the pattern was learned, too.
func TestTrainingIsResumed(t *testing.T) {
	t.Run("interrupted", func(t *testing.T) { claimtest.Interrupted(t, fewRows) })
	t.Run("killed", func(t *testing.T) { claimtest.Killed(t, fewRows) })
}

func TestTexts(t *testing.T) {
	for _, profile := range claim.Profiles {
		claimtest.Published(t, Paper.Rows(profile))
	}
}

// The rows about what is printed come out as the document's numbers say, with their files
// where they are promised.
func TestRowsAboutPrintedFormulas(t *testing.T) {
	want := map[string]claim.Verdict{"A2": claim.Holds, "A3": claim.Corrected, "A4": claim.Corrected}
	rows, err := claim.Select(Paper.Rows(claim.Quick), []string{"A2", "A3", "A4"})
	if err != nil {
		t.Fatal(err)
	}
	claimtest.Verdicts(t, rows, want)
}
