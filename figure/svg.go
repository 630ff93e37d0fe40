package figure

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"foretell/internal/formula"
)

// svg collects the elements of a drawing. Lengths are in points; y increases downwards.
type svg struct {
	body  bytes.Buffer
	hash  bytes.Buffer // the body without its pictures; its hash identifies the figure
	depth int
}

// put writes one line of markup.
func (s *svg) put(format string, args ...any) {
	line := strings.Repeat(" ", s.depth+1) + fmt.Sprintf(format, args...) + "\n"
	s.body.WriteString(line)
	s.hash.WriteString(line)
}

func (s *svg) open(class string) {
	s.put(`<g class="%s">`, class)
	s.depth++
}

func (s *svg) close() {
	s.depth--
	s.put(`</g>`)
}

// num formats a length with at most two decimals and without a negative zero.
func num(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64)
}

// points formats the coordinates x, y, x, y, … as path data: a move to the first point,
// then lines to the others.
func points(xy ...float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(xy); i += 2 {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(num(xy[i]) + "," + num(xy[i+1]))
	}
	return b.String()
}

// line draws a line in the style of "axis", "grid" or "rule", a class of the style sheet.
func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	s.put(`<path class="%s" d="%s"/>`, class, points(x1, y1, x2, y2))
}

// path draws path data with the given presentation attributes.
func (s *svg) path(d, attrs string) { s.put(`<path d="%s" %s/>`, d, attrs) }

func (s *svg) rect(r rect, attrs string) {
	s.put(`<rect x="%s" y="%s" width="%s" height="%s" %s/>`, num(r.x), num(r.y), num(r.w), num(r.h), attrs)
}

// image embeds a PNG that fills the rectangle r.
func (s *svg) image(r rect, png []byte, attrs string) {
	s.hash.WriteString(num(r.x) + num(r.y))
	fmt.Fprintf(&s.body, `<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none"%s `+
		`href="data:image/png;base64,%s"/>`+"\n",
		num(r.x), num(r.y), num(r.w), num(r.h), attrs, base64.StdEncoding.EncodeToString(png))
}

// A label is text to draw. By default its anchor is its middle.
type label struct {
	text   string
	size   float64
	anchor string  // "", "start" or "end"
	class  string  // class of the style sheet; "" has the colour of text
	turn   float64 // clockwise rotation about the anchor, in degrees
	bold   bool
}

// text draws a label with its baseline at y.
func (s *svg) text(x, y float64, l label) {
	attrs := fmt.Sprintf(` font-size="%s"`, num(l.size))
	if l.class != "" {
		attrs += fmt.Sprintf(` class="%s"`, l.class)
	}
	if l.anchor == "" {
		l.anchor = "middle"
	}
	if l.anchor != "start" {
		attrs += fmt.Sprintf(` text-anchor="%s"`, l.anchor)
	}
	if l.bold {
		attrs += ` font-weight="bold"`
	}
	if l.turn != 0 {
		attrs += fmt.Sprintf(` transform="rotate(%s %s %s)"`, num(l.turn), num(x), num(y))
	}
	s.put(`<text x="%s" y="%s"%s>%s</text>`, num(x), num(y), attrs, typeset(l.text, l.size))
}

// typeset returns a text as XML with variables in italics, and with smaller indices and
// powers, lowered and raised.
func typeset(text string, size float64) string {
	var b strings.Builder
	shifted := 0.0
	for _, r := range formula.Split(text) {
		shift, scale, attrs := 0.0, 1.0, ""
		for _, script := range r.Script {
			if script == formula.Index {
				shift += 0.22 * scale * size
			} else {
				shift -= 0.36 * scale * size
			}
			scale *= scriptSize
		}
		if shift != shifted {
			attrs += fmt.Sprintf(` dy="%s"`, num(shift-shifted))
			shifted = shift
		}
		if scale < 1 {
			attrs += fmt.Sprintf(` font-size="%s"`, num(size*scale))
		}
		if r.Italic {
			attrs += ` font-style="italic"`
		}
		if attrs == "" {
			b.WriteString(escape(r.Text))
		} else {
			fmt.Fprintf(&b, `<tspan%s>%s</tspan>`, attrs, escape(r.Text))
		}
	}
	return b.String()
}

// scriptSize is the size of indices and powers relative to the surrounding text.
const scriptSize = 0.75

// escape makes a string safe as XML text and for a terminal that displays it. It replaces
// control characters (which XML forbids and a terminal executes), direction changes and
// invisible characters by �.
func escape(t string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(t, "\uFFFD"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(clean)
}

// document returns the drawing as a complete SVG file.
func (s *svg) document(title, desc string, w, h float64) []byte {
	sum := sha256.Sum256([]byte(title + "\x00" + desc + "\x00" + s.hash.String()))
	id := "figure-" + hex.EncodeToString(sum[:5])
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="%s" width="%spt" height="%spt" `+
		`viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title %s-desc">`+"\n",
		id, num(w), num(h), num(w), num(h), id, id)
	fmt.Fprintf(&b, " <title id=\"%s-title\">%s</title>\n <desc id=\"%s-desc\">%s</desc>\n",
		id, escape(title), id, escape(desc))
	has := func(mark string) bool { return bytes.Contains(s.body.Bytes(), []byte(mark)) }
	fmt.Fprintf(&b, " <style>\n%s </style>\n", styleSheet(id, has(hollowDisc), has(bandMark)))
	fmt.Fprintf(&b, " <rect class=\"paper\" width=\"%s\" height=\"%s\"/>\n", num(w), num(h))
	b.Write(s.body.Bytes())
	b.WriteString("</svg>\n")
	return b.Bytes()
}
