package strict

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/internal/decimal"

	"pgregory.net/rapid"
)

// written has a field of each type that configurations have.
type written struct {
	Section struct {
		Text   string            `yaml:"text"`
		Texts  []string          `yaml:"texts"`
		ByName map[string]string `yaml:"by_name"`
		Left   string            `yaml:"left,omitempty"`
		Rows   []row             `yaml:"rows"`
		Nested map[string]any    `yaml:"nested"`
	} `yaml:"section"`
	Numbers struct {
		Whole  int                    `yaml:"whole"`
		Seed   uint64                 `yaml:"seed"`
		X      float64                `yaml:"x"`
		Half   float32                `yaml:"half"`
		Yes    bool                   `yaml:"yes"`
		Maybe  *float64               `yaml:"maybe"`
		Pair   [2]float64             `yaml:"pair"`
		Matrix map[string][][]float64 `yaml:"matrix"`
		ActFn  activation             `yaml:"act_fn"`
	} `yaml:"numbers"`
}

type row struct {
	From string  `yaml:"from"`
	P    float64 `yaml:"p"`
}

// The upper levels have a line an entry, the others stand in brackets; every text is in
// quotes, and every number of a floating-point type has a point.
func TestMarshal(t *testing.T) {
	var w written
	w.Section.Text, w.Section.Texts = "no", []string{"1e3", "? x", "a\tb\n", "é", "\u202e", "\x00\x7f\u0085", `"\`}
	w.Section.ByName = map[string]string{"y": "z", "<<": "b", "": ""}
	w.Section.Rows = []row{{"a[", 1}, {"~", 1e-5}}
	w.Section.Nested = map[string]any{"list": []any{1, 1.0, "1", nil, true}, "of": map[string]any{"k": []any{}}, "rows": []any{map[string]any{"x": 1e300}}}
	w.Numbers.Seed, w.Numbers.X, w.Numbers.Half = math.MaxUint64, 1e6, 0.1
	w.Numbers.Matrix = map[string][][]float64{"h": {{0.5, 0}, {}}}
	const want = `section:
  text: "no"
  texts: ["1e3", "? x", "a\tb\n", "é", "\u202e", "\x00\x7f\x85", "\"\\"]
  by_name:
    "": ""
    "<<": "b"
    "y": "z"
  rows:
    - {from: "a[", p: 1.0}
    - {from: "~", p: 1.0e-05}
  nested:
    "list": [1, 1.0, "1", null, true]
    "of": {"k": []}
    "rows":
      - {"x": 1.0e+300}
numbers:
  whole: 0
  seed: 18446744073709551615
  x: 1.0e+06
  half: 0.1
  yes: false
  maybe: null
  pair: [0.0, 0.0]
  matrix:
    "h": [[0.5, 0.0], []]
  act_fn: "relu"
`
	got, err := Marshal(w)
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, want)
	}
}

// texts are drawn among what some reader of YAML takes for something else, and from all
// characters.
var texts = rapid.OneOf(
	rapid.SampledFrom([]string{
		"", " ", "1e3", "0e1", "0x1", "1_0", "010", ".5", "-", "- a", "? x", "?", ":", "a: b", "a:", ": a", "#", " #", "a #b", "a[", "[", "]",
		"{", "}", ",", "<<", "&a", "*a", "!a", "!!str a", "|", ">", "|-", "%", "@", "`", "'", "''", `"`, `\`, `\n`, "~", "null", "true",
		"yes", "no", "on", ".nan", ".inf", "---", "...", "--- a", "=", "2001-01-01", "1:30", "\t", "a\tb", "a\t", "\n", "a\nb", "a\n", "\n\na",
		"a\r\nb", "\r", " a", "a ", "\u0085", "\u2028", "\u2029", "\ufeff", "\u00a0", "\x00", "\x1b[2J", "\x7f", "\u202eabc", "\U0001f600", "\uffff",
		strings.Repeat("a ", 600),
	}),
	rapid.String(),
	rapid.StringOf(rapid.RuneFrom([]rune("\t\n\r \"'#%&*,-.:<=>?@[\\]`{|}~!0179eE+_x\u0085\u2028\ufeffaé"))),
)

