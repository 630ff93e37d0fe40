package main

import (
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/paper"
)

// complete returns what the shell offers for the last argument, without the
// descriptions, and cobra's directive.
func complete(t *testing.T, args ...string) (offers []string, directive string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(mustCallQuiet(t, append([]string{"__complete"}, args...)...)), "\n")
	for _, line := range lines[:len(lines)-1] {
		offer, _, _ := strings.Cut(line, "\t")
		offers = append(offers, offer)
	}
	return offers, lines[len(lines)-1]
}

// mustCallQuiet is mustCall for a command that speaks on stderr, too.
func mustCallQuiet(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := call(t, args...)
	if status != exitDone {
		t.Fatalf("%v: status %d, %s", args, status, stderr)
	}
	return stdout
}

func TestCompletion(t *testing.T) {
	inFolder(t)
	for _, run := range []string{"runs/first", "elsewhere"} {
		mustCall(t, "train", "c.yaml", "--out", run, "--set", "train.num_steps=1")
	}
	const noFiles, noFilesNoSpace, onlyExtensions, onlyFolders, filesToo = ":4", ":6", ":8", ":16", ":0"
	for _, c := range []struct {
		args      []string
		offers    string
		directive string
	}{
		{[]string{"pro"}, "probe process", noFiles},
		{[]string{"process", "s"}, "sample show", noFiles},
		{[]string{"plot", "runs/first", "else"}, "elsewhere", noFiles},
		{[]string{"patch", "craft:induction", "--head", ""}, "0.0 1.0 1.1 1.2 2.0", noFiles},
		{[]string{"patch", "runs/first", "--hook", ""}, "resid_pre q k v rot_q rot_k attn_scores pattern z attn_out resid_mid mlp_pre mlp_post mlp_out resid_post", noFiles},
		{[]string{"ablate", "runs/first", "--with", ""}, "zero mean resample", noFiles},
		{[]string{"process", "show", ""}, "mess3 mess3_mixture z1r rrxor even golden_mean golden_mean_5_3 sns fractal2 teddy_bear parentheses bloch_walk frdn moon coin interleaved random_chains markov periodic iid sine mackey_glass recording switching_delay brackets routing factored mixture noisy mapped", filesToo},
		{[]string{"process", "show", "mess3", "--graph", ""}, "states beliefs geometry attention", noFiles},
		{[]string{"process", "floor", ""}, "mess3 mess3_mixture z1r rrxor even golden_mean golden_mean_5_3 sns fractal2 teddy_bear parentheses bloch_walk frdn moon coin interleaved random_chains markov periodic iid sine mackey_glass recording switching_delay brackets routing factored mixture noisy mapped", filesToo},
		{[]string{"process", "floor", "mess3", ""}, "", noFiles},
		{[]string{"process", "floor", "mess3", "--param", ""}, "x= a=", noFilesNoSpace},
		{[]string{"process", "show", "interleaved", "--param", ""}, "P= lags=", noFilesNoSpace},
		{[]string{"process", "list", ""}, "", noFiles},
		{[]string{"lessons", ""}, "1 2 3 4 5", noFiles},
		{[]string{"reproduce", ""}, "mess3 coin abc beliefs induction signals entropy", noFiles},
		{[]string{"reproduce", "--profile", ""}, "quick full deep", noFiles},
		{[]string{"reproduce", "--only", ""}, rowsOf("mess3"), noFilesNoSpace},
		{[]string{"reproduce", "beliefs", "--only", ""}, "B1 B2", noFilesNoSpace},
		{[]string{"reproduce", "beliefs", "--only", "B1,"}, "B1,B2", noFilesNoSpace},
		{[]string{"reproduce", "--out", ""}, "", onlyFolders},
		{[]string{"train", ""}, "yaml yml", onlyExtensions},
		{[]string{"train", "--resume", ""}, "runs/first elsewhere", noFiles},
		{[]string{"plot", "runs/first", "el"}, "elsewhere", noFiles},
		{[]string{"plot", "elsewhere", "--along", ""}, "auto step log share tokens log-tokens", noFiles},
		{[]string{"predict", "el"}, "elsewhere", noFiles},
		{[]string{"predict", "craft:"}, "craft:coin craft:coin-attention craft:induction craft:delay craft:switching-delay craft:routing craft:brackets", noFiles},
		{[]string{"predict", "craft:coin", ""}, "", noFiles},
		{[]string{"predict", "craft:coin", "--param", ""}, "a= b= n_ctx= error= width=", noFilesNoSpace},
		{[]string{"predict", "nothing"}, "", onlyFolders},
		{[]string{"ge"}, "generate", noFiles},
		{[]string{"generate", "el"}, "elsewhere", noFiles},
		{[]string{"generate", "elsewhere", "--top-p", ""}, "", noFiles},
		{[]string{"craft", "show", "craft:i"}, "craft:induction", noFiles},
		{[]string{"craft", "show", "craft:induction", "--format", ""}, "text svg", noFiles},
		{[]string{"probe", "runs/"}, "runs/first", noFiles},
		{[]string{"probe", "elsewhere", "--target", ""}, "beliefs constrained linear next", noFiles},
		{[]string{"walk", "el"}, "elsewhere", noFiles},
		{[]string{"walk", "elsewhere", "--format", ""}, "text markdown latex html", noFiles},
		{[]string{"walk", "elsewhere", "--layer", ""}, "", noFiles},
		{[]string{"help", "pred"}, "predict", noFiles},
	} {
		offers, directive := complete(t, c.args...)
		if want := strings.Fields(c.offers); !slices.Equal(offers, want) || directive != c.directive {
			t.Errorf("%q: %q %s, want %q %s", c.args, offers, directive, want, c.directive)
		}
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if script := mustCall(t, "completion", shell); !strings.Contains(script, "__complete") {
			t.Errorf("%s: no completion script", shell)
		}
	}
}

// rowsOf lists the ids of a paper's rows.
func rowsOf(name string) string {
	var ids []string
	for _, p := range paper.Papers {
		if p.Name == name {
			for _, row := range p.Rows(claim.Quick) {
				ids = append(ids, row.ID)
			}
		}
	}
	return strings.Join(ids, " ")
}
