package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"foretell/internal/needs"
	"foretell/model"
	"foretell/run"
)

// pythonRuns are trainings whose networks differ in all that examples/foretell.py knows.
var pythonRuns = map[string]string{
	"learned": `
model: {d_model: 16, n_layers: 2, n_heads: 2, d_mlp: 24, n_ctx: 6}
train: {seed: 1, batch_size: 8, num_steps: 20, lr: 1e-5, weight_decay: 1e-3, checkpoints: log}`,
	"rotary": `
model: {d_model: 12, n_layers: 2, n_heads: [1, 3], d_head: 6, n_ctx: 8, positional_embedding_type: rotary, act_fn: silu,
        normalization_type: LNPre, unembed_bias: false, initializer_range: 0.5}
train: {seed: 2, batch_size: 8, num_steps: 20, lr: 1e-2, max_grad_norm: 1e6}`,
	"tied": `
model: {d_model: 8, n_layers: 1, n_heads: 2, n_ctx: 7, attn_only: true, tie_unembed: true, normalization_type: null}
train: {seed: 3, batch_size: 8, num_steps: 20, lr: 1e-9, optimizer: sgd}`,
	"tanh": `
model: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 5, act_fn: gelu_new, eps: 1e-12, positional_embedding_type: none}
train: {seed: 4, batch_size: 8, num_steps: 20, lr: 1e-2, eps: 1e-10}`,
	"sinusoidal": `
model: {d_model: 9, n_layers: 2, n_heads: 1, n_ctx: 9, positional_embedding_type: sinusoidal, attn_only: true}
train: {seed: 5, batch_size: 8, num_steps: 20, lr: 1e-2}`,
}

// trainForPython trains pythonRuns in a folder and goes there.
func trainForPython(t *testing.T) (examples string) {
	t.Helper()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, config := range pythonRuns {
		write(t, name+".yaml", "process: {name: mess3, params: {x: 0.15, a: 1e-1}}"+config)
		mustCall(t, "train", name+".yaml", "--out", "runs/"+name)
	}
	return examples
}

