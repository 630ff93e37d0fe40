package claim

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"foretell/run"
	"foretell/train"
)

// Models identifies the trained models that a row examines. Models with equal values have
// equal weights, bit for bit.
type Models struct {
	Count  int    `json:"count"`
	Hash   string `json:"hash"`   // SHA-256 of the names and configurations of the training runs
	Engine int    `json:"engine"` // [train.BitsVersion] of all steps; 0 if it is not the same for all
}

// Span is the last session of a training run.
type Span struct {
	Began, Ended time.Time
	Sessions     int // number of sessions that the run took
}

// Planned returns the models that a row will examine, trained by this program.
func (r Row) Planned() (Models, error) {
	m := Models{Engine: train.BitsVersion}
	return m.sum(r.Trainings, func(t Training) ([]byte, error) {
		c, err := t.Config.Resolve()
		if err != nil {
			return nil, err
		}
		return c.YAML()
	})
}

// Finished returns the models in a study's folder that a row examined, and when each was
// trained.
func (r Row) Finished(dir string) (m Models, spans []Span, err error) {
	var engines []int
	m, err = m.sum(r.Trainings, func(t Training) ([]byte, error) {
		record, err := run.ReadRecord(filepath.Join(dir, "runs", t.Name))
		spans = append(spans, Span{record.Began, record.Ended, record.Sessions})
		engines = append(engines, record.Engine)
		return record.Config, err
	})
	if slices.Sort(engines); len(engines) > 0 && engines[0] == engines[len(engines)-1] {
		m.Engine = engines[0]
	}
	return m, spans, err
}

// sum adds training runs, each once, in the order of their names.
func (m Models) sum(list []Training, config func(Training) ([]byte, error)) (Models, error) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Training) int { return strings.Compare(a.Name, b.Name) })
	list = slices.CompactFunc(list, func(a, b Training) bool { return a.Name == b.Name })
	hash := sha256.New()
	for _, t := range list {
		text, err := config(t)
		if err != nil {
			return Models{}, fmt.Errorf("%s: %w", t.Name, err)
		}
		fmt.Fprintf(hash, "%s\n%d\n%s", t.Name, len(text), text)
	}
	m.Count = len(list)
	m.Hash = fmt.Sprintf("%x", hash.Sum(nil))
	return m, nil
}
