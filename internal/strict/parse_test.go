package strict

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type m = map[string]any

type l = []any

// documents are texts in every form of YAML that is read, with what they say.
var documents = []struct {
	text string
	want any
}{
	// By indentation.
	{"a: 1\nb:\n  c: 2\n  d:\n    e: 3\nf: 4\n", m{"a": 1, "b": m{"c": 2, "d": m{"e": 3}}, "f": 4}},
	{"a:\n- 1\n- 2\nb:\n  - 3\n", m{"a": l{1, 2}, "b": l{3}}},
	{"- a: 1\n  b: 2\n-   c: 3\n- - 4\n  -   5\n-\n  d\n- \n-\n  - 6\n", l{m{"a": 1, "b": 2}, m{"c": 3}, l{4, 5}, "d", nil, l{6}}},
	{"a:\nb: ~\nc: null # nothing\nd:\n  # nothing\n", m{"a": nil, "b": nil, "c": nil, "d": nil}},
	{"a : 1\n\"b\" : 2\n'c d': 3\n-e: 5\n:f: 6\n", m{"a": 1, "b": 2, "c d": 3, "-e": 5, ":f": 6}},
	{"a:\t1\nb: 2\t# c\n", m{"a": 1, "b": 2}},

	// In brackets.
	{"{a: 1, \"b\":2, c:3, d, e: , f: [], g: {}, http://h: 4}", m{"a": 1, "b": 2, "c": 3, "d": nil, "e": nil, "f": l{}, "g": m{}, "http://h": 4}},
	{"[a, [b, c], {d: e}, f: g, \"h\": 1, i,]", l{"a", l{"b", "c"}, m{"d": "e"}, m{"f": "g"}, m{"h": 1}, "i"}},
	{"a: [1,\n 2 # two\n,\n\n3\n]\nb: {\n  c: 4\n}\n", m{"a": l{1, 2, 3}, "b": m{"c": 4}}},
	{"a: {x: http://y, z: -1, w: a?b, v: -, u: +}", m{"a": m{"x": "http://y", "z": -1, "w": "a?b", "v": "-", "u": "+"}}},

	// Texts.
	{"a: b c  d \nb: e#f g:h # i\nc: \"j\" # k\n", m{"a": "b c  d", "b": "e#f g:h", "c": "j"}},
	{"'it''s' ", "it's"},
	{`"\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\u0041\U00000041\ud83d\ude00"`, "\x00\a\b\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029AAA\U0001f600"},
	{"a: |\n  b\n   c\n\n  d\n\ne: |-\n  f\n\ng: |+\n  h\n\ni: |\n\n\n  j\n", m{"a": "b\n c\n\nd\n", "e": "f", "g": "h\n\n", "i": "\n\nj\n"}},
	{"a: 'x'\r\nb: |\r\n  y\r\n  z\r\nc: d\r\n", m{"a": "x", "b": "y\nz\n", "c": "d"}},

	// Documents.
	{"%YAML 1.2\n---\na: 1\n...\n", m{"a": 1}},
	{"--- |\n  a\n", "a\n"},
	{"a: b\n#c\n", m{"a": "b"}},
}

func TestDocuments(t *testing.T) {
	for _, d := range documents {
		var got any
		err := Unmarshal("c", []byte(d.text), &got)
		if err != nil || !reflect.DeepEqual(got, d.want) {
			t.Errorf("%q: %v\ngot  %#v\nwant %#v", d.text, err, got, d.want)
		}
	}
}

