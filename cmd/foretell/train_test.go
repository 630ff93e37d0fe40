package main

import (
	"os"
	"strings"
	"testing"

	"foretell/model"
)

// The weights that a run keeps are models, and a run can be extended, to which its files
// bear witness.
func TestKeptAndExtended(t *testing.T) {
	inFolder(t)
	_, _, said := call(t, "train", "c.yaml", "--out", "run", "--set", "train.checkpoints=log")
	if !strings.Contains(said, "  above chance\n") || strings.Contains(said, " -") || strings.Count(said, "  KL 0.") != 3 {
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
	if out := mustCall(t, "runs", "check", "run"); out != "run: note: extended at step 40 of 40\nrun: step 60 of 60, everything is as it was written\n" {
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
		"run: note: extended at step 40 of 40\nrun: step 50 of 50, everything is as it was written\n"
	if out := mustCall(t, "runs", "check", "run"); out != want {
		t.Errorf("%q", out)
	}
}

// The loss on a recording that was held out is found as `process show` says: on the
// recording that was learned it is the one with which the run ended.
func TestLossOnWhatWasHeldOut(t *testing.T) {
	inFolder(t)
	shown := mustCall(t, "process", "show", "recording")
	_, command, _ := strings.Cut(shown, "`foretell ")
	command, _, ok := strings.Cut(command, "`")
	if said := mustCall(t, "help", "train"); !ok || !strings.Contains(said, "--set process.params.signal=@held.csv") {
		t.Fatalf("%s\n%s", shown, said)
	}
	files := map[string]string{
		"seen.csv": "height\n1\n3\n2\n0\n1\n2\n3\n", "held.csv": "height\n3\n2\n1\n9\n1\n",
		"tide.yaml": "process: {name: recording, params: {signal: '@seen.csv', levels: 4, range: [0, 3]}}\n" +
			"model: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 3}\n" +
			"train: {batch_size: 8, num_steps: 20, lr: 0.01, evaluate_sequences: 16, evaluate_every: 20}\n",
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loss := func(said string, step string) string {
		_, line, _ := strings.Cut(said, "\nstep "+step+" ")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
		return line
	}
	_, _, ended := call(t, "train", "tide.yaml", "--out", "runs/tide")
	for _, held := range []string{"seen", "held"} {
		words := strings.NewReplacer("RUN", "runs/tide", "HELD", held, "runs/held", "runs/"+held).Replace(command)
		status, _, said := call(t, strings.Fields(words)...)
		same := loss(said, "0") == loss(ended, "20")
		if status != exitDone || !strings.HasPrefix(loss(said, "0"), "loss ") || same != (held == "seen") {
			t.Errorf("%s: %d, %s\nafter\n%s", words, status, said, ended)
		}
		if clipped := strings.Contains(said, "note: 1 of 5 samples (20 %) are beyond the range"); clipped != (held == "held") {
			t.Errorf("%s: %s", words, said)
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
		"so there is no optimum to compare with; a section process: there would name one\n" {
		t.Errorf("status %d\n%s%s", status, out, said)
	}
	if out := mustCall(t, "generate", "bare", "--tokens", "0,1", "--json"); strings.Contains(out, "optimal") {
		t.Errorf("%s", out)
	}
}
