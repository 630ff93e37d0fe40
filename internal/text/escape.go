// Package text formats what people read: counts and lists of things, arbitrary texts
// (arguments, paths, names in files) that are safe to show on one line of a terminal, and
// lines that fit a width.
//
// A terminal executes control characters: a name could clear the screen, colour the rest
// of the output, or look like a second line. Characters that change the writing direction
// make a name look like another, and characters without width are invisible. All of these
// are escaped as in a Go or JSON string: \x1b, \n, \u202e.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape escapes characters that are invisible or have other effects: controls (C0, C1
// and DEL), line and paragraph separators, format characters (direction changes, joiners
// and other invisible ones), and each byte that is not UTF-8. Other characters, including
// backslashes, are unchanged.
func Escape(text string) string {
	if shows(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		escape(&b, r, text[i:i+size])
		i += size
	}
	return b.String()
}

// shows reports whether a text needs no escapes.
func shows(text string) bool {
	for i, r := range text {
		if !plain(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return false
		}
	}
	return true
}

// plain reports whether a character is visible and has no other effect.
func plain(r rune) bool {
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// escape writes a character, escaped if it is not plain. bytes is the character's
// encoding in the text.
func escape(b *strings.Builder, r rune, bytes string) {
	switch {
	case r == utf8.RuneError && len(bytes) == 1: // not UTF-8
		fmt.Fprintf(b, `\x%02x`, bytes[0])
	case plain(r):
		b.WriteString(bytes)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// Limits on messages, in characters.
const (
	LongestPiece   = 200 // for one argument, path or name within a message
	LongestMessage = 400
)

// Message returns a text for one line of messages: escaped by [Escape], with long pieces
// (quoted texts and words) and the whole text shortened by an ellipsis in the middle.
func Message(text string) string {
	text = Escape(text)
	var b strings.Builder
	for text != "" {
		n := piece(text)
		b.WriteString(Cut(text[:n], LongestPiece))
		text = text[n:]
	}
	return Cut(b.String(), LongestMessage)
}

// piece returns the length in bytes of the first piece of a text: spaces, a quoted text,
// or a word, which can contain quotes, as in name="a b".
func piece(text string) int {
	if n := len(text) - len(strings.TrimLeft(text, " ")); n > 0 {
		return n
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ':
			return i
		case '"':
			i += quoted(text[i:]) - 1
		}
	}
	return len(text)
}

// quoted returns the length of the quoted string at the beginning of a text, or 1 (the
// quote alone) if the string does not end.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 1
}

// Start returns the first n characters of a text; the last of them is an ellipsis if the
// text is longer.
func Start(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:max(0, n-1)]) + "…"
	}
	return text
}

// Cut shortens a text to at most n characters. In a longer text, an ellipsis replaces the
// middle, and the last third of the n characters shows the text's end.
func Cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	tail := n / 3
	return string(runes[:n-tail-1]) + "…" + string(runes[len(runes)-tail:])
}
