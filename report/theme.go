package report

import (
	"fmt"
	"strings"

	"foretell/figure"
)

// hue is a colour of the page in light and in dark.
type hue struct{ name, light, dark string }

// palette holds the custom properties of page.css. Paper is what package figure draws
// for; a verdict is written in its colour on its wash.
var palette = []hue{
	{"paper", "#ffffff", "#121417"},
	{"panel", "#f5f7f9", "#1b1f24"},
	{"ink", "#1f2328", "#e6e9ed"},
	{"soft", "#57606a", "#a3adb8"},
	{"line", "#d5dae0", "#343b43"},
	{"link", "#0a5cad", "#6cb2f7"},
	{"holds", "#0b6b43", "#6fd3a3"},
	{"holds-wash", "#dff3e8", "#12301f"},
	{"corrected", "#1a57a6", "#8bbcf5"},
	{"corrected-wash", "#e0ecfa", "#14283f"},
	{"differs", "#7a5200", "#e6b94f"},
	{"differs-wash", "#faedcd", "#33270b"},
	{"fails", "#a32020", "#f79a92"},
	{"fails-wash", "#fbe3e1", "#3b1816"},
	{"open", "#4d5761", "#b4bec8"},
	{"open-wash", "#e9ecef", "#262c32"},
}

// themeCSS returns the colours of page and figures: the reader's preference, unless
// the switch has set data-theme, and always light on paper.
func themeCSS() string {
	light, dark := declarations(false), declarations(true)
	var b strings.Builder
	fmt.Fprintf(&b, ":root{%s}\n", light)
	fmt.Fprintf(&b, "@media (prefers-color-scheme:dark){:root{%s}}\n", dark)
	fmt.Fprintf(&b, ":root[data-theme=light]{%s}\n", light)
	fmt.Fprintf(&b, ":root[data-theme=dark]{%s}\n", dark)
	fmt.Fprintf(&b, "@media print{:root,:root[data-theme]{%s}}\n", light)
	return b.String()
}

func declarations(dark bool) string {
	var b strings.Builder
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	fmt.Fprintf(&b, "color-scheme:%s;", scheme)
	for _, h := range palette {
		value := h.light
		if dark {
			value = h.dark
		}
		fmt.Fprintf(&b, "--%s:%s;", h.name, value)
	}
	b.WriteString(figure.ThemeCSS(dark))
	return b.String()
}
