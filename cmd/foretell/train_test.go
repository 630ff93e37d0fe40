package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/random"
	"foretell/model"
)

// The weights that a run keeps are models, and a run can be extended, to which its files
// bear witness.
func TestKeptAndExtended(t *testing.T) {
	inFolder(t)
	_, _, said := call(t, "train", "c.yaml", "--out", "run", "--set", "train.checkpoints=log")
	if !strings.Contains(said, "  worse than guessing\n") || strings.Contains(said, " -") || strings.Count(said, "  KL 0.") != 3 {
		t.Errorf("said %q", said)
	}
	for arg, want := range map[string]string{
		"run@0": "", "run@8": `"checkpoint":{"step":8,`, "run/snapshots/step-8.safetensors": `"checkpoint":{"step":8,`,
		"run@20": `"checkpoint":{"step":20,`, "run": `"checkpoint":{"step":40,`, "run/checkpoints/step-40": `"checkpoint":{"step":40,`,
	} {
		out := mustCall(t, "predict", arg, "--tokens", "0,1", "--json")
		if out = strings.Join(strings.Fields(out), ""); !strings.Contains(out, want) || !strings.Contains(out, `"kl":`) {
			t.Errorf("%s: %s", arg, out)
		}
	}
	mustCall(t, "train", "--resume", "run", "--set", "train.num_steps=60", "--set", "train.evaluate_every=10")
	mustCall(t, "train", "c.yaml", "--out", "long", "--set", "train.num_steps=60")
	if mustCall(t, "predict", "run", "--tokens", "0,1") != mustCall(t, "predict", "long", "--tokens", "0,1") {
		t.Error("the extended run is another")
	}
	if out := mustCall(t, "runs", "check", "run"); out != "run: note: extended at step 40 of 40\nrun: step 60 of 60, all files are intact\n" {
		t.Errorf("%q", out)
	}
}

// What changed in a run that goes on is told by what it was.
func TestChangedButNotExtended(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	mustCall(t, "train", "--resume", "run", "--set", "train.checkpoints=all", "--set", "train.evaluate_every=10")
	mustCall(t, "train", "--resume", "run", "--set", "train.num_steps=50")
	const want = "run: note: train.evaluate_every, train.checkpoints changed at step 40 of 40\n" +
		"run: note: extended at step 40 of 40\nrun: step 50 of 50, all files are intact\n"
	if out := mustCall(t, "runs", "check", "run"); out != want {
		t.Errorf("%q", out)
	}
}

// unknowable is a number that nobody knows of a recording: it may stand in a line only
// with the word memorised.
var unknowable = regexp.MustCompile(`(?i)(entropy rate|floor|ceiling|gap)[^a-z]*[0-9]`)

// No command prints an entropy rate, a floor, a ceiling or a gap of 3,000 normal
// samples, a model of them is judged on the part held out and is told to be worse than
// guessing, and after their last samples there is no optimum.
func TestNoiseHasNoFloor(t *testing.T) {
	t.Chdir(t.TempDir())
	src, samples := random.New(1, "test/noise"), make([]string, 3000)
	for n := range samples {
		samples[n] = strconv.FormatFloat(src.Normal(), 'g', 6, 64)
	}
	write(t, "noise.csv", strings.Join(samples, "\n")+"\n")
	write(t, "own.yaml", "process: {name: recording, params: {signal: '@noise.csv', levels: 16}}\n"+
		"model: {d_model: 16, n_layers: 1, n_heads: 1, n_ctx: 8}\n"+
		"train: {batch_size: 64, num_steps: 400, lr: 0.01, evaluate_every: 200}\n")
	var said string
	for _, args := range []string{
		"process show recording --param signal=@noise.csv", "process show recording --param signal=@noise.csv --json",
		"process show recording --param signal=@noise.csv --out own.html",
		"process floor recording --param signal=@noise.csv", "process beliefs recording --param signal=@noise.csv --tokens 0,1",
		"process check recording --param signal=@noise.csv", "process sample recording --param signal=@noise.csv",
		"train own.yaml --out own", "runs check own", "runs list .", "process show own", "plot own --out own.csv",
		"plot own --json", "plot own --out own.html", "generate own --signal @noise.csv -n 3 --slide", "probe own",
		"patch own --clean 0,1 --corrupt 0,2 --hook resid_mid", "ablate own --tokens 0,1,2",
		"predict own --signal @noise.csv", "predict own --signal @noise.csv --json", "predict own --signal @noise.csv --out own.svg",
	} {
		_, stdout, stderr := call(t, strings.Fields(args)...)
		for line := range strings.Lines(stdout + stderr) {
			if found := unknowable.FindString(line); found != "" && !strings.Contains(line, "memorised") {
				t.Errorf("foretell %s says %q", args, line)
			}
		}
		if strings.HasPrefix(args, "predict") && strings.Contains(stdout, "optimal") {
			t.Errorf("foretell %s has an optimum: %s", args, stdout)
		}
		said += stdout + stderr
	}
	for _, want := range []string{
		"the last 600 of 3000 samples", " nats worse than guessing\n  held-out loss ", "\n  accuracy ",
		"recording: its best possible prediction is not known",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// A model that names no process predicts by itself, and a note says why.
func TestModelWithoutProcess(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := model.New[float32](model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 5, DVocab: 3}, 1)
	if err == nil {
		err = m.Save("bare")
	}
	if err != nil {
		t.Fatal(err)
	}
	status, out, said := call(t, "predict", "bare", "--tokens", "0,1")
	if status != exitDone || !strings.HasPrefix(out, "next token   model\n") || said != "note: bare: its config.yaml names no process, "+
		"so there is no optimum to compare with; add a section process: to name one\n" {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if out := mustCall(t, "generate", "bare", "--tokens", "0,1", "--json"); strings.Contains(out, "optimal") {
		t.Errorf("%s", out)
	}
}
