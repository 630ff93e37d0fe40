package model

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/internal/safetensors"
	"foretell/internal/strict"
	"foretell/internal/text"
)

// The files of a model's folder.
const (
	WeightsFile = "model.safetensors"
	ConfigFile  = "config.yaml"
)

// Write writes the parameters in the safetensors format, in the model's precision and
// under their TransformerLens names. The file includes a checksum, which [Read] checks,
// and the configuration, so [Load] needs only this file. The same model always gives the
// same bytes, whichever build of the program writes them.
func (m *Transformer[F]) Write(w io.Writer) error { return m.WriteFrom(w, Origin{}) }

// WriteFrom is [Transformer.Write] that also writes the origin of the weights, which
// [ReadOrigin] reads back.
func (m *Transformer[F]) WriteFrom(w io.Writer, o Origin) error {
	metadata, err := o.metadata(m.Config)
	if err != nil {
		return err
	}
	metadata[safetensors.ChecksumKey] = m.Checksum()
	return safetensors.Write(w, m.tensors(), metadata)
}

// Checksum returns the SHA-256 of the names, shapes and bits of the parameters, in
// hexadecimal digits. It is the value foretell.sha256 in a file that [Transformer.Write]
// writes.
func (m *Transformer[F]) Checksum() string { return safetensors.Checksum(m.tensors()) }

func (m *Transformer[F]) tensors() (list []safetensors.Tensor) {
	for _, t := range m.Weights.Tensors {
		tensor := safetensors.Tensor{Name: t.Name, Shape: t.Shape}
		switch data := any(t.Data).(type) {
		case []float32:
			tensor.F32 = data
		case []float64:
			tensor.F64 = data
		}
		list = append(list, tensor)
	}
	return list
}

// Read returns a transformer of configuration c with the parameters of a safetensors file
// in either precision. It returns an error if a parameter is missing, has the wrong shape
// or does not belong to the model, or if the tensors do not match a checksum in the file.
// It returns a [*NotFiniteError] if a number is NaN or infinite.
func Read[F Float](data []byte, c Config) (*Transformer[F], error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Read(data)
	if err != nil {
		return nil, err
	}
	if err := checkTensors[F](file, c); err != nil { // before allocating what the configuration asks for
		return nil, err
	}
	m, err := Zero[F](c)
	if err != nil {
		return nil, err
	}
	for _, t := range m.Weights.Tensors {
		saved, _ := file.Tensor(t.Name)
		for i, x := range saved.F32 {
			t.Data[i] = F(x)
		}
		for i, x := range saved.F64 {
			t.Data[i] = F(x)
		}
		if err := checkFinite("parameter", t); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// checkTensors returns an error unless a file has exactly the parameters of a resolved
// configuration, with their shapes.
func checkTensors[F Float](file *safetensors.File, c Config) error {
	wanted := map[string]bool{}
	for _, s := range new(Weights[F]).slots(c) {
		wanted[s.name] = true
		saved, ok := file.Tensor(s.name)
		if !ok {
			return fmt.Errorf("parameter %s is missing", s.name)
		}
		if !slices.Equal(saved.Shape, s.shape) {
			return fmt.Errorf("parameter %s has shape %v; the configuration needs %v", s.name, saved.Shape, s.shape)
		}
	}
	for _, saved := range file.Tensors {
		if !wanted[saved.Name] {
			return fmt.Errorf("parameter %s does not belong to this configuration", saved.Name)
		}
	}
	return nil
}

// section is the part of a config.yaml that a model needs. In a run's folder the file
// also has the process and the training options.
type section struct {
	Model   Config `yaml:"model"`
	Process any    `yaml:"process,omitempty"`
	Train   any    `yaml:"train,omitempty"`
}

// Save writes the model to dir as model.safetensors and config.yaml, which [Load] reads.
// It overwrites a model in dir, but returns an error if dir holds a run, because a run's
// config.yaml contains more than the model. Save does not record what the model was
// trained on. A run records it: use run.Ensure, with run.Options.ByCode if Go code makes
// the process.
func (m *Transformer[F]) Save(dir string) error {
	var weights bytes.Buffer
	if err := m.Write(&weights); err != nil {
		return err
	}
	config, err := strict.Marshal(section{Model: m.Config})
	if err != nil {
		return err
	}
	if durable.HoldsRun(dir) {
		return fmt.Errorf("%s holds a run; give another folder for the model", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, ConfigFile), config); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, WeightsFile), weights.Bytes())
}

