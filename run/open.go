package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// Trained is a model read from a folder, with the process that it was trained on.
type Trained struct {
	Model   *model.Transformer[float32]
	Process process.Sampler // nil if the configuration names no process
	Config  train.Config    // only the sections that the configuration has; Model is resolved
	ByCode  string          // the name of a process made by Go code, such as go:mine; else empty
	Step    int             // step of the weights; 0 if the model does not belong to a run
	// FellBack reports that a later checkpoint exists but is damaged.
	FellBack bool
	Seed     uint64   // seed from which the run's initial weights were drawn; 0 if unknown
	Notes    []string // for the user, such as that a checkpoint is damaged
}

// Open reads a model from any of these paths: a run's folder (its latest intact
// checkpoint or, of a complete run with train.stop, the model of the best evaluation in
// it), one checkpoint or snapshot of a run, a run at a step, such as
// runs/first@500 ([OpenAt]), a folder with a model.safetensors, or a safetensors file of
// any name. Weights include their configuration, so a checkpoint's folder, or its
// model.safetensors alone, can be copied anywhere. Inside its run's folder, a checkpoint
// must be unchanged. A config.yaml next to a model.safetensors takes precedence over the
// included configuration, and files from other programs need one. Open returns an error
// for a folder that holds both a run and a model.safetensors.
func Open(path string) (*Trained, error) {
	info, err := os.Stat(path)
	if err != nil {
		if dir, step, ok := atStep(path); ok {
			return OpenAt(dir, step)
		}
		return nil, fmt.Errorf("%s: no such run or model%s", path, Meant(path))
	}
	path = filepath.Clean(path) // step-5/ becomes step-5
	if info.IsDir() {
		return openFolder(path)
	}
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	step, isStep := stepOf(strings.TrimSuffix(name, snapshotSuffix))
	switch {
	case filepath.Ext(name) != snapshotSuffix:
		return nil, fmt.Errorf("%s is not a %s; give that file or its folder", path, model.WeightsFile)
	case name == model.WeightsFile:
		return openFolder(dir)
	case filepath.Base(dir) == snapshotDir && isStep && holdsRun(filepath.Dir(dir)):
		return openSnapshot(filepath.Dir(dir), step)
	}
	return openAlone(path)
}

// Meant returns a suggestion for a path that does not exist, such as "; did you mean
// runs/first?". It suggests a run or model with a similar name in the same folder, or in
// runs/ if the path names no folder or a missing one. It returns "" if there is no such
// name, and for a path with a step such as runs/first@500.
func Meant(path string) string {
	dir, name := filepath.Split(filepath.Clean(path))
	if strings.Contains(name, "@") {
		return ""
	}
	folders := []string{dir}
	if _, err := os.Stat(filepath.Clean(dir)); dir == "" || errors.Is(err, fs.ErrNotExist) {
		folders = append(folders, "runs/")
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Clean(folder))
		if err != nil {
			continue
		}
		var known []string
		for _, e := range entries {
			if at := filepath.Join(folder, e.Name()); holdsRun(at) || hasModel(at) {
				known = append(known, e.Name())
			}
		}
		if near := strict.Nearest(name, known); near != "" {
			return fmt.Sprintf("; did you mean %s?", text.ShellWord(folder+near))
		}
	}
	return ""
}

// openFolder implements [Open] for a folder.
func openFolder(dir string) (*Trained, error) {
	root := filepath.Dir(filepath.Dir(dir))
	inRun := filepath.Base(filepath.Dir(dir)) == checkpointDir && holdsRun(root)
	if !inRun && !holdsRun(dir) && hasModel(dir) {
		return openAlone(filepath.Join(dir, model.WeightsFile))
	}
	if !inRun {
		root = dir
	}
	c, p, hash, err := describe(root)
	if err != nil {
		return nil, err
	}
	t := &Trained{Process: p, Config: c, ByCode: byCode(c), Seed: c.Train.Seed}
	if !inRun {
		return t, t.load(dir, c, hash)
	}
	if _, err := t.loadCheckpoint(dir, c.Model, hash); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return t, nil
}

