package runtable

import (
	"encoding/json"
	"fmt"

	"foretell/curves"
	"foretell/run"
	"foretell/settings"
)

// Row is a run of a table.
type Row struct {
	run.Info                    // Err is also set if the results cannot be read
	Diverged bool               // whether its loss or weights have become NaN or infinite
	Tokens   int64              // tokens trained on, at the evaluation that Results has
	Seconds  *float64           // time that training took, see [run.Duration]; nil if not known
	Results  map[string]float64 // of the model or, before the end, of the last evaluation; see [curves.Results]
	Settings settings.Settings  // empty if the configuration cannot be read
}

// readRow reads a run; ok is false if it is not there any more.
func readRow(dir string) (r Row, ok bool) {
	if r.Info, ok = run.Describe(dir); !ok || r.Err != nil {
		return r, ok
	}
	if r.Settings, r.Err = settings.Read(dir); r.Err != nil || r.Steps == 0 {
		return r, ok
	}
	row, evaluated, err := run.ReadResult(r.Info)
	if r.Err = err; err != nil {
		return r, ok
	}
	if evaluated {
		r.Tokens, r.Results = row.Tokens, curves.Results(row)
		if !r.Complete {
			r.Step = max(r.Step, row.Step)
		}
	}
	r.Diverged = !r.Complete && run.Divergence(dir) != ""
	if took, known := run.Duration(dir); known && r.Complete {
		seconds := took.Seconds()
		r.Seconds = &seconds
	}
	return r, ok
}

// State is complete, or how far the run is.
func (r Row) State() string {
	switch {
	case r.Err != nil:
		return "unreadable"
	case r.Steps == 0:
		return "a model"
	case r.Complete:
		return "complete"
	case r.Diverged:
		return fmt.Sprintf("diverged at step %d of %d", r.Step, r.Steps)
	}
	return fmt.Sprintf("step %d of %d", r.Step, r.Steps)
}

// problem returns why the run cannot be read, or "".
func (r Row) problem() string {
	if r.Err == nil {
		return ""
	}
	return r.Err.Error()
}

// row is a run in JSON. It begins with the fields of [run.Info].
type row struct {
	Dir      string             `json:"run"`
	Process  string             `json:"process"`
	Step     int                `json:"step"`
	Steps    int                `json:"steps"`
	Complete bool               `json:"complete"`
	Stop     *run.Chosen        `json:"stop,omitempty"`
	Problem  string             `json:"problem,omitempty"`
	Diverged bool               `json:"diverged"`
	Tokens   int64              `json:"tokens"`
	Seconds  *float64           `json:"seconds,omitempty"`
	Settings map[string]any     `json:"settings"`
	Results  map[string]float64 `json:"results"`
}

// MarshalJSON writes the runs as a list.
func (t *Table) MarshalJSON() ([]byte, error) { return json.Marshal(t.json()) }

func (t *Table) json() []row {
	list := make([]row, len(t.Rows))
	for i, r := range t.Rows {
		list[i] = row{
			r.Dir, r.Process, r.Step, r.Steps, r.Complete, r.Stop, r.problem(), r.Diverged, r.Tokens, r.Seconds,
			map[string]any{},
			map[string]float64{},
		}
	}
	for _, c := range t.inJSON() {
		for i, value := range t.values(c) {
			x, number := value.(float64)
			switch {
			case value == nil:
			case c.setting:
				list[i].Settings[c.name] = value
			case number && c.result:
				list[i].Results[c.name] = x
			}
		}
	}
	return list
}
