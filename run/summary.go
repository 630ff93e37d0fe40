package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"foretell/internal/limit"
	"foretell/internal/text"
	"foretell/train"
)

// Summary is the result of a complete run: the row of the evaluation of its model, which
// is the last row or, with train.stop, the row of the best evaluation.
type Summary struct {
	Row
	Stop *Chosen `json:"stop,omitempty"` // nil without train.stop
}

// summary is the contents of summary.json.
type summary struct {
	Format int `json:"format"`
	Summary
}

func (s Summary) text() ([]byte, error) { return jsonText(summary{format, s}) }

// Print writes the evaluation in several lines; the first begins with the run's name.
func (s Summary) Print(out io.Writer, name string) {
	s.Row.Print(out, name)
	if s.Stop != nil {
		text.Fprintf(out, "  %s\n", s.Stop)
	}
}

// summary returns the summary of a complete run with options o, given its last row.
func (s state) summary(last Row, o train.Options) Summary {
	if s.Stop == nil {
		return Summary{Row: last}
	}
	return Summary{s.Stop.Best, s.chosen(o)}
}

// Summary returns the result of a complete run. It was computed in this session or, after
// resuming, verified by the checkpoint.
func (r *Run) Summary() Summary {
	last, _ := r.Last()
	s := state{Step: r.At()}
	if r.State().Best != nil {
		s.Stop = &stopping{Best: r.best}
	}
	return s.summary(last, r.Config.Train)
}

// checkSummary returns an error unless summary.json holds the given summary.
func checkSummary(dir string, s Summary) error {
	text, err := limit.ReadFile(filepath.Join(dir, summaryFile), "a "+summaryFile, mostJSON)
	if err != nil {
		return err
	}
	if want, err := s.text(); err != nil || bytes.Equal(text, want) {
		return err
	}
	what := "the last row of " + metricsFile
	if s.Stop != nil {
		what = "the best evaluation of the last checkpoint"
	}
	return fmt.Errorf("%s does not hold %s", summaryFile, what)
}

// summaryNote describes what is wrong with a run's summary.json; "" if nothing is wrong.
func (r *Run) summaryNote() string {
	err := checkSummary(r.Dir, r.Summary())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "" // the run is not complete, or was killed just before it was
	case r.saved < r.last():
		return fmt.Sprintf("there is a %s but no checkpoint of the last step: the run counts as unfinished",
			summaryFile)
	case err != nil && r.logged() == r.saved: // otherwise there is no last row to compare with
		return fmt.Sprintf("%v; it will be rewritten", err)
	}
	return ""
}
