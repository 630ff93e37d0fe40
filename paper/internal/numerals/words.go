package numerals

import "strconv"

// cardinals are the numbers that a text spells out.
var cardinals = []string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
}

// Cardinal spells out a number up to twelve; others are digits.
func Cardinal(n int) string {
	if n < 0 || n >= len(cardinals) {
		return strconv.Itoa(n)
	}
	return cardinals[n]
}

// parts are those of a whole that a text spells out.
var parts = map[int]string{2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 10: "a tenth", 100: "a hundredth"}

// OneIn spells out one part in n, such as a quarter; others are written 1/n.
func OneIn(n int) string {
	if word, ok := parts[n]; ok {
		return word
	}
	return "1/" + strconv.Itoa(n)
}
