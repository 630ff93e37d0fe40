package walk

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// Sizes of the drawing of a head's attention, in pixels: two columns of tokens, with
// arrows between them.
const (
	arrowRow   = 30.0 // distance between two tokens
	arrowTop   = 26.0 // space above the first token
	arrowLeft  = 124.0
	arrowRight = 276.0
	arrowWidth = 400.0
	arrowHead  = 7.0
	mostArrows = 32   // the largest number of positions for which arrows are drawn
	leastArrow = 0.01 // the smallest weight for which an arrow is drawn
)

// arrows draws attention weights (n,T), whose rows belong to the last n positions, as
// arrows from the attended tokens to the attending ones. It returns "" for more than
// mostArrows positions.
func (d *Document) arrows(weights Matrix) template.HTML {
	T := weights.Columns
	if T > mostArrows {
		return ""
	}
	var b strings.Builder
	height := arrowTop + arrowRow*float64(T)
	fmt.Fprintf(&b, `<svg class="arrows" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="`+
		`Arrows from attended tokens at the left to attending tokens at the right; `+
		`the matrix lists their weights.">`, arrowWidth, height, arrowWidth, height)
	fmt.Fprintf(&b, `<text class="side" x="%g" y="12" text-anchor="end">attended to</text>`, arrowLeft)
	fmt.Fprintf(&b, `<text class="side" x="%g" y="12">attends</text>`, arrowRight)
	first := T - weights.Rows
	for j := range T {
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">%s</text>`, arrowLeft-6, arrowY(j)+4.5, d.standing(j))
		if j >= first {
			fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`, arrowRight+6, arrowY(j)+4.5, d.standing(j))
		}
	}
	for i := range weights.Rows {
		for j, weight := range weights.Row(i) {
			if weight >= leastArrow {
				b.WriteString(d.arrow(weight, i, j, first+i))
			}
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// arrowY returns the y coordinate of a position's label.
func arrowY(position int) float64 { return arrowTop + arrowRow*(float64(position)+0.5) }

// arrow draws the arrow of the weight in row i and column j. The argument `to` is the
// position to which the row belongs.
func (d *Document) arrow(weight float64, i, j, to int) string {
	y0, y1 := arrowY(j), arrowY(to)
	middle, end := (arrowLeft+arrowRight)/2, arrowRight-arrowHead
	line := fmt.Sprintf(`<path d="M%g %gC%g %g %g %g %g %g" stroke-width="%.2f"/>`,
		arrowLeft, y0, middle, y0, middle, y1, end, y1, 0.75+5*weight)
	half := 3 + 2*weight
	head := fmt.Sprintf(`<path class="head" d="M%g %.2fL%g %gL%g %.2fZ"/>`, end, y1-half, arrowRight, y1, end, y1+half)
	return fmt.Sprintf(`<g class="arrow" data-cell="%d,%d" opacity="%.2f">`, i, j, 0.2+0.8*weight) +
		fmt.Sprintf("<title>position %d attends to position %d with weight %s</title>",
			to, j, decimal(weight, d.Digits)) +
		line + head + "</g>"
}

// standing returns the label of a position: its number and its token.
func (d *Document) standing(position int) string {
	token := Options{Names: d.Names}.label(int(d.Tokens[position]))
	return `<tspan class="side">` + strconv.Itoa(position) + `</tspan> ` + html.EscapeString(token)
}
