package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"foretell/internal/kernel"
	"foretell/model"
	"foretell/run"
	"foretell/train"
)

// TestErrors holds the exit status and the one line on stderr of what users do
// wrong; stdout stays empty.
func TestErrors(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	mustCall(t, "train", "c.yaml", "--out", "falling", "--set", "train.lr_schedule=cosine")
	mustCall(t, "train", "c.yaml", "--out", "long", "--set", "model.n_ctx=13", "--set", "train.num_steps=1")
	write(t, "iid.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: iid}", 1))
	mustCall(t, "train", "iid.yaml", "--out", "iid")
	write(t, "periodic.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: periodic}", 1))
	mustCall(t, "train", "periodic.yaml", "--out", "periodic")
	write(t, "one.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: iid, params: {n: 1}}", 1))
	mustCall(t, "train", "one.yaml", "--out", "one")
	write(t, "file", "text")
	write(t, "key.yaml", strings.Replace(config, "d_model", "d_modle", 1))
	write(t, "range.yaml", strings.Replace(config, "lr: 1e-3", "lr: -1", 1))
	write(t, "type.yaml", "process: mess3\n")
	write(t, "tide.csv", "1\n2\n3\n")
	write(t, "torn.yaml", config[:60])
	write(t, "short.yaml", strings.Replace(lazy, "p: 0.9", "p: 0.8", 1))
	write(t, "lazy.yaml", lazy)
	write(t, "byfile.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "./none.yaml", 1))
	write(t, "inline.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: mine, states: [A]}", 1))
	if err := os.MkdirAll("nameless", 0o755); err != nil {
		t.Fatal(err)
	}
	long, err := model.Zero[float32](model.Config{DModel: 1, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3000, DVocab: 3})
	if err == nil {
		err = long.Save("endless")
	}
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile("endless/model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "alone.safetensors", string(weights))
	write(t, "interleaved.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: interleaved, params: {lags: [1, 2]}}", 1))
	mustCall(t, "train", "interleaved.yaml", "--out", "interleaved", "--set", "train.num_steps=1")
	before := files(t, ".")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		args   string
		status int
		stderr string // without "foretell: " and the newline
	}{
		// Commands and arguments.
		{"proces", 2, `unknown command "proces"; did you mean "process"?`},
		{"nonsense", 2, `unknown command "nonsense"; commands are ablate, bench, cache, completion, craft, demo, evaluate, export, generate, import, lab, lessons, look, man, patch, plot, predict, probe, process, reproduce, runs, series, steer, sweep, train, walk`},
		{"process shw", 2, `process: unknown command "shw"; did you mean "show"?`},
		{"help nonsense", 2, `unknown command "nonsense"; commands are ablate, bench, cache, completion, craft, demo, evaluate, export, generate, import, lab, lessons, look, man, patch, plot, predict, probe, process, reproduce, runs, series, steer, sweep, train, walk`},
		{"help process shw", 2, `process: unknown command "shw"; did you mean "show"?`},
		{"floor", 2, "unknown command \"floor\"; did you mean `foretell process floor`?"},
		{"floor mess3 --positions 10", 2, "unknown command \"floor\"; did you mean `foretell process floor`?"},
		{"flor", 2, "unknown command \"flor\"; did you mean `foretell process floor`?"},
		{"--json show mess3", 2, "unknown command \"show\"; did you mean `foretell craft show` or `foretell process show` or `foretell runs show`?"},
		{"process predict run", 2, "process: unknown command \"predict\"; did you mean `foretell predict`?"},
		{"runs floor --positions 3", 2, "runs: unknown command \"floor\"; did you mean `foretell process floor`?"},
		{"help kernel", 2, "unknown command \"kernel\"; did you mean `foretell bench kernel`?"},
		{"process list mess3", 2, "process list: takes no arguments, but \"mess3\" was given; see `foretell process list --help`"},
		{"process show", 2, "process show: 0 arguments given; give one NAME, such as mess3, or a file that defines a process; `foretell process list` shows the names; see `foretell process show --help`"},
		{"predict routing --tokens 0", 1, "routing: no such run or model; did you mean craft:routing?"},
		{"craft show routing", 1, "routing: no such run or model; did you mean craft:routing?"},
		{"craft lst", 2, "craft: unknown command \"lst\"; did you mean \"list\"?"},
		{"lab --addr 0.0.0.0:80", 2, "--addr: other machines can reach 0.0.0.0:80; give --allow-remote if they may, or an address such as 127.0.0.1:8080"},
		{"lab --addr 127.0.0.1", 2, "--addr: 127.0.0.1 is not HOST:PORT, such as 127.0.0.1:8080, or unix:PATH"},
		{"lab --export pages --addr 127.0.0.1:80", 2, "--addr: exported pages have no server and no reports; leave it out"},
		{"lab --addr unix:", 2, "--addr: unix: names no socket; give its path, as in unix:lab.sock"},
		{"lab --addr unix:file", 1, "--addr: file exists and is not a socket; name another path"},
		{"craft cion", 2, "craft: unknown command \"cion\"; did you mean `foretell predict craft:coin`?"},
		{"craft craft:coin", 2, "craft: unknown command \"craft:coin\"; did you mean `foretell predict craft:coin`?"},
		{"process show ./rnu", 1, "./rnu: no such run or file; did you mean run?"},
		{"process floor ./rnu", 1, "./rnu: no such run or file; did you mean run?"},
		{"predict a b", 2, "predict: 2 arguments given; give one MODEL, such as runs/first; see `foretell predict --help`"},
		{"--json", 2, "--json needs a command: ablate, bench, cache, completion, craft, demo, evaluate, export, generate, import, lab, lessons, look, man, patch, plot, predict, probe, process, reproduce, runs, series, steer, sweep, train, walk"},
		{"process --json", 2, "--json needs a command: beliefs, check, floor, list, sample, show"},

		// Pictures.
		{"plot", 2, "plot: 0 arguments given; give at least one RUN, such as runs/first; see `foretell plot --help`"},
		{"plot nowhere", 1, "nowhere: no such run"},
		{"plot rnu", 1, "rnu: no such run; did you mean run?"},
		{"plot run@20", 1, "run@20 is a model at one step, which has no curve; give its run, run"},
		{"plot file", 1, "file is a file; give a run's folder, such as runs/first"},
		{"plot nameless", 1, "nameless has no run; give a run's folder, such as runs/first, or a folder with runs below it"},
		{"plot endless", 1, "endless has a model but no training run, so there are no evaluations to plot"},
		{"plot run nowhere", 1, "nowhere: no such run"},
		{"plot run --out x.gif", 2, "--out: x.gif: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"plot run --out run/config.yaml", 2, "--out: run/config.yaml: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"plot run --label dir", 2, `--label: "dir" is not one of both, folder, settings`},
		{"plot run --along lgo", 2, `--along: "lgo" is not one of auto, step, log, share, tokens, log-tokens; did you mean "log"?`},
		{"plot run --out none/x.svg", 1, "--out: none/x.svg: no such file or directory"},
		{"predict run --tokens 0 --out x.gif", 2, "--out: x.gif: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"predict run --tokens 0 --json --out x.svg", 2, "--json prints on stdout; leave out --out, or --json for a file"},
		{"predict nowhere --tokens 0 --out none/x.svg", 1, "--out: none/x.svg: no such file or directory"},
		{"predict run --tokens 0 --out run/config.yaml", 2, "--out: run/config.yaml: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"generate run --tokens 0 --out x.svg", 2, "--out: x.svg: the ending sets the format; give one of .txt, .csv, .jsonl, .json"},
		{"craft show craft:induction --out x.dot", 2, "--out: x.dot: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"craft show craft:induction --format svg --out x.svg", 2, "--format and --out are both given; the ending of --out sets the format"},
		{"bench solve coins", 2, "bench solve: unknown problem \"coins\": did you mean \"coin\"?"},
		{"bench solve --share 1", 2, "bench solve: --share 1 is outside (0, 1)"},
		{"bench solve --seeds 0", 2, "bench solve: --seeds 0 is outside [1, 1000]"},
		{"bench solve --rates 0", 2, "bench solve: --rates: 0 is outside (0, 100]"},
		{"bench solve --way coin", 2, "bench solve: --way: \"coin\" is not one of sampled, sampled_shared, optimal_targets, optimal_targets_shared, exact, exact_lbfgs"},
		{"bench train --out x.html", 2, "--out: x.html: the ending sets the format; give one of .svg, .csv, .json, .png, .pdf"},
		{"bench prefixes --out x.svg", 2, "--out: x.svg: the ending sets the format; give one of .csv, .json"},
		{"probe run --out x.gif", 2, "--out: x.gif: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"probe run --out none/x.svg", 1, "--out: none/x.svg: no such file or directory"},
		{"probe run --json --out x.svg", 2, "--json prints on stdout; leave out --out, or --json for a file"},
		{"probe run --steer --out x.svg", 2, "--steer and --concat print on stdout; leave out --out"},
		{"probe iid --out x.svg", 1, "iid: the beliefs are the same after every sequence, so there is nothing to read"},
		{"probe run --param x=1 --out x.svg", 2, "--param: run is not a hand-written model (craft:NAME); other models take no parameters"},
		{"plot run --json --out x.svg", 2, "--json prints on stdout; leave out --out, or --json for a file"},

		// Interventions.
		{"patch run --clean 0,1", 2, "give --clean and --corrupt, two sequences such as 0,1,1 and 0,2,1, or --pairs N"},
		{"patch run --clean 0,1 --corrupt 0,2 --pairs 9", 2, "--pairs draws sequences of the process; leave out --clean and --corrupt, or --pairs"},
		{"patch run --clean 0,1 --corrupt 0,2 --seed 9", 2, "--length and --seed belong to --pairs; leave them out"},
		{"patch run --clean 0,1 --corrupt 0", 2, "the clean sequence has 2 tokens and the corrupt one 1; patching needs equal lengths"},
		{"patch run --clean 0,x --corrupt 0,2", 2, "the clean sequence: \"x\" at position 2 is not a token; write tokens as 0,1,2"},
		{"patch run --clean 0,1 --corrupt 0,3", 2, "the corrupted sequence: token 3 at position 2 is outside the alphabet [0, 2]"},
		{"patch run --clean 0,1 --corrupt 0,2 --hook resid_mdi", 2, "this model's layers have no hook \"resid_mdi\"; did you mean \"resid_mid\"?"},
		{"patch run --clean 0,1 --corrupt 0,2 --hook blocks.0.hook_resid_mdi", 2, "this model's layers have no hook \"blocks.0.hook_resid_mdi\"; did you mean \"blocks.0.hook_resid_mid\"?"},
		{"patch run --clean 0,1 --corrupt 0,2 --hook blocks.1.attn.hook_z", 2, "blocks.1.attn.hook_z: layer 1 is outside [0, 0]"},
		{"patch run --clean 0,1 --corrupt 0,2 --hook blocks.0.attn.hook_z --head 1.0", 2, "head 1.0 is not in layer 0, the layer of blocks.0.attn.hook_z"},
		{"patch run --clean 0,1 --corrupt 0,2 --hook z --head 1", 2, "\"1\" is not a head; write head 1 of layer 0 as 0.1"},
		{"patch run --clean 0,1 --corrupt 0,2 --hook z --head 0.7", 2, "head 0.7: head 7 is outside [0, 0]"},
		{"patch run --clean 0,1 --corrupt 0,2 --head 0.0", 2, "resid_pre 0.0: hook resid_pre has no heads; leave the head out"},
		{"patch run --clean 0,1 --corrupt 0,2 --position 2", 2, "position 2 is outside [0, 1]"},
		{"patch run --clean 0,1 --corrupt 0,2 --score 2", 2, "scored position 2 is outside [0, 1]"},
		{"patch run --pairs 1", 2, "--pairs 1 is outside [2, 1048576]"},
		{"patch run --pairs 9 --length 9", 2, "sequences of 9 tokens, want 1 to n_ctx = 4"},
		{"patch run --pairs 9 --length -1", 2, "sequences of -1 tokens, want 1 to n_ctx = 4"},
		{"patch one --pairs 9", 2, "the two sequences of every pair are equal, so there is nothing to patch"},
		{"patch periodic --clean 0,0 --corrupt 0,1", 2, "the clean sequence cannot occur: periodic: token A cannot occur at position 2: it has probability 0 given the earlier tokens"},
		{"patch run --clean 0,1 --corrupt 0,2 --out x.gif", 2, "--out: x.gif: the ending sets the format; give one of .svg, .html, .csv, .parquet, .json, .png, .pdf"},
		{"patch run --clean 0,1 --corrupt 0,2 --json --out x.svg", 2, "--json prints on stdout; leave out --out, or --json for a file"},
		{"patch craft:induction --param n_ctx=8 --clean 0,1 --corrupt 0,2 --hook q", 2, "this model's layers have no hook \"q\"; they have resid_pre, attn_scores, pattern, z, resid_post"},
		{"patch craft:induction --param n_ctx=8 --clean 0,1 --corrupt 0,2 --attribution", 2, "attribution is not available with output: probabilities, which has no gradients of logits"},
		{"patch endless --pairs 9", 1, "endless: its config.yaml names no process, so there is no optimum to compare with; add a section process: to name one"},
		{"cache run", 2, "cache: --out is missing; give the name of a file, such as acts.npz"},
		{"cache run --out acts.csv", 2, "--out: acts.csv: the ending sets the format; give one of .npz"},
		{"cache run --out a.npz --hook resid_psot", 1, "there is no activation \"resid_psot\": the names are hook_embed, hook_pos_embed, blocks.0.hook_resid_pre, blocks.0.ln1.hook_scale, blocks.0.ln1.hook_normalized, blocks.0.attn.hook_q, blocks.0.attn.hook_k, blocks.0.attn.hook_v, blocks.0.attn.hook_attn_scores,….mlp.hook_pre, blocks.0.mlp.hook_post, blocks.0.hook_mlp_out, blocks.0.hook_resid_post, ln_final.hook_scale, ln_final.hook_normalized"},
		{"cache run --out a.npz --hook attn_scores", 1, "attn_scores is not kept for words that share their beginnings; give pattern"},
		{"cache run --out a.npz --words none.txt", 1, "--words: open none.txt: no such file or directory"},
		{"cache run --out a.npz --words 0", 2, "--words 0 is outside [1, 1048576]"},
		{"cache run --out a.npz --length 5", 2, "sequences of 5 tokens, want 1 to n_ctx = 4"},
		{"export run --format onx --out x", 2, "--format: \"onx\" is not one of safetensors, transformerlens, nanogpt, huggingface, npz, onnx, tensorboard, wandb, mlflow; did you mean \"onnx\"?"},
		{"export run --format onnx", 2, "export: --out is missing; give the name of a file"},
		{"export run --format mlflow --out x", 2, "--out has no meaning for mlflow, which sends to a server; leave it out"},
		{"export craft:coin --param n_ctx=6 --format tensorboard --out x", 1, "craft:coin is not the folder of a run, and tensorboard takes the evaluations of a run"},
		{"export run --format nanogpt --out x.pt", 1, "nanogpt: model.tie_unembed = false, but nanoGPT's output is tied to its embedding; train with tie_unembed: true"},
		{"import none.pt --out x", 1, "none.pt: no such file or folder"},
		{"import none.pt", 2, "import: --out is missing; give the name of a new folder"},
		{"import none.pt --out x --param a=1", 2, "--param is for the process; name it with --process"},
		{"evaluate run --sequences 0", 2, "--sequences 0 is outside [1, 65536]"},
		{"evaluate run --length 5", 2, "sequences of 5 tokens, want 1 to n_ctx = 4"},
		{"evaluate run --process sine --param levels=4 --param period=4", 2, "sine has 4 tokens, and run reads 3; name a process of at most 3 tokens"},
		{"evaluate run --process mess3 --param y=1", 2, "mess3: unknown parameter \"y\": want one of x, a"},
		{"evaluate run --process recording --param signal=[1,2,3,4,5,6] --param levels=3", 1, "sequences of 4 tokens need windows of 5, and the held-out part of recording is 1 long; want shorter sequences, a longer recording, or a smaller held-out part"},
		{"ablate run --with noise", 2, "--with: \"noise\" is not one of zero, mean, resample"},
		{"ablate run --head 0.0,1", 2, "\"1\" is not a head; write head 1 of layer 0 as 0.1"},
		{"ablate run --head 1.0", 2, "head 1.0: layer 1 is outside [0, 0]"},
		{"ablate run --mlp 4", 2, "MLP of layer 4: this model has 1 layer, counted from 0"},
		{"ablate run --position 4", 2, "position 4 is outside [0, 3]"},
		{"ablate run --length 5", 2, "sequences of 5 tokens, want 1 to n_ctx = 4"},
		{"ablate run --length 2 --tokens 0,1", 2, "sequences and a length are both given; give one of them"},
		{"ablate run --tokens 0,1 --tokens 0", 2, "sequences of 2 and 1 tokens; give sequences of equal length"},
		{"ablate run --tokens 0,1", 2, "the mean of a part over one sequence is its own value; give more sequences, or replace parts with zeros"},
		{"ablate run --tokens 0,1 --with resample", 2, "resampling needs other sequences, and only one is given; give more"},
		{"ablate craft:induction --param n_ctx=8 --mlp 0", 2, "this model has no MLP to ablate (residual: concat; ablate its heads instead)"},
		{"ablate endless --head 0.0", 1, "endless: its config.yaml names no process, so there is no optimum to compare with; add a section process: to name one; or give the sequences to use"},

		// Flags.
		{"process sample mess3 --seed -1", 2, "invalid argument \"-1\" for \"--seed\" flag: want a whole number of at least 0; see `foretell process sample --help`"},
		{"process sample mess3 -n 1.5", 2, "invalid argument \"1.5\" for \"-n, --number\" flag: want a whole number; see `foretell process sample --help`"},
		{"process sample mess3 -n 99999999999999999999", 2, "invalid argument \"99999999999999999999\" for \"-n, --number\" flag: the number is too large; see `foretell process sample --help`"},
		{"process list --json=maybe", 2, "invalid argument \"maybe\" for \"--json\" flag: must be true or false; see `foretell process list --help`"},
		{"process sample mess3 -n 0", 2, "--number 0 must be at least 1"},
		{"process sample mess3 --length 0", 2, "--length 0 is outside [1, 16777216]"},
		{"process floor mess3 --positions 0x10", 2, "invalid argument \"0x10\" for \"--positions\" flag: want a whole number; see `foretell process floor --help`"},
		{"bench sample mess3 --seconds soon", 2, "invalid argument \"soon\" for \"--seconds\" flag: want a number, such as 0.5; see `foretell bench sample --help`"},
		{"process floor mess3 --positions 0", 2, "--positions 0 is outside [1, 1048576]"},
		{"train c.yaml --out new --workers 0", 2, "--workers 0 is outside [1, 4096]"},
		{"probe run --workers 0", 2, "--workers 0 is outside [1, 4096]"},
		{"reproduce --workers 0", 2, "--workers 0 is outside [1, 4096]"},

		// Processes.
		{"process show mess", 2, `unknown process "mess": did you mean "mess3"?`},
		{"process show mess3 --param x=0.7", 2, `mess3: x = 0.7 is outside (0, 0.5]`},
		{"process show mess3 --param x=0", 2, `mess3: x = 0 is outside (0, 0.5]`},
		{"process show mess3 --param x=inf", 2, `mess3: x = "inf" is not a number`},
		{"process show mess3 --param y=1", 2, `mess3: unknown parameter "y": want one of x, a`},
		{"process show mess3 --param x", 2, `--param: "x" is not of the form name=value, such as x=0.15 or weights=[1, 3]`},
		{"process show mess3 --param x=nan", 2, `mess3: x = "nan" is not a number`},
		{"process show mess3 --param x=@file", 2, `--param x: file is not a JSON value, such as 0.5 or [1, 2]: invalid character 'e' in literal true (expecting 'r')`},
		{"process show recording --param signal=@missing", 1, `--param signal: open missing: no such file or directory`},
		{"process show recording --param signal=tide.csv", 2, "--param signal: \"tide.csv\" is not a list of numbers, such as [0.5, 0.5]; write a file as @tide.csv"},
		{"process show recording --param range=0,4", 2, "--param range: \"0,4\" is not a list of numbers, such as [0.5, 0.5]; did you mean [0,4]?"},
		{"process show recording --param range=[10,20]", 2, "recording: all 48 samples, from 0.6 to 4.5, are outside the range [10, 20]; want a range that includes samples"},
		{"process show recording --param signal=@lazy.yaml", 2, "--param signal: lazy.yaml:2: 2 columns, but 1 in line 1; want the same number in every line"},
		{"process show recording --param signal=[1]", 2, `recording: signal has 1 numbers, want 2 to 100000; Go code can use process.NewSignal for a longer one`},
		{"process show mess3 --param x=@missing", 1, `--param x: open missing: no such file or directory`},
		{"process show mess3 --param x=0.1 --param x=0.2", 2, `--param: x is given twice`},
		{"process beliefs mess3 --tokens 0,3", 2, `mess3: token 3 at position 2 is outside the alphabet 0 … 2`},
		{"process beliefs mess3 --tokens=-1", 2, `mess3: token -1 at position 1 is outside the alphabet 0 … 2`},
		{"process beliefs mess3 --tokens 0,,1", 2, `--tokens: "" at position 2 is not a token; write tokens as 0,1,2`},
		{"process beliefs mess3 --tokens 4294967296", 2, `--tokens: "4294967296" at position 1 is not a token; write tokens as 0,1,2`},
		{"process beliefs moon --tokens a,d", 2, `--tokens: "d" at position 2 is not a token; write tokens as 0,1,2 or by their names, as a,b,c`},
		{"process beliefs even --tokens 0,1,0", 2, `even: token 0 cannot occur at position 3: it has probability 0 given the earlier tokens`},

		{"process beliefs moon --tokens 0,0", 2, `moon: token a cannot occur at position 2: it has probability 0 given the earlier tokens`},
		{"process beliefs coin --tokens 0", 1, `process beliefs: coin is not a hidden Markov model: the observer keeps unbounded counts of heads and tails; ` + "`foretell process show coin --out FILE.svg` draws it instead"},
		{"process beliefs brackets --tokens 30", 1, `process beliefs: brackets is not a hidden Markov model: the observer knows everything in the program's memory; ` + "`foretell process show brackets --out FILE.svg` draws it instead"},
		{"process check routing", 1, `process check: routing is not a hidden Markov model: the observer knows everything in the program's memory; ` + "`foretell process show routing --out FILE.svg` draws it instead"},
		{"process show switching_delay --param delays=17", 2, `switching_delay: delays = 17 is not a list of numbers, such as [0.5, 0.5]`},
		{"process show mess3 --param x=[0.1", 2, `--param x:1:1: did not find expected ',' or ']' while parsing a flow sequence`},
		{"process show mess3 --param x=[0.1]", 2, `mess3: x = [0.1] is not a number`},
		{"process show markov --param P=[[0.5,0.6],[0,1]]", 2, `markov: state 0: its probabilities sum to 1.1, want 1`},
		{"process show markov --param order=3", 2, `markov: P has 2 rows, want 2^3 = 8, one for each sequence of 3 tokens`},
		{"process show mixture --param components=[even,mess3]", 2, `mixture: component 1 (even) has 2 tokens and component 2 (mess3) 3: want the same number`},
		{"process show noisy --param process=coin", 2, `noisy: process = coin is not a hidden Markov model`},
		{`process show noisy --param process={"name":"even","params":{"p":2}}`, 2, `noisy: process: params.p is not possible: even: p = 2 is outside [0, 1]`},
		{"process show periodic --param pattern=", 2, `--param: "pattern=" is not of the form name=value, such as x=0.15 or weights=[1, 3]`},
		{"process show moon --param beta=0", 2, `moon: beta = 0 is outside (0, 1e6]`},
		{"process show teddy_bear --param q=0.8", 2, `teddy_bear: q = 0.8 is outside [0, 1 − p] = [0, 0.7]`},
		{"process beliefs interleaved --tokens 0", 1, `process beliefs: interleaved is not a hidden Markov model: the observer keeps a posterior over 3 lags and the last 3 tokens; ` + "`foretell process show interleaved --out FILE.svg` draws it instead"},
		{"process check interleaved", 1, `process check: interleaved is not a hidden Markov model: the observer keeps a posterior over 3 lags and the last 3 tokens; ` + "`foretell process show interleaved --out FILE.svg` draws it instead"},
		{"process show interleaved --graph states", 1, `process show: interleaved is not a hidden Markov model: the observer keeps a posterior over 3 lags and the last 3 tokens; ` + "`foretell process show interleaved --out FILE.svg` draws it instead"},
		{"process show interleaved --param P=[[0.5,0.6],[0,1]]", 2, `interleaved: row 0 of P sums to 1.1, want 1`},
		{"process show interleaved --param lags=[1,2,1]", 2, `interleaved: lags[0] and lags[2] are both 1: want each lag once`},
		{"process show interleaved --param lags=2", 2, `interleaved: lags = 2 is not a list of numbers, such as [0.5, 0.5]`},
		{"process floor coin --positions 20000", 1, `coin: a floor of 20000 positions, want a number in [1, 16384]`},

		// Files that define a process, and pictures of it.
		{"process show missing.yaml", 1, `open missing.yaml: no such file or directory; the path is relative to $PWD`},
		{"process show layz.yaml", 1, `open layz.yaml: no such file or directory; did you mean "lazy.yaml"?`},
		{"process floor ./laazy.yaml", 1, `open ./laazy.yaml: no such file or directory; did you mean "./lazy.yaml"?`},
		{"process show lazy.yml", 1, `open lazy.yml: no such file or directory; did you mean "lazy.yaml"?`},
		{"process show short.yaml", 1, `short.yaml:5:5: transitions[0] is not possible: mine: state A: its probabilities sum to 0.9, want 1`},
		{"process check lazy.yaml --param p=1", 2, `--param: lazy.yaml is a file; give parameters in it`},
		{"process show sinus", 2, `unknown process "sinus": did you mean "sine"?`},
		{"process sample sine --lenght 5", 2, "unknown flag: --lenght; did you mean --length? see `foretell process sample --help`"},
		{"process sample sine --qqqq", 2, "unknown flag: --qqqq; see `foretell process sample --help`"},
		{"probe run --target belief", 2, `--target: "belief" is not one of beliefs, constrained, linear, next; did you mean "beliefs"?`},
		{"process show mess3 --format png", 2, `--format: "png" is not one of text, csv, dot, svg`},
		{"process show mess3 --format svg --graph mixed", 2, `--graph: "mixed" is not one of states, beliefs, geometry, attention`},
		{"process show mess3 --format dot --graph geometry", 2, `--graph geometry is a picture, not a graph; give --format svg`},
		{"process show sine --param period=20 --format svg --graph attention", 1, `sine: 20 heads are too many for a picture, want at most 16`},
		{"process show iid --format svg --graph attention", 1, `iid: theory predicts no attention, because no token carries information about states more than one step later; there is nothing to draw`},
		{"process show mess3 --format svg --json", 2, `--json and --format svg are both given; give one of them`},
		{"process show mess3 --format csv --json", 2, `--json and --format csv are both given; give one of them`},
		{"process show mess3 --format csv --graph states", 2, `--graph states makes a picture; give --out FILE.svg or --format svg`},
		{"process show mess3 --format svg --graph beliefs", 1, `--graph beliefs: mess3: more than 1000 distinct beliefs, possibly infinitely many; --graph geometry draws them without a graph`},
		{"process show mackey_glass --format svg --graph beliefs", 1, `process show: mackey_glass is not a hidden Markov model: the observer keeps the offsets of the recording that agree with the tokens; ` + "`foretell process show mackey_glass --out FILE.svg` draws it instead"},
		{"process show coin --format dot", 1, `process show: coin is not a hidden Markov model: the observer keeps unbounded counts of heads and tails; ` + "`foretell process show coin --out FILE.svg` draws it instead"},
		{"process show sine --param period=250 --graph states", 1, `sine: 250 states are too many for a picture; give --format dot`},
		{"process show mess3 --graph states --format text", 2, `--graph states makes a picture; give --out FILE.svg or --format svg`},
		{"process show mess3 --graph states --json", 2, `--graph states makes a picture; give --out FILE.svg or --format svg`},
		{"process show mess3 --graph states --out new.html", 2, `--graph states makes a picture; give --out FILE.svg or --format svg`},
		{"process show mess3 --graph geometry --out new.dot", 2, `--graph geometry is a picture, not a graph; give --format svg`},
		{"process show mess3 --format svg --out new.svg", 2, `--format and --out are both given; the ending of --out sets the format`},
		{"process show mess3 --out new.gif", 2, `--out: new.gif: the ending sets the format; give one of .svg, .html, .dot, .csv, .json, .png, .pdf`},
		{"process show mess3 --out", 2, "flag needs an argument: --out; see `foretell process show --help`"},
		{"process floor mess3 --out new.dot", 2, `--out: new.dot: the ending sets the format; give one of .svg, .html, .csv, .json, .png, .pdf`},
		{"process floor mess3 --out new.json --json", 2, `--json prints on stdout; leave out --out, or --json for a file`},
		{"process floor mess3 --out missing/new.csv", 1, `--out: missing/new.csv: no such file or directory`},
		{"process sample mess3 --out nameless", 2, `--out: nameless: the ending sets the format; give one of .csv, .json, .svg, .png, .pdf`},
		{"process sample mess3 -n 100 --out new.svg", 1, `100 sequences of 10 tokens are too many for a picture, want at most 64 of 512`},
		{"process beliefs mess3 --tokens 0 --out new.dot", 2, `--out: new.dot: the ending sets the format; give one of .svg, .csv, .json, .png, .pdf`},
		{"process show noisy --param process=lazy.yaml", 2, `noisy: process: name = "lazy.yaml" is the name of a file; write the contents of the file here instead: name, states, tokens, and transitions or matrices`},
		{"train lazy.yaml", 1, "lazy.yaml defines a process; a training configuration has those lines under process:, next to model: and train:; see `foretell train --help`"},
		{"train --resume run --ensure", 2, "train: --ensure takes a CONFIG.yaml; leave out --resume; see `foretell train --help`"},
		{"train byfile.yaml", 1, `byfile.yaml:1:1: process.name is not possible: open ./none.yaml: no such file or directory; did you mean "./one.yaml"?`},
		{"train inline.yaml", 1, `inline.yaml:1:1: process.tokens is missing; name the tokens, such as [heads, tails]`},

		// Training.
		{"train", 2, "train: 0 arguments given; give one CONFIG.yaml, or --resume RUN; see `foretell train --help`"},
		{"train --resume run --out other", 2, "train: --resume takes the run's own configuration and folder; leave out CONFIG.yaml and --out; see `foretell train --help`"},
		{"train --resume run --set train.objective=exact", 2, "--set train.objective cannot change when a run is continued, only train.num_steps, train.evaluate_every, train.checkpoint_every, train.checkpoint_minutes, train.checkpoints; train a new run, which can start from these weights by train.init: run"},
		{"train --resume run --set train.lr=1", 2, "--set train.lr cannot change when a run is continued, only train.num_steps, train.evaluate_every, train.checkpoint_every, train.checkpoint_minutes, train.checkpoints; train a new run, which can start from these weights by train.init: run"},
		{"train --resume run --set train.num_steps=1", 2, "--set train.num_steps = 1 is before step 40, which the run has reached"},
		{"train --resume run --set train.num_steps=few", 2, `--set train.num_steps=few: train.num_steps: "few" is not a whole number`},
		{"train --resume run --set train.num_step=9", 2, `--set train.num_step=9: unknown key "num_step" in train; did you mean "num_steps"?`},
		{"train --resume run --set train.num_steps", 2, `--set train.num_steps: no "="; write key=value`},
		{"train --resume run --set train.checkpoints=[1]", 2, "--set train.checkpoints = 1 is too late: the run has reached step 40 without keeping the weights of step 1"},
		{"train --resume falling --set train.num_steps=90", 2, "--set train.num_steps cannot change with lr_schedule: cosine, which ends at step 40: another number would change the learning rate from the first step on; train in another folder, from the beginning or from these weights by train.init: falling"},
		{"train c.yaml --set train.checkpoints=some", 2, `--set train.checkpoints=some: train.checkpoints = "some" is not last, all, log or a list of steps, such as [100, 200]`},
		{"train c.yaml --set train.checkpoints=[41]", 2, `--set train.checkpoints=[41]: train.checkpoints = 41 is outside [1, num_steps = 40]`},
		{"train c.yaml --set train.init=missing", 2, `--set train.init=missing: train.init = "missing" cannot be read: open missing: file does not exist`},
		{"train c.yaml --set train.init=run@7", 2, `--set train.init=run@7: train.init = "run@7" cannot be read: run has no weights of step 7, only of steps 20, 40; train.checkpoints sets which weights are kept`},
		{"train c.yaml --set train.init=long", 2, `--set train.init=long: train.init = "long" does not fit: it has 771 parameters and this model has 699; copy the model: section from the configuration of those weights`},
		{"train c.yaml --set train.init_sha256=run", 2, `--set train.init_sha256=run: train.init_sha256 is given without init; leave it out, or set init`},
		{"train perodic.yaml", 1, `open perodic.yaml: no such file or directory; did you mean "periodic.yaml"?`},
		{"train mess3", 1, "mess3 is not a file; train takes a YAML file that names a process, such as examples/mess3.yaml; see `foretell train --help`"},
		{"train run", 1, "run is not a file; train takes a YAML file that names a process, such as examples/mess3.yaml; see `foretell train --help`"},
		{"train c.yaml --set process.params.z=1", 2, `--set process.params.z=1: process.params is not possible: mess3: unknown parameter "z": want one of x, a`},
		{"train c.yaml --set model.n_heads=3 --set train.lr=0.1", 2, "--set model.n_heads=3: model.d_head is missing, and d_model = 8 is not a multiple of n_heads = 3"},
		{"train missing.yaml", 1, "open missing.yaml: no such file or directory; the path is relative to $PWD"},
		{"train .", 1, "read .: is a directory"},
		{"train key.yaml", 1, `key.yaml:2:11: unknown key "d_modle" in model; did you mean "d_model"?`},
		{"train range.yaml", 1, `range.yaml:3:67: train.lr = -1 is outside (0, 100]`},
		{"train type.yaml", 1, `type.yaml:1:1: process: a mapping (key: value) is expected, not "mess3"; want {name: mess3}`},
		{"train tide.csv", 1, `tide.csv: this is not YAML; use a CSV file of numbers as the parameter signal of the process recording, with signal=@tide.csv, or {name: recording, params: {signal: "@tide.csv"}} in a configuration`},
		{"process show tide.csv", 1, `tide.csv: this is not YAML; use a CSV file of numbers as the parameter signal of the process recording, with signal=@tide.csv, or {name: recording, params: {signal: "@tide.csv"}} in a configuration`},
		{"process show switching_delay --param delays=[5,x]", 2, `--param delays:1:4: [1]: "x" is not a number`},
		{"predict rum --tokens 0", 1, "rum: no such run or model; did you mean run?"},
		{"predict ./log --tokens 0", 1, "./log: no such run or model; did you mean long?"},
		{"train torn.yaml", 1, `torn.yaml:2:10: did not find expected node content while parsing a flow node`},
		{"train c.yaml --set train.num_step=3", 2, `--set train.num_step=3: unknown key "num_step" in train; did you mean "num_steps"?`},
		{"train c.yaml --set train.lr", 2, `--set train.lr: no "="; write key=value`},
		{"train c.yaml --set train.lr=fast", 2, `--set train.lr=fast: train.lr: "fast" is not a number`},
		{"train c.yaml --set model.act_fn=swish", 2, `--set model.act_fn=swish: model.act_fn = "swish" is not one of relu, gelu, gelu_new, silu`},
		{"train range.yaml --set train.seed=2", 1, `range.yaml:3:67: train.lr = -1 is outside (0, 100]`},
		{"train c.yaml --out run", 1, "run already holds a run; continue it with `foretell train --resume run`, or give another folder with --out"},
		{"train c.yaml --out file", 2, `--out: file is a file; give a folder`},
		{"train c.yaml --out file/x", 1, `file/x cannot be a folder: file is a file; give another folder with --out`},
		{"train --resume rnu", 1, `rnu holds no run: it has no config.yaml; did you mean run?`},
		{"train c.yaml --set lr=1", 2, `--set lr=1: unknown key "lr"; did you mean "train.lr"? (known: process, model, train)`},
		{"train c.yaml --set d_model=8", 2, `--set d_model=8: unknown key "d_model"; did you mean "model.d_model"? (known: process, model, train)`},
		{"train c.yaml --set learningrate=1", 2, `--set learningrate=1: unknown key "learningrate" (known: process, model, train)`},
		{"train c.yaml --set btach_size=1", 2, `--set btach_size=1: unknown key "btach_size"; did you mean "train.batch_size"? (known: process, model, train)`},
		{"train --resume missing", 1, `missing holds no run: it has no config.yaml`},
		{"train --resume nameless", 1, `nameless holds no run: it has no config.yaml`},
		{"train --resume c.yaml", 2, `--resume: c.yaml is a file; give a folder`},

		// Models.
		{"predict missing --tokens 0", 1, `missing: no such run or model`},
		{"predict nameless --tokens 0", 1, `nameless holds no run or model: it has no config.yaml`},
		{"predict run", 2, `--tokens: 0 tokens given; the model takes 1 to 4, such as 0,1`},
		{"predict run --tokens 0,1,2,0,1", 2, `--tokens: 5 tokens given; the model takes 1 to 4, such as 0,1`},
		{"predict run --tokens 0,7", 2, `mess3: token 7 at position 2 is outside the alphabet 0 … 2`},
		{"predict run --tokens @missing", 1, `--tokens: open missing: no such file or directory`},
		{"predict run --tokens @nameless", 1, `--tokens: read nameless: is a directory`},
		{"predict run --tokens @/dev/zero", 1, `--tokens: /dev/zero is a device; give a file`},
		{"predict run --tokens @file", 2, `--tokens: "text" at position 1 is not a token; write tokens as 0,1,2`},
		{"process beliefs mess3 --tokens @c.yaml", 2, `--tokens: "process: {name: mess3" at position 1 is not a token; write tokens as 0,1,2`},
		{"patch run --clean - --corrupt -", 2, `--corrupt: --clean reads standard input already; give a file`},
		{"predict run --tokens 0 --param a=2", 2, `--param: run is not a hand-written model (craft:NAME); other models take no parameters`},
		{"predict craft:con --tokens 2", 2, `unknown construction "con": did you mean "coin"?`},
		{"predict craft:induction --param lags=[0] --tokens 0", 2, `interleaved: lags[0] = 0 is not a whole number in [1, 1024]`},
		{"predict craft:induction --param lags=[1,1] --tokens 0", 2, `interleaved: lags[0] and lags[1] are both 1: want each lag once`},
		{"predict craft:induction --param lags=[1,200] --tokens 0", 2, `induction: lag 200 leaves no transition in a context of n_ctx = 128 tokens; give an n_ctx above 200`},
		{"predict craft:induction --param heads=9 --tokens 0", 2, `induction: heads = 9 is more than the 3 that these lags need; give at most 3`},
		{"predict craft:induction --param P=[[0.5,0.4],[0.5,0.5]] --tokens 0", 2, `interleaved: row 0 of P sums to 0.9, want 1`},
		{"predict craft:induction --tokens 0,5", 2, `interleaved: token 5 at position 2 is outside the alphabet 0 … 2`},
		{"predict craft:delay --tokens 1,2,3", 2, `switching_delay: token 1 cannot occur at position 1: it has probability 0 given the earlier tokens; sequences begin with 28 (D=26); a possible sequence is 28,1,21`},
		{"predict craft:brackets --tokens 31", 2, `brackets: token CLOSE cannot occur at position 1: it has probability 0 given the earlier tokens; a possible sequence is 0,1,2`},
		{"predict craft:routing --param positions=learned --tokens 30", 2, `routing: positions = "learned" is not one of sinusoidal, rotary`},
		{"craft show craft:coin", 1, `craft:coin: its heads add to one residual stream, which has no blocks; a model with residual: concat has blocks, for example craft:induction`},
		{"craft show craft:induction --format png", 2, `--format: "png" is not one of text, svg`},
		{"predict craft:coin --param n_ctx=3 --tokens 2,1,1,0", 2, `--tokens: 4 tokens given; the model takes 1 to 3, such as BOS,tails`},
		{"predict craft:coin --tokens 1,0", 2, `coin: token 1 at position 1: want token 2 (BOS); a possible sequence is BOS,tails,heads`},
		{"predict craft:coin --tokens 2,1,2", 2, `coin: token 2 (BOS) at position 3: want it at position 1 only; a possible sequence is BOS,tails,heads`},
		{"predict craft:coin --tokens 2,3", 2, `coin: token 3 at position 2 is outside the alphabet 0 … 2`},
		{"predict craft:coin --param a=-1 --tokens 2", 2, `coin: a = -1 is outside (0, 1e6]`},
		{"predict craft:coin --param width=100 --tokens 2", 2, `coin: width = 100 is too small for an error of 1e-06 with the prior Beta(1, 1) and n_ctx = 1024: give at least 569 neurons`},
		{"predict craft:coin --param a --tokens 2", 2, `--param: "a" is not of the form name=value, such as a=2, or name=@FILE`},
		{"predict craft:coin --param a=1 --param a=2 --tokens 2", 2, `--param: a is given twice`},
		{"predict craft:coin --param a=half --tokens 2", 2, `coin: a = "half" is not a number`},
		{"predict craft:coin --param a=[1,2] --tokens 2", 2, `coin: a = [1, 2] is not a number`},
		{"predict craft:coin --param a=[1 --tokens 2", 2, `--param a:1:1: did not find expected ',' or ']' while parsing a flow sequence`},
		{"predict craft:coin --param n_ctx=2.5 --tokens 2", 2, `coin: n_ctx = 2.5 is not a whole number`},
		{"predict craft:coin --param a=@file --tokens 2", 2, `--param a: file is not a JSON value, such as 0.5 or [1, 2]: invalid character 'e' in literal true (expecting 'r')`},
		{"predict craft:coin --param a=@missing --tokens 2", 1, `--param a: open missing: no such file or directory`},
		{"generate run --text a --signal 1", 2, `give the sequence to continue with --tokens, such as 0,1,2, --signal or --text`},
		{"predict run --signal 1.5", 2, `--signal: run does not predict a signal with levels; give tokens`},
		{"predict run --signal 1.5,x", 2, `--signal: "x" at position 2 is not a number; write samples as 2.5,1.8 or @FILE`},
		{"predict run --signal @none.csv", 2, `--signal: open none.csv: no such file or directory`},
		{"predict run --tokens 0 --signal 1.5", 2, `--tokens and --signal are both given; give one of them`},
		{"generate run", 2, `give the sequence to continue with --tokens, such as 0,1,2, --signal or --text`},
		{"generate run --tokens 0 --text a", 2, `give the sequence to continue with --tokens, such as 0,1,2, --signal or --text`},
		{"generate run --text a", 1, `run has no vocabulary, vocab.json and merges.txt, next to it; give tokens instead of a text`},
		{"generate craft:coin --text a", 1, `craft:coin is written by hand and has no vocabulary; give tokens instead of a text`},
		{"generate missing --tokens 0", 1, `missing: no such run or model`},
		{"generate run --tokens=", 2, `the prompt is empty; give at least one token`},
		{"generate run --tokens 0,1,2,0,1", 2, `model: a context of 5 tokens is outside [1, n_ctx = 4]`},
		{"generate run --tokens 0,7", 2, `mess3: token 7 at position 2 is outside the alphabet 0 … 2`},
		{"generate craft:coin --tokens 1,0", 2, `coin: token 1 at position 1: want token 2 (BOS); a possible sequence is BOS,tails,heads`},
		{"generate run --tokens 0 -n 0", 2, `--number 0 is outside [1, 1048576]`},
		{"generate run --tokens 0 --temperature -1", 2, `--temperature = -1 is outside [0, 1e6]; 0 takes the most probable token`},
		{"generate run --tokens 0 --top-k -1", 2, `--top-k = -1 is less than 0; 0 keeps all tokens`},
		{"generate run --tokens 0 --top-p 1.5", 2, `--top-p = 1.5 is outside [0, 1]; 1 keeps all tokens`},
		{"generate run --tokens 0 --stop 3", 2, `--stop = 3 is not a token; give one of 0 to 2`},
		{"generate run --tokens 012", 2, `--tokens: "012" at position 1 is not a token; did you mean 0,1,2?`},
		{"generate run --tokens 0 --stop 01", 2, `--stop: "01" at position 1 is not a token; did you mean 0,1?`},
		{"predict run --tokens 012", 2, `--tokens: "012" at position 1 is not a token; did you mean 0,1,2?`},
		{"walk run --tokens 012", 2, `--tokens: "012" at position 1 is not a token; did you mean 0,1,2?`},
		{"patch run --clean 012 --corrupt 0,1", 2, `the clean sequence: "012" at position 1 is not a token; did you mean 0,1,2?`},
		{"ablate run --tokens 012", 2, `sequence 012: "012" at position 1 is not a token; did you mean 0,1,2?`},
		{"process beliefs mess3 --tokens 012", 2, `--tokens: "012" at position 1 is not a token; did you mean 0,1,2?`},
		{"generate run --tokens 0 --stop x", 2, `--stop: "x" at position 1 is not a token; write tokens as 0,1,2`},
		{"probe run --target logits", 2, `--target: "logits" is not one of beliefs, constrained, linear, next`},
		{"probe run --convention seed002", 2, `--convention: "seed002" is not one of ours, piotrowski2025, probability, equal, pooled, last, each, sequence, word, in-sample, nested, plain, or a cut-off such as 1e-6`},
		{"probe run --convention piotrowski2025,2", 2, `--convention: the cut-off 2 is outside [1e-12, 1)`},
		{"probe long --convention last,equal", 2, `--convention last,equal needs all sequences, and there are more than 1048576 of --length 13; give a length of at most 12`},
		{"probe run --steer --target constrained", 2, `--steer moves beliefs; leave out --target constrained`},
		{"probe iid", 1, `iid: the beliefs are the same after every sequence, so there is nothing to read`},
		{"probe run --length 5", 2, `--length 5 is outside [1, 4]`},
		{"probe run --length 0", 2, `--length 0 is outside [1, 4]`},
		{"probe run --length 1", 2, `--length 1 gives 3 sequences; a held-out probe needs at least 5`},
		{"probe periodic", 2, `--length 4 gives 3 sequences; a held-out probe needs at least 5`},
		{"probe one", 2, `--length 4 gives 1 sequence; a held-out probe needs at least 5`},
		{"probe one --convention in-sample", 1, `iid: the beliefs are the same after every sequence, so there is nothing to read`},
		{"walk run --tokens 0 --format pdf", 2, `--format: "pdf" is not one of text, markdown, latex, html`},
		{"walk run --tokens 0 --param a=1", 2, `--param: run is not a hand-written model (craft:NAME); other models take no parameters`},
		{"walk craft:coin --tokens 1,0", 2, `--tokens: coin: token 1 at position 1: want token 2 (BOS); a possible sequence is BOS,tails,heads`},
		{"walk craft:coin --tokens 2,1,2", 2, `--tokens: coin: token 2 (BOS) at position 3: want it at position 1 only; a possible sequence is BOS,tails,heads`},
		{"walk craft:coin --tokens 2,3", 2, `--tokens: token 3 at position 2 is outside the alphabet [0, 2]`},
		{"walk craft:coin --tokens heds", 2, `--tokens: "heds" at position 1 is not a token; did you mean "heads"?`},
		{"walk craft:coin --tokens x", 2, `--tokens: "x" at position 1 is not a token; write tokens as 2,0,1 or by their names, as BOS,tails,heads`},
		{"walk craft:coin", 2, `--tokens: 0 tokens given; the model takes 1 to 1024, such as BOS,tails`},
		{"walk rnu", 1, `rnu: no such run or model; did you mean run?`},
		{"walk coyn", 1, `coyn: no such run or model; did you mean craft:coin?`},
		{"walk carft:coin", 1, `carft:coin: no such run or model; did you mean craft:coin?`},
		{"walk craft:coyn", 2, `unknown construction "coyn": did you mean "coin"?`},
		{"walk run", 2, `--tokens: 0 tokens given; the model takes 1 to 4, such as 0,1`},
		{"walk run --tokens 0,1,2,0,1", 2, `--tokens: 5 tokens given; the model takes 1 to 4, such as 0,1`},
		{"walk run --tokens 0,7", 2, `--tokens: token 7 at position 2 is outside the alphabet [0, 2]`},
		{"walk run --tokens 0,1 --position 2", 2, `--position 2 is outside [0, 1]`},
		{"walk run --tokens 0,1 --layer 1", 2, `--layer 1 is outside [0, 0]`},
		{"walk run --tokens 0,1 --digits 0", 2, `--digits 0 is outside [1, 15]`},
		{"walk run --tokens 0,1 --size 65", 2, `--size 65 is outside [1, 64]`},
		{"walk run --tokens 0 --json --out file", 2, `--json prints the walk on stdout; leave out --format and --out`},
		{"walk run --tokens 0 --out walk.pdf", 2, `--out: walk.pdf: unknown extension .pdf, want .txt, .md, .tex, .html, or give --format, one of text, markdown, latex, html`},
		{"walk run --tokens 0 --out nameless", 2, `--out: nameless is a folder; give a file`},
		{"probe craft:coim", 2, `unknown construction "coim": did you mean "coin"?`},
		{"probe craft:coin", 2, `probe: craft:coin is written by hand; probe takes a trained model, or --out FILE.html for a page about this one`},
		{"predict endless --tokens 3", 2, "model: token 3 at position 1 is outside the alphabet [0, 2]"},
		{"probe alone.safetensors", 1, "alone.safetensors: the configuration stored with the weights names no process, so there is no optimum to compare with; to name one, write the model: section of that configuration and a process: section to config.yaml in a folder with these weights as model.safetensors"},
		{"probe interleaved", 1, "probe: interleaved is not a hidden Markov model, so it has no beliefs to read; give --target next"},
		{"train --resume run --set model.d_model=3", 2, "--set model.d_model cannot change when a run is continued, only train.num_steps, train.evaluate_every, train.checkpoint_every, train.checkpoint_minutes, train.checkpoints; train a new run"},
		{"probe endless", 1, "endless: its config.yaml names no process, so there is no optimum to compare with; add a section process: to name one"},
		{"predict run@7 --tokens 0", 1, "run has no weights for step 7, only for steps 0, 20, 40; train.checkpoints can keep more"},
		{"predict run@-1 --tokens 0", 1, "run@-1: no such run or model"},
		{"predict run@01 --tokens 0", 1, "run@01: no such run or model"},
		{"predict missing@0 --tokens 0", 1, "missing holds no run"},
		{"predict endless@0 --tokens 0", 1, "endless holds a model, not a run, so it has no steps"},
		{"walk run --tokens 0 --out missing/walk.txt", 1, `--out: missing/walk.txt: no such file or directory`},
		{"walk endless --tokens 0" + strings.Repeat(",0", 2999), 1, `walk: the model and its activations over 3000 tokens have 1.8e+07 numbers, and the limit is 1.7e+07; use a smaller model or fewer tokens`},

		// Reproductions.
		{"reproduce mess4", 2, `reproduce: unknown paper "mess4": did you mean "mess3"?`},
		{"reproduce mess", 2, `reproduce: unknown paper "mess": did you mean "mess3"?`},
		{"reproduce all", 2, `reproduce: unknown paper "all": want one of mess3, coin, abc, beliefs, induction, signals, entropy`},
		{"reproduce abc mess3 abc", 2, `reproduce: abc is given twice`},
		{"reproduce coin abc --only A1,M1", 2, `--only: unknown claim "M1"; want one of C1, C2, C3, C4, C5, C6, A1, A2, A3, A4`},
		{"reproduce beliefs --only B1,M99", 2, `--only: unknown claim "M99"; want one of B1, B2`},
		{"reproduce --profile slow", 2, `--profile: "slow" is not one of quick, full, deep`},
		{"reproduce coin --profile deep", 2, "--profile: coin has no deep profile; full is the most that it trains"},
		{"reproduce --out file", 2, `--out: file is a file; give a folder`},
		{"reproduce --out run", 2, `--out: run holds a run; give another folder for the report`},
		{"reproduce abc --only A1 --engine slurm", 2, `--only has no meaning with --engine slurm, which trains the models of all rows`},
		{"reproduce abc --per-task 4", 2, `--per-task has no meaning with --engine local`},
		{"reproduce abc --engine sge", 2, `--engine: "sge" is not one of local, slurm, kubernetes`},
		{"reproduce entropy --engine slurm", 1, `entropy trains no models in its quick profile; leave out --engine`},
		{"reproduce abc --engine slurm --time 9x", 2, `--time: "9x" is not a time limit; write 90 (minutes) or 1:30:00 (hours)`},
		{"reproduce abc --engine slurm --sbatch array=1", 1, `the option array of sbatch is set by the program itself`},
		{"reproduce task abc --out missing", 1, `missing holds no study: it has no manifest.jsonl`},
	} {
		status, stdout, stderr := call(t, strings.Fields(c.args)...)
		stderr = strings.ReplaceAll(stderr, here, "$PWD")
		if status != c.status || stderr != "foretell: "+c.stderr+"\n" || stdout != "" {
			t.Errorf("foretell %s\nstatus %d, want %d\ngot  %swant foretell: %s\nstdout %q", c.args, status, c.status, stderr, c.stderr, stdout)
		}
	}

	after := files(t, ".")
	for path, contents := range after {
		if before[path] != contents {
			t.Errorf("%s was written", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
}

// TestTooLargeForMemory needs a configuration that no machine holds.
func TestTooLargeForMemory(t *testing.T) {
	inFolder(t)
	status, _, stderr := call(t, "train", "c.yaml", "--out", "run", "--set", "model.d_model=400000")
	if status != exitFailed || !strings.HasPrefix(stderr, "foretell: train: this configuration needs about ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, %q", status, stderr)
	}
	if _, err := os.Stat("run"); err == nil {
		t.Error("a folder was made")
	}
}

func TestUnknownInstructionSet(t *testing.T) {
	t.Setenv(kernel.EnvISA, "nonsense")
	status, stdout, stderr := call(t, "process", "list")
	if status != exitUsage || stdout != "" || !strings.HasPrefix(stderr, `foretell: FORETELL_ISA: instruction set "nonsense" is not one of this machine's: `) {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// fullDisk is a stdout that takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFullStdout(t *testing.T) {
	for _, args := range []string{"process list", "process list --json", "process floor even", "--help", "process sample mess3 -n 1000"} {
		var errs strings.Builder
		status := execute(context.Background(), strings.Fields(args), fullDisk{}, &errs)
		if status != exitFailed || errs.String() != "foretell: standard output: no space left on device\n" {
			t.Errorf("%s: status %d, %q", args, status, errs.String())
		}
	}
}

// What the library says of folders and of memory gets the flags that put it right,
// behind whatever is said around it.
func TestAdvice(t *testing.T) {
	folder := func(err error) error { return fmt.Errorf("M2: %w", &run.FolderError{Dir: "out", Err: err}) }
	for want, err := range map[string]error{
		"M2: out already holds a run; continue it with `foretell train --resume out`, or give another folder with --out": folder(run.ErrHoldsRun),
		"M2: out holds a run of another configuration; give another folder with --out":                                   folder(run.ErrOtherConfig),
		"M2: out holds checkpoints of a run but no config.yaml; give another folder with --out":                          folder(errors.New("holds checkpoints of a run but no config.yaml")),
		"train: this configuration needs about 3.0 GB of memory with 2 workers, and the machine has 2.0 GB; lower model.d_model, n_layers, n_ctx or --workers": &train.MemoryError{
			Need: 3e9, Have: 2e9, Workers: 2, Fields: "model.d_model, n_layers, n_ctx",
		},
		"cause": errors.New("cause"),
	} {
		if got := withAdvice(err); got.Error() != want || !errors.Is(got, err) {
			t.Errorf("got  %v\nwant %s", got, want)
		}
	}
}
