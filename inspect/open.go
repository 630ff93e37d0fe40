package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"foretell/craft"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
	"foretell/run"
)

// CraftPrefix begins the name of a hand-written model, as in craft:coin.
const CraftPrefix = "craft:"

// CraftedName returns NAME for a path of the form craft:NAME. ok is false for other
// paths.
func CraftedName(path string) (name string, ok bool) { return strings.CutPrefix(path, CraftPrefix) }

// Model is a model with the process that it predicts. Trained is set if the model was
// trained, Crafted if it was written by hand; the other field is nil.
type Model struct {
	Path    string
	Trained *run.Trained
	Crafted *craft.Crafted
	// Foreign reports whether the model is from a Hugging Face folder, which names no
	// process, so that there is no optimum to compare with.
	Foreign bool
}

// Open opens a model: anything that [run.Open] takes (a run's folder, a checkpoint's
// folder, also when copied elsewhere, a run as it was after a step, or a single
// safetensors file), a Hugging Face GPT-2 folder ([model.LoadHuggingFace]), or craft:NAME
// with its parameters. It returns an error if there is no such model, if a parameter is
// unknown or out of range, and if parameters are given for a model that takes none (a
// [*ParamsError]).
func Open(path string, params process.Params) (*Model, error) {
	if name, ok := CraftedName(path); ok {
		m, err := craft.Make(name, params)
		if err != nil {
			return nil, err
		}
		return &Model{Path: path, Crafted: m}, nil
	}
	if len(params) > 0 {
		return nil, &ParamsError{path, "is not a hand-written model (craft:NAME); other models take no parameters"}
	}
	if dir, ok := huggingFace(path); ok {
		m, err := model.LoadHuggingFace[float32](dir)
		if err != nil {
			return nil, err
		}
		return &Model{Path: path, Trained: &run.Trained{Model: m}, Foreign: true}, nil
	}
	m, err := run.Open(path)
	if _, lacking := os.Stat(path); err != nil && lacking != nil && run.Meant(path) == "" {
		if near := MeantCrafted(path); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return &Model{Path: path, Trained: m}, nil
}

// MeantCrafted suggests a hand-written model, such as craft:coin, for a path that names
// no model: the one whose name, with or without craft:, is nearest to the path. It
// returns "" if no name is near.
func MeantCrafted(path string) string {
	for _, prefix := range []string{"", CraftPrefix} {
		var names []string
		for _, c := range craft.Constructions() {
			names = append(names, prefix+c.Name)
		}
		if near := strict.Nearest(path, names); near != "" {
			return CraftPrefix + strings.TrimPrefix(near, CraftPrefix)
		}
	}
	return ""
}

// huggingFace returns the Hugging Face folder that a path names, either directly or by
// the folder's weights file.
func huggingFace(path string) (dir string, ok bool) {
	if filepath.Base(path) == model.WeightsFile {
		path = filepath.Dir(path)
	}
	return path, model.IsHuggingFace(path)
}

// Config returns the model's configuration.
func (m *Model) Config() model.Config {
	if m.Crafted != nil {
		return m.Crafted.Model.Config
	}
	return m.Trained.Model.Config
}

// Notes returns what the user of a trained model should know, such as a damaged
// checkpoint.
func (m *Model) Notes() []string {
	if m.Trained == nil {
		return nil
	}
	return m.Trained.Notes
}

// Float64 returns the model in float64, converted if it was trained.
func (m *Model) Float64() *model.Transformer[float64] {
	if m.Crafted != nil {
		return m.Crafted.Model
	}
	return model.Convert[float64](m.Trained.Model)
}

// Process returns the process that the model predicts. It returns an error if the process
// is not known, or if its best possible prediction is not known (a
// [*process.NoOptimumError]).
func (m *Model) Process() (process.Process, error) {
	if m.Crafted != nil {
		return m.Crafted.Process, nil
	}
	if m.Foreign {
		return nil, fmt.Errorf("%s: a Hugging Face folder names no process, so there is no optimum to compare with; "+
			"`foretell predict` shows the model's own prediction", m.Path)
	}
	if name := m.Trained.ByCode; m.Trained.Process == nil && name != "" {
		return nil, fmt.Errorf("%s: its process, %s, is made by Go code, so there is no optimum to compare with here",
			m.Path, name)
	}
	if dir, alone := m.withoutConfig(); m.Trained.Process == nil && alone {
		return nil, fmt.Errorf("%s: the configuration stored with the weights names no process, so there is no "+
			"optimum to compare with; to name one, write the model: section of that configuration and a process: "+
			"section to %s",
			m.Path, dir)
	}
	if m.Trained.Process == nil {
		return nil, fmt.Errorf("%s: its config.yaml names no process, so there is no optimum to compare with; "+
			"add a section process: to name one", m.Path)
	}
	p, err := process.OptimumOf(m.Trained.Process)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return p, nil
}

// sampler returns the process from which the model's sequences are sampled, or nil if it
// is not known.
func (m *Model) sampler() process.Sampler {
	if m.Crafted != nil {
		return m.Crafted.Process
	}
	return m.Trained.Process
}

// withoutConfig reports whether a model has no config.yaml next to it, and returns the
// place where a config.yaml would be read.
func (m *Model) withoutConfig() (would string, alone bool) {
	dir, name := m.Path, model.WeightsFile
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir, name = filepath.Split(m.Path)
	}
	path := filepath.Join(dir, model.ConfigFile)
	if name != model.WeightsFile {
		return fmt.Sprintf("%s in a folder with these weights as %s", model.ConfigFile, model.WeightsFile), true
	}
	_, err := os.Stat(path)
	return path, err != nil
}

// Names returns the names of the process's tokens, or nil if the process is not known;
// the tokens are then numbers.
func (m *Model) Names() []string {
	s := m.sampler()
	if s == nil {
		return nil
	}
	return s.Tokens()
}

// values returns the values of the tokens, or nil if the model's process is not a signal.
func (m *Model) values() []float64 { return levelsOf(m.sampler()) }

// Predict compares the model with the optimum after a sequence; see [Predict]. If the
// model names no process, or the sequence has probability 0, the result has the model's
// prediction only. For a hand-written model, whose weights are meaningful only for
// sequences of its process, such a sequence is an error.
func (m *Model) Predict(word []int32) (*Prediction, error) {
	if m.Crafted != nil {
		found, err := Predict(m.Crafted.Model, m.Crafted.Process, word)
		if err == nil && found.Impossible != nil {
			return nil, m.possible(word)
		}
		return found, err
	}
	found, err := Predict(m.Trained.Model, m.Trained.Process, word)
	if err == nil && m.Trained.Step > 0 {
		found.Checkpoint = &Checkpoint{m.Trained.Step, m.Trained.FellBack}
	}
	return found, err
}
