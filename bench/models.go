package bench

import (
	"fmt"
	"strings"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/train"
)

// Model is a reference model with its training configuration.
type Model struct {
	Name   string
	Config train.Config
}

// Models are timed here and in other engines: the model of Piotrowski et al. 2025, the
// small GPT of EE269 2026, and the two transformers of D'Angelo et al. 2025. All but the
// first are timed on independent tokens, since the speed does not depend on the data.
var Models = []Model{
	{"mess3", config("mess3", 0, model.Config{
		DModel: 64, NLayers: 1, NHeads: model.Heads{1}, DMLP: 256, NCtx: 10,
	}, 128)},
	{"minigpt", config("iid", 32, model.Config{
		DModel: 64, NLayers: 3, NHeads: model.Heads{4}, DMLP: 256, NCtx: 64,
	}, 64)},
	{"induction64", config("iid", 5, induction(64), 256)},
	{"induction128", config("iid", 5, induction(128), 256)},
}

func induction(d int) model.Config {
	return model.Config{
		DModel: d, NLayers: 3, NHeads: model.Heads{1, 3, 1}, DHead: 32, NCtx: 128,
		AttnOnly: true, NormalizationType: "none",
	}
}

func config(process string, tokens float64, m model.Config, batch int) train.Config {
	c := train.Config{
		Process: train.ProcessConfig{Name: process}, Model: m,
		Train: train.Options{Seed: 1, BatchSize: batch, NumSteps: 1 << 30, LR: 1e-3, EvaluateSequences: 1},
	}
	if tokens > 0 {
		c.Process.Params = map[string]any{"n": tokens}
	}
	return c
}

// Sizes returns one line with the sizes of the model and its batch.
func (m Model) Sizes() string {
	c, mlp := m.Config.Model, fmt.Sprintf("d_mlp %d", m.Config.Model.DMLP)
	if c.AttnOnly {
		mlp = fmt.Sprintf("d_head %d, attn_only", c.DHead)
	}
	heads := fmt.Sprint(c.NHeads[0])
	if len(c.NHeads) > 1 {
		heads = strings.ReplaceAll(fmt.Sprint(c.NHeads), " ", ", ")
	}
	return fmt.Sprintf("%s: d_model %d, n_layers %d, n_heads %s, %s, n_ctx %d, batch_size %d",
		m.Name, c.DModel, c.NLayers, heads, mlp, c.NCtx, m.Config.Train.BatchSize)
}

// Sizes returns the sizes of the reference models, one line each.
func Sizes() string { return sizesOf(Models) }

func sizesOf(list []Model) string {
	var lines []string
	for _, m := range list {
		lines = append(lines, m.Sizes())
	}
	return strings.Join(lines, "\n")
}

// Named returns the reference model with the given name; ok is false if there is no such
// model.
func Named(name string) (m Model, ok bool) {
	m, err := find("model", Models, name)
	return m, err == nil
}

// find returns the model of a list with the given name. Its error names what the list
// has, and lists the known names.
func find(what string, list []Model, name string) (Model, error) {
	for _, m := range list {
		if m.Name == name {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("unknown %s %q: %s", what, name, strict.Choice(name, names(list)))
}

// Find returns the reference models with the given names, or the first model if none is
// given. For an unknown name it returns an error that lists the known ones.
func Find(names ...string) ([]Model, error) {
	if len(names) == 0 {
		return Models[:1], nil
	}
	var models []Model
	for _, name := range names {
		m, err := find("model", Models, name)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// Names lists the names of the reference models.
func Names() []string { return names(Models) }

func names(list []Model) []string {
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}
