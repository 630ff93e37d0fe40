package walk

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
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

// In LaTeX the letters up to the end of Latin Extended-A stay as they are, and all others
// become their code points.
func TestLatinLettersStay(t *testing.T) {
	for text, want := range map[string]string{"é": "é", "\u017e": "\u017e", "\u017f": "\u017f", "\u0180": "U+0180", "α": "U+03B1"} {
		if got := latexCharacters(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// The operands of a formula are all its symbols, each once, in the order in which the
// formula shows them.
func TestOperandsAreTheSymbolsShown(t *testing.T) {
	named := func(name string) operand { return operand{symbol: Symbol{Base: name}} }
	a, b, c := named("a"), named("b"), named("c")
	letters := regexp.MustCompile(`\b[abc]\b`)
	for _, f := range []Formula{
		a,
		sum{a, b, c},
		difference{a, b},
		product{a, b},
		elementwise{a, b},
		quotient{a, b},
		root{a},
		transposed{b},
		blocks{a, b, c},
		rows{c, []int{1}},
		call{softmax, b},
		sum{product{a, transposed{b}}, quotient{c, root{call{mean, a}}}},
		product{rows{b, []int{0}}, difference{blocks{c, a}, b}},
	} {
		var shown, got []string
		for _, letter := range letters.FindAllString(Equation{Left: named("d"), Right: f}.String(), -1) {
			if !slices.Contains(shown, letter) {
				shown = append(shown, letter)
			}
		}
		for _, o := range operands(f) {
			got = append(got, o.symbol.Base)
		}
		if !slices.Equal(got, shown) {
			t.Errorf("%s has the operands %v, want %v", Equation{Left: named("d"), Right: f}, got, shown)
		}
	}
}
