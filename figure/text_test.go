package figure

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// liberation returns the advances of characters in Liberation Sans, which has Arial's
// widths, in units of the size. testdata/liberation_widths.py read them from the font.
func liberation(t *testing.T) map[rune]float64 {
	t.Helper()
	file, err := os.Open("testdata/liberation_widths.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	advances := map[rune]float64{}
	for _, row := range rows {
		c, err := strconv.Atoi(row[0])
		if err != nil {
			t.Fatal(err)
		}
		units, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		advances[rune(c)] = float64(units) / 2048
	}
	return advances
}

// The table of widths is the font's, character by character.
func TestAdvancesAgainstFont(t *testing.T) {
	advances := liberation(t)
	for i, got := range advance {
		c := ' ' + rune(i)
		want, ok := advances[c]
		if !ok || got != math.Round(1000*want) {
			t.Errorf("%q: %g thousandths of the size, want %.2f", c, got, 1000*want)
		}
	}
}

// A text gets the room that it needs in the font, and not much more.
func TestTextWidthAgainstFont(t *testing.T) {
	advances := liberation(t)
	width := func(text string) float64 {
		sum := 0.0
		for _, c := range text {
			a, ok := advances[c]
			if !ok {
				t.Fatalf("%q: no width of %q", text, c)
			}
			sum += 10 * a
		}
		return sum
	}
	for _, text := range []string{"mean squared error", "loss (nats a token)", "0.0123456789", "WXYZ, @#{}|~", "KL to the optimum"} {
		want := width(text) * slack
		if got := textWidth(text, 10); math.Abs(got-want) > 0.01*want {
			t.Errorf("%q: %.2f, want %.2f", text, got, want)
		}
	}
	for _, text := range []string{"x = 0.15, α = 0.6", "ζⁿ = (1 − 3x)ⁿ", "10³", "−0.5"} {
		want := width(text)
		if got := textWidth(text, 10); got < want || got > 1.5*want {
			t.Errorf("%q: %.2f is not enough or too much for %.2f", text, got, want)
		}
	}
}

// A no-break space is as wide as a space.
func TestNoBreakSpaceIsASpace(t *testing.T) {
	const text = "as wide as a space"
	unbroken := strings.ReplaceAll(text, " ", "\u00a0")
	if got, want := textWidth(unbroken, 10), textWidth(text, 10); math.Abs(got-want) > 1e-9 {
		t.Errorf("%q has width %g, with spaces %g", unbroken, got, want)
	}
}

// A text fits its own width in one line. In any other width its lines have all its
// letters, and each is within the width or a single letter.
func TestLinesFitTheirWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé0-9]{1,12}`), 1, 9).Draw(t, "words")
		text := strings.Join(words, " ")
		if lines := wrapped(text, tickSize, textWidth(text, tickSize)); !slices.Equal(lines, []string{text}) {
			t.Fatalf("%q takes the lines %q in its own width", text, lines)
		}
		width := rapid.Float64Range(1, 200).Draw(t, "width")
		lines := wrapped(text, tickSize, width)
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.Join(words, "") {
			t.Fatalf("%q becomes %q", text, lines)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) != 1 && textWidth(line, tickSize) > width {
				t.Fatalf("%q is wider than %g", line, width)
			}
		}
	})
}
