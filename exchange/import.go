package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"foretell/internal/durable"
	"foretell/internal/limit"
	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"
)

// ImportOptions say how a model of another tool is read. The zero value finds out.
type ImportOptions struct {
	Format string // one of [ImportFormats]; if empty, the names of the tensors decide
	// Config is a file with the configuration: for transformerlens the keys of a
	// HookedTransformerConfig, alone or as the section model: of a config.yaml; for nanogpt
	// the arguments of GPTConfig. It can be left out if the model's file or folder has them.
	Config string
}

// importers are the formats that can be read, with their readers of files.
var importers = []struct {
	name string
	read func(*tensors, config) (*model.Transformer[float32], error)
	mark string // a tensor that only this format has
}{
	{"transformerlens", readLens, "embed.W_E"},
	{"nanogpt", readNano, "transformer.wte.weight"},
	{"huggingface", nil, ""},
}

// ImportFormats returns the names of the formats of [Import].
func ImportFormats() (names []string) {
	for _, f := range importers {
		names = append(names, f.name)
	}
	return names
}

// Import reads a model of another tool. The path is a file of safetensors or torch.save,
// a folder that [Export] wrote in the format transformerlens, or a Hugging Face folder.
// An error has one line and says what is wrong with the file. A file that would run code
// is refused without running it. A number that is NaN or infinite is a
// [*model.NotFiniteError].
func Import(path string, o ImportOptions) (*model.Transformer[float32], error) {
	if o.Format != "" && !slices.Contains(ImportFormats(), o.Format) {
		return nil, errors.New(strict.NotOneOf(o.Format, ImportFormats()))
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file or folder", path)
	}
	if err != nil {
		return nil, err
	}
	given, err := readConfig(o.Config)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return importFolder(path, o, given)
	}
	if o.Format == "huggingface" {
		return nil, fmt.Errorf("%s is a file; give the Hugging Face folder", path)
	}
	return importFile(path, o.Format, given)
}

// importFolder implements [Import] for a folder.
func importFolder(dir string, o ImportOptions, given config) (*model.Transformer[float32], error) {
	if _, err := os.Stat(filepath.Join(dir, lensWeights)); err == nil && o.Format != "huggingface" {
		if given.text == nil {
			if given, err = readConfig(filepath.Join(dir, lensConfig)); err != nil {
				return nil, err
			}
		}
		return importFile(filepath.Join(dir, lensWeights), o.Format, given)
	}
	if !model.IsHuggingFace(dir) {
		return nil, fmt.Errorf("%s is neither a Hugging Face folder nor one with %s and %s; give the file of the "+
			"weights", dir, lensWeights, lensConfig)
	}
	if o.Format != "" && o.Format != "huggingface" {
		return nil, fmt.Errorf("%s is a Hugging Face folder, not %s", dir, o.Format)
	}
	if given.text != nil {
		return nil, fmt.Errorf("%s has its own configuration; leave out %s", dir, given.path)
	}
	return model.LoadHuggingFace[float32](dir)
}

// importFile implements [Import] for a file.
func importFile(path, format string, given config) (*model.Transformer[float32], error) {
	from, file, err := openTensors(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if given.text == nil {
		given = config{path + " (foretell.config)", from.config}
	}
	plain := from.without("_orig_mod.", "module.")
	for _, f := range importers {
		_, marked := plain.shape(f.mark)
		if f.read == nil || format != f.name && (format != "" || !marked) {
			continue
		}
		m, err := f.read(from, given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return m, nil
	}
	return nil, fmt.Errorf("%s has neither the tensor embed.W_E of transformerlens nor transformer.wte.weight of "+
		"nanogpt", path)
}

// config is the text of a configuration, with the name of its file; text is nil if none
// is given.
type config struct {
	path string
	text []byte
}

// readConfig reads a configuration; an empty path gives none.
func readConfig(path string) (config, error) {
	if path == "" {
		return config{}, nil
	}
	text, err := strict.ReadNamed(path)
	return config{path, text}, err
}

// network returns the resolved configuration that the text gives in TransformerLens's
// keys, alone or as the section model.
func (c config) network() (model.Config, error) {
	if c.text == nil {
		return model.Config{}, errors.New("it has no configuration; give the one of the HookedTransformer, " +
			"cfg.to_dict() as JSON or YAML")
	}
	doc, err := strict.Parse(c.path, c.text)
	if err != nil {
		return model.Config{}, err
	}
	if section := doc.Take("model"); section != nil {
		doc = section
	}
	var m model.Config
	if err := doc.Decode(&m); err != nil {
		return m, err
	}
	m, err = m.Resolve()
	return m, doc.Explain(err)
}

// section is the configuration of an imported model.
type section struct {
	Process *process.Spec `yaml:"process,omitempty"`
	Model   model.Config  `yaml:"model"`
}

// Save writes a model to a new folder, which every command of the program opens. If spec
// is not nil, it names the process that the model predicts, so that the model can be
// compared with the optimum.
func Save(dir string, m *model.Transformer[float32], spec *process.Spec) error {
	if err := checkNew(dir); err != nil {
		return err
	}
	if need, have := 8*float64(m.Config.Parameters()), limit.Memory(); have > 0 && need > have {
		return fmt.Errorf("%s needs %s of memory, but this machine has %s", dir, limit.Size(need), limit.Size(have))
	}
	origin, config, err := describe(m.Config, spec)
	if err != nil {
		return err
	}
	var weights bytes.Buffer
	if err := m.WriteFrom(&weights, model.Origin{Config: origin}); err != nil {
		return err
	}
	return newFolder(dir, func(dir string) error {
		if err := durable.WriteFile(filepath.Join(dir, model.ConfigFile), config); err != nil {
			return err
		}
		return durable.WriteFile(filepath.Join(dir, model.WeightsFile), weights.Bytes())
	})
}

// describe returns the configuration of a model and its process as JSON and as YAML.
func describe(c model.Config, spec *process.Spec) (origin, config []byte, err error) {
	s := section{Model: c}
	if spec != nil {
		plain := spec.Plain()
		s.Process = &plain
	}
	if origin, err = strict.MarshalJSON(s); err != nil {
		return nil, nil, err
	}
	config, err = strict.Marshal(s)
	return origin, config, err
}
