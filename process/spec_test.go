package process

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"foretell/internal/processtest"
)

// lazy is a definition of which each row of specMistakes changes something.
const lazy = `name: lazy
states: [A, B]
tokens: [heads, tails]
transitions:                 # what is not listed has probability 0
  - {from: A, to: A, token: heads, p: 0.9}
  - {from: A, to: B, token: tails, p: 0.1}
  - {from: B, to: A, token: heads, p: 0.5}
  - {from: B, to: B, token: tails, p: 0.5}
`

// lazyMatrices is the same by matrices, and half the coin by a generalised HMM.
const (
	lazyMatrices = `name: lazy
states: [A, B]
tokens: [heads, tails]
matrices: {heads: [[0.9, 0], [0.5, 0]], tails: [[0, 0.1], [0, 0.5]]}
`
	lazyGeneralised = `name: lazy
states: [A, B]
tokens: [heads, tails]
matrices: {heads: [[0.9, 0], [0.25, 0]], tails: [[0, 0.2], [0, 0.5]]}
right: [2, 1]
`
)

// The three ways to define one process give the same words.
func TestDefinitions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lazy.yaml")
	if err := os.WriteFile(path, []byte(lazy), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := must(p.(*HMM).Prefixes(t.Context(), 6))
	for _, text := range []string{lazyMatrices, lazyGeneralised} {
		q, err := Parse("lazy.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := must(q.(*HMM).Prefixes(t.Context(), 6))
		if d := distance(got.Prob, want.Prob); d > 1e-15 || q.(*HMM).Generalised() != strings.Contains(text, "right") {
			t.Errorf("probabilities differ by %g for\n%s", d, text)
		}
	}
	if p.Name() != "lazy" || math.Abs(want.Prob[0]-(5./6*0.9+1./6*0.5)) > 1e-15 {
		t.Errorf("%s: heads have the probability %g", p.Name(), want.Prob[0])
	}
}

func change(text, old, new string) string {
	if !strings.Contains(text, old) {
		panic("nothing to change: " + old)
	}
	return strings.Replace(text, old, new, 1)
}

// specMistakes are files with one thing wrong, and what is said of it.
var specMistakes = []struct{ text, want string }{
	// A name alone, which need not be one.
	{"moon", `lazy.yaml:1:1: a mapping (key: value) is expected, not "moon"; want {name: moon}`},
	{"\x17\n\n\v", `lazy.yaml:1:1: the character U+0017 in a text; write \u0017 in double quotes`},
	// The faults of the matrices, with state, token and row.
	{change(lazy, "0.1}", "0.2}"), "lazy.yaml:5:5: transitions[0] is not possible: lazy: state A: its probabilities sum to 1.1, want 1"},
	{change(lazy, "  - {from: A, to: A, token: heads, p: 0.9}\n  - {from: A, to: B, token: tails, p: 0.1}\n", ""), "lazy.yaml:4:1: transitions is not possible: lazy: state A: its probabilities sum to 0, want 1"},
	{change(lazy, "0.9", "-0.9"), "lazy.yaml:5:36: transitions[0].p = -0.9 is not a probability: from state A by token heads to state A, want a number in [0, 1]"},
	{change(lazyMatrices, "0.9", "0.8"), "lazy.yaml:4:1: matrices is not possible: lazy: state A: its probabilities sum to 0.9, want 1"},
	{change(lazyMatrices, "[0, 0.5]", "[-0.5, 1]"), "lazy.yaml:4:59: matrices.tails[1] is not possible: lazy: state B: its probability to emit tails and go to A is -0.5, want at least 0"},
	{change(lazyMatrices, "[0, 0.5]", "[0.5]"), "lazy.yaml:4:59: matrices.tails[1] is not possible: lazy: token tails: row B of its matrix has 1 entries, want one for each of 2 states"},
	{change(lazyMatrices, ", [0, 0.5]", ""), "lazy.yaml:4:41: matrices.tails is not possible: lazy: token tails: its matrix has 1 rows, want one for each of 2 states"},
	{change(change(lazy, "to: B", "to: A"), "B, to: A", "B, to: B"), "lazy.yaml:4:1: transitions is not possible: lazy: the sets of states {A} and {B} are never left"},
	{change(lazyGeneralised, "[2, 1]", "[2, 1, 0]"), "lazy.yaml:5:1: right has 3 entries, want one for each of 2 states"},
	{change(lazyGeneralised, "[2, 1]", "[2, 1.1]"), "lazy.yaml:4:1: matrices is not possible: lazy: state A: its entry of T times right is 2.02, want 2, its entry of right (and 1 more fault)"},
	{change(change(lazyGeneralised, "[0, 0.2]", "[0.2, -0.2]"), "[0.25, 0]", "[0.4, -0.3]"), "lazy.yaml:4:1: matrices is not possible: lazy: the sequence tails tails has probability -0.07, want at least 0 (found among the sequences of up to 2 tokens)"},
	{"name: g\nstates: [A, B]\ntokens: [z]\nmatrices: {z: [[1, 0], [0, 1]]}\nright: [1, 1]\n", "lazy.yaml:4:1: matrices is not possible: g: πT = π has 2 independent solutions: want exactly one"},
	{"name: g\nstates: [A, B]\ntokens: [z]\nmatrices: {z: [[1, 1], [0, 1]]}\nright: [1, 0]\n", "lazy.yaml:4:1: matrices is not possible: g: there is no stationary state: no π has πT = π and πr = 1"},

	// Names.
	{change(lazy, "to: B", "to: C"), `lazy.yaml:6:15: transitions[1].to = "C" is not a state: want one of A, B`},
	{change(lazy, "from: A", "from: a"), `lazy.yaml:5:6: transitions[0].from = "a" is not a state: did you mean "A"?`},
	{change(lazy, "token: tails", "token: tail"), `lazy.yaml:6:22: transitions[1].token = "tail" is not a token: did you mean "tails"?`},
	{change(lazy, "[A, B]", "[A, A]"), `lazy.yaml:2:1: states is not possible: states 0 and 1 are both named "A"`},
	{change(lazy, "heads, tails", "heads, ''"), `lazy.yaml:3:1: tokens is not possible: token 1 has no name`},
	{change(lazyMatrices, "tails: [", "tail: ["), `lazy.yaml:4:41: matrices.tail = "tail" is not a token: did you mean "tails"?`},
	{change(lazyMatrices, ", tails: [[0, 0.1], [0, 0.5]]", ""), `lazy.yaml:4:1: matrices has no matrix for token tails; want one for each token`},
	{change(lazy, "to: B", "to: A") + "  - {from: A, to: A, token: tails, p: 0.1}\n", `lazy.yaml:9:5: transitions[4] is given twice: transitions[1] also goes from A by tails to A`},

	// What has to be there, and what must not.
	{change(lazy, ", p: 0.1}", "}"), "lazy.yaml:6:5: transitions[1]: p is missing; give the probability of the transition"},
	{change(lazy, "p: 0.1}", "p: }"), "lazy.yaml:6:36: transitions[1].p: no value; a number is expected"},
	{change(lazy, "name: lazy\n", ""), "lazy.yaml:1:1: name is missing; give your process a name"},
	{change(lazy, "states: [A, B]\n", ""), "lazy.yaml:1:1: states is missing; name the states, such as [A, B]"},
	{change(lazy, "tokens: [heads, tails]\n", ""), "lazy.yaml:1:1: tokens is missing; name the tokens, such as [heads, tails]"},
	{"name: lazy\nstates: [A]\ntokens: [z]\n", "lazy.yaml:1:1: transitions is missing; list them as {from: A, to: B, token: heads, p: 0.5}, or give matrices"},
	{lazy + "matrices: {heads: [[1]]}\n", "lazy.yaml:9:1: matrices and transitions are both given; give one of them"},
	{lazy + "params: {x: 1}\n", "lazy.yaml:9:1: params belong to a process of the zoo; leave out either params, or states, tokens and the other fields of a definition"},
	{lazy + "colour: red\n", `lazy.yaml:9:1: unknown key "colour" (known: name, params, states, tokens, transitions, matrices, right)`},
	{change(lazy, "token: tails", "tokn: tails"), `lazy.yaml:6:22: unknown key "tokn" in transitions[1]; did you mean "token"? (known: from, to, token, p)`},
	{change(lazy, "p: 0.9", "p: often"), `lazy.yaml:5:36: transitions[0].p: "often" is not a number`},
	{change(lazy, "p: 0.9}", "p: 0.9"), `lazy.yaml:5:5: did not find expected ',' or '}' while parsing a flow mapping`},
	{"name: lazy\ntokens: [z]\nmatrices: {z: []}\nstates: [" + manyNames(1025) + "]\n", "lazy.yaml:4:1: states is not possible: lazy: 1025 states and 1 tokens are too many: want at most 1024 states, and 16777216 entries in all matrices"},

	// Processes of the zoo.
	{"name: lazzy\n", `lazy.yaml:1:1: name is not possible: unknown process "lazzy": want one of `},
	{"name: mess3\nparams: {x: 0.7}\n", "lazy.yaml:2:10: params.x is not possible: mess3: x = 0.7 is outside (0, 0.5]"},
	{"name: mess3\nparams: {x: [0.7]}\n", "lazy.yaml:2:10: params.x is not possible: mess3: x = [0.7] is not a number"},
	{"name: periodic\nparams: {pattern: 11}\n", "lazy.yaml:2:10: params.pattern is not possible: periodic: pattern = 11 is not a text; put a number in quotes"},
	{"name: markov\nparams: {P: [0.5, 0.5]}\n", "lazy.yaml:2:10: params.P is not possible: markov: P = [0.5, 0.5] is not a matrix by rows, such as [[0.9, 0.1], [0.5, 0.5]]"},
	{"name: markov\nparams: {P: [[0.5, half]]}\n", `lazy.yaml:2:20: params.P[0][1]: "half" is not a number`},
	{"name: noisy\nparams: {process: coin}\n", "lazy.yaml:2:10: params.process is not possible: noisy: process = coin is not a hidden Markov model"},
	{"name: noisy\nparams: {process: {name: even, params: {p: 2}}}\n", "lazy.yaml:2:10: params.process is not possible: noisy: process: params.p is not possible: even: p = 2 is outside [0, 1]"},
}

// A hidden Markov model is had as one, whichever way it is said. Another kind of process
// is an error that names it, and so is none.
func TestSpecHMM(t *testing.T) {
	h, err := Spec{Name: "noisy", Params: Params{"process": Spec{Name: "even"}}}.HMM()
	if err != nil || h.Name() != "noisy" || h.NumStates() != 2 {
		t.Errorf("%v, %v", h, err)
	}
	for want, s := range map[string]Spec{
		`name = "coin" is not a hidden Markov model`:              {Name: "coin"},
		"params.p is not possible: even: p = 2 is outside [0, 1]": {Name: "even", Params: Params{"p": 2.0}},
	} {
		if h, err := s.HMM(); h != nil || err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %s", h, err, want)
		}
	}
}

