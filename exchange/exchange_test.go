package exchange_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/exchange"
	"foretell/internal/needs"
	"foretell/internal/random"
	"foretell/model"
	"foretell/process"
)

// networks differ in all that a configuration can choose.
var networks = map[string]model.Config{
	"plain":      {DModel: 8, NLayers: 2, NHeads: model.Heads{2}, NCtx: 5, DVocab: 3},
	"tied":       {DModel: 8, NLayers: 2, NHeads: model.Heads{2}, NCtx: 5, DVocab: 3, TieUnembed: true},
	"uneven":     {DModel: 6, NLayers: 2, NHeads: model.Heads{1, 3}, DHead: 4, NCtx: 4, DVocab: 3, DMLP: 5, ActFn: "relu"},
	"rotary":     {DModel: 8, NLayers: 2, NHeads: model.Heads{2}, NCtx: 7, DVocab: 4, PositionalEmbeddingType: "rotary", NormalizationType: "LNPre", ActFn: "silu"},
	"sinusoidal": {DModel: 7, NLayers: 1, NHeads: model.Heads{1}, NCtx: 6, DVocab: 3, PositionalEmbeddingType: "sinusoidal", ActFn: "gelu_new", UnembedBias: new(false)},
	"bare":       {DModel: 4, NLayers: 2, NHeads: model.Heads{2}, NCtx: 4, DVocab: 2, PositionalEmbeddingType: "none", NormalizationType: "none", AttnOnly: true},
	"concat":     {Residual: "concat", NLayers: 2, NHeads: model.Heads{2, 1}, NCtx: 4, DVocab: 3, PositionalEmbeddingType: "one_hot", AttnScale: 0.7},
	"flat":       {Architecture: "flat", DModel: 3, NLayers: 2, DMLP: 6, NCtx: 4, DVocab: 3},
	"linear":     {Architecture: "flat", DModel: 3, NCtx: 4, DVocab: 3},
	"likely":     {DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 4, DVocab: 3, Output: "probabilities", AttnOnly: true, NormalizationType: "none"},
}

// network returns a model all of whose parameters are random.
func network(t testing.TB, name string) *model.Transformer[float32] {
	t.Helper()
	m, err := model.Zero[float32](networks[name])
	if err != nil {
		t.Fatal(name, err)
	}
	stream := random.New(1, name)
	for i := range m.Weights.Data {
		m.Weights.Data[i] = float32(0.5 * stream.Normal())
		if name == "likely" { // which needs positive outputs
			m.Weights.Data[i] = float32(math.Abs(float64(m.Weights.Data[i])))
		}
	}
	return m
}

// tokens returns two sequences as long as the context.
func tokens(c model.Config) [][]int32 {
	list, stream := make([][]int32, 2), random.New(2, "tokens")
	for i := range list {
		for range c.NCtx {
			list[i] = append(list[i], int32(stream.Uint64()%uint64(c.DVocab)))
		}
	}
	return list
}

// logits returns our logits of sequences.
func logits(m *model.Transformer[float32], list [][]int32) []float32 {
	w := model.NewWorkspace[float32](m.Config, len(list))
	return m.Forward(w, slices.Concat(list...), len(list))
}

// same fails unless logits are ours to 1e-5.
func same(t *testing.T, what string, got []float64, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d logits, want %d", what, len(got), len(want))
	}
	for i, x := range want {
		if diff := math.Abs(got[i] - float64(x)); !(diff <= 1e-5*max(1, math.Abs(float64(x)))) {
			t.Fatalf("%s: logit %d is %v, want %v", what, i, got[i], x)
		}
	}
}

// reference runs testdata/reference.py and returns its logits.
func reference(t *testing.T, kind, path string, list [][]int32) (all []float64) {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(needs.Python(t, "torch"), "testdata/reference.py", kind, path)
	command.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", kind, err, stderr.String())
	}
	var nested [][][]float64
	if err := json.Unmarshal(out, &nested); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(slices.Concat(nested...)...)
}

func export(t testing.TB, format string, m *model.Transformer[float32], out string) {
	t.Helper()
	if err := exchange.Export(t.Context(), format, exchange.Source{Name: "m", Model: m}, out); err != nil {
		t.Fatal(err)
	}
}

