// Package printable makes texts of anybody's (arguments, paths, names in files) safe to
// show to people, on one line of a terminal.
//
// A terminal obeys control characters: one name could clear the screen, colour what
// follows, or pass for a second line. Characters that change the direction of writing
// make a name look like another, and those without a width hide. All of these are shown
// as they would be written in a Go or JSON string: \x1b, \n, \u202e.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text with every character that does not show, or does more than show,
// escaped: controls (C0, C1 and DEL), line and paragraph separators, and format
// characters (changes of direction, joiners and other invisible ones); of what is not
// UTF-8 each byte. Everything else, backslashes too, is itself.
func Text(text string) string {
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

// shows says whether a text can be shown as it is.
func shows(text string) bool {
	for i, r := range text {
		if !plain(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return false
		}
	}
	return true
}

// plain says whether a character does nothing but show.
func plain(r rune) bool {
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// escape writes a character, whose bytes are given, so that it shows.
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

// Lengths in messages, in characters.
const (
	LongestPiece   = 200 // of one argument, path or name
	LongestMessage = 400
)

// Message returns a text for one line of messages: as [Text] has it, with its longest
// pieces (quoted ones, and words) and the whole cut to their greatest lengths, by an
// ellipsis in the middle.
func Message(text string) string {
	text = Text(text)
	var b strings.Builder
	for text != "" {
		n := piece(text)
		b.WriteString(Cut(text[:n], LongestPiece))
		text = text[n:]
	}
	return Cut(b.String(), LongestMessage)
}

// piece returns the length in bytes of what a text begins with: spaces, something in
// quotes, or a word, whose own quotes, as in name="a b", belong to it.
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

// quoted returns the length of the quoted string that a text begins with: 1, of the quote
// alone, where none ends.
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

// Start returns a text of at most n characters: of a longer one its beginning, and an
// ellipsis.
func Start(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:max(0, n-1)]) + "…"
	}
	return text
}

// Cut returns a text of at most n characters, of which the last third is kept: a longer
// one has an ellipsis before that.
func Cut(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	tail := n / 3
	return string(runes[:n-tail-1]) + "…" + string(runes[len(runes)-tail:])
}
