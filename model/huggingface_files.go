package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"foretell/internal/durable"
	"foretell/internal/exactjson"
	"foretell/internal/limit"
	"foretell/internal/safetensors"
)

// The files of a Hugging Face folder besides [WeightsFile].
const (
	hubConfigFile = "config.json"
	hubIndexFile  = "model.safetensors.index.json" // maps each tensor to one of several files
	hubPickle     = "pytorch_model.bin"            // weights in a format that can run code
)

const (
	mostHubConfig = 1 << 20 // bytes
	mostHubIndex  = 1 << 24
)

// IsHuggingFace reports whether a folder is a Hugging Face model folder, which
// [LoadHuggingFace] reads, and not a folder that [Transformer.Save] or a run wrote.
func IsHuggingFace(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has(hubConfigFile) && !has(ConfigFile)
}

// LoadHuggingFace reads a GPT-2 from a Hugging Face folder: config.json and
// model.safetensors, or the files that model.safetensors.index.json lists. The numbers
// may be F32, F16, BF16 or F64. Tensor names may have the prefix "transformer.". The
// weights of an output that is tied to the embedding may be stored or left out. Stored
// attention masks are ignored.
//
// It returns an error that names the file and the key or tensor if the folder has another
// architecture, or if a tensor is missing, unknown or has the wrong shape, and a
// [*NotFiniteError] if a parameter is NaN or infinite. It allocates memory only for
// tensors that the files really contain.
func LoadHuggingFace[F Float](dir string) (*Transformer[F], error) {
	path := filepath.Join(dir, hubConfigFile)
	text, err := limit.ReadFile(path, "a "+hubConfigFile, mostHubConfig)
	if err != nil {
		return nil, err
	}
	c, taken, err := parseHubConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	files, err := openHub(dir)
	if err != nil {
		return nil, err
	}
	defer files.close()
	m, err := readHub[F](c, taken, files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.path, err)
	}
	return m, nil
}

// readHub reads a model of configuration c from the open weight files. The string
// `taken`, which [parseHubConfig] returned, is added to the error if the files' tensors
// do not fit c.
func readHub[F Float](c Config, taken string, files *hubFiles) (*Transformer[F], error) {
	if err := checkHub(c, slices.Sorted(maps.Keys(files.tensors)), files.shape); err != nil {
		return nil, fmt.Errorf("%w%s", err, taken) // before allocating what the configuration asks for
	}
	for _, index := range files.indexes {
		if err := index.CheckSum(); err != nil {
			return nil, err
		}
	}
	m, err := Zero[F](c)
	if err != nil {
		return nil, err
	}
	parameters := named(m.Weights)
	for _, t := range hubTensors(c) {
		if err := readHubTensor(t, c, parameters, files); err != nil {
			return nil, err
		}
		if err := checkFiniteHub(t, c, parameters, files.tensors[t.name].name); err != nil {
			return nil, err
		}
	}
	return m, checkTied(m, files)
}

// readHubTensor reads the parameters that a tensor holds.
func readHubTensor[F Float](t hubTensor, c Config, parameters map[string][]F, files *hubFiles) error {
	if t.how == asOurs {
		return copyHub(parameters[t.ours[0]], files, t.name)
	}
	theirs := make([]F, t.size())
	if err := copyHub(theirs, files, t.name); err != nil {
		return err
	}
	each(t, c, parameters, theirs, func(ours, theirs []F) { copy(ours, theirs) })
	return nil
}

// checkTied returns an error if the output is tied but the stored output differs from the
// embedding.
func checkTied[F Float](m *Transformer[F], files *hubFiles) error {
	if _, ok := files.tensors[hubHead]; !ok || !m.Config.TieUnembed {
		return nil
	}
	head := make([]F, len(m.Weights.embed))
	if err := copyHub(head, files, hubHead); err != nil {
		return err
	}
	if !slices.Equal(head, m.Weights.embed) {
		return fmt.Errorf("tensor %s differs from wte.weight, but tie_word_embeddings is true; "+
			"set tie_word_embeddings: false in the %s, or leave the tensor out", hubHead, hubConfigFile)
	}
	return nil
}

// hubFiles are the open weight files of a folder.
type hubFiles struct {
	path    string // the file that lists the tensors
	open    []*os.File
	indexes []*safetensors.Index
	tensors map[string]hubPlace // where each tensor is, by name without hubPrefix
}

// hubPlace is the location of a tensor.
type hubPlace struct {
	index *safetensors.Index
	name  string // with hubPrefix, if the file has it
}

func (f *hubFiles) close() {
	for _, file := range f.open {
		file.Close() // an error does not matter after reading
	}
}

func (f *hubFiles) shape(name string) ([]int, bool) {
	p, ok := f.tensors[name]
	if !ok {
		return nil, false
	}
	return p.index.Shape(p.name)
}

