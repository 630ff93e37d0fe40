package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"foretell/internal/build"
	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/kernel"
	"foretell/internal/limit"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// EngineError reports that the steps of a run were computed by another engine (version of
// the training arithmetic, [train.BitsVersion]) than this program's. The two compute
// different bits, so no single engine could reproduce the run if this program continued
// it.
type EngineError struct {
	Dir  string
	Step int // the step that the run has reached
	Have int // the train.BitsVersion of the latest steps
}

func (e *EngineError) Error() string {
	return fmt.Sprintf("%s: its %d steps were computed by engine %d, and this program has engine %d, "+
		"which computes other bits; finish it with the program that began it, train again in another folder, "+
		"or accept a run of both engines",
		e.Dir, e.Step, e.Have, train.BitsVersion)
}

// takeEngines sets r.engines to the engines (see [EngineError]) that computed the
// checkpoint's steps, and adds this program's engine if there are more steps to take. It
// returns an error if this program's engine is a different one and AllowOtherEngine is
// not set.
func (r *Run) takeEngines(s state) error {
	if r.saved < 0 {
		return nil
	}
	r.engines = slices.Clone(s.Engines)
	last := s.engine()
	if last == train.BitsVersion || r.saved == r.last() {
		return nil
	}
	if !r.AllowOtherEngine {
		return &EngineError{r.Dir, r.saved, last}
	}
	r.engines, r.mixed = append(r.engines, train.BitsVersion), true
	return nil
}

// engine returns the engine (see [EngineError]) of the latest steps up to the checkpoint.
func (s state) engine() int { return s.Engines[len(s.Engines)-1] }

// otherEngines returns a note that lists the engines (see [EngineError]) of a run if at
// least one differs from this program's. Otherwise it returns "".
func (s state) otherEngines() string {
	if !slices.ContainsFunc(s.Engines, func(e int) bool { return e != train.BitsVersion }) {
		return ""
	}
	if len(s.Engines) == 1 {
		return fmt.Sprintf("its steps were computed by engine %d; this program has engine %d, "+
			"which computes other bits", s.Engines[0], train.BitsVersion)
	}
	names := make([]string, len(s.Engines))
	for i, e := range s.Engines {
		names[i] = fmt.Sprint(e)
	}
	return fmt.Sprintf("its steps were computed by engines %s, one after another; "+
		"no single engine can reproduce them", strings.Join(names, ", "))
}

// life is an entry of env.json: one session, that is one process that worked on the run.
type life struct {
	Step        int       `json:"step"` // the step at which the session began
	Engine      int       `json:"engine"`
	OtherEngine bool      `json:"accepted_other_engine,omitempty"` // earlier steps were computed by another engine
	Extended    int       `json:"extended_from,omitempty"`         // num_steps before the run was extended
	Foretell    string    `json:"foretell"`
	Commit      string    `json:"commit,omitempty"`
	Go          string    `json:"go"`
	Machine     machine   `json:"machine"`
	Workers     int       `json:"workers"`
	Seed        uint64    `json:"seed"`
	Command     []string  `json:"command"`
	Started     time.Time `json:"started"`
}