// drawWritten fills every field.
func drawWritten(t *rapid.T) written {
	var w written
	numbers := rapid.Float64().Filter(func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) })
	s, n := &w.Section, &w.Numbers
	s.Text, s.Texts = texts.Draw(t, "text"), rapid.SliceOfN(texts, 0, 4).Draw(t, "texts")
	s.ByName = rapid.MapOfN(texts, texts, 0, 4).Draw(t, "by name")
	s.Left = texts.Draw(t, "left")
	s.Rows = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
		return row{texts.Draw(t, "from"), numbers.Draw(t, "p")}
	}), 0, 4).Draw(t, "rows")
	s.Nested = rapid.MapOfN(texts, drawNested(3), 0, 4).Draw(t, "nested")
	n.Whole, n.Seed, n.X = rapid.Int().Draw(t, "whole"), rapid.Uint64().Draw(t, "seed"), numbers.Draw(t, "x")
	n.Half = rapid.Float32().Filter(func(x float32) bool { return x-x == 0 }).Draw(t, "half")
	n.Yes, n.ActFn = rapid.Bool().Draw(t, "yes"), activation(rapid.IntRange(0, 1).Draw(t, "act_fn"))
	n.Maybe = rapid.Ptr(numbers, true).Draw(t, "maybe")
	n.Pair = [2]float64{numbers.Draw(t, "first"), numbers.Draw(t, "second")}
	n.Matrix = rapid.MapOfN(texts, rapid.SliceOfN(rapid.SliceOfN(numbers, 0, 3), 0, 3), 0, 3).Draw(t, "matrix")
	return w
}

// drawNested draws what an interface can hold, of some depth.
func drawNested(depth int) *rapid.Generator[any] {
	list := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int().AsAny(), texts.AsAny(),
		rapid.Float64().Filter(func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }).AsAny(),
	}
	if depth > 0 {
		list = append(list, rapid.SliceOfN(drawNested(depth-1), 0, 3).AsAny(),
			rapid.MapOfN(texts, drawNested(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(list...)
}

// What is written is what is read, whatever the texts, and the same text each time.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWritten(t)
		text, err := Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var again written
		if err := Unmarshal("w.yaml", text, &again); err != nil || !reflect.DeepEqual(again, w) {
			t.Fatalf("%v\ngot  %+v\nwant %+v from\n%s", err, again, w, text)
		}
		if second, err := Marshal(again); err != nil || string(second) != string(text) {
			t.Fatalf("%v: the text changed\n%s\n%s", err, text, second)
		}
	})
}

// JSON is read as what it says by our reader and by package json.
func TestMarshalJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWritten(t)
		text, err := MarshalJSON(w)
		if err != nil {
			t.Fatal(err)
		}
		var again written
		if err := Unmarshal("w.json", text, &again); err != nil || !reflect.DeepEqual(again, w) {
			t.Fatalf("%v\ngot  %+v\nwant %+v from\n%s", err, again, w, text)
		}
		var elsewhere struct{ Section, Numbers map[string]any }
		if err := json.Unmarshal(text, &elsewhere); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if elsewhere.Section["text"] != w.Section.Text || elsewhere.Numbers["x"] != w.Numbers.X {
			t.Errorf("%+v of %s", elsewhere, text)
		}
	})
}

// Readers of YAML 1.1, such as PyYAML, tell a float by this expression of
// yaml.org/type/float.html, in which what is never written is left out: separators, base
// 60, infinities.
var float11 = regexp.MustCompile(`^-?[0-9]+\.[0-9]+(e[-+][0-9]+)?$`)

// hardFloats are numbers at which writers and readers have gone wrong: the least and the
// greatest of each kind, halves between neighbours, whole numbers beyond 2^53, zeros.
var hardFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, 1e-5, 1e-4, 1e5, 1e6, 1e20, 1e21, 1e22, 1e23, 9007199254740991, 9007199254740993, 1 << 62,
	math.SmallestNonzeroFloat64, 2.2250738585072011e-308, 2.2250738585072014e-308, math.MaxFloat64, -math.MaxFloat64,
	0.1, 0.3, 2.0 / 3, 5e-324, 123456789012345680, 8.41e21, 2.5e-7, 6.02214076e23, 1e-10, 1e100, 1e-100,
}

func TestNumbersForReadersOfYAML11(t *testing.T) {
	for _, x := range hardFloats {
		text := formatFloat(x, 64)
		if again, err := decimal.Parse(text, 64); err != nil || math.Float64bits(again) != math.Float64bits(x) {
			t.Errorf("%v is written as %s and read as %v", x, text, again)
		}
		if !float11.MatchString(text) {
			t.Errorf("%v is written as %s", x, text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Filter(func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }).Draw(t, "x")
		if text := formatFloat(x, 64); !float11.MatchString(text) {
			t.Fatalf("%v is written as %s", x, text)
		}
	})
}