// copyHub reads the numbers of a tensor into dst.
func copyHub[F Float](dst []F, f *hubFiles, name string) error {
	p := f.tensors[name]
	switch dst := any(dst).(type) {
	case []float32:
		return safetensors.Copy(dst, p.index, p.name)
	case []float64:
		return safetensors.Copy(dst, p.index, p.name)
	}
	panic("model: unknown precision")
}

// openHub opens the weights of a folder: model.safetensors, or if it does not exist, the
// files that the index lists.
func openHub(dir string) (*hubFiles, error) {
	f := &hubFiles{path: filepath.Join(dir, WeightsFile), tensors: map[string]hubPlace{}}
	index, err := f.add(f.path)
	switch {
	case err == nil:
		for _, name := range index.Names() {
			if err = f.put(name, index); err != nil {
				err = fmt.Errorf("%s: %w", f.path, err)
				break
			}
		}
	case errors.Is(err, fs.ErrNotExist):
		err = f.addParts(dir)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// add opens a weight file and adds it to f.
func (f *hubFiles) add(path string) (*safetensors.Index, error) {
	file, size, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	f.open = append(f.open, file)
	index, err := safetensors.Open(file, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.indexes = append(f.indexes, index)
	return index, nil
}

// put records the location of a tensor.
func (f *hubFiles) put(name string, index *safetensors.Index) error {
	if there, twice := f.tensors[hubName(name)]; twice {
		return fmt.Errorf("tensor %q occurs twice, as %q and as %q", hubName(name), there.name, name)
	}
	f.tensors[hubName(name)] = hubPlace{index, name}
	return nil
}

// addParts opens the files that the index of a folder lists.
func (f *hubFiles) addParts(dir string) error {
	f.path = filepath.Join(dir, hubIndexFile)
	text, err := limit.ReadFile(f.path, "an index of weights", mostHubIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return missingWeights(dir)
	}
	if err != nil {
		return err
	}
	var list struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := exactjson.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", f.path, hubSyntax(err))
	}
	parts := map[string]*safetensors.Index{}
	for _, name := range slices.Sorted(maps.Keys(list.Files)) {
		file := list.Files[name]
		if filepath.Base(file) != file || filepath.Ext(file) != ".safetensors" {
			return fmt.Errorf("%s: tensor %q is in %q, which is not the name of a .safetensors file in its folder",
				f.path, name, file)
		}
		if parts[file] == nil {
			if parts[file], err = f.add(filepath.Join(dir, file)); err != nil {
				return err
			}
		}
		if _, ok := parts[file].Shape(name); !ok {
			return fmt.Errorf("%s: tensor %q should be in %s, which does not have it", f.path, name, file)
		}
		if err := f.put(name, parts[file]); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return nil
}

// missingWeights returns the error for a folder without readable weights.
func missingWeights(dir string) error {
	err := fmt.Errorf("%s has a %s but no %s", dir, hubConfigFile, WeightsFile)
	if _, pickle := os.Stat(filepath.Join(dir, hubPickle)); pickle == nil {
		err = fmt.Errorf("%w; its %s is not read, because its format can run code: save it as safetensors",
			err, hubPickle)
	}
	return err
}

// SaveHuggingFace writes the model to dir in the format of a Hugging Face
// GPT2LMHeadModel: config.json and model.safetensors, in the model's precision.
// [LoadHuggingFace] reads them back. It overwrites such a model in dir. It returns an
// error and writes nothing in two cases: if a GPT-2 cannot have the configuration (the
// error names the field), or if dir has a run or a model with a config.yaml.
func (m *Transformer[F]) SaveHuggingFace(dir string) error {
	h, err := hubConfigOf(m.Config, 8*int(unsafe.Sizeof(F(0))))
	if err != nil {
		return fmt.Errorf("model: cannot be saved as a Hugging Face GPT-2: %w", err)
	}
	config, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	weights, err := m.hubWeights()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(dir, ConfigFile)); err == nil || durable.HoldsRun(dir) {
		return fmt.Errorf("%s holds a run or a model with a %s; give another folder", dir, ConfigFile)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, hubConfigFile), append(config, '\n')); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, WeightsFile), weights)
}

// hubWeights returns the contents of the weights file. The library requires the entry
// format: "pt" (PyTorch) in the file's metadata.
func (m *Transformer[F]) hubWeights() ([]byte, error) {
	var list []safetensors.Tensor
	parameters := named(m.Weights)
	for _, t := range hubTensors(m.Config) {
		tensor := safetensors.Tensor{Name: t.name, Shape: t.shape}
		if t.name != hubHead {
			tensor.Name = hubPrefix + t.name
		}
		switch data := any(toHub(t, m.Config, parameters)).(type) {
		case []float32:
			tensor.F32 = data
		case []float64:
			tensor.F64 = data
		}
		list = append(list, tensor)
	}
	var file bytes.Buffer
	err := safetensors.Write(&file, list, map[string]string{
		"format": "pt", safetensors.ChecksumKey: safetensors.Checksum(list),
	})
	return file.Bytes(), err
}
