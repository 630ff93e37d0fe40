package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"foretell/internal/golden"

	"github.com/spf13/cobra"
)

// TestTexts compares what commands print, numbers rounded.
func TestTexts(t *testing.T) {
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	write(t, "lazy.yaml", lazy)
	for _, c := range []struct{ name, args string }{
		{"process-list", "process list"},
		{"process-show", "process show mess3 --param a=0.2 --all"},
		{"process-show-complex", "process show z1r --all"},
		{"process-show-generalised", "process show moon --all"},
		{"process-show-counts", "process show coin --all"},
		{"process-show-lags", "process show interleaved --param P=[[0.9,0.1],[0.5,0.5]] --param lags=[1,4] --all"},
		{"process-show-recording", "process show mackey_glass --all"},
		{"process-show-program", "process show brackets --all"},
		{"process-show-signal-hmm", "process show sine --param period=4 --param levels=3 --all"},
		{"process-show-finite", "process show rrxor --all"},
		{"process-show-degenerate", "process show mess3 --param x=0.3333333333333333 --all"},
		{"process-show-file", "process show lazy.yaml --all"},
		{"process-show-summary", "process show mess3 --param a=0.2"},
		{"process-show-summary-finite", "process show rrxor"},
		{"process-show-summary-recording", "process show mackey_glass"},
		{"process-show-summary-own", "process show recording"},
		{"process-show-summary-program", "process show brackets"},
		{"process-show-dot", "process show mess3 --format dot"},
		{"process-show-dot-beliefs", "process show even --format dot --graph beliefs"},
		{"process-show-svg-beliefs", "process show even --format svg --graph beliefs"},
		{"process-show-svg-geometry", "process show mess3 --param x=0.3333333333333333 --format svg --graph geometry"},
		{"process-show-svg-one-token", "process show iid --param n=1 --format svg --graph geometry"},
		{"process-show-svg-attention", "process show even --format svg --graph attention"},
		{"process-floor-lags", "process floor interleaved --positions 6"},
		{"process-floor-file", "process floor ./lazy.yaml --positions 4"},
		{"process-beliefs-generalised", "process beliefs moon --tokens 0,1"},
		{"process-sample-nested", "process sample factored --param first=periodic --param second=z1r --length 6"},
		{"process-sample", "process sample golden_mean -n 3 --length 12 --seed 7"},
		{"process-sample-names", "process sample moon -n 2 --length 8 --seed 1"},
		{"process-beliefs", "process beliefs mess3 --tokens 0,1,2"},
		{"process-beliefs-none", "process beliefs even"},
		{"process-floor", "process floor mess3 --param x=0.05 --param a=0.85 --positions 4"},
		{"process-check", "process check mess3 --param x=0.3333333333333333"},
		{"process-check-nothing", "process check mess3"},
		{"train", "train c.yaml --out run"},
		{"train-default-folder", "train c.yaml"},
		{"train-resume", "train --resume run"},
		{"predict", "predict run --tokens 0,1,2"},
		{"walk", "walk run --tokens 0,1,2 --position 1 --size 4 --digits 1"},
		{"predict-crafted", "predict craft:coin --param a=2 --param b=5 --tokens 2,1,1,0"},
		{"predict-induction", "predict craft:induction --param lags=[2,5] --param heads=1 --param n_ctx=16 --tokens 0,1,2,0,1,1,1,2,0,0,1,2"},
		{"predict-routing", "predict craft:routing --param n_ctx=16 --tokens 30,2,4,5,31,18"},
		{"generate", "generate craft:coin --param n_ctx=16 --tokens 2,1,1,0 -n 10 --temperature 2 --top-k 2 --top-p 0.9 --seed 3"},
		{"generate-most-probable", "generate craft:induction --param lags=[2,5] --param heads=1 --param n_ctx=16 --tokens 0,1,2,0,1,1 --temperature 0 -n 12 --slide"},
		{"craft-show", "craft show craft:induction --param lags=[1,3] --param n_ctx=8"},
		{"patch", "patch run --clean 0,1,1 --corrupt 0,2,1 --hook pattern"},
		{"patch-pairs", "patch run --pairs 40 --hook resid_mid --attribution"},
		{"patch-crafted", "patch craft:coin --clean 2,1,1,0 --corrupt 2,1,0,0 --hook attn_out --score 2,3"},
		{"patch-nothing", "patch run --clean 0,1,1 --corrupt 0,1,1"},
		{"ablate", "ablate run"},
		{"ablate-parts", "ablate craft:coin --param n_ctx=6 --head 0.0 --position 3 --with zero"},
		{"evaluate", "evaluate run --process mess3 --param a=0.85"},
		{"evaluate-crafted", "evaluate craft:coin --param n_ctx=6 --sequences 8"},
		{"evaluate-recording", "evaluate run --process recording --param signal=[1,2,3,1,2,3,2,2,1,3,2,1,1,2,3,1,1,2,3,1,2,3,2,2,1,3,2,1,1,2,3,1] --param levels=3 --sequences 4"},
		{"probe", "probe run --target constrained --length 3"},
		{"probe-all", "probe run --convention piotrowski2025,each,1e-3 --concat --steer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			golden.Compare(t, filepath.Join(testdata, c.name+".txt"), rounded(mustCall(t, strings.Fields(c.args)...)))
		})
	}
}