// openSnapshot implements [Open] for a snapshot of the run in a folder.
func openSnapshot(root string, step int) (*Trained, error) {
	c, p, _, err := describe(root)
	if err != nil {
		return nil, err
	}
	m, err := Snapshot(root, step)
	if err != nil {
		return nil, err
	}
	return &Trained{Model: m, Process: p, Config: c, Step: step, ByCode: byCode(c), Seed: c.Train.Seed}, nil
}

// openAlone reads a model from a file that includes its configuration.
func openAlone(path string) (*Trained, error) {
	origin, err := model.ReadOrigin(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if origin.Config == nil && !holdsRun(dir) {
		return nil, fmt.Errorf("%s contains no configuration, and its folder has no %s", path, model.ConfigFile)
	}
	t := &Trained{Step: origin.Step}
	var c train.Config
	if origin.Config == nil {
		c, t.Process, _, err = describe(dir)
	} else {
		c, t.Process, err = train.ParseModel(path+" (foretell.config)", origin.Config)
	}
	if err != nil {
		return nil, err
	}
	t.Config, t.Seed, t.ByCode = c, c.Train.Seed, byCode(c)
	data, err := readAlone(path, c.Model)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if t.Model, err = model.Read[float32](data, c.Model); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// readAlone reads a weight file outside its run. If it is a checkpoint's
// model.safetensors, with a state.json in the same folder, it must have the SHA-256 that
// state.json records.
func readAlone(path string, c model.Config) ([]byte, error) {
	dir, name := filepath.Split(path)
	if _, err := os.Lstat(filepath.Join(dir, stateFile)); err != nil || name != model.WeightsFile {
		return model.ReadFile(path, c)
	}
	s, err := readStateAnywhere(dir)
	if err != nil {
		return nil, err
	}
	return readHashed(path, s.ModelSHA256, c, 1)
}

// describe reads a folder's config.yaml with [train.ParseModel]. hash is the file's
// SHA-256.
func describe(root string) (c train.Config, p process.Sampler, hash string, err error) {
	path := filepath.Join(root, model.ConfigFile)
	data, err := strict.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil, "", fmt.Errorf("%s holds no run or model: it has no %s", root, model.ConfigFile)
	}
	if err != nil {
		return c, nil, "", err
	}
	c, p, err = train.ParseModel(path, data)
	return c, p, hexHash(data), err
}

// load reads the weights in dir or, without them, the result of the run there.
func (t *Trained) load(dir string, c train.Config, configHash string) error {
	if err := checkOneModel(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, model.WeightsFile)
	data, err := model.ReadFile(path, c.Model)
	if err == nil {
		if t.Model, err = model.Read[float32](data, c.Model); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	step, failures, err := latestIntact(filepath.Join(dir, checkpointDir), func(at string) error {
		return t.loadResult(at, c, configHash)
	})
	t.Notes, t.FellBack = append(failures, t.Notes...), len(failures) > 0
	if err != nil || step >= 0 {
		return err
	}
	missing := fmt.Sprintf("%s has no %s and no intact checkpoint", dir, model.WeightsFile)
	return errors.New(strings.Join(append([]string{missing}, t.Notes...), "; "))
}

// loadResult reads the result of a run from a checkpoint's folder: the weights of the
// best evaluation if train.stop has chosen them for the complete run, else the
// checkpoint's.
func (t *Trained) loadResult(dir string, c train.Config, configHash string) error {
	s, err := t.loadCheckpoint(dir, c.Model, configHash)
	if err != nil || s.Stop == nil || !s.complete(c.Train) {
		return err
	}
	t.Model, err = s.readBest(dir, c.Model)
	t.Step = s.Stop.Best.Step
	return err
}

// loadCheckpoint reads the weights of a checkpoint's folder, and returns its state. They
// must match their hash and the run's configuration.
func (t *Trained) loadCheckpoint(dir string, c model.Config, configHash string) (state, error) {
	s, err := readStateOf(dir, configHash)
	if err != nil {
		return s, err
	}
	if t.Model, err = s.readModel(dir, c); err != nil {
		return s, err
	}
	t.Step = s.Step
	if note := s.otherEngines(); note != "" {
		t.Notes = append(t.Notes, note)
	}
	return s, nil
}
