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
	"foretell/train"
)

// format is the version of a run's files that this program writes and reads. Checkpoints
// of extended runs have extendedFormat, because they record the earlier configurations.
const format, extendedFormat = 2, 3

// state is a checkpoint's state.json: the state of the run, and hashes of the other
// files.
type state struct {
	Format          int            `json:"format"`
	Engines         []int          `json:"engines"` // see [Run.engines]
	Step            int            `json:"step"`
	Loss            float64        `json:"loss,omitempty"`      // loss on the step's batch
	GradNorm        float64        `json:"grad_norm,omitempty"` // gradient norm of the step, before clipping
	Chain           string         `json:"chain,omitempty"`     // checksum of all rows of metrics.jsonl up to the step
	Snapshots       map[int]string `json:"snapshots,omitempty"` // SHA-256 of each snapshot, by step
	Stop            *stopping      `json:"stop,omitempty"`      // the best evaluation; nil without train.stop
	ModelSHA256     string         `json:"model_sha256"`
	OptimizerSHA256 string         `json:"optimizer_sha256"`
	ConfigSHA256    string         `json:"config_sha256"`
	// Configs are the configurations that an extended run has had, in order. The last entry
	// is the present configuration, and has only its hash.
	Configs []phase `json:"configs,omitempty"`
	SHA256  string  `json:"sha256"` // SHA-256 of this value as JSON with this field empty
}

func (s state) hash() string {
	s.SHA256 = ""
	return jsonHash(s)
}

// jsonHash returns the SHA-256 of a value as JSON.
func jsonHash(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic("run: " + err.Error())
	}
	return hexHash(data)
}

// text returns the contents of state.json.
func (s state) text() ([]byte, error) {
	s.SHA256 = s.hash()
	return jsonText(s)
}

// refusal is an error about a checkpoint that may be intact: a person must decide whether
// to use an earlier one.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// checkFormat returns a refusal if a file has the version of a newer program.
func checkFormat(file string, version int) error {
	if version > extendedFormat {
		return refusal{fmt.Errorf("%s has format %d, written by a newer program; this program reads formats up to %d",
			file, version, extendedFormat)}
	}
	return nil
}

// check returns an error if the state lacks a field that every state.json has.
func (s state) check() error {
	if s.Format != format && s.Format != extendedFormat {
		return fmt.Errorf("its format is %d, not %d or %d", s.Format, format, extendedFormat)
	}
	if len(s.Engines) == 0 {
		return errors.New("it has no engines; it should list those that computed its steps")
	}
	return nil
}

// readState reads a checkpoint's state.json, and checks it against the hash that it
// contains and against the name of the folder.
func readState(dir string) (state, error) {
	s, err := readStateAnywhere(dir)
	if err != nil {
		return s, err
	}
	if own := stepName(s.Step); filepath.Base(dir) != own {
		return s, refusal{fmt.Errorf("%s belongs to %s: the folder has been renamed or copied; "+
			"give it that name, or remove it", stateFile, own)}
	}
	return s, nil
}

// readStateAnywhere does the same as readState for a folder that may have any name.
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
	err = exactjson.Unmarshal(record, &s)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fmt.Errorf("%s is damaged: %w", stateFile, err)
	}
	if s.SHA256 != s.hash() {
		return s, fmt.Errorf("%s does not match its own hash", stateFile)
	}
	return s, nil
}

// errOtherConfig reports that a checkpoint is intact but belongs to another
// configuration.
var errOtherConfig = fmt.Errorf("%s belongs to another %s: the run's %[2]s has been changed since",
	stateFile, model.ConfigFile)

// readStateOf does the same as readState, and returns errOtherConfig unless the
// checkpoint belongs to the run with this configuration.
func readStateOf(dir, configHash string) (state, error) {
	s, err := readState(dir)
	if err == nil && s.ConfigSHA256 != configHash && !s.goesOnAs(configHash) {
		err = errOtherConfig
	}
	return s, err
}

// configAt returns the index of a configuration among those recorded in the checkpoint,
// the last index if it occurs twice, −1 if it does not occur.
func (s state) configAt(configHash string) int {
	for i, p := range slices.Backward(s.Configs) {
		if p.ConfigSHA256 == configHash {
			return i
		}
	}
	return -1
}

// goesOnAs reports whether the run was extended from the checkpoint to this
// configuration.
func (s state) goesOnAs(configHash string) bool {
	return s.configAt(configHash) > s.configAt(s.ConfigSHA256)
}

// past returns the phases of the run before the configuration with this hash, which end
// with an extension; nil if the run was never extended.
func (s state) past(configHash string) []phase { return s.Configs[:max(0, s.configAt(configHash))] }

// schedule returns the schedule of the run with the configuration with this hash, whose
// options are o.
func (s state) schedule(configHash string, o train.Options) schedule {
	return schedule{past: s.past(configHash), now: o, stopped: s.stoppedAt(o)}
}

// newestState reads the latest intact state.json of the run in a folder. step is −1 if
// the run has no intact state.json.
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
func (s state) checkRows(log durable.Contents) error {
	why := ""
	switch own := s.ownRows(log.Chain); {
	case own == s.rows():
		return nil
	case own < len(log.Rows):
		why = fmt.Sprintf("line %d belongs to another run", own+1)
	case log.Damage != "":
		why = log.Damage
	default:
		why = fmt.Sprintf("it has %d of %d rows", own, s.rows())
	}
	return fmt.Errorf("%s has changed since that step: %s", metricsFile, why)
}

// rows returns the number of rows of metrics.jsonl up to the checkpoint.
func (s state) rows() int { return len(s.Chain) / durable.ChecksumDigits }

// ownRows returns how many rows at the beginning of a log have the checksums that the
// checkpoint records. The string `chain` has the checksums of the log's rows.
func (s state) ownRows(chain string) int {
	same := 0
	for same < min(len(s.Chain), len(chain)) && s.Chain[same] == chain[same] {
		same++
	}
	return same / durable.ChecksumDigits
}

// passing are system errors that prevent a file from being read but do not mean that it
// is damaged.
var passing = []error{fs.ErrPermission, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// unreadable reports whether err is one of the errors in passing, so that the file may be
// intact.
func unreadable(err error) bool {
	for _, cause := range passing {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// unread reports whether the system returned nothing of a file's contents, for a reason
// other than the file being missing or of the wrong type. Nobody then knows whether the
// contents are intact. It covers more errors than unreadable, including disk errors. Disk
// errors matter for env.json and snapshots because these, unlike checkpoints, have no
// earlier version to fall back to.
func unread(err error) bool {
	var cause syscall.Errno
	if !errors.As(err, &cause) {
		return false
	}
	return !slices.Contains([]syscall.Errno{syscall.ENOENT, syscall.EISDIR, syscall.ENOTDIR, syscall.ELOOP}, cause)
}
