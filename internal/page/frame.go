// Package page is the common frame of single-file HTML pages: a style sheet, light and
// dark colours with a switch, inline figures of package figure, tables, and a policy that
// blocks all loading.
//
// A [Page] is a document of sections and suits most pages. A page with its own template,
// such as a report, creates it with [Template], creates its [Head] with [NewHead], and
// uses [CSS] and [Classes.Inline].
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

// Head is the beginning of all pages of a kind, for the templates of [Template]. Titled
// adds a page's title.
type Head struct {
	Title  string // of the window
	Policy string // the content security policy, see [Policy]
	CSS    template.CSS
	// Switch is the script of the colour switch, to be placed after it. It also gives boxes
	// that are narrower than their content (.scroll, .plate, the pieces of a .line) the
	// class over, which lets a style sheet mark them as scrollable.
	Switch template.JS
	Script template.JS // the script of the kind of page, or ""; the page's template includes it
}

// NewHead returns the head of a kind of pages, without a title. css is appended to the
// style sheet of all pages, script is the script of the kind of page or "", and hues are
// colours in addition to [Palette].
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

// Titled returns a copy of the head with a title.
func (h Head) Titled(title string) Head {
	h.Title = title
	return h
}

// Template returns an empty template. It has the functions markup ([Markup]) and math
// ([Math]) in addition to funcs, and two templates that take a [Head]: head, for
// everything before the body, and switch, for the colour switch in the page's header.
func Template(name string, funcs template.FuncMap) *template.Template {
	both := template.FuncMap{"markup": Markup, "math": Math}
	return template.Must(template.New(name).Funcs(both).Funcs(funcs).Parse(headHTML))
}

// Policy returns the content security policy of a page that loads nothing and runs only
// the given scripts.
func Policy(scripts ...string) string {
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; " +
		"script-src"
	for _, script := range scripts {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return policy
}
