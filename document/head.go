package document

import (
	"crypto/sha256"
	_ "embed" // for the style sheets, scripts and templates
	"encoding/base64"
	"html/template"
)

var (
	//go:embed head.html
	headHTML string
	//go:embed base.css
	base string // style of HTML elements and of the colour switch
	// CSS is the style sheet of documents: tables, facts, figures.
	//go:embed frame.css
	CSS string
	//go:embed frame.js
	colours string
	//go:embed boxes.js
	boxes string
)

// Head is the data from which the templates of [Template] write the beginning of a page.
// Pages of one kind differ only in their titles, which [Head.Titled] adds.
type Head struct {
	Title  string // title of the browser window
	Policy string // the content security policy, see [Policy]
	CSS    template.CSS
	// Switch is the script of the colour switch, and must follow the switch in the page. It
	// also adds the class "over" to boxes that are narrower than their content (.scroll,
	// .plate, the pieces of a .line), so that a style sheet can mark them as scrollable.
	Switch template.JS
	Script template.JS // an additional script, or ""; the page's own template must include it
}

// NewHead returns the head of a kind of page, without a title. css is appended to the
// style sheet that all pages share, script is an additional script or "", and hues are
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
