package walk

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A step's hook ends where the page does, and stands at least two columns from the title
// or not at all.
func TestHookStandsApartFromItsTitle(t *testing.T) {
	const hook = "hook_embed"
	for width := narrowestPage; width < narrowestPage+2*len(hook); width++ {
		d := Document{Title: "t", Sections: []Section{{Title: "s", Steps: []Step{{Title: "A title of 27 letters in it", Hook: hook}}}}}
		var b bytes.Buffer
		if err := WriteText(&b, &d, width); err != nil {
			t.Fatal(err)
		}
		title := "1. " + d.Sections[0].Steps[0].Title
		want := title
		if gap := width - len(title) - len(hook); gap >= 2 {
			want += strings.Repeat(" ", gap) + hook
		}
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("width %d: want the line %q in\n%s", width, want, b.String())
		}
	}
}

// The captions of a matrix in groups name each of its columns once and in order, and the
// groups hold these columns' numbers.
func TestCaptionsNameEachColumnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 30).Draw(t, "columns")
		n := textNotation{
			digits: rapid.IntRange(1, MostDigits).Draw(t, "digits"), size: columns,
			width: rapid.IntRange(narrowestPage, 100).Draw(t, "width"),
		}
		m := newMatrix(1, columns, make([]float64, columns))
		for j := range m.Data {
			m.Data[j] = float64(100 + j)
		}
		lines := n.matrix(shown{Matrix: m}).lines
		next := 0
		for _, line := range lines {
			cells, caption, _ := strings.Cut(strings.TrimRight(line, " "), "]")
			numbers := strings.Fields(strings.TrimPrefix(cells, "["))
			want := fmt.Sprintf(" column %d", next)
			switch last := next + len(numbers) - 1; {
			case len(lines) == 1 && last == columns-1 && caption == "":
				want = ""
			case last > next:
				want = fmt.Sprintf(" columns %d to %d", next, last)
			}
			if caption != want {
				t.Fatalf("%q has the caption %q, want %q", line, caption, want)
			}
			for _, number := range numbers {
				if want := decimal(float64(100+next), n.digits); number != want {
					t.Fatalf("column %d is %s, want %s", next, number, want)
				}
				next++
			}
		}
		if next != columns {
			t.Fatalf("%d of %d columns are shown", next, columns)
		}
	})
}

// A bar is as wide as its contribution in half a cell for the largest, begins or ends in
// the middle, and has no width where all contributions are zero.
func TestBarsGrowFromTheMiddle(t *testing.T) {
	for _, c := range []struct{ x, most, left, width float64 }{
		{2, 2, 50, 50}, {-2, 2, 0, 50}, {1, 4, 50, 12.5}, {-1, 4, 37.5, 12.5}, {0, 4, 50, 0}, {0, 0, 50, 0},
	} {
		class := "up"
		if c.x < 0 {
			class = "down"
		}
		want := fmt.Sprintf(`class="bar %s" style="left:%.2f%%;width:%.2f%%"`, class, c.left, c.width)
		if got := string(bar(c.x, c.most)); got != want {
			t.Errorf("%v of %v: %s, want %s", c.x, c.most, got, want)
		}
	}
}

// In TeX a subscript is upright if it is a word, whichever small letter the word begins
// with, and stays as it is if it is one letter or a number.
func TestWordsAreUpright(t *testing.T) {
	for letter := 'a'; letter <= 'z'; letter++ {
		if got, want := texWord(string(letter)+"x"), `\mathrm{`+string(letter)+"x}"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := texWord(string(letter)); utf8.RuneCountInString(got) != 1 {
			t.Errorf("the letter %c becomes %s", letter, got)
		}
	}
	if got := texWord("10"); got != "10" {
		t.Errorf("the number 10 becomes %s", got)
	}
}
