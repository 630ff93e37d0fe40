package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"foretell/internal/needs"
	"foretell/internal/text"
)

// Whatever the commands show to people goes through package text.
func TestEverythingIsPrintedShowable(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && len(call.Args) > 0 {
				to, ok := f.X.(*ast.Ident)
				prints := ok && to.Name == "fmt" && (strings.HasPrefix(f.Sel.Name, "Fprint") || strings.HasPrefix(f.Sel.Name, "Print"))
				if prints {
					t.Errorf("%s: fmt.%s shows texts as they are; use printf", set.Position(n.Pos()), f.Sel.Name)
				}
			}
			return true
		})
	}
}

// obeyed are the characters that a terminal obeys or does not show, and such as make a
// name look like another, but for NUL, which no path can have.
func obeyed() (list []string) {
	for r := rune(1); r < 0xa0; r++ {
		if unicode.IsControl(r) {
			list = append(list, string(r))
		}
	}
	for r := rune(0x2000); r < 0x2100; r++ {
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			list = append(list, string(r))
		}
	}
	return append(list, "\u061c", "\u00ad", "\ufeff", "\xff", "\xc3", "\xed\xa0\x80")
}

// quoteYAML writes a text as YAML, every odd character by its number.
func quoteYAML(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= ' ' && r < 0x7f && r != '"' && r != '\\':
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return `"` + b.String() + `"`
}

// wantShowable checks that a terminal has nothing to obey but ends of lines, and that a
// failure takes one line.
func wantShowable(t *testing.T, args []string, status int, stdout, stderr string) {
	t.Helper()
	about := func() string { return text.Message(strings.Join(args, " ")) }
	allowed := "\n"
	if args[0] == "__complete" { // what the shell reads, with a tab before each description
		allowed = "\n\t"
	}
	for _, stream := range []string{stdout, stderr} {
		for piece := range strings.FieldsFuncSeq(stream, func(r rune) bool { return strings.ContainsRune(allowed, r) }) {
			if text.Escape(piece) != piece {
				t.Errorf("foretell %s prints %q", about(), piece)
				return
			}
		}
	}
	for line := range strings.Lines(stderr) {
		if utf8.RuneCountInString(line) > text.LongestMessage+1 {
			t.Errorf("foretell %s: a line of %d characters: %s", about(), utf8.RuneCountInString(line), line)
		}
	}
	if status != exitDone && (strings.Count(stderr, "foretell: ") < 1 || !strings.HasPrefix(lastLine(stderr), "foretell: ")) {
		t.Errorf("foretell %s: status %d, %q", about(), status, stderr)
	}
}

func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndex(text, "\n")+1:]
}

// namesOf is a process whose name, states and tokens hold a text.
func namesOf(text string) string {
	name := func(kind string) string { return quoteYAML(kind + text + kind) }
	a, b, heads, tails := name("A"), name("B"), name("h"), name("t")
	return fmt.Sprintf("name: %s\nstates: [%s, %s]\ntokens: [%s, %s]\ntransitions:\n"+
		"  - {from: %s, to: %s, token: %s, p: 0.9}\n  - {from: %s, to: %s, token: %s, p: 0.1}\n  - {from: %s, to: %s, token: %s, p: 1}\n",
		name("n"), a, b, heads, tails, a, a, heads, a, b, tails, b, a, heads)
}

// trainingOf is a training on a process.
func trainingOf(process string) string {
	_, rest, _ := strings.Cut(config, "\n")
	return "process:\n  " + strings.ReplaceAll(strings.TrimSuffix(process, "\n"), "\n", "\n  ") + "\n" + rest
}

