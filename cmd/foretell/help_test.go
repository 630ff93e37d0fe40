package main

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/claim"
	"foretell/internal/kernel"
	"foretell/model"
	"foretell/paper"
	"foretell/train"

	"github.com/spf13/cobra"
)

// TestKeysAreInTheHelp holds that the help of train names every key of a
// configuration.
func TestKeysAreInTheHelp(t *testing.T) {
	help := mustCall(t, "train", "--help")
	section := func(from, to string) string {
		_, rest, _ := strings.Cut(help, "\n"+from)
		text, _, _ := strings.Cut(rest, "\n"+to)
		return text
	}
	for text, options := range map[string]any{
		section("The keys of model", "The keys of train"): model.Config{},
		section("The keys of train", "The last fifth"):    train.Options{},
	} {
		for i := range reflect.TypeOf(options).NumField() {
			key, _, written := strings.Cut(reflect.TypeOf(options).Field(i).Tag.Get("yaml"), ",")
			if key == "" && !written {
				continue // no key of a configuration
			}
			if words := strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_0123456789", r) }); !slices.Contains(words, key) {
				t.Errorf("%T: the help of train does not name %q", options, key)
			}
		}
	}
}

// TestProcessHelpIsRight holds that the file that the help of process shows defines a
// process, and that the matrices beside it define the same.
func TestProcessHelpIsRight(t *testing.T) {
	t.Chdir(t.TempDir())
	_, rest, _ := strings.Cut(mustCall(t, "process", "--help"), "defines your own:\n\n")
	byEdges, rest, _ := strings.Cut(rest, "\n\n")
	_, rest, _ = strings.Cut(rest, "\n\n")
	matrices, _, _ := strings.Cut(rest, "\n\n")
	head, _, _ := strings.Cut(byEdges, "  transitions:")
	write(t, "edges.yaml", byEdges)
	write(t, "matrices.yaml", head+matrices)
	edges, byMatrices := mustCall(t, "process", "show", "edges.yaml"), mustCall(t, "process", "show", "matrices.yaml")
	if edges != strings.Replace(byMatrices, "matrices.yaml", "edges.yaml", 1) {
		t.Errorf("the edges give\n%s\nthe matrices\n%s", edges, byMatrices)
	}
	write(t, "c.yaml", strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "\n"+byEdges, 1))
	mustCall(t, "train", "c.yaml", "--out", "run", "--set", "train.num_steps=2")
}

// TestTrainHelpIsRight holds that the examples of train do what they say with the
// configuration that its help shows, one after another, with fewer steps.
func TestTrainHelpIsRight(t *testing.T) {
	t.Chdir(t.TempDir())
	help := mustCall(t, "train", "--help")
	_, rest, _ := strings.Cut(help, "three parts:\n\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	write(t, "config.yaml", strings.Replace(text, "d_model: 64", "d_model: 4", 1))
	_, rest, _ = strings.Cut(help, "Examples:\n")
	examples, _, _ := strings.Cut(rest, "\n\n")
	for example := range strings.Lines(examples) {
		args := strings.Fields(strings.Replace(example, "=6000", "=6", 1))[1:]
		if !slices.Contains(args, "--resume") {
			args = append(args, "--set", "train.num_steps=4")
		}
		mustCall(t, args...)
	}
	if _, err := os.Stat("runs/second/checkpoints/step-6"); err != nil {
		t.Error(err)
	}
}

// Helps fit a terminal of 80 columns, but for words and examples that are longer, and no
// word of them is broken.
func TestHelpFitsTheTerminal(t *testing.T) {
	root := newRoot()
	whole := map[string]string{}
	var each func(cmd *cobra.Command, f func(cmd *cobra.Command))
	each = func(cmd *cobra.Command, f func(cmd *cobra.Command)) {
		f(cmd)
		for _, sub := range cmd.Commands() {
			each(sub, f)
		}
	}
	each(root, func(cmd *cobra.Command) { whole[cmd.CommandPath()] = cmd.Long + cmd.UsageString() })
	fitHelp(root, 80)
	each(root, func(cmd *cobra.Command) {
		help := cmd.Long + cmd.UsageString()
		if got, want := strings.Fields(help), strings.Fields(whole[cmd.CommandPath()]); !slices.Equal(got, want) {
			t.Errorf("%s: %q became %q", cmd.CommandPath(), want, got)
		}
		help, _, _ = strings.Cut(help, "Usage:")
		_, flags, _ := strings.Cut(cmd.UsageString(), "Flags:")
		for line := range strings.SplitSeq(help+flags, "\n") {
			if n := utf8.RuneCountInString(line); n > 80 && len(strings.Fields(line)) > 1 {
				t.Errorf("%s: %d columns: %q", cmd.CommandPath(), n, line)
			}
		}
	})
}

// The help of bench names the models with their sizes and the variable that chooses the
// instruction set, and no flag's text has a hole.
func TestBenchHelp(t *testing.T) {
	help := mustCall(t, "bench", "--help")
	for _, want := range []string{kernel.EnvISA, "avx512half", "minigpt: d_model 64, n_layers 3, n_heads 4"} {
		if !strings.Contains(help, want) {
			t.Errorf("bench --help does not have %q", want)
		}
	}
	for _, name := range []string{"train", "curve", "solve", "prefixes", "sample", "kernel"} {
		if help := mustCall(t, "bench", name, "--help"); strings.Contains(help, "measure  ") {
			t.Errorf("bench %s: %s", name, help)
		}
	}
}

// citation is how a row cites a document: author and year.
var citation = regexp.MustCompile(`\p{Lu}[\pL\d'’]+( et al\.)? (19|20)\d\d\b`)

// TestPapersAreNamed holds that the help says what each paper is, and that each row
// cites its document by author and year, as the paper's source explains, or goes beyond
// all of them. A paper with several sources has semicolons between them.
func TestPapersAreNamed(t *testing.T) {
	help := mustCall(t, "reproduce", "--help")
	for _, p := range paper.Papers {
		if !strings.Contains(help, p.Name+": "+p.Title+"\n") || !strings.Contains(help, p.Source) {
			t.Errorf("the help does not say what %s is", p.Name)
		}
		for _, row := range p.Rows(claim.Quick) {
			cited := citation.FindAllString(row.Source, -1)
			if len(cited) == 0 && !strings.HasPrefix(row.Source, "beyond the documents") {
				t.Errorf("%s cites no document by author and year: %q", row.ID, row.Source)
			}
			for _, name := range cited {
				if !strings.Contains("; "+p.Source, "; "+name+", ") {
					t.Errorf("%s cites %s, and the paper's source is %q", row.ID, name, p.Source)
				}
			}
		}
	}
}
