package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/probe"
)

// TestJSONFields holds the fields that others script against, for every command:
// each one is there, and stdout is exactly one JSON value.
func TestJSONFields(t *testing.T) {
	inFolder(t)
	for _, c := range []struct{ args, fields string }{
		{"--version --json", "version"},
		{"process show mess3 --json", "name params states tokens matrices stationary entropy_rate entropy_rate_error chance spectrum linear"},
		{"process show z1r --json", "name params states tokens matrices stationary entropy_rate chance spectrum"},
		{"process show coin --json", "name params tokens entropy_rate chance beliefs_error"},
		{"process show interleaved --json", "name params tokens stationary entropy_rate entropy_rate_error chance beliefs_error"},
		{"process sample interleaved --json", "tokens"},
		{"process floor interleaved --positions 4 --json", "floor entropy_rate chance"},
		{"process show brackets --json", "name params tokens entropy_rate chance ceiling beliefs_error"},
		{"process show rrxor --json", "generalised excess_entropy excess_entropy_error estimated beliefs"},
		{"process show moon --json", "generalised right beliefs_error notes"},
		{"process sample mess3 -n 2 --length 3 --seed 1 --json", "tokens"},
		{"process beliefs mess3 --tokens 0,1 --json", "beliefs constrained linear next log_prob"},
		{"process floor mess3 --positions 3 --json", "floor entropy_rate chance"},
		{"process check mess3 --json", "problems"},
		{"train c.yaml --out run --dry-run --json", "process parameters steps batch sequences tokens workers shards passes shares_prefixes evaluations checkpoints memory memory_bytes"},
		{"train c.yaml --out run --json", "run summary"},
		{"train --resume run --json", "run summary"},
		{"predict run --tokens 0,1,2 --json", "model optimal kl checkpoint"},
		{"predict craft:induction --param n_ctx=8 --tokens 0,1,2,0 --json", "model optimal kl"},
		{"predict craft:switching-delay --param delays=[2,5] --param n_ctx=8 --param positions=rotary --tokens 28,1,2,10 --json", "model optimal kl"},
		{"evaluate run --json", "model process length sequences seed loss floor floor_exact chance kl kl_error gap_closed kl_by_position"},
		{"generate run --tokens 0,1 -n 2 --json", "prompt tokens model optimal ended"},
		{"generate craft:induction --param n_ctx=8 --tokens 0,1,2,0 -n 9 --slide --json", "prompt tokens model optimal ended"},
		{"craft show craft:induction --param n_ctx=8 --json", "matrices"},
		{"walk craft:coin --param n_ctx=4 --tokens 2,1,0 --json", "title sections attribution"},
		{"walk run --tokens 0,1,2 --json", "title intro tokens digits size sections attribution"},
		{"probe run --length 3 --json", "target words kl stages"},
		{"probe run --length 3 --json", "target convention words kl kl_by_position stages controls"},
		{"probe run --steer --json", "target words kl stages steered"},
		{"reproduce --only M1 --out out --json", "claims report"},
		{"plot run --json", "runs same_floor"},
		{"patch run --clean 0,1,1 --corrupt 0,2,1 --json", "hook reference clean corrupt pairs scored kl_clean kl_corrupt positions rows"},
		{"patch run --pairs 40 --hook v --attribution --json", "hook reference pairs sampled kl_clean_error positions rows attribution_correlation attribution_sites"},
		{"ablate run --json", "with reference length words kl kl_by_position chance_kl chance_kl_by_position parts"},
		{"bench train --seconds 0.01 --json", "model workers tokens_per_second gflops peak_gflops allocs_per_step isa"},
		{"bench train --config c.yaml --seconds 0.01 --json", "model workers tokens_per_second gflops peak_gflops allocs_per_step isa"},
		{"bench sample mess3 --seconds 0.01 --json", "process length tokens_per_second"},
	} {
		var got map[string]json.RawMessage
		decode(t, mustCall(t, strings.Fields(c.args)...), &got)
		for _, field := range strings.Fields(c.fields) {
			if value, ok := got[field]; !ok || string(value) == "null" {
				t.Errorf("foretell %s: %s is %q", c.args, field, value)
			}
		}
	}
}

