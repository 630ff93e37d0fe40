package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/internal/safetensors"
)

// jittered returns a model none of whose parameters is special.
func jittered[F Float](t *testing.T, c Config) *Transformer[F] {
	t.Helper()
	m, err := New[F](c, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Weights.Data {
		m.Weights.Data[i] += F(i%7) / 10
	}
	return m
}

// A model that is saved and loaded is the same: its configuration, every bit of
// its parameters, every bit of its logits.
func TestSaveAndLoad(t *testing.T) {
	for _, test := range small {
		t.Run(test.name, func(t *testing.T) {
			roundTrip[float32](t, test.config)
			roundTrip[float64](t, test.config)
		})
	}
}

// equal says whether c and other are the same resolved configuration.
func equal(c, other Config) bool {
	return reflect.DeepEqual(c, other)
}

func roundTrip[F Float](t *testing.T, c Config) {
	t.Helper()
	m, dir := jittered[F](t, c), filepath.Join(t.TempDir(), "new", "model")
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load[F](dir)
	if err != nil {
		t.Fatal(err)
	}
	if !equal(got.Config, m.Config) {
		t.Errorf("the configuration came back as %+v, was %+v", got.Config, m.Config)
	}
	if !slices.Equal(got.Weights.Data, m.Weights.Data) {
		t.Error("the parameters came back changed")
	}
	tokens, _, _ := batchOf[F](m.Config, 1)
	want, err := m.Logits(tokens)
	if err != nil {
		t.Fatal(err)
	}
	if logits, err := got.Logits(tokens); err != nil || !slices.Equal(logits, want) {
		t.Errorf("the logits came back changed, error %v", err)
	}
}

// A file of one precision is read in the other: rounded, or exactly.
func TestLoadInTheOtherPrecision(t *testing.T) {
	m, dir := jittered[float64](t, small[0].config), t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	single, err := Load[float32](dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range m.Weights.Data {
		if single.Weights.Data[i] != float32(x) {
			t.Fatalf("parameter %d is %v, want %v rounded", i, single.Weights.Data[i], x)
		}
	}
	if err := single.Save(dir); err != nil { // in place of the first
		t.Fatal(err)
	}
	again, err := Load[float64](dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range single.Weights.Data {
		if again.Weights.Data[i] != float64(x) {
			t.Fatalf("parameter %d is %v, want %v", i, again.Weights.Data[i], x)
		}
	}
}

// tensors are the parameters of m as a file holds them.
func tensors(m *Transformer[float32]) (list []safetensors.Tensor) {
	for _, t := range m.Weights.Tensors {
		list = append(list, safetensors.Tensor{Name: t.Name, Shape: t.Shape, F32: t.Data})
	}
	return list
}

func encode(t *testing.T, list []safetensors.Tensor) []byte {
	t.Helper()
	var data bytes.Buffer
	if err := safetensors.Write(&data, list, nil); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func TestReadNamesTheParameter(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	for _, test := range []struct {
		change func(list []safetensors.Tensor) []safetensors.Tensor
		want   string
	}{
		{
			func(list []safetensors.Tensor) []safetensors.Tensor { return list[:len(list)-1] },
			"parameter unembed.b_U is missing",
		},
		{
			func(list []safetensors.Tensor) []safetensors.Tensor {
				return append(list, safetensors.Tensor{Name: "blocks.1.attn.b_O", Shape: []int{1}, F32: []float32{0}})
			},
			"parameter blocks.1.attn.b_O does not belong to this configuration",
		},
		{
			func(list []safetensors.Tensor) []safetensors.Tensor {
				list[0].Shape = []int{8, 3}
				return list
			},
			"parameter embed.W_E has shape [8 3]; the configuration needs [3 8]",
		},
		{
			func(list []safetensors.Tensor) []safetensors.Tensor {
				list[0].Name = "transformer.wte.weight"
				return list
			},
			"parameter embed.W_E is missing",
		},
	} {
		if _, err := Read[float32](encode(t, test.change(tensors(m))), m.Config); fmt.Sprint(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	// The order in the file does not matter.
	list := tensors(m)
	slices.Reverse(list)
	if got, err := Read[float32](encode(t, list), m.Config); err != nil || !slices.Equal(got.Weights.Data, m.Weights.Data) {
		t.Errorf("tensors in another order: %v", err)
	}
}

// A file that is cut off anywhere is an error, never a model.
func TestReadTruncated(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	whole := encode(t, tensors(m))
	for _, n := range []int{0, 7, 8, 100, len(whole) / 2, len(whole) - 4, len(whole) - 1} {
		if _, err := Read[float32](whole[:n], m.Config); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
}

// writeModel saves a model and puts another text in place of its config.yaml.
func writeModel(t *testing.T, config string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := jittered[float32](t, small[0].config).Save(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A run's config.yaml describes its model too; the sections on the process and
// the training are not this package's to judge.
func TestLoadReadsARunsConfiguration(t *testing.T) {
	dir := writeModel(t, `process: {name: mess3, params: {x: 0.15}}
model: {d_model: 8, n_layers: 1, n_heads: 1, d_mlp: 12, n_ctx: 5, d_vocab: 3}
train: {seed: 1, batch_size: 2, whatever: [1, 2]}
`)
	m, err := Load[float64](dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Config.ActFn != "gelu" || m.Config.DHead != 8 {
		t.Errorf("the configuration is not resolved: %+v", m.Config)
	}
}

// Weights that are no finite numbers, in the precision that they are read in, predict
// nothing.
func TestNotFinite(t *testing.T) {
	m, err := New[float64](small[0].config, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := m.Weights.Get("embed.W_E")
	for value, text := range map[float64]string{math.NaN(): "NaN", math.Inf(-1): "-Inf", 1e300: "+Inf"} {
		at.Data[at.Shape[1]+2] = value
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		_, err := Read[float32](file.Bytes(), m.Config)
		want := "parameter embed.W_E at [1 2] is " + text + "; weights must be finite numbers"
		if !errors.Is(err, ErrNotFinite) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := Read[float64](file.Bytes(), m.Config); (err == nil) != (value == 1e300) {
			t.Errorf("%v in float64: %v", value, err)
		}
	}
}

// A model's file carries a checksum.
func TestAlteredWeights(t *testing.T) {
	var file bytes.Buffer
	if err := jittered[float32](t, small[0].config).Write(&file); err != nil {
		t.Fatal(err)
	}
	altered := file.Bytes()
	altered[len(altered)-3] ^= 1
	if _, err := Read[float32](altered, small[0].config); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("error %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	const good = "model: {d_model: 8, n_layers: 1, n_heads: 1, d_mlp: 12, n_ctx: 5, d_vocab: 3}\n"
	for _, test := range []struct{ config, want string }{
		{
			strings.Replace(good, "d_mlp", "d_mpl", 1),
			`DIR/config.yaml:1:46: unknown key "d_mpl" in model; did you mean "d_mlp"?`,
		},
		{good + "modle: 1\n", `DIR/config.yaml:2:1: unknown key "modle"; did you mean "model"? (known: model, process, train)`},
		{strings.Replace(good, "n_heads: 1", "n_heads: one", 1), `DIR/config.yaml:1:34: model.n_heads: "one" is not a whole number`},
		{strings.Replace(good, "n_ctx: 5", "n_ctx: 0", 1), "DIR/config.yaml:1:57: model.n_ctx is missing; give a whole number in [1, 1048576]"},
		{strings.Replace(good, ", n_ctx: 5", "", 1), "DIR/config.yaml:1:1: model.n_ctx is missing; give a whole number in [1, 1048576]"},
		{"model: {d_model: 8", "DIR/config.yaml:1:8: did not find expected ',' or '}' while parsing a flow mapping"},
		{"", "DIR/config.yaml:1:1: model.d_model is missing; give a whole number in [1, 1048576]"},
		{
			strings.Replace(good, "n_layers: 1, n_heads: 1", "n_layers: 4096, n_heads: 128, d_head: 10000", 1), // more than a machine has room for
			"DIR/model.safetensors: parameter blocks.0.attn.W_Q has shape [1 8 8]; the configuration needs [128 8 10000]",
		},
		{strings.Replace(good, "d_model: 8", "d_model: 9", 1), "DIR/model.safetensors: parameter embed.W_E has shape [3 8]; the configuration needs [3 9]"},
	} {
		dir := writeModel(t, test.config)
		_, err := Load[float32](dir)
		if got := strings.ReplaceAll(fmt.Sprint(err), dir, "DIR"); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestLoadWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load[float32](dir); !os.IsNotExist(err) {
		t.Errorf("an empty folder: %v", err)
	}
	dir = writeModel(t, "model: {d_model: 8, n_layers: 1, n_heads: 1, d_mlp: 12, n_ctx: 5, d_vocab: 3}\n")
	if err := os.Remove(filepath.Join(dir, WeightsFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load[float32](dir); !os.IsNotExist(err) {
		t.Errorf("no weights: %v", err)
	}
}

// A model is read from wherever it is: its folder, a run's with checkpoints, a
// checkpoint's, or a file of any name; config.yaml is what counts where it stands beside.
func TestLoadAnywhere(t *testing.T) {
	for _, test := range small {
		want := jittered[float32](t, test.config)
		dir := t.TempDir()
		for i, path := range []string{"alone/any name.safetensors", "run/checkpoints/step-9/model.safetensors", "run/checkpoints/step-10/model.safetensors"} {
			path = filepath.Join(dir, path)
			want.Weights.Data[0] = float32(i)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			file, err := os.Create(path)
			if err == nil {
				err = errors.Join(want.WriteFrom(file, Origin{Step: 3}), file.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{"run", "run/checkpoints/step-10", "run/checkpoints/step-10/model.safetensors"} {
			got, err := Load[float32](filepath.Join(dir, path))
			if err != nil || !slices.Equal(got.Weights.Data, want.Weights.Data) || !reflect.DeepEqual(got.Config, want.Config) {
				t.Errorf("%s, %s: %v", test.name, path, err)
			}
		}
		alone := filepath.Join(dir, "alone/any name.safetensors")
		if got, err := Load[float32](alone); err != nil || got.Weights.Data[0] != 0 {
			t.Errorf("%s: %v", test.name, err)
		}
		if o, err := ReadOrigin(alone); err != nil || o.Step != 3 || !json.Valid(o.Config) {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

// What a file says of itself may be wrong, too, and is said in one line.
func TestOriginErrors(t *testing.T) {
	m := jittered[float32](t, small[0].config)
	path := filepath.Join(t.TempDir(), "m.safetensors")
	for _, test := range []struct {
		metadata map[string]string
		want     string
	}{
		{nil, " contains no configuration, and there is no config.yaml next to it"},
		{map[string]string{"foretell.format": "2"}, `: foretell.format is "2", which a newer program wrote; this program reads 1`},
		{map[string]string{"foretell.step": "-1"}, `: foretell.step is "-1", not a number of steps`},
		{map[string]string{"foretell.config": "{"}, " (foretell.config):1:1: did not find expected node content while parsing a flow node"},
		{map[string]string{"foretell.config": `{"model": {"d_mdel": 8}}`}, ` (foretell.config):1:12: unknown key "d_mdel" in model; did you mean "d_model"?`},
		{
			map[string]string{"foretell.config": `{"model": {"d_model": 8, "n_layers": 1, "n_heads": 1, "d_mlp": 11, "n_ctx": 5, "d_vocab": 3}}`},
			": parameter blocks.0.mlp.W_in has shape [8 12]; the configuration needs [8 11]",
		},
	} {
		var file bytes.Buffer
		if err := safetensors.Write(&file, tensors(m), test.metadata); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load[float32](path); fmt.Sprint(err) != path+test.want {
			t.Errorf("got  %v\nwant %s%s", err, path, test.want)
		}
	}
	if _, err := Load[float32](filepath.Join(path, "nowhere")); !os.IsNotExist(err) {
		t.Error(err)
	}
}
