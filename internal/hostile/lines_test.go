package hostile

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// kind is the kind of an argument or of the value of a flag.
type kind int

const (
	word      kind = iota // one of a fixed set of words
	number                // an integer
	duration              // duration of a measurement, in seconds
	tokens                // a sequence of tokens
	process               // the name of a process, or a file
	parameter             // name=value
	model                 // a run, a folder with weights, craft:NAME
	file                  // a configuration
	change                // train.key=value
	output                // a file or a folder to be written
	nothing               // a flag without a value
)

// part is an argument or a flag of a command, with a valid value.
type part struct {
	flag  string // empty for an argument
	right string // empty for an optional flag
	kind  kind
}

// command is a command with all its arguments and flags.
type command struct {
	words string
	parts []part
}

// jsonFlag is a flag of all commands.
var jsonFlag = part{"--json", "", nothing}

// commands lists all commands of the program, with valid values that run quickly.
var commands = []command{
	{"process list", []part{jsonFlag}},
	{"process show", []part{
		{"", "mess3", process},
		{"--param", "x=0.1", parameter},
		{"--format", "", word},
		{"--graph", "", word},
		jsonFlag,
	}},
	{"process show", []part{{"", "mess3", process}, {"--format", "svg", word}, {"--graph", "geometry", word}}},
	{"process show", []part{{"", "periodic", process}, {"--param", "pattern=abab", parameter}}},
	{"process show", []part{{"", "markov", process}, {"--param", "P=[[0.5,0.5],[0.1,0.9]]", parameter}}},
	{"process sample", []part{
		{"", "even", process},
		{"-n", "2", number},
		{"--length", "5", number},
		{"--seed", "", number},
		{"--param", "", parameter},
		jsonFlag,
	}},
	{"process beliefs", []part{
		{"", "mess3", process}, {"--tokens", "0,1", tokens}, {"--param", "", parameter}, jsonFlag,
	}},
	{"process floor", []part{
		{"", "mess3", process}, {"--positions", "3", number}, {"--param", "", parameter}, jsonFlag,
	}},
	{"process check", []part{{"", "even", process}, {"--param", "", parameter}, jsonFlag}},
	{"train", []part{
		{"", "c.yaml", file},
		{"--out", "new", output},
		{"--set", "train.lr=0.01", change},
		{"--workers", "1", number},
		jsonFlag,
	}},
	{"train", []part{{"--resume", "run", model}, {"--workers", "", number}, jsonFlag}},
	{"predict", []part{{"", "run", model}, {"--tokens", "0,1", tokens}, {"--param", "", parameter}, jsonFlag}},
	{"predict", []part{{"", "craft:coin", model}, {"--tokens", "2,1", tokens}, {"--param", "n_ctx=4", parameter}}},
	{"predict", []part{{"", "bare", model}, {"--tokens", "0", tokens}}},
	{"generate", []part{
		{"", "run", model},
		{"--tokens", "0,1", tokens},
		{"-n", "", number},
		{"--temperature", "", number},
		{"--top-k", "", number},
		{"--top-p", "", number},
		{"--seed", "", number},
		{"--stop", "", tokens},
		{"--param", "", parameter},
		{"--slide", "", nothing},
		jsonFlag,
	}},
	{"generate", []part{
		{"", "text", model}, {"--text", "it is", word}, {"-n", "3", number}, jsonFlag,
	}},
	{"generate", []part{{"", "half-text", model}, {"--text", "it is", word}}},
	{"probe", []part{
		{"", "run", model},
		{"--target", "", word},
		{"--convention", "", word},
		{"--length", "", number},
		{"--workers", "", number},
		{"--concat", "", nothing},
		{"--steer", "", nothing},
		jsonFlag,
	}},
	{"probe", []part{
		{"", "run", model}, {"--out", "new.svg", output}, {"--length", "3", number}, {"--param", "", parameter},
	}},
	{"plot", []part{{"", "run", model}, {"--out", "new.svg", output}}},
	{"plot", []part{{"", "run", model}, jsonFlag}},
	{"walk", []part{
		{"", "run", model},
		{"--tokens", "0,1", tokens},
		{"--position", "", number},
		{"--layer", "", number},
		{"--digits", "", number},
		{"--size", "", number},
		{"--format", "", word},
		{"--out", "", output},
		{"--param", "", parameter},
		jsonFlag,
	}},
	{"predict", []part{
		{"", "craft:induction", model},
		{"--tokens", "2,1", tokens},
		{"--param", "n_ctx=8", parameter},
		{"--param", "lags=[1,2]", parameter},
		{"--out", "", output},
		jsonFlag,
	}},
	{"predict", []part{
		{"", "craft:switching-delay", model},
		{"--tokens", "28,1", tokens},
		{"--param", "n_ctx=8", parameter},
		{"--param", "delays=[1,2]", parameter},
	}},
	{"craft show", []part{
		{"", "craft:induction", model},
		{"--param", "n_ctx=8", parameter},
		{"--format", "", word},
		{"--out", "", output},
		jsonFlag,
	}},
	{"reproduce", []part{
		{"", "coin", word},
		{"--only", "C0", word},
		{"--profile", "", word},
		{"--out", "new", output},
		{"--workers", "", number},
		jsonFlag,
	}},
	{"bench train", []part{
		{"", "mess3", word},
		{"--seconds", "0.01", duration},
		{"--workers", "", number},
		{"--config", "", file},
		jsonFlag,
	}},
	{"bench sample", []part{
		{"", "mess3", process},
		{"--seconds", "0.01", duration},
		{"--length", "", number},
		{"--param", "", parameter},
		jsonFlag,
	}},
	{"bench prefixes", []part{{"--seconds", "x", duration}, {"--workers", "", number}}},
	{"bench curve", []part{{"--seconds", "x", duration}, {"--out", "", output}, {"--workers", "", number}}},
	{"bench kernel", []part{{"--seconds", "x", duration}, {"--out", "", output}}},
	{"man", []part{{"--out", "new", output}, jsonFlag}},
	{"completion", []part{{"", "bash", word}}},
	{"help", []part{{"", "process", word}}},
	{"__complete", []part{{"", "predict", word}, {"", "r", model}}},
	{"", []part{{"", "process", word}, {"--version", "", nothing}}},
}

