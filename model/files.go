package model

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/internal/safetensors"
	"foretell/internal/strict"
)

// The files of a model in a folder of its own.
const (
	WeightsFile = "model.safetensors"
	ConfigFile  = "config.yaml"
)

// Write writes the parameters in the safetensors format, under their TransformerLens
// names, in the model's precision, with a checksum that [Read] checks.
func (m *Transformer[F]) Write(w io.Writer) error {
	var list []safetensors.Tensor
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
	return safetensors.Write(w, list, map[string]string{safetensors.ChecksumKey: safetensors.Checksum(list)})
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
// since its config.yaml is another.
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

// Load reads a model that [Transformer.Save] wrote, or a safetensors file from
// elsewhere with a config.yaml beside it.
func Load[F Float](dir string) (*Transformer[F], error) {
	c, err := loadConfig(filepath.Join(dir, ConfigFile))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, WeightsFile)
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

// ReadFile returns the contents of the file of a configuration's weights, for [Read]. A
// file that is larger than any of these, or none, is an error.
func ReadFile(path string, c Config) ([]byte, error) {
	c, err := c.Resolve()
	if err != nil {
		return nil, err
	}
	return limit.ReadFile(path, "a file of this model's weights", c.mostBytes())
}

// loadConfig reads the model's section of a config.yaml and resolves it. An
// error names the file, the line and the column.
func loadConfig(path string) (Config, error) {
	text, err := strict.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	doc, err := strict.Parse(path, text)
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
