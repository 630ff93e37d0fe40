package inspect

import (
	"fmt"
	"strconv"
	"strings"
)

// shorten writes a value in about so many characters: of a list of numbers its beginning,
// in five digits, and how many there are, of another list its beginning with its
// brackets, of another text that.
func shorten(text string, most int) string { return shortenFrom(text, most, 0) }

// shortenFrom is shorten for a list that is shown from a number on.
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

// numbersOf reads a list of numbers, such as [0.5, 1]; nil of another text.
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

// numbersText writes as many numbers of a list, from one on, as have room, but one at
// least, and how many there are where that is not all.
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
		return fmt.Sprintf("%s, …] (%d numbers, from number %d on)", text, len(list), from+1)
	case n < len(list):
		return fmt.Sprintf("%s, …] (%d numbers)", text, len(list))
	}
	return text + "]"
}

// openBrackets are those that close what a text leaves open, in their order.
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
