package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// ink is a colour of text and axes, or how dense a tint is, that depends on the reader's
// colour scheme.
type ink struct {
	property    string // custom property by which a host page sets it
	light, dark string
}

// The two backgrounds that the colours of this package are made for.
const (
	lightPaper = "#ffffff"
	darkPaper  = "#121417"
)

var (
	textInk = ink{"--figure-text", "#24292f", "#e6e9ed"} // words and numbers
	axisInk = ink{"--figure-axis", "#6e7781", "#9aa4af"} // axes, ticks, outlines
	gridInk = ink{"--figure-grid", "#e3e6ea", "#2c3238"} // grid lines, behind data
	inks    = []ink{textInk, axisInk, gridInk}

	// bandInk is the opacity of bands: on the dark paper as much as takes them off it.
	bandInk = ink{"--figure-band", "0.22", "0.55"}

	// paperInk fills the ground, so that a figure in a document of another colour, as a
	// slide, can be read: its ink is for this paper alone.
	paperInk = ink{"--figure-paper", lightPaper, darkPaper}
)

// The inks of numbers on colours, which are the same on either paper.
var (
	onLight = color.NRGBA{0x1b, 0x1f, 0x24, 255}
	onDark  = color.NRGBA{0xf6, 0xf8, 0xfa, 255}
)

// inkOn is the class of the ink that has the greater contrast on a colour.
func inkOn(c color.NRGBA) string {
	ground := decode(c).luminance() + 0.05
	if ground*ground > (decode(onLight).luminance()+0.05)*(decode(onDark).luminance()+0.05) {
		return "onlight"
	}
	return "ondark"
}

// Fonts with the same widths as Arial come first: labels were measured for it.
const fonts = `Arial,"Liberation Sans",Helvetica,"DejaVu Sans",sans-serif`

// ThemeCSS returns the declarations by which a page with a theme switch of its
// own sets the ink of the figures inline in it, which then stand on the page's paper:
//
//	"[data-theme=dark] {" + figure.ThemeCSS(true) + "}"
//
// Without them a figure follows the reader's preference, on paper of its own.
func ThemeCSS(dark bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:none;", paperInk.property)
	for _, i := range append(slices.Clone(inks), bandInk) {
		c := i.light
		if dark {
			c = i.dark
		}
		fmt.Fprintf(&b, "%s:%s;", i.property, c)
	}
	return b.String()
}

// styleSheet returns the style sheet of the figure whose root has class id. Each
// colour is declared twice, plain and then through its custom property: a
// renderer that knows no custom properties keeps the plain one. Rules of discs without
// colour, and of bands, are there where the figure has some.
func styleSheet(id string, hollow, bands bool) string {
	var b strings.Builder
	// color-scheme lets a browser put a stand-alone file on dark paper.
	fmt.Fprintf(&b, ".%s{color-scheme:light dark;font-family:%s}\n", id, fonts)
	fmt.Fprintf(&b, ".%s .grid,.%s .axis,.%s .rule,.%s .error{fill:none}\n", id, id, id, id)
	fmt.Fprintf(&b, ".%s .grid{stroke-width:.6}.%s .axis{stroke-width:.8}"+
		".%s .rule{stroke-width:1;stroke-dasharray:4 3}.%s .error{stroke-width:1}\n", id, id, id, id)
	fmt.Fprintf(&b, ".%s .onlight{fill:%s}.%s .ondark{fill:%s}\n", id, hex6(onLight), id, hex6(onDark))
	type rule struct {
		selector, attribute string
		ink                 ink
	}
	inked := []rule{
		{"text", "fill", textInk},
		{".error", "stroke", textInk},
		{".axis,.%s .rule", "stroke", axisInk},
		{".grid", "stroke", gridInk},
		{".paper", "fill", paperInk},
	}
	if hollow {
		inked = append(inked, rule{".hollow", "fill", gridInk}, rule{".hollow", "stroke", axisInk})
	}
	if bands {
		inked = append(inked, rule{".band", "fill-opacity", bandInk})
	}
	rules := func(colour func(ink) string) {
		for _, r := range inked {
			c := colour(r.ink)
			fmt.Fprintf(&b, ".%s %s{%s:%s;%s:var(%s,%s)}\n",
				id, strings.ReplaceAll(r.selector, "%s", id), r.attribute, c, r.attribute, r.ink.property, c)
		}
	}
	rules(func(i ink) string { return i.light })
	b.WriteString("@media (prefers-color-scheme:dark){\n")
	rules(func(i ink) string { return i.dark })
	b.WriteString("}\n")
	return b.String()
}
