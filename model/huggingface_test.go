package model

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/internal/safetensors"
)

// The folders of testdata/gpt2_reference.py, which has computed their logits in numpy.
var hubFolders = []string{"testdata/gpt2-tied", "testdata/gpt2-apart"}

func load[F Float](t testing.TB, dir string) *Transformer[F] {
	t.Helper()
	m, err := LoadHuggingFace[F](dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The logits of a folder of Hugging Face's are those of an independent GPT-2 in numpy.
func TestHuggingFaceAgreesWithTheReference(t *testing.T) {
	for _, dir := range hubFolders {
		data, err := os.ReadFile(filepath.Join(dir, "reference.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := safetensors.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		numbers, _ := file.Tensor("tokens")
		want, _ := file.Tensor("logits")
		var tokens []int32
		for _, x := range numbers.F64 {
			tokens = append(tokens, int32(x))
		}
		if off := farthest(t, load[float64](t, dir), tokens, want.F64); off > 1e-10 {
			t.Errorf("%s: logits in float64 are off by %.2g", dir, off)
		}
		if off := farthest(t, load[float32](t, dir), tokens, want.F64); off > 1e-5 {
			t.Errorf("%s: logits in float32 are off by %.2g", dir, off)
		}
	}
}

// farthest is how far logits are from what they should be, relative to the largest.
func farthest[F Float](t *testing.T, m *Transformer[F], tokens []int32, want []float64) (off float64) {
	t.Helper()
	got, err := m.Logits(tokens)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d logits, want %d, error %v", len(got), len(want), err)
	}
	largest := 1.0
	for i, x := range want {
		largest, off = max(largest, math.Abs(x)), max(off, math.Abs(float64(got[i])-x))
	}
	return off / largest
}

// A folder that is written and read is the same model, in names and shapes the tensors
// that it came from, and byte for byte where they are of its precision.
func TestHuggingFaceThereAndBack(t *testing.T) {
	for _, from := range hubFolders {
		m, dir := load[float32](t, from), filepath.Join(t.TempDir(), "new", "folder")
		if err := m.SaveHuggingFace(dir); err != nil {
			t.Fatal(err)
		}
		again := load[float32](t, dir)
		if !equal(again.Config, m.Config) || !slices.Equal(again.Weights.Data, m.Weights.Data) {
			t.Errorf("%s came back as %+v, was %+v", from, again.Config, m.Config)
		}
		theirs, err := openHub(from)
		if err != nil {
			t.Fatal(err)
		}
		defer theirs.close()
		ours, err := openHub(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer ours.close()
		for name := range theirs.tensors {
			if masks.MatchString(name) {
				continue
			}
			a, _ := theirs.shape(name)
			b, ok := ours.shape(name)
			if !ok || !slices.Equal(a, b) {
				t.Errorf("%s: tensor %s of shape %v is written as %v", from, name, a, b)
				continue
			}
			n := slot[float32]{shape: a}.size()
			x, y := make([]float32, n), make([]float32, n)
			if err := copyHub(x, theirs, name); err != nil {
				t.Error(err)
			}
			if err := copyHub(y, ours, name); err != nil || !slices.Equal(x, y) {
				t.Errorf("%s: tensor %s has come back changed, error %v", from, name, err)
			}
			if want := hubPrefix + name; name != hubHead && ours.tensors[name].name != want {
				t.Errorf("%s is written as %s, want %s", name, ours.tensors[name].name, want)
			}
		}
	}
}

// Any configuration that a GPT-2 can have goes there and back in either precision.
func TestHuggingFaceOfOurs(t *testing.T) {
	for _, c := range []Config{
		{DModel: 8, NLayers: 1, NHeads: Heads{1}, NCtx: 4, DVocab: 3, TieUnembed: true},
		{DModel: 6, NLayers: 3, NHeads: Heads{3}, DMLP: 5, NCtx: 2, DVocab: 5, UnembedBias: new(false), ActFn: "relu", Eps: 1e-6},
		{DModel: 4, NLayers: 2, NHeads: Heads{2, 2}, NCtx: 3, DVocab: 70, UnembedBias: new(false), ActFn: "silu"},
	} {
		m, dir := jittered[float64](t, c), t.TempDir()
		if IsHuggingFace(dir) {
			t.Error("an empty folder is one of Hugging Face's")
		}
		if err := m.SaveHuggingFace(dir); err != nil {
			t.Fatal(err)
		}
		if text := string(read(t, dir)[hubConfigFile]); !strings.Contains(text, `"attn_pdrop": 0.0,`) ||
			!strings.Contains(text, `"torch_dtype": "float64"`) {
			t.Errorf("%s", text)
		}
		again := load[float64](t, dir)
		if !IsHuggingFace(dir) || !equal(again.Config, m.Config) || !slices.Equal(again.Weights.Data, m.Weights.Data) {
			t.Errorf("came back as %+v, was %+v", again.Config, m.Config)
		}
	}
}

// What no GPT-2 has is refused before anything is written.
func TestSaveHuggingFaceRefuses(t *testing.T) {
	good := Config{DModel: 8, NLayers: 2, NHeads: Heads{2}, NCtx: 4, DVocab: 3, TieUnembed: true}
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.TieUnembed = false }, "unembed_bias = true, but GPT-2's output has no bias; train with unembed_bias: false, or with tie_unembed: true"},
		{func(c *Config) { *c = Config{Residual: "concat", NLayers: 1, NHeads: Heads{1}, NCtx: 4, DVocab: 3} }, "residual = concat, but GPT-2 adds to its residual stream"},
		{func(c *Config) { *c = Config{Architecture: "flat", DModel: 4, NCtx: 4, DVocab: 3} }, "architecture = flat, but GPT-2 is a transformer"},
		{func(c *Config) { c.Output = "probabilities" }, "output = probabilities, but GPT-2's outputs are logits"},
		{func(c *Config) { c.AttnOnly = true }, "attn_only = true, but GPT-2's blocks have an MLP"},
		{func(c *Config) { c.NormalizationType = "none" }, "normalization_type = none, but GPT-2 has LN"},
		{func(c *Config) { c.PositionalEmbeddingType = "rotary" }, "positional_embedding_type = rotary, but GPT-2's positions are learned"},
		{func(c *Config) { c.NHeads = Heads{2, 1} }, "n_heads = [2 1] with d_head = 4, but in each layer of GPT-2 n_heads·d_head is d_model = 8"},
		{func(c *Config) { c.DHead = 5 }, "n_heads = [2 2] with d_head = 5, but in each layer of GPT-2 n_heads·d_head is d_model = 8"},
	} {
		c, dir := good, filepath.Join(t.TempDir(), "new")
		test.change(&c)
		err := jittered[float32](t, c).SaveHuggingFace(dir)
		if want := "model: cannot be saved as a Hugging Face GPT-2: " + test.want; fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: something is written", test.want)
		}
	}
	m, dir := jittered[float32](t, good), t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := m.SaveHuggingFace(dir); fmt.Sprint(err) != dir+" holds a run or a model with a config.yaml; give another folder" {
		t.Error(err)
	}
}

