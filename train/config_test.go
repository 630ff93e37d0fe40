package train

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"foretell/model"
	"foretell/process"

	"pgregory.net/rapid"
)

// good is a configuration of which each row of mistakes changes something.
const good = `process: {name: mess3, params: {x: 0.15, a: 0.6}}
model:
  d_model: 16
  n_heads: 2
  n_layers: 1
  n_ctx: 6
train:
  seed: 1
  batch_size: 24
  num_steps: 40
  lr: 1e-2
`

// with returns good with a line replaced, which begins like the new one, or,
// where there is none like it, with the line at the end.
func with(line string) string {
	key, _, _ := strings.Cut(line, ":")
	lines := strings.SplitAfter(good, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, key+":") {
			lines[i] = line + "\n"
			return strings.Join(lines, "")
		}
	}
	return good + line + "\n"
}

// exactly returns good with the exact objective in place of a batch, and a line at the
// end.
func exactly(line string) string {
	return strings.Replace(good, "  batch_size: 24\n", "  objective: exact\n", 1) + line + "\n"
}

// mistakes are configurations with one thing wrong, and what is said about it.
var mistakes = []struct{ text, want string }{
	// Keys.
	{with("porcess: {name: mess3}"), `c.yaml:12:1: unknown key "porcess"; did you mean "process"? (known: process, model, train)`},
	{with("process: {nam: mess3}"), `c.yaml:1:11: unknown key "nam" in process; did you mean "name"? (known: name, params, states, tokens, transitions, matrices, right)`},
	{strings.Replace(good, "n_heads", "heads", 1), `c.yaml:4:3: unknown key "heads" in model; did you mean "n_heads"?`},
	{strings.Replace(good, "n_layers", "layers", 1), `c.yaml:5:3: unknown key "layers" in model; did you mean "n_layers"?`},
	{with("  learning_rate: 1"), `c.yaml:12:3: unknown key "learning_rate" in train; did you mean "lr"?`},
	{with("  batchsize: 1"), `c.yaml:12:3: unknown key "batchsize" in train; did you mean "batch_size"?`},
	{with("  zzzzzz: 1"), `c.yaml:12:3: unknown key "zzzzzz" in train (known: seed, init, init_sha256, batch_size, num_steps, share_prefixes, train_sequences, optimizer, lr, lr_schedule, lr_final, warmup_steps, weight_decay, betas, eps, momentum, max_grad_norm, loss_positions, loss_weights, event_weight, objective, evaluate_every, evaluate_sequences, stop, checkpoint_every, checkpoint_minutes, checkpoint…`},
	{good + "  lr: 1e-3\n", "c.yaml:12:3: train.lr: given twice; the first is on line 11"},

	// Types.
	{with("process: mess3"), `c.yaml:1:1: process: a mapping (key: value) is expected, not "mess3"; want {name: mess3}`},
	{with("process: {name: mess3, params: {x: small}}"), `c.yaml:1:33: process.params.x is not possible: mess3: x = "small" is not a number`},
	{with("  d_model: 16.5"), `c.yaml:3:3: model.d_model: "16.5" is not a whole number`},
	{with("  d_model: wide"), `c.yaml:3:3: model.d_model: "wide" is not a whole number`},
	{with("  n_heads: many"), `c.yaml:4:3: model.n_heads: "many" is not a whole number`},
	{with("  n_heads: [1, many]"), `c.yaml:4:16: model.n_heads[1]: "many" is not a whole number`},
	{with("  n_heads:"), "c.yaml:4:3: model.n_heads: no value; a whole number is expected"},
	{with("  seed: -1"), `c.yaml:8:3: train.seed: "-1" is outside [0, 2^64 − 1]`},
	{with("  lr: '1e-3'"), `c.yaml:11:3: train.lr: "1e-3" in quotes is text; a number is expected`},
	{with("  lr: .nan"), `c.yaml:11:3: train.lr: ".nan" is not a number`},
	{with("  betas: 0.9"), `c.yaml:12:3: train.betas: a list ([1, 2]) is expected, not "0.9"`},
	{with("  loss_positions: [1, 2.5]"), `c.yaml:12:23: train.loss_positions[1]: "2.5" is not a whole number`},

	// The process.
	{strings.Join(strings.SplitAfter(good, "\n")[1:], ""), "c.yaml:1:1: process.name is missing; give the name of a process, such as mess3"},
	{with("process: {name: mess4}"), `c.yaml:1:11: process.name is not possible: unknown process "mess4": did you mean "mess3"?`},
	{with("process: {name: go:mine}"), `c.yaml:1:11: process.name = "go:mine" is a process made by Go code, and only that code can make it again`},
	{with("process: {name: mess3, params: {x: 0.7}}"), "c.yaml:1:33: process.params.x is not possible: mess3: x = 0.7 is outside (0, 0.5]"},
	{with("process: {name: mess3, params: {a: -0.1}}"), "c.yaml:1:33: process.params.a is not possible: mess3: a = -0.1 is outside [0, 1]"},
	{with("process: {name: mess3, params: {alpha: 0.1}}"), `c.yaml:1:24: process.params is not possible: mess3: unknown parameter "alpha": want one of x, a`},

	{with("process: {name: lazy, states: [A], tokens: [z], transitions: [{from: A, to: A, token: z, p: 0.9}]}"), "c.yaml:1:63: process.transitions[0] is not possible: lazy: state A: its probabilities sum to 0.9, want 1"},
	{with("process: {name: lazy, params: {x: 1}, states: [A], tokens: [z]}"), "c.yaml:1:23: process.params belong to a process of the zoo; leave out either params, or states, tokens and the other fields of a definition"},
	{with("process: {name: factored, params: {first: {name: mess3, parms: {}}}}"), `c.yaml:1:57: unknown key "parms" in process.params.first; did you mean "params"? (known: name, params, states, tokens, transitions, matrices, right)`},

	// The model.
	{with("  d_model: 0"), "c.yaml:3:3: model.d_model is missing; give a whole number in [1, 1048576]"},
	{with("  d_model: 2000000"), "c.yaml:3:3: model.d_model = 2000000 is outside [1, 1048576]"},
	{with("  n_heads: 3"), "c.yaml:2:1: model.d_head is missing, and d_model = 16 is not a multiple of n_heads = 3"},
	{with("  n_heads: [1, 1]"), "c.yaml:4:3: model.n_heads lists 2 layers, but n_layers is 1"},
	{strings.Replace(good, "n_ctx: 6", "act_fn: tanh", 1), "c.yaml:2:1: model.n_ctx is missing; give a whole number in [1, 1048576]"},
	{strings.Replace(good, "n_ctx: 6", "n_ctx: 6\n  act_fn: tanh", 1), `c.yaml:7:3: model.act_fn = "tanh" is not one of relu, gelu, gelu_new, silu`},
	{strings.Replace(good, "n_ctx: 6", "n_ctx: 6\n  d_vocab: 2", 1), "c.yaml:7:3: model.d_vocab = 2 is less than the 3 tokens of mess3"},
	{
		strings.Replace(good, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: interleaved, params: {lags: [1, 7]}}", 1),
		"c.yaml:6:3: model.n_ctx = 6 is less than the largest lag of interleaved, 7, so the model could not learn that lag; raise n_ctx to the lag",
	},

	// The training.
	{strings.Replace(good, "  batch_size: 24\n", "", 1), "c.yaml:7:1: train.batch_size is missing; give a number in [1, 1048576]"},
	{with("  batch_size: -1"), "c.yaml:9:3: train.batch_size = -1 is outside [1, 1048576]"},
	{with("  num_steps: 1e13"), "c.yaml:10:3: train.num_steps = 1e+13 is outside [1, 1e+12]"},
	{strings.Replace(good, "  lr: 1e-2\n", "", 1), "c.yaml:7:1: train.lr is missing; give a number in (0, 100], such as 0.001"},
	{with("  lr: -1e-3"), "c.yaml:11:3: train.lr = -0.001 is outside (0, 100]"},
	{with("  lr: 101"), "c.yaml:11:3: train.lr = 101 is outside (0, 100]"},
	{with("  optimizer: adagrad"), `c.yaml:12:3: train.optimizer = "adagrad" is not one of adam, adamw, sgd, lbfgs; did you mean "adam"?`},
	{with("  optimizer: lbfgs"), `c.yaml:12:3: train.optimizer = "lbfgs" needs a loss without sampling noise: set objective: exact, or use adam for sampled batches`},
	{exactly("  optimizer: lbfgs\n  warmup_steps: 5"), "c.yaml:13:3: train.warmup_steps is for adam, adamw and sgd; lbfgs finds the length of each step by a search; leave it out"},
	{exactly("  optimizer: lbfgs\n  betas: [0.5, 0.9]"), "c.yaml:13:3: train.betas is for adam, adamw and sgd; lbfgs finds the length of each step by a search; leave it out"},
	{exactly("  optimizer: lbfgs\n  betas: [0.9, 0.999]"), "c.yaml:13:3: train.betas is for adam, adamw and sgd; lbfgs finds the length of each step by a search; leave it out"},
	{exactly("  optimizer: lbfgs\n  eps: 0.1"), "c.yaml:13:3: train.eps is for adam, adamw and sgd; lbfgs finds the length of each step by a search; leave it out"},
	{exactly("  optimizer: lbfgs\n  lr_final: 0.1"), "c.yaml:13:3: train.lr_final is for adam, adamw and sgd; lbfgs finds the length of each step by a search; leave it out"},
	{with("  lr_schedule: step"), `c.yaml:12:3: train.lr_schedule = "step" is not one of constant, linear, cosine`},
	{with("  lr_final: 0.1"), "c.yaml:12:3: train.lr_final = 0.1 is outside [0, 0.01]"},
	{with("  warmup_steps: 41"), "c.yaml:12:3: train.warmup_steps = 41 is outside [0, 40]"},
	{with("  weight_decay: -1"), "c.yaml:12:3: train.weight_decay = -1 is outside [0, 1000000]"},
	{with("  betas: [0.9]"), "c.yaml:12:3: train.betas has 1 numbers; give two, such as [0.9, 0.999]"},
	{with("  betas: [0.9, 1]"), "c.yaml:12:3: train.betas = 1 is outside [0, 1)"},
	{with("  eps: -1"), "c.yaml:12:3: train.eps = -1 is outside [1e-37, 1]"},
	{with("  eps: 1e-50"), "c.yaml:12:3: train.eps = 1e-50 is outside [1e-37, 1]"},
	{with("  momentum: 0.9"), "c.yaml:12:3: train.momentum is only for optimizer: sgd; leave it out (adam has betas)"},
	{with("  momentum: 1.5"), "c.yaml:12:3: train.momentum = 1.5 is outside [0, 1]"},
	{with("  max_grad_norm: -1"), "c.yaml:12:3: train.max_grad_norm = -1 is outside [0, 1e+12]"},
	{with("  loss_positions: []"), "c.yaml:12:3: train.loss_positions is empty; list positions in [1, n_ctx = 6], or leave it out for all"},
	{with("  loss_positions: [0]"), "c.yaml:12:3: train.loss_positions = 0 is outside [1, n_ctx = 6]"},
	{with("  loss_positions: [7]"), "c.yaml:12:3: train.loss_positions = 7 is outside [1, n_ctx = 6]"},
	{with("  loss_positions: [2, 3, 2]"), "c.yaml:12:3: train.loss_positions lists position 2 twice"},
	{with("  loss_weights: [1, 2]"), "c.yaml:12:3: train.loss_weights has 2 numbers for 6 positions; give one for each position"},
	{with("  loss_weights: [1, 1, 1, 1, 1, -1]"), "c.yaml:12:3: train.loss_weights = -1 is negative or not finite"},
	{with("  loss_weights: [0, 0, 0, 0, 0, 0]"), "c.yaml:12:3: train.loss_weights are all 0: nothing would be learned"},
	{with("  loss_weights: [1e308, 1e308, 0, 0, 0, 0]"), "c.yaml:12:3: train.loss_weights have a sum too large for a float64"},
	{with("  event_weight: 10"), "c.yaml:12:3: train.event_weight = 10 is for retrieval steps, which mess3 does not have; leave it out"},
	{strings.Replace(with("  event_weight: -1"), "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: routing}", 1), "c.yaml:12:3: train.event_weight = -1 is outside [1e-06, 1000000]"},
	{with("  objective: optimal"), `c.yaml:12:3: train.objective = "optimal" is not one of sampled, optimal_targets, exact; did you mean "optimal_targets"?`},
	{with("  objective: exact"), "c.yaml:9:3: train.batch_size = 24 has no meaning with objective: exact, which learns from all sequences of mess3, each prefix once; set it to 0 or leave it out"},
	{exactly("  train_sequences: 5"), "c.yaml:12:3: train.train_sequences = 5 has no meaning with objective: exact, which learns from all sequences of mess3, each prefix once; set it to 0 or leave it out"},
	{exactly("  share_prefixes: auto"), "c.yaml:12:3: train.share_prefixes = auto has no meaning with objective: exact, which learns from all sequences of mess3, each prefix once; set it to off or leave it out"},
	{strings.Replace(exactly(""), "n_ctx: 6", "n_ctx: 14", 1), "c.yaml:9:3: train.objective = exact is for at most 2097152 prefixes, and mess3 has more prefixes of up to 14 tokens; use an n_ctx of at most 12, or objective: optimal_targets, which has the same expected gradient"},
	{with("  share_prefixes: yes"), `c.yaml:12:3: train.share_prefixes = "yes" is not one of off, on, auto`},
	{with("  evaluate_every: -1"), "c.yaml:12:3: train.evaluate_every = -1 is outside [1, 1e+12]"},
	{with("  evaluate_sequences: 20000000"), "c.yaml:12:3: train.evaluate_sequences = 20000000 is outside [1, 16777216]"},
	{with("  checkpoint_every: -5"), "c.yaml:12:3: train.checkpoint_every = -5 is outside [1, 1e+12]"},
	{with("  checkpoint_minutes: -5"), "c.yaml:12:3: train.checkpoint_minutes = -5 is outside [0, 1000000]"},
	{with("  checkpoint_minutes: 1e7"), "c.yaml:12:3: train.checkpoint_minutes = 10000000 is outside [0, 1000000]"},
	{with("  checkpoint_minutes: ten"), `c.yaml:12:3: train.checkpoint_minutes: "ten" is not a number`},
	{with("  init: nowhere"), `c.yaml:12:3: train.init = "nowhere" cannot be read: open nowhere: file does not exist`},
	{with("  init: nowhere@5"), `c.yaml:12:3: train.init = "nowhere@5" cannot be read: open nowhere@5: file does not exist`},
	{with("  init: testdata"), `c.yaml:12:3: train.init = "testdata" cannot be read: open testdata/model.safetensors: file does not exist`},
	{with("  init: /dev/null"), `c.yaml:12:3: train.init = "/dev/null" cannot be read: /dev/null is a device; give a file`},
	{with("  init: [a]"), `c.yaml:12:3: train.init: text is expected, not a list`},
	{with("  init_sha256: abc"), "c.yaml:12:3: train.init_sha256 is given without init; leave it out, or set init"},
	{with("  init: x\n  init_sha256: abc"), `c.yaml:13:3: train.init_sha256 = "abc" is not a SHA-256 of 64 hexadecimal digits; leave it out`},
	{with("  checkpoints: every"), `c.yaml:12:3: train.checkpoints = "every" is not last, all, log or a list of steps, such as [100, 200]`},
	{with("  checkpoints: 5"), `c.yaml:12:3: train.checkpoints = "5" is not last, all, log or a list of steps, such as [100, 200]`},
	{with("  checkpoints: []"), "c.yaml:12:3: train.checkpoints lists 0 steps; list 1 to 10000 steps, or give last, all or log"},
	{with("  checkpoints: [1, half]"), `c.yaml:12:20: train.checkpoints[1]: "half" is not a whole number`},
	{with("  checkpoints: [0]"), "c.yaml:12:3: train.checkpoints = 0 is outside [1, num_steps = 40]"},
	{with("  checkpoints: [40, 41]"), "c.yaml:12:3: train.checkpoints = 41 is outside [1, num_steps = 40]"},
	{with("  checkpoints: [7, 5, 7]"), "c.yaml:12:3: train.checkpoints lists step 7 twice"},
	{with("  checkpoints: {rule: all}"), "c.yaml:12:3: train.checkpoints: text is expected, not a mapping"},
	{
		strings.Replace(with("  num_steps: 1e6"), "  lr: 1e-2", "  lr: 1e-2\n  checkpoint_every: 10\n  checkpoints: all", 1),
		"c.yaml:13:3: train.checkpoints = all keeps 100000 checkpoints, one every 10 steps, and a run keeps at most 10000; raise checkpoint_every",
	},

	// The rule that stops early.
	{with("  stop: 5"), `c.yaml:12:3: train.stop: a mapping (key: value) is expected, not "5"`},
	{with("  stop: {}"), "c.yaml:12:3: train.stop.patience is missing; give a number in [1, 1e+12]"},
	{with("  stop: {gain: 0.1}"), "c.yaml:12:3: train.stop.patience is missing; give a number in [1, 1e+12]"},
	{with("  stop: {patience: 0}"), "c.yaml:12:10: train.stop.patience = 0 is outside [1, 1e+12]"},
	{with("  stop: {patience: -3}"), "c.yaml:12:10: train.stop.patience = -3 is outside [1, 1e+12]"},
	{with("  stop: {patience: 1.5}"), `c.yaml:12:10: train.stop.patience: "1.5" is not a whole number`},
	{with("  stop: {patience: 2, gain: -0.1}"), "c.yaml:12:23: train.stop.gain = -0.1 is outside [0, 1000000]"},
	{with("  stop: {patience: 2, gain: .nan}"), `c.yaml:12:23: train.stop.gain: ".nan" is not a number`},
	{with("  stop: {patience: 2, gains: 1}"), `c.yaml:12:23: unknown key "gains" in train.stop; did you mean "gain"? (known: patience, gain)`},

	// The document.
	{"", "c.yaml:1:1: process.name is missing; give the name of a process, such as mess3"},
	{"process: {name: mess3", "c.yaml:1:10: did not find expected ',' or '}' while parsing a flow mapping"},
}