func TestProcessListJSON(t *testing.T) {
	var list []struct {
		Name, Kind, Summary string
		Params              map[string]any
		States, Alphabet    int
	}
	decode(t, mustCall(t, "process", "list", "--json"), &list)
	if len(list) == 0 {
		t.Fatal("no process")
	}
	stateless := strings.Fields("coin interleaved random_chains mackey_glass recording switching_delay brackets routing")
	for _, p := range list {
		if p.Name == "" || p.Kind == "" || p.Summary == "" || len(p.Params) == 0 || (p.States < 1) != slices.Contains(stateless, p.Name) || p.Alphabet < 2 {
			t.Errorf("%+v", p)
		}
	}
	if p := list[0]; p.Name != "mess3" || p.Params["x"] != 0.15 || p.Params["a"] != 0.6 || p.States != 3 || p.Alphabet != 3 {
		t.Errorf("%+v", p)
	}
}

// TestBeliefsJSON compares with Bayes' rule by hand: Mess3(0.15, 0.6) after the
// token 0 believes in state 0 with probability a, in the others with (1−a)/2.
func TestBeliefsJSON(t *testing.T) {
	var got struct {
		Beliefs, Constrained, Linear, Next [][]float64
		LogProb                            float64 `json:"log_prob"`
	}
	decode(t, mustCall(t, "process", "beliefs", "mess3", "--tokens", "0", "--json"), &got)
	third := 1. / 3
	want := [][]float64{{third, third, third}, {0.6, 0.2, 0.2}}
	for n, rows := range [][][]float64{got.Beliefs, got.Constrained, got.Linear} {
		for i, row := range want {
			for j, p := range row {
				if len(rows) != 2 || math.Abs(rows[i][j]-p) > 1e-15 {
					t.Fatalf("table %d: %v, want %v", n, rows, want)
				}
			}
		}
	}
	if math.Abs(got.LogProb-math.Log(third)) > 1e-15 || len(got.Next) != 2 || math.Abs(got.Next[1][0]-0.392) > 1e-15 {
		t.Errorf("%+v", got)
	}
}

// TestSampleJSON holds that text and JSON show the same tokens, and that a longer
// sample begins like a shorter one.
func TestSampleJSON(t *testing.T) {
	var two, three struct{ Tokens [][]int32 }
	decode(t, mustCall(t, "process", "sample", "mess3", "-n", "2", "--length", "6", "--seed", "5", "--json"), &two)
	decode(t, mustCall(t, "process", "sample", "mess3", "-n", "3", "--length", "6", "--seed", "5", "--json"), &three)
	var lines []string
	for i, sequence := range two.Tokens {
		text, err := json.Marshal(sequence)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(three.Tokens[i])
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != string(again) {
			t.Errorf("sequence %d: %s, %s", i, text, again)
		}
		lines = append(lines, strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(text)))
	}
	text := mustCall(t, "process", "sample", "mess3", "-n", "2", "--length", "6", "--seed", "5")
	if want := strings.Join(lines, "\n") + "\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// TestPredictJSON holds kl against the two distributions beside it.
func TestPredictJSON(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	var got struct {
		Model, Optimal []float64
		KL             float64
	}
	decode(t, mustCall(t, "predict", "run", "--tokens", "0,1", "--json"), &got)
	kl, sum := 0.0, 0.0
	for z, p := range got.Optimal {
		kl += p * math.Log(p/got.Model[z])
		sum += got.Model[z]
	}
	if math.Abs(kl-got.KL) > 1e-9 || math.Abs(sum-1) > 1e-6 {
		t.Errorf("%+v: kl is %v", got, kl)
	}
}

// A GPT-2's folder of Hugging Face's predicts without an optimum: 20 tokens of 29, the
// likeliest first, and in JSON all of them.
func TestPredictHuggingFace(t *testing.T) {
	const folder = "../../model/testdata/gpt2-tied"
	lines := strings.Split(mustCall(t, "predict", folder, "--tokens", "1,2,3"), "\n")
	if len(lines) != 22 || !strings.HasPrefix(lines[1], "12 ") {
		t.Errorf("%q", lines)
	}
	got := map[string][]float64{}
	decode(t, mustCall(t, "predict", folder, "--tokens", "1,2,3", "--json"), &got)
	if len(got) != 1 || len(got["model"]) != 29 {
		t.Errorf("%v", got)
	}
	if status, _, stderr := call(t, "probe", folder); status != exitFailed || !strings.Contains(stderr, "names no process") {
		t.Errorf("probe: status %d, %q", status, stderr)
	}
}

