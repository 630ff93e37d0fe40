package strict

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/panics"
)

// heads is one number or a list, the case that UnmarshalYAML is for.
type heads []int

func (h *heads) UnmarshalYAML(unmarshal func(any) error) error {
	var one int
	if unmarshal(&one) == nil {
		*h = heads{one}
		return nil
	}
	return unmarshal((*[]int)(h))
}

// activation is an enumeration, the case that UnmarshalText is for.
type activation int

func (a *activation) UnmarshalText(text []byte) error {
	names := []string{"relu", "gelu"}
	for i, name := range names {
		if string(text) == name {
			*a = activation(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not an activation (%s)", text, strings.Join(names, ", "))
}

func (a activation) MarshalText() ([]byte, error) { return []byte([]string{"relu", "gelu"}[a]), nil }

type config struct {
	Process struct {
		Name   string             `yaml:"name"`
		Params map[string]float64 `yaml:"params"`
	} `yaml:"process"`
	Model struct {
		DModel int        `yaml:"d_model"`
		NHeads heads      `yaml:"n_heads"`
		ActFn  activation `yaml:"act_fn"`
		Tied   bool       `yaml:"tied"`
	} `yaml:"model"`
	Train struct {
		Seed      uint64     `yaml:"seed"`
		BatchSize int        `yaml:"batch_size"`
		LR        float64    `yaml:"lr"`
		Betas     [2]float64 `yaml:"betas"`
		Clip      *float64   `yaml:"clip"`
		Small     int8       `yaml:"small"`
		Half      float32    `yaml:"half"`
		Common    `yaml:",inline"`
		Ignored   int `yaml:"-"`
	} `yaml:"train"`
	Grid  []any `yaml:"grid"`
	Plain string
}

type Common struct {
	NumSteps int `yaml:"num_steps"`
}

const example = `# A comment.
process: {name: mess3, params: {x: 0.15, "a": 0.6}}
model:
  d_model: 64
  n_heads: [1, 3]
  act_fn: gelu
  tied: true
train:
  seed: 18446744073709551615
  batch_size: 128
  lr: 1e-4
  betas:
    - 0.9
    - .999
  clip: 1
  num_steps: 15e6
grid: [null, true, 3, 1e-3, text, "3", [1], {k: v}]
plain: no
`

func TestDecode(t *testing.T) {
	var c config
	c.Train.Half = 0.5
	if err := Unmarshal("config.yaml", []byte(example), &c); err != nil {
		t.Fatal(err)
	}
	var want config
	want.Process.Name, want.Process.Params = "mess3", map[string]float64{"x": 0.15, "a": 0.6}
	want.Model.DModel, want.Model.NHeads, want.Model.ActFn, want.Model.Tied = 64, heads{1, 3}, 1, true
	one := 1.0
	want.Train.Seed, want.Train.BatchSize, want.Train.LR = math.MaxUint64, 128, 1e-4
	want.Train.Betas, want.Train.Clip, want.Train.NumSteps = [2]float64{0.9, 0.999}, &one, 15_000_000
	want.Train.Half = 0.5 // not mentioned: the default stays
	want.Grid = []any{nil, true, 3, 1e-3, "text", "3", []any{1}, map[string]any{"k": "v"}}
	want.Plain = "no"
	if !reflect.DeepEqual(c, want) {
		t.Errorf("decoded\n%+v\nwant\n%+v", c, want)
	}
}

// What the encoder writes (a run's resolved config.yaml) reads back.
func TestDecodeWhatIsEncoded(t *testing.T) {
	var first, second config
	if err := Unmarshal("a", []byte(example), &first); err != nil {
		t.Fatal(err)
	}
	data, err := Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := Unmarshal("b", data, &second); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	if !reflect.DeepEqual(first, second) {
		t.Errorf("read back\n%+v\nwant\n%+v", second, first)
	}
}

func TestMapsAndListsAreReplaced(t *testing.T) {
	var c config
	c.Process.Params = map[string]float64{"x": 1}
	c.Model.NHeads = heads{1, 2, 3}
	if err := Unmarshal("c", []byte("process: {params: {p: 2}}\nmodel: {n_heads: 4}"), &c); err != nil {
		t.Fatal(err)
	}
	if want := map[string]float64{"p": 2}; !reflect.DeepEqual(c.Process.Params, want) {
		t.Errorf("params = %v, want %v", c.Process.Params, want)
	}
	if !reflect.DeepEqual(c.Model.NHeads, heads{4}) {
		t.Errorf("n_heads = %v, want [4]", c.Model.NHeads)
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "\ufeff", "train:\n  # lr: 1\n", "process: {params: ~}"} {
		var c config
		if err := Unmarshal("c", []byte(text), &c); err != nil || !reflect.DeepEqual(c, config{}) {
			t.Errorf("%q: %+v, %v; want nothing decoded and no error", text, c, err)
		}
	}
}

// mistakes are documents with the error that each must give; they also seed the fuzzer.
var mistakes = []struct{ text, want string }{
	{"train:\n  lr: 1\n  learning_rate: 2\n", `c.yaml:3:3: unknown key "learning_rate" in train; did you mean "lr"? (known: seed, batch_size, lr, betas, clip, small, half, num_steps)`},
	{"trian: {lr: 1}", `c.yaml:1:1: unknown key "trian"; did you mean "train"? (known: process, model, train, grid, plain)`},
	{"train: {zebra: 1}", `c.yaml:1:9: unknown key "zebra" in train (known: seed, batch_size, lr, betas, clip, small, half, num_steps)`},
	{"train: {Ignored: 1}", `c.yaml:1:9: unknown key "Ignored" in train (known: seed, batch_size, lr, betas, clip, small, half, num_steps)`},
	{"train:\n  batch_size: many\n", `c.yaml:2:3: train.batch_size: "many" is not a whole number`},
	{"train: {batch_size: 1.5}", `c.yaml:1:9: train.batch_size: "1.5" is not a whole number`},
	{"train: {batch_size: 010}", `c.yaml:1:9: train.batch_size: "010" is not a whole number`},
	{"train: {batch_size: \"16\"}", `c.yaml:1:9: train.batch_size: "16" in quotes is text; a whole number is expected`},
	{"train: {batch_size: }", `c.yaml:1:9: train.batch_size: no value; a whole number is expected`},
	{"train: {batch_size: [1]}", `c.yaml:1:9: train.batch_size: a whole number is expected, not a list`},
	{"train: {small: 128}", `c.yaml:1:9: train.small: "128" is outside [−2^7, 2^7 − 1]`},
	{"train: {seed: -1}", `c.yaml:1:9: train.seed: "-1" is outside [0, 2^64 − 1]`},
	{"train: {batch_size: 1e17}", `c.yaml:1:9: train.batch_size: "1e17" is not a whole number`},
	{"train: {lr: fast}", `c.yaml:1:9: train.lr: "fast" is not a number`},
	{"train: {lr: .nan}", `c.yaml:1:9: train.lr: ".nan" is not a number`},
	{"train: {lr: nan}", `c.yaml:1:9: train.lr: "nan" is not a number`},
	{"train: {lr: .inf}", `c.yaml:1:9: train.lr: ".inf" is not a number`},
	{"train: {lr: 1e999}", `c.yaml:1:9: train.lr: "1e999" is too large for a float64`},
	{"train: {lr: " + strings.Repeat("1", 100_000) + "}", `c.yaml:1:9: train.lr: "` + strings.Repeat("1", 60) + `…" is too large for a float64`},
	{"train: {half: 1e39}", `c.yaml:1:9: train.half: "1e39" is too large for a float32`},
	{"train: {lr: 0.1 0.2}", `c.yaml:1:9: train.lr: "0.1 0.2" is not a number`},
	{"train: {betas: [0.9]}", `c.yaml:1:9: train.betas: a list of 2 values is expected, not of 1`},
	{"train:\n  betas: [0.9, x]\n", `c.yaml:2:16: train.betas[1]: "x" is not a number`},
	{"train:\n  betas:\n    - 0.9\n    - x\n", `c.yaml:4:7: train.betas[1]: "x" is not a number`},
	{"train: 3", `c.yaml:1:1: train: a mapping (key: value) is expected, not "3"`},
	{"model: {tied: yes}", `c.yaml:1:9: model.tied: "yes" is not true or false`},
	{"model: {act_fn: swish}", `c.yaml:1:9: model.act_fn: "swish" is not an activation (relu, gelu)`},
	{"model: {act_fn: [gelu]}", `c.yaml:1:9: model.act_fn: text is expected, not a list`},
	{"model: {n_heads: [1, x]}", `c.yaml:1:22: model.n_heads[1]: "x" is not a whole number`},
	{"process: {params: {x: y}}", `c.yaml:1:20: process.params.x: "y" is not a number`},
	{"process: {params: [x]}", `c.yaml:1:11: process.params: a mapping (key: value) is expected, not a list`},
	{"process: {name: }", `c.yaml:1:11: process.name: no value; text is expected`},
	{"grid: 3", `c.yaml:1:1: grid: a list ([1, 2]) is expected, not "3"`},
	{"train:\n  lr: 1\n  seed: 1\n  lr: 2\n", `c.yaml:4:3: train.lr: given twice; the first is on line 2`},
	{"just text", `c.yaml:1:1: a mapping (key: value) is expected, not "just text"`},
	{"- 1", `c.yaml:1:1: a mapping (key: value) is expected, not a list`},
	{"train: {lr: 1}\n---\ntrain: {lr: 2}\n", `c.yaml:2:1: a second document begins here; only one is allowed`},
	{"train:\n\tlr: 1\n", `c.yaml:2:1: indented with a tab; YAML needs spaces`},
	{"train: &x {lr: 1}", `c.yaml:1:8: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"train: {<<: {lr: 1}}", `c.yaml:1:9: merge keys (<<) are not supported; write the keys out`},
	{"train: {lr: !!float 1}", `c.yaml:1:13: tags (!) are not supported; write the value alone, or quote it when it is text`},
	{"train: {lr: 1", `c.yaml:1:8: did not find expected ',' or '}' while parsing a flow mapping`},
	{"train:\n  lr: 1\n seed: 2\n", `c.yaml:3:2: did not find expected key while parsing a block mapping`},
	{"train: {lr: 1}\nplain: \xff\n", `c.yaml:2:1: not UTF-8 text`},
	{"grid: " + strings.Repeat("[", 65), `c.yaml:1:71: nested more than 64 levels deep`},
	{"grid:\n  " + strings.Repeat("- ", 65) + "1", `c.yaml:2:131: nested more than 64 levels deep`},
	{"plain: " + strings.Repeat("x", MaxBytes), `c.yaml: 1048583 bytes; a configuration has at most 1048576`},
	{"\"a\\nb\": 1", `c.yaml:1:1: unknown key "a\nb" (known: process, model, train, grid, plain)`},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		var c config
		err := Unmarshal("c.yaml", []byte(m.text), &c)
		if err == nil || err.Error() != m.want {
			t.Errorf("%.60q:\n got %v\nwant %s", m.text, err, m.want)
		}
	}
}

func TestPositionsAreThoseOfTheText(t *testing.T) {
	// CRLF, a byte order mark and letters of several bytes leave lines and columns (in
	// characters) as they are.
	text := "\ufeffprocess: {name: \"é\", params: {x: 1}}\r\n\r\ntrain:\r\n    lr: 1\r\n"
	document, err := Parse("c", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"process":          "c:1:1",
		"process.name":     "c:1:11",
		"process.params.x": "c:1:31",
		"train.lr":         "c:4:5",
		"train.missing":    "c:3:1", // the mapping that lacks it
		"missing":          "c:1:1",
		"train..lr":        "c:1:1", // not a path
	} {
		if got := document.Locate(path).String(); got != want {
			t.Errorf("Locate(%q) = %s, want %s", path, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	document, err := Parse("c.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range []string{
		"train.lr=1e-3", "model.n_heads=[2, 2]", "train.betas[1]=0.5", "process.params={p: 1}", "process.params.q=2",
		"plain=a=b", "train.clip=", "train.small = 3",
	} {
		if err := document.Set(assignment); err != nil {
			t.Fatal(err)
		}
	}
	var c config
	if err := document.Decode(&c); err != nil {
		t.Fatal(err)
	}
	got := []any{c.Train.LR, c.Model.NHeads, c.Train.Betas, c.Process.Params, c.Plain, c.Train.Clip, c.Train.Small}
	want := []any{1e-3, heads{2, 2}, [2]float64{0.9, 0.5}, map[string]float64{"p": 1, "q": 2}, "a=b", (*float64)(nil), int8(3)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("set to %v, want %v", got, want)
	}
	if at := document.Locate("train.lr").String(); at != "train.lr=1e-3" {
		t.Errorf("train.lr is located at %q, want the assignment", at)
	}
	if at := document.Locate("train.seed").String(); at != "c.yaml:9:3" {
		t.Errorf("train.seed is located at %q, want the line of the file", at)
	}
}

func TestSetInAnEmptyDocument(t *testing.T) {
	document, err := Parse("c.yaml", []byte("train:\n"))
	if err != nil {
		t.Fatal(err)
	}
	var c config
	if err := errors.Join(document.Set("train.lr=2"), document.Set("process.params.x=3"), document.Decode(&c)); err != nil {
		t.Fatal(err)
	}
	if c.Train.LR != 2 || c.Process.Params["x"] != 3 {
		t.Errorf("lr = %v, params = %v; want 2 and x: 3", c.Train.LR, c.Process.Params)
	}
}

func TestSetMistakes(t *testing.T) {
	for _, m := range []struct{ assignment, want string }{
		{"train.lr", `train.lr: no "="; write key=value`},
		{"=3", `=3: "" is not a path such as train.lr or train.betas[1]`},
		{"train..lr=3", `train..lr=3: "train..lr" is not a path such as train.lr or train.betas[1]`},
		{"train.betas[x]=3", `train.betas[x]=3: "train.betas[x]" is not a path such as train.lr or train.betas[1]`},
		{"train.betas[1=3", `train.betas[1=3: "train.betas[1" is not a path such as train.lr or train.betas[1]`},
		{"train.betas[2]=3", `train.betas[2]=3: train.betas has 2 values; there is no [2]`},
		{strings.Repeat("a.", 64) + "b=1", strings.Repeat("a.", 50) + "…: the path has 65 parts, want at most 64"},
		{"a.b.c=" + strings.Repeat("[", 63), "a.b.c=" + strings.Repeat("[", 63) + ": nested more than 64 levels deep"},
		{"train.lr.x=3", `train.lr.x=3: train.lr is "1e-4", not a mapping with keys`},
		{"train.lr[0]=3", `train.lr[0]=3: train.lr is "1e-4", not a list`},
		{"train.lr=[1", `train.lr=[1: did not find expected ',' or ']' while parsing a flow sequence`},
		{"train.lr=fast", `train.lr=fast: train.lr: "fast" is not a number`},
		{"lr=1", `lr=1: unknown key "lr"; did you mean "train.lr"? (known: process, model, train, grid, plain)`},
		{"btach_size=1", `btach_size=1: unknown key "btach_size"; did you mean "train.batch_size"? (known: process, model, train, grid, plain)`},
		{"train.rl=1", `train.rl=1: unknown key "rl" in train; did you mean "lr"? (known: seed, batch_size, lr, betas, clip, small, half, num_steps)`},
		{"train.sed=1", `train.sed=1: unknown key "sed" in train; did you mean "seed"? (known: seed, batch_size, lr, betas, clip, small, half, num_steps)`},
		{"plain={a: 1, a: 2}", `plain={a: 1, a: 2}: a: given twice`},
	} {
		document, err := Parse("c.yaml", []byte(example))
		if err != nil {
			t.Fatal(err)
		}
		err = document.Set(m.assignment)
		if err == nil {
			err = document.Decode(new(config))
		}
		if err == nil || err.Error() != m.want {
			t.Errorf("%q:\n got %v\nwant %s", m.assignment, err, m.want)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for name, v := range map[string]any{"value": config{}, "nil": (*config)(nil), "channel": new(chan int), "keys": new(map[int]int)} {
		if message := panics.Text(func() { _ = Unmarshal("c", []byte("a: 1"), v) }); !strings.HasPrefix(message, "strict: ") {
			t.Errorf("%s: panic %q, want one that begins with strict:", name, message)
		}
	}
}

// Any text is decoded or refused by an error on one line that begins with the place.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(example))
	for _, m := range mistakes {
		if len(m.text) < 1000 {
			f.Add([]byte(m.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c config
		err := Unmarshal("c", data, &c)
		if err != nil && (!strings.HasPrefix(err.Error(), "c:") || strings.ContainsAny(err.Error(), "\n\r")) {
			t.Errorf("error %q", err)
		}
	})
}

// Any assignment is applied or refused likewise, and what was applied is located there.
func FuzzSet(f *testing.F) {
	for _, assignment := range []string{"train.lr=1", "train.betas[0]=1", "a.b.c={d: [1]}", "plain=", "x", "a[0]=1", "grid[1].x=2"} {
		f.Add(assignment)
	}
	f.Fuzz(func(t *testing.T, assignment string) {
		document, err := Parse("c", []byte(example))
		if err != nil {
			t.Fatal(err)
		}
		if err := document.Set(assignment); err != nil {
			if !InAssignment(err) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %q", err)
			}
			return
		}
		path, _, _ := strings.Cut(assignment, "=")
		if at := document.Locate(strings.TrimSpace(path)); at.Line != 0 {
			t.Errorf("%q set, but located at %s", path, at)
		}
		_ = document.Decode(new(config))
	})
}

// An error tells whether it is about an assignment or about the file, however it was
// found.
func TestInAssignment(t *testing.T) {
	document, err := Parse("c.yaml", []byte("train: {lr: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Set("train.seed=x"); err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]bool{"train.seed": true, "train.lr": false, "model": false} {
		if got := InAssignment(document.Explain(Fieldf(field, "is wrong"))); got != want {
			t.Errorf("%s: %v", field, got)
		}
	}
	if err := document.Decode(new(config)); !InAssignment(fmt.Errorf("around: %w", err)) {
		t.Errorf("not in an assignment: %v", err)
	}
	if InAssignment(errors.New("no disk")) || InAssignment(nil) {
		t.Error("an error without a place is in an assignment")
	}
}

// An error about a field is said where the field was given, however many sections it
// is within, and any other error is left alone.
func TestExplain(t *testing.T) {
	document, err := Parse("c.yaml", []byte("train:\n  optimizer: {lr: -1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := Within("train", Within("optimizer", Fieldf("lr", "= %d is negative", -1)))
	if got, want := fmt.Sprint(document.Explain(wrong)), "c.yaml:2:15: train.optimizer.lr = -1 is negative"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	other := errors.New("no disk")
	if got := document.Explain(Within("train", other)); got != other {
		t.Errorf("got %v, want %v", got, other)
	}
	if err := document.Explain(Within("train", nil)); err != nil {
		t.Error(err)
	}
}
