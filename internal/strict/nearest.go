package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Meant returns a suggestion for an unknown word, such as `did you mean "lr"?`, or "" if
// no known word is near (see [Nearest]).
func Meant(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// Choice returns [Meant] or, if no word is near, all choices: "want one of lr, eps".
func Choice(word string, known []string) string {
	return cmp.Or(Meant(word, known), "want one of "+strings.Join(known, ", "))
}

// Name returns [Meant] or, if no word is near, the first known names: "the names are lr,
// eps, …".
func Name(word string, known []string, most int) string {
	if meant := Meant(word, known); meant != "" {
		return meant
	}
	if len(known) > most {
		known = append(slices.Clone(known[:most]), "…")
	}
	return "the names are " + strings.Join(known, ", ")
}

// NotOneOf returns a message for a word that is not among the allowed ones, with a
// suggestion if there is one: `"rleu" is not one of relu, gelu; did you mean "relu"?`.
func NotOneOf(word string, known []string) string {
	text := fmt.Sprintf("%q is not one of %s", word, strings.Join(known, ", "))
	if meant := Meant(word, known); meant != "" {
		text += "; " + meant
	}
	return text
}

// Nearest returns the known word that was probably meant by word, or "" if no known word
// is near. Near means, in this order: equal except for case, hyphens and underscores;
// within a few typing errors (Damerau–Levenshtein distance of at most a third of the
// length, or one in two letters); initials (lr for learning_rate, and the reverse); a
// part (heads for n_heads); or a common prefix of at least three letters and three
// quarters of the shorter word (sinus for sine). Among equally near words the first wins.
func Nearest(word string, known []string) string {
	w := fold(word)
	if w == "" {
		return ""
	}
	if best := closest(w, known); best != "" {
		return best
	}
	for _, k := range known {
		if initials(word) == fold(k) || initials(k) == w {
			return k
		}
	}
	for _, k := range known {
		if shareWord(word, k) {
			return k
		}
	}
	for _, k := range known {
		if beginAlike([]rune(w), []rune(fold(k))) {
			return k
		}
	}
	return ""
}

// beginAlike reports whether words share their first three letters, and three quarters of
// the shorter word.
func beginAlike(a, b []rune) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= 3 && 4*n >= 3*min(len(a), len(b))
}

// closest returns the known word with the smallest [distance] from a folded word, or ""
// if that distance is too large for the length of the words.
func closest(word string, known []string) string {
	best, least := "", 0
	w := []rune(word)
	for _, k := range known {
		folded := []rune(fold(k))
		longer := max(len(w), len(folded))
		near := longer / 3
		if longer == 2 {
			near = 1 // rl for lr
		}
		if longer-min(len(w), len(folded)) > near {
			continue // skip before allocating a large table for a long word
		}
		if d := distance(w, folded); d <= near && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// fold makes words equal that differ only in case, hyphens and underscores.
func fold(word string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(word))
}

// parts splits a word at hyphens and underscores.
func parts(word string) []string {
	return strings.FieldsFunc(strings.ToLower(word), func(r rune) bool { return r == '_' || r == '-' || r == ' ' })
}

// initials returns the first letters of a word with several parts, or "".
func initials(word string) string {
	ps := parts(word)
	if len(ps) < 2 {
		return ""
	}
	var b strings.Builder
	for _, p := range ps {
		b.WriteRune([]rune(p)[0])
	}
	return b.String()
}

// shareWord reports whether one of the words is one of the parts of the other.
func shareWord(a, b string) bool {
	return len(a) > 1 && slices.Contains(parts(b), fold(a)) || len(b) > 1 && slices.Contains(parts(a), fold(b))
}

// distance is the restricted Damerau–Levenshtein distance (optimal string alignment): the
// smallest number of insertions, deletions, substitutions and swaps of neighbours that
// turns a into b, editing no substring twice.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
