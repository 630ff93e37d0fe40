package token

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Pieces cuts a text as GPT-2 does before it merges, so that no token reaches across: the
// matches of
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// one after the other, which together are the text. \s is what Unicode calls white space.
// A byte that is not UTF-8 is a character of its own, neither letter, number nor space.
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

// class is what the pattern distinguishes of characters.
type class int

const (
	other class = iota
	letter
	digit
	space
)

// classOf returns the class of a text's first character, and its bytes.
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

// contractions are pieces of their own wherever a piece begins.
var contractions = []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// pieceLength returns the bytes of the first match of the pattern in a text, which is not
// empty.
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
	if text[0] == ' ' && len(text) > 1 { // one blank joins the word behind it
		if next, _ := classOf(text[1:]); next != space {
			n, _ := runLength(text[1:], next)
			return 1 + n
		}
	}
	n, last := runLength(text, space)
	if n == len(text) || n == last {
		return n
	}
	return n - last // \s+(?!\S): the last one is left, for the next piece
}

// runLength returns the bytes of the characters of one class with which a text begins,
// and those of the last of them.
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

// byteOrder lists the bytes in the order of GPT-2's ids: those that print, as
// characters of Latin-1, and then the others.
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

// prints says whether a byte stands for itself in GPT-2's files.
func prints(c byte) bool {
	return '!' <= c && c <= '~' || 0xa1 <= c && c <= 0xac || c >= 0xae
}

// byteRunes are the characters that stand for bytes in GPT-2's files, none of which is
// white space: a byte that prints stands for itself, the others are 256, 257, … in order.
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

// runeBytes are the bytes that characters stand for.
var runeBytes = sync.OnceValue(func() map[rune]byte {
	of := map[rune]byte{}
	for c, r := range byteRunes() {
		of[r] = byte(c)
	}
	return of
})

// written returns bytes as GPT-2's files have them.
func written(token string) string {
	var text strings.Builder
	for i := range len(token) {
		text.WriteRune(byteRunes()[token[i]])
	}
	return text.String()
}

// read returns the bytes that a text of GPT-2's files stands for.
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