// What FormatValue writes ParseParam reads, processes within processes included.
func TestFormatValueIsRead(t *testing.T) {
	own := Spec{Name: "own", Definition: Definition{
		States: []string{"A"}, Tokens: []string{"yes", "<no>"},
		Transitions: []Transition{{"A", "A", "yes", 0.25}, {"A", "A", "<no>", 0.75}},
	}}
	values := []struct {
		process, param string
		value          any
	}{
		{"periodic", "pattern", "101"},
		{"noisy", "process", Spec{Name: "periodic", Params: Params{"pattern": "101"}}},
		{"noisy", "process", Spec{Name: "periodic", Params: Params{"pattern": "a, }\"'\\é"}}},
		{"noisy", "process", Spec{Name: "noisy", Params: Params{"process": "z1r", "epsilon": 1e-9}}},
		{"noisy", "process", own},
		{"mixture", "components", []Spec{{Name: "z1r"}, own, {Name: "mapped", Params: Params{"to": []float64{1, 0, 1}}}}},
	}
	for _, entry := range Catalogue() {
		for _, p := range entry.Params {
			values = append(values, struct {
				process, param string
				value          any
			}{entry.Name, p.Name, p.Default})
		}
	}
	for _, v := range values {
		text := FormatValue(v.value)
		entry, _, err := Resolve(v.process, nil)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(entry.Params, func(p Param) bool { return p.Name == v.param })
		read, err := entry.Params[at].Parse(v.param, text)
		if err != nil {
			t.Errorf("%s: %s = %s: %v", v.process, v.param, text, err)
			continue
		}
		// The name of a process may be read as a text.
		if name, ok := read.(string); ok && v.process != "periodic" {
			read = Spec{Name: name}
		}
		if !reflect.DeepEqual(read, v.value) {
			t.Errorf("%s: %s = %s is read as %#v, want %#v", v.process, v.param, text, read, v.value)
		}
	}
}