type machine struct {
	Host string `json:"host,omitempty"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	ISA  string `json:"isa"` // the instruction set that the arithmetic uses
}

// thisLife returns the entry for this process.
func (r *Run) thisLife() life {
	host, _ := os.Hostname() // empty if the machine has no name
	return life{
		Step: r.At(), Engine: train.BitsVersion, OtherEngine: r.mixed, Extended: r.extendedFrom,
		Foretell: build.Version(), Commit: build.Commit(), Go: runtime.Version(),
		Machine: machine{host, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), kernel.ISA()},
		Workers: r.Plan.Workers, Seed: r.Config.Train.Seed,
		Command: os.Args, Started: time.Now().UTC().Truncate(time.Second),
	}
}

// Session is one process that took steps of a run.
type Session struct {
	Step    int       `json:"step"`     // at which it began
	Started time.Time `json:"started"`  // UTC, in whole seconds
	Program string    `json:"foretell"` // version of the program
	Engine  int       `json:"engine"`   // the train.BitsVersion
	Host    string    `json:"host"`
	ISA     string    `json:"isa"` // the instruction set that the arithmetic used
	Workers int       `json:"workers"`
	Command []string  `json:"command"`
}

// Sessions returns the processes that took the steps of the run in a folder, in order,
// from its env.json. It returns an error if the file is missing or damaged.
func Sessions(dir string) ([]Session, error) {
	config, err := strict.ReadFile(filepath.Join(dir, model.ConfigFile))
	if err != nil {
		return nil, err
	}
	hash := hexHash(config)
	s, _, err := newestState(dir, hash)
	if err != nil {
		return nil, err
	}
	p, err := readProvenance(dir, hash, s.past(hash))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, envFile), err)
	}
	list := make([]Session, len(p.Lives))
	for i, entry := range p.Lives {
		var l life
		if err := json.Unmarshal(entry, &l); err != nil {
			return nil, fmt.Errorf("%s: session %d: %w", filepath.Join(dir, envFile), i+1, err)
		}
		list[i] = Session{
			l.Step, l.Started, l.Foretell, l.Engine, l.Machine.Host, l.Machine.ISA, l.Workers, l.Command,
		}
	}
	return list, nil
}

// provenance is the contents of env.json.
type provenance struct {
	Format int               `json:"format"`
	Lives  []json.RawMessage `json:"lives"`

	ConfigSHA256 string `json:"config_sha256"`
	SHA256       string `json:"sha256"` // SHA-256 of this value as JSON with this field empty
}

func (p provenance) hash() string {
	p.SHA256 = ""
	return jsonHash(p)
}

// readProvenance reads a run's env.json, which may belong to a configuration from before
// the run was extended.
func readProvenance(dir, configHash string, past []phase) (p provenance, err error) {
	text, err := limit.ReadFile(filepath.Join(dir, envFile), "an "+envFile, mostJSON)
	if err != nil {
		return p, err
	}
	if err := exactjson.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("it is damaged: %w", err)
	}
	if err := checkFormat(envFile, p.Format); err != nil {
		return p, err
	}
	if p.Format != format {
		return p, fmt.Errorf("it is damaged: its format is %d, not %d", p.Format, format)
	}
	if p.SHA256 != p.hash() {
		return p, errors.New("it does not match its own hash")
	}
	if !isOfRun(p.ConfigSHA256, past, configHash) {
		return p, errors.New("it belongs to another run")
	}
	return p, nil
}

// goOn adds an entry for this session to env.json. A damaged env.json is set aside, and
// the user is notified.
func (r *Run) goOn() error {
	p, err := readProvenance(r.Dir, r.configHash, r.past)
	switch {
	case errors.As(err, new(refusal)) || unread(err):
		return fmt.Errorf("%s: %w", r.Dir, err)
	case errors.Is(err, os.ErrNotExist):
		r.note([]string{envFile + " is missing; the history of earlier sessions is lost"})
	case err != nil:
		aside, failed := durable.SetAside(filepath.Join(r.Dir, envFile))
		if failed != nil {
			return failed
		}
		r.note([]string{fmt.Sprintf("%s: %v; the history of earlier sessions is lost, and the file is kept as %s",
			envFile, err, filepath.Base(aside))})
		p.Lives = nil
	}
	if n := len(r.past); err == nil && n > 0 && p.ConfigSHA256 != r.configHash {
		r.extendedFrom = r.past[n-1].NumSteps
	}
	return r.beginLife(p.Lives)
}

// provenanceNote describes what is wrong with the env.json of a complete run, to which no
// entry will be added; "" if nothing is wrong.
func (r *Run) provenanceNote() string {
	if r.saved < r.last() {
		return ""
	}
	_, err := readProvenance(r.Dir, r.configHash, r.past)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return envFile + " is missing; the history of the run's sessions is lost"
	case err != nil:
		return fmt.Sprintf("%s is not intact: %v", envFile, err)
	}
	return ""
}

// beginLife writes env.json with an entry for this process after the earlier entries.
func (r *Run) beginLife(earlier []json.RawMessage) error {
	entry, err := json.Marshal(r.thisLife())
	if err != nil {
		return err
	}
	p := provenance{Format: format, Lives: append(earlier, entry), ConfigSHA256: r.configHash}
	p.SHA256 = p.hash()
	text, err := jsonText(p)
	if err != nil {
		return err
	}
	if err := r.write(envFile, text); err != nil {
		return err
	}
	r.provenance = text
	return nil
}
