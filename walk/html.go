package walk

import (
	_ "embed" // for the page's parts
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS template.CSS

	pageTemplate = template.Must(template.New("walk").Funcs(template.FuncMap{"markup": markup}).Parse(pageHTML))
)

// page is what the template shows.
type page struct {
	*Document
	CSS   template.CSS
	Parts []pageSection
}

type pageSection struct {
	Title  string
	Anchor string
	Steps  []pageStep
	Table  []pageRow // of the attribution
	Note   string    // below it
}

type pageStep struct {
	Number    int // 0 for none
	Step      Step
	Equations [][2][]template.HTML // symbols and numbers, each in pieces
}

type pageRow struct {
	Name    string
	Formula template.HTML
	Value   string
	Total   bool
	Bar     template.HTMLAttr // the bar of a part
}

// writeHTML writes a document as a page that needs no other file and no script.
func writeHTML(out io.Writer, d *Document) error {
	n := mathNotation{d.Digits, d.Size}
	p := page{Document: d, CSS: pageCSS}
	number := 0
	for i, s := range d.Sections {
		section := pageSection{Title: s.Title, Anchor: fmt.Sprintf("section-%d", i+1)}
		for _, step := range s.Steps {
			number++
			section.Steps = append(section.Steps, newPageStep(n, number, step))
		}
		p.Parts = append(p.Parts, section)
	}
	if a := d.Attribution; a != nil {
		p.Parts = append(p.Parts, pageSection{
			Title: attributionTitle, Anchor: "attribution",
			Steps: []pageStep{newPageStep(n, 0, a.Direction)},
			Table: pageTable(n, a, d.Digits), Note: a.note(),
		})
	}
	return pageTemplate.Execute(out, p)
}

func newPageStep(n mathNotation, number int, s Step) pageStep {
	p := pageStep{Number: number, Step: s}
	for _, e := range s.Equations {
		p.Equations = append(p.Equations, [2][]template.HTML{mathPieces(inSymbols(n, e)), mathPieces(inNumbers(n, e))})
	}
	return p
}

// mathPieces makes each piece a formula of its own, so that a narrow screen can
// break the line between them.
func mathPieces(pieces []string) []template.HTML {
	var out []template.HTML
	for _, piece := range pieces {
		out = append(out, template.HTML(`<math displaystyle="true"><mrow>`+piece+"</mrow></math>"))
	}
	return out
}

func pageTable(n mathNotation, a *Attribution, digits int) []pageRow {
	most := 0.0
	for _, p := range a.Parts {
		most = max(most, math.Abs(p.Value))
	}
	var list []pageRow
	for i, row := range a.table(digits) {
		r := pageRow{Name: row.name, Value: row.value, Total: row.formula == nil}
		if !r.Total {
			r.Formula = template.HTML("<math><mrow>" + strings.Join(typeset(n, row.formula, false), "") + "</mrow></math>")
			r.Bar = bar(a.Parts[i].Value, most)
		}
		list = append(list, r)
	}
	return list
}

// bar places a bar of a part in a cell whose middle is 0.
func bar(x, most float64) template.HTMLAttr {
	share := 0.0
	if most > 0 {
		share = 50 * x / most
	}
	class := "up"
	if x < 0 {
		class = "down"
	}
	return template.HTMLAttr(fmt.Sprintf(`class="bar %s" style="left:%.2f%%;width:%.2f%%"`, class,
		50+min(share, 0), math.Abs(share)))
}

// markup writes a sentence; what stands between backquotes is code.
func markup(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = template.HTMLEscapeString(part); i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}
