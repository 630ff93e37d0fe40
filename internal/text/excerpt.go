package text

import (
	"fmt"
	"strconv"
	"strings"
)

// Excerpt shortens the text of a value, such as a parameter or a setting, to its
// beginning if it has more than limit characters. The result has about limit characters.
// Numbers of a list are rounded to five digits, and the length of the list is added.
// Brackets of any other list are closed.
func Excerpt(text string, limit int) string { return ExcerptFrom(text, limit, 0) }

// ExcerptFrom is [Excerpt], but shows a list of numbers starting at index first.
func ExcerptFrom(text string, limit, first int) string {
	letters := []rune(text)
	if len(letters) <= limit {
		return text
	}
	if list := ParseList(text); list != nil {
		return numbersText(list, limit, first)
	}
	cut := string(letters[:limit-1])
	if open := openBrackets(cut); open != "" {
		if at := strings.LastIndex(cut, ", "); at > 0 {
			cut = cut[:at] + ", "
			open = openBrackets(cut)
		}
		return cut + "…" + open
	}
	return cut + "…"
}

// ParseList parses a list of numbers, such as [0.5, 1]; it returns nil for any other
// text.
func ParseList(text string) (list []float64) {
	inner, begins := strings.CutPrefix(text, "[")
	inner, ends := strings.CutSuffix(inner, "]")
	if !begins || !ends {
		return nil
	}
	for _, item := range strings.Split(inner, ", ") {
		x, err := strconv.ParseFloat(item, 64)
		if err != nil {
			return nil
		}
		list = append(list, x)
	}
	return list
}

// numbersText returns the numbers of a list, starting at index first. It stops after
// limit characters, but shows at least one number. If it leaves numbers out, it adds the
// length of the list.
func numbersText(list []float64, limit, first int) string {
	text := "["
	if first > 0 {
		text = "[…, "
	}
	n := first
	for ; n < len(list); n++ {
		next := fmt.Sprintf("%.5g", list[n])
		if n > first {
			next = ", " + next
		}
		if n > first && len([]rune(text+next))+len("]") > limit {
			break
		}
		text += next
	}
	switch {
	case first > 0:
		return fmt.Sprintf("%s, …] (%d numbers, shown from number %d)", text, len(list), first+1)
	case n < len(list):
		return fmt.Sprintf("%s, …] (%d numbers)", text, len(list))
	}
	return text + "]"
}

// openBrackets returns the closing brackets that a text lacks, in the order in which they
// must be appended.
func openBrackets(text string) (closing string) {
	for _, r := range text {
		switch r {
		case '[':
			closing = "]" + closing
		case '{':
			closing = "}" + closing
		case '(':
			closing = ")" + closing
		case ']', '}', ')':
			closing = strings.TrimPrefix(closing, string(r))
		}
	}
	return closing
}