// PyTorch computes our logits from what is written for TransformerLens, and reading it
// gives a model of the same logits.
func TestTransformerLens(t *testing.T) {
	for _, name := range []string{"plain", "tied", "uneven", "rotary", "sinusoidal", "bare"} {
		m, dir := network(t, name), filepath.Join(t.TempDir(), "lens")
		export(t, "transformerlens", m, dir)
		list := tokens(m.Config)
		same(t, name, reference(t, "lens", dir, list), logits(m, list))
		back, err := exchange.Import(dir, exchange.ImportOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		same(t, name+" read back", widened(logits(back, list)), logits(m, list))
	}
}

func widened(list []float32) (out []float64) {
	for _, x := range list {
		out = append(out, float64(x))
	}
	return out
}

// nanoGPT and GPT2LMHeadModel compute our logits from what is written for them.
func TestNanoGPTAndHuggingFace(t *testing.T) {
	m, dir := network(t, "tied"), t.TempDir()
	list := tokens(m.Config)
	for format, kind := range map[string]string{"nanogpt": "nano", "huggingface": "hub"} {
		path := filepath.Join(dir, format)
		export(t, format, m, path)
		same(t, format, reference(t, kind, path, list), logits(m, list))
		back, err := exchange.Import(path, exchange.ImportOptions{Format: format})
		if err != nil {
			t.Fatal(format, err)
		}
		if !slices.Equal(back.Weights.Data, m.Weights.Data) {
			t.Errorf("%s: other weights are read back", format)
		}
	}
}

// Models that PyTorch saves give PyTorch's logits: a checkpoint of nanoGPT with and
// without biases, with the state of its optimiser, and a HookedTransformer's state with
// its buffers and its configuration in another file.
func TestImports(t *testing.T) {
	list := [][]int32{{0, 1, 2, 2, 0}, {2, 0, 0, 1, 1}}
	for kind, options := range map[string]exchange.ImportOptions{
		"save-nano": {}, "save-nano-plain": {Format: "nanogpt"}, "save-lens": {Config: "m.json"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "m.pt")
		if options.Config != "" {
			options.Config = filepath.Join(dir, options.Config)
		}
		want := reference(t, kind, path, list)
		m, err := exchange.Import(path, options)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		same(t, kind, want, logits(m, list))
	}
}

// ONNX Runtime computes our logits from each kind of network, also of shorter sequences.
func TestONNXRuntime(t *testing.T) {
	node := needs.Program(t, "node", "nodejs")
	modules, err := filepath.Abs("../.cache/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(modules, "onnxruntime-node"))
	needs.Machine(t, "onnxruntime-node, which make onnxruntime installs", err)
	type task struct {
		Path   string    `json:"path"`
		Tokens [][]int32 `json:"tokens"`
	}
	dir, tasks, wanted := t.TempDir(), []task{}, map[string][]float32{}
	for name := range networks {
		m := network(t, name)
		list, path := tokens(m.Config), filepath.Join(dir, name+".onnx")
		list[0], list[1] = list[0][:len(list[0])-1], list[1][1:]
		export(t, "onnx", m, path)
		tasks, wanted[path] = append(tasks, task{path, list}), logits(m, list)
	}
	text, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(node, "testdata/onnx.js")
	command.Stdin, command.Env = bytes.NewReader(text), append(os.Environ(), "NODE_PATH="+modules)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var found []struct {
		Shape  []int     `json:"shape"`
		Logits []float64 `json:"logits"`
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	for i, f := range found {
		if c := tasks[i]; !slices.Equal(f.Shape[:2], []int{2, len(c.Tokens[0])}) {
			t.Errorf("%s: shape %v", c.Path, f.Shape)
		}
		same(t, tasks[i].Path, f.Logits, wanted[tasks[i].Path])
	}
}

// ONNX's own checker accepts each file, and infers the shape of the logits.
func TestONNXChecker(t *testing.T) {
	interpreter, dir := needs.Python(t, "onnx"), t.TempDir()
	for name := range networks {
		export(t, "onnx", network(t, name), filepath.Join(dir, name+".onnx"))
	}
	out, err := exec.Command(interpreter, "-c", `
import glob, sys, onnx
for path in glob.glob(sys.argv[1] + "/*.onnx"):
    m = onnx.load(path)
    onnx.checker.check_model(m, full_check=True)
    assert [i.name for i in m.graph.input] == ["tokens"] and [o.name for o in m.graph.output] == ["logits"], path
    assert m.metadata_props[0].key == "foretell.config", path
`, dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The same model gives the same bytes, and a format refuses what it cannot express with
// the key that is the reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ format, network, want string }{
		{"transformerlens", "flat", "transformerlens: model.architecture = flat is not a transformer"},
		{"transformerlens", "concat", "transformerlens: model.residual = concat is not possible there; blocks add to the residual stream"},
		{"transformerlens", "likely", "transformerlens: model.output = probabilities is not possible there; the output is logits"},
		{"nanogpt", "plain", "nanogpt: model.tie_unembed = false, but nanoGPT's output is tied to its embedding; train with tie_unembed: true"},
		{"nanogpt", "bare", "nanogpt: model.attn_only = true, but nanoGPT's blocks have an MLP"},
		{"nanogpt", "rotary", "nanogpt: model.normalization_type = LNPre, but nanoGPT has LN"},
		{"nanogpt", "sinusoidal", "nanogpt: model.positional_embedding_type = sinusoidal, but nanoGPT's positions are learned"},
		{"nanogpt", "uneven", "nanogpt: model.act_fn = relu, but nanoGPT has gelu"},
		{"tensorboard", "plain", "m is not the folder of a run, and tensorboard takes the evaluations of a run"},
		{"onx", "plain", `"onx" is not one of`},
	} {
		out := filepath.Join(t.TempDir(), "out")
		err := exchange.Export(t.Context(), c.format, exchange.Source{Name: "m", Model: network(t, c.network)}, out)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %s", c.format, c.network, err, c.want)
		}
		if _, err := os.Lstat(out); err == nil {
			t.Errorf("%s of %s: something was written", c.format, c.network)
		}
	}
	m, dir := network(t, "tied"), t.TempDir()
	for _, format := range []string{"safetensors", "nanogpt", "npz", "onnx"} {
		var files [2][]byte
		for i := range files {
			path := filepath.Join(dir, format)
			export(t, format, m, path)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[i] = data
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: two exports differ", format)
		}
	}
	if err := exchange.Export(t.Context(), "huggingface", exchange.Source{Model: m}, dir); err == nil {
		t.Error("a folder that exists is written")
	}
}

// Files that are no model, or another one, are refused in one line.
func TestBadImports(t *testing.T) {
	m, dir := network(t, "tied"), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		if err := os.WriteFile(in(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	export(t, "nanogpt", m, in("ckpt.pt"))
	export(t, "safetensors", m, in("m.safetensors"))
	export(t, "transformerlens", m, in("lens"))
	put("small.json", `{"n_layer": 1, "n_head": 2, "n_embd": 8, "block_size": 5, "vocab_size": 3}`)
	put("typo.json", `{"n_layers": 1}`)
	put("uneven.json", `{"n_layer": 1, "n_head": 3, "n_embd": 8, "block_size": 5, "vocab_size": 3}`)
	put("lens.json", `{"n_layers": 1, "d_model": 8, "n_heads": 2, "n_ctx": 5, "d_vocab": 3}`)
	put("junk", "junk")
	put("empty", "")
	for _, c := range []struct {
		path    string
		options exchange.ImportOptions
		want    string
	}{
		{"ckpt.pt", exchange.ImportOptions{Config: in("small.json")}, `tensor "transformer.h.1.ln_1.weight" does not belong to nanoGPT`},
		{"ckpt.pt", exchange.ImportOptions{Config: in("typo.json")}, "n_layer"},
		{"ckpt.pt", exchange.ImportOptions{Config: in("uneven.json")}, "n_embd = 8 is not a multiple of n_head = 3"},
		{"ckpt.pt", exchange.ImportOptions{Format: "transformerlens"}, "it has no configuration"},
		{"ckpt.pt", exchange.ImportOptions{Format: "other"}, `"other" is not one of`},
		{"ckpt.pt", exchange.ImportOptions{Format: "huggingface"}, "is a file; give the Hugging Face folder"},
		{"lens/state_dict.pt", exchange.ImportOptions{}, "it has no configuration; give the one of the HookedTransformer"},
		{"lens", exchange.ImportOptions{Config: in("lens.json")}, "does not belong to this configuration"},
		{"junk", exchange.ImportOptions{}, "junk"},
		{"empty", exchange.ImportOptions{}, "empty"},
		{"none", exchange.ImportOptions{}, "no such file or folder"},
		{".", exchange.ImportOptions{}, "is neither a Hugging Face folder nor one with state_dict.pt"},
	} {
		_, err := exchange.Import(in(c.path), c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %v: %v, want %s", c.path, c.options, err, c.want)
		}
	}
	if _, err := exchange.Import(in("m.safetensors"), exchange.ImportOptions{}); err != nil {
		t.Errorf("a file that names its configuration: %v", err)
	}
	m.Weights.Data[3] = float32(math.NaN())
	export(t, "nanogpt", m, in("ckpt.pt"))
	if _, err := exchange.Import(in("ckpt.pt"), exchange.ImportOptions{}); err == nil || !strings.Contains(err.Error(), "embed.W_E at [0 3] is NaN") {
		t.Errorf("NaN: %v", err)
	}
	spec := &process.Spec{Name: "mess3"}
	if err := exchange.Save(dir, m, spec); err == nil {
		t.Error("a model is saved to a folder that exists")
	}
}