// hostileCalls are commands that print the arguments, names and paths that they are
// given, when all is well and when it is not. file defines a process, training a
// training.
func hostileCalls(text, file, training string) [][]string {
	long := strings.Repeat(text+" x", 500)
	calls := [][]string{
		{"process", "show", file},
		{"process", "check", file},
		{"process", "floor", file, "--positions", "2"},
		{"process", "beliefs", file, "--tokens", "0,1,0"},
		{"process", "beliefs", file, "--tokens", "1,1"},
		{"process", "sample", file},
		{"process", "show", file, "--format", "svg"},
		{"process", "show", file, "--format", "dot"},
		{"process", "show", file, "--format", "svg", "--graph", "beliefs"},
		{"process", "show", file, "--format", "dot", "--graph", "beliefs"},
		{"train", training, "--out", "run" + text},
		{"train", training, "--out", "run" + text},
		{"train", "--resume", "run" + text},
		{"predict", "run" + text, "--tokens", "0"},
		{"predict", "run" + text, "--tokens", "h" + text + "h"},
		{"generate", "run" + text, "--tokens", "0", "--stop", "h" + text + "h"},
		{"generate", "run" + text, "--text", text},
		{"probe", "run" + text},
		{"walk", "run" + text, "--tokens", "0", "--out", "walk" + text, "--format", "text"},
		{"walk", "run" + text, "--tokens", "0", "--out", "run" + text},
		{"walk", "run" + text, "--tokens", "0", "--out", "run" + text + "/config.yaml"},
		{"__complete", "predict", ""},
		{"__complete", "predict", "run"},
		{"__complete", "process", "show", text},
	}
	for _, bad := range []string{text, long} {
		calls = append(calls, [][]string{
			{bad},
			{"process", bad},
			{"help", bad},
			{"--" + bad},
			{"-" + bad},
			{"process", "list", bad},
			{"process", "show", bad},
			{"process", "show", bad + ".yaml"},
			{"process", "show", "./" + bad},
			{"process", "show", "mess3", "--param", bad},
			{"process", "show", "mess3", "--param", bad + "=1"},
			{"process", "show", "mess3", "--param", "x=" + bad},
			{"process", "show", "mess3", "--param", "x=@" + bad},
			{"process", "show", "mess3", "--format", bad},
			{"process", "show", "mess3", "--graph", bad},
			{"process", "beliefs", file, "--tokens", bad},
			{"process", "floor", file, "--positions", bad},
			{"predict", bad},
			{"predict", "craft:" + bad},
			{"predict", "craft:coin", "--tokens", bad},
			{"predict", "craft:coin", "--param", bad + "=1"},
			{"predict", "run" + text, "--tokens", bad},
			{"generate", bad, "--tokens", "0"},
			{"generate", "run" + text, "--tokens", bad},
			{"generate", "run" + text, "--tokens", "0", "--stop", bad},
			{"generate", "run" + text, "--tokens", "0", "--top-p", bad},
			{"probe", bad},
			{"probe", "run" + text, "--target", bad},
			{"probe", "run" + text, "--convention", bad},
			{"probe", "craft:" + bad},
			{"walk", bad},
			{"walk", "run" + text, "--tokens", "0", "--out", "x." + bad},
			{"walk", "run" + text, "--tokens", "0", "--out", "no/" + bad, "--format", "text"},
			{"walk", "run" + text, "--tokens", "0", "--format", bad},
			{"train", bad},
			{"train", training, "--out", file},
			{"train", training, "--set", bad},
			{"train", training, "--set", "train." + bad + "=1"},
			{"train", training, "--set", "train.lr=" + bad},
			{"train", training, "--set", "process.name=" + bad},
			{"train", "--resume", bad},
			{"train", training, "--out", "."},
			{"reproduce", bad},
			{"reproduce", "--only", bad},
			{"reproduce", "--profile", bad},
			{"reproduce", "--out", file},
			{"reproduce", "--out", "run" + text},
			{"bench", "train", bad},
			{"bench", "train", "--config", bad},
			{"bench", "curve", "--out", "run" + text},
			{"bench", "curve", "--out", "no/" + bad},
			{"bench", bad},
		}...)
	}
	return calls
}

// Names, arguments and paths with every character that a terminal obeys, through every
// command that prints them: they are shown escaped. With FORETELL_EXHAUSTIVE each of the
// characters goes through by itself as well.
func TestHostileNames(t *testing.T) {
	all := strings.Join(obeyed(), "")
	texts := []string{all, "\n", "\r\x1b[2K", "\t", "\x1b]0;title\x07", "\u202etxt.", "\u2066x\u2069", "\xff"}
	if needs.Exhaustive() {
		texts = append(texts, obeyed()...)
	}
	for _, text := range texts {
		t.Chdir(t.TempDir())
		file, training := "p"+text+".yaml", "t"+text+".yaml"
		write(t, file, namesOf(text))
		write(t, training, trainingOf(namesOf(text)))
		for _, args := range hostileCalls(text, file, training) {
			status, stdout, stderr := call(t, args...)
			wantShowable(t, args, status, stdout, stderr)
		}
	}
}

// The tables of a process with line breaks and tabs in its names have the lines of any
// other.
func TestNamesKeepLines(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "plain.yaml", namesOf("x"))
	write(t, "odd.yaml", namesOf("\n\t\v\f\r\u2028\x1b"))
	for _, args := range [][]string{
		{"process", "show"}, {"process", "check"}, {"process", "floor"}, {"process", "beliefs"},
	} {
		plain, odd := mustCall(t, append(args, "plain.yaml")...), mustCall(t, append(args, "odd.yaml")...)
		if a, b := strings.Count(plain, "\n"), strings.Count(odd, "\n"); a != b {
			t.Errorf("%v: %d lines, want %d:\n%s", args, b, a, odd)
		}
	}
}

// JSON holds names as they are.
func TestNamesInJSONAreExact(t *testing.T) {
	t.Chdir(t.TempDir())
	const odd = "\n\t\x1b[2J\u202e\u009b\u2028"
	write(t, "odd.yaml", namesOf(odd))
	var got struct {
		Name   string
		Tokens []string
	}
	decode(t, mustCall(t, "process", "show", "odd.yaml", "--json"), &got)
	if got.Name != "n"+odd+"n" || got.Tokens[1] != "t"+odd+"t" {
		t.Errorf("%+v", got)
	}
	out := "run\n\x1b\u202e"
	if err := os.WriteFile("c.yaml", []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	var run struct{ Run string }
	if err := json.Unmarshal([]byte(mustCall(t, "train", "c.yaml", "--out", out, "--json")), &run); err != nil || run.Run != out {
		t.Errorf("%q, %v", run.Run, err)
	}
}
