package document

import (
	"errors"
	"strings"
	"testing"

	"foretell/figure"
)

// Each form writes its part of an answer, and an error of making it comes back.
func TestForms(t *testing.T) {
	failed := errors.New("too many for a picture")
	forms := Forms{
		Terminal: Text(func() []Section { return nil }),
		".csv":   CSV(Sure(func() Frame { return Frame{Columns: Named("x"), Rows: [][]any{{0.5}}} })),
		".json":  JSON("<x>"),
		".jsons": IndentedJSON([]string{"<x>"}),
		".html":  Page(Sure(func() Document { return Document{Title: "a page"} })),
		".svg":   Picture(func() (*figure.Figure, error) { return nil, failed }),
	}
	for ending, want := range map[string]string{
		"": "", ".csv": "x\n0.5\n", ".json": "\"<x>\"\n", ".jsons": "[\n  \"\\u003cx\\u003e\"\n]\n", ".html": "<title>a page",
	} {
		var text strings.Builder
		if err := forms.Write(&text, ending); err != nil || !strings.Contains(text.String(), want) {
			t.Errorf("%q: %v, %s", ending, err, text.String())
		}
	}
	if err := forms.Write(&strings.Builder{}, ".svg"); err != failed {
		t.Errorf("a figure that fails: %v", err)
	}
	err := forms.Write(&strings.Builder{}, ".png")
	if err == nil || err.Error() != `cannot write the format ".png", want one of .csv, .html, .json, .jsons, .svg` {
		t.Errorf("%v", err)
	}
}

// On a terminal a tab separates cells, an empty line sections, and names cannot control
// it.
func TestText(t *testing.T) {
	f := Frame{Columns: []Column{
		{Heading: "a", Joined: true}, {Heading: "b", Format: "%.1f"}, {Heading: "c"},
	}}
	missing := (*float64)(nil)
	f.Row("x\ty", 0.25, missing)
	f.Row(1_000_000, &[]float64{0.75}[0], Shown{"<1e-9", 2e-10})
	var text strings.Builder
	Forms{Terminal: Text(func() []Section {
		return []Section{
			{Title: "not shown", Text: []string{"first\n"}, Facts: []Fact{{"n", "2"}}},
			{Figure: drawn(), Caption: "not shown"},
			{Tables: []Table{f.Table(), {Rows: [][]string{{"no", "heading"}}}}, Notes: []string{"a note"}},
			{Text: []string{"close"}, Tight: true},
		}
	})}.Print(&text)
	const want = "first\\n\nn\t2\n\na\vb\tc\nx\\ty\t0.2\t\n1000000\t0.8\t<1e-9\nno\theading\na note\nclose\n"
	if text.String() != want {
		t.Errorf("got  %q\nwant %q", text.String(), want)
	}
}

// What a table shows in words is a number in a file, with all digits, or nothing.
func TestCellsOfFiles(t *testing.T) {
	f := Frame{Columns: Named("shown", "whole", "missing")}
	x := 0.1
	f.Row(Shown{"about a tenth", &x}, 123_456_789, Shown{"–", (*float64)(nil)})
	data, err := f.CSV(-1)
	if want := "shown,whole,missing\n0.1,123456789,\n"; err != nil || string(data) != want {
		t.Errorf("%v, %q", err, data)
	}
}