// python runs a program, with the folder of the examples among its modules.
func python(t *testing.T, examples, interpreter, program string, args ...string) {
	t.Helper()
	command := exec.Command(interpreter, append([]string{"-c", program}, args...)...)
	command.Env = append(os.Environ(), "PYTHONPATH="+examples, "PYTHONDONTWRITEBYTECODE=1", "MPLBACKEND=Agg")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// PyTorch's logits are ours, of a run, a run as it was after a step, a checkpoint and a
// file that has been copied.
func TestLogitsInTorch(t *testing.T) {
	interpreter := needs.Python(t, "torch", "pandas")
	examples := trainForPython(t)
	words := [][]int32{{0, 1, 1, 2, 0}, {2, 2, 0, 1, 1}, {1, 0, 0, 0, 2}}
	wanted := map[string][][]float32{}
	for name := range pythonRuns {
		weights, err := os.ReadFile(filepath.Join("runs", name, "checkpoints/step-20", model.WeightsFile))
		if err != nil {
			t.Fatal(err)
		}
		write(t, name+" alone.safetensors", string(weights))
		paths := []string{"runs/" + name, "runs/" + name + "/checkpoints/step-20", "runs/" + name + "@20", name + " alone.safetensors"}
		if name == "learned" {
			paths = append(paths, "runs/learned@4") // a snapshot, and no checkpoint
		}
		for _, path := range paths {
			opened, err := run.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			m := opened.Model
			for _, word := range words {
				logits, err := m.Logits(word)
				if err != nil {
					t.Fatal(err)
				}
				wanted[path] = append(wanted[path], logits)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"words": words, "logits": wanted})
	if err != nil {
		t.Fatal(err)
	}
	write(t, "wanted.json", string(text))
	python(t, examples, interpreter, `
import json, torch, foretell
wanted = json.load(open("wanted.json"))
assert len(wanted["logits"]) == 21
for path, logits in wanted["logits"].items():
    weights, config = foretell.load(path)
    got = foretell.logits(weights, config["model"], torch.tensor(wanted["words"]))
    off = (got.flatten() - torch.tensor(logits).flatten()).abs().max().item()
    assert off < 1e-5, f"{path}: {off}"
`)
}

// What foretell.py cannot do it says in a line.
func TestRefusedInTorch(t *testing.T) {
	interpreter := needs.Python(t, "torch", "pandas")
	examples := trainForPython(t)
	write(t, "flat.yaml", `process: {name: mess3}
model: {architecture: flat, d_model: 4, n_layers: 0, n_ctx: 3}
train: {batch_size: 4, num_steps: 2, lr: 1e-3}`)
	write(t, "concat.yaml", `process: {name: mess3}
model: {residual: concat, n_layers: 1, n_heads: 1, n_ctx: 3}
train: {batch_size: 4, num_steps: 2, lr: 1e-3}`)
	mustCall(t, "train", "flat.yaml", "--out", "runs/flat")
	mustCall(t, "train", "concat.yaml", "--out", "runs/concat")
	python(t, examples, interpreter, `
import torch, foretell
def refused(text, f, *args):
    try: f(*args)
    except (ValueError, NotImplementedError) as e: assert str(e) == text, e
    else: assert False, text
for run, what in [("runs/flat", "architecture: flat"), ("runs/concat", "residual: concat")]:
    w, c = foretell.load(run)
    text = f"foretell.py has no forward pass for {what}; use `+"`foretell predict`"+`"
    refused(text, foretell.logits, w, c["model"], torch.tensor([[0, 1]]))
refused("runs/learned@63: no weights of step 63; runs/learned keeps steps 1, 2, 4, 8, 16, 20", foretell.load, "runs/learned@63")
refused("runs/tied@0: no weights of step 0 (foretell draws them from the seed, and writes no file); "
    "runs/tied keeps steps 16, 20", foretell.load, "runs/tied@0")
refused("none@1: no weights of step 1; none is not a run with weights", foretell.load, "none@1")
`)
}

// pandas reads each table, JSONL and ledger, numbers as numbers.
func TestTablesInPandas(t *testing.T) {
	interpreter := needs.Python(t, "torch", "pandas")
	examples := trainForPython(t)
	mustCall(t, "reproduce", "abc", "--only", "A3,A4", "--out", "report")
	python(t, examples, interpreter, `
import pathlib, pandas as pd, foretell
for run in pathlib.Path("runs").iterdir():
    m = foretell.metrics(run)
    assert len(m) == 21 and list(m.step) == list(range(21)), m.step
    rows = [row.dropna().to_dict() for _, row in m.select_dtypes("number").iterrows()]
    assert rows[20]["step"] == 20 and "loss/eval" in rows[0] and "chain" not in rows[0], rows[0]
    for column in ["loss/train", "loss/eval", "kl", "floor", "chance", "gap_closed", "lr", "grad_norm"]:
        assert m[column].dtype == "float64" or m[column].eq(m[column][0]).all(), (column, m[column].dtype)
tables = list(pathlib.Path("report").rglob("*.csv"))
assert len(tables) == 3 # with loss.csv
for path in tables:
    table = pd.read_csv(path)
    assert len(table) and all(pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes), (path, table.dtypes)
claims = foretell.claims("report")
assert list(claims.id) == ["A3", "A4"] and pd.api.types.is_numeric_dtype(claims.seconds)
for tables in claims.tables.dropna():
    for t in tables:
        table = pd.DataFrame(t["rows"], columns=t["columns"])
        values = pd.DataFrame(t["values"], columns=t["columns"])
        assert table.shape == values.shape
        for text, value in zip(table.to_numpy().flatten(), values.to_numpy().flatten()):
            try: number = float(text.replace("−", "-"))
            except ValueError: continue
            assert value == number, (text, value)
`)
}

// PyYAML reads each configuration that is written or committed, numbers as numbers, and
// its section model has TransformerLens's values.
func TestConfigurationsInPyYAML(t *testing.T) {
	interpreter := needs.Python(t, "yaml")
	settings, err := filepath.Abs("../../paper/signals/settings")
	if err != nil {
		t.Fatal(err)
	}
	python(t, trainForPython(t), interpreter, `
import pathlib, re, sys, yaml
def check(value, path):
    if isinstance(value, dict):
        for key, inner in value.items(): check(inner, f"{path}: {key}")
    elif isinstance(value, list):
        for inner in value: check(inner, path)
    else:
        assert not (isinstance(value, str) and re.fullmatch(r"[-+.\d]+([eE][-+]?\d+)?", value)), f"{path} is the text {value}"
paths = [*pathlib.Path("runs").glob("*/config.yaml"), *pathlib.Path(sys.argv[1]).glob("*.yaml")]
assert len(paths) == 5 + 5, paths
for path in paths:
    check(yaml.safe_load(path.read_text()), path)
read = {path.parent.name: yaml.safe_load(path.read_text()) for path in paths[:5]}
assert read["learned"]["model"] == dict(d_model=16, n_layers=2, n_heads=2, d_head=8, d_mlp=24, n_ctx=6, d_vocab=3, act_fn="gelu",
    normalization_type="LN", positional_embedding_type="standard", eps=1e-5, initializer_range=0.2), read["learned"]
assert read["learned"]["train"]["lr"] == 1e-5 and read["tanh"]["model"]["eps"] == 1e-12
assert read["rotary"]["model"]["n_heads"] == [1, 3] and read["tied"]["model"]["normalization_type"] is None
`, settings)
}

// The notebook of the examples does what it says.
func TestNotebook(t *testing.T) {
	interpreter := needs.Python(t, "torch", "pandas", "matplotlib")
	binary := filepath.Join(t.TempDir(), "foretell")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	examples := trainForPython(t)
	t.Setenv("PATH", filepath.Dir(binary)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	python(t, examples, interpreter, `
import json, sys
cells = [c for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"]
assert len(cells) == 3 and not any(c["outputs"] for c in cells)
for c in cells: exec("".join(c["source"]))
assert abs(logits[0, -1].softmax(-1).sum().item() - 1) < 1e-6 and len(metrics) == 21
`, filepath.Join(examples, "first.ipynb"))
}
