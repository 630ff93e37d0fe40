package token

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Pieces cuts a text into pieces as GPT-2 does before merging, so that no token crosses
// the border of a piece. The pieces are the successive matches of
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// and together they are the whole text. \s is Unicode white space. An invalid UTF-8 byte
// is a character by itself, not a letter, number or space.
func Pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			n := pieceLength(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// class is a character class of the pattern.
type class int

const (
	other class = iota
	letter
	digit
	space
)

// classOf returns the class and the length in bytes of a text's first character.
func classOf(text string) (class, int) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return other, size
	case unicode.IsLetter(r):
		return letter, size
	case unicode.IsNumber(r):
		return digit, size
	case unicode.IsSpace(r):
		return space, size
	}
	return other, size
}

// contractions are tried first at the beginning of each piece.
var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// pieceLength returns the length in bytes of the first match of the pattern in a text,
// which must not be empty.
func pieceLength(text string) int {
	if text[0] == '\'' {
		for _, c := range contractions {
			if strings.HasPrefix(text, c) {
				return len(c)
			}
		}
	}
	first, _ := classOf(text)
	if first != space {
		n, _ := runLength(text, first)
		return n
	}
	if text[0] == ' ' && len(text) > 1 { // a single space belongs to the piece that follows it
		if next, _ := classOf(text[1:]); next != space {
			n, _ := runLength(text[1:], next)
			return 1 + n
		}
	}
	n, last := runLength(text, space)
	if n == len(text) || n == last {
		return n
	}
	return n - last // \s+(?!\S): the last space begins the next piece
}

// runLength returns the length in bytes of the characters of class c at the beginning of
// a text, and the length of the last such character.
func runLength(text string, c class) (n, last int) {
	for n < len(text) {
		next, size := classOf(text[n:])
		if next != c {
			break
		}
		n, last = n+size, size
	}
	return n, last
}

// byteOrder returns the bytes in the order of GPT-2's ids: first the printable characters
// of Latin-1, then the others.
func byteOrder() []byte {
	var shown, hidden []byte
	for c := range 256 {
		if prints(byte(c)) {
			shown = append(shown, byte(c))
		} else {
			hidden = append(hidden, byte(c))
		}
	}
	return append(shown, hidden...)
}

// prints reports whether GPT-2's files write a byte as the character whose code point is
// the byte.
func prints(c byte) bool {
	return '!' <= c && c <= '~' || 0xa1 <= c && c <= 0xac || c >= 0xae
}

// byteRunes are the characters for bytes in GPT-2's files, none of which is white space.
// A printable byte is written as itself; the others are written as the characters 256,
// 257, … in order.
var byteRunes = sync.OnceValue(func() (runes [256]rune) {
	next := rune(256)
	for c := range runes {
		if prints(byte(c)) {
			runes[c] = rune(c)
		} else {
			runes[c] = next
			next++
		}
	}
	return runes
})

// runeBytes maps the characters in GPT-2's files to bytes.
var runeBytes = sync.OnceValue(func() map[rune]byte {
	of := map[rune]byte{}
	for c, r := range byteRunes() {
		of[r] = byte(c)
	}
	return of
})

// written returns the bytes of a token in the form in which GPT-2's files write them.
func written(token string) string {
	var text strings.Builder
	for i := range len(token) {
		text.WriteRune(byteRunes()[token[i]])
	}
	return text.String()
}

// read is the inverse of written; ok is false if a character does not represent a byte.
func read(text string) (token string, ok bool) {
	var bytes []byte
	for _, r := range text {
		c, ok := runeBytes()[r]
		if !ok {
			return "", false
		}
		bytes = append(bytes, c)
	}
	return string(bytes), true
}
