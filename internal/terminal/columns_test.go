package terminal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// set is what Write makes of a text.
func set(t interface{ Fatal(...any) }, text string, s Style) string {
	var out strings.Builder
	if err := Write(&out, text, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const report = "probed\n\nstage\tR²\tshortest\tlikeliest\nembed\t0.5\t0.25 ± 0.01\t0.125 ± 0.002\n" +
	"mid\t1\t\t\n\nKL 0.1 nats, a line that is longer than any width of a terminal in this test\n"

// A table that fits stands as anywhere else; one that does not, in blocks.
func TestBlocks(t *testing.T) {
	whole := set(t, report, Style{Gap: 2})
	if !strings.Contains(whole, "stage  R²   shortest     likeliest\nembed  0.5  0.25 ± 0.01  0.125 ± 0.002\n") {
		t.Errorf("no terminal: %s", whole)
	}
	if got := set(t, report, Style{Gap: 2, Width: 38, Whole: true}); got != whole {
		t.Errorf("a table of 38 columns, in 38:\n%s", got)
	}
	want := `probed

stage  R²   shortest
embed  0.5  0.25 ± 0.01
mid    1

stage  likeliest
embed  0.125 ± 0.002
mid

KL 0.1 nats, a line that is longer than any width of a terminal in this test
`
	for _, width := range []int{24, 37} {
		if got := set(t, report, Style{Gap: 2, Width: width, Whole: true}); got != want {
			t.Errorf("width %d:\n%s", width, got)
		}
	}
}

// Cells of a column that wraps continue below it, or below their row where there is too
// little room, and lines without cells wrap as well.
func TestWrap(t *testing.T) {
	text := "a line of words that is too long\n  and an indented one, too, longer still\nname\tshort\nother\tone two three four five six seven\n"
	want := "a line of words that is too\nlong\n  and an indented one, too,\n  longer still\n" +
		"name   short\nother  one two three four five\n       six seven\n"
	if got := set(t, text, Style{Gap: 2, Width: 31}); got != want {
		t.Errorf("got\n%s", got)
	}
	long := "information that the past holds\t0.5\nbeliefs\tmore than 1,000 distinct ones, possibly many\n"
	want = "information that the past holds  0.5\nbeliefs\n    more than 1,000 distinct ones,\n    possibly many\n"
	if got := set(t, long, Style{Gap: 2, Width: 40}); got != want {
		t.Errorf("got\n%s", got)
	}
	list := "even\tones between zeros come in even numbers\t2 states\tp=0.5\n"
	want = "even  ones between zeros come in\n      even numbers\n\neven  2 states  p=0.5\n"
	if got := set(t, list, Style{Gap: 2, Width: 34, Wrap: []int{1}}); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := set(t, "run\tloss\t\nsecond\t0.25\t\n", Style{Gap: 2, Width: 12}); got != "run     loss\nsecond  0.25\n" {
		t.Errorf("got %q", got)
	}
	if got := set(t, text, Style{Gap: 2, Width: 31, Whole: true}); strings.Contains(got, "too\nlong") {
		t.Errorf("wrapped against the style\n%s", got)
	}
}

// What belongs together stays together where it fits.
func TestTogether(t *testing.T) {
	text := "stage\tunchanged\tshortest\vrandom\tlikeliest\vrandom\nembed\t1\t2\t3\t4\t5\n"
	want := "stage  unchanged\nembed  1\n\nstage  shortest  random\nembed  2         3\n\nstage  likeliest  random\nembed  4          5\n"
	if got := set(t, text, Style{Gap: 2, Width: 27}); got != want {
		t.Errorf("got\n%s", got)
	}
	want = "stage  unchanged\nembed  1\n\nstage  shortest\nembed  2\n\nstage  random\nembed  3\n\n" +
		"stage  likeliest\nembed  4\n\nstage  random\nembed  5\n"
	if got := set(t, text, Style{Gap: 2, Width: 16}); got != want {
		t.Errorf("got\n%s", got)
	}
	ragged := "a\tb\nlonger\tthan\tthe\tfirst\n"
	if got := set(t, ragged, Style{Gap: 1, Width: 12}); got != "a      b\nlonger than\n\na\nlonger the\n\na\nlonger first\n" {
		t.Errorf("got\n%s", got)
	}
}

// Prose gives way before a table is broken, the longest first.
func TestProse(t *testing.T) {
	text := "mess3\tx=0.15 a=0.6\t3 states\tthree states that persist\n" +
		"sine\tperiod=16 levels=32\t16 states\ta sine wave\n"
	for width, want := range map[int]string{
		60: "mess3  x=0.15 a=0.6         3 states   three states that pe…\nsine   period=16 levels=32  16 states  a sine wave\n",
		50: "mess3  x=0.15 a=0.6     3 states   three states t…\nsine   period=16 leve…  16 states  a sine wave\n",
		44: "mess3  x=0.15 a=0.6  3 states   three state…\nsine   period=16 l…  16 states  a sine wave\n",
		30: "mess3  x=0.15 a=0.6  3 states\nsine   period=16 l…  16 states\n\nmess3  three state…\nsine   a sine wave\n",
	} {
		got := set(t, text, Style{Gap: 2, Width: width, Prose: []int{1, 3}})
		if got != want {
			t.Errorf("width %d:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// Whatever the table: without prose no cell is lost, and no line is too wide that has
// more than the first column and another.
func TestTablesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(2, 9).Draw(t, "columns")
		s := Style{Gap: rapid.IntRange(1, 3).Draw(t, "gap"), Width: rapid.IntRange(1, 60).Draw(t, "width")}
		s.Right = rapid.Bool().Draw(t, "right")
		var text strings.Builder
		var cells []string
		for i := range rows {
			for j := range cols {
				cell := fmt.Sprintf("%d.%d%s", i, j, strings.Repeat("·", rapid.IntRange(0, 12).Draw(t, "length")))
				cells = append(cells, cell)
				text.WriteString(cell)
				if s.Right || j < cols-1 {
					text.WriteString("\t")
				}
			}
			text.WriteString("\n")
		}
		var found []string
		for line := range strings.Lines(set(t, text.String(), s)) {
			words := strings.Fields(line)
			if len(words) > 2 && utf8.RuneCountInString(strings.TrimRight(line, " \n")) > s.Width {
				t.Fatalf("%q is wider than %d", line, s.Width)
			}
			found = append(found, words...)
		}
		slices.Sort(found)
		slices.Sort(cells)
		if !slices.Equal(slices.Compact(found), cells) {
			t.Fatalf("%q has become %q", cells, found)
		}
	})
}
