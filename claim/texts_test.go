package claim

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"foretell/document"
)

// written is a document of two rows.
const written = `
# Columns
- seed: random seed of the
  training run
- kl: divergence, nats

# A1
## source
Nobody 2025, p. 1
## quote
“At least
{{.bound}} %.” (one model)
## statement
One layer learns.
## expected
at least {{.bound}} %
## notes
- The first note, of
  two lines.
- The second, with {{.bound}}.

## caption closed
A line at {{.bound}}.
## table misprints
| where | printed |
|---|---|
| Eq. 1 | a \\| b |
| Eq. 2 | {{.bound}} |

# A2
## source
p. 2
`

// A row gets its texts, in which each place holds its value.
func TestFill(t *testing.T) {
	texts := MustTexts(strings.ReplaceAll(written, `\\`, `\`))
	got := texts.Fill(Row{ID: "A1", Kind: Number}, map[string]any{"bound": 0.99})
	want := Row{
		ID: "A1", Kind: Number, Source: "Nobody 2025, p. 1", Quote: "“At least 0.99 %.” (one model)",
		Statement: "One layer learns.", Expected: "at least 0.99 %",
		Notes:    []string{"The first note, of two lines.", "The second, with 0.99."},
		Captions: map[string]string{"closed": "A line at 0.99."},
		Tables: []document.Table{
			document.Texts("misprints", []string{"where", "printed"}, []string{"Eq. 1", "a | b"}, []string{"Eq. 2", "0.99"}),
		},
		Glossary: Glossary{"seed": "random seed of the training run", "kl": "divergence, nats"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A fault in the texts ends the program at its start, with a line where there is one.
func TestMustTextsPanics(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"lost\n", "line 2 of the texts"},
		{"# A\nlost\n# B", "line 3 of the texts"},
		{"# A\n## caption\n\n# B", "has no text"},
		{"# A\n## remark\nx", "## remark is not one of"},
		{"# A\n# A", "A occurs twice"},
		{"# Columns\n- seed", `the column "seed" has no meaning`},
		{"# Columns\n- seed: a\n- seed: b", "occurs twice"},
		{"# A\n## notes\nlost\n- a", `"lost" is not an item`},
		{"# Columns\nlost", `"lost" is not an item`},
		{"# A\n## table t\n| a | b |\n|---|---|", "has no rows"},
		{"# A\n## table t\n| a | b | c |\n|---|---|", "a row of 2 cells and 3 columns"},
		{"# A\n## table t\n| a | b |\n|---|---|\n| 1 |", "a row of 1 cells and 2 columns"},
	} {
		if got := panicOf(func() { MustTexts(c.text) }); !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	texts := MustTexts("# A\n## source\n{{.a}}")
	for _, c := range []struct{ id, want string }{{"A", `no entry for key "a"`}, {"B", "no row B"}} {
		if got := panicOf(func() { texts.Fill(Row{ID: c.id}, map[string]any{}) }); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
}

// A table may have one row.
func TestTableOfOneRow(t *testing.T) {
	texts := MustTexts("# A\n## source\np. 1\n## table t\n| a |\n|---|\n| 1 |")
	if got := texts.Fill(Row{ID: "A"}, nil).Tables; len(got) != 1 {
		t.Errorf("%+v", got)
	}
}

// panicOf returns what a function panics with, as text; empty if it does not.
func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
