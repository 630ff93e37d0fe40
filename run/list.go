package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// Info summarises a run's folder from its file names and configuration; nothing is
// verified.
type Info struct {
	Dir      string `json:"run"`
	Process  string `json:"process"`  // name of the process in the configuration
	Step     int    `json:"step"`     // step of the latest checkpoint; 0 without a checkpoint
	Steps    int    `json:"steps"`    // number of steps of the whole run; 0 for a model that does not belong to a run
	Complete bool   `json:"complete"` // whether the run has reached its last step, or has stopped early
	// Stop says which model train.stop has chosen for a complete run; else nil.
	Stop *Chosen `json:"stop,omitempty"`
	Err  error   `json:"-"` // why the configuration cannot be read; nil if it can
}

// String returns the run's process and progress.
func (i Info) String() string {
	switch {
	case i.Err != nil:
		return "its config.yaml cannot be read"
	case i.Steps == 0:
		return "a model"
	case i.Stop != nil:
		return fmt.Sprintf("%s, %s", i.Process, i.Stop)
	case i.Complete:
		return fmt.Sprintf("%s, %d steps", i.Process, i.Steps)
	}
	return fmt.Sprintf("%s, step %d of %d", i.Process, i.Step, i.Steps)
}

// MarshalJSON writes the fields and, if Err is not nil, its text as problem.
func (i Info) MarshalJSON() ([]byte, error) {
	type fields Info
	value := struct {
		fields
		Problem string `json:"problem,omitempty"`
	}{fields: fields(i)}
	if i.Err != nil {
		value.Problem = i.Err.Error()
	}
	return json.Marshal(value)
}

// Infos are the summaries of several runs.
type Infos []Info

// List describes the runs in the folders that [Folders] finds.
func List(root string) (Infos, error) {
	folders, err := Folders(root)
	if err != nil {
		return nil, err
	}
	list := Infos{}
	for _, dir := range folders {
		if info, ok := Describe(dir); ok { // else it was removed meanwhile
			list = append(list, info)
		}
	}
	return list, nil
}

// FoldersNamed is [Folders] for a folder that the user has named. It returns an error if
// the folder does not exist. An empty name means the folder runs/, which may be missing.
func FoldersNamed(root string) ([]string, error) {
	if root == "" {
		return Folders("runs")
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", root)
	}
	return Folders(root)
}

// Folders lists the folders of the runs in root and below, sorted by path. It does not
// look for further runs inside a run's folder, nor follow links to folders that are not
// runs. If root does not exist, the list is empty. Subfolders that cannot be read are
// skipped.
func Folders(root string) ([]string, error) {
	if holdsRun(root) {
		return []string{root}, nil
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []string
	for _, entry := range entries {
		path := filepath.Join(root, entry.Name())
		if entry.IsDir() {
			below, _ := Folders(path)
			list = append(list, below...)
		} else if entry.Type() != 0 && holdsRun(path) { // a link
			list = append(list, path)
		}
	}
	return list, nil
}

// Files are the files and folders in a run's folder whose change can change what
// [Describe], [ReadResult], [Duration] and [Divergence] return. A checkpoint changes the
// last one.
var Files = []string{model.ConfigFile, envFile, metricsFile, summaryFile, divergedFile, checkpointDir}

// Describe summarises the run in a folder, and reports whether there is one.
func Describe(dir string) (Info, bool) {
	if !holdsRun(dir) {
		return Info{}, false
	}
	info := Info{Dir: dir}
	c, err := info.readConfig()
	info.Err = err
	if steps, _ := checkpoints(filepath.Join(dir, checkpointDir)); len(steps) > 0 {
		info.Step = steps[0]
	}
	if _, err = os.Stat(filepath.Join(dir, summaryFile)); err != nil || info.Steps == 0 {
		return info, true
	}
	if info.Complete = info.Step == info.Steps; c.Train.Stop == nil {
		return info, true
	}
	if chosen := readChosen(dir); chosen != nil && chosen.Last == info.Step {
		info.Complete, info.Stop = true, chosen
	}
	return info, true
}

// readConfig reads the configuration without making its process.
func (i *Info) readConfig() (c train.Config, err error) {
	path := filepath.Join(i.Dir, model.ConfigFile)
	data, err := strict.ReadFile(path)
	if err != nil {
		return c, err
	}
	c, err = decodeConfig(path, data)
	i.Process, i.Steps = c.Process.Name, c.Train.NumSteps
	return c, err
}

// decodeConfig reads a configuration without resolving it.
func decodeConfig(path string, data []byte) (c train.Config, err error) {
	doc, err := strict.Parse(path, data)
	if err != nil {
		return c, err
	}
	return c, doc.Decode(&c)
}

// Matching describes the runs whose folders match a pattern of [filepath.Glob]. It
// returns nil if the pattern is invalid.
func Matching(pattern string) (list []Info) {
	folders, _ := filepath.Glob(pattern)
	for _, folder := range folders {
		if info, ok := Describe(folder); ok {
			list = append(list, info)
		}
	}
	return list
}

// Suggest describes the runs whose path begins with the text that the user has typed. It
// looks at everything below runs/ and reports/, at all paths that begin with the text,
// and, if the text is a folder, at its entries.
func Suggest(typed string) (list []Info) {
	usual, _ := List("runs") // nil if it cannot be read
	reported, _ := List("reports")
	seen := map[string]bool{}
	for _, info := range slices.Concat(usual, reported, Matching(typed+"*"), Matching(typed+"/*")) {
		if strings.HasPrefix(info.Dir, typed) && !seen[info.Dir] {
			seen[info.Dir] = true
			list = append(list, info)
		}
	}
	return list
}
