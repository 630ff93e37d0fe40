// Package page is the frame that pages of one file share: a style sheet, colours in
// light and in dark with a switch, figures of package figure inline, tables, and a
// policy by which nothing is loaded.
//
// A [Page] is a document of sections, which is most of what there is to write; a page
// with a template of its own, as a report, makes that by [Template], its [Head] by
// [NewHead], and takes [CSS] and [Classes.Inline].
package page

import (
	"crypto/sha256"
	_ "embed" // for the parts of the frame
	"encoding/base64"
	"html/template"
)

var (
	//go:embed head.html
	headHTML string
	//go:embed base.css
	base string // elements and the switch
	// CSS is the style sheet of documents: tables, facts, figures.
	//go:embed frame.css
	CSS string
	//go:embed frame.js
	colours string
	//go:embed boxes.js
	boxes string
)

// Head is what pages of a kind begin with, for the templates of [Template]. A page is
// given its title.
type Head struct {
	Title  string // of the window
	Policy string // the content security policy, see [Policy]
	CSS    template.CSS
	// Switch stands behind the switch of colours. It gives boxes whose content is wider
	// than they are (.scroll, .plate, the pieces of a .line) the class over, too, by which
	// a style sheet says that they scroll.
	Switch template.JS
	Script template.JS // of the kind, "" for none; its template says where
}

// NewHead returns the head of a kind of pages, but for the title: css stands behind what
// all pages have, script is the kind's own, "" for none, and hues are the colours that it
// has besides [Palette].
func NewHead(css, script string, hues ...Hue) Head {
	all := colours + boxes
	scripts := []string{all}
	if script != "" {
		scripts = append(scripts, script)
	}
	return Head{
		Policy: Policy(scripts...), CSS: template.CSS(ThemeCSS(hues...) + base + css),
		Switch: template.JS(all), Script: template.JS(script),
	}
}

// Titled returns the head of the page with a title.
func (h Head) Titled(title string) Head {
	h.Title = title
	return h
}

// Template returns a template of no content yet, with functions besides [Markup] as
// markup and [Math] as math, and with the templates head, all before the body, and
// switch, which stands in the header; both are of a [Head].
func Template(name string, funcs template.FuncMap) *template.Template {
	both := template.FuncMap{"markup": Markup, "math": Math}
	return template.Must(template.New(name).Funcs(both).Funcs(funcs).Parse(headHTML))
}

// Policy is the content security policy of a page that loads nothing and runs some
// scripts alone.
func Policy(scripts ...string) string {
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; " +
		"script-src"
	for _, script := range scripts {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return policy
}
