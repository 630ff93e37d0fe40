package report

import (
	"encoding/xml"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/document"
	"foretell/document/documenttest"
)

// A long text in a table of many columns is a note below the table, once; in a table of
// few it has a column of its own width.
func TestLongTextsOfTables(t *testing.T) {
	const why = "no: its loss is near the loss of the best observer of the last token"
	wide := document.Table{Columns: strings.Split("model a b c d e f g h i", " ")}
	for _, converged := range []string{"yes", why, why, strings.ReplaceAll(why, ":", "")} {
		wide.Rows = append(wide.Rows, append([]string{"M"}, append([]string{converged}, strings.Split("1 2 3 4 5 6 7 8", " ")...)...))
	}
	got := newTable("Table M1", wide)
	if len(got.Notes) != 2 || string(got.Notes[0]) != why {
		t.Fatalf("notes %q", got.Notes)
	}
	for i, want := range []cell{{Text: "yes"}, {Text: "no", Note: 1}, {Text: "no", Note: 1}, {Text: "see note", Note: 2}} {
		if got.Rows[i][1] != want {
			t.Errorf("row %d: %+v, want %+v", i, got.Rows[i][1], want)
		}
	}
	narrow := document.Table{Columns: []string{"a", "b"}, Rows: [][]string{
		{"x = 0.15, α = 0.6, LN", why}, {"a label that is too long for a line", why + " and of the one before it"},
	}}
	got = newTable("Table M2", narrow)
	for i, want := range [][]string{{"", "long"}, {"long", "longest"}} {
		if widths := []string{got.Rows[i][0].Width, got.Rows[i][1].Width}; !slices.Equal(widths, want) || len(got.Notes) > 0 {
			t.Errorf("row %d: %q, want %q, and notes %q", i, widths, want, got.Notes)
		}
	}
	r := made()
	r.Claims[0].Tables = []document.Table{document.Texts("", wide.Columns, wide.Rows...)}
	page := htmlOf(t, r)
	for _, want := range []string{
		`<td>no<sup><a href="#note-Table_20_M1-1">1</a></sup></td>`,
		`<li id="note-Table_20_M1-1">` + why + `</li>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// void elements of HTML have no end tag.
var void = []string{"meta", "link", "br", "img", "input", "hr", "col"}

// element is a start tag of a page.
type element struct {
	name string
	attr map[string]string
	text string // directly within
}

// parse returns the elements of a page and fails if they do not nest.
func parse(t *testing.T, page string) []*element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.Entity = false, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				if _, twice := e.attr[a.Name.Local]; twice {
					t.Errorf("<%s> has attribute %s twice", e.name, a.Name.Local)
				}
				e.attr[a.Name.Local] = a.Value
			}
			all = append(all, e)
			if !slices.Contains(void, e.name) {
				open = append(open, e)
			}
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != x.Name.Local {
				t.Fatalf("line %d: </%s> closes nothing", line(d), x.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(x)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("<%s> is not closed", open[len(open)-1].name)
	}
	return all
}

func line(d *xml.Decoder) int {
	n, _ := d.InputPos()
	return n
}

// TestPage checks what every page promises, whatever its texts.
func TestPage(t *testing.T) {
	unfinished := made()
	unfinished.Claims, unfinished.Intro = nil, nil
	for name, r := range map[string]Report{"made": made(), "hostile": hostile(), "first": unfinished, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			html := htmlOf(t, r)
			elements := parse(t, html)
			checkLinks(t, elements)
			checkHeadings(t, elements)
			scripts := 0
			for _, e := range elements {
				for a, value := range e.attr {
					if strings.HasPrefix(a, "on") || a == "src" || a == "srcset" || a == "action" {
						t.Errorf("<%s %s=%q>", e.name, a, value)
					}
				}
				switch e.name {
				case "script":
					scripts++
					_, want, _ := strings.Cut(document.Policy(e.text), "script-src ")
					if !strings.Contains(policyOf(elements), want) {
						t.Errorf("the policy %q forbids the page's own script, which needs %q", policyOf(elements), want)
					}
				case "button":
					if strings.HasPrefix(e.attr["class"], "cell ") && e.attr["aria-describedby"] == "" {
						t.Errorf("a cell has no sentence")
					}
				case "th":
					if e.attr["scope"] == "" {
						t.Errorf("<th> %q has no scope", e.text)
					}
				}
			}
			if scripts != 2 {
				t.Errorf("%d scripts, want the one that switches colours and the report's own", scripts)
			}
			documenttest.Offline(t, []byte(html))
		})
	}
}

func policyOf(elements []*element) string {
	for _, e := range elements {
		if e.attr["http-equiv"] == "Content-Security-Policy" {
			return e.attr["content"]
		}
	}
	return ""
}

// checkLinks checks that identifiers are unique and that every reference has its target,
// within the page or beside it.
func checkLinks(t *testing.T, elements []*element) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range elements {
		id, ok := e.attr["id"]
		if ok && (ids[id] || id == "" || strings.ContainsAny(id, " \t\n")) {
			t.Errorf("id %q is not unique or not an identifier", id)
		}
		ids[id] = true
	}
	for _, e := range elements {
		for _, id := range strings.Fields(e.attr["aria-labelledby"] + " " + e.attr["aria-describedby"]) {
			if !ids[id] {
				t.Errorf("<%s> is labelled or described by %q, which does not exist", e.name, id)
			}
		}
		href, ok := e.attr["href"]
		if !ok {
			continue
		}
		if id, inside := strings.CutPrefix(href, "#"); inside {
			if !ids[id] {
				t.Errorf("link to %q leads nowhere", href)
			}
			continue
		}
		u, err := url.Parse(href)
		if err != nil || u.IsAbs() || u.Fragment != "" {
			t.Errorf("link to %q is not the path of a file (%v)", href, err)
			continue
		}
		if _, err := os.Stat(filepath.Join(run, u.Path)); err != nil {
			t.Errorf("link to %q: %v", href, err)
		}
	}
}

// checkHeadings checks that no level is left out.
func checkHeadings(t *testing.T, elements []*element) {
	t.Helper()
	level := 0
	for _, e := range elements {
		if len(e.name) != 2 || e.name[0] != 'h' || e.name[1] < '1' || e.name[1] > '6' {
			continue
		}
		next := int(e.name[1] - '0')
		if next > level+1 || next == 1 && level > 0 {
			t.Errorf("heading of level %d after %d", next, level)
		}
		level = next
	}
}

// TestHostile checks that hostile text arrives as text.
func TestHostile(t *testing.T) {
	const payload = `<script>alert("1")</script> & ']]> -->`
	shown := 0
	for _, e := range parse(t, htmlOf(t, hostile())) {
		if strings.Contains(e.text, payload) {
			shown++
		}
	}
	if shown < 50 {
		t.Errorf("the text is shown %d times, want it in each of more than 50 places", shown)
	}
	if text := markdownOf(t, hostile()); strings.Contains(strings.ReplaceAll(text, "`</code>*`", ""), "</") {
		t.Error("Markdown holds a tag")
	} else if strings.ContainsAny(text, "\x00\x1b\u202e") {
		t.Error("Markdown holds control characters")
	}
}

// TestSharedFigures checks that a shared figure is in the page once, and that figures
// with the same identifiers are told apart.
func TestSharedFigures(t *testing.T) {
	page := htmlOf(t, made())
	for text, want := range map[string]int{
		`<title id="figure-00000000b2-title">Growth</title>`:    1,
		`<title id="figure-00000000b2-2-title">Growth</title>`:  1,
		`.figure-00000000b2-2 text{`:                            1,
		`The same picture as <a href="#plate-M1-2">Figure M1.2`: 1,
	} {
		if n := strings.Count(page, text); n != want {
			t.Errorf("%d times %s, want %d", n, text, want)
		}
	}
}

// TestPending checks that the rows to come are named in both documents, and that a
// finished report says nothing of it.
func TestPending(t *testing.T) {
	r := made()
	for name, text := range map[string]string{"HTML": htmlOf(t, r), "Markdown": markdownOf(t, r)} {
		if strings.Count(text, "Not finished yet") != 1 || !strings.Contains(text, "M7, M8") {
			t.Errorf("%s does not name the rows to come", name)
		}
	}
	r.Pending = nil
	for name, text := range map[string]string{"HTML": htmlOf(t, r), "Markdown": markdownOf(t, r)} {
		if strings.Contains(strings.ToLower(text), "not finished") {
			t.Errorf("%s of a finished report speaks of unfinished rows", name)
		}
	}
}

func TestFigureErrors(t *testing.T) {
	const root = `<svg xmlns="http://www.w3.org/2000/svg" class="figure-0a" width="9pt">`
	for name, c := range map[string]struct{ svg, want string }{
		"missing":   {"", "no such file"},
		"empty":     {" ", "it has no elements"},
		"cut off":   {root + `<g>`, "is not an SVG file: XML syntax error"},
		"foreign":   {`<svg class="chart" width="9pt"></svg>`, "is not a figure of package figure"},
		"no width":  {`<svg class="figure-0a"></svg>`, "is not a figure of package figure"},
		"HTML":      {`<html class="figure-0a" width="9pt"></html>`, "is not a figure of package figure"},
		"script":    {root + `<script>alert(1)</script></svg>`, "holds a <script>"},
		"HTML part": {root + `<foreignObject/></svg>`, "holds a <foreignObject>"},
		"handler":   {root + `<g onClick="alert(1)"/></svg>`, "script in attribute onClick"},
		"outside":   {root + `<image href="https://example.org/a.png"/></svg>`, `refers to "https://example.org/a.png"`},
		"stranger":  {root + `<g id="claims"/></svg>`, `id "claims"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.svg != "" {
				if err := os.WriteFile(filepath.Join(dir, "a.svg"), []byte(c.svg), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			one := claim.Claim{ID: "M4", Verdict: claim.Open, Figures: []string{"a.svg"}, Captions: []string{""}}
			_, err := Report{Claims: []claim.Claim{one}}.HTML(dir)
			if err == nil || !strings.HasPrefix(err.Error(), "report: claim M4: a.svg: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want claim, file and %q", err, c.want)
			}
		})
	}
}

// TestFigurePrologue checks that only the root element of a figure goes into the page.
func TestFigurePrologue(t *testing.T) {
	dir := t.TempDir()
	const svg = `<svg class="figure-0a" width="9pt"><g/></svg>`
	document := "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<!-- made by hand -->" + svg + "\n"
	if err := os.WriteFile(filepath.Join(dir, "a.svg"), []byte(document), 0o666); err != nil {
		t.Fatal(err)
	}
	c := claim.Claim{ID: "M4", Verdict: claim.Open, Figures: []string{"a.svg"}, Captions: []string{""}}
	page, err := Report{Claims: []claim.Claim{c}}.HTML(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n"+svg+"\n") || strings.Contains(string(page), "made by hand") {
		t.Error("the page does not hold the root element alone")
	}
}
