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
	{"a:\n-\nb: 1", m{"a": l{nil}, "b": 1}},

	// In brackets.
	{"{a: 1, \"b\":2, d, e: , f: [], g: {}, http://h: 4}", m{"a": 1, "b": 2, "d": nil, "e": nil, "f": l{}, "g": m{}, "http://h": 4}},
	{"a:b:\n", m{"a:b": nil}},
	{"[a, [b, c], {d: e}, f: g, \"h\": 1, i,]", l{"a", l{"b", "c"}, m{"d": "e"}, m{"f": "g"}, m{"h": 1}, "i"}},
	{"a: [1,\n 2 # two\n,\n\n3\n]\nb: {\n  c: 4\n}\n", m{"a": l{1, 2, 3}, "b": m{"c": 4}}},
	{"a: {x: http://y, z: -1, w: a?b, u: +}", m{"a": m{"x": "http://y", "z": -1, "w": "a?b", "u": "+"}}},
	{"[a:]", l{m{"a": nil}}},
	{"[a:, b]", l{m{"a": nil}, "b"}},

	// Texts.
	{"a: b c  d \nb: e#f g:h # i\nc: \"j\" # k\n", m{"a": "b c  d", "b": "e#f g:h", "c": "j"}},
	{"'it''s' ", "it's"},
	{`"\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P\x41\u0041\U0001f600"`, "\x00\a\b\t\n\v\f\r\x1b \"/\\\u0085\u00a0\u2028\u2029AA\U0001f600"},
	{"a: |\n  b\n   c\n\n  d\n\ne: |-\n  f\n\ng: |+\n  h\n\ni: |\n\n\n  j\n", m{"a": "b\n c\n\nd\n", "e": "f", "g": "h\n\n", "i": "\n\nj\n"}},
	{"a: 'x'\r\nb: |\r\n  y\r\n  z\r\nc: d\r\n", m{"a": "x", "b": "y\nz\n", "c": "d"}},
	{"a: b\n  - c", m{"a": "b - c"}},
	{"a: b\tc", m{"a": "b\tc"}},
	{"a: 'b\tc'", m{"a": "b\tc"}},
	{"a: \"b\tc\"", m{"a": "b\tc"}},
	{"{a: \"b\tc\"}", m{"a": "b\tc"}},
	{"a\tb: c", m{"a\tb": "c"}},
	{"a: one\n  two", m{"a": "one two"}},
	{"[one\ntwo]", l{"one two"}},
	{"a: 'b\n c'", m{"a": "b c"}},
	{"a: \"b\\\n  c\"", m{"a": "bc"}},
	{"a: >\n  b\n", m{"a": "b\n"}},
	{"a: >\n  b\n  c\n\n  d\n   e\n  f\n", m{"a": "b c\nd\n e\nf\n"}},
	{"a: |1\n  b\n", m{"a": " b\n"}},
	{"a: |+\n", m{"a": ""}},
	{"a: |\n  b\tc\n", m{"a": "b\tc\n"}},
	{"a: |\n\nb: 1", m{"a": "", "b": 1}},
	{"a: |", m{"a": ""}},
	{"a: |\n  b ", m{"a": "b "}},
	{"a:\t\"\\u0041\"", m{"a": "A"}},

	// Documents.
	{"%YAML 1.2\n---\na: 1\n...\n", m{"a": 1}},
	{"a: 1\n...\n...\n", m{"a": 1}},
	{"--- |\n  a\n", "a\n"},
	{"---\n# nothing\n", m{}},
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

