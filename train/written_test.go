package train

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"foretell/internal/strict"
	"foretell/model"
	"foretell/process"

	"pgregory.net/rapid"
)

// strange are texts that some reader of YAML takes for something else.
var strange = []string{
	"1e3", "0e1", "0110", "1_0", "0x1", "? x", "?", "a[", "[", "{a", "<<", "&a", "*a", "!a", "|", ">-", "- a", "-", "a: b", "a:", ":", "#", "a #b",
	"a\nb", "\na", "a\n", "a\tb", "a\t", "\ta", "a\r\nb", " a", "a ", "'", `"`, `\`, `\n`, "~", "null", "no", "true", ".nan", "---", "...", "%", "@", "`",
	"\u0085", "\u2028", "\ufeff", "\x00", "\x1b[2J", "\u202eabc", "é", "\U0001f600", ",", "2001-01-01", "1:30", "../../x", strings.Repeat("long ", 300),
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// isPattern says whether the letters of a text can be tokens, and are not too many.
func isPattern(s string) bool {
	return s != "" && !strings.ContainsFunc(s, unicode.IsSpace) && utf8.RuneCountInString(s) <= 100
}

// names are drawn among the strange and from all characters. No name is blank.
var names = rapid.OneOf(
	rapid.SampledFrom(strange),
	rapid.String(),
	rapid.StringOf(rapid.RuneFrom([]rune("\t\n\r \"'#%&*,-.:<=>?@[\\]`{|}~!0179eE+_x\u0085\u2028\ufeffaé"))),
).Filter(func(s string) bool { return !isBlank(s) })

// ownProcesses draws processes with strange names, by their edges or their matrices.
var ownProcesses = rapid.Custom(func(t *rapid.T) process.Spec {
	states := rapid.SliceOfNDistinct(names, 1, 5, rapid.ID).Draw(t, "states")
	tokens := rapid.SliceOfNDistinct(names, 2, 4, rapid.ID).Draw(t, "tokens")
	spec := process.Spec{Name: names.Draw(t, "name"), Definition: process.Definition{States: states, Tokens: tokens}}
	p := rapid.Float64Range(1e-6, 1-1e-6).Draw(t, "p")
	if rapid.Bool().Draw(t, "edges") {
		for i, from := range states { // a ring, with or without a token that stays
			spec.Transitions = append(spec.Transitions, process.Transition{From: from, To: states[(i+1)%len(states)], Token: tokens[0], P: p},
				process.Transition{From: from, To: from, Token: tokens[1], P: 1 - p})
		}
		return spec
	}
	n := len(states)
	spec.Matrices = map[string][][]float64{}
	for _, token := range tokens {
		spec.Matrices[token] = make([][]float64, n)
		for i := range n {
			spec.Matrices[token][i] = make([]float64, n)
		}
	}
	for i := range n {
		spec.Matrices[tokens[0]][i][(i+1)%n] += p
		spec.Matrices[tokens[1]][i][i] += 1 - p
	}
	if rapid.Bool().Draw(t, "generalised") {
		spec.Right = make([]float64, n)
		for i := range spec.Right {
			spec.Right[i] = 1
		}
	}
	return spec
})

// processes draws processes of the zoo, of one's own, and of others one in the other.
func processes(depth int) *rapid.Generator[process.Spec] {
	x := rapid.Float64Range(1e-300, 0.5)
	list := []*rapid.Generator[process.Spec]{
		ownProcesses,
		rapid.Custom(func(t *rapid.T) process.Spec {
			return process.Spec{Name: "mess3", Params: process.Params{"x": x.Draw(t, "x"), "a": rapid.IntRange(0, 1).Draw(t, "a")}}
		}),
		rapid.Custom(func(t *rapid.T) process.Spec {
			return process.Spec{Name: "periodic", Params: process.Params{"pattern": names.Filter(isPattern).Draw(t, "pattern")}}
		}),
		rapid.Just(process.Spec{Name: "even", Params: process.Params{}}),
	}
	if depth > 0 {
		inner := processes(depth - 1)
		list = append(list,
			rapid.Custom(func(t *rapid.T) process.Spec {
				return process.Spec{Name: "noisy", Params: process.Params{"epsilon": x.Draw(t, "epsilon"), "process": inner.Draw(t, "process")}}
			}),
			rapid.Custom(func(t *rapid.T) process.Spec {
				return process.Spec{Name: "factored", Params: process.Params{"first": "even", "second": inner.Draw(t, "second")}}
			}))
	}
	return rapid.OneOf(list...)
}

// What a configuration is written as is read as it was, whatever its names, texts and
// sizes, and however its processes stand in each other. Resolved again it is the same.
func TestEveryConfigurationIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := configs.Draw(t, "config")
		c.Process = processes(2).Draw(t, "process")
		p, err := c.Process.HMM()
		if err != nil {
			t.Skip(err) // of more states than are allowed, or generalised where that is not
		}
		if err := c.Train.checkWords(c.Objective().Length(), p); err != nil {
			t.Skip(err) // of more words than are learned from at once
		}
		if c, err = c.Resolve(); err != nil {
			t.Fatal(err)
		}
		text, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("config.yaml", text)
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("%v\ngot  %+v\nwant %+v from\n%s", err, back, c, text)
		}
		if again, err := back.YAML(); err != nil || string(again) != string(text) {
			t.Fatalf("%v: the text changed\n%s\n%s", err, text, again)
		}
	})
}