// Lines returns the command lines, without the program's name. The order is always the
// same.
func Lines() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, c := range commands {
			for line := range c.lines() {
				if !yield(line) {
					return
				}
			}
		}
	}
}

// lines returns the lines of a command: each part in turn is left out, given twice, given
// without a value, or given each hostile value; and one line has an extra argument.
func (c command) lines() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i, p := range c.parts {
			if !c.partLines(i, p, yield) {
				return
			}
		}
		right := c.line(-1)
		flags := []string{"--help=x", "--tokens", "--param=x", "-n", "--seconds=1e999"}
		for _, more := range slices.Concat(texts, flags) {
			if !yield(append(slices.Clone(right), more)) {
				return
			}
		}
	}
}

func (c command) partLines(i int, p part, yield func([]string) bool) bool {
	twice := append(c.line(-1), c.line(-1)[len(strings.Fields(c.words)):]...)
	for _, line := range [][]string{c.line(i), twice} {
		if !yield(line) {
			return false
		}
	}
	if p.flag != "" && !yield(append(c.line(i), p.flag)) {
		return false
	}
	for _, value := range p.values() {
		forms := [][]string{{value}}
		if p.flag != "" {
			forms = [][]string{{p.flag + "=" + value}}
			if len(value)%2 == 0 && p.kind != nothing {
				forms = [][]string{{p.flag, value}}
			}
		}
		for _, form := range forms {
			if !yield(c.line(i, form...)) {
				return false
			}
		}
	}
	return true
}

// line returns the command's valid line with part i replaced by other arguments.
func (c command) line(i int, instead ...string) []string {
	line := strings.Fields(c.words)
	for j, p := range c.parts {
		switch {
		case j == i:
			line = append(line, instead...)
		case p.right == "":
		case p.flag == "":
			line = append(line, p.right)
		default:
			line = append(line, p.flag, p.right)
		}
	}
	return line
}

// values returns the hostile values of a part.
func (p part) values() []string {
	switch p.kind {
	case number:
		return slices.Concat(numbers, texts)
	case duration:
		return slices.DeleteFunc(slices.Concat(numbers, texts), func(text string) bool {
			x, err := strconv.ParseFloat(text, 64)
			return err == nil && x > 0.1 && x <= 3600 // valid, but slow
		})
	case tokens:
		return slices.Concat(texts, numbers, documents)
	case process:
		return slices.Concat(texts, paths, documents)
	case parameter:
		names := []string{"x", "a", "P", "pattern", "n_ctx", "components"}
		return slices.Concat(texts, documents, atFiles, named(names, numbers, documents, atFiles))
	case model:
		return slices.Concat(texts, paths, documents)
	case file:
		return slices.Concat(paths, texts)
	case change:
		return slices.Concat(texts, documents, named(keys, numbers, documents, texts[:30]))
	case output:
		return outputs
	case nothing:
		return slices.Concat(numbers[:8], texts[:12])
	}
	return slices.Concat(texts, numbers, documents)
}

// keys are keys of the configuration of a training run.
var keys = []string{
	"train.lr", "train.seed", "train.betas", "train.optimizer", "train.loss_positions",
	"model.d_model", "model.n_ctx", "model.n_heads", "model.n_layers", "model.act_fn",
	"process.name", "process.params.x", "process.params", "process", "model", "train", "",
}

// named returns arguments name=value. Each name gets a few values; together the names
// cover all values of the lists.
func named(names []string, lists ...[]string) (list []string) {
	values := slices.Concat(lists...)
	const each = 24
	for i, name := range names {
		for j := range each {
			list = append(list, name+"="+values[(i*each+j*5)%len(values)])
		}
	}
	return list
}