// TestTrainProgress compares what train says on stderr without a terminal.
func TestTrainProgress(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("testdata", "train-stderr.txt"))
	if err != nil {
		t.Fatal(err)
	}
	inFolder(t)
	_, _, stderr := call(t, "train", "c.yaml", "--out", "run")
	golden.Compare(t, path, rounded(stderr))
}

// TestReproduceTable runs the rows that need no training.
func TestReproduceTable(t *testing.T) {
	t.Chdir(t.TempDir())
	stdout := mustCall(t, "reproduce", "mess3", "--only", "M1", "--out", "out")
	for _, want := range []string{"id  verdict  found  ", "\nM1  holds  ", "\n1 identity holds\n", "\nreport: out/report.html\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	all := mustCall(t, "reproduce", "mess3", "--only", "M1", "--out", "out", "--verbose")
	for _, want := range []string{"M1    holds\n  claim     ", "\n  rule      ", "\n  found     ", "\nreport: out/report.html\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	page, err := os.ReadFile("out/report.html")
	if err != nil {
		t.Fatal(err)
	}
	if want := "foretell reproduce mess3 --only M1 --out out"; !strings.Contains(string(page), want) {
		t.Errorf("the report lacks the command %q", want)
	}
}

// shellWords splits a line into words as a shell does, where single quotes hold spaces.
func shellWords(line string) []string {
	words := regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1)
	for i, word := range words {
		words[i] = strings.Trim(word, "'")
	}
	return words
}

// TestHelp holds for each command that --help shows an example which the command
// line understands, on stdout.
func TestHelp(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		if cmd.Name() == "help" { // cobra's own
			return
		}
		words := strings.Fields(path(cmd))
		status, stdout, stderr := call(t, append(words, "--help")...)
		if status != exitDone || stderr != "" || !strings.Contains(stdout, "Examples:\n") || !strings.Contains(stdout, "Usage:\n") {
			t.Errorf("%s --help: status %d, stderr %q, stdout %q", cmd.CommandPath(), status, stderr, stdout)
		}
		for line := range strings.Lines(cmd.Example) {
			if err := understood(shellWords(line)); err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), strings.TrimSpace(line), err)
			}
		}
		if status, _, stderr := call(t, append(words, "--nonsense")...); status != exitUsage ||
			stderr != "foretell: unknown flag: --nonsense; see `"+cmd.CommandPath()+" --help`\n" {
			t.Errorf("%s --nonsense: status %d, %q", cmd.CommandPath(), status, stderr)
		}
	}
	walk(newRoot())
}

// understood says whether a command line has a command, its flags and arguments.
func understood(words []string) error {
	if len(words) < 2 || words[0] != "foretell" {
		return errors.New("does not begin with foretell")
	}
	cmd, rest, err := newRoot().Find(words[1:])
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if !cmd.Runnable() || cmd.HasAvailableSubCommands() && cmd.Flags().NArg() == 0 {
		return errors.New("is no command that does something")
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
