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

// Files and folders of a run's folder, beside [model.ConfigFile].
const (
	envFile       = "env.json"
	metricsFile   = "metrics.jsonl"
	summaryFile   = "summary.json"
	checkpointDir = "checkpoints"
	snapshotDir   = "snapshots"

	mostJSON = 64 << 20 // bytes of a JSON file
)

var (
	// ErrHoldsRun says of a folder that is to have a new run that there is one
	// already, which [Resume] can go on with.
	ErrHoldsRun = errors.New("already holds a run")
	// ErrOtherConfig says of a folder that its run is not the one asked for.
	ErrOtherConfig = errors.New("holds a run of another configuration")
	// ErrInUse says that somebody else has the folder's run open: in this process or
	// in another.
	ErrInUse = durable.ErrLocked
)

// FolderError says why a folder cannot have the run that it was to have. Another
// folder can.
type FolderError struct {
	Dir string
	Err error // ErrHoldsRun, ErrOtherConfig, or what there is that is no run's, or no whole run's
}

func (e *FolderError) Error() string { return e.Dir + " " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FolderError) Unwrap() error { return e.Err }

// DefaultDir names the folder of a run after its configuration:
// runs/PROCESS-HASH, with the first eight digits of the SHA-256 of its config.yaml. Of
// the process's name, which can be any text, it has the letters, digits and -_.,+=, up
// to 48; others are dashes: the folder is one in runs/, whatever the name.
func DefaultDir(c train.Config) (string, error) {
	text, err := c.YAML()
	if err != nil {
		return "", err
	}
	return filepath.Join("runs", fmt.Sprintf("%s-%.4x", folderName(c.Process.Name), sha256.Sum256(text))), nil
}

// folderName makes a part of a folder's name of a process's name.
func folderName(process string) string {
	const longest = 48 // runes, which file systems have room for
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.,+=", r) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(process, "-"))
	if runes := []rune(name); len(runes) > longest {
		name = string(runes[:longest])
	}
	if name = strings.TrimLeft(name, ".-"); name == "" { // no hidden folder
		return "process"
	}
	return name
}

// checkFree returns an error if a folder holds a run, or what a run leaves, though
// no config.yaml, or something else. (A run that was killed while it began has left
// none of these.) A run writes its config.yaml before all that, so it is looked for
// last: one that begins meanwhile is not taken for traces.
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
		return &FolderError{dir, fmt.Errorf("holds %s, which is no run's", other)}
	case err != nil:
		return err
	}
	return unreadable
}

// fileAt returns the file that stands where a folder or one above it should be; empty if
// none does.
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

// findTraces names something in a folder that only a run leaves; empty if there is
// nothing.
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

// findOther names something in a folder that is not of a run that was killed while it
// began; empty if there is nothing.
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

// checkNoModel returns an error for a folder with the weights of a model that is no
// run's, beside which nothing is to be trained.
func checkNoModel(dir string) error {
	if err := checkOneModel(dir); err != nil {
		return err
	}
	if hasModel(dir) {
		return fmt.Errorf("%s holds no run but a model, %s; train in another folder", dir, model.WeightsFile)
	}
	return nil
}

// checkOneModel returns an error for a run's folder with the weights of a model that is
// not the run's: nothing could tell which of them is meant.
func checkOneModel(dir string) error {
	steps, _ := checkpoints(filepath.Join(dir, checkpointDir)) // an error shows when they are read
	if len(steps) > 0 && hasModel(dir) {
		return fmt.Errorf("%s holds a run and a %s that is not the run's; move that file away", dir, model.WeightsFile)
	}
	return nil
}

// hasModel says whether a folder has a model's weights beside its config.yaml, as no run
// has.
func hasModel(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, model.WeightsFile))
	return err == nil
}

// holdsRun says whether a folder has the file that makes it a run.
func holdsRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, model.ConfigFile))
	return err == nil
}

// jsonText is a value as the contents of a JSON file.
func jsonText(value any) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	return append(data, '\n'), err
}
