package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/printable"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// Info says what a run's folder holds, as far as its names of files and its
// configuration tell: nothing is verified.
type Info struct {
	Dir      string `json:"run"`
	Process  string `json:"process"`  // the name in its configuration
	Step     int    `json:"step"`     // of the latest checkpoint; 0 if there is none
	Steps    int    `json:"steps"`    // of the whole run; 0 of a model that is no run's
	Complete bool   `json:"complete"` // whether the run has come to its end
	Err      error  `json:"-"`        // why the configuration cannot be read; nil if it can
}

// String says what the run learns and how far it has come.
func (i Info) String() string {
	switch {
	case i.Err != nil:
		return "its config.yaml cannot be read"
	case i.Steps == 0:
		return "a model"
	case i.Complete:
		return fmt.Sprintf("%s, %d steps", i.Process, i.Steps)
	}
	return fmt.Sprintf("%s, step %d of %d", i.Process, i.Step, i.Steps)
}

// MarshalJSON writes, beside the fields, why the configuration cannot be read.
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

// Infos are those of several runs.
type Infos []Info

// Print writes a line for each run, in columns that tabs end.
func (l Infos) Print(out io.Writer) {
	for _, info := range l {
		printable.Fprintf(out, "%s\t%s\n", info.Dir, info)
	}
}

// List describes the runs below a folder, in the order of their paths; root itself
// may be one. A run's own folder is not looked into for others, nor is a link to a
// folder that is no run. A root that does not exist holds none; folders below it that
// cannot be read are passed over.
func List(root string) (Infos, error) {
	if info, ok := Describe(root); ok {
		return Infos{info}, nil
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list := Infos{}
	for _, entry := range entries {
		path := filepath.Join(root, entry.Name())
		if entry.IsDir() {
			below, _ := List(path)
			list = append(list, below...)
		} else if info, ok := Describe(path); ok {
			list = append(list, info)
		}
	}
	return list, nil
}

// ListNamed is [List] of a folder that somebody has named: one that is none is an error.
// An empty name stands for runs, which need not be there.
func ListNamed(root string) (Infos, error) {
	if root == "" {
		return List("runs")
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", root)
	}
	return List(root)
}

// Describe describes the run in a folder, and says whether there is one.
func Describe(dir string) (Info, bool) {
	if !holdsRun(dir) {
		return Info{}, false
	}
	info := Info{Dir: dir}
	info.Err = info.readConfig()
	if steps, _ := checkpoints(filepath.Join(dir, checkpointDir)); len(steps) > 0 {
		info.Step = steps[0]
	}
	_, err := os.Stat(filepath.Join(dir, summaryFile))
	info.Complete = err == nil && info.Step == info.Steps && info.Steps > 0
	return info, true
}

// readConfig takes what a configuration says, without making its process.
func (i *Info) readConfig() error {
	path := filepath.Join(i.Dir, model.ConfigFile)
	data, err := strict.ReadFile(path)
	if err != nil {
		return err
	}
	c, err := decodeConfig(path, data)
	i.Process, i.Steps = c.Process.Name, c.Train.NumSteps
	return err
}

// decodeConfig reads a configuration as it is written, without resolving it.
func decodeConfig(path string, data []byte) (c train.Config, err error) {
	doc, err := strict.Parse(path, data)
	if err != nil {
		return c, err
	}
	return c, doc.Decode(&c)
}

// Matching describes the runs whose folders fit a pattern of [filepath.Glob]; none if it
// is no pattern.
func Matching(pattern string) (list []Info) {
	folders, _ := filepath.Glob(pattern)
	for _, folder := range folders {
		if info, ok := Describe(folder); ok {
			list = append(list, info)
		}
	}
	return list
}

// Suggest describes the runs whose folder's path begins with what somebody has typed:
// those below the folders runs and reports, and those whose path goes on from there by
// at most one name.
func Suggest(typed string) (list []Info) {
	usual, _ := List("runs") // none where it cannot be read
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
