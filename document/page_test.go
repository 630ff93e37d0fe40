package document

import (
	"regexp"
	"strings"
	"testing"

	"foretell/document/documenttest"
	"foretell/figure"
)

func drawn() *figure.Figure {
	return figure.Single("a line", "It rises.", figure.Chart{Series: []figure.Series{{X: []float64{0, 1}, Y: []float64{0, 1}}}})
}

// A page holds its figures, each under a class and an anchor of its own, escapes what it
// is told, loads nothing, and its policy allows the one script that it has.
func TestPage(t *testing.T) {
	p := Document{
		Title: "A <title>", Subtitle: "of `code` & <bold> x_t",
		Sections: []Section{
			{Title: "One", Figure: drawn(), Caption: "A `caption`.", Tables: []Table{
				{Title: "Numbers", Columns: []string{"x", "y"}, Rows: [][]string{{"0", "<1>"}}}, {Title: "None"},
			}},
			{Title: "Two", Figure: drawn(), Facts: []Fact{{"name", "value"}}},
		},
	}
	made, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	html := string(made)
	for _, want := range []string{
		"<title>A &lt;title&gt;</title>", "of <code>code</code> &amp; &lt;bold&gt; <var>x</var><sub><var>t</var></sub>", `id="figure-1"`, `id="figure-2"`,
		"<b>Figure 2.</b>", "A <code>caption</code>.", `<td class="n">&lt;1&gt;</td>`, "<dt>name</dt><dd>value</dd>",
		strings.NewReplacer("'", "&#39;", "+", "&#43;").Replace(Policy(string(pageHead.Switch))),
		"<script>" + string(pageHead.Switch) + "</script>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(html, "<summary>"); n != 1 {
		t.Errorf("%d tables, want 1: that without columns is left out", n)
	}
	documenttest.Offline(t, made)
	classes := regexp.MustCompile(`<svg[^>]* class="([^"]+)"`).FindAllStringSubmatch(html, -1)
	if len(classes) != 2 || classes[0][1] == classes[1][1] {
		t.Errorf("the figures have the classes %v", classes)
	}
}

func TestPageSaysWhichFigureCannotBeDrawn(t *testing.T) {
	_, err := Document{Sections: []Section{{Figure: &figure.Figure{Title: "empty", Desc: "nothing"}}}}.HTML()
	if err == nil || !strings.Contains(err.Error(), `figure "empty"`) {
		t.Errorf("%v", err)
	}
}

// A figure's heading and notes are for a file that has the figure alone: a page has the
// section's title and caption in their place, and leaves the figure as it is.
func TestPageLeavesHeadingsOut(t *testing.T) {
	headed := drawn()
	headed.Heading, headed.Notes = "A heading", []string{"A note."}
	got, err := Document{Sections: []Section{{Figure: headed}}}.HTML()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Document{Sections: []Section{{Figure: drawn()}}}.HTML()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) || headed.Heading == "" {
		t.Error("the page shows the heading, or the figure has lost it")
	}
}
