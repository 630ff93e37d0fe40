package numerals

import "strconv"

// cardinals are the words for the numbers that are spelt out, from 0.
var cardinals = []string{
	"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
}

// Cardinal returns the word for a number from zero to twelve, and digits for any other.
func Cardinal(n int) string {
	if n < 0 || n >= len(cardinals) {
		return strconv.Itoa(n)
	}
	return cardinals[n]
}

// parts are the words for the fractions that are spelt out, by denominator.
var parts = map[int]string{2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 10: "a tenth", 100: "a hundredth"}

// OneIn returns the fraction 1/n as text: as words, such as “a quarter”, if there is a
// common word, and in digits otherwise.
func OneIn(n int) string {
	if word, ok := parts[n]; ok {
		return word
	}
	return "1/" + strconv.Itoa(n)
}
