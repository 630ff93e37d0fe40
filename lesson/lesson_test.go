package lesson

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// marks are the parts of Markdown that are no text, outside code.
var marks = regexp.MustCompile(`(?m)^#+ |^- |^\d+\. |\]\([^)]*\)|!?\[|\*|` + "`" + `|^\|[:|-]+\|$|\||</?(details|summary)>`)

// textOf returns the text of Markdown without white space, by patterns alone.
func textOf(markdown string) string {
	var b strings.Builder
	code := false
	for line := range strings.Lines(markdown) {
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence:
			code = !code
		case code:
			b.WriteString(strings.TrimPrefix(line, "$ "))
		default:
			line = strings.ReplaceAll(line, `\*`, "∗")
			b.WriteString(strings.ReplaceAll(marks.ReplaceAllString(line, ""), "∗", "*"))
		}
	}
	return squeezed(b.String())
}

func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

// texts collects the texts of a value in JSON, in the order in which they are written.
func texts(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{
		"title": true, "span": true, "items": true, "columns": true, "rows": true, "code": true,
		"command": true, "output": true, "caption": true,
	}
	var b strings.Builder
	var walk func(d *json.Decoder, key string)
	walk = func(d *json.Decoder, key string) {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case string:
			if shown[key] {
				b.WriteString(token)
			}
		case json.Delim:
			for d.More() {
				inner := key
				if token == '{' {
					name, err := d.Token()
					if err != nil {
						t.Fatal(err)
					}
					inner = name.(string)
				}
				walk(d, inner)
			}
			_, err = d.Token()
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	walk(json.NewDecoder(strings.NewReader(string(data))), "")
	return squeezed(b.String())
}

// The lessons have the text of the documents, whole and in its order.
func TestNothingIsLost(t *testing.T) {
	lessons, err := List()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../docs/lessons/[0-9]*.md")
	if err != nil || len(files) != len(lessons) || len(files) < 5 {
		t.Fatalf("%d files, %d lessons, %v", len(files), len(lessons), err)
	}
	for i, file := range files {
		markdown, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lessons[i].Markdown() != string(markdown) {
			t.Errorf("%s is another text in the program", file)
		}
		want, got := textOf(string(markdown)), texts(t, lessons[i].Steps)
		if at := differ(got, want); at >= 0 {
			t.Errorf("%s: the lesson has\n%.80s\nand the document\n%.80s", file, got[at:], want[at:])
		}
	}
}

// differ returns where two texts differ, or −1.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}

// Links lead to lessons that exist, and figures are SVG.
func TestLinksAndFigures(t *testing.T) {
	lessons, err := List()
	if err != nil {
		t.Fatal(err)
	}
	links, figures := 0, 0
	var look func(blocks []Block)
	look = func(blocks []Block) {
		for _, b := range blocks {
			for _, span := range b.Text {
				if span.Lesson > 0 {
					links++
				}
				if span.Lesson > len(lessons) {
					t.Errorf("a link leads to lesson %d of %d", span.Lesson, len(lessons))
				}
			}
			if b.Kind == Figure {
				figures++
				if svg, err := Picture(b.Name); err != nil || !strings.Contains(string(svg), "<svg") || b.Caption == "" {
					t.Errorf("%s, %q: %.40q, %v", b.Name, b.Caption, svg, err)
				}
			}
			for _, item := range b.Items {
				look(item)
			}
			look(b.Blocks)
		}
	}
	for _, l := range lessons {
		for _, step := range l.Steps {
			look(step.Blocks)
		}
	}
	if links < 8 || figures < 6 {
		t.Errorf("%d links and %d figures", links, figures)
	}
	for _, name := range []string{"", "../mess3.svg", "README.md", "nothing.svg", "lessons/dealer.svg"} {
		if svg, err := Picture(name); err == nil {
			t.Errorf("%q is a figure: %.40q", name, svg)
		}
	}
}

// What a lesson cannot have is an error with its line, never lost.
func TestUnknownConstructs(t *testing.T) {
	for markdown, want := range map[string]string{
		"":                           "1: the lesson is empty",
		"text":                       "1: Paragraph: want a title",
		"# a\n\n# b":                 "3: Heading: want a title",
		"# a\n\n### b":               "3: Heading: want a title",
		"## a":                       "1: Heading: want a title",
		"# a *b*":                    "1: Heading: want a text without emphasis",
		"# a\n\n> b":                 "3: Blockquote: ",
		"# a\n\n---":                 "3: ThematicBreak: ",
		"# a\n\n    b":               "3: CodeBlock: ",
		"# a\n\n```yaml\nb: 1\n```":  "3: FencedCodeBlock: want the name",
		"# a\n\n```\n$ b\n```":       "3: FencedCodeBlock: want yaml, or console",
		"# a\n\n```console\nb\n```":  "3: FencedCodeBlock: want yaml, or console",
		"# a\n\n<p>b</p>":            "3: HTMLBlock: ",
		"# a\n\nb <b>c</b>":          "3: RawHTML: ",
		"# a\n\nb <https://c.d>":     "3: AutoLink: ",
		"# a\n\nb [c](https://d.e)":  "3: Link: want a link to another lesson",
		"# a\n\nb [c](1-d.md \"e\")": "3: Link: want a link to another lesson",
		"# a\n\nb ![c](dealer.svg)":  "3: Image: ",
		"# a\n\n![c](nothing.svg)":   "3: Image: want a figure",
		"# a\n\n[b]: 1-c.md":         "3: LinkReferenceDefinition: ",
		"# a\n\n**b *c***":           "3: Emphasis: want a text without emphasis",
		"# a\n\nb &amp; c":           "3: Text: want the character itself",
		"# a\n\n2. b":                "3: List: want a list that begins with 1",
		"# a\n\n|b|\n|--|\n|`c`|":    "5: TableCell: want a text without emphasis",
		"# a\n\n</details>":          "3: HTMLBlock: ",
		"# a\n\n<details>\n\nb":      "3: HTMLBlock: ",
		"# a\n\n<details>\n<summary>b</summary>\n\nc":                  "an answer has no end",
		"# a\n\n<details>\n<summary>b</summary>\n\n## c\n\n</details>": "6: Heading: ",
	} {
		if steps, err := Parse([]byte(markdown)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", markdown, steps, err, want)
		}
	}
}

// Whatever is read, nothing is in a lesson that is not in its document.
func FuzzParse(f *testing.F) {
	lessons, err := List()
	if err != nil {
		f.Fatal(err)
	}
	for _, l := range lessons {
		f.Add(l.Markdown())
	}
	f.Add("# a\n\n- b\n\n  c  \n  d\n- *e* `f` **g**\n\n|h|i|\n|-|-|\n|j|k|")
	f.Fuzz(func(t *testing.T, markdown string) {
		steps, err := Parse([]byte(markdown))
		if err != nil {
			return
		}
		left := squeezed(markdown)
		for _, r := range texts(t, steps) {
			_, after, ok := strings.Cut(left, string(r))
			if !ok {
				t.Fatalf("%q of %+v is not in %q", r, steps, markdown)
			}
			left = after
		}
	})
}
