package figure

import (
	"bytes"
	"encoding/xml"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// node is an element of a parsed SVG.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

func (n node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n node) number(t testing.TB, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(n.attr(name), 64)
	if err != nil {
		t.Fatalf("<%s> %s: %v", n.XMLName.Local, name, err)
	}
	return v
}

// walk visits n and all below it.
func (n node) walk(visit func(node)) {
	visit(n)
	for _, c := range n.Children {
		c.walk(visit)
	}
}

// parse returns the elements of a document; the parts of a formula are one text.
func parse(t testing.TB, doc []byte) node {
	t.Helper()
	var root node
	if err := xml.Unmarshal(formulaPart.ReplaceAll(doc, nil), &root); err != nil {
		t.Fatal(err)
	}
	return root
}

var formulaPart = regexp.MustCompile(`</?tspan[^>]*>`)

// render draws a figure and parses it.
func render(t testing.TB, f *Figure) (root node, doc []byte) {
	t.Helper()
	doc, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, doc), doc
}

// drawn holds the documents of the gallery, which several tests look at.
var drawn = sync.OnceValue(func() map[string][]byte {
	docs := map[string][]byte{}
	for _, e := range gallery() {
		doc, err := e.fig.SVG()
		if err != nil {
			panic(err)
		}
		docs[e.name] = doc
	}
	return docs
})

func TestEveryFigureIsADocumentForAll(t *testing.T) {
	for _, e := range gallery() {
		t.Run(e.name, func(t *testing.T) {
			doc := drawn()[e.name]
			root := parse(t, doc)
			checkAccessible(t, root, e.fig)
			checkInk(t, doc)
			checkText(t, root)
			if limit := 1_500_000; len(doc) > limit {
				t.Errorf("%d bytes, over %d", len(doc), limit)
			}
		})
	}
}

func checkAccessible(t *testing.T, root node, f *Figure) {
	t.Helper()
	if root.attr("role") != "img" || root.attr("viewBox") == "" {
		t.Error("the root has no role or no viewBox")
	}
	if len(root.Children) < 2 || root.Children[0].Text != f.Title || root.Children[1].Text != f.Desc {
		t.Error("title and desc do not come first")
	}
	id := root.attr("class")
	if want := id + "-title " + id + "-desc"; root.attr("aria-labelledby") != want {
		t.Errorf("aria-labelledby = %q, want %q", root.attr("aria-labelledby"), want)
	}
	seen := map[string]bool{}
	root.walk(func(n node) {
		if i := n.attr("id"); i != "" {
			if seen[i] || !strings.HasPrefix(i, id) {
				t.Errorf("id %q is double or not of this figure", i)
			}
			seen[i] = true
		}
	})
}

var (
	paper  = regexp.MustCompile(`(?i)#(000|fff|000000|ffffff)\b|\b(black|white)\b`)
	ground = regexp.MustCompile(`\S+ \.paper\{.*`) // the one rule that sets the paper itself
)

// checkInk finds colours that vanish on one of the papers, and rules that would
// reach beyond the figure in a page.
func checkInk(t *testing.T, doc []byte) {
	t.Helper()
	markup := dataURI.ReplaceAll(doc, nil)
	if m := paper.Find(ground.ReplaceAll(markup, nil)); m != nil {
		t.Errorf("hard-coded %s", m)
	}
	style := markup[bytes.Index(markup, []byte("<style>"))+7 : bytes.Index(markup, []byte("</style>"))]
	id := parse(t, doc).attr("class")
	for _, line := range strings.Split(strings.TrimSpace(string(style)), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "."+id) && !strings.HasPrefix(line, "@media (prefers-color-scheme:dark)") && line != "}" {
			t.Errorf("rule without scope: %s", line)
		}
	}
}

// box is the room of a text.
type box struct {
	text           string
	x0, y0, x1, y1 float64
}

func (b box) overlaps(o box) bool {
	const touch = 0.5
	return b.x0+touch < o.x1 && o.x0+touch < b.x1 && b.y0+touch < o.y1 && o.y0+touch < b.y1
}