// TestInterleavedJSON trains on chains of unknown lag, and compares what `predict`
// says of the optimum with Bayes' rule by hand: after 1 0 0 1 lag 1 has the likelihood
// 0.9·0.1 and lag 2 has 0.1·0.1, so token 0 has the probability 0.9·0.1 + 0.1·0.9.
func TestInterleavedJSON(t *testing.T) {
	inFolder(t)
	write(t, "lags.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}",
		"{name: interleaved, params: {P: [[0.9, 0.1], [0.1, 0.9]], lags: [1, 2]}}", 1))
	mustCall(t, "train", "lags.yaml", "--out", "lags")
	for tokens, want := range map[string]float64{"0": 0.5, "0,0,1": 0.5, "1,0,0": 0.9, "1,0,0,1": 0.18} {
		var got struct{ Model, Optimal []float64 }
		decode(t, mustCall(t, "predict", "lags", "--tokens", tokens, "--json"), &got)
		if len(got.Model) != 2 || math.Abs(got.Optimal[0]-want) > 1e-12 {
			t.Errorf("after %s: %+v, want %g for token 0", tokens, got, want)
		}
	}
	if status, _, stderr := call(t, "probe", "lags"); status != exitFailed || stderr != "foretell: probe: interleaved is not a hidden Markov model, so it has no beliefs to read; give --target next\n" {
		t.Errorf("probe: status %d, %q", status, stderr)
	}
	var got probe.Report
	decode(t, mustCall(t, "probe", "lags", "--target", "next", "--json"), &got)
	if got.Target != "next" || len(got.Stages) == 0 || got.Stages[0].NextToken < 1-1e-9 {
		t.Errorf("probe --target next: %+v", got)
	}
}

// TestPredictCraftedJSON holds a hand-written coin against (a+H)/(a+b+N), a parameter
// of it read from a file.
func TestPredictCraftedJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.json", "0.5\n")
	for _, name := range []string{"craft:coin", "craft:coin-attention"} {
		var got struct {
			Model, Optimal []float64
			KL             float64
		}
		decode(t, mustCall(t, "predict", name, "--param", "a=@a.json", "--param", "b=5", "--param", "error=1e-8", "--tokens", "2,1,1,0", "--json"), &got)
		want := []float64{6 / 8.5, 2.5 / 8.5, 0}
		for z, p := range want {
			if math.Abs(got.Model[z]-p) > 1e-8 || math.Abs(got.Optimal[z]-p) > 1e-15 {
				t.Errorf("%s: token %d: %+v, want %v", name, z, got, p)
			}
		}
		if math.Abs(got.KL) > 1e-12 {
			t.Errorf("%s: KL %v", name, got.KL)
		}
	}
}

// TestPredictInductionJSON holds a construction against the rows of a matrix that is read
// from a file: after many tokens of lag 2 it predicts the row of the token two back.
func TestPredictInductionJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "P.json", "[[0.05, 0.95],\n [0.9, 0.1]]\n")
	for _, more := range []string{"heads=1", "heads=2", "third_layer=masked", "average=transition"} {
		var got struct{ Model, Optimal []float64 }
		decode(t, mustCall(t, "predict", "craft:induction", "--param", "lags=[2, 5]", "--param", "P=@P.json", "--param", "n_ctx=24",
			"--param", more, "--tokens", "0,1,1,0,0,1,1,0,0,1,1,0,0,1,1,0,0,1", "--json"), &got)
		for z, p := range []float64{0.05, 0.95} { // of 0, two back
			if math.Abs(got.Model[z]-p) > 1e-3 || math.Abs(got.Optimal[z]-p) > 1e-3 {
				t.Errorf("%s: token %d: %+v, want %v", more, z, got, p)
			}
		}
	}
}

