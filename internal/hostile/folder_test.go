//go:build linux

package hostile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	network "foretell/model"
	"foretell/token"
)

const config = `process: {name: mess3}
model:   {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}
train:   {batch_size: 4, num_steps: 2, lr: 1e-3, evaluate_sequences: 4}
`

const definition = `name: mine
states: [A, B]
tokens: [heads, tails]
transitions:
  - {from: A, to: A, token: heads, p: 0.9}
  - {from: A, to: B, token: tails, p: 0.1}
  - {from: B, to: A, token: heads, p: 1}
`

// fill makes the files that the lines name, in the current folder.
func fill(t *testing.T, program string) {
	t.Helper()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sparse := func(path string) {
		t.Helper()
		write(path, "")
		if err := os.Truncate(path, 100e9); err != nil {
			t.Fatal(err)
		}
	}
	fifo := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		"c.yaml": config, "odd\nname.yaml": config, "-.yaml": config, "--.yaml": config, "process.yaml": definition, "empty": "",
		"binary.yaml": "\x00\xff\xfe\x01", "null.yaml": "a: \x00\n", "endless-line.yaml": strings.Repeat("a", 250<<10),
		"wide.yaml": "process: {" + strings.Repeat("a: 1, ", 40_000) + "}\n", "deep.yaml": strings.Repeat("a: {", 60_000) + "\n",
		"half.json": "0.5", "deep.json": strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000),
		"long.json": "[" + strings.Repeat("0.5, ", 50_000) + "0.5]", "folder/x": "", "full/x": "text",
	} {
		write(path, text)
	}
	sparse("sparse")
	sparse("sparse.yaml")
	fifo("fifo")
	for link, target := range map[string]string{"link-to-fifo": "fifo", "link-to-folder": "folder", "loop": "loop", "dangling": "nowhere"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	models(t, program, write, sparse, fifo)
}

// models makes runs and weights, and such as are none.
func models(t *testing.T, program string, write func(path, text string), sparse, fifo func(path string)) {
	t.Helper()
	train := func(dir string) {
		t.Helper()
		if out, err := exec.Command(program, "train", "c.yaml", "--out", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	const checkpoint = "/checkpoints/step-2/"
	for _, dir := range []string{"run", "no-checkpoint", "sparse-state", "fifo-state", "sparse-log", "fifo-log", "sparse-weights", "fifo-weights"} {
		train(dir)
	}
	weights, err := os.ReadFile("run" + checkpoint + "model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	model := func(dir, config, weights string) {
		write(dir+"/config.yaml", config)
		write(dir+"/model.safetensors", weights)
	}
	length := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	size := func(header string) string { return length(uint64(len(header))) + header }
	nan := slices.Concat(weights[:len(weights)-4], binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN()))))
	for dir, text := range map[string]string{
		"bare": string(weights), "torn": string(weights[:len(weights)/2]), "nan-weights": string(nan),
		"huge-header": length(100_000_000) + "{", "zero-weights": "",
		"huge-shape": size(`{"embed.W_E":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,9223372036854775807]}}`),
	} {
		model(dir, config, text)
	}
	model("wide-context", strings.Replace(config, "n_ctx: 4", "n_ctx: 1048576, positional_embedding_type: sinusoidal", 1), string(weights))
	model("wide-vocabulary", strings.Replace(config, "n_ctx: 4", "n_ctx: 4, d_vocab: 65536", 1), string(weights))
	model("fifo-config", config, string(weights))
	for path, change := range map[string]func(string){
		"fifo-config/config.yaml":                           fifo,
		"sparse-weights" + checkpoint + "model.safetensors": sparse,
		"fifo-weights" + checkpoint + "model.safetensors":   fifo,
		"sparse-state" + checkpoint + "state.json":          sparse,
		"fifo-state" + checkpoint + "state.json":            fifo,
		"sparse-log/metrics.jsonl":                          sparse,
		"fifo-log/metrics.jsonl":                            fifo,
	} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		change(path)
	}
	if err := os.RemoveAll("no-checkpoint/checkpoints"); err != nil {
		t.Fatal(err)
	}
	textual(t, write)
}

// textual makes two models with a vocabulary, of which one is torn.
func textual(t *testing.T, write func(path, text string)) {
	t.Helper()
	bpe, err := token.TrainBPE("it is what it is", 260, "<|endoftext|>")
	if err != nil {
		t.Fatal(err)
	}
	m, err := network.New[float32](network.Config{DModel: 8, NLayers: 1, NHeads: network.Heads{1}, NCtx: 8, DVocab: bpe.Size()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"text", "half-text"} {
		if err := errors.Join(m.Save(dir), bpe.Save(dir)); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile("text/vocab.json")
	if err != nil {
		t.Fatal(err)
	}
	write("half-text/vocab.json", string(whole[:len(whole)/2]))
}

// inventory says of each file below the current folder what it is, its size and, of small
// ones, its contents.
func inventory(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		found[path] = info.Mode().String()
		if !info.Mode().IsRegular() {
			return nil
		}
		found[path] += fmt.Sprint(" ", info.Size())
		if info.Size() < 1<<20 {
			text, err := os.ReadFile(path)
			found[path] += string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tidy removes what a line has made, and says what of the rest is no longer as it was.
func tidy(t *testing.T, before map[string]string) (changed []string) {
	t.Helper()
	after := inventory(t)
	for path, was := range before {
		if after[path] != was {
			changed = append(changed, path)
		}
	}
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(after))) {
		if _, old := before[path]; !old {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return changed
}
