package walk

import (
	_ "embed" // for the page's parts
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"foretell/document"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
	//go:embed page/page.js
	pageJS string

	// hues are the colours of bars, of weights and of highlighted numbers.
	hues = []document.Hue{
		{Name: "up", Light: "#0a5cad", Dark: "#6cb2f7"},
		{Name: "down", Light: "#a34a00", Dark: "#f2a65a"},
		{Name: "heat", Light: "#6ab0f3", Dark: "#1d5f9f"},
		{Name: "hit", Light: "#ffd54a", Dark: "#665200"},
		{Name: "mark", Light: "#7a5c00", Dark: "#f2c94c"},
	}

	layout   = document.NewLayout("walk", pageHTML)
	pageHead = document.NewHead(pageCSS, pageJS, hues...)
)

// pageContents is the data of the template.
type pageContents struct {
	*Document
	Head  document.Head
	Data  template.JS
	Parts []pageSection
}

type pageSection struct {
	Title  string
	Anchor string
	Steps  []pageStep
	Table  []pageRow // the table of contributions
	Note   string    // the sentence below the table
}

type pageStep struct {
	Number    int // 0 if the step is not numbered
	Step      Step
	Equations []pageEquation
	Arrows    template.HTML // the drawing of attention weights
}

// pageEquation is an equation as pieces. Lines can break between pieces.
type pageEquation struct {
	Symbols, Numbers []template.HTML
	Result           template.HTML
	Heat             template.HTML // a heat map of a result that is too large for numbers
}

type pageRow struct {
	Name    string
	Formula template.HTML
	Value   string
	Total   bool
	Bar     template.HTMLAttr // the bar of a contribution
	Behind  int               // index of the value's equation in the page's data; negative if it has no equation
}

// pageWriter renders a document as HTML.
type pageWriter struct {
	document *Document
	notation mathNotation
	data     *pageData
}

// writeHTML writes a document as a self-contained page. A script shows how a number was
// computed when a reader points at it; the rest of the page works without scripts.
func writeHTML(out io.Writer, d *Document) error {
	w := pageWriter{
		d,
		mathNotation{d.Digits, d.Size},
		&pageData{digits: d.Digits, size: d.Size, places: map[string]int{}},
	}
	p := pageContents{Document: d, Head: pageHead.Titled(d.Title)}
	number := 0
	for i, s := range d.Sections {
		section := pageSection{Title: s.Title, Anchor: fmt.Sprintf("section-%d", i+1)}
		for _, step := range s.Steps {
			number++
			section.Steps = append(section.Steps, w.step(number, step))
		}
		p.Parts = append(p.Parts, section)
	}
	if a := d.Attribution; a != nil {
		p.Parts = append(p.Parts, pageSection{
			Title: attributionTitle, Anchor: "attribution",
			Steps: []pageStep{w.step(0, a.Direction)},
			Table: w.table(a), Note: a.note(),
		})
	}
	p.Data = w.data.script()
	return layout.Write(out, p)
}

func (w pageWriter) step(number int, s Step) pageStep {
	p := pageStep{Number: number, Step: s}
	for _, e := range s.Equations {
		p.Equations = append(p.Equations, w.equation(e))
	}
	if strings.HasSuffix(s.Hook, ".hook_pattern") {
		p.Arrows = w.document.arrows(s.Equations[0].Result())
	}
	return p
}

func (w pageWriter) equation(e Equation) pageEquation {
	n := w.notation
	p := pageEquation{
		Symbols: mathPieces(inSymbols(n, e)),
		Numbers: mathPieces(after(n, "=", typeset(n, e.Right, true))),
	}
	if m := e.shown(); m.summarised(n.size) {
		p.Numbers = append(p.Numbers, mathPieces([]string{n.operator("=", n.matrix(m))})...)
		if place := w.data.addHeat(e); place >= 0 {
			p.Heat = heatMap(formulaText(typeset(textNotation{}, e.Left, false)), m, n.digits, place)
		}
	} else {
		p.Result = resultTable(m, n.digits, w.data.add(e))
	}
	return p
}

// mathPieces wraps each piece in its own math element, so that lines can break between
// pieces on narrow screens.
func mathPieces(pieces []string) []template.HTML {
	var out []template.HTML
	for _, piece := range pieces {
		out = append(out, template.HTML(`<math displaystyle="true"><mrow>`+piece+"</mrow></math>"))
	}
	return out
}

func (w pageWriter) table(a *Attribution) []pageRow {
	most := 0.0
	for _, p := range a.Parts {
		most = max(most, math.Abs(p.Value))
	}
	var list []pageRow
	for i, row := range a.table(w.document.Digits) {
		value := strings.ReplaceAll(row.value, "-", "−")
		r := pageRow{Name: row.name, Value: value, Total: row.formula == nil, Behind: -1}
		if !r.Total {
			formula := strings.Join(typeset(w.notation, row.formula, false), "")
			r.Formula = template.HTML("<math><mrow>" + formula + "</mrow></math>")
			r.Bar = bar(a.Parts[i].Value, most)
			name := operand{symbol: Symbol{Base: row.name}, value: scalar(a.Parts[i].Value)}
			r.Behind = w.data.add(Equation{Left: name, Right: row.formula})
		}
		list = append(list, r)
	}
	return list
}

// bar returns the HTML attributes of the bar that shows a contribution x; the middle of
// the cell is 0, and `most` is at an end.
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
