package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":           "",
		"runs/first": "runs/first",
		`C:\new\x1b`: `C:\new\x1b`,
		"naïve – α² ‘x’ 日本 🙂 �": "naïve – α² ‘x’ 日本 🙂 �",
		"no\u00a0break\u202f%":  "no\u00a0break\u202f%",
		"\x1b[2J":               `\x1b[2J`,
		"a\nb\r\n\tc":           `a\nb\r\n\tc`,
		"\x00\x7f\u0085\u009b":  `\x00\x7f\x85\x9b`,
		"\u2028\u2029":          `\u2028\u2029`,
		"\u202egpj.exe":         `\u202egpj.exe`,
		"\u2066x\u2069":         `\u2066x\u2069`,
		"\u200e\u200f\u061c":    `\u200e\u200f\u061c`,
		"zero\u200bwidth\ufeff": `zero\u200bwidth\ufeff`,
		"\U000e0041":            `\U000e0041`,
		"a\xffb\xc3":            `a\xffb\xc3`,
		"\xed\xa0\x80":          `\xed\xa0\x80`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}

// Every character that is a control, a separator of lines or invisible is escaped, and
// no other.
func TestEscapeOfEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := string(r)
		escaped := Escape(text) != text
		want := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		if escaped != want || !utf8.ValidString(Escape(text)) {
			t.Fatalf("%U is shown as %s", r, Escape(text))
		}
	}
}

// Whatever the bytes, what is shown is one line of characters that show, and stays
// itself.
func TestEscapedIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		shown := Escape(text)
		if !utf8.ValidString(shown) || strings.IndexFunc(shown, func(r rune) bool { return !plain(r) }) >= 0 {
			t.Errorf("%q is shown as %q", text, shown)
		}
		if Escape(shown) != shown {
			t.Errorf("%s changes", shown)
		}
		message := Message(text)
		if n := utf8.RuneCountInString(message); n > LongestMessage || Escape(message) != message {
			t.Errorf("a message of %d characters: %q", n, message)
		}
	})
}

func TestMessage(t *testing.T) {
	long := strings.Repeat("x", 1000)
	spaced := strings.Repeat("a b ", 300)
	for text, want := range map[string]string{
		"unknown command":                                   "unknown command",
		"  two  spaces ":                                    "  two  spaces ",
		strings.Repeat("y", 200) + " b":                     strings.Repeat("y", 200) + " b",
		"open " + long + ": no such file":                   "open " + Cut(long+":", 200) + " no such file",
		`"` + long + `" is not a number`:                    Cut(`"`+long+`"`, 200) + " is not a number",
		`--param: "` + spaced + `" is given twice`:          "--param: " + Cut(`"`+spaced+`"`, 200) + " is given twice",
		`--set x="` + spaced + `\" ` + spaced + `": no "="`: Cut(`--set `, 200) + Cut(`x="`+spaced+`\" `+spaced+`":`, 200) + ` no "="`,
		`an open " ` + long:                                 `an open " ` + Cut(long, 200),
		strings.Repeat("\x1b", 100):                         Cut(strings.Repeat(`\x1b`, 100), 200),
		strings.Repeat("word ", 200) + "end":                Cut(strings.Repeat("word ", 200)+"end", 400),
	} {
		if got := Message(text); got != want {
			t.Errorf("%.40q…\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "123456789": "123456789", "1234567890": "12345…890", "αβγδεζηθικλ": "αβγδε…ικλ",
	} {
		if got := Cut(text, 9); got != want {
			t.Errorf("%s is cut to %s, want %s", text, got, want)
		}
	}
}

func TestStart(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "123456789": "123456789", "1234567890": "12345678…", "αβγδεζηθικλ": "αβγδεζηθ…",
	} {
		if got := Start(text, 9); got != want {
			t.Errorf("%s is shortened to %s, want %s", text, got, want)
		}
	}
}

func Example() {
	fmt.Println(Escape("first\x1b[2J\u202etxt.exe\n"))
	// Output: first\x1b[2J\u202etxt.exe\n
}