// strangeConfig is a configuration in which a text stands wherever one can.
func strangeConfig(text string, x float64) Config {
	c := Config{
		Process: process.Spec{Name: text, Definition: process.Definition{
			States: []string{text, text + "'"}, Tokens: []string{text, text + "'"},
			Transitions: []process.Transition{{From: text, To: text + "'", Token: text, P: 1}, {From: text + "'", To: text, Token: text + "'", P: 1}},
		}},
		Model: model.Config{DModel: 4, NLayers: 1, NHeads: model.Heads{1}, NCtx: 3},
		Train: Options{BatchSize: 1, NumSteps: 1, LR: x},
	}
	return c
}

// Each of the texts that once trained a run that could never be opened, at each place.
func TestStrangeTexts(t *testing.T) {
	for _, text := range strange {
		byEdges := strangeConfig(text, 1)
		byMatrices := byEdges
		byMatrices.Process.Transitions = nil
		byMatrices.Process.Matrices = map[string][][]float64{text: {{0, 1}, {0, 0}}, text + "'": {{0, 0}, {1, 0}}}
		pattern := byEdges
		pattern.Process = process.Spec{Name: "periodic", Params: process.Params{"pattern": text}}
		for _, c := range []Config{byEdges, byMatrices, pattern} {
			c, err := c.Resolve()
			switch {
			case err == nil:
				checkReadBack(t, c)
			case c.Process.Params == nil && !isBlank(text), c.Process.Params != nil && isPattern(text):
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

// checkReadBack checks that a resolved configuration is read as it is written.
func checkReadBack(t *testing.T, c Config) {
	t.Helper()
	text, err := c.YAML()
	if err != nil {
		t.Errorf("%v of %+v", err, c)
		return
	}
	if back, err := Parse("config.yaml", text); err != nil || !reflect.DeepEqual(back, c) {
		t.Errorf("%v\ngot  %+v\nwant %+v from\n%s", err, back, c, text)
	}
}

// A configuration is read back or refused, whatever its texts and numbers.
func FuzzWritten(f *testing.F) {
	for _, text := range strange {
		f.Add(text, 1e-3)
	}
	f.Add("a\xffb", 1e-300)
	f.Fuzz(func(t *testing.T, text string, x float64) {
		c, err := strangeConfig(text, x).Resolve()
		if err != nil {
			return // such a configuration is refused
		}
		if _, err := c.YAML(); !utf8.ValidString(text) {
			var field *strict.FieldError
			if !errors.As(err, &field) || field.Path != "process.name" {
				t.Fatalf("%q is refused by %v", text, err)
			}
			return
		}
		checkReadBack(t, c)
	})
}

// What a config.yaml cannot say is refused in a line that names the field.
func TestUnwritable(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Process.Tokens[1] = "b\xff" }, `process.tokens[1] = "b\xff" is not UTF-8 text`},
		{func(c *Config) { c.Process.Transitions[1].To = "\xff" }, `process.transitions[1].to = "\xff" is not UTF-8 text`},
		{func(c *Config) { c.Process.Params = process.Params{"p": []int{1}} }, "process.params.p cannot be written: it reads back as another value"},
		{func(c *Config) { c.Train.LR = math.NaN() }, "train.lr = NaN is not a finite number"},
		{func(c *Config) { c.Process.Transitions[0].From = strings.Repeat("a", 1<<20) }, "process.transitions takes 1048"},
	} {
		c := strangeConfig("a", 1)
		test.change(&c)
		if _, err := c.YAML(); err == nil || !strings.HasPrefix(err.Error(), test.want) || len(err.Error()) > 400 {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A configuration of 217 kB in braces was written in 274 kB, more than could be read.
func TestLongConfiguration(t *testing.T) {
	var states, tokens, edges []string
	const n, each = 300, 20
	for k := range each {
		tokens = append(tokens, fmt.Sprint("t", k))
	}
	for i := range n {
		states = append(states, fmt.Sprint("s", i))
		for k, token := range tokens {
			edges = append(edges, fmt.Sprintf("{from: s%d, to: s%d, token: %s, p: %g}", i, (i+k+1)%n, token, 1.0/each))
		}
	}
	text := strings.Replace(good, "{name: mess3, params: {x: 0.15, a: 0.6}}", fmt.Sprintf("{name: long, states: [%s], tokens: [%s], transitions: [%s]}",
		strings.Join(states, ", "), strings.Join(tokens, ", "), strings.Join(edges, ", ")), 1)
	c, err := Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 217_000 {
		t.Errorf("only %d bytes", len(text))
	}
	checkReadBack(t, c)
}
