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
	"foretell/token"
)

// CraftPrefix begins the name of a hand-written model, as in craft:coin.
const CraftPrefix = "craft:"

// CraftedName returns NAME for a path of the form craft:NAME. ok is false for other
// paths.
func CraftedName(path string) (name string, ok bool) { return strings.CutPrefix(path, CraftPrefix) }

// Model is a model with the process that it predicts. Its weights were trained, in
// float32, or written by hand, in float64.
type Model struct {
	Path  string
	Notes []string // for the user, such as that a checkpoint is damaged

	network network
	byHand  bool            // whether the weights were written by hand
	sampler process.Sampler // source of the sequences; nil if it is not known
	optimum process.Process // sampler, if its best possible prediction is known; else nil
	// missing is the reason why optimum is nil. foreign reports that the model is from a
	// Hugging Face folder, which cannot name a process.
	missing error
	foreign bool

	origin     model.Origin // what the weights record about themselves when they are written again
	seed       uint64       // the initial weights were drawn from it; 0 if unknown
	checkpoint *Checkpoint  // nil if the model does not belong to a run
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
		return &Model{
			Path: path, network: precise[float64]{m.Model}, byHand: true, sampler: m.Process, optimum: m.Process,
		}, nil
	}
	if len(params) > 0 {
		return nil, &ParamsError{path, "is not a hand-written model (craft:NAME); other models take no parameters"}
	}
	if dir, ok := huggingFace(path); ok {
		return openHuggingFace(path, dir)
	}
	t, err := run.Open(path)
	if _, lacking := os.Stat(path); err != nil && lacking != nil && run.Meant(path) == "" {
		if near := MeantCrafted(path); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	return newTrained(path, t), nil
}

// openHuggingFace implements [Open] for a Hugging Face folder.
func openHuggingFace(path, dir string) (*Model, error) {
	m, err := model.LoadHuggingFace[float32](dir)
	if err != nil {
		return nil, err
	}
	missing := fmt.Errorf("%s: a Hugging Face folder names no process, so there is no optimum to compare with; "+
		"`foretell predict` shows the model's own prediction", path)
	return &Model{Path: path, network: precise[float32]{m}, missing: missing, foreign: true}, nil
}

// newTrained returns the model that [run.Open] has opened.
func newTrained(path string, t *run.Trained) *Model {
	m := &Model{
		Path: path, Notes: t.Notes, network: precise[float32]{t.Model}, sampler: t.Process, seed: t.Seed,
	}
	if t.Step > 0 {
		m.checkpoint = &Checkpoint{t.Step, t.FellBack}
	}
	m.optimum, m.missing = optimumOf(path, t)
	m.origin = originOf(t)
	return m
}

// originOf returns the configuration and the step of a trained model, or only the step if
// the configuration names no process; the model's own configuration is then written.
func originOf(t *run.Trained) model.Origin {
	origin := model.Origin{Step: t.Step}
	if text, err := t.Config.JSON(); err == nil && t.Config.Process.Name != "" {
		origin.Config = text
	}
	return origin
}

// optimumOf returns the process of a trained model, or the reason why it, or its best
// possible prediction, is not known.
func optimumOf(path string, t *run.Trained) (process.Process, error) {
	if t.Process != nil {
		p, err := process.OptimumOf(t.Process)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return p, nil
	}
	if t.ByCode != "" {
		return nil, fmt.Errorf("%s: its process, %s, is made by Go code, so there is no optimum to compare with here",
			path, t.ByCode)
	}
	if dir, alone := withoutConfig(path); alone {
		return nil, fmt.Errorf("%s: the configuration stored with the weights names no process, so there is no "+
			"optimum to compare with; to name one, write the model: section of that configuration and a process: "+
			"section to %s",
			path, dir)
	}
	return nil, fmt.Errorf("%s: its config.yaml names no process, so there is no optimum to compare with; "+
		"add a section process: to name one", path)
}

// withoutConfig reports whether the model at a path has no config.yaml next to it, and
// returns the place where a config.yaml would be read.
func withoutConfig(at string) (would string, alone bool) {
	dir, name := at, model.WeightsFile
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir, name = filepath.Split(at)
	}
	path := filepath.Join(dir, model.ConfigFile)
	if name != model.WeightsFile {
		return fmt.Sprintf("%s in a folder with these weights as %s", model.ConfigFile, model.WeightsFile), true
	}
	_, err := os.Stat(path)
	return path, err != nil
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
func (m *Model) Config() model.Config { return m.network.config() }

// Float64 returns the model in float64: itself, or a copy if its weights are float32.
func (m *Model) Float64() *model.Transformer[float64] { return m.network.inFloat64() }

// Float32 is Float64 for float32.
func (m *Model) Float32() *model.Transformer[float32] { return m.network.inFloat32() }

// Origin returns the configuration and the step that a copy of the weights should record.
func (m *Model) Origin() model.Origin { return m.origin }

// Process returns the process that the model predicts. It returns an error if the process
// is not known, or if its best possible prediction is not known (a
// [*process.NoOptimumError]).
func (m *Model) Process() (process.Process, error) { return m.optimum, m.missing }

// Lacking returns the error of [Model.Process] if the model could have an optimum to
// compare with. It returns nil if there is one, and for a Hugging Face folder, which
// cannot name a process.
func (m *Model) Lacking() error {
	if m.foreign {
		return nil
	}
	return m.missing
}

// InitialSeed returns the seed from which the initial weights were drawn, or 0 if it is
// not known. It returns an error for a hand-written model, which has no random
// initialisation to compare with.
func (m *Model) InitialSeed() (uint64, error) {
	if m.byHand {
		return 0, fmt.Errorf("%s is written by hand; there is no untrained model to compare it with", m.Path)
	}
	return m.seed, nil
}

// Names returns the names of the process's tokens, or nil if the process is not known;
// the tokens are then numbers.
func (m *Model) Names() token.Names {
	if m.sampler == nil {
		return nil
	}
	return m.sampler.Tokens()
}

// values returns the values of the tokens, or nil if the model's process is not a signal.
func (m *Model) values() []float64 { return process.LevelsOf(m.sampler) }

// Predict compares the model with the optimum after a sequence; see [Predict]. If the
// model names no process, or the sequence has probability 0, the result has the model's
// prediction only. For a hand-written model, whose weights are meaningful only for
// sequences of its process, such a sequence is an error.
func (m *Model) Predict(word []int32) (*Prediction, error) {
	found, err := m.network.predict(m.sampler, word)
	if err == nil && found.Impossible != nil {
		err = m.possible(word)
	}
	if err != nil {
		return nil, err
	}
	found.Checkpoint = m.checkpoint
	return found, nil
}
