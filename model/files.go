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
	"foretell/internal/plural"
	"foretell/internal/safetensors"
	"foretell/internal/strict"
)

// The files of a model in a folder of its own.
const (
	WeightsFile = "model.safetensors"
	ConfigFile  = "config.yaml"
)

// Write writes the parameters in the safetensors format, under their TransformerLens
// names, in the model's precision, with a checksum that [Read] checks and the
// configuration, so that [Load] needs nothing beside the file. The same model gives the
// same bytes, whichever build of the program writes them.
func (m *Transformer[F]) Write(w io.Writer) error { return m.WriteFrom(w, Origin{}) }

// WriteFrom is [Transformer.Write] for weights that come from somewhere, which
// [ReadOrigin] reads back.
func (m *Transformer[F]) WriteFrom(w io.Writer, o Origin) error {
	metadata, err := o.metadata(m.Config)
	if err != nil {
		return err
	}
	metadata[safetensors.ChecksumKey] = m.Checksum()
	return safetensors.Write(w, m.tensors(), metadata)
}

// Checksum is the SHA-256 of the parameters, of their names, shapes and bits, in
// hexadecimal digits: foretell.sha256 of a file that [Transformer.Write] writes.
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

// Read returns a transformer of configuration c with the parameters of a safetensors
// file, in either precision. It is an error if a parameter is missing, has another shape,
// or is not one of the model's, if the file carries a checksum and its tensors are
// others, and, a [*NotFiniteError], if a parameter holds what is no finite number.
func Read[F Float](data []byte, c Config) (*Transformer[F], error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Read(data)
	if err != nil {
		return nil, err
	}
	if err := checkTensors[F](file, c); err != nil { // before room is made for what the configuration asks for
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

// checkTensors returns an error unless a file has the parameters of a resolved
// configuration, in their shapes, and no others.
func checkTensors[F Float](file *safetensors.File, c Config) error {
	wanted := map[string]bool{}
	for _, s := range new(Weights[F]).slots(c) {
		wanted[s.name] = true
		saved, ok := file.Tensor(s.name)
		if !ok {
			return fmt.Errorf("parameter %s is missing", s.name)
		}
		if !slices.Equal(saved.Shape, s.shape) {
			return fmt.Errorf("parameter %s has shape %v, the configuration wants %v", s.name, saved.Shape, s.shape)
		}
	}
	for _, saved := range file.Tensors {
		if !wanted[saved.Name] {
			return fmt.Errorf("parameter %s is not one of this configuration's", saved.Name)
		}
	}
	return nil
}

// section is the part of a config.yaml that a model needs; a run's file also
// says what it was trained on.
type section struct {
	Model   Config `yaml:"model"`
	Process any    `yaml:"process,omitempty"`
	Train   any    `yaml:"train,omitempty"`
}

// Save writes the model to dir as model.safetensors and config.yaml, which
// [Load] reads back. It replaces a model that is there; a folder with a run is an error,
// since its config.yaml is another. What the model was trained on is not written: a run
// keeps that, of run.Ensure, with run.Options.ByCode where Go code makes the process.
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

// Load reads a model from wherever it is: a folder that [Transformer.Save] wrote, a
// run's folder (its latest checkpoint), a checkpoint's folder, a run after a step of
// which it has kept the weights (runs/first@500), or a safetensors file of any name that
// carries its configuration, as all that foretell writes do. A config.yaml beside the
// weights is what counts where there is one; weights from elsewhere need it.
//
// An error is one line. A checkpoint that is damaged is one; package run can go back to
// the one before it, and says whether a checkpoint is as its run wrote it.
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

// weightsAt returns the file of the weights that a path leads to.
func weightsAt(path string) (string, error) {
	info, err := os.Stat(path)
	if at, ok := atStep(path); err != nil && ok {
		return at, nil
	}
	if dir, step, ok := cutStep(path); err != nil && ok {
		return "", fmt.Errorf("%s has no weights of step %d, but of %s; train.checkpoints keeps others",
			dir, step, plural.Steps(keptSteps(dir)))
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

// atStep returns the file of a run's weights after a step, of a path such as
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

// cutStep takes a path such as runs/first@500 apart, if there are weights of that run.
func cutStep(path string) (dir string, step int, ok bool) {
	at := max(0, strings.LastIndexByte(path, '@'))
	step, err := strconv.Atoi(path[min(len(path), at+1):])
	return path[:at], step, at > 0 && err == nil && step >= 0 && len(keptSteps(path[:at])) > 0
}

// keptSteps lists the steps of which a run's folder has weights, as far as names tell.
func keptSteps(dir string) (steps []int) {
	for folder, ending := range map[string]string{"snapshots": ".safetensors", checkpointDir: ""} {
		entries, _ := os.ReadDir(filepath.Join(dir, folder)) // none where it cannot be read
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

// checkpointDir is the folder of a run's checkpoints, step-N each.
const checkpointDir = "checkpoints"

// latestStep returns the name of the latest checkpoint in a folder of them.
func latestStep(dir string) (name string, ok bool) {
	entries, _ := os.ReadDir(dir) // none where it cannot be read
	latest := -1
	for _, e := range entries {
		digits, isStep := strings.CutPrefix(e.Name(), "step-")
		if step, err := strconv.Atoi(digits); isStep && err == nil && step > latest {
			latest, name = step, e.Name()
		}
	}
	return name, latest >= 0
}

// configOf returns the configuration of the weights in a file: that of a config.yaml
// beside it, or what it carries itself, or, of a run of before files did, that of the
// run.
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
	return Config{}, fmt.Errorf("%s carries no configuration, and there is no %s beside it", path, ConfigFile)
}

// ReadFile returns the contents of the file of a configuration's weights, for [Read]. A
// file that is larger than any of these, or none, is an error.
func ReadFile(path string, c Config) ([]byte, error) { return ReadArrays(path, c, 1) }

// ReadArrays is [ReadFile] of a file of several sets of arrays of the weights' shapes, as
// an optimiser has.
func ReadArrays(path string, c Config, sets int) ([]byte, error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	return limit.ReadFile(path, "a file of this model's weights", int64(max(1, sets))*c.mostBytes())
}

// loadConfig reads the model's section of a config.yaml and resolves it. An
// error names the file, the line and the column.
func loadConfig(path string) (Config, error) {
	text, err := strict.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return decodeConfig(path, text)
}

// decodeConfig is loadConfig of a text, which name stands for in errors.
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