// refused are texts that are no YAML, or YAML that is not supported.
var refused = []struct{ text, want string }{
	{"a: b: c", `c:1:5: mapping values are not allowed in this context`},
	{"a: - b", `c:1:4: block sequence entries are not allowed in this context`},
	{"a: -", `c:1:4: block sequence entries are not allowed in this context`},
	{"a: b\n  c: d", `c:1:4: mapping values are not allowed in this context`},
	{"a: 1\n- b", `c:2:1: did not find expected key while parsing a block mapping`},
	{"a: 1\nb", `c:2:1: could not find expected ':' while scanning a simple key`},
	{"a: 1\n[b]: 2", `c:2:1: a key is plain text, not a mapping or a list`},
	{"[a]: 2", `c:1:1: a key is plain text, not a mapping or a list`},
	{"{a: 1}: 2", `c:1:1: a key is plain text, not a mapping or a list`},
	{"? a", `c:1:3: a key must be plain text, without a question mark before it`},
	{": a", `c:1:1: a key is missing before the colon`},
	{"a: \"b\" c", `c:1:8: did not find expected key while parsing a block mapping`},
	{"a: 'b", `c:1:4: found unexpected end of stream while scanning a quoted scalar`},
	{"a: \"b", `c:1:4: found unexpected end of stream while scanning a quoted scalar`},
	{"a: \"\n---\n\"", `c:1:4: found unexpected document indicator while scanning a quoted scalar`},
	{"a: \"\\q\"", `c:1:5: found unknown escape character while scanning a quoted scalar`},
	{"a: \"\\xg0\"", `c:1:7: did not find expected hexadecimal number while scanning a quoted scalar`},
	{"a: \"\\u12\"", `c:1:7: did not find expected hexadecimal number while scanning a quoted scalar`},
	{"a: \"\\ud800\"", `c:1:7: found invalid Unicode character escape code while scanning a quoted scalar`},
	{"a: \"\\ud83d\\u0041\"", `c:1:7: found invalid Unicode character escape code while scanning a quoted scalar`},
	{"a: \"\\UFFFFFFFF\"", `c:1:7: found invalid Unicode character escape code while scanning a quoted scalar`},
	{"a: @b", `c:1:4: found character that cannot start any token while scanning for the next token`},
	{"a: [b", `c:1:4: did not find expected ',' or ']' while parsing a flow sequence`},
	{"a: [b, , c]", `c:1:8: did not find expected node content while parsing a flow node`},
	{"a: [b c: d", `c:1:4: did not find expected ',' or ']' while parsing a flow sequence`},
	{"a: ]", `c:1:4: did not find expected node content while parsing a block node`},
	{"a: {[b]: c}", `c:1:5: a key is plain text, not a mapping or a list`},
	{"a: |x\n  b", `c:1:5: did not find expected comment or line break while scanning a block scalar`},
	{"a: |\n    \n  b\n", `c:3:3: did not find expected key while parsing a block mapping`},
	{"a:\n  - b\n c", `c:3:2: did not find expected key while parsing a block mapping`},
	{"-\ta: b", `c:1:2: indented with a tab; YAML needs spaces`},
	{"%a\nb: c", `c:1:3: found unknown directive name while scanning a directive`},
	{"--- a: b", `c:1:6: mapping values are not allowed in this context`},
	{"a: 1\n... b", `c:2:5: found unexpected content after document-end marker while scanning a document-end marker`},
	{"a: 1\n...\nb: 2", `c:3:1: a second document begins here; only one is allowed`},
	{"{a: \"b\tc\"}\n@", `c:2:1: found character that cannot start any token while scanning for the next token`},
	{"---\n---\na", `c:2:1: a second document begins here; only one is allowed`},
	{"a: &b c", `c:1:4: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"a: *b", `c:1:4: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"a: !b c", `c:1:4: tags (!) are not supported; write the value alone, or quote it when it is text`},
	{"<<: {a: 1}", `c:1:1: merge keys (<<) are not supported; write the keys out`},
	{"a: \"\\udc00\"", `c:1:7: found invalid Unicode character escape code while scanning a quoted scalar`},
	{"a: \"\\UD8000000\"", `c:1:7: found invalid Unicode character escape code while scanning a quoted scalar`},
	{"a: 1\n: b", `c:2:1: a key is missing before the colon`},
	{"{: b}", `c:1:2: a key is missing before the colon`},
	{"[a, ? b: c]", `c:1:7: a key must be plain text, without a question mark before it`},
	{"&a b: c", `c:1:1: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"- *a", `c:1:3: anchors and aliases (& and *) are not supported; write the value out, or quote it when it is text`},
	{"a: ! b", `c:1:4: tags (!) are not supported; write the value alone, or quote it when it is text`},
	{"%TAG ! x\n---\na: 1", `c:1:1: tags (!) are not supported; write the value alone, or quote it when it is text`},
	{"{a:1}", `c:1:2: "a:1" has no value; write a space after the colon, or quote the key`},
	{"{b: {a:1}, c: 2}", `c:1:6: "a:1" has no value; write a space after the colon, or quote the key`},
	{"{a:[1]}", `c:1:4: a space is missing after the colon`},
	{"{a: {b:1,c:{}}}", `c:1:12: a space is missing after the colon`},
	{"a: \"b:\\q\"", `c:1:7: found unknown escape character while scanning a quoted scalar`},
	{"[-, a]", `c:1:2: found character that cannot start any token while scanning for the next token`},
	{"a: [b, \"c]\nd: 1\n\n", `c:1:8: found unexpected end of stream while scanning a quoted scalar`},
	{"a: \"b\nc: \"d\"\n", `c:1:4: found unexpected end of stream while scanning a quoted scalar`},
	{"a: {b: 1\nc: 2\nd: 3\n", `c:1:4: did not find expected ',' or '}' while parsing a flow mapping`},
	{"a: {b: {c: 1}\nd: {e: 2}\n", `c:1:4: did not find expected ',' or '}' while parsing a flow mapping`},
	{"a: [b,\n  c\n  d: e,\n  f]\n", `c:3:4: did not find expected ',' or ']' while parsing a flow sequence`},
	{"a: [b,\n  c}\n", `c:2:4: did not find expected ',' or ']' while parsing a flow sequence`},
	{"a:\n  b\n  c: d\n", `c:2:3: mapping values are not allowed in this context`},
	{"a\n  b: c\n", `c:1:1: mapping values are not allowed in this context`},
	{"a: b\nc: d: e\n", `c:2:5: mapping values are not allowed in this context`},
	{"a: [\n  b\n", `c:1:4: did not find expected ',' or ']' while parsing a flow sequence`},
	{"a: {\n", `c:1:4: did not find expected node content while parsing a flow node`},
	{"a: b\x01c", `c:1:5: the character U+0001 in a text; write \u0001 in double quotes`},
	{"a: \"b\u2028c\"", `c:1:6: the character U+2028 in a text; write \u2028 in double quotes`},
	{"# \u0085b: c", `c:1:3: the character U+0085 in a text; write \u0085 in double quotes`},
	{"a: \ufffe", `c:1:4: the character U+FFFE in a text; write \ufffe in double quotes`},
	{"a: \"\\ud83d\\ude00\"", `c:1:7: found invalid Unicode character escape code while scanning a quoted scalar`},
}

func TestRefused(t *testing.T) {
	for _, s := range refused {
		var got any
		if err := Unmarshal("c", []byte(s.text), &got); err == nil || err.Error() != s.want {
			t.Errorf("%q:\n got %v, %#v\nwant %s", s.text, err, got, s.want)
		}
	}
}

// A document of the largest size is read, whatever it repeats.
func TestLargest(t *testing.T) {
	for _, unit := range []string{"a%d: 1\n", "a%d:\n", "a%d: {b: [1, \"\t\"]} # x\n", "a%d: |\n  <<\n\n\n\n", "# %d\n\n"} {
		var b strings.Builder
		for i := 0; b.Len() < MaxBytes-100; i++ {
			fmt.Fprintf(&b, unit, i)
		}
		var v any
		if err := Unmarshal("c", []byte(b.String()), &v); err != nil {
			t.Errorf("%q: %v", unit, err)
		}
	}
}
