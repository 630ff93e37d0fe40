package document

import (
	"fmt"
	"strings"

	"foretell/figure"
)

// Hue is a colour of a page, with its values in light and in dark mode. Style sheets
// refer to it as the custom property --Name.
type Hue struct{ Name, Light, Dark string }

// Palette holds the colours that [CSS] uses. The colour paper is the background for which
// package figure chooses its colours.
var Palette = []Hue{
	{"paper", "#ffffff", "#121417"},
	{"panel", "#f5f7f9", "#1b1f24"},
	{"ink", "#1f2328", "#e6e9ed"},
	{"soft", "#57606a", "#a3adb8"},
	{"line", "#d5dae0", "#343b43"},
	{"link", "#0a5cad", "#6cb2f7"},
}

// ThemeCSS returns a style sheet with the colours of the page and its figures: [Palette]
// and the given additional ones. The colours follow the reader's preference unless the
// switch has set data-theme, and are always light in print.
func ThemeCSS(more ...Hue) string {
	hues := append(Palette[:len(Palette):len(Palette)], more...)
	light, dark := declarations(hues, false), declarations(hues, true)
	var b strings.Builder
	fmt.Fprintf(&b, ":root{%s}\n", light)
	fmt.Fprintf(&b, "@media (prefers-color-scheme:dark){:root{%s}}\n", dark)
	fmt.Fprintf(&b, ":root[data-theme=light]{%s}\n", light)
	fmt.Fprintf(&b, ":root[data-theme=dark]{%s}\n", dark)
	fmt.Fprintf(&b, "@media print{:root,:root[data-theme]{%s}}\n", light)
	return b.String()
}

func declarations(hues []Hue, dark bool) string {
	var b strings.Builder
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	fmt.Fprintf(&b, "color-scheme:%s;", scheme)
	for _, h := range hues {
		value := h.Light
		if dark {
			value = h.Dark
		}
		fmt.Fprintf(&b, "--%s:%s;", h.Name, value)
	}
	b.WriteString(figure.ThemeCSS(dark))
	return b.String()
}
