package inspect

import (
	"fmt"
	"strconv"
	"strings"
)

// shorten returns a value in about most characters. Of a list of numbers it keeps the
// beginning, to five digits, and adds the length. Of another list it keeps the beginning
// and closes the brackets. Of any other text it keeps the beginning.
func shorten(text string, most int) string { return shortenFrom(text, most, 0) }

// shortenFrom is shorten for a list that is shown starting at index from.
func shortenFrom(text string, most, from int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	if list := numbersOf(text); list != nil {
		return numbersText(list, most, from)
	}
	cut := string(letters[:most-1])
	if open := openBrackets(cut); open != "" {
		if at := strings.LastIndex(cut, ", "); at > 0 {
			cut = cut[:at] + ", "
			open = openBrackets(cut)
		}
		return cut + "…" + open
	}
	return cut + "…"
}

// numbersOf parses a list of numbers, such as [0.5, 1]; it returns nil for any other
// text.
func numbersOf(text string) (list []float64) {
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

// numbersText returns the numbers of a list that fit, starting at index from and at least
// one, and the length of the list if some are left out.
func numbersText(list []float64, most, from int) string {
	text := "["
	if from > 0 {
		text = "[…, "
	}
	n := from
	for ; n < len(list); n++ {
		next := fmt.Sprintf("%.5g", list[n])
		if n > from {
			next = ", " + next
		}
		if n > from && len([]rune(text+next))+len("]") > most {
			break
		}
		text += next
	}
	switch {
	case from > 0:
		return fmt.Sprintf("%s, …] (%d numbers, shown from number %d)", text, len(list), from+1)
	case n < len(list):
		return fmt.Sprintf("%s, …] (%d numbers)", text, len(list))
	}
	return text + "]"
}

// openBrackets returns the brackets that close those left open in a text, in their order.
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