// What no configuration can say is refused by its field.
func TestMarshalRefuses(t *testing.T) {
	for _, test := range []struct {
		change func(*written)
		want   string
	}{
		{func(w *written) { w.Section.Text = "a\xff" }, `section.text = "a\xff" is not UTF-8 text`},
		{func(w *written) { w.Section.Texts = []string{"", "\xff"} }, `section.texts[1] = "\xff" is not UTF-8 text`},
		{func(w *written) { w.Section.ByName = map[string]string{"\xff": ""} }, `section.by_name."\xff" = "\xff" is not UTF-8 text`},
		{func(w *written) { w.Numbers.X = math.NaN() }, `numbers.x = NaN is not a finite number`},
		{func(w *written) { w.Numbers.Pair[1] = math.Inf(-1) }, `numbers.pair[1] = -Inf is not a finite number`},
		{func(w *written) { w.Section.Nested = map[string]any{"a": map[string]any{"b": int64(1)}} }, `section.nested.a.b cannot be written: it reads back as another value`},
		{func(w *written) { w.Section.Nested = map[string]any{"a": []float64{1}} }, `section.nested.a cannot be written: it reads back as another value`},
		{func(w *written) { w.Section.Texts = []string{strings.Repeat("x", 1<<20)} }, `section.texts takes 1048590 of the 1048783 bytes of the configuration as YAML; a configuration can have at most 1048576`},
		{func(w *written) {
			for w.Section.Nested == nil || len(fmt.Sprint(w.Section.Nested)) < 450 {
				w.Section.Nested = map[string]any{"a": w.Section.Nested}
			}
		}, `section.nested.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a is nested more than 64 levels deep`},
	} {
		var w written
		test.change(&w)
		if _, err := Marshal(w); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

// A reader of another mind would be noticed by the field that it reads otherwise.
func TestReadBackNamesTheField(t *testing.T) {
	var w written
	w.Section.Rows = []row{{"a", 1}, {"b", 2}}
	w.Section.ByName = map[string]string{"x": "y"}
	text, err := Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[[2]string]string{
		{`p: 2.0`, `p: 2.5`}:      "section.rows[1].p cannot be written: it reads back as another value",
		{`"x": "y"`, `"x": "Y"`}:  "section.by_name.x cannot be written: it reads back as another value",
		{`"x": "y"`, `"X": "y"`}:  "section.by_name.x cannot be written: it reads back as another value",
		{`whole: 0`, `whole: no`}: `cannot be written: reading it back fails: numbers.whole: "no" is not a whole number`,
	} {
		if err := readBack([]byte(strings.Replace(string(text), change[0], change[1], 1)), reflect.ValueOf(w)); err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", change, err, want)
		}
	}
}

// A mapping of thousands of keys is written in braces.
func TestManyKeys(t *testing.T) {
	var w, again written
	w.Section.ByName = map[string]string{}
	for i := range maxKeys + 1 {
		w.Section.ByName[fmt.Sprint(i)] = "x"
	}
	text, err := Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := Unmarshal("w.yaml", text, &again); err != nil || !reflect.DeepEqual(again.Section.ByName, w.Section.ByName) {
		t.Error(err)
	}
}

// Any text, wherever it stands, is written so that it is read, or refused because it is
// not UTF-8.
func FuzzMarshal(f *testing.F) {
	for _, text := range []string{"1e3", "0e1", "? x", "a[", "<<", "a\nb", "a\tb", "\t", "", "\xff", "\u2028", "- a", "a: b", "#"} {
		f.Add(text, text, 0.0)
	}
	f.Add("~", "null", 1e-5)
	f.Fuzz(func(t *testing.T, key, text string, x float64) {
		var w, again written
		w.Section.Text, w.Section.Texts, w.Numbers.X = text, []string{key, text}, x
		w.Section.ByName = map[string]string{key: text}
		w.Section.Rows = []row{{text, x}}
		w.Section.Nested = map[string]any{text: map[string]any{key: []any{text, map[string]any{text: key}}}}
		data, err := Marshal(w)
		if err != nil {
			if utf8.ValidString(key) && utf8.ValidString(text) && x-x == 0 {
				t.Errorf("%q, %q, %v: %v", key, text, x, err)
			}
			return
		}
		if err := Unmarshal("w.yaml", data, &again); err != nil || !reflect.DeepEqual(again, w) {
			t.Errorf("%v\ngot  %+v\nwant %+v from\n%s", err, again, w, data)
		}
	})
}

// A long key above many values is not written out at each of them, and is cut where an
// error shows it.
func TestLongKey(t *testing.T) {
	var v struct {
		X map[string]map[string]float64 `yaml:"x"`
	}
	unmarshal := func(length int) (allocated float64, err error) {
		text := "x: {" + strings.Repeat("k", length) + ": {a: 1, b: 1, c: 1, d: e}}"
		allocated = testing.AllocsPerRun(1, func() { err = Unmarshal("c", []byte(text), &v) })
		return allocated, err
	}
	short, _ := unmarshal(1)
	long, err := unmarshal(100_000)
	if want := "c:1:100026: x." + strings.Repeat("k", 60) + `….d: "e" is not a number`; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if long > 2*short {
		t.Errorf("%v allocations, %v with a short key", long, short)
	}
}
