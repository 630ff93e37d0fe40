package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/model"
)

// format is the version of a run's files that this program writes. It reads those of
// before: in format 1, files carried no version, and a checkpoint was bound neither to
// the rows of metrics.jsonl, nor to its folder's name, nor to an engine.
// Of runs that were extended, checkpoints are of extendedFormat: they tell of the
// configurations before.
const format, extendedFormat = 2, 3

// state is a checkpoint's state.json: where the run stood, and what shows that the
// other files are what was written. What format 1 did not have is left out there.
type state struct {
	Format          int            `json:"format,omitempty"`  // 0 stands for 1
	Engines         []int          `json:"engines,omitempty"` // see [Run.engines]
	Step            int            `json:"step"`
	Loss            float64        `json:"loss,omitempty"`      // of the step's batch
	GradNorm        float64        `json:"grad_norm,omitempty"` // of the step, before clipping
	Chain           string         `json:"chain,omitempty"`     // of the rows of metrics.jsonl up to the step
	Snapshots       map[int]string `json:"snapshots,omitempty"` // their SHA-256, by step
	ModelSHA256     string         `json:"model_sha256"`
	OptimizerSHA256 string         `json:"optimizer_sha256"`
	ConfigSHA256    string         `json:"config_sha256"`
	// Configs are, of a run that was extended, the configurations that it has had, in
	// their order; the last is where it goes on, and nothing but its hash is told.
	Configs []phase `json:"configs,omitempty"`
	SHA256  string  `json:"sha256"` // of this value with SHA256 empty
}

func (s state) hash() string {
	s.SHA256 = ""
	data, err := json.Marshal(s)
	if err != nil {
		panic("run: " + err.Error())
	}
	return hexHash(data)
}

// text is the contents of state.json.
func (s state) text() ([]byte, error) {
	s.SHA256 = s.hash()
	return jsonText(s)
}

// refusal is an error about a checkpoint that may well be whole: nothing but a person
// can tell whether an earlier one should stand in for it.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// checkFormat refuses a file of a version that this program does not know.
func checkFormat(file string, version int) error {
	if version > extendedFormat {
		return refusal{fmt.Errorf("%s is of format %d, which a newer program wrote; this one reads formats up to %d",
			file, version, extendedFormat)}
	}
	return nil
}

// readState reads a checkpoint's state.json, which must match its own hash and the name
// of the folder.
func readState(dir string) (state, error) {
	s, err := readStateAnywhere(dir)
	if err != nil {
		return s, err
	}
	if own := stepName(s.Step); filepath.Base(dir) != own {
		return s, refusal{fmt.Errorf("%s says that this is %s: the folder has been renamed or copied; "+
			"give it that name, or remove it", stateFile, own)}
	}
	return s, nil
}

// readStateAnywhere is readState of a folder that may have another name.
func readStateAnywhere(dir string) (state, error) {
	var s state
	record, err := limit.ReadFile(filepath.Join(dir, stateFile), "a checkpoint's state", mostJSON)
	if err != nil {
		return s, err
	}
	var version struct{ Format int }
	if json.Unmarshal(record, &version) == nil {
		if err := checkFormat(stateFile, version.Format); err != nil {
			return s, err
		}
	}
	if err := exactjson.Unmarshal(record, &s); err != nil {
		return s, fmt.Errorf("%s is damaged: %w", stateFile, err)
	}
	if s.SHA256 != s.hash() {
		return s, fmt.Errorf("%s does not match its own hash", stateFile)
	}
	return s, nil
}

// errOtherConfig says that a checkpoint is sound, but of another configuration.
var errOtherConfig = fmt.Errorf("%s belongs to another %s than the run's: it has been changed since",
	stateFile, model.ConfigFile)

// readStateOf reads the state.json of a checkpoint of the run with a configuration.
func readStateOf(dir, configHash string) (state, error) {
	s, err := readState(dir)
	if err == nil && s.ConfigSHA256 != configHash && !s.goesOnAs(configHash) {
		err = errOtherConfig
	}
	return s, err
}

// configAt is the place of a configuration among those that the checkpoint tells of, the
// last if a run has come back to one; −1 if it is none of them.
func (s state) configAt(configHash string) int {
	for i, p := range slices.Backward(s.Configs) {
		if p.ConfigSHA256 == configHash {
			return i
		}
	}
	return -1
}

// goesOnAs says whether a run was extended from the checkpoint to a configuration.
func (s state) goesOnAs(configHash string) bool {
	return s.configAt(configHash) > s.configAt(s.ConfigSHA256)
}

// past are the phases of the run before the configuration with a hash; nil of one that
// was not extended.
func (s state) past(configHash string) []phase { return s.Configs[:max(0, s.configAt(configHash))] }

// newestState reads the latest state.json of the run in a folder that is in order;
// step is −1 if there is none.
func newestState(dir, configHash string) (s state, step int, err error) {
	step, _, err = latestIntact(filepath.Join(dir, checkpointDir), func(at string) (err error) {
		s, err = readStateOf(at, configHash)
		return err
	})
	if step < 0 {
		s = state{}
	}
	return s, step, err
}

// checkRows returns an error unless metrics.jsonl begins with the rows that it had when
// the checkpoint was written.
func (s state) checkRows(log durable.Contents, steps schedule) error {
	why := ""
	switch own := s.ownRows(log.Chain); {
	case s.Format < 2:
		why = checkSteps(log, steps, s.Step)
	case own == s.rows():
	case own < len(log.Rows):
		why = fmt.Sprintf("line %d is another run's", own+1)
	case log.Damage != "":
		why = log.Damage
	default:
		why = fmt.Sprintf("it has %d of %d rows", own, s.rows())
	}
	if why != "" {
		return fmt.Errorf("%s is not as it was at that step: %s", metricsFile, why)
	}
	return nil
}

// rows is the number of rows of metrics.jsonl up to the checkpoint.
func (s state) rows() int { return len(s.Chain) / durable.ChecksumDigits }

// ownRows counts the rows with which a log of a chain begins that the checkpoint vouches
// for.
func (s state) ownRows(chain string) int {
	same := 0
	for same < min(len(s.Chain), len(chain)) && s.Chain[same] == chain[same] {
		same++
	}
	return same / durable.ChecksumDigits
}

// note says what a checkpoint of an earlier format lacks; it is empty of one that lacks
// nothing.
func (s state) note() string {
	if s.Format >= 2 {
		return ""
	}
	return fmt.Sprintf("checkpoint %s is of before format 2: it carries no chain of metrics and no engine, "+
		"so that rows of another run, or steps of another engine, cannot be told", stepName(s.Step))
}

// passing are reasons why the system does not let a file be read that say nothing of
// what is in it.
var passing = []error{fs.ErrPermission, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// unreadable says whether an error is the system's refusal to read what may well be
// whole.
func unreadable(err error) bool {
	for _, cause := range passing {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// unread says whether the system has given nothing of a file's contents, for a reason
// that is not the kind of file it is: then nobody knows whether they are whole. It is
// wider than unreadable by what may be the disk's: a checkpoint has one before it to go
// on from, env.json and a snapshot have none.
func unread(err error) bool {
	var cause syscall.Errno
	if !errors.As(err, &cause) {
		return false
	}
	return !slices.Contains([]syscall.Errno{syscall.ENOENT, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP}, cause)
}