func manyNames(n int) string {
	return strings.Join(processtest.Numbered(n), ", ")
}

// Every mistake is an error of one line, which begins as the table says.
func TestParseNamesTheMistake(t *testing.T) {
	for _, m := range specMistakes {
		_, err := Parse("lazy.yaml", []byte(m.text))
		if err == nil || !strings.HasPrefix(err.Error(), m.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.400s\ngot  %v\nwant %s", m.text, err, m.want)
		}
	}
}

// Whatever a file holds, the answer is a process that predicts, or an error of one
// line that names the file.
func FuzzParse(f *testing.F) {
	for _, text := range []string{lazy, lazyMatrices, lazyGeneralised} {
		f.Add(text)
	}
	for _, m := range specMistakes {
		if len(m.text) < 1000 {
			f.Add(m.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("f.yaml", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml:") || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("the error is %q", err)
			}
			return
		}
		predictor, next, word := p.Predictor(), make([]float64, p.Alphabet()), make([]int32, 5)
		p.Sample(word, &counterSource{})
		for _, z := range word {
			predictor.Next(next)
			total := 0.0
			for _, q := range next {
				total += q
			}
			if !(math.Abs(total-1) < 1e-6) || !(next[z] > 0) {
				t.Fatalf("token %d of %v after the predictions %v", z, word, next)
			}
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
