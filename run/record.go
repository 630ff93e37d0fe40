package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/model"
)

// Record is where the weights of a complete run are from, as its folder says. It is for
// readers that need no weights; [Check] verifies the folder.
type Record struct {
	Config   []byte // config.yaml
	Engine   int    // the train.BitsVersion of all steps; 0 if they have several
	Sessions int    // number of sessions that took steps
	// Began is the start of the last session, and Ended the time of summary.json. Time that
	// earlier sessions took is not recorded.
	Began, Ended time.Time
	Stop         *Chosen // which model train.stop has chosen; else nil
}

// ReadRecord reads the record of the complete run in a folder.
func ReadRecord(dir string) (r Record, err error) {
	if r.Config, err = limit.ReadFile(filepath.Join(dir, model.ConfigFile), "a configuration", mostJSON); err != nil {
		return r, err
	}
	text, err := limit.ReadFile(filepath.Join(dir, envFile), "an "+envFile, mostJSON)
	if err != nil {
		return r, err
	}
	var p provenance
	if err := exactjson.Unmarshal(text, &p); err != nil {
		return r, fmt.Errorf("%s: %s: %w", dir, envFile, err)
	}
	for i, entry := range p.Lives {
		var l life
		if err := json.Unmarshal(entry, &l); err != nil {
			return r, fmt.Errorf("%s: %s: %w", dir, envFile, err)
		}
		if r.Began = l.Started; i == 0 {
			r.Engine = l.Engine
		} else if l.Engine != r.Engine {
			r.Engine = 0
		}
	}
	r.Sessions = len(p.Lives)
	info, err := os.Stat(filepath.Join(dir, summaryFile))
	if err != nil {
		return r, err
	}
	r.Ended, r.Stop = info.ModTime(), readChosen(dir)
	return r, nil
}