func TestParseNamesTheMistake(t *testing.T) {
	if _, err := Parse("c.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, test := range mistakes {
		if _, err := Parse("c.yaml", []byte(test.text)); fmt.Sprint(err) != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A process may be defined where it is used, or made of others; what YAML writes
// of it reads back, and gives the same process.
func TestProcessesInline(t *testing.T) {
	for _, line := range []string{
		"process: {name: lazy, states: [A, B], tokens: [h, t], transitions: [{from: A, to: A, token: h, p: 0.9}, {from: A, to: B, token: t, p: 0.1}, {from: B, to: A, token: t, p: 1}]}",
		"process: {name: lazy, states: [A, B], tokens: [h, t], matrices: {h: [[0.9, 0], [0, 0]], t: [[0, 0.1], [1, 0]]}}",
		"process: {name: half, states: [A], tokens: [h, t], matrices: {h: [[0.5]], t: [[0.5]]}, right: [2]}",
		`process: {name: periodic, params: {pattern: "0110"}}`,
		"process: {name: interleaved, params: {P: [[0.9, 0.1], [0.5, 0.5]], lags: [1, 3]}}",
		"process: {name: markov, params: {P: [[1, 0], [0.5, 0.5]], order: 1}}",
		"process: {name: mess3_mixture, params: {x: [0.1], a: [0.9], weights: [1]}}",
		"process: {name: factored, params: {first: even, second: {name: noisy, params: {epsilon: 0.2, process: {name: mess3, params: {x: 0.1}}}}}}",
		"process: {name: mixture, params: {components: [even, {name: periodic, params: {pattern: '10'}}], weights: [1, 3]}}",
	} {
		c, err := Parse("c.yaml", []byte(with(line)))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("c.yaml", text)
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%v: got %+v, want %+v from\n%s", err, back.Process, c.Process, text)
		}
	}
}

// Assignments replace what the file says, and mistakes in them name the assignment.
func TestParseAssignments(t *testing.T) {
	c, err := Parse("c.yaml", []byte(good), "train.lr=1e-3", "process.params.x=0.05", "model.n_heads=[4]", "train.betas=[0.5, 0.6]", "train.betas[1]=0.7")
	if err != nil {
		t.Fatal(err)
	}
	if c.Train.LR != 1e-3 || c.Process.Params["x"] != 0.05 || c.Process.Params["a"] != 0.6 || c.Model.NHeads[0] != 4 || c.Train.Betas[1] != 0.7 {
		t.Errorf("%+v", c)
	}
	for _, test := range []struct{ assignment, want string }{
		{"train.lr=200", "train.lr=200: train.lr = 200 is outside (0, 100]"},
		{"train.lr=fast", `train.lr=fast: train.lr: "fast" is not a number`},
		{"train.rl=1", `train.rl=1: unknown key "rl" in train; did you mean "lr"?`},
		{"process.params.x=0.7", "process.params.x=0.7: process.params.x is not possible: mess3: x = 0.7 is outside (0, 0.5]"},
		{"model.output=probabilities", `model.output=probabilities: model.output = "probabilities" is for hand-written weights, and training needs logits; leave it out`},
		{"train.train_sequences=-1", "train.train_sequences=-1: train.train_sequences = -1 is outside [0, 1073741824]"},
		{"model.architecture=flat", "c.yaml:4:3: model.n_heads = [2] has no meaning with architecture: flat, which has no attention; leave it out"},
		{"model.residual=concat", "c.yaml:3:3: model.d_model = 16, but with residual: concat it is d_vocab + n_ctx = 9; leave it out"},
		{"train.lr", `train.lr: no "="; write key=value`},
	} {
		if _, err := Parse("c.yaml", []byte(good), test.assignment); fmt.Sprint(err) != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	c, err := Parse("c.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Process: ProcessConfig{Name: "mess3", Params: process.Params{"x": 0.15, "a": 0.6}},
		Model: model.Config{
			DModel: 16, NLayers: 1, NHeads: model.Heads{2}, DHead: 8, DMLP: 64, NCtx: 6, DVocab: 3,
			ActFn: "gelu", NormalizationType: "LN", PositionalEmbeddingType: "learned", Eps: 1e-5, InitializerRange: 0.2,
		},
		Train: Options{
			Seed: 1, BatchSize: 24, NumSteps: 40, Optimizer: "adam", LR: 1e-2, LRSchedule: "constant", Betas: []float64{0.9, 0.999}, Eps: 1e-8,
			EvaluateEvery: 2, EvaluateSequences: 512, CheckpointEvery: 8,
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
}

// A context of the greatest length allowed is resolved at once: nothing is
// quadratic in it.
func TestResolveLongContext(t *testing.T) {
	c := paperConfig(1)
	c.Model.NCtx = 1 << 20
	if _, err := c.Resolve(); err != nil {
		t.Error(err)
	}
}

// configs draws configurations that are valid, with optional fields given or not.
var configs = rapid.Custom(func(t *rapid.T) Config {
	nCtx := rapid.IntRange(1, 8).Draw(t, "n_ctx")
	heads := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3).Draw(t, "n_heads")
	c := Config{
		Process: ProcessConfig{Name: "mess3", Params: process.Params{
			"x": rapid.Float64Range(1e-300, 0.5).Draw(t, "x"), "a": rapid.Float64Range(0, 1).Draw(t, "a"),
		}},
		Model: model.Config{
			DModel: 6 * rapid.IntRange(1, 20).Draw(t, "d_model"), NLayers: len(heads), NHeads: heads, NCtx: nCtx,
			AttnOnly:                rapid.Bool().Draw(t, "attn_only"),
			NormalizationType:       rapid.SampledFrom([]string{"", "none", "LNPre"}).Draw(t, "normalization_type"),
			InitializerRange:        rapid.Float64Range(0, 100).Draw(t, "initializer_range"),
			PositionalEmbeddingType: rapid.SampledFrom([]string{"", "sinusoidal", "none"}).Draw(t, "positions"),
		},
		Train: Options{
			Seed: rapid.Uint64().Draw(t, "seed"), BatchSize: rapid.IntRange(1, 1<<20).Draw(t, "batch_size"),
			NumSteps: rapid.IntRange(1, min(1e12, math.MaxInt)).Draw(t, "num_steps"), LR: rapid.Float64Range(math.SmallestNonzeroFloat64, 100).Draw(t, "lr"),
			LRSchedule: rapid.SampledFrom([]string{"", "linear", "cosine"}).Draw(t, "lr_schedule"), Optimizer: "sgd",
			Momentum: rapid.Float64Range(0, 1).Draw(t, "momentum"), MaxGradNorm: rapid.Float64Range(0, 1e12).Draw(t, "max_grad_norm"),
			TrainSequences: rapid.IntRange(0, 1<<30).Draw(t, "train_sequences"),
			Checkpoints:    Checkpoints{Rule: rapid.SampledFrom([]string{"", "last", "all", "log"}).Draw(t, "checkpoints")},
			Objective:      rapid.SampledFrom([]string{"", "sampled", "optimal_targets"}).Draw(t, "objective"),
			SharePrefixes:  rapid.SampledFrom([]string{"", "off", "on", "auto"}).Draw(t, "share_prefixes"),
			Betas:          rapid.SliceOfN(rapid.Float64Range(0, 0.999), 2, 2).Draw(t, "betas"), Eps: rapid.Float64Range(model.LeastEps, 1).Draw(t, "eps"),
		},
	}
	if rapid.Bool().Draw(t, "lbfgs") {
		o := &c.Train
		o.Optimizer, o.Objective, o.BatchSize, o.TrainSequences, o.SharePrefixes = "lbfgs", objectiveExact, 0, 0, ""
		o.LRSchedule, o.Momentum, o.MaxGradNorm, o.Betas, o.Eps = "", 0, 0, nil, 0
	}
	if rapid.Bool().Draw(t, "concat") {
		c.Model = model.Config{
			Residual: "concat", NLayers: len(heads), NHeads: heads, NCtx: nCtx,
			AttnScale:        rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(model.LeastEps, 1e37)).Draw(t, "attn_scale"),
			InitializerRange: rapid.Float64Range(0, 100).Draw(t, "initializer_range of concat"),
		}
	}
	if rapid.Bool().Draw(t, "flat") {
		c.Model = model.Config{
			Architecture: "flat", DModel: rapid.IntRange(1, 50).Draw(t, "d_model of flat"), NCtx: nCtx,
			NLayers: rapid.IntRange(0, 3).Draw(t, "n_layers of flat"),
		}
		if c.Model.NLayers > 0 {
			c.Model.DMLP, c.Model.ActFn = rapid.IntRange(1, 50).Draw(t, "d_mlp of flat"), rapid.SampledFrom([]string{"", "relu"}).Draw(t, "act_fn of flat")
		}
	}
	if rapid.Bool().Draw(t, "some checkpoints") {
		c.Train.Checkpoints = Checkpoints{
			Steps: rapid.SliceOfNDistinct(rapid.IntRange(1, c.Train.NumSteps), 1, 1, rapid.ID).Draw(t, "checkpoints as a list"),
		}
	}
	if rapid.Bool().Draw(t, "some positions") {
		c.Train.LossPositions = rapid.SliceOfNDistinct(rapid.IntRange(1, nCtx), 1, nCtx, rapid.ID).Draw(t, "loss_positions")
		c.Train.LossWeights = rapid.SliceOfN(rapid.Float64Range(0.1, 1e300), len(c.Train.LossPositions), len(c.Train.LossPositions)).Draw(t, "loss_weights")
	}
	return c
})

// What YAML writes, Parse reads back as it was, and resolving twice changes
// nothing: a run goes on with the configuration that it began with. The text is
// the same each time; its hash binds a checkpoint to its run.
func TestYAMLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := configs.Draw(t, "config").Resolve()
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("c.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(back, c) {
			t.Fatalf("got  %+v\nwant %+v\n%s", back, c, text)
		}
		again, err := back.YAML()
		if err != nil || string(again) != string(text) {
			t.Fatalf("the text changed: %v\n%s\n%s", err, text, again)
		}
	})
}

