package exchange

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"foretell/internal/limit"
	"foretell/internal/safetensors"
	"foretell/internal/torchfile"
)

// tensors are the named tensors of a file, whose numbers are read one tensor at a time.
type tensors struct {
	names  []string // in order
	places map[string]place
	config []byte          // the configuration in the file, as JSON; nil if there is no configuration
	args   *torchfile.Dict // nanoGPT's model_args; nil if there are no arguments
}

// place is a tensor in a file. read returns its numbers.
type place struct {
	shape []int
	read  func() ([]float32, error)
}

func (t *tensors) shape(name string) ([]int, bool) {
	p, ok := t.places[name]
	return p.shape, ok
}

func (t *tensors) read(name string) ([]float32, error) { return t.places[name].read() }

// fill copies the numbers of a tensor, which must have the given shape, to dst.
func (t *tensors) fill(name string, shape []int, dst []float32) error {
	p, ok := t.places[name]
	switch {
	case !ok:
		return fmt.Errorf("tensor %s is missing", name)
	case !slices.Equal(p.shape, shape):
		return fmt.Errorf("tensor %s has shape %v; the configuration needs %v", name, p.shape, shape)
	}
	data, err := p.read()
	if err != nil {
		return fmt.Errorf("tensor %s: %w", name, err)
	}
	copy(dst, data)
	return nil
}

// without returns the tensors with these prefixes removed from their names.
func (t *tensors) without(prefixes ...string) *tensors {
	out := &tensors{places: map[string]place{}, config: t.config, args: t.args}
	for _, name := range t.names {
		short := name
		for _, prefix := range prefixes {
			short = strings.TrimPrefix(short, prefix)
		}
		out.names, out.places[short] = append(out.names, short), t.places[name]
	}
	return out
}

// openTensors opens a file of safetensors or of torch.save. Close closes it.
func openTensors(path string) (t *tensors, closer io.Closer, err error) {
	file, size, err := limit.Open(path)
	if err != nil {
		return nil, nil, err
	}
	begin := make([]byte, 4)
	if _, err = file.ReadAt(begin, 0); errors.Is(err, io.EOF) {
		err = nil
	}
	switch {
	case err != nil:
	case string(begin) == "PK\x03\x04", begin[0] == '\x80':
		t, err = torchTensors(file, size)
	default:
		t, err = safeTensors(file, size)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return t, file, nil
}

// safeTensors returns the tensors of a safetensors file, after comparing them with its
// checksum if it has one.
func safeTensors(file *os.File, size int64) (*tensors, error) {
	index, err := safetensors.Open(file, size)
	if err != nil {
		return nil, err
	}
	if err := index.CheckSum(); err != nil {
		return nil, err
	}
	t := &tensors{names: index.Names(), places: map[string]place{}}
	if text, ok := index.Metadata["foretell.config"]; ok {
		t.config = []byte(text)
	}
	for _, name := range t.names {
		shape, _ := index.Shape(name)
		t.places[name] = place{shape, func() ([]float32, error) {
			elements := 1
			for _, n := range shape {
				elements *= n
			}
			data := make([]float32, elements)
			return data, safetensors.Copy(data, index, name)
		}}
	}
	return t, nil
}

// torchTensors returns the tensors of a state dictionary, or of a checkpoint with one
// under the key model, state_dict or model_state_dict.
func torchTensors(file io.ReaderAt, size int64) (*tensors, error) {
	value, err := torchfile.Read(file, size)
	if err != nil {
		return nil, err
	}
	whole, ok := value.(*torchfile.Dict)
	if !ok {
		return nil, errors.New("it holds no dictionary of tensors")
	}
	t, state := &tensors{places: map[string]place{}}, whole
	for _, key := range []string{"model_state_dict", "state_dict", "model"} {
		inner, _ := whole.Get(key)
		if d, ok := inner.(*torchfile.Dict); ok {
			state = d
		}
	}
	if args, ok := whole.Get("model_args"); ok {
		t.args, _ = args.(*torchfile.Dict)
	}
	for i, key := range state.Keys {
		name, isText := key.(string)
		tensor, isTensor := state.Values[i].(*torchfile.Tensor)
		if !isText || !isTensor {
			return nil, fmt.Errorf("the entry %.80q is not a tensor", fmt.Sprint(key))
		}
		if _, twice := t.places[name]; !twice {
			t.names = append(t.names, name)
		}
		t.places[name] = place{tensor.Shape, tensor.Floats}
	}
	return t, nil
}

// writeTorch writes a value in the format of torch.save to a new file of the program's
// own folder.
func writeTorch(path string, value any) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(torchfile.Write(file, value), file.Close())
}