// Load reads a model from any of these places:
//
//   - a folder that [Transformer.Save] wrote,
//   - the folder of a run (its latest checkpoint),
//   - the folder of a checkpoint,
//   - a run at a step whose weights the run has kept, written runs/first@500,
//   - a safetensors file of any name with a configuration in it, as foretell writes.
//
// A config.yaml next to a model.safetensors takes precedence over the configuration in
// the file. Weights that other programs wrote need a config.yaml.
//
// The error message is one line. A damaged checkpoint is an error here; package run can
// use the previous checkpoint instead, and can check that a checkpoint is the one that
// the run wrote.
func Load[F Float](path string) (*Transformer[F], error) {
	path, err := weightsAt(path)
	if err != nil {
		return nil, err
	}
	c, err := configOf(path)
	if err != nil {
		return nil, err
	}
	data, err := ReadFile(path, c)
	if err != nil {
		return nil, err
	}
	m, err := Read[F](data, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// weightsAt returns the weights file that a path refers to.
func weightsAt(path string) (string, error) {
	info, err := os.Stat(path)
	if at, ok := atStep(path); err != nil && ok {
		return at, nil
	}
	if dir, step, ok := cutStep(path); err != nil && ok {
		return "", fmt.Errorf("%s has no weights of step %d, only of %s; train.checkpoints sets which weights are kept",
			dir, step, text.Steps(keptSteps(dir)))
	}
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if !info.IsDir() {
		return path, nil
	}
	file := filepath.Join(path, WeightsFile)
	if _, err := os.Lstat(file); err == nil {
		return file, nil
	}
	if step, ok := latestStep(filepath.Join(path, checkpointDir)); ok {
		return filepath.Join(path, checkpointDir, step, WeightsFile), nil
	}
	return "", &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
}

// atStep returns the file of a run's weights at a step, given a path such as
// runs/first@500, if the run has kept them.
func atStep(path string) (file string, ok bool) {
	at := max(0, strings.LastIndexByte(path, '@'))
	dir, step := path[:at], "step-"+path[min(len(path), at+1):]
	for _, name := range []string{
		filepath.Join("snapshots", step+".safetensors"), filepath.Join(checkpointDir, step, WeightsFile),
	} {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); at > 0 && err == nil && info.Mode().IsRegular() {
			return file, true
		}
	}
	return "", false
}

// cutStep splits a path such as runs/first@500 into the folder and the step. ok is false
// if the path has another form or the folder has no weights of a run.
func cutStep(path string) (dir string, step int, ok bool) {
	at := max(0, strings.LastIndexByte(path, '@'))
	step, err := strconv.Atoi(path[min(len(path), at+1):])
	return path[:at], step, at > 0 && err == nil && step >= 0 && len(keptSteps(path[:at])) > 0
}

// keptSteps returns the steps whose weights are in a run's folder, judging by file names.
func keptSteps(dir string) (steps []int) {
	for folder, ending := range map[string]string{"snapshots": ".safetensors", checkpointDir: ""} {
		entries, _ := os.ReadDir(filepath.Join(dir, folder)) // empty if it cannot be read
		for _, e := range entries {
			digits, isStep := strings.CutPrefix(e.Name(), "step-")
			step, err := strconv.Atoi(strings.TrimSuffix(digits, ending))
			if isStep && err == nil && strings.HasSuffix(digits, ending) {
				steps = append(steps, step)
			}
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// checkpointDir is the folder of a run's checkpoints, each in a folder step-N.
const checkpointDir = "checkpoints"

// latestStep returns the name of the latest checkpoint in a checkpoint folder.
func latestStep(dir string) (name string, ok bool) {
	entries, _ := os.ReadDir(dir) // empty if it cannot be read
	latest := -1
	for _, e := range entries {
		digits, isStep := strings.CutPrefix(e.Name(), "step-")
		if step, err := strconv.Atoi(digits); isStep && err == nil && step > latest {
			latest, name = step, e.Name()
		}
	}
	return name, latest >= 0
}

// configOf returns the configuration of the weights in a file. It looks first in a
// config.yaml next to a model.safetensors, then in the file itself. A file may have no
// configuration, because it was too long for the file or another program wrote the file.
// For such a file it looks in a config.yaml next to the file or in the run's folder.
func configOf(path string) (Config, error) {
	dir := filepath.Dir(path)
	beside := filepath.Join(dir, ConfigFile)
	if _, err := os.Stat(beside); err == nil && filepath.Base(path) == WeightsFile {
		return loadConfig(beside)
	}
	origin, err := ReadOrigin(path)
	if err != nil {
		return Config{}, err
	}
	if origin.Config != nil {
		return decodeConfig(path+" ("+configKey+")", origin.Config)
	}
	runs := filepath.Join(filepath.Dir(filepath.Dir(dir)), ConfigFile)
	for _, config := range []string{beside, runs} {
		if _, err := os.Stat(config); err == nil {
			return loadConfig(config)
		}
	}
	return Config{}, fmt.Errorf("%s contains no configuration, and there is no %s next to it", path, ConfigFile)
}

// ReadFile returns the contents of a weights file of the given configuration, for [Read].
// It returns an error if the file is missing or larger than such a file can be.
func ReadFile(path string, c Config) ([]byte, error) { return ReadArrays(path, c, 1) }

// ReadArrays is [ReadFile] for a file with several arrays for each parameter, all of the
// parameter's shape, such as the state of an optimiser. `sets` is the number of arrays
// for each parameter.
func ReadArrays(path string, c Config, sets int) ([]byte, error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	return limit.ReadFile(path, "a file of this model's weights", int64(max(1, sets))*c.mostBytes())
}

// loadConfig reads the model section of a config.yaml and resolves it. An error names the
// file, the line and the column.
func loadConfig(path string) (Config, error) {
	text, err := strict.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return decodeConfig(path, text)
}

// decodeConfig is loadConfig for a text; name replaces the file name in errors.
func decodeConfig(name string, text []byte) (Config, error) {
	doc, err := strict.Parse(name, text)
	if err != nil {
		return Config{}, err
	}
	var s section
	if err := doc.Decode(&s); err != nil {
		return Config{}, err
	}
	c, err := s.Model.Resolve()
	return c, doc.Explain(strict.Within("model", err))
}