// checkText demands texts of 9 points or more, within the figure, and none over
// another; slanted names are apart by their construction.
func checkText(t *testing.T, root node) {
	t.Helper()
	view := strings.Fields(root.attr("viewBox"))
	width, _ := strconv.ParseFloat(view[2], 64)
	height, _ := strconv.ParseFloat(view[3], 64)
	var boxes []box
	root.walk(func(n node) {
		if n.XMLName.Local != "text" {
			return
		}
		if n.number(t, "font-size") < 9 {
			t.Errorf("%q is smaller than 9 points", n.Text)
		}
		b, upright := textBox(t, n)
		if b.x0 < -1 || b.y0 < -1 || b.x1 > width+1 || b.y1 > height+1 {
			t.Errorf("%q reaches out of the figure: %+v in %g × %g", n.Text, b, width, height)
		}
		if upright {
			boxes = append(boxes, b)
		}
	})
	for i, b := range boxes {
		for _, o := range boxes[:i] {
			if b.overlaps(o) {
				t.Errorf("%q lies over %q", b.text, o.text)
			}
		}
	}
}

// textBox returns the room of a text, and whether that is a rectangle along the axes.
func textBox(t *testing.T, n node) (b box, upright bool) {
	t.Helper()
	x, y, size := n.number(t, "x"), n.number(t, "y"), n.number(t, "font-size")
	w := textWidth(n.Text, size) / slack
	left := map[string]float64{"": 0, "middle": -w / 2, "end": -w}[n.attr("text-anchor")]
	angle := 0.0
	if tr := n.attr("transform"); tr != "" {
		angle, _ = strconv.ParseFloat(strings.Fields(strings.TrimPrefix(tr, "rotate("))[0], 64)
	}
	sin, cos := math.Sincos(angle * math.Pi / 180)
	b = box{n.Text, math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range [][2]float64{{left, 0}, {left + w, 0}, {left, -size * textHeight}, {left + w, -size * textHeight}} {
		px, py := x+cos*c[0]-sin*c[1], y+sin*c[0]+cos*c[1]
		b.x0, b.x1 = min(b.x0, px), max(b.x1, px)
		b.y0, b.y1 = min(b.y0, py), max(b.y1, py)
	}
	return b, math.Mod(angle, 90) == 0
}

func TestSameNumbersSameBytes(t *testing.T) {
	for _, e := range gallery() {
		again, err := e.fig.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(drawn()[e.name], again) {
			t.Errorf("%s: two renderings differ", e.name)
		}
	}
}

func TestFiguresOfOnePageDoNotClash(t *testing.T) {
	seen := map[string]string{}
	for _, e := range gallery() {
		id := parse(t, drawn()[e.name]).attr("class")
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s are both %s", e.name, other, id)
		}
		seen[id] = e.name
	}
}

func TestTextIsEscaped(t *testing.T) {
	hostile := "a <b> & \"c\" ]]> \x01\xff\n"
	c := Chart{Title: hostile, X: Axis{Label: hostile}, Series: []Series{{Name: hostile, X: []float64{0, 1}, Y: []float64{0, 1}}}}
	root, _ := render(t, Single(hostile, hostile, c))
	if want := "a <b> & \"c\" ]]> \uFFFD\uFFFD "; root.Children[0].Text != want {
		t.Errorf("title = %q, want %q", root.Children[0].Text, want)
	}
}

// A figure brings the paper that its ink is for, in either scheme, before all that is
// drawn: on a white slide of a dark browser it would be white on white.
func TestFiguresBringTheirPaper(t *testing.T) {
	for name, doc := range drawn() {
		root := parse(t, doc)
		view := strings.Fields(root.attr("viewBox"))
		first := root.Children[3]
		if first.attr("class") != "paper" || first.attr("width") != view[2] || first.attr("height") != view[3] {
			t.Errorf("%s: below all stands %s %s", name, first.XMLName.Local, first.attr("class"))
		}
		for _, rule := range []string{
			".paper{fill:#ffffff;fill:var(--figure-paper,#ffffff)}", ".paper{fill:#121417;fill:var(--figure-paper,#121417)}",
		} {
			if !bytes.Contains(doc, []byte(rule)) {
				t.Errorf("%s has no rule %s", name, rule)
			}
		}
	}
}

// A host page sets the very properties that the style sheet reads, in both schemes.
func TestThemeCSSIsWhatFiguresRead(t *testing.T) {
	style := styleSheet("figure-x", true, true)
	for _, dark := range []bool{false, true} {
		declarations := strings.Split(strings.Trim(ThemeCSS(dark), ";"), ";")
		if len(declarations) != 2+len(inks) || declarations[0] != paperInk.property+":none" {
			t.Errorf("%v for %d inks, bands and no paper", declarations, len(inks))
			continue
		}
		for _, d := range declarations[1:] {
			property, value, _ := strings.Cut(d, ":")
			if !strings.Contains(style, "var("+property+","+value+")") {
				t.Errorf("no figure reads %s with %s as its own", property, value)
			}
		}
	}
}
