package run

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"foretell/internal/exactjson"
	"foretell/internal/limit"
)

// Session is one process that took steps of a run.
type Session struct {
	Step    int       `json:"step"` // at which it began
	Started time.Time `json:"started"`
	Program string    `json:"foretell"` // version of the program
	Engine  int       `json:"engine"`   // the train.BitsVersion
	Host    string    `json:"host"`
	ISA     string    `json:"isa"` // the instruction set that the arithmetic used
	Workers int       `json:"workers"`
	Command []string  `json:"command"`
}

// Sessions reads the sessions of a run from its env.json, the first one first. Its hash
// is verified by [Check].
func Sessions(dir string) ([]Session, error) {
	text, err := limit.ReadFile(filepath.Join(dir, envFile), "an "+envFile, mostJSON)
	if err != nil {
		return nil, err
	}
	var p provenance
	if err := exactjson.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", dir, envFile, err)
	}
	list := make([]Session, len(p.Lives))
	for i, entry := range p.Lives {
		var l life
		if err := json.Unmarshal(entry, &l); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", dir, envFile, err)
		}
		list[i] = Session{
			l.Step, l.Started, l.Foretell, l.Engine, l.Machine.Host, l.Machine.ISA, l.Workers, l.Command,
		}
	}
	return list, nil
}