// A configuration of L-BFGS says nothing of Adam's betas and eps.
func TestLBFGSHasNoBetas(t *testing.T) {
	c, err := Parse("c.yaml", []byte(exactly("  optimizer: lbfgs")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.YAML()
	if _, options, _ := strings.Cut(string(text), "train:"); err != nil || strings.Contains(options, "betas") || strings.Contains(options, "\n  eps:") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Whatever the file and the flag hold, the answer is a configuration that is
// resolved or an error of one line.
func FuzzParse(f *testing.F) {
	for _, test := range mistakes {
		f.Add(test.text, "train.lr=1e-3")
	}
	f.Add(good, "process.params.x=0.7")
	f.Add(good, "train.betas[1]=0.99")
	f.Fuzz(func(t *testing.T, text, assignment string) {
		c, err := Parse("c.yaml", []byte(text), assignment)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || err.Error() == "" {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		again, err := c.Resolve()
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("resolved again: %v\n%+v\n%+v", err, again, c)
		}
	})
}

// A key that is missing because of an assignment is reported for the last assignment
// without which the file would do.
func TestMissingBecauseOfAnAssignment(t *testing.T) {
	for _, test := range []struct {
		assignments []string
		want        string
	}{
		{[]string{"train.objective=sampled"}, "train.objective=sampled: train.batch_size is missing; give a number in [1, 1048576]"},
		{[]string{"train.seed=3", "train.objective=sampled", "train.lr=1e-3"}, "train.objective=sampled: train.batch_size is missing; give a number in [1, 1048576]"},
		{[]string{"train.objective=sampled", "train.batch_size=8"}, "<nil>"},
		{[]string{"train.seed=3"}, "<nil>"},
	} {
		if _, err := Parse("c.yaml", []byte(exactly("")), test.assignments...); fmt.Sprint(err) != test.want {
			t.Errorf("%v\ngot  %v\nwant %s", test.assignments, err, test.want)
		}
	}
	file := strings.Replace(good, "  batch_size: 24\n", "", 1)
	const want = "c.yaml:7:1: train.batch_size is missing; give a number in [1, 1048576]"
	if _, err := Parse("c.yaml", []byte(file), "train.seed=3"); fmt.Sprint(err) != want {
		t.Errorf("missing in any case: %v", err)
	}
}
