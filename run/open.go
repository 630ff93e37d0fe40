package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// Trained is a model from a folder, with the process that it was trained on.
type Trained struct {
	Model   *model.Transformer[float32]
	Process process.Process // nil if the config.yaml names none
	Step    int             // of the checkpoint; 0 if the model is no run's
	// FellBack says that a later checkpoint is there and damaged.
	FellBack bool
	Seed     uint64   // of the run, from which its initial weights came; 0 if unknown
	Notes    []string // what the user should know, such as a damaged checkpoint
}

// Open reads a model from a run's folder (its latest intact checkpoint), from
// one checkpoint of a run, from a folder with a model.safetensors and its
// config.yaml, or from the path of such a model.safetensors. A folder that has both, a
// run and a model.safetensors, is an error.
func Open(path string) (*Trained, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: no such run or model", path)
	}
	if !info.IsDir() {
		if filepath.Base(path) != model.WeightsFile {
			return nil, fmt.Errorf("%s is not a %s; give that or its folder", path, model.WeightsFile)
		}
		path = filepath.Dir(path)
	}
	path = filepath.Clean(path) // step-5/ is step-5
	root := path
	inCheckpoint := filepath.Base(filepath.Dir(path)) == checkpointDir
	if inCheckpoint {
		root = filepath.Dir(filepath.Dir(path))
	}
	c, p, hash, err := describe(root)
	if err != nil {
		return nil, err
	}
	t := &Trained{Process: p, Seed: c.Train.Seed}
	if !inCheckpoint {
		return t, t.load(path, c.Model, hash)
	}
	if err := t.loadCheckpoint(path, c.Model, hash); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// describe reads a folder's config.yaml as [train.ParseModel] does. hash is the
// file's SHA-256.
func describe(root string) (c train.Config, p process.Process, hash string, err error) {
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

// load reads the weights in dir, or in its latest intact checkpoint.
func (t *Trained) load(dir string, c model.Config, configHash string) error {
	if err := checkOneModel(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, model.WeightsFile)
	data, err := model.ReadFile(path, c)
	if err == nil {
		if t.Model, err = model.Read[float32](data, c); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	step, failures, err := latestIntact(filepath.Join(dir, checkpointDir), func(at string) error {
		return t.loadCheckpoint(at, c, configHash)
	})
	t.Notes, t.FellBack = append(failures, t.Notes...), len(failures) > 0
	if err != nil || step >= 0 {
		return err
	}
	missing := fmt.Sprintf("%s has no %s and no intact checkpoint", dir, model.WeightsFile)
	return errors.New(strings.Join(append([]string{missing}, t.Notes...), "; "))
}

// loadCheckpoint reads the weights of a checkpoint's folder, which must match
// their hash and the run's configuration.
func (t *Trained) loadCheckpoint(dir string, c model.Config, configHash string) error {
	s, err := readStateOf(dir, configHash)
	if err != nil {
		return err
	}
	if t.Model, err = s.readModel(dir, c); err != nil {
		return err
	}
	t.Step = s.Step
	for _, note := range []string{s.note(), s.otherEngines()} {
		if note != "" {
			t.Notes = append(t.Notes, note)
		}
	}
	return nil
}