// refused are texts that are no YAML, none that is read, or YAML that the library takes
// for something else.
var refused = []struct{ text, want string }{
	{"a: b: c", `c:1:4: mapping value is not allowed in this context`},
	{"a: - b", `c:1:4: block sequence entries are not allowed in this context`},
	{"a: -", `c:1:4: block sequence entries are not allowed in this context`},
	{"a: b\n  c: d", `c:1:4: mapping value is not allowed in this context`},
	{"a: b\n  - c", `c:2:5: a text over several lines is not supported; write it on one line, in double quotes, with \n for a line break`},
	{"a: 1\n- b", `c:2:1: non-map value is specified`},
	{"a: 1\nb", `c:2:1: non-map value is specified`},
	{"a: 1\n[b]: 2", `c:2:4: found an invalid key for this map`},
	{"[a]: 2", `c:1:4: found an invalid key for this map`},
	{"{a: 1}: 2", `c:1:7: found an invalid key for this map`},
	{"? a", `c:1:1: a key must be plain text, without a question mark before it`},
	{": a", `c:1:1: unexpected key name`},
	{"a: \"b\" c", `c:1:8: value is not allowed in this context. map key-value is pre-defined`},
	{"a: 'b", `c:1:4: could not find end character of single-quoted text`},
	{"a: \"b", `c:1:4: could not find end character of double-quoted text`},
	{"a: \"\n---\n\"", `c:2:1: found unexpected document separator`},
	{"a: \"\\q\"", `c:1:6: found unknown escape character 'q'`},
	{"a: \"\\xg0\"", `c:1:4: "\\xg0\"" is not an escape; write a backslash as \\ in double quotes`},
	{"a: \"\\u12\"", `c:1:5: not enough length for escaped UTF-16 character`},
	{"a: \"\\ud800\"", `c:1:5: not enough length for escaped UTF-16 surrogate pair`},
	{"a: \"\\ud83d\\u0041\"", `c:1:5: found unexpected low surrogate after high surrogate`},
	{"a: \"\\UFFFFFFFF\"", `c:1:4: an escape in this text is not a valid character`},
	{"a: @b", `c:1:4: '@' is a reserved character`},
	{"a: [b", `c:1:4: sequence end token ']' not found`},
	{"a: [b, , c]", `c:1:8: unexpected scalar value type`},
	{"a: [b c: d", `c:1:4: sequence end token ']' not found`},
	{"a: ]", `c:1:4: could not find '[' character corresponding to ']'`},
	{"a: {[b]: c}", `c:1:8: found an invalid key for this map`},
	{"a: |x\n  b", `c:1:4: invalid header option: "x"`},
	{"a: |\n    \n  b\n", `c:3:3: invalid number of indent is specified after space only`},
	{"a:\n  - b\n c", `c:3:2: value is not allowed in this context`},
	{"-\ta: b", `c:1:3: tab character cannot use as a map key directly`},
	{"%a\nb: c", `c:1:1: unexpected directive value. document not started`},
	{"--- a: b", `c:1:5: value cannot be placed after document separator`},
	{"a: 1\n... b", `c:2:5: a second document begins here; only one is allowed`},
	{"a: 1\n...\nb: 2", `c:3:1: a second document begins here; only one is allowed`},
	{"a: b\tc", `c:1:4: a tab in a text; write \t in double quotes`},
	{"a: 'b\tc'", `c:1:4: a tab in a text; write \t in double quotes`},
	{"a: \"b\tc\"", `c:1:4: a tab in a text; write \t in double quotes`},
	{"{a: \"b\tc\"}", `c:1:5: a tab in a text; write \t in double quotes`},
	{"{a: \"b\tc\"}\n@", `c:1:5: a tab in a text; write \t in double quotes`},
	{"a\tb: c", `c:1:1: a tab in a text; write \t in double quotes`},
	{"a: one\n  two", `c:1:4: a text over several lines is not supported; write it on one line, in double quotes, with \n for a line break`},
	{"[one\ntwo]", `c:1:2: a text over several lines is not supported; write it on one line, in double quotes, with \n for a line break`},
	{"a: 'b\n c'", `c:1:4: a text over several lines is not supported; write it on one line, in double quotes, with \n for a line break`},
	{"a: \"b\\\n  c\"", `c:1:4: a text over several lines is not supported; write it on one line, in double quotes, with \n for a line break`},
	{"a: >\n  b\n", `c:1:4: folded text (>) is not supported; write it in double quotes`},
	{"a: |1\n  b\n", `c:1:4: this text in lines (|) is not supported; write it in double quotes, with \n for a line break`},
	{"a: |+\n", `c:1:4: this text in lines (|) is not supported; write it in double quotes, with \n for a line break`},
	{"a: |\n  b\tc\n", `c:1:4: this text in lines (|) is not supported; write it in double quotes, with \n for a line break`},
	{"a: |\n\nb: 1", `c:1:4: this text in lines (|) is not supported; write it in double quotes, with \n for a line break`},
	{"a: |", `c:1:4: this text in lines (|) is not supported; write it in double quotes, with \n for a line break`},
	{"a: |\n  b ", `c:1:4: this text in lines (|) is not supported; write it in double quotes, with \n for a line break`},
	{"a:\n-\nb: 1", `c:2:1: an item without a value; write null`},
	{"[a:]", `c:1:2: "a:" ends in a colon; write a space after it, or quote the text`},
	{"[a:, b]", `c:1:2: "a:" ends in a colon; write a space after it, or quote the text`},
	{"---\n---\na", `c:2:1: a second document begins here; only one is allowed`},
	{"a: 1\n...\n...\n", `c:3:1: a second document begins here; only one is allowed`},
	{"a: &b c", `c:1:4: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"a: *b", `c:1:4: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"a: !b c", `c:1:4: tags (!) are not supported; write the value alone, or quote it when it is text`},
	{"<<: {a: 1}", `c:1:1: merge keys (<<) are not supported; write the keys out`},
	{"a: \"\\udc00\"", `c:1:4: an escape in this text is not a valid character`},
	{"a: \"\\UD8000000\"", `c:1:4: an escape in this text is not a valid character`},
	{"a:\t\"\\u0041\"", `c:1:3: a tab before this text, on a line with a character code; write a space`},
}

