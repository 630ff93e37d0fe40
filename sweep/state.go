package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/run"
	"foretell/train"
)

// Folders of a study.
const (
	runsFolder     = "runs"
	attemptsFolder = "attempts"
	failedFolder   = "failed"
)

// State is how far a run of a study has got.
type State string

// The states of a run.
const (
	Complete State = "complete" // its folder is in runs
	Diverged State = "diverged" // its loss stopped being a number; training it again would do the same
	Failed   State = "failed"   // the last attempt ended with an error; the next call tries again
	Begun    State = "begun"    // there is an attempt with at least one checkpoint
	Absent   State = "absent"   // nothing is known of it
)

// Progress is the state of one run of a study.
type Progress struct {
	ID       string   `json:"id"`
	Name     string   `json:"name,omitempty"` // see [Planned]
	Settings []string `json:"settings"`       // values of the study's varied settings
	State    State    `json:"state"`
	Dir      string   `json:"run,omitempty"`   // folder of the run or of its furthest attempt
	Step     int      `json:"step"`            // step of the run or of its furthest attempt
	Steps    int      `json:"steps"`           // planned number of steps; 0 if no attempt has begun
	Error    string   `json:"error,omitempty"` // why it has no result
	// Results are the numbers of the run's model, or of the last evaluation so far, by name.
	// [Study.Results] fills them in.
	Results map[string]float64 `json:"results,omitempty"`
}

// failure is the contents of failed/ID.json.
type failure struct {
	Error    string `json:"error"`
	Diverged bool   `json:"diverged"`
	Engine   int    `json:"engine"` // the train.BitsVersion
}

// Run returns the folder of a complete run of the study.
func (s *Study) Run(p Planned) string { return filepath.Join(s.Dir, runsFolder, p.Folder()) }

func (s *Study) failureFile(id string) string {
	return filepath.Join(s.Dir, failedFolder, id+".json")
}

// readFailure reads why a run has no result; nil if there is no such file, or none that
// this program can read.
func (s *Study) readFailure(id string) *failure {
	data, err := limit.ReadFile(s.failureFile(id), "a failure", 1<<20)
	var f failure
	if err != nil || exactjson.Unmarshal(data, &f) != nil {
		return nil
	}
	return &f
}

// fail records why a run has no result.
func (s *Study) fail(id string, cause error) error {
	var diverged *train.DivergedError
	data, err := json.Marshal(failure{cause.Error(), errors.As(cause, &diverged), train.BitsVersion})
	if err == nil {
		err = durable.Folder(filepath.Join(s.Dir, failedFolder))
	}
	if err == nil {
		err = durable.WriteFile(s.failureFile(id), append(data, '\n'))
	}
	return err
}

// diverged reports whether a run has diverged with this program's arithmetic.
func (f *failure) diverged() bool { return f != nil && f.Diverged && f.Engine == train.BitsVersion }

// A looking reads the names in a folder. A folder that does not exist is empty.
type looking func(dir string) ([]string, error)

// readNames opens the folder and lists it. Over a network the client may remember for up
// to a minute that a name did not exist, but not what a folder that it opens contains.
func readNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// looks is how often a folder is listed before a run counts as missing, if other machines
// may write to it; between looks passes the time `between`, which doubles.
const (
	looks   = 4
	between = time.Second
)

// complete returns the folders of the runs that are complete. In a study of [List] other
// programs may train in runs, too, so there a run must have ended.
func (s *Study) complete() (map[string]bool, error) {
	found, err := s.names(runsFolder)
	if s.Title == "" {
		return found, err
	}
	for name := range found {
		info, _ := run.Describe(filepath.Join(s.Dir, runsFolder, name))
		found[name] = info.Complete
	}
	return found, err
}

func (s *Study) names(folder string) (map[string]bool, error) {
	names, err := s.look(filepath.Join(s.Dir, folder))
	found := make(map[string]bool, len(names))
	for _, name := range names {
		found[name] = true
	}
	return found, err
}

// attempts returns the folders of all attempts by the id of their run.
func (s *Study) attempts() (map[string][]string, error) {
	names, err := s.look(filepath.Join(s.Dir, attemptsFolder))
	found := map[string][]string{}
	for _, name := range names {
		if durable.IsTemporary(name) {
			continue
		}
		id, _, _ := strings.Cut(name, ".")
		found[id] = append(found[id], filepath.Join(s.Dir, attemptsFolder, name))
	}
	return found, err
}

// furthest describes the attempt with the latest checkpoint; ok is false if no attempt
// has one.
func furthest(folders []string) (best run.Info, ok bool) {
	for _, dir := range folders {
		info, isRun := run.Describe(dir)
		if isRun && info.Step > 0 && (!ok || info.Step > best.Step) {
			best, ok = info, true
		}
	}
	return best, ok
}

// States returns the state of each run, in the order of the manifest.
func (s *Study) States() ([]Progress, error) {
	done, err := s.complete()
	if err != nil {
		return nil, err
	}
	failed, err := s.names(failedFolder)
	if err != nil {
		return nil, err
	}
	attempts, err := s.attempts()
	if err != nil {
		return nil, err
	}
	list := make([]Progress, len(s.Runs))
	for i, planned := range s.Runs {
		p := Progress{ID: planned.ID, Name: planned.Name, Settings: planned.Settings, State: Absent}
		if done[planned.Folder()] {
			p.State, p.Dir = Complete, s.Run(planned)
			list[i] = p
			continue
		}
		if info, ok := furthest(attempts[p.ID]); ok {
			p.State, p.Dir, p.Step, p.Steps = Begun, info.Dir, info.Step, info.Steps
		}
		if failed[p.ID+".json"] {
			if f := s.readFailure(p.ID); f.diverged() {
				p.State, p.Error = Diverged, f.Error
			} else if f != nil {
				p.State, p.Error = Failed, f.Error
			}
		}
		list[i] = p
	}
	return list, nil
}

// Counts are the numbers of runs of a study by state.
type Counts struct {
	Runs     int `json:"runs"`
	Complete int `json:"complete"`
	Begun    int `json:"begun"`
	Diverged int `json:"diverged"`
	Failed   int `json:"failed"`
	Absent   int `json:"absent"`
}

// Count counts the states.
func Count(list []Progress) Counts {
	c := Counts{Runs: len(list)}
	for _, p := range list {
		switch p.State {
		case Complete:
			c.Complete++
		case Diverged:
			c.Diverged++
		case Failed:
			c.Failed++
		case Begun:
			c.Begun++
		default:
			c.Absent++
		}
	}
	return c
}

// String returns the counts on one line.
func (c Counts) String() string {
	line := fmt.Sprintf("%d of %d runs are complete", c.Complete, c.Runs)
	for _, part := range []struct {
		n    int
		word string
	}{{c.Begun, "begun"}, {c.Diverged, "diverged"}, {c.Failed, "failed"}} {
		if part.n > 0 {
			line += fmt.Sprintf(", %d %s", part.n, part.word)
		}
	}
	return line + "."
}
