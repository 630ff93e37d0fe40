package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"foretell/internal/limit"
)

// summary is the contents of summary.json: the last row of a complete run.
type summary struct {
	Format int `json:"format"`
	Row
}

func summaryText(last Row) ([]byte, error) { return jsonText(summary{format, last}) }

// checkSummary returns an error unless summary.json holds the given last row.
func checkSummary(dir string, last Row) error {
	text, err := limit.ReadFile(filepath.Join(dir, summaryFile), "a "+summaryFile, mostJSON)
	if err != nil {
		return err
	}
	if want, err := summaryText(last); err != nil || bytes.Equal(text, want) {
		return err
	}
	return fmt.Errorf("%s does not hold the last row of %s", summaryFile, metricsFile)
}

// summaryNote describes what is wrong with a run's summary.json; "" if nothing is wrong.
func (r *Run) summaryNote() string {
	last, _ := r.Last()
	err := checkSummary(r.Dir, last)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "" // the run is not complete, or was killed just before it was
	case r.saved < r.Config.Train.NumSteps:
		return fmt.Sprintf("there is a %s but no checkpoint of the last step: the run counts as unfinished",
			summaryFile)
	case err != nil && r.logged() == r.saved: // otherwise there is no last row to compare with
		return fmt.Sprintf("%v; it will be rewritten", err)
	}
	return ""
}
