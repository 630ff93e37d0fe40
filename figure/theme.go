package figure

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// ink is a colour of text or axes, or the opacity of a tint, that depends on the reader's
// colour scheme.
type ink struct {
	property    string // custom property that a host page can set
	light, dark string
}

// The two background colours that the palette is designed for.
const (
	lightPaper = "#ffffff"
	darkPaper  = "#121417"
)

var (
	textInk = ink{"--figure-text", "#24292f", "#e6e9ed"} // words and numbers
	axisInk = ink{"--figure-axis", "#6e7781", "#9aa4af"} // axis lines, ticks, outlines and reference lines
	gridInk = ink{"--figure-grid", "#e3e6ea", "#2c3238"} // grid lines, behind data
	inks    = []ink{textInk, axisInk, gridInk}

	// bandInk is the opacity of bands. Dark backgrounds need a higher one.
	bandInk = ink{"--figure-band", "0.22", "0.55"}

	// paperInk fills the background, which keeps a figure readable in a document of another
	// colour, such as a slide.
	paperInk = ink{"--figure-paper", lightPaper, darkPaper}
)

// Inks for numbers on coloured cells. They are the same on both backgrounds.
var (
	onLight = color.NRGBA{0x1b, 0x1f, 0x24, 255}
	onDark  = color.NRGBA{0xf6, 0xf8, 0xfa, 255}
)

// inkOn returns the class of the ink with the higher contrast on a colour.
func inkOn(c color.NRGBA) string {
	ground := decode(c).luminance() + 0.05
	if ground*ground > (decode(onLight).luminance()+0.05)*(decode(onDark).luminance()+0.05) {
		return "onlight"
	}
	return "ondark"
}

// Fonts with Arial's metrics come first, because labels are measured in Arial.
const fonts = `Arial,"Liberation Sans",Helvetica,"DejaVu Sans",sans-serif`

// ThemeCSS returns the declarations with which a page that has a theme switch sets the
// ink of its inline figures. The figures then use the page's background:
//
//	"[data-theme=dark] {" + figure.ThemeCSS(true) + "}"
//
// Without these declarations a figure follows the reader's colour scheme and fills its
// own background.
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

// styleSheet returns the style sheet of the figure whose root has class id. Each colour
// is declared twice, first plain and then through its custom property; renderers without
// custom properties use the plain one. Rules for hollow discs and bands are included only
// if the figure has some.
func styleSheet(id string, hollow, bands bool) string {
	var b strings.Builder
	// color-scheme makes a browser show an SVG file on a dark background.
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