// files are those of a folder, by name.
type files map[string][]byte

// read returns the files of a folder.
func read(t testing.TB, dir string) files {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := files{}
	for _, entry := range list {
		if f[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// write writes them to a new folder.
func (f files) write(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range f {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// replace replaces what must be there in a file.
func (f files) replace(t testing.TB, name, old, new string) {
	t.Helper()
	if !bytes.Contains(f[name], []byte(old)) {
		t.Fatalf("%s has no %s", name, old)
	}
	f[name] = bytes.ReplaceAll(f[name], []byte(old), []byte(new))
}

// What a config.json may say wrongly, with the error that it gives.
var wrongConfigs = []struct{ old, new, want string }{
	{`"gpt2"`, `"llama"`, `model_type = "llama"; the only supported architecture is gpt2 (GPT2LMHeadModel, GPT2Model)`},
	{`"model_type": "gpt2",`, ``, `model_type = ""; the only supported architecture is gpt2 (GPT2LMHeadModel, GPT2Model)`},
	{`GPT2LMHeadModel`, `GPT2ForSequenceClassification`, `architectures has "GPT2ForSequenceClassification"; the only supported architecture is gpt2 (GPT2LMHeadModel, GPT2Model)`},
	{`"gelu_new"`, `"quick_gelu"`, `activation_function = "quick_gelu" is not one of gelu_new, gelu_pytorch_tanh, gelu_fast, gelu, relu, silu, swish`},
	{`"use_cache": true`, `"scale_attn_weights": false`, `scale_attn_weights = false; scores are always divided by √d_head: give true`},
	{`"use_cache": true`, `"scale_attn_by_inverse_layer_idx": true`, `scale_attn_by_inverse_layer_idx = true; scores are only divided by √d_head: give false`},
	{`"use_cache": true`, `"add_cross_attention": true`, `add_cross_attention = true; there is no encoder to attend to: give false`},
	{`"use_cache": true`, `"quantization_config": {"bits": 8}`, `quantization_config is given; weights are read as F32, F16, BF16 or F64: save the model without quantization`},
	{`"n_head": 3`, `"n_head": 5`, `n_embd = 12 is not a multiple of n_head = 5`},
	{`"n_head": 3`, `"N_Head": 3`, `is not a valid JSON object: unknown key "N_Head"; did you mean "n_head"?`},
	{`"n_head": 3`, `"n_head": 4, "n_head": 3`, `is not a valid JSON object: n_head is given twice`},
	{`"n_head": 3`, `"n_head": null`, `is not a valid JSON object: n_head is null; a number is expected`},
	{`"n_head": 3`, `"n_head": 0`, `n_head is missing; give a whole number in [1, 1048576]`},
	{`"n_layer": 2`, `"n_layer": -2`, `n_layer = -2 is outside [1, 1048576]`},
	{`"n_layer": 2`, `"n_layer": 1000000000000`, `n_layer = 1000000000000 is outside [1, 1048576]`},
	{`"n_layer": 2`, `"n_layer": 1000000`, `n_layer = 1000000 is outside [1, 4096]`},
	{`"n_layer": 2`, `"n_layer": "two"`, `n_layer has type string, want int`},
	{`"n_layer": 2`, `"n_layer": 2.5`, `n_layer has type number 2.5, want int`},
	{`"n_inner": null`, `"n_inner": 0`, `n_inner is missing; give a whole number in [1, 1048576]`},
	{`"n_embd": 12`, `"n_embd": 99999999999`, `n_embd = 99999999999 is outside [1, 1048576]`},
	{`1e-05`, `0`, `layer_norm_epsilon = 0 is outside [1e-37, 1]`},
	{`1e-05`, `-1`, `layer_norm_epsilon = -1 is outside [1e-37, 1]`},
	{"{\n  \"model_type", "[\n  \"model_type", `is not a valid JSON object: invalid character ':' after array element`},
}

func TestWrongHuggingFaceConfig(t *testing.T) {
	for _, test := range wrongConfigs {
		f := read(t, hubFolders[0])
		f.replace(t, hubConfigFile, test.old, test.new)
		dir := f.write(t)
		_, err := LoadHuggingFace[float32](dir)
		want := filepath.Join(dir, hubConfigFile) + ": " + test.want
		if fmt.Sprint(err) != want {
			t.Errorf("%s → %s:\n got %v\nwant %s", test.old, test.new, err, want)
		}
	}
}

// Keys that change nothing of a prediction may be of any type.
func TestOtherKeysOfHuggingFace(t *testing.T) {
	f := read(t, hubFolders[0])
	f.replace(t, hubConfigFile, `"eos_token_id": 28`, `"eos_token_id": [28, 27]`)
	if _, err := LoadHuggingFace[float32](f.write(t)); err != nil {
		t.Error(err)
	}
}

// What is wrong with a folder's weights is said of the file and the tensor.
func TestWrongHuggingFaceWeights(t *testing.T) {
	const single, index, part = WeightsFile, hubIndexFile, "model-00001-of-00002.safetensors"
	for _, test := range []struct {
		folder   int
		change   func(f files)
		at, want string
	}{
		{0, func(f files) { f.replace(t, single, "transformer.h.1.ln_2.bias", "transformer.h.1.ln_9.bias") }, single, "tensor h.1.ln_2.bias is missing"},
		{0, func(f files) { f.replace(t, hubConfigFile, `"n_layer": 2`, `"n_layer": 1`) }, single, `tensor "h.1.attn.c_attn.bias" does not belong to a GPT-2 with 1 layers`},
		{0, func(f files) { f.replace(t, hubConfigFile, `"n_embd": 12`, `"n_embd": 15`) }, single, "tensor wte.weight has shape [29 12]; the config.json gives [29 15]"},
		{0, func(f files) { f.replace(t, hubConfigFile, `"vocab_size": 29`, `"vocab_size": 1048576`) }, single, "tensor wte.weight has shape [29 12]; the config.json gives [1048576 12]"},
		{0, func(f files) { f.replace(t, hubConfigFile, `"n_embd": 12,`, ``) }, single, "tensor wte.weight has shape [29 12]; the config.json gives [29 768]; the config.json does not set n_embd (default 768)"},
		{0, func(f files) {
			f.replace(t, hubConfigFile, `"n_layer": 2,`, ``)
			f.replace(t, hubConfigFile, `"n_head": 3`, `"left_out": 3`)
		}, single, "tensor h.2.ln_1.weight is missing; the config.json does not set n_layer (default 12), and n_head (default 12)"},
		{0, func(f files) { f.replace(t, hubConfigFile, `"n_layer": 2`, `"n_layer": 4096`) }, single, "tensor h.2.ln_1.weight is missing"},
		{0, func(f files) { f.replace(t, hubConfigFile, `_embeddings": true`, `_embeddings": false`) }, single, "tensor lm_head.weight is missing"},
		{0, func(f files) { f.replace(t, single, `"dtype": "F32", "shape": [29`, `"dtype": "I32", "shape": [29`) }, single, `tensor "transformer.wte.weight": its type I32 is not a floating-point type, want one of BF16, F16, F32, F64`},
		{0, func(f files) { f[single] = f[single][:len(f[single])-1] }, "", `model.safetensors: tensor "transformer.h.1.attn.masked_bias": truncated: its data at [17428, 17432] exceed the file's 17431 bytes of data`},
		{0, func(f files) { f[hubPickle] = f[single]; delete(f, single) }, "", " has a config.json but no model.safetensors; its pytorch_model.bin is not read, because its format can run code: save it as safetensors"},
		{0, func(f files) { delete(f, single) }, "", " has a config.json but no model.safetensors"},
		{1, func(f files) {
			f.replace(t, index, `"weight_map": {`, `"weight_map": {"../x": "../../etc/x.safetensors",`)
		}, index, `tensor "../x" is in "../../etc/x.safetensors", which is not the name of a .safetensors file in its folder`},
		{1, func(f files) { f.replace(t, index, `"weight_map": {`, `"weight_map": {"config": "config.json",`) }, index, `tensor "config" is in "config.json", which is not the name of a .safetensors file in its folder`},
		{1, func(f files) { f.replace(t, index, `"weight_map": {`, `"weight_map": {"other": "`+part+`",`) }, index, `tensor "other" should be in ` + part + ", which does not have it"},
		{1, func(f files) { f.replace(t, index, `"wte.weight"`, `"x.weight"`) }, index, `tensor "x.weight" should be in ` + part + ", which does not have it"},
		{1, func(f files) { f[index] = []byte("[]") }, index, "is a JSON array; want an object"},
		{1, func(f files) { delete(f, part) }, "", part + ": no such file or directory"},
	} {
		f := read(t, hubFolders[test.folder])
		test.change(f)
		dir := f.write(t)
		_, err := LoadHuggingFace[float32](dir)
		want := test.want
		if test.at != "" {
			want = filepath.Join(dir, test.at) + ": " + test.want
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("\n got %v\nwant %s", err, want)
		}
	}
}

// change rewrites the tensors of a folder's one file of weights.
func change(t *testing.T, f files, with func(list []safetensors.Tensor) []safetensors.Tensor) {
	t.Helper()
	var list []safetensors.Tensor
	x, err := safetensors.Open(bytes.NewReader(f[WeightsFile]), int64(len(f[WeightsFile])))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range x.Names() {
		if masks.MatchString(hubName(name)) {
			continue
		}
		shape, _ := x.Shape(name)
		data := make([]float32, slot[float32]{shape: shape}.size())
		if err := safetensors.Copy(data, x, name); err != nil {
			t.Fatal(err)
		}
		list = append(list, safetensors.Tensor{Name: name, Shape: shape, F32: data})
	}
	f[WeightsFile] = encode(t, with(list))
}

// A tied output may have its copy, and no other head; a name may have the prefix or not,
// and not be there with both.
func TestHuggingFaceHeads(t *testing.T) {
	copyOf := func(list []safetensors.Tensor, name string) safetensors.Tensor {
		return safetensors.Tensor{Name: name, Shape: list[0].Shape, F32: slices.Clone(list[0].F32)}
	}
	for _, test := range []struct {
		change func(list []safetensors.Tensor) []safetensors.Tensor
		want   string
	}{
		{func(list []safetensors.Tensor) []safetensors.Tensor { return append(list, copyOf(list, hubHead)) }, "<nil>"},
		{func(list []safetensors.Tensor) []safetensors.Tensor {
			head := copyOf(list, hubHead)
			head.F32[3]++
			return append(list, head)
		}, "tensor lm_head.weight differs from wte.weight, but tie_word_embeddings is true; set tie_word_embeddings: false in the config.json, or leave the tensor out"},
		{func(list []safetensors.Tensor) []safetensors.Tensor {
			head := copyOf(list, hubHead)
			head.Shape = []int{head.Shape[1], head.Shape[0]}
			return append(list, head)
		}, "tensor lm_head.weight has shape [12 29]; the config.json gives [29 12]"},
		{func(list []safetensors.Tensor) []safetensors.Tensor { return append(list, copyOf(list, "wte.weight")) }, `tensor "wte.weight" occurs twice, as "transformer.wte.weight" and as "wte.weight"`},
		{func(list []safetensors.Tensor) []safetensors.Tensor {
			list[4].F32[1] = float32(math.NaN())
			return list
		}, "tensor transformer.h.0.attn.c_attn.weight at [0 1] is NaN; weights must be finite numbers"},
	} {
		f := read(t, hubFolders[0])
		change(t, f, test.change)
		dir := f.write(t)
		want := test.want
		if want != "<nil>" {
			want = filepath.Join(dir, WeightsFile) + ": " + want
		}
		if _, err := LoadHuggingFace[float32](dir); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A folder is refused by an error on one line, or is a model that comes back the same
// when it is written; room is made for no more than its files have.
func FuzzHuggingFace(f *testing.F) {
	for _, dir := range hubFolders {
		all := read(f, dir)
		f.Add(all[hubConfigFile], all[WeightsFile], all[hubIndexFile])
	}
	whole := read(f, hubFolders[0])
	for _, wrong := range wrongConfigs {
		f.Add(bytes.ReplaceAll(whole[hubConfigFile], []byte(wrong.old), []byte(wrong.new)), whole[WeightsFile], []byte(nil))
	}
	f.Fuzz(func(t *testing.T, config, weights, index []byte) {
		list := files{hubConfigFile: config, hubIndexFile: index}
		if len(weights) > 0 {
			list[WeightsFile] = weights
		}
		m, err := LoadHuggingFace[float32](list.write(t))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q", err)
			}
			return
		}
		if most := len(weights); 2*len(m.Weights.Data) > most { // a number takes two bytes at least
			t.Errorf("%d parameters of %d bytes", len(m.Weights.Data), most)
		}
		dir := t.TempDir()
		if err := m.SaveHuggingFace(dir); err != nil {
			t.Fatal(err)
		}
		if again := load[float32](t, dir); !slices.Equal(again.Weights.Data, m.Weights.Data) {
			t.Error("the parameters came back changed")
		}
	})
}
