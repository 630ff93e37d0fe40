package figure

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
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
