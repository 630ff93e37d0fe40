package exchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/run"
)

// record is what a run has written about its training.
type record struct {
	name     string           // the name of its folder
	config   []byte           // the contents of its config.yaml
	settings []strict.Setting // the values in it
	rows     []evaluation
}

// evaluation is a row of metrics.jsonl.
type evaluation struct {
	step    int
	time    time.Time // when the session that took the step began; metrics.jsonl has no times
	scalars []scalar
}

// scalar is a number of an evaluation. Its name is the key in metrics.jsonl. A list has a
// scalar for each element, NAME/1, NAME/2 and so on, and the watched numbers are
// watch/NAME.
type scalar struct {
	name  string
	value float64
}

// readRecord reads the run in a folder. It returns an error if there are no evaluations
// yet, or if files of the run are damaged.
func readRecord(dir string) (*record, error) {
	path := filepath.Join(dir, model.ConfigFile)
	config, err := strict.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc, err := strict.Parse(path, config)
	if err != nil {
		return nil, err
	}
	rows, err := run.Metrics(dir)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no evaluations yet", dir)
	}
	sessions, err := run.Sessions(dir)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &record{name: filepath.Base(whole), config: config, settings: doc.Settings()}
	for _, row := range rows {
		e := evaluation{step: row.Step, time: startOf(sessions, row.Step)}
		if e.scalars, err = scalarsOf(row); err != nil {
			return nil, err
		}
		r.rows = append(r.rows, e)
	}
	return r, nil
}

// startOf returns the time at which the session began that computed a step. A session
// that begins at a step computes the next one first; the first session also evaluates the
// initial model.
func startOf(sessions []run.Session, step int) (t time.Time) {
	for i, s := range sessions {
		if i == 0 || s.Step < step {
			t = s.Started
		}
	}
	return t
}

// scalarsOf returns the numbers of a row, sorted by name.
func scalarsOf(row run.Row) ([]scalar, error) {
	text, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	delete(values, "step")
	return flatten(nil, "", values), nil
}

func flatten(list []scalar, name string, value any) []scalar {
	below := func(key string) string {
		if name == "" {
			return key
		}
		return name + "/" + key
	}
	switch x := value.(type) {
	case float64:
		return append(list, scalar{name, x})
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			list = flatten(list, below(key), x[key])
		}
	case []any:
		for i, item := range x {
			list = flatten(list, below(strconv.Itoa(i+1)), item)
		}
	}
	return list
}
