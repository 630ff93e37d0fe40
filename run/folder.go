package run

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"foretell/internal/durable"
	"foretell/model"
	"foretell/train"
)

// Files and folders in a run's folder, in addition to [model.ConfigFile].
const (
	envFile       = "env.json"
	metricsFile   = "metrics.jsonl"
	summaryFile   = "summary.json"
	divergedFile  = "diverged.json"
	checkpointDir = "checkpoints"
	snapshotDir   = "snapshots"

	mostJSON = 64 << 20 // limit in bytes of a JSON file
)

var (
	// ErrHoldsRun reports that the folder for a new run already holds a run, which [Resume]
	// can continue.
	ErrHoldsRun = errors.New("already holds a run")
	// ErrOtherConfig reports that a folder holds a run of another configuration.
	ErrOtherConfig = errors.New("holds a run of another configuration")
	// ErrInUse reports that the folder's run is open elsewhere, in this process or another.
	ErrInUse = durable.ErrLocked
)

// FolderError reports why a folder cannot be used for a run. The caller can use another
// folder.
type FolderError struct {
	Dir string
	Err error // ErrHoldsRun, ErrOtherConfig, or a description of other files in the folder
}

func (e *FolderError) Error() string { return e.Dir + " " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

// DefaultDir names the folder of a run after its configuration: runs/PROCESS-HASH, where
// HASH is the first eight digits of the SHA-256 of its config.yaml. PROCESS is the
// process's name, cut to 48 characters, with anything but letters, digits and -_.,+=
// replaced by a dash, so the folder is always directly in runs/.
func DefaultDir(c train.Config) (string, error) {
	text, err := c.YAML()
	if err != nil {
		return "", err
	}
	return filepath.Join("runs", fmt.Sprintf("%s-%.4x", folderName(c.Process.Name), sha256.Sum256(text))), nil
}

// folderName turns a process's name into a folder name.
func folderName(process string) string {
	const longest = 48 // runes; file systems can store names of this length
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.,+=", r) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(process, "-"))
	if runes := []rune(name); len(runes) > longest {
		name = string(runes[:longest])
	}
	if name = strings.TrimLeft(name, ".-"); name == "" { // not a hidden folder
		return "process"
	}
	return name
}

// checkFree returns an error if a folder holds a run, parts of a run without a
// config.yaml, or other files. (Files of a run that was killed before it wrote
// config.yaml do not count.) A run writes config.yaml before metrics.jsonl, summary.json
// and its checkpoints, so checkFree looks for config.yaml after looking for those: a run
// that begins meanwhile is reported as a run.
func checkFree(dir string) error {
	traces, err := findTraces(dir)
	other, unreadable := findOther(dir)
	switch file := fileAt(dir); {
	case file == filepath.Clean(dir):
		return &FolderError{dir, errors.New("is a file; want a folder")}
	case file != "":
		return &FolderError{dir, fmt.Errorf("cannot be a folder: %s is a file", file)}
	case holdsRun(dir):
		return &FolderError{dir, ErrHoldsRun}
	case traces != "":
		return &FolderError{dir, fmt.Errorf("holds %s of a run but no %s", traces, model.ConfigFile)}
	case other != "":
		return &FolderError{dir, fmt.Errorf("holds %s, which does not belong to a run", other)}
	case err != nil:
		return err
	}
	return unreadable
}

// fileAt returns the path of dir or of its nearest existing parent if a file is there
// instead of a folder, else "".
func fileAt(dir string) string {
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			if info.IsDir() {
				return ""
			}
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// findTraces returns the name of something in a folder that only a run writes, or "".
func findTraces(dir string) (string, error) {
	for _, name := range []string{metricsFile, summaryFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return "the " + name, nil
		}
	}
	steps, err := checkpoints(filepath.Join(dir, checkpointDir))
	if len(steps) > 0 {
		return "checkpoints", nil
	}
	return "", err
}

// findOther returns the name of an entry in a folder that cannot come from a run killed
// before writing config.yaml, or "".
func findOther(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	begun := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == checkpointDir && e.IsDir() })
	for _, e := range entries {
		ours := begun && slices.Contains([]string{checkpointDir, envFile, snapshotDir}, e.Name())
		if !ours && !durable.IsTemporary(e.Name()) {
			return e.Name(), nil
		}
	}
	return "", err
}

// checkNoModel returns an error if a folder holds a model that does not belong to a run:
// a run there could be confused with that model.
func checkNoModel(dir string) error {
	if err := checkOneModel(dir); err != nil {
		return err
	}
	if hasModel(dir) {
		return fmt.Errorf("%s holds a model, %s, and not a run; train in another folder", dir, model.WeightsFile)
	}
	return nil
}

// checkOneModel returns an error if a run's folder also holds the weights of another
// model: it would be unclear which weights a path to the folder means.
func checkOneModel(dir string) error {
	steps, _ := checkpoints(filepath.Join(dir, checkpointDir)) // any error is reported when the checkpoints are read
	if len(steps) > 0 && hasModel(dir) {
		return fmt.Errorf("%s holds a run and a %s that does not belong to it; move that file away",
			dir, model.WeightsFile)
	}
	return nil
}

// hasModel reports whether a folder has a model.safetensors at its top, which a run never
// has.
func hasModel(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, model.WeightsFile))
	return err == nil
}

// holdsRun reports whether a folder has the file that makes it a run.
func holdsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, model.ConfigFile))
	return err == nil
}

// jsonText returns the contents of a JSON file with the value.
func jsonText(value any) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	return append(data, '\n'), err
}
