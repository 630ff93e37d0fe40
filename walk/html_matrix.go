package walk

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
)

// resultTable returns a result as a bracketed table; the reader can point at its numbers.
// The argument equation is the index of the result's equation in the page's data, or
// negative if the page does not contain that equation.
func resultTable(m shown, digits, equation int) template.HTML {
	var b strings.Builder
	b.WriteString(`<table class="matrix"`)
	if equation >= 0 {
		fmt.Fprintf(&b, ` data-e="%d"`, equation)
	}
	b.WriteString(">")
	if m.columns != nil {
		b.WriteString("<thead><tr>")
		if m.rows != nil {
			b.WriteString("<td></td>")
		}
		for _, name := range m.columns {
			b.WriteString(`<th scope="col">` + html.EscapeString(name) + "</th>")
		}
		b.WriteString("</tr></thead>")
	}
	b.WriteString("<tbody>")
	for i := range m.Rows {
		b.WriteString("<tr>")
		if m.rows != nil {
			b.WriteString(`<th scope="row">` + html.EscapeString(m.rows[i]) + "</th>")
		}
		for j, x := range m.Row(i) {
			class, text := "", strings.ReplaceAll(decimal(x, digits), "-", "−")
			if x == 0 {
				class, text = "z", "·"
			}
			b.WriteString("<td" + cellAttributes(m, i, j, class) + ">" + text + "</td>")
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table>")
	return template.HTML(b.String())
}

// cellAttributes returns the HTML attributes of a cell: its class, and the weight that
// colours it.
func cellAttributes(m shown, i, j int, class string) string {
	var classes []string
	if class != "" {
		classes = append(classes, class)
	}
	if slices.Contains(m.bars, j) {
		classes = append(classes, "bar")
	}
	style := ""
	if class == "z" {
		style = ` aria-label="0"`
	}
	if x := m.At(i, j); m.weights && x > 0 {
		classes = append(classes, "w")
		style += fmt.Sprintf(` style="--w:%.0f%%"`, 100*x)
	}
	if len(classes) == 0 {
		return ""
	}
	return ` class="` + strings.Join(classes, " ") + `"` + style
}
