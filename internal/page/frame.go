// Package page is the frame that pages of one file share: a style sheet, colours in
// light and in dark with a switch, figures of package figure inline, tables, and a
// policy by which nothing is loaded.
//
// A [Page] is a document of sections, which is most of what there is to write; a page
// with a template of its own, as a report, takes [ThemeCSS], [CSS], [Script], [Policy]
// and [Classes.Inline].
package page

import (
	"crypto/sha256"
	_ "embed" // for the parts of the frame
	"encoding/base64"
)

var (
	// CSS is the style sheet of what pages have in common, after [ThemeCSS].
	//go:embed frame.css
	CSS string
	//go:embed frame.js
	colours string
	// Boxes is a script that gives boxes whose content is wider than they are the class
	// over, by which a style sheet says that they scroll: .scroll, .plate and the pieces
	// of a .line.
	//go:embed boxes.js
	Boxes string
	// Script switches colours and has [Boxes]. It stands in the header, behind the
	// element of the switch.
	Script = colours + Boxes
)

// Policy is the content security policy of a page that loads nothing and runs a script
// alone.
func Policy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src 'unsafe-inline'; " +
		"script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
