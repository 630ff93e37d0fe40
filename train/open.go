package train

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// Trained is a model from a folder, with the process that it was trained on.
type Trained struct {
	Model   *model.Transformer[float32]
	Process process.Process // nil if the config.yaml names none
	Step    int             // of the checkpoint; 0 if the model is no run's
	Seed    uint64          // of the run, from which its initial weights came; 0 if unknown
	Notes   []string        // what the user should know, such as a damaged checkpoint
}

// Open reads a model from a run's folder (its latest intact checkpoint), from a
// folder with a model.safetensors and its config.yaml, or from the path of such
// a model.safetensors.
func Open(path string) (*Trained, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: no such run or model", path)
	}
	if !info.IsDir() {
		path = filepath.Dir(path)
	}
	root := path
	if filepath.Base(filepath.Dir(path)) == checkpointDir { // a checkpoint's own file
		root = filepath.Dir(filepath.Dir(path))
	}
	c, err := describe(root)
	if err != nil {
		return nil, err
	}
	t := &Trained{Seed: c.Train.Seed}
	if c.Process.Name != "" {
		if t.Process, err = c.Process.Build(); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(root, model.ConfigFile), err)
		}
		if c.Model.DVocab == 0 {
			c.Model.DVocab = t.Process.Alphabet()
		}
	}
	if c.Model, err = c.Model.Resolve(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(root, model.ConfigFile), within("model", err))
	}
	return t, t.load(path, c)
}

// describe reads a config.yaml of which only the model's section must be there.
func describe(root string) (Config, error) {
	var c Config
	path := filepath.Join(root, model.ConfigFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, fmt.Errorf("%s holds no run or model: it has no %s", root, model.ConfigFile)
	}
	if err != nil {
		return c, err
	}
	return c, strict.Unmarshal(path, data, &c)
}

// load reads the weights in dir, or in its latest intact checkpoint.
func (t *Trained) load(dir string, c Config) error {
	if data, err := os.ReadFile(filepath.Join(dir, model.WeightsFile)); err == nil {
		t.Model, err = model.Read[float32](data, c.Model)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, model.WeightsFile), err)
		}
		return nil
	}
	folder := filepath.Join(dir, checkpointDir)
	steps, err := checkpoints(folder)
	if err != nil {
		return err
	}
	for _, step := range steps {
		at := filepath.Join(folder, stepName(step))
		s, err := readState(at)
		if err == nil {
			t.Model, err = s.readModel(at, c.Model)
		}
		if err == nil {
			t.Step = step
			return nil
		}
		t.Notes = append(t.Notes, fmt.Sprintf("checkpoint %s is not usable: %v", stepName(step), err))
	}
	return fmt.Errorf("%s has no %s and no intact checkpoint", dir, model.WeightsFile)
}