// TestTrainJSON holds that a run's summary is that of its folder, also when
// nothing is left to do.
func TestTrainJSON(t *testing.T) {
	inFolder(t)
	type result struct {
		Run     string
		Summary map[string]any
	}
	var first, again result
	decode(t, mustCall(t, "train", "c.yaml", "--out", "run", "--json"), &first)
	decode(t, mustCall(t, "train", "--resume", "run", "--json"), &again)
	data, err := os.ReadFile(filepath.Join("run", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	decode(t, string(data), &file)
	for _, field := range []string{"step", "loss/eval", "floor", "chance", "gap_closed"} {
		if file[field] == nil || file[field] != first.Summary[field] || file[field] != again.Summary[field] {
			t.Errorf("%s: %v in the folder, %v at first, %v again", field, file[field], first.Summary[field], again.Summary[field])
		}
	}
	if first.Run != "run" || first.Summary["step"] != 40.0 {
		t.Errorf("%+v", first)
	}
}

func TestReproduceJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	var got struct {
		Claims []struct {
			ID, Source, Statement, Expected, Obtained, Verdict string
			Seconds                                            float64
			Figures, Data                                      []string
		}
		Report string
	}
	decode(t, mustCall(t, "reproduce", "mess3", "--only", "M1", "--out", "out", "--json"), &got)
	if len(got.Claims) != 1 {
		t.Fatalf("%d claims", len(got.Claims))
	}
	c := got.Claims[0]
	if c.ID != "M1" || c.Verdict != "holds" || c.Source == "" || c.Statement == "" || c.Expected == "" || c.Obtained == "" || len(c.Figures) == 0 || len(c.Data) == 0 {
		t.Errorf("%+v", c)
	}
	for _, path := range append(append(c.Figures, c.Data...), filepath.Base(got.Report)) {
		if _, err := os.Stat(filepath.Join("out", path)); err != nil {
			t.Error(err)
		}
	}
}

// TestProbeJSON holds the fields of a stage, and that R² of a position where nothing
// varies is null.
func TestProbeJSON(t *testing.T) {
	inFolder(t)
	mustCall(t, "train", "c.yaml", "--out", "run")
	var got struct {
		Words            int
		Stages, Controls []map[string]any
		Steered          []map[string]any
	}
	decode(t, mustCall(t, "probe", "run", "--length", "3", "--concat", "--steer", "--convention", "each,plain", "--json"), &got)
	if len(got.Stages) != 4 || len(got.Controls) != 4 || len(got.Steered) != 3 || got.Words != 39 {
		t.Fatalf("%d stages, %d controls, %d steered, %d words", len(got.Stages), len(got.Controls), len(got.Steered), got.Words)
	}
	for _, stage := range got.Stages {
		for _, field := range strings.Fields("stage r2 r2_error rmse mse r2_random_init mse_random_init r2_shuffled r2_next_token") {
			if stage[field] == nil {
				t.Errorf("%v has no %s", stage["stage"], field)
			}
		}
		if positions, _ := stage["r2_by_position"].([]any); len(positions) != 3 {
			t.Errorf("%v: R² by position %v", stage["stage"], stage["r2_by_position"])
		}
	}
	for i, name := range []string{"next token", "last 1 token", "last 2 tokens", "last 3 tokens"} {
		if got.Controls[i]["features"] != name || got.Controls[i]["r2"] == nil {
			t.Errorf("control %v, want %s", got.Controls[i], name)
		}
	}
	var linear probe.Report
	decode(t, mustCall(t, "probe", "run", "--length", "3", "--target", "linear", "--convention", "in-sample,plain", "--json"), &linear)
	if linear.Target != "linear" || len(linear.Stages) != 3 || !(linear.Controls[3].R2 > 1-1e-9) {
		t.Errorf("probe --target linear of words of three tokens: %+v", linear)
	}
	if text, err := json.Marshal([]probe.Finite{0.5, probe.Finite(math.NaN()), probe.Finite(math.Inf(-1))}); err != nil || string(text) != "[0.5,null,null]" {
		t.Errorf("%s, %v", text, err)
	}
}