func TestRefused(t *testing.T) {
	for _, s := range refused {
		var got any
		if err := Unmarshal("c", []byte(s.text), &got); err == nil || err.Error() != s.want {
			t.Errorf("%q:\n got %v, %#v\nwant %s", s.text, err, got, s.want)
		}
	}
}

// What would take more than proportional time is refused, and a little less is read.
func TestLimits(t *testing.T) {
	keys := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	inAll := func(n int) string {
		return "x:\n" + strings.Repeat("- a: 1\n  b: 2\n", n/2-1) + "y: 1\n"
	}
	long := strings.Repeat("x", 1<<19)
	below := func(key int) string {
		return "x: {" + strings.Repeat("k", key) + ": [" + strings.Repeat("1, ", 4096) + "]}"
	}
	for _, test := range []struct{ read, refused, want string }{
		{keys("a%d: 1\n", 4096), keys("a%d: 1\n", 4097), "c:4097:1: a mapping by indentation has at most 4096 keys; write it in braces, {a: 1, b: 2}"},
		{"x: {" + keys("a%d: 1, ", 20_000) + "}", keys("a%d:\n", 20_000), "c:4097:1: a mapping by indentation has at most 4096 keys; write it in braces, {a: 1, b: 2}"},
		{inAll(64 << 10), inAll(64<<10 + 2), "c:65537:3: mappings by indentation have at most 65536 keys in all; write some in braces, {a: 1, b: 2}"},
		{"x: {" + keys("a%d, ", 8000) + "}", "x: {" + keys("a%d, ", 16_000) + "}", "c:1:1: 16000 values are missing, at most 8387 in a document of this length; write null"},
		{"x:\n" + strings.Repeat("-\n", 11_000), "x:\n" + strings.Repeat("-\n", 17_000), "c:1:1: 16999 values are missing, at most 15788 in a document of this length; write null"},
		{below(10_000), below(20_000), "c:1:30070: the keys that enclose this value have 20003 bytes in total, too many for a document with many values"},
		{"x: " + strings.Repeat("<", 1024), "x: 1\ny: " + strings.Repeat("<", 1025), "c:2:1: more than 1024 < in a row"},
		{"x:" + strings.Repeat("\t", 255) + long, "x:" + strings.Repeat("\t", 256) + long, `c:1:1: 256 tabs in a line of 524546 bytes; write spaces, or \t within double quotes`},
		{"x: " + long + strings.Repeat("\n", 100), "x: " + long + strings.Repeat("\n", 150), "c:129:1: 128 empty lines in a row, at most 127 in a document of this length"},
	} {
		var v any
		if err := Unmarshal("c", []byte(test.read), &v); err != nil {
			t.Errorf("%.30q: %v", test.read, err)
		}
		if err := Unmarshal("c", []byte(test.refused), &v); err == nil || err.Error() != test.want {
			t.Errorf("%.30q:\n got %v\nwant %s", test.refused, err, test.want)
		}
	}
}

// Names with characters that are written by their numbers, many on a line, are found in
// it.
func TestManyEscapes(t *testing.T) {
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprintf("\u2028é\ufffd\\%d", i))
	}
	type list struct{ Names []string }
	text, err := Marshal(list{names})
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(string(text), `\\19999`, `\xg9`, 1)
	if err := Unmarshal("c", []byte(wrong), new(list)); err == nil || !strings.Contains(err.Error(), `"\\xg9\"]" is not an escape`) {
		t.Error(err)
	}
}
